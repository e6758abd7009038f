"""The repository that a question names, and the question without the name.

Names are those visible to the asker, as ``owner/name`` or a name alone. Words count only in a
frame ("in prometheus", "prometheus: ...", "prometheus 最近..."), since a repository may have the
name of a topic; a reference or URL counts by the repository that it contains.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from digest.frozen import frozen
from digest.question import lexicon

_BEFORE = r"(?:^|(?<=\s))(?:in|of|for|from|on) (?:the )?"
_AFTER = r"(?: repo(?:sitory)?)?(?=$|[\s?!.,:;])"
_BEFORE_ZH = r"(?:^ ?(?:请问)? ?|(?<=[\u4e00-\u9fff\s])在 ?|^在 ?)"
_AFTER_ZH = r" ?(?:仓库|项目)?(?:里面|里|中|上)?(?:的|[:：,，])? ?(?=[\u4e00-\u9fff])"
_ADDRESS = re.compile(r"https?://[^\s/]+/(?P<path>[\w./-]+)", re.ASCII)
_LONGEST = 2048


@frozen
class Named:
    """A repository that a question names; ``question`` is the rest of the question."""

    name: str
    question: str


def find_repository(question: str, names: Sequence[str]) -> Named | None:
    """The repository that a question names; ``None`` unless it is exactly one."""
    if len(question) > _LONGEST:
        return None
    found = {one.name: one for one in _found(question, names)}
    return next(iter(found.values())) if len(found) == 1 else None


def fitting(question: str, names: Sequence[str]) -> tuple[str, ...]:
    """The repositories that a question may name, in order; several names may fit."""
    if len(question) > _LONGEST:
        return ()
    found = {one.name for one in _found(question, names)}
    if not found:
        said = question.casefold()
        near = [name for name in names if _short(name) in said]
        shared = {one for one in map(_short, near) if [*map(_short, near)].count(one) > 1}
        called = {one for one in shared if _without(question, one) is not None}
        found = {one for one in near if _short(one) in called}
    return tuple(one for one in names if one in found)


def match_names(name: str, names: Sequence[str]) -> tuple[str, ...]:
    """The repositories with a name, ignoring case: the whole name, else its last part."""
    wanted = name.casefold()
    whole = tuple(one for one in names if one.casefold() == wanted)
    return whole or tuple(one for one in names if _short(one) == wanted)


def without_own(text: str, own: str) -> str:
    """The question without the repository's name where the name says no more than *it* would.

    *The uv release* is the release; *uv 0.5* is a release; *uv pip compile --universal* names a
    flag, and its commands only say whose.
    """
    for thing in ("release", "version"):
        text = text.replace(f" {own} {thing}", f" {thing}")
        text = re.sub(rf"\b{thing} of {re.escape(own)}\b", thing, text)
    drops = rf"\b(?:did|does|will|has) {re.escape(own)}(?: v?\d[\d.]*)? (?=drop)"
    text = re.sub(drops, "did you ", text)
    newest = rf"\b((?:new|lat)est) {re.escape(own)}(?=$| and\b|[?,])"
    text = re.sub(newest, r"\1 release", text)
    # "uv pip compile --universal": the commands only say whose flag it is
    of_command = rf"(?<![\w./-]){re.escape(own)} ((?:[a-z][\w-]{{0,20}} ){{1,3}})(?=--[a-z])"
    text = re.sub(of_command, _without_command, text)
    its_version = rf"(?i)(?<![\w./-]){re.escape(own)} (?=v?\d+\.\d)"
    return re.sub(its_version, "release ", text)


def _without_command(match: re.Match[str]) -> str:
    """Nothing in place of a command, unless its words say something in a question."""
    words = match[1].lower().split()
    return match[0] if any(lexicon.english(words, at)[0] for at in range(len(words))) else ""


def _found(question: str, names: Sequence[str]) -> Iterator[Named]:
    said = question.casefold()
    # Every written form of a name includes its last part; of hundreds of names few match.
    for name in (one for one in names if _short(one).casefold() in said):
        for called in _called(name, names):
            if (rest := _without(question, called)) is not None:
                yield Named(name=name, question=rest)
                break
        else:
            if _written(question, name):
                yield Named(name=name, question=question)


def _called(name: str, names: Sequence[str]) -> Iterator[str]:
    """The forms of a repository's name: the whole, and its last part if no other shares it."""
    yield name
    short = _short(name)
    if short != name.lower() and [_short(one) for one in names].count(short) == 1:
        yield short


def _short(name: str) -> str:
    return name.lower().rpartition("/")[2]


@lru_cache(maxsize=2048)
def _frames(called: str) -> tuple[re.Pattern[str], ...]:
    """The pattern of a name before a number, and the frames in which it counts."""
    name = re.escape(called)
    written = (
        rf"(?<![\w./-]){name}(?=[#!]\d)",
        rf"^{name} ?[:：] ?",
        rf"{_BEFORE}{name}{_AFTER}",
        rf"{_BEFORE_ZH}{name}{_AFTER_ZH}",
    )
    return tuple(re.compile(one, re.IGNORECASE) for one in written)


def _without(question: str, called: str) -> str | None:
    """The question without the name, if the name is in a frame."""
    reference, *frames = _frames(called)
    referred = reference.sub("", question)
    if referred != question and "/" not in called:
        return referred.strip()
    for frame in frames:
        rest, times = frame.subn("", question, count=1)
        if times:
            return " ".join(rest.split())
    return None


def _written(question: str, name: str) -> bool:
    """Whether the question has a reference or URL of the repository."""
    own = name.lower()
    paths = [match["path"].lower() for match in _ADDRESS.finditer(question)]
    paths += re.findall(r"(?<![\w./-])([\w.-]+(?:/[\w.-]+)+)(?=[#!@])", question.lower())
    if "/" in own:
        return any(path == own or path.startswith(f"{own}/") for path in paths)
    # A repository known only by its name may be anybody's clone of that name.
    return any(path.split("/")[1:2] == [own] for path in paths)
