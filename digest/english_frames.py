"""The frames of English questions: patterns with a group for what is asked of.

Patterns try literal words with single spaces between them; of each frame one end is open, so
that reading is linear in the length.
"""

from __future__ import annotations

import re

_KINDS = r"(?:pr|pull request|pull|mr|merge request|commit|change|patch|revision|sha)"
_NOUNS = r"(?:changes?|updates?|commits?|prs?|pull requests?|merges?|news|activity|progress|work)"
_IN = r"(?:in|on|to|for|with|about|of|around|regarding|concerning|related to|touching|affecting)"

POLITE_BEGIN = re.compile(
    r"^(?:(?:please|pls|hey|hi|hello|ok|so|bot|digestbot|thanks|can you|could you|would you"
    r"|will you|kindly|i(?:'d| would) like to (?:know|see)|i want to (?:know|see)|do you know"
    r"|let me know|tell me|show me|give me|get me|send me|show us|tell us)[,:!]? )"
    r"+(?=\S)",
    re.IGNORECASE,
)
POLITE_END = re.compile(
    r"[,;.]?(?: (?:please|pls|thanks|thank you|thx|for me|again))+$", re.IGNORECASE
)

EXPLAIN = re.compile(
    r"(?:(?:explain|describe|summari[sz]e|analy[sz]e|show|why|about|details(?: of| on| for)?"
    r"|what(?:'s| is| was| does| did)?(?: in)?|what(?:'s| is) (?:in|new in|up with|about)"
    r"|what (?:happened|changed) (?:in|with)|tell me about|how does|walk me through) )?"
    rf"(?:the |this )?(?:{_KINDS}:? ?)?((?:(?:issue|ticket|bug) )?\S+?)"
    r"(?: (?:do|does|did|about|all about|change|changed|mean|is about|in detail|work))?",
    re.IGNORECASE,
)
EXPLAIN_WORD = re.compile(r"(?:explain|describe|analy[sz]e)(?: |$)", re.IGNORECASE)

HELP = re.compile(
    r"(?:help|usage|commands?|examples|\?|start|what can (?:you|i) (?:do|ask|say)"
    r"|how (?:do|can|should) i (?:use|ask) (?:you|this|it)|how do you work|how does this work"
    r"|help me|who are you|what do you do|what are you)",
    re.IGNORECASE,
)

_DIGEST_NOUN = r"(?:digest|summary|report|recap|overview|briefing|brief|rundown|roundup|round-up)"
DIGEST = re.compile(
    rf"(?:(?:the|a|an|my|today's|run|make|post|show) )*(?:(daily|weekly|monthly) )?{_DIGEST_NOUN}"
    rf"(?: {_IN}(?: the| all)?(?: {_NOUNS}| everything)?)?"
    r"|(?:summari[sz]e|recap|sum up|digest)(?: the| all)?(?: everything| changes| commits| work)?"
    r"|what happened|what(?:'s| is| has been| was) (?:happening|going on)|what did (?:i|we) miss"
    r"|catch me up(?: on)?(?: everything)?",
    re.IGNORECASE,
)
DIGEST_DAYS = {"daily": 1, "weekly": 7, "monthly": 30}

SEARCH = re.compile(
    r"(?:search|find|grep|look ?up|look for|searching)(?: for)?"
    rf"(?:(?: the| all| any| me)*(?: {_NOUNS})?"
    r" (?:that )?(?:mention(?:s|ing|ed)?|contain(?:s|ing)?|containing|saying))? (.+)"
    rf"|(?:which|what) {_NOUNS} (?:mention(?:s|ed)?|contain(?:s)?) (.+)"
    rf"|(?:any )?mentions? of (.+)|{_NOUNS} (?:that )?mention(?:ing)? (.+)",
    re.IGNORECASE,
)

_CHANGED_FRAMES = (
    # what are the latest changes (in X)
    (
        rf"what(?:'s| is| are|s)?(?: the)?(?: (?:new|latest|recent|main))? {_NOUNS}"
        rf"(?: (?:were|was|are|is|have been|has been) (?:made|merged|done|landed|there))?"
        rf"(?: {_IN} (.+))?"
    ),
    # what changed, what's new (in X)
    (
        r"what(?:'?s| is| has| have| was| were| got| all)?(?: been)? "
        r"(?:changed|changing|new|landed|merged|added|updated|modified|different|up)"
        rf"(?: {_IN} (.+))?"
    ),
    rf"what (?:happened|has happened|is going on|was going on|has been going on) {_IN} (.+)",
    rf"what(?:'s| is) (?:happening|going on) {_IN} (.+)",
    # has anything changed (in X), is there anything new
    (
        r"(?:did|has|have|is there|are there|was there|were there) (?:any ?thing|something|any)"
        rf"(?: been)?(?: (?:new|change|changed|happen|happened|land|landed|merged|{_NOUNS}))*"
        rf"(?: {_IN} (.+))?"
    ),
    r"(?:did|has|have) (.+) (?:change|changed|been changed|been updated)",
    r"how (?:is|has|did) (.+) (?:doing|going|change|changed|changing|been going|evolved?)",
    # anything interesting, anything about X
    (
        r"(?:any ?thing|something)(?: (?:new|changed|interesting|important|happening|merged))?"
        rf"(?: {_IN} (.+))?"
    ),
    # what was removed (in X), what's the latest on X, which PRs touched X
    (
        r"what (?:was|were|is|got|has been|have been)(?: been)? "
        r"((?:removed|deleted|deprecated|reverted|fixed|refactored|optimized)(?: in .+)?)"
    ),
    rf"what(?:'s| is) the (?:latest|news|newest|status|state)(?: {_IN} (.+))?",
    (
        rf"(?:which|what) {_NOUNS} (?:touch(?:ed)?|affect(?:ed)?|chang(?:ed?)|modif(?:y|ied)"
        r"|concern|are about|were about|are in|went into) (.+)"
    ),
    # who touched X
    (
        r"who (?:has |have )?(?:touch(?:ed|es)|chang(?:ed|es)|modif(?:ied|ies)|edit(?:ed|s)"
        r"|updat(?:ed|es)|worked on|works on|is working on|contributed to|committed to) (.+)"
    ),
    # latest changes (in X), changed X, X changes
    (
        r"(?:(?:list|show|see|get|the|all|any|last|latest|newest|most recent|recent|new|every) )*"
        rf"(?:[0-9]{{1,3}} )?{_NOUNS}(?: (?:made|done|merged|landed))?(?: {_IN} (.+))?"
    ),
    r"chang(?:ed?|es)(?: (.+))?",
    rf"(?:(?:list|show|see|get|the|all|any|latest|recent|new) )*(.+) {_NOUNS}",
    (
        rf"(?:list|show|see|summari[sz]e|recap|{_DIGEST_NOUN} {_IN}|what about|how about"
        rf"|news about|latest on) (?:(?:the |all |any )*{_NOUNS} {_IN} )?(.+)"
    ),
)
CHANGED = tuple(re.compile(frame, re.IGNORECASE) for frame in _CHANGED_FRAMES)

BY = re.compile(
    r" ?\b(?:(?:made|done|authored|written|merged|committed|landed) )?(?:by|author|authored by) "
    r"(?:\"([^\"]{1,80})\"|@?([^\W\d_][\w.'-]*(?: [A-Z][\w.'-]*){0,3}))",
)
DID = re.compile(
    r"what (?:did|has|have) @?([^\W\d_][\w.'-]*(?: [A-Z][\w.'-]*){0,3}) "
    r"(?:do|done|been doing|been working on|change|changed|merge|merged|land|landed|commit"
    rf"|committed|work on|worked on|ship|write)(?: {_IN} (.+))?",
    re.IGNORECASE,
)
LEVEL = re.compile(
    r"\b(?:level (high|medium|low)\b|(high|important|major|critical|significant|notable|biggest"
    r"|largest|most important|key|top|medium)(?:[- ](?:impact|importance|level|priority))?"
    rf"(?= (?:{_NOUNS}|ones|things|stuff)\b))",
    re.IGNORECASE,
)
PATH = re.compile(r"\b(?:path|file|folder|directory|under) \"?([\w.@+~-]+(?:/[\w.@+~-]*)*)\"?")
TERM = re.compile(r"\"([^\"]{1,200})\"|([^\s\"]+)")
