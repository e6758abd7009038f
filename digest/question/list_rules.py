"""Readings of questions that list changes: searches, and changes by topic, kind, author, period."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

from digest.core.enums import ChangeKind
from digest.core.facts import Action, FactKind
from digest.core.patterns import lazy
from digest.question.asked import Asked, Weighed, rule
from digest.question.change_rules import switched_to, time_counted
from digest.question.commit_range import Refs, release_number
from digest.question.intent import Again, Changed, Lookup, Search, Top
from digest.question.lexicon import PHRASES, says
from digest.question.range_rules import reaching
from digest.question.slot_values import Filters, Path, Quote, Release, Symbol
from digest.question.thing_cues import is_thing
from digest.window import Window

_SURELY = 5.0  # weight of a search that is asked for as such
MOST_TERMS = 12  # maximum search terms of one question
_MOST_WORDS = 7  # maximum words of a topic


@rule
def search(asked: Asked) -> Iterator[Weighed]:
    """A search for literal words."""
    advisories = [
        q.text for q in asked.slots(Quote) if q.text.upper().startswith(("CVE-", "GHSA-"))
    ]
    if advisories:
        yield Weighed(_SURELY, Search(terms=tuple(advisories), window=asked.span))
        return
    titles = [quote.text for quote in asked.slots(Quote) if quote.text.count(" ") > 1]
    if titles and not asked.has("other", "search", "mention"):
        yield Weighed(_SURELY, Search(terms=(titles[0],), window=asked.span))
    cues = [asked.tags[tag] for tag in ("search", "mention") if tag in asked.tags]
    if not cues or asked.references or (asked.has("history") and asked.says("which_release")):
        return  # "in which release did the search API come"
    if asked.slots(Release) and asked.says("yes_or_no") and not asked.has("search"):
        return  # "does 1.2 contain the fix for the scheduler"
    at = max(cues)
    terms = tuple(t for t in (_ENDS.sub("", term) for term in _terms(asked, at)) if t)[:MOST_TERMS]
    if not terms or "#" in terms:
        return
    filters = asked.filters
    if at > asked.tags.get("other", at):
        return  # "how do I write a query"
    early = sum(
        1
        for t in asked.tokens[:at]
        if not t.tags & {"noise", "ask", "change", "aux", "search", "mention"} and t.slot is None
    )
    yield Weighed(
        _SURELY - early,
        Search(
            terms=terms,
            window=asked.span,
            author=filters.author,
            path=filters.path,
            level=filters.level,
            kinds=filters.kinds,
            label=filters.label,
        ),
    )


_BEFORE_TERMS = frozenset(
    {"thanks", "greet", "noise", "prep", "change", "ask", "mention", "aux", "join"}
)


def _terms(asked: Asked, at: int) -> list[str]:
    """The words after the cue as they were written, without leading fillers."""
    found: list[str] = []
    after = asked.tokens[at + 1 :]
    if not any(t.slot is None or _verbatim(t.slot) for t in after):
        after = asked.tokens[:at]
    quoted, end = any(isinstance(t.slot, Quote) for t in after), 0
    for token in after:
        if token.slot is not None:
            found += filter(None, [_verbatim(token.slot)])
        elif token.glued and found and not token.text.isascii():
            found[-1] += token.text
            continue
        elif not token.tags & _BEFORE_TERMS or (found and not quoted):
            found += token.text.split()
            end = len(found) if not token.tags & _BEFORE_TERMS else end
            continue
        end = len(found)
    return found[:end]


_ENDS = lazy(r"的?(?:提交|变更|改动|更新|修改|记录|有哪些)$|的$")
"""Endings that are not part of a Chinese search term."""


def _verbatim(slot: object) -> str:
    """The searchable text of a slot."""
    match slot:
        case Quote(text=text):
            return text
        case Symbol(name=name) | Release(name=name):
            return name
        case Path(path=path):
            return path
        case _:
            return ""


@rule
def changed(asked: Asked) -> Iterator[Weighed]:
    """The changes of a topic, a kind, an author, a path, a period."""
    intent = _listing(asked)
    if intent is not None and not asked.references:
        yield Weighed(_weight(asked, intent), intent)


@rule
def lookup(asked: Asked) -> Iterator[Weighed]:
    """Names for a purpose: *which flag controls the cache size*."""
    match = PHRASES["purpose"].search(asked.text)
    if match is None or asked.spans or asked.references or asked.actions:
        return
    way = match["way"] or match["zh_way"]
    spoken = tuple(FactKind(one) for one in asked.values.get("thing", ()) if one in _NAMED)
    things = asked.filters.things or spoken or (_SETTINGS if way else ())
    topic = (way or match["what"] or match["zh"]).strip()
    if things and not (way and asked.slots(Symbol)):
        yield Weighed(_SURELY, Lookup(topic=topic, things=things))


_SETTINGS = (FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.CONFIG)
_NAMED = frozenset({"flag", "environment", "config", "metric", "route"})


def two_of_list(text: str) -> tuple[str, ...]:
    """A question about two changes of the last list as one about each.

    *Both*, *who wrote those two*, *1 and 3*, *前两个发版了吗*.
    """
    if found := _PAIR.fullmatch(text):
        said = [one.lower() for one in found.groups() if one]
        return tuple(f"number {_PLACE_OF.get(one, one)}" for one in said)
    both = _BOTH.search(text) if len(text) <= _MOST_OF_TWO else None
    if both is None or says(text, "set_beside"):
        return ()  # "compare the two" may be about two releases
    before, after = text[: both.start()], _THEY.sub("it", text[both.end() :])
    places = ("the first one", "the second one") if both[0].isascii() else ("第一个", "第二个")
    rest = f"{before}{after}".strip(" ,?")
    return tuple(f"{before}{one}{after}" if rest else one for one in places)


def two_related(text: str) -> tuple[str, ...]:
    """A question about how two changes relate as one about each: *how do #1 and #2 relate*."""
    two = tuple(dict.fromkeys(_NUMBER_OF_CHANGE.findall(text)))
    if len(two) != _TWO or not says(text, "relation"):
        return ()
    return tuple(f"explain {one}" for one in two)


_TWO = 2
_NUMBER_OF_CHANGE = lazy(r"(?<!\S)#\d{1,9}(?!\w)")
_MOST_OF_TWO = 80  # characters of a question about two changes that it does not name
_THEY = lazy(r"\b(?:they|them)\b", re.IGNORECASE)
_BOTH = lazy(
    r"\b(?<!which of )(?:(?:those|these|the|(?:the )?(?:first|top)) two"
    r"|both(?: of (?:them|those|these))?)"
    r"(?! (?:\w+ )?(?:hours?|days?|weeks?|months?|years?|releases?|versions?|\w+est|most)\b)"
    r"(?: (?:ones|changes|prs|commits))?\b"
    r"|[这那前][两俩](?!个?(?:小时|[天日周年月季]|星期|礼拜|版本|位))[个条]?(?:变更|改动|提交)?",
    re.IGNORECASE,
)
_PLACE_OF = {
    **dict(zip(("first", "second", "third", "fourth", "fifth"), range(1, 6), strict=True)),
    **dict(zip("一二三四五", range(1, 6), strict=True)),
}
_PAIR = lazy(
    r"(?:(?:and|ok|so|then) )*(?:(?:tell me (?:more )?about|explain|describe|show(?: me)?"
    r"|more (?:on|about)|what about|what (?:are|is|do)|details (?:on|of|for)) )?"
    r"(?:the |numbers? )?(\d{1,2}|first|second|third|fourth|fifth)(?: one)?"
    r" (?:and|&) (?:the |number )?(\d{1,2}|first|second|third|fourth|fifth)(?: ones?)?"
    r"(?: please| pls)?"
    r"|第([一二三四五])[个条]?[和跟与、]第?([一二三四五])[个条]?.{0,6}",
    re.IGNORECASE,
)


def is_topic_alone(asked: Asked) -> bool:
    """Whether a kind of name is a part of a topic: *native histograms*."""
    things = [is_thing(token) for n, token in enumerate(asked.tokens) if asked.is_left(n)]
    said = asked.values.get("thing", ()) and not asked.actions
    return bool(said) and any(things) and not all(things)


def conditions_of(asked: Asked, *, goes_on: bool, narrows: bool) -> Again:
    """The last list with the conditions of a follow-up, which shows that it ``goes_on``."""
    paths, listed = asked.slots(Path), goes_on or asked.follows in {"list", "release", "row"}
    who = asked.has("contributors") or asked.is_writing
    things = () if is_topic_alone(asked) else tuple(map(FactKind, asked.values.get("thing", ())))
    return Again(
        window=asked.span,
        topic=asked.topic,
        author=asked.author,
        path=asked.filters.path or (paths[0].path if paths else ""),
        per=time_counted(asked),
        people=asked.has("per:author") or (listed and who),
        files=asked.counts("per:file"),
        folders=asked.counts("per:folder"),
        top=asked.top,
        things=things,
        actions=asked.actions,
        without=asked.without,
        only=narrows and bool(asked.topic),
    )


@rule
def bare(asked: Asked) -> Iterator[Weighed]:
    """A topic alone, if the repository knows each of its words."""
    named = asked.references or asked.filters != Filters() or asked.commands or asked.author
    if not asked.known or named or not 0 < len(asked.left) <= _MOST_BARE:
        return
    beside = ("history", "ask", "aux", "prep", "join", "it", "explain", "shorter", "status")
    if asked.only_words(*beside) and asked.known.issuperset(one.lower() for one in asked.left):
        span, topic = asked.span, asked.topic
        yield Weighed(
            1.1, Changed(window=span or asked.now.usual, topic=topic, anytime=span is None)
        )


_MOST_BARE = 4  # maximum words of a topic that is all of a question

_GAINS = {
    3.0: ("change",),
    2.0: ("happened", "digest", "about"),
    1.0: ("catchup", "trouble", "bump", "contributors", "share", "per:day", "per:week", "per:month",
          "per:author"),
    0.5: ("count", "most", "upgrade", "risk", "notes", "default", "again", "per:file",
          "per:folder"),
}  # fmt: skip
"""How much each of some tags speaks for a list of changes."""

_LOSSES = {3.0: ("me", "why"), 0.5: ("it", "help", "remedy", "future")}
_OTHER = ("other", "todo", "fulltext", "foreign")  # tags of what is no list of changes


def _weight(asked: Asked, intent: Changed) -> float:
    words = len(intent.topic.split())
    if words > _MOST_WORDS or any(_counts(asked, tag) for tag in _OTHER):
        return 0.0
    weight = sum(gain for gain, tags in _GAINS.items() for tag in tags if asked.has(tag))
    weight -= sum(loss for loss, tags in _LOSSES.items() for tag in tags if _counts(asked, tag))
    done = asked.has(*_DEEDS) or asked.actions
    kinds = asked.kinds or intent.kinds == (ChangeKind.ACTION,)
    said = (asked.spans, intent.path, intent.author, asked.slots(Release), intent.people and done)
    weight += 2.0 * sum(map(bool, (*said, kinds)))
    weight += bool(intent.topic and asked.says("is_there_any"))
    commits = asked.spans and not isinstance(asked.span, Window)
    weight += sum(map(bool, (commits, asked.level, asked.things)))
    if asked.actions:
        weight += 1.5 if asked.has("ask") else 1.0
    set_beside = intent.topic and (asked.has("notes") or asked.says("versus"))
    if asked.top or asked.against or asked.without or set_beside:
        weight += 1.5
    return weight - (0.35 + 0.15 * words if words else 0.0)


_DEEDS = ("agent", "change", "wrote", "review", "keep")


def _counts(asked: Asked, tag: str) -> bool:
    """Whether a tag counts against a list, such as the start of another command."""
    if tag == "me" and (
        asked.says("what_we_use")
        or asked.level
        or asked.has("upgrade", "catchup", "risk")
        or (asked.has("change") and asked.has("ask"))
    ):
        return asked.has("other")  # "my mind" is not a topic, "I upgrade" is a figure of speech
    if tag in {"future", "why"} and ChangeKind.DEPRECATIONS in asked.kinds:
        return False  # "what will be removed", "what was deprecated, and why"
    if tag == "why" and ChangeKind.REVERTS in asked.kinds:
        return False  # the revert says why, if anything does
    if tag == "why" and asked.has("default") and asked.has("change"):
        return False  # the change of the default says why
    if tag == "help":
        return asked.tags.get("help") == 0  # "anything about memory usage"
    if tag != "todo":
        return asked.has(tag)
    # "draw the commits per week"
    return asked.commands and not asked.has("digest", "notes") and "per" not in asked.values


def _listing(asked: Asked) -> Changed | None:
    """The question as a list of changes, whatever its weight."""
    span, topic, releases = asked.span, asked.topic, [r.name for r in asked.slots(Release)]
    kinds, paths, things = asked.kinds, asked.slots(Path), asked.things
    if asked.has("upgrade") and things == (FactKind.CONFIG,) and not asked.actions:
        things = ()  # "what config must I change to upgrade": whatever asks for a change of it
    if isinstance(span, Refs) and releases:
        span, releases = reaching(span, releases), []
    if len(releases) > 2:
        return None
    if ChangeKind.SECURITY in kinds and asked.says("kind_of_attack"):
        topic = ""  # "DoS / security fixes"
    if asked.has("trouble") and not kinds:
        kinds = (ChangeKind.BREAKING, ChangeKind.REVERTS, ChangeKind.FIX)
    if asked.has("upgrade") and not things and (releases or isinstance(span, Refs)):
        kinds = kinds or (ChangeKind.BREAKING,)
    elif asked.has("risk") and not (
        kinds or topic or things or asked.level or asked.top or asked.against
    ):
        kinds = (ChangeKind.ACTION,)
        one_day = isinstance(span, Window) and span.until - span.since <= timedelta(days=1)
        if asked.has("upgrade") and one_day:
            span = None  # "is it safe to upgrade to yesterday's main": the day is not the risk
    if asked.has("upgrade") and len(releases) == 1 and _comes_from(asked):
        span, releases = Refs(base=releases[0]), []
    if len(releases) == 2:
        older, newer = sorted(releases, key=release_number)
        span, releases = Refs(base=older, tip=newer), []
    bumped = asked.has("bump") and not (kinds or things or asked.has("default"))
    if bumped and not topic and asked.says("raised"):
        kinds = (ChangeKind.DEPENDENCIES,)  # "what was bumped"
    if (bumped and topic) or FactKind.DEPENDENCY in things:
        releases = []
    if releases and (span is None or not topic):
        topic = f"{topic} in {releases[0]}" if topic else releases[0]
    people = asked.has("who", "contributors", "per:author", "newcomers") and not asked.has(
        "per:file", "per:folder"
    )
    if (asked.top and asked.says("people")) or (asked.has("keep") and asked.says("owners")):
        people = True
    if people and asked.has("keep") and asked.has("releases") and not releases:
        topic = f"releasing {topic}".strip()  # "who is responsible for releases"
    people = people or (asked.has("count") and _SEVERAL.search(asked.author) is not None)
    to_review = asked.says("to_review") and not asked.has("most")
    gains = _is_gain(asked)
    if ChangeKind.PERFORMANCE in kinds and (without := _PERCENT.sub("", topic).strip()) != topic:
        topic, gains = without, True  # "more than 10% faster"
    top = asked.top or (Top(1) if asked.says("most_important") else None)
    if top is None and asked.says("changed_last"):
        people, top = False, Top(1, "latest")
    return Changed(
        window=span or asked.now.usual,
        anytime=span is None or _LATELY.search(asked.text) is not None,
        newcomers=asked.has("newcomers"),
        shipped=asked.has("shipped"),
        undone=ChangeKind.REVERTS in kinds and asked.says("theirs_undone"),
        figures=(asked.has("figures") or gains) and not asked.has("count", "share"),
        topic=topic,
        author=asked.author,
        path=asked.filters.path or (paths[0].path if paths else ""),
        level=asked.level if not gains else None,
        kinds=kinds,
        label=asked.filters.label,
        per=time_counted(asked),
        people=people,
        files=_counts_files(asked) and not asked.counts("per:folder"),
        folders=asked.counts("per:folder") and not paths,
        mergers=asked.says("who_merged" if people else "merged_by")
        and (people or bool(asked.author)),
        reviewers=people and asked.has("review") and not to_review,
        top=top,
        against=asked.against,
        defaults=asked.has("default")
        and asked.has("change", "act:added")
        and not (things and switched_to(asked)),
        switched=switched_to(asked) if things else "",
        things=(FactKind.DEPENDENCY,) if bumped and topic else things,
        actions=_done(asked, people=people),
        without=asked.without,
        counted=asked.has("count", "share") and not asked.against,
        keepers=people and (asked.has("keep") or to_review),
        loose=asked.is_loose,
    )


def _counts_files(asked: Asked) -> bool:
    """Whether the question asks for files: *which files changed most*, *deleted files in src/*."""
    done = bool(asked.actions) and not asked.things
    if done and any(t.text.lower() in {"files", "文件"} for t in asked.tokens if not t.slot):
        return True
    return asked.counts("per:file") and (done or not asked.slots(Path))


def _is_gain(asked: Asked) -> bool:
    """Whether the question asks for the greatest speed-ups: *the biggest speedup*."""
    people = asked.has("who", "contributors", "per:author", "per:file", "per:folder")
    sped = asked.kinds == (ChangeKind.PERFORMANCE,) and not people
    return sped and asked.says("greatest")


_SEVERAL = lazy(r" (?:and|or|和|与|跟|及) ", re.IGNORECASE)
"""Names of several people, each of whom is counted."""
_PERCENT = lazy(r"\s*(?<![\w.])\d{1,4}(?:\.\d{1,3})?%")


def _done(asked: Asked, *, people: bool) -> tuple[Action, ...]:
    """The action; writing a thing means adding it, unless the question asks for shares."""
    wrote = people and asked.is_writing and asked.has("wrote") and asked.topic
    if wrote and not (asked.span or asked.kinds or asked.has("most", "count", "contributors")):
        return asked.actions or (Action.ADDED,)
    return asked.actions


_LATELY = lazy(
    r"\b(?:recently|lately|these days|of late)\b"
    r"|(?:最近|近期|近来|近日)(?! ?[\d一二三两四五六七八九十几半这])"
)


def _comes_from(asked: Asked) -> bool:
    """Whether the release is the starting point of an upgrade."""
    pairs = zip(asked.tokens, asked.tokens[1:], strict=False)
    return any(
        isinstance(after.slot, Release) and token.text.lower().endswith(("from", "从", "自"))
        for token, after in pairs
    )
