"""Readings of questions about ranges: releases, comparisons of two, digests of a period."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from digest.core.release import LATEST
from digest.question.asked import Asked, Weighed, rule
from digest.question.change_rules import time_counted
from digest.question.commit_range import Refs, release_number
from digest.question.intent import Again, Changed, Compare, DigestOf, Releases
from digest.question.slot_values import Filters, Path, Release, Step
from digest.window import Window


@rule
def releases(asked: Asked) -> Iterator[Weighed]:
    """A list of releases; only a period may filter it.

    The latest one and the one before it are the first two.
    """
    if [one.name for one in asked.slots(Release)] == [LATEST] and asked.says("came_before"):
        also = ("releases", "latest", "ask", "aux", "prep", "history", "it", "join", "again")
        others = asked.left or asked.span or asked.references or asked.says("release_before")
        if asked.only_words(*also) and not others:
            yield Weighed(7.5, Releases())
    beside = {"releases", "ask", "aux", "prep", "change", "count", "history", "compare", "latest"}
    beside |= {"per:week", "per:month"}
    named = [one.name for one in asked.slots(Release)]
    span = asked.span
    if asked.has("count") or asked.says("which_several"):
        ends = [name for name in named if name.endswith(".x")]
        span, named = (Refs(base="", tip=ends[0]), named[1:]) if ends else (span, named)
    ranged = isinstance(span, Refs) and bool(span.base and (span.tip or asked.has("change")))
    if not asked.has("releases") or ranged or named or asked.left or asked.references:
        return
    if asked.slots(Path):
        return
    more = ("again", "join") if asked.against else ()
    if asked.only_words(*beside, *more) and any(
        _PLURAL.search(t.text.lower()) for t in asked.tokens
    ):
        yield Weighed(7.0, Releases(window=span, against=asked.against))


_PLURAL = re.compile(r"releases|versions|tags\b|released\b|previous|prior|版本|发版|发布|标签")
"""Words that ask for releases, not for the content of one."""


@rule
def one_release(asked: Asked) -> Iterator[Weighed]:
    """A release by its version, with its date and predecessor: *when was 3.14 released*."""
    versions = [slot.name for slot in asked.slots(Release)]
    versions += [word for word in asked.left if _VERSION.fullmatch(word)]
    others = {*asked.left} - {*versions} or asked.references or asked.kinds or asked.spans
    beside = ("releases", "history", "aux", "prep", "ask", "they", "agent", "change", "explain")
    if len(versions) != 1 or others or asked.things or not asked.only_words(*beside):
        return
    if asked.has("releases") or (asked.has("history") and asked.has("agent")):
        about = Changed(window=asked.now.usual, topic=versions[0], anytime=True)
        yield Weighed(7.0, about)


_VERSION = re.compile(r"v?\d+(?:\.\d+)+", re.IGNORECASE)


@rule
def beside_period(asked: Asked) -> Iterator[Weighed]:
    """The last question for the period next to its own, or for two periods.

    *And the week before that*, *compared to July*.
    """
    steps, compared = asked.slots(Step), asked.says("set_beside")
    beside = ("again", "only", "ask", "change", "happened", "aux", "prep", "digest", "more")
    also = ("compare", "it", "about", "count", "join") if compared else ()
    one = compared and isinstance(asked.span, Window) and not (asked.references or asked.left)
    goes_on = asked.follows or "again" in asked.opening
    if one and goes_on and not asked.against and asked.only_words(*beside, *also):
        yield Weighed(6.5, Again(window=asked.span, compared=True))
    filters = [tag for tag in asked.tags if tag.startswith(("kind:", "level:"))]
    still = ("history", *filters)  # "still only the fixes"
    named = asked.against or asked.references
    if steps and not named and asked.only_words(*beside, *also, *still):
        again = Again(later=steps[0].unit) if steps[0].later else Again(earlier=steps[0].unit)
        again = replace(again, kinds=asked.kinds, level=None if asked.kinds else asked.level)
        weight = 5.5 if filters else 5.0
        yield Weighed(weight, replace(again, topic=asked.topic, compared=compared))


@rule
def other_release(asked: Asked) -> Iterator[Weighed]:
    """The last question for another release: *and in 1.2*, *the previous release*."""
    if asked.follows and asked.says("release_before"):
        yield Weighed(7.5, Again(earlier="release"))
    named = asked.slots(Release)
    one = len(named) == 1 and not (asked.spans or asked.left or asked.kinds or asked.references)
    again = asked.follows and "again" in asked.opening
    if one and again and asked.only_words("again", "prep", "ask", "aux", "about"):
        yield Weighed(7.0, Again(topic=named[0].name))


@rule
def shipped(asked: Asked) -> Iterator[Weighed]:
    """The last list with the first release of each: *are these out yet*, *都合了吗*."""
    named = asked.left or any(token.slot is not None for token in asked.tokens)
    alone = asked.has("shipped") and asked.only("shipped", "again", "join")
    if asked.follows not in {"", "name"} and not named and (alone or asked.says("all_shipped")):
        yield Weighed(7.5, Again(shipped=True))


ONE = frozenset({"change", "name", "row"})
"""What a conversation is about if that is one thing; ``row`` is a list of one."""


def same_as(asked: Asked) -> str:
    """What the question shares with the current change: *what else did he do*, *in that file*."""
    named = any(map(asked.slots, (Path, Release))) or asked.left or asked.author
    if named:
        return ""
    kinds = [f"kind:{kind}" for kind in asked.kinds]
    if asked.follows == "change" and asked.says("rest_of_release"):
        return "release"
    related = asked.follows in ONE and asked.has("related") and not asked.has("they")
    if related and asked.only("it", *_ALSO, *kinds):
        return "file"
    if not (asked.has("change", "agent", "again", "by", "related", "more") or kinds):
        return ""
    if asked.has("they:all") and asked.follows not in ONE:
        return ""  # "what did they revert in July"
    if asked.says("that_file"):
        return "file"
    if (
        asked.says("that_day")
        and not asked.spans
        and asked.only_words("more", "it", "only", *_BESIDE_THEM, *kinds)
    ):
        return "day"
    return "author" if asked.has("they") and asked.only_words(*_ALSO, *kinds) else ""


_BESIDE_THEM = (
    *("they", "me", "agent", "change", "ask", "aux", "again", "join", "happened", "count"),
    *("greet", "prep", "only", "by"),
)
_ALSO = ("related", "more", *_BESIDE_THEM)


@rule
def compare(asked: Asked) -> Iterator[Weighed]:
    """The comparison of two points of history, as release notes."""
    refs = _refs(asked)
    words = [word for word in asked.left if not any(sign.isdigit() for sign in word)]
    if refs is None or words or asked.author or asked.has("other", "me"):
        return
    narrows = asked.kinds or asked.level or asked.things or asked.has("upgrade", "who", "count")
    if asked.has("compare", "notes", "diff") and not narrows:
        yield Weighed(7.0, Compare(refs=refs))
    elif asked.has("explain") and isinstance(asked.span, Refs) and not narrows:
        yield Weighed(5.5, Compare(refs=refs))


def _refs(asked: Asked) -> Refs | None:
    """The range between two adjacent releases, or one written as a range."""
    span = asked.span
    releases = [t.slot.name for t in asked.tokens if isinstance(t.slot, Release)]
    if asked.has("compare", "notes", "diff"):
        points = (t for n, t in enumerate(asked.tokens) if asked.is_left(n) or t.slot)
        releases = [
            t.slot.name if isinstance(t.slot, Release) else t.text
            for t in points
            if isinstance(t.slot, Release) or t.slot is None
        ]
    if isinstance(span, Refs):
        return reaching(span, releases)
    if span is not None or not 1 <= len(releases) <= 2:
        return None
    if len(releases) == 1:
        branch = next((t.text for t in asked.tokens if t.text.lower() in _BRANCHES), "")
        if asked.has("notes") and not branch:
            return None
        return Refs(base=releases[0], tip=branch)
    first, second = releases
    if asked.has("change") and release_number(second) < release_number(first):
        first, second = second, first  # "what is new in 3.14 compared to 3.13"
    return Refs(base=first, tip=second)


def reaching(span: Refs, releases: Sequence[str]) -> Refs | None:
    """A range completed by the release that ends it, as in *从 v1.0 升级到 v1.1*."""
    if not releases or releases[0].endswith(".x"):
        return span  # "in 3.x since 3.10"
    return Refs(base=span.base, tip=releases[0]) if not span.tip and len(releases) == 1 else None


_BRANCHES = frozenset({"main", "master", "head", "develop", "trunk"})


@rule
def digest(asked: Asked) -> Iterator[Weighed]:
    """The digest of a period or a range, without any filter."""
    releases = asked.slots(Release)
    if _narrows(asked) or asked.left or asked.references or releases:
        return
    if asked.follows and asked.has("lang:en", "lang:zh", "shorter") and asked.span is None:
        return  # the last answer, in another language or length
    if asked.has("other", "me", "todo") and not asked.has("digest", "catchup"):
        return
    span = asked.span
    days = next((int(value) for value in asked.values.get("digest", ())), 0)
    said = asked.has("digest", "catchup") or days
    if not said and not asked.has("change") and isinstance(span, Window):
        if asked.follows and asked.only_words("prep", "join", "again"):
            yield Weighed(2.5, Again(window=span))  # "last month?"
        elif asked.only_words("ask", "aux", "prep", "happened", "join", "it"):
            yield Weighed(2.5, DigestOf(window=span))
    elif said and span is not None:
        yield Weighed(8.0, DigestOf(window=span))
    elif said and not asked.has("catchup", "compare", "notes"):
        yield Weighed(8.0, DigestOf(window=asked.now.hours(24 * (days or 1))))


def _narrows(asked: Asked) -> bool:
    """Whether it asks for anything but a period."""
    return bool(
        asked.filters != Filters()
        or asked.kinds
        or asked.level
        or asked.things
        or asked.actions
        or asked.without
        or asked.author
        or asked.slots(Path)
        or asked.has("who", "contributors", "most", "count", "default", "per:author")
        or asked.has("per:file", "per:folder")
        or time_counted(asked)
        or asked.top
        or asked.against
    )
