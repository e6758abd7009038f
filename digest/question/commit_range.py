"""A range of history between two references, and its form in a question.

References are tags, branches and commits as people write them: ``v0.15.0``, ``main``, ``0a1b2c3``.
They are untrusted: text that cannot name one (git-check-ref-format(1)), or that could be taken for
an option, is not read.
"""

from __future__ import annotations

import re
from dataclasses import replace

from digest.core.patterns import lazy
from digest.core.release import LATEST, LONGEST_REF
from digest.frozen import frozen
from digest.window import Window


@frozen
class Refs:
    """The commits of ``tip`` that ``base`` lacks; an empty ``tip`` is that of the watched branch.

    An empty ``base`` is the beginning of history; not both are empty. ``repository`` is the
    ``owner/name`` of the URL that contained the range, or empty.
    """

    base: str
    tip: str = ""
    repository: str = ""

    def __str__(self) -> str:
        """The range as :func:`find_refs` reads it back, without the repository."""
        if not self.base:
            return f"until {self.tip}"
        return f"{self.base}..{self.tip}" if self.tip else f"since {self.base}"


Span = Window | Refs  # a period of time, or a range between two references


@frozen
class FoundRefs:
    """References that were read, and the position of their words."""

    refs: Refs
    at: tuple[int, int]


_PART = r"[A-Za-z0-9](?:(?!\.\.|@\{|\.lock\b|//)[\w./+@-])*?"
_REF = rf"(?:{_PART}[\w+-])|[A-Za-z0-9]"

# With only blanks around it, a word is a reference if it has the form of a version, of a tag with a
# number, or of a commit.
_VERSION = (
    r"(?<![\w./-])(?:"
    r"(?:[A-Za-z][\w+-]*[/_-])?[vV]?\d+(?:\.\d+){1,3}(?:[-.+]?[A-Za-z](?:[\w.+-]*\w)?)?"
    r"|[vV]\d+\w*|[A-Za-z][A-Za-z]+-\d[\w.-]*\w"
    r"|(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}"
    rf"|{LATEST}"
    r")(?![\w-]|\.\w)"
)
_POINT = rf"{_VERSION}|(?<![\w./-])(?:main|master|HEAD|develop|trunk)(?![\w./-])"

_ADDRESS = lazy(
    r"<?https?://[A-Za-z0-9.-]+(?::\d+)?/([A-Za-z0-9][\w.-]*(?:/[\w.-]+){1,4}?)(?:/-)?/compare/"
    rf"({_REF})\.\.\.?({_REF})(?=[\s>?]|$)>?",
    re.ASCII,
)
_ON = "以来|起|开始|之后|以后|至今|到现在"

_FORMS = tuple(
    lazy(form, re.ASCII | re.IGNORECASE)
    for form in (
        (
            r"(?:\b(?:in|of|for|from|between|over) )?"
            rf"(?<![\w./@~^-])(?P<base>{_REF})\.\.\.?(?P<tip>{_REF})(?![\w./~^@-])"
        ),
        rf"\b(?:from|between) (?P<base>{_POINT}) (?:to|and|until|till) (?P<tip>{_POINT})",
        (
            rf"(?:从 ?|在 ?)?(?P<base>{_POINT}) ?(?:(?:升级?|更新|迁移)?[到至]|升级?|和|与) ?"
            rf"(?P<tip>{_POINT})"
            r"(?: ?(?:之间|期间))?(?: ?的)?"
        ),
        rf"(?P<base>{_POINT}) ?(?:->|=>|→|\b(?:to|vs\.?|versus)\b) ?(?P<tip>{_POINT})",
        # The newer one first: "3.14 比 3.13 多了什么".
        rf"(?P<tip>{_VERSION}) ?(?:相?比|较|(?:has )?(?:over|than|that)) ?(?P<base>{_VERSION})",
        (
            r"\b(?:ever )?(?:since|after|starting from) (?:the )?(?:release |tag |version )?"
            rf"(?P<base>{_VERSION})"
        ),
        rf"(?:自从?|从) ?(?P<base>{_VERSION}) ?(?:{_ON})?(?: ?的)?",
        # "升级到 3.14 之后" is about the changes in 3.14.
        rf"(?<![升级新换切][到成] )(?<![升级新换切][到成])(?P<base>{_VERSION}) ?(?:{_ON})(?: ?的)?",
        rf"\b(?:until|till|up to) (?:the )?(?:release |tag |version )?(?P<tip>{_VERSION})",
        rf"(?:截至|截止到?|直到) ?(?P<tip>{_VERSION})(?: ?(?:为止|的))?",
    )
)

_DATE = lazy(r"\d{4}(?:-\d{2}(?:-\d{2})?)?(?:T[\d:Z+-]*)?")


def find_refs(text: str) -> FoundRefs | None:
    """The references that a text names, ``None`` if there are none.

    Supported forms are ``A..B``, ``A...B``, the URL of a comparison, ``from A to B``, ``since A``
    and
    ``until B``. Dates are periods, never references.
    """
    if match := _ADDRESS.search(text):
        refs = Refs(base=match[2], tip=match[3], repository=match[1])
        return FoundRefs(refs=refs, at=match.span())
    for form in _FORMS:
        match = form.search(text)
        if match and all(map(_named, match.groupdict().values())):
            return FoundRefs(refs=Refs(**{"base": "", **match.groupdict()}), at=match.span())
    return None


def refs_named(text: str) -> Refs | None:
    """``A...B``, ``A..B`` or ``A``, which extends to the tip; ``None`` if invalid."""
    match = re.fullmatch(rf"({_REF})(?:\.\.\.?({_REF})?)?", text, re.ASCII)
    if match is None or any(len(ref or "") > LONGEST_REF for ref in match.groups()):
        return None
    return Refs(base=match[1], tip=match[2] or "")


def _named(ref: str) -> bool:
    return len(ref) <= LONGEST_REF and not _DATE.fullmatch(ref)


# --- Releases in other words ----------------------------------------------------------------------

_LATEST = lazy(
    r"(?<!\.\.)\b(?:(?:the|our|your) )?(?:(?:very )?(?:latest|last|newest|most recent|current)"
    r"(?: stable| official| final| published| patch| point| bug-?fix| minor| major)?|latest-)"
    r" ?(?:release|version|tag)(?! (?:notes|candidate|of))(?:'s)?(?: number)?\b(?![-/.])"
    r"|(?:最新的?|最近(?:一次|一个)?的?|上(?:一)?(?:个|次)的?|当前) ?(?:正式)?(?:发布|发行)?的?"
    r"(?:版本号?|发布|发行版?|版|release|tag)(?!说明|周期|计划|日志)",
    re.IGNORECASE,
)

_IS_LATEST = lazy(
    r"\b(?:which|what) (?:release|version|tag) (?:is|was) (?:the )?(?:very )?"
    r"(?:latest|last|newest|most recent|current)(?: (?:release|version|tag|one))?\b(?! \w+ed)"
    r"|(?:哪个|哪一?个|什么)(?:版本|发布|标签)是?最新的?",
    re.IGNORECASE,
)
"""A question for the version itself: *which version is the latest*."""

_UNRELEASED = lazy(
    r"\bun-?released\b(?: (?:changes|stuff))?"
    r"|\b(?:in )?(?:the )?(?:next|upcoming) (?:major |minor |patch )?(?:release|version)\b"
    r"|\b(?:but |and )?(?:not|hasn't|haven't|isn't|aren't) (?:(?:yet|been) ){0,2}"
    r"(?:released|shipped)(?: yet)?\b(?! in v?[0-9])"
    r"|未发布的?|还没(?:有)?发布的?|下一?个版本",
    re.IGNORECASE,
)

_SERIES = lazy(
    r"\b(v?[0-9]+(?:\.[0-9]+){0,2})"
    r"(?:\.[*Xx](?! ?系列| series)|(?:\.[xX*])? ?(?:series|line\b|系列))",
    re.ASCII,
)
"""All releases with the same first numbers: *the 0.12 series*."""

_MAJOR = lazy(
    r"(?:(?<=\bin )|(?<=\bfor )|(?<=\bof )|(?<=\bwith ))(v[0-9]{1,3})"
    r"(?= ?(?:$|[,?]|\b(?:this|last|since|so far|yet|during)\b))"
)
"""A major version: *which rules were added in v8 this year*."""

_TO_MAJOR = lazy(
    r"((?:\b(?:upgrad|updat|migrat|mov|jump|switch|bump)\w*\b[^.?!;\d]{0,30}"
    r"(?: from (?:[a-z]\w+ )?v?\d[\d.]{0,9})? to|升级?[到至]|更新到|迁移到|换到) ?)"
    r"v?([0-9]{1,2})(?![\w./:%-]|[月天个次条]| [a-z])",
    re.IGNORECASE,
)
"""A major version to upgrade to: *can we jump to 8*."""

_FROM_OURS = lazy(
    rf"(?:\bon|\busing|\brun(?:ning)?|在用|用的?是?|跑的?是?) ?(?:version |release )?"
    r"([0-9]{1,2}\.[0-9]{1,3})(?![\w.]*\d)"
    r"(.{0,80}?\b(?:upgrad\w+|updat\w+|go(?:ing)?|mov(?:e|ing)|jump(?:ing)?|get(?:ting)?)"
    rf"|.{{0,40}}?(?=升级?到|更新到|换到)) *(?:to|升级?到|更新到|换到) *(?:the )?({_VERSION})",
    re.IGNORECASE | re.ASCII,
)
"""A release in use, and the one to upgrade to: *we are on 0.19, what breaks going to 0.20*."""

_TO_NEWEST = lazy(
    rf"((?:\bfrom|从) ?{_VERSION} ?(?:\w+ )?(?:to|升级?到|更新到|到)) ?"
    r"(?:the )?(?:newest|latest|current|最新的?)(?: one)?(?=\W*$|[,，.?])",
    re.IGNORECASE | re.ASCII,
)
"""The newest release as the end of a range: *from 0.19 to the latest*."""

_LAST_TWO = lazy(
    r"\b(?:compare |between )?(?:the )?(?:last|latest|past) (two|three|[2-9])"
    r" (?:releases|versions)\b"
    r"|(?:对比|比较)?(?:最近|最新|过去)的?([两三2-9])个(?:版本|发布)",
    re.IGNORECASE,
)
_FEW = {"two": "2", "three": "3", "两": "2", "三": "3"}


def with_releases(text: str) -> str:
    """The text with the releases that it paraphrases in the form of a version or a range."""
    text = _UNRELEASED.sub(f" since {LATEST} ", text, count=1)
    text = _LATEST.sub(
        f" {LATEST} ", _LAST_TWO.sub(_last_releases, _IS_LATEST.sub("latest release ", text))
    )
    text = _TO_MAJOR.sub(r"\1v\2.0", text)
    text = _FROM_OURS.sub(r"\2 from \1 to \3", text, count=1)
    text = _TO_NEWEST.sub(rf"\1 {LATEST} ", text, count=1)
    return _MAJOR.sub(r"\1.x", _SERIES.sub(r" \1.x ", text))


def _last_releases(match: re.Match[str]) -> str:
    if match[0].lower().startswith(("compare", "between", "对比", "比较")):
        return f" in {LATEST} "
    count = (match[1] or match[2]).lower()
    return f" in {LATEST}s-{_FEW.get(count, count)} "


def release_number(release: str) -> tuple[bool, list[int]]:
    """The sort key of releases; the mark of the latest comes last."""
    return release.startswith(LATEST), [int(number) for number in re.findall(r"\d+", release)]


def ascending(refs: Refs) -> Refs:
    """A range of releases from the older one: *3.14 vs 3.13* compares 3.13 with 3.14."""
    both = _NUMBERED.fullmatch(refs.base) and _NUMBERED.fullmatch(refs.tip)
    if both and release_number(refs.base) > release_number(refs.tip):
        return replace(refs, base=refs.tip, tip=refs.base)
    return refs


_NUMBERED = lazy(r"v?[0-9]+(?:\.[0-9]+)+", re.ASCII)

VAGUE = lazy(r"\b(?:recently|lately|these days|of late)\b|(?:最近|近期|近来|近日) ?的?")
"""Periods that mean nothing beside another one."""
PLANNED = lazy(
    r"\b(?:this weekend|to(?:day|night|morrow)|(?:this|next) (?:week|month|quarter))\b"
    r"|(?:这个?|本|下个?)(?:周末|周|月|季度)|[今明]天"
)
"""When someone is going to upgrade, beside the releases."""
