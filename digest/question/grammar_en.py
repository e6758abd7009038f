"""The frames of English questions: patterns with a group for what is asked of.

Patterns try literal words with single spaces between them; of each frame one end is open, so
that reading is linear in the length.

The English grammar: command words, frames of questions, and what is no topic.

A question comes tidied (single spaces, no closing marks) and without its period.
"""

from __future__ import annotations

import re

from digest.core.grade import Level
from digest.core.reference import parse_reference
from digest.errors import InvalidReference
from digest.question.question_parts import QuestionParts, Verb, nearest

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


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


COMMANDS = _words("""
    explain describe summarize summarise analyze analyse digest summary report recap overview
    changed changes change updates commits search find grep lookup help usage commands happened
    touched modified merged anything what who show list compare status privacy shorter longer
    reviewed reviewers
    """)
"""Words that a question may begin with, and that a misspelt one is mended to."""

_KNOWN = COMMANDS | _words("""
    what's whats is has been the a an in on to for with about of new any all did does do this
    that last week weekly daily monthly month day please me my you can could path level by merge
    chance charge changing exchange export explore reach whats finds chunk whom whose while lint
    bind fine mind kind private fund held heap hello stats state computer compared company
    """)

_FUZZY_WORDS = 3
"""Command words stand among so many first words of a question."""

_LEADING = re.compile(
    r"(?:the|a|an|any|our|all|everything|stuff|things|new|latest|recent|about|regarding) ",
    re.IGNORECASE,
)

_TRAILING = re.compile(
    r" (?:module|area|part|component|code|stuff|things|side|subsystem|related|folder|directory|area"
    r"|changes?|work|front)$",
    re.IGNORECASE,
)

_EVERYTHING = _words("""
    repo repository project codebase code it main master everything here there general the-repo
    tree all branch things this stuff
    """)

_NO_TOPIC = _words("""
    i you me my mine we us our your yours he she they him his her their it its who whom whose what
    when where why how which is are was were am be been being do does did done have has had will
    would should shall could can cannot must might since until till before after tomorrow yesterday
    today now mind life weather joke lunch dinner please thanks thank hello hi hey bye delete drop
    merge close open approve deploy install run write make create send remove rebase push pull that
    these those than if because so but not don't dont isn't let's there here explain describe search
    find help tell show give most und nicht ist das die der was hat les des est une qui que los las
    del el en una por y para con ich wer wie le la et sur dans pour il lo di che
    """)
"""Words that no name of a topic holds: a question with one of them was read wrongly."""

_TOPIC_WORDS = 6

_TOPIC_LENGTH = 80

_BARE_WORDS = 3


def read(question: str) -> QuestionParts | None:
    """The wish of an English question; ``None`` where the grammar has no place for it.

    A misspelt command word is read as the nearest one, only where the words as written make no
    question.
    """
    plain = POLITE_END.sub("", POLITE_BEGIN.sub("", question)).strip(" ,")
    wish = _read(plain)
    if wish is None or wish.bare:
        better = mended(plain)
        if better != plain:
            return _read(better) or wish
    return wish


def mended(text: str) -> str:
    """The text with its first words mended where they misspell command words."""
    words = text.split(" ")
    for place, word in enumerate(words[:_FUZZY_WORDS]):
        lower = word.lower()
        if word.isalpha() and lower not in _KNOWN:
            words[place] = nearest(lower, COMMANDS) or word
    return " ".join(words)


def _read(text: str) -> QuestionParts | None:
    if HELP.fullmatch(text):
        return QuestionParts(verb=Verb.HELP)
    if wish := _read_explain(text):
        return wish
    if found := EXPLAIN_WORD.match(text):
        path = text[found.end() :]
        return QuestionParts(verb=Verb.CHANGED, path=path) if _is_path(path) else None
    if found := DIGEST.fullmatch(text):
        return QuestionParts(verb=Verb.DIGEST, days=DIGEST_DAYS.get((found[1] or "").lower(), 0))
    if found := SEARCH.fullmatch(text):
        terms = tuple(a or b for a, b in TERM.findall(next(g for g in found.groups() if g)))
        return QuestionParts(verb=Verb.SEARCH, terms=terms) if terms else None
    return _read_changed(text)


def _read_explain(text: str) -> QuestionParts | None:
    found = EXPLAIN.fullmatch(text)
    if not found:
        return None
    try:
        return QuestionParts(
            verb=Verb.EXPLAIN, reference=parse_reference(found[1].strip(",.;:()\"'"))
        )
    except InvalidReference:
        return None


def _read_changed(text: str) -> QuestionParts | None:
    text, level = _cut(LEVEL, text)
    text, path = _cut(PATH, text)
    text, author = _cut(BY, text)
    if author.lower() in _NO_TOPIC:
        return None
    if did := DID.fullmatch(text):
        author, topic = did[1], did[2] or ""
        return None if author.lower() in _NO_TOPIC else _changed(topic, author, path, level)
    for pattern in CHANGED:
        if found := pattern.fullmatch(text):
            wish = _changed(found[1] if found.re.groups and found[1] else "", author, path, level)
            if wish is not None:
                return wish
    if not text and (level or path or author):
        return _changed("", author, path, level)
    bare = _changed(text, author, path, level) if len(text.split()) <= _BARE_WORDS else None
    if bare is None or not (bare.topic or bare.path):
        return None
    return QuestionParts(
        verb=bare.verb,
        topic=bare.topic,
        author=bare.author,
        path=bare.path,
        level=bare.level,
        bare=True,
    )


def _cut(pattern: re.Pattern[str], text: str) -> tuple[str, str]:
    """The text without the first thing of that form, and the thing."""
    found = pattern.search(text)
    if not found:
        return text, ""
    rest = f"{text[: found.start()]} {text[found.end() :]}"
    return " ".join(rest.split()), next(g for g in found.groups() if g)


def _changed(topic: str, author: str, path: str, level: str) -> QuestionParts | None:
    name = _topic(topic)
    if name is None:
        return None
    if not path and _is_path(name):
        name, path = "", name
    return QuestionParts(
        verb=Verb.CHANGED, topic=name, author=author, path=path, level=_level(level)
    )


def _level(word: str) -> Level | None:
    if not word:
        return None
    return Level(word.lower()) if word.lower() in {"medium", "low"} else Level.HIGH


def _is_path(name: str) -> bool:
    if ".." in name.split("/") or not re.fullmatch(r"[\w.@+~][\w.@+~-]*(?:/[\w.@+~-]+)*/?", name):
        return False
    return name.count("/") > 1 or name.endswith("/") or bool(re.search(r"/.*\.[a-z]{1,5}$", name))


def _topic(written: str) -> str | None:
    """The name of the topic; empty for everything, ``None`` where the words cannot name one."""
    name = written.strip(" ,.;:\"'`“”‘’()[]")
    while found := _LEADING.match(name):
        name = name[found.end() :]
    name = _TRAILING.sub("", name)
    words = name.lower().split()
    if not words or (len(words) == 1 and words[0] in _EVERYTHING):
        return ""
    if (
        "#" in name
        or len(words) > _TOPIC_WORDS
        or len(name) > _TOPIC_LENGTH
        or _NO_TOPIC.intersection(words)
    ):
        return None
    # A number alone is a count, a date or an age, and part of a great many names.
    return name if any(c.isalnum() for c in name) and not name.isdecimal() else None
