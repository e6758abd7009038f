"""Names of releases: which tags are versions or pre-releases, and which one a question means.

Versions are those of Python (PEP 440) and semver.org, with or without a ``v`` and with a package's
name before it, as in tags of repositories with several packages.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta

from digest.core.patterns import lazy
from digest.frozen import frozen

LONGEST_REF = 100  # characters of a reference in a question
LATEST = "latest-release"
"""Stands for the tag of the latest release, however the question asked for it."""

_TAG = lazy(
    r"(?P<prefix>(?:(?:@[\w.-]+/)?[A-Za-z][\w.+-]*[/_@-])?[vV]?)(?P<number>\d+(?:\.\d+)*)(?P<rest>[\w.+-]*)",
    re.ASCII,
)
_BEFORE_FINAL = lazy(
    r"[._-]?(?:a|b|c|rc|alpha|beta|pre|preview|dev|nightly|snapshot|m|cr|canary|next)"
    r"(?![a-z])",
    re.IGNORECASE,
)
_NAME = (
    rf"(?:{LATEST}(?:s-[2-9])?|(?:[A-Za-z][\w+-]*[/_-])?(?:[vV]\d+(?:\.\d+)*|\d+(?:\.\d+)+|\d+(?=\.x))"
    r"(?:[.+-]?[A-Za-z][\w.+-]*)?)"
)
_ASKED = lazy(
    r"(?:(?:the )?(?P<topic>\S.*?),? (?:in|of|for) )?(?:the )?(?:(?:release|version|tag) )?"
    rf"(?P<name>{_NAME})(?: release)?",
    re.ASCII | re.IGNORECASE,
)
_ASKED_ZH = lazy(
    rf"(?:版本|标签)? ?(?P<name>{_NAME}) ?(?:这个)?(?:版本?|发布)?(?:[里中]|的 ?(?P<topic>\S.*))?"
)


@frozen
class Version:
    """The version in a tag; ``family`` is the text before its number."""

    family: str
    preliminary: bool


@frozen
class TaggedRelease:
    """A tag of a release."""

    tag: str
    before: str = ""  # of the previous release; empty for the first
    at: datetime | None = field(default=None, compare=False)  # when it was tagged, aware, if known


@frozen
class ReleaseQuestion:
    """The name of a release in a question, and the topic within it, if any."""

    name: str
    topic: str = ""


def version_of(tag: str) -> Version | None:
    """The version of a tag; ``None`` if it is none."""
    match = _TAG.fullmatch(tag)
    if match is None or len(tag) > LONGEST_REF:
        return None
    preliminary = _BEFORE_FINAL.match(match["rest"]) is not None
    return Version(family=match["prefix"].lower(), preliminary=preliminary)


def asked_release(topic: str) -> ReleaseQuestion | None:
    """A topic in the form of a release, parsed: ``v0.9.1``, ``MoE in v0.9.1``."""
    match = _ASKED.fullmatch(topic) or _ASKED_ZH.fullmatch(topic)
    if match is None or len(match["name"]) > LONGEST_REF:
        return None
    return ReleaseQuestion(name=match["name"], topic=match["topic"] or "")


def spellings(name: str) -> tuple[str, ...]:
    """The name as written, and as a tag may have it: with or without a ``v``."""
    bare = name[1:] if name[:1] in "vV" else name
    return tuple(dict.fromkeys((name, f"v{bare}", bare)))


def eligible(tag: str, others: Collection[str]) -> tuple[str, ...]:
    """Those of other tags that can be the release before a tag."""
    # They are of its family and major version; for the first of a major version, of the one before;
    # for the first of a family, of any. A pre-release only precedes another.
    own = version_of(tag)
    versions = ((name, version_of(name)) for name in others if name != tag)
    fit = [
        (name, version)
        for name, version in versions
        if version and (not version.preliminary or (own and own.preliminary))
    ]
    family = [name for name, version in fit if own and version.family == own.family]
    return _of_line(tag, own.family, family) if own and family else tuple(n for n, _ in fit)


def _of_line(tag: str, family: str, others: Sequence[str]) -> tuple[str, ...]:
    """Those of the tag's major version, otherwise of the greatest one below it."""
    # A repository may tag two lines of versions alike, such as its libraries as v0.313 and the
    # program as v3.13, often at the same commit.
    majors = {name: _number(name, family)[0] for name in others}
    below = [major for major in majors.values() if major <= _number(tag, family)[0]]
    return tuple(name for name in others if not below or majors[name] == max(below))


def skipped(tag: str, before: str, earlier: Sequence[str]) -> str:
    """The highest release of a series between a tag and the one before it in its history.

    It is of a branch that the tag's history lacks; empty if there is none among ``earlier`` tags.
    """
    own = version_of(tag)
    if own is None or not before or own.preliminary:
        return ""
    found = {one: _number(one, own.family) for one in eligible(tag, earlier)}
    after, end = _number(before, own.family)[:2], _number(tag, own.family)[:2]
    between = [one for one, number in found.items() if after < number[:2] < end]
    return max(between, key=found.__getitem__, default="")


def latest(tags: Mapping[str, datetime | None], name: str = "") -> str:
    """The tag of the latest release among ``tags``, which are newest first; empty for none.

    Where a repository of a ``name`` has several packages, it is of the whole or of the package with
    that name, unless those were given up.
    """
    # That is the highest number of the family that was tagged last: a fix of an older line is often
    # tagged after the release that people mean.
    versions = [(tag, version_of(tag)) for tag in tags]
    final = [(tag, version) for tag, version in versions if version and not version.preliminary]
    if not final:
        return ""
    families = [version.family for _, version in final]
    family = families[0]
    # Where all packages of a repository are tagged at once, the tag of the whole names no package.
    once = families[: families.index(family, 1) if families.count(family) > 1 else None]
    if len(once) >= _AT_ONCE:
        family = next((one for one in once if one in {"", "v"}), family)
    if name:
        short = re.escape(re.split(r"[/+]", name)[-1].lower())
        own = re.compile(rf"(?:(?:@[\w-]+/)?{short}[-_@/])?v?")
        newest, at = next(((t, v) for t, v in final if own.fullmatch(v.family)), ("", None))
        made, last = tags.get(newest), tags[final[0][0]]
        if at and made and last and last - made < _GIVEN_UP:
            family = at.family
    alike = [tag for tag, version in final if version.family == family]
    return max(alike, key=lambda tag: _number(tag, family))


_GIVEN_UP = timedelta(days=200)  # how long the tags of a whole may be behind those of its packages
_AT_ONCE = 3  # packages whose tags one after the other are those of one release


def is_next(name: str, newest: str) -> bool:
    """Whether a version comes next after the newest one: 2.4.2, 2.5 or 3.0 after 2.4.1."""
    wanted, made = (tuple(map(int, re.findall(r"\d+", one))) for one in (name, newest))
    nexts = ((*made[:n], made[n] + 1) for n in range(len(made)))
    return any(wanted[: n + 1] == one and not any(wanted[n + 1 :]) for n, one in enumerate(nexts))


def in_series(name: str, tags: Mapping[str, datetime | None], of: str = "") -> tuple[str, ...]:
    """The first and latest release of ``1.2.x`` or ``latest-releases-2``; may be empty.

    They are those of the repository ``of`` that name if it has several packages.
    """
    wanted = tuple(map(int, re.findall(r"\d+", name)))
    numbers = {
        tag: _number(tag, version.family)
        for tag in tags
        if (version := version_of(tag)) and not version.preliminary
    }
    main = version_of(latest(tags, of))
    bare = main.family.removesuffix("v") if main else ""
    alike = [
        tag for tag in numbers if (v := version_of(tag)) and v.family.removesuffix("v") == bare
    ]
    if name.startswith(f"{LATEST}s-"):
        fit = sorted(alike, key=numbers.__getitem__)[-wanted[0] :]
    else:
        fit = [tag for tag, number in numbers.items() if number[: len(wanted)] == wanted]
        fit = [tag for tag in fit if tag in alike] or fit
    return (min(fit, key=numbers.__getitem__), max(fit, key=numbers.__getitem__)) if fit else ()


def _number(tag: str, family: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", tag[len(family) :])[:6]))


def version_number(text: str) -> tuple[int, ...]:
    """The first number of a version in a text as four integers; empty if there is none."""
    match = VERSION_NUMBER.search(text)
    return (*map(int, match[0].split(".")), 0, 0)[:4] if match else ()


VERSION_NUMBER = lazy(r"\d+(?:\.\d+){1,3}")
