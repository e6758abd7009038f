"""Scores every intent for a question; the highest score wins.

A reading gains by the slots and cues that it needs and loses by words that it cannot place. Below a
threshold a question is not understood; slightly above it the reading is not sure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from digest.core.enums import ChangeKind, Language
from digest.core.facts import FactKind
from digest.question.asked import Asked
from digest.question.commit_range import Refs, Span
from digest.question.intent import (
    Again,
    Author,
    CatchUp,
    Changed,
    Compare,
    DigestOf,
    Explain,
    Greet,
    Help,
    Intent,
    More,
    Nth,
    PrivacyOf,
    Releases,
    Retell,
    Reviewers,
    Risky,
    Search,
    ShowDiff,
    Status,
    Touched,
    Why,
)
from digest.question.periods import default_period
from digest.question.slots import Filters, Path, Quote, Release, Stray, Symbol
from digest.window import Window

LEAST = 1.0
"""Minimum weight of a reading."""

SURE = 2.0
"""Minimum weight of a reading that is sure."""

MOST_TERMS = 12
"""Maximum search terms of one question."""

_MOST_WORDS = 7
"""Maximum words of a topic."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A reading with its weight."""

    weight: float
    intent: Intent


@dataclass(frozen=True, slots=True)
class Now:
    """The asker's time and zone."""

    at: datetime
    zone: ZoneInfo

    def days(self, count: int) -> Window:
        """That many times 24 hours until now."""
        until = self.at.replace(microsecond=0)
        return Window(since=until - timedelta(days=count), until=until, zone=self.zone)

    @property
    def usual(self) -> Window:
        """The period of a question that names none."""
        return default_period(self.at, self.zone)


def readings(asked: Asked, now: Now) -> list[Weighed]:
    """The readings of a question with enough weight, the heaviest first."""
    if asked.slots(Stray) or len(asked.spans) > 1 or len(asked.references) > 1:
        return []
    found = [one for rule in _RULES for one in rule(asked, now) if one.weight >= LEAST]
    return sorted(found, key=lambda one: -one.weight)


_Rule = Callable[[Asked, Now], Iterator[Weighed]]


# --- Independent questions -----------------------------------------------------------------------


def _short(asked: Asked, now: Now) -> Iterator[Weighed]:
    """Complete questions about the bot, and follow-ups to an answer."""
    del now
    fixed: tuple[tuple[str, Intent], ...] = (
        ("help", Help()),
        ("status", Status()),
        ("privacy", PrivacyOf()),
        ("more", More()),
        ("lang:zh", Retell(language=Language.ZH)),
        ("lang:en", Retell(language=Language.EN)),
        ("shorter", Retell(longer=False)),
        ("longer", Retell(longer=True)),
        ("catchup", CatchUp()),
        ("why", Why()),
        ("review", Reviewers()),
        ("diff", ShowDiff()),
    )
    beside = {
        "more": ("ask", "it", "change"),
        "shorter": ("explain", "it", "digest", "aux", "todo"),
        "longer": ("explain", "it", "aux", "todo"),
        "lang:zh": ("explain", "it", "again", "prep", "change", "digest", "aux"),
        "lang:en": ("explain", "it", "again", "prep", "change", "digest", "aux"),
        "catchup": ("ask", "aux", "happened", "digest", "change", "me", "prep", "again", "agent"),
        "why": ("it", "aux", "graded", "level:high", "level:medium", "level:low", "join"),
        "review": ("it", "who", "aux", "prep"),
        "diff": ("it", "change", "prep", "digest"),
        "status": ("it", "aux"),
        "privacy": ("aux",),
        "help": ("aux",),
    }
    for tag, intent in fixed:
        if asked.has(tag) and asked.only(tag, *beside.get(tag, ())):
            yield Weighed(6.0 if tag in {"help", "privacy", "status"} else 5.0, intent)
    if asked.tokens and asked.only("greet") and asked.has("greet"):
        yield Weighed(5.0, Greet())
    if asked.text == "?":
        yield Weighed(5.0, Help())


def _of_the_last(asked: Asked, now: Now) -> Iterator[Weighed]:
    """Questions about the current change, and about one of a list."""
    del now
    its = ("it", "aux", "ask", "join", "prep", "who")
    asks_risk = asked.has("risk") and asked.only("risk", *its, "kind:security", "graded")
    if asks_risk or (asked.has("remedy") and asked.only("remedy", *its, "me")):
        yield Weighed(4.5, Risky())
    wrote = asked.has("wrote") and asked.has("who", "wrote")
    if wrote and asked.only("wrote", "agent", "contributors", *its) and _is_writing(asked):
        yield Weighed(4.5, Author())
    places = [int(value) for value in asked.values.get("nth", ())]
    beside = ("explain", "entry", "change", "ask", "aux", "it", "again", "join", "more", "agent")
    nth = [tag for tag in asked.tags if tag.startswith("nth:")]
    if (
        asked.has("it")
        and asked.only("it", "explain", "change", "longer", *its)
        and (asked.has("explain") or (asked.has("change", "agent") and asked.has("ask")))
    ):
        yield Weighed(4.6, Nth(place=0))
    if places and asked.only(*nth, *beside, "diff", "wrote", "count"):
        yield Weighed(4.8, Nth(place=places[0]))


def _is_writing(asked: Asked) -> bool:
    """Whether it asks who wrote: *author*, or *who* with *wrote*; but not *authors*."""
    return (
        asked.has("who")
        or any("wrote" in token.tags and "author" in token.text.lower() for token in asked.tokens)
        or any(
            token.text.startswith("作者") or token.text.startswith("谁写") for token in asked.tokens
        )
    )


# --- About one change ----------------------------------------------------------------------------


def _about_one(asked: Asked, now: Now) -> Iterator[Weighed]:
    """A question that names one change explains it at least."""
    del now
    if len(asked.references) != 1 or (asked.has("todo") and not asked.has("ask")):
        return
    numbers = any(word.isdecimal() for word in _words(asked))
    if asked.spans or numbers or asked.has("other", "search"):
        return
    if any(t.text.lower().startswith(("mention", "refer")) for t in asked.tokens):
        yield Weighed(6.0, Search(terms=(str(asked.references[0]).removeprefix("issue "),)))
        return
    (reference,) = asked.references
    first = next((t for t in asked.tokens if not t.tags & {"noise", "greet"}), None)
    if first and first.slot is None and first.text.lower() in _DOING:
        return
    tag = next((tag for tag in _ABOUT if asked.has(tag)), "")
    if asked.has("again") and not tag and asked.only_words("again"):
        yield Weighed(7.0, Again(reference=reference))
        return
    named = tag == "wrote" and not _is_writing(asked)  # "what did  # "what did #1 change"
    if tag == "diff" or ((not tag or named) and asked.slots(Path)):
        yield Weighed(6.0, ShowDiff(reference=reference, part=_part(asked)))
    elif named:
        yield Weighed(6.0, Explain(reference=reference))
    else:
        yield Weighed(6.0, _ABOUT.get(tag, Explain)(reference=reference))


_DOING = frozenset({"revert", "merge", "close", "合并", "关闭", "回滚", "批准", "撤销", "删除"})
"""Words that do not begin a question about a change, unless it asks for an action."""


def _words(asked: Asked) -> Iterator[str]:
    """The words without tags."""
    return (t.text for t in asked.tokens if t.slot is None and not t.tags)


_ABOUT: dict[str, type[Why | Risky | Reviewers | Author | ShowDiff]] = {
    "diff": ShowDiff,
    "why": Why,
    "review": Reviewers,
    "wrote": Author,
    "risk": Risky,
    "kind:breaking": Risky,
    "remedy": Risky,
}


def _part(asked: Asked) -> str:
    """The part of a change's lines that is asked for: a path, quoted text, or words."""
    paths = asked.slots(Path)
    return paths[0].path if paths else asked.topic


def _diff(asked: Asked, now: Now) -> Iterator[Weighed]:
    """The lines of a part of the current change."""
    del now
    part = _part(asked)
    if not asked.has("diff") or asked.references or asked.spans or not part or len(asked.left) > 4:
        return
    if not asked.has("other", "me", "who", "ask") and not asked.commands:
        yield Weighed(3.0, ShowDiff(part=part))


def _of_it(asked: Asked, now: Now) -> Iterator[Weighed]:
    """What the current change does somewhere: *what did it change in the tests*."""
    del now
    part, its = _part(asked), asked.has("it") and asked.has("ask") and asked.has("change")
    others = asked.spans or asked.references or asked.kinds or asked.has("other", "me", "who")
    if its and part and not others and len(asked.left) < 3:
        yield Weighed(4.4, ShowDiff(part=part))


# --- Names of the code ---------------------------------------------------------------------------


def _touched(asked: Asked, now: Now) -> Iterator[Weighed]:
    """What happened to a flag, a variable, a class."""
    del now
    name, sure = _symbol(asked)
    if (
        not name
        or asked.has("other", "me", "search", "mention")
        or asked.references
        or asked.commands
    ):
        return
    cues = asked.has("history", "happened", "explain", "default", "why") or asked.actions
    told = cues or asked.has("kind:deprecations", "bump")
    if (not sure and not cues) or ("=" in name and asked.has("explain")):
        return
    if (
        not sure
        and asked.has("happened")
        and any(t.text.lower() in {"in", "with"} for t in asked.tokens)
    ):
        return
    others = sum(1 for word in _words(asked) if word not in name)
    weight = (2.5 if sure else 0.5) + (3.5 if told else 0) - 1.6 * others
    weight += 0.2 if asked.spans else 0
    yield Weighed(weight, Touched(name=name, window=_span(asked)))


def _symbol(asked: Asked) -> tuple[str, bool]:
    """The name of code that is asked about, and whether it is certainly one."""
    symbols = asked.slots(Symbol)
    if symbols:
        best = next((one for one in symbols if one.sure), symbols[0])
        return best.name, best.sure
    for token, after in zip(asked.tokens, asked.tokens[1:], strict=False):
        typed = any(tag.startswith("thing:") for tag in token.tags)
        if typed and isinstance(after.slot, Quote) and asked.has("explain", "happened"):
            return after.slot.text, True
    of_one = not asked.kinds or asked.kinds == (ChangeKind.DEPENDENCIES,)
    bumped = asked.has("bump") and not asked.has("count", "who", "compare") and of_one
    if bumped and not asked.spans and len(asked.left) == 1 and not asked.has("again"):
        return asked.left[0], True
    return "", False


# --- Searching -----------------------------------------------------------------------------------


def _search(asked: Asked, now: Now) -> Iterator[Weighed]:
    """A search for literal words."""
    del now
    advisories = [
        q.text for q in asked.slots(Quote) if q.text.upper().startswith(("CVE-", "GHSA-"))
    ]
    if advisories:
        yield Weighed(6.0, Search(terms=tuple(advisories), window=_span(asked)))
    at = max((asked.tags[tag] for tag in ("search", "mention") if tag in asked.tags), default=-1)
    if at < 0 or asked.references:
        return
    terms = tuple(t for t in (_ENDS.sub("", one) for one in _terms(asked, at)) if t)[:MOST_TERMS]
    if not terms or "#" in terms:
        return
    filters = asked.filters
    early = sum(
        1
        for t in asked.tokens[:at]
        if not t.tags & {"noise", "ask", "change", "aux", "search", "mention"} and t.slot is None
    )
    yield Weighed(
        5.0 - early,
        Search(
            terms=terms,
            window=_span(asked),
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
        elif not token.tags & _BEFORE_TERMS or (found and not quoted):
            found += token.text.split()
            end = len(found) if not token.tags & _BEFORE_TERMS else end
            continue
        end = len(found)
    return found[:end]


_ENDS = re.compile(r"的?(?:提交|变更|改动|更新|修改|记录|有哪些)$|的$")
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


# --- Ranges --------------------------------------------------------------------------------------


def _releases(asked: Asked, now: Now) -> Iterator[Weighed]:
    """A list of releases; only a period may filter it."""
    del now
    beside = ("releases", "ask", "aux", "prep", "change", "count", "history", "compare", "latest")
    named = asked.slots(Release) or asked.left or asked.references or asked.slots(Path)
    if not asked.has("releases") or named or isinstance(_span(asked), Refs):
        return
    if asked.only_words(*beside) and any(_PLURAL.search(t.text.lower()) for t in asked.tokens):
        yield Weighed(7.0, Releases(window=_span(asked)))


_PLURAL = re.compile(r"releases|versions|tags\b|released\b|previous|prior|版本|发版|发布|标签")
"""Words that ask for releases, not for the content of one."""


def _compare(asked: Asked, now: Now) -> Iterator[Weighed]:
    """Two points of history as release notes."""
    del now
    refs = _refs(asked)
    words = [word for word in asked.left if not any(sign.isdigit() for sign in word)]
    if refs is None or words or asked.author or asked.has("other", "me"):
        return
    narrows = asked.kinds or asked.level or asked.things or asked.has("upgrade", "who", "count")
    if asked.has("compare", "notes", "diff") and not narrows:
        yield Weighed(7.0, Compare(refs=refs))
    elif asked.has("explain") and isinstance(_span(asked), Refs) and not narrows:
        yield Weighed(5.5, Compare(refs=refs))


def _refs(asked: Asked) -> Refs | None:
    """The range of two adjacent releases, or one that is written as a range."""
    span = _span(asked)
    releases = [t.slot.name for t in asked.tokens if isinstance(t.slot, Release)]
    if asked.has("compare", "notes", "diff"):
        points = (t for n, t in enumerate(asked.tokens) if asked.is_left(n) or t.slot)
        releases = [
            t.slot.name if isinstance(t.slot, Release) else t.text
            for t in points
            if isinstance(t.slot, Release) or t.slot is None
        ]
    if isinstance(span, Refs):
        return _reaching(span, releases)
    if span is not None or not 1 <= len(releases) <= 2:
        return None
    if len(releases) == 1:
        branch = next((t.text for t in asked.tokens if t.text.lower() in _BRANCHES), "")
        if asked.has("notes") and not branch:
            return None
        return Refs(base=releases[0], tip=branch)
    return Refs(base=releases[0], tip=releases[1])


def _reaching(span: Refs, releases: Sequence[str]) -> Refs | None:
    """A range with the release that ends it, as in *从 v1.0 升级到 v1.1*."""
    if not releases:
        return span
    return Refs(base=span.base, tip=releases[0]) if not span.tip and len(releases) == 1 else None


_BRANCHES = frozenset({"main", "master", "head", "develop", "trunk"})


# --- Lists of changes ----------------------------------------------------------------------------


def _span(asked: Asked) -> Span | None:
    return asked.spans[0] if asked.spans else None


def _again(asked: Asked, now: Now) -> Iterator[Weighed]:
    """The last question for another time or topic, filtered, or counted differently."""
    del now
    if asked.has("other", "me") or asked.commands or asked.references or len(asked.left) > 4:
        return
    first = asked.tokens[0] if asked.tokens else None
    opens = first is not None and "again" in first.tags and "about" not in first.tags
    goes_on = opens or _ends_again(asked)
    if _narrows_last(asked, goes_on=goes_on):
        level = None if asked.kinds and "level" not in asked.values else asked.level
        kind = asked.kinds[0] if asked.kinds and not level else None
        yield Weighed(5.0, Again(level=level, kind=kind))
        return
    paths = asked.slots(Path)
    again = Again(
        window=_span(asked),
        topic=asked.topic,
        author=_BOTS.get(asked.author.lower(), asked.author),
        path=asked.filters.path or (paths[0].path if paths else ""),
        daily=asked.has("per:day"),
        people=asked.has("per:author") or (asked.has("contributors") and goes_on),
        files=asked.counts_files,
    )
    counted = again.daily or again.people or again.files
    slots = asked.slots(Release) or asked.kinds or asked.level or asked.things
    beside = ("again", "about", "ask", "prep", "it", "change", "join", "aux", "by", "count")
    if slots or not asked.only_words(*beside, *_COUNTING) or again == Again():
        return
    if again.window is not None and asked.has("again", "about") and not again.topic:
        yield Weighed(5.0, again)
    elif (goes_on and not asked.has("about")) or (counted and not again.topic and _is_bare(asked)):
        yield Weighed(4.5, again)


_BOTS = dict.fromkeys(("bot", "bots", "robots", "机器人"), "[bot]")
"""General words for bots, with the text that their names share."""

_COUNTING = ("per:day", "per:author", "per:file", "contributors", "wrote", "agent", "most")


def _is_bare(asked: Asked) -> bool:
    """Whether it asks for nothing but a way of counting."""
    return not asked.has("change", "most", "ask", "who", "contributors") and not asked.spans


def _narrows_last(asked: Asked, *, goes_on: bool) -> bool:
    """Whether it filters the last list by level or kind: *only high*, *and security?*."""
    paths = asked.slots(Path)
    if asked.spans or asked.left or asked.author or paths or asked.things:
        return False
    if not (asked.level or asked.kinds) or asked.has("happened", "upgrade"):
        return False
    return (asked.has("only") and not asked.has("ask")) or goes_on


def _ends_again(asked: Asked) -> bool:
    return bool(asked.tokens) and asked.tokens[-1].text == "呢"


def _digest(asked: Asked, now: Now) -> Iterator[Weighed]:
    """The digest of a period or a range, without any filter."""
    releases = asked.slots(Release)
    if _narrows(asked) or asked.left or asked.references or releases:
        return
    if asked.has("other", "me", "todo") and not asked.has("digest", "catchup"):
        return
    span = _span(asked)
    days = next((int(value) for value in asked.values.get("digest", ())), 0)
    said = asked.has("digest", "catchup") or days
    if not said and not asked.has("change") and isinstance(span, Window):
        if asked.only_words("ask", "aux", "prep", "happened", "join", "it"):
            yield Weighed(2.5, DigestOf(window=span))
    elif said and span is not None:
        yield Weighed(8.0, DigestOf(window=span))
    elif said and not asked.has("catchup", "compare", "notes"):
        yield Weighed(8.0, DigestOf(window=now.days(days or 1)))


def _narrows(asked: Asked) -> bool:
    """Whether it asks for anything but a period."""
    return bool(
        asked.filters != Filters()
        or asked.kinds
        or asked.level
        or asked.things
        or asked.actions
        or asked.author
        or asked.slots(Path)
        or asked.has("who", "contributors", "most", "count", "default", "per:day", "per:author")
        or asked.has("per:file")
    )


def _changed(asked: Asked, now: Now) -> Iterator[Weighed]:
    """The changes of a topic, a kind, an author, a path, a period."""
    intent = _listing(asked, now)
    if intent is None:
        return
    if asked.references:
        return
    yield Weighed(_weight(asked, intent), intent)


_GAINS = {
    "change": 3.0, "happened": 2.0, "digest": 2.0, "catchup": 1.0, "count": 0.5, "most": 0.3,
    "per:day": 1.0, "per:author": 1.0, "per:file": 0.5, "contributors": 1.0, "upgrade": 0.5,
    "notes": 0.5, "about": 2.0, "trouble": 1.5, "releases": 0.4, "default": 0.5, "bump": 1.0,
    "risk": 0.3, "again": 0.5,
}  # fmt: skip

_LOSSES = {
    "other": 4.0, "me": 3.0, "future": 1.5, "foreign": 3.0, "todo": 4.0, "why": 2.0, "help": 1.0,
    "remedy": 1.0, "it": 0.5, "fulltext": 4.0, "explain": 0.0, "wrote": 0.0,
}  # fmt: skip


def _weight(asked: Asked, intent: Changed) -> float:
    weight = sum(gain for tag, gain in _GAINS.items() if asked.has(tag))
    if asked.has("change") and asked.has("happened"):
        weight -= 2.0
    weight += 2.0 if isinstance(_span(asked), Window) else 3.0 if asked.spans else 0.0
    weight += 2.0 * bool(asked.kinds) + 1.0 * bool(asked.level) + 2.0 * bool(intent.path)
    weight += 2.0 * bool(intent.author) + 2.0 * bool(asked.slots(Release))
    weight += 1.0 * bool(asked.actions) + 1.0 * bool(asked.things)
    weight += 2.0 if intent.people and asked.has("agent", "change", "wrote", "review") else 0.0
    weight -= sum(loss for tag, loss in _LOSSES.items() if _counts(asked, tag))
    words = (
        len(intent.topic.split()) if intent.topic.isascii() else min(3, 1 + len(intent.topic) // 8)
    )
    weight -= 0.5 * bool(words) + 0.15 * max(words - 1, 0)
    return weight - (3.0 if words > _MOST_WORDS else 0.0)


def _counts(asked: Asked, tag: str) -> bool:
    """Whether a tag counts against a list, such as the start of another command."""
    if tag == "me" and (
        asked.level or asked.has("upgrade", "catchup") or (asked.has("change") and asked.has("ask"))
    ):
        return asked.has("other")  # "my mind" is not a topic, "I upgrade" is a figure of speech
    if tag != "todo":
        return asked.has(tag)
    return asked.commands and not asked.has("digest")


def _listing(asked: Asked, now: Now) -> Changed | None:
    """The question as a list of changes, whatever its weight."""
    span, topic, releases = _span(asked), asked.topic, [r.name for r in asked.slots(Release)]
    kinds, paths = asked.kinds, asked.slots(Path)
    if isinstance(span, Refs) and releases:
        span, releases = _reaching(span, releases), []
    if len(releases) > 2:
        return None
    if asked.has("trouble") and not kinds:
        kinds = (ChangeKind.BREAKING, ChangeKind.REVERTS, ChangeKind.FIX)
    if asked.has("upgrade") and (releases or isinstance(span, Refs)):
        kinds = kinds or (ChangeKind.BREAKING,)
    if asked.has("upgrade") and len(releases) == 1 and _comes_from(asked):
        span, releases = Refs(base=releases[0]), []
    if len(releases) == 2:
        span, releases = Refs(base=releases[0], tip=releases[1]), []
    bumped = bool(asked.has("bump") and topic and not kinds)
    if bumped or FactKind.DEPENDENCY in asked.things:
        releases = []
    if releases and (span is None or not topic):
        topic = f"{topic} in {releases[0]}" if topic else releases[0]
    people = asked.has("who", "contributors", "per:author") and not asked.has("per:file")
    files = asked.counts_files and not paths
    return Changed(
        window=span or now.usual,
        topic=topic,
        author=_BOTS.get(asked.author.lower(), asked.author),
        path=asked.filters.path or (paths[0].path if paths else ""),
        level=asked.level,
        kinds=kinds,
        label=asked.filters.label,
        daily=asked.has("per:day"),
        people=people,
        files=files,
        defaults=asked.has("default") and asked.has("change", "act:added"),
        things=asked.things if not bumped else (FactKind.DEPENDENCY,),
        actions=asked.actions,
    )


def _comes_from(asked: Asked) -> bool:
    """Whether the release is the one that the asker upgrades from."""
    pairs = zip(asked.tokens, asked.tokens[1:], strict=False)
    return any(
        isinstance(after.slot, Release) and token.text.lower().endswith(("from", "从", "自"))
        for token, after in pairs
    )


_RULES: tuple[_Rule, ...] = (
    _short,
    _of_the_last,
    _about_one,
    _diff,
    _of_it,
    _touched,
    _search,
    _releases,
    _compare,
    _again,
    _digest,
    _changed,
)
