"""Which of several repositories a question names, and the question without the name.

Names are those that the asker may hear of, as ``owner/name`` or a name alone. Words choose in a
frame only ("in prometheus", "prometheus: ...", "prometheus 最近..."), since a repository may be
called as a topic is; a reference or an address chooses by the repository that is written in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

_BEFORE = r"(?:^|(?<=\s))(?:in|of|for|from|on) (?:the )?"
_AFTER = r"(?: repo(?:sitory)?)?(?=$|[\s?!.,:;])"
_BEFORE_ZH = r"(?:^ ?(?:请问)? ?|(?<=[\u4e00-\u9fff\s])在 ?|^在 ?)"
_AFTER_ZH = r" ?(?:仓库|项目)?(?:里面|里|中|上)?(?:的|[:：,，])? ?(?=[\u4e00-\u9fff])"
_ADDRESS = re.compile(r"https?://[^\s/]+/(?P<path>[\w./-]+)", re.ASCII)
_LONGEST = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A repository that a question names; ``question`` is what is asked of it."""

    name: str
    question: str


def named(question: str, names: Sequence[str]) -> Named | None:
    """The repository that a question names; ``None`` where it names none, or not one alone."""
    if len(question) > _LONGEST:
        return None
    found = {one.name: one for one in _found(question, names)}
    return next(iter(found.values())) if len(found) == 1 else None


def fitting(question: str, names: Sequence[str]) -> tuple[str, ...]:
    """The repositories that a question may name, in the order of ``names``.

    They are several where it names several, or by a last part that several have.
    """
    if len(question) > _LONGEST:
        return ()
    found = {one.name for one in _found(question, names)}
    if not found:
        said = question.casefold()
        near = [one for one in names if _short(one) in said]
        shared = {one for one in map(_short, near) if [*map(_short, near)].count(one) > 1}
        called = {one for one in shared if _without(question, one) is not None}
        found = {one for one in near if _short(one) in called}
    return tuple(one for one in names if one in found)


def called(name: str, names: Sequence[str]) -> tuple[str, ...]:
    """The repositories that go by a name, whatever its case: whole, else by their last part."""
    wanted = name.casefold()
    whole = tuple(one for one in names if one.casefold() == wanted)
    return whole or tuple(one for one in names if _short(one) == wanted)


def _found(question: str, names: Sequence[str]) -> Iterator[Named]:
    said = question.casefold()
    # Whichever way a name is written, its last part is; there may be hundreds, and few are.
    for name in (one for one in names if _short(one).casefold() in said):
        for called in _called(name, names):
            if (rest := _without(question, called)) is not None:
                yield Named(name=name, question=rest)
                break
        else:
            if _written(question, name):
                yield Named(name=name, question=question)


def _called(name: str, names: Sequence[str]) -> Iterator[str]:
    """What a repository goes by: its name, and the last part of it where no other has that."""
    yield name
    short = _short(name)
    if short != name.lower() and [_short(one) for one in names].count(short) == 1:
        yield short


def _short(name: str) -> str:
    return name.lower().rpartition("/")[2]


@lru_cache(maxsize=2048)
def _frames(called: str) -> tuple[re.Pattern[str], ...]:
    """How a name stands in front of a number, and the frames in which it chooses."""
    name = re.escape(called)
    written = (
        rf"(?<![\w./-]){name}(?=[#!]\d)",
        rf"^{name} ?[:：] ?",
        rf"{_BEFORE}{name}{_AFTER}",
        rf"{_BEFORE_ZH}{name}{_AFTER_ZH}",
    )
    return tuple(re.compile(one, re.IGNORECASE) for one in written)


def _without(question: str, called: str) -> str | None:
    """The question without the name, where it stands in a frame."""
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
    """Whether a reference or an address in the question is of the repository."""
    own = name.lower()
    paths = [found["path"].lower() for found in _ADDRESS.finditer(question)]
    paths += re.findall(r"(?<![\w./-])([\w.-]+(?:/[\w.-]+)+)(?=[#!@])", question.lower())
    if "/" in own:
        return any(path == own or path.startswith(f"{own}/") for path in paths)
    # What is known by a name alone may be anybody's clone of that name.
    return any(path.split("/")[1:2] == [own] for path in paths)
