"""References to a change (by request number, commit or address), and queries to the archive."""

from __future__ import annotations

import re
from dataclasses import field, replace

from digest.core.facts import Area
from digest.core.grade import Level
from digest.core.patterns import lazy
from digest.errors import InvalidReference
from digest.frozen import frozen
from digest.window import Window

LEAST_DIGITS = 7  # the shortest commit name that is accepted, git's own shortest default
_LONGEST = 2048  # characters; longer than any address of a forge
_REPOSITORY = r"[A-Za-z0-9][\w.-]*(?:/[\w.-]+){1,4}"
_NUMBER = r"0*([1-9][0-9]{0,8})"
_SHA = r"([0-9a-fA-F]{7,64})"
_NUMBERED = lazy(rf"({_REPOSITORY})?([#!]){_NUMBER}", re.ASCII)
_PREFIXED = lazy(rf"GH-{_NUMBER}", re.ASCII | re.IGNORECASE)
_PLAIN = lazy(r"(?=[0-9]{1,6}$)0*([1-9][0-9]*)", re.ASCII)
_COMMIT = lazy(rf"(?:({_REPOSITORY})@)?{_SHA}", re.ASCII)
_CALLED_ISSUE = lazy(r"(?:issue|ticket|bug|问题|工单)[: ]? ?", re.IGNORECASE)
_ADDRESS = lazy(
    rf"https?://[A-Za-z0-9.-]+(?::[0-9]+)?/({_REPOSITORY}?)(?:/-)?"
    r"/(?:(?:pulls?|(?P<merge>merge_requests)|(?P<issue>issues|work_items))/"
    rf"{_NUMBER}(?:/commits/{_SHA})?|commits?/{_SHA})"
    r"(?:\.patch|\.diff|/[\w/.-]*)?(?:\?[^\s#]*)?(?:#\S*)?",
    re.ASCII,
)


@frozen
class Reference:
    """A change by number or by sha, of which exactly one is set, or an issue by number."""

    number: int | None = None
    sha: str = ""  # in lower case, may be shortened
    repository: str = ""  # the ``owner/name`` that was written with it, or empty
    issue: bool = False  # the number was written as an issue's
    sign: str = field(default="#", compare=False)  # before the number, "!" for a merge request

    def __post_init__(self) -> None:
        if (self.number is None) == (not self.sha):
            raise ValueError("a reference needs a number or a commit")
        if self.issue and self.number is None:
            raise ValueError("an issue has a number")

    def __str__(self) -> str:
        """As :func:`parse_reference` reads it: ``owner/name#12``, ``!12``, ``issue #12``, a sha."""
        if self.number is not None:
            return f"{'issue ' if self.issue else ''}{self.repository}{self.sign}{self.number}"
        return f"{self.repository}@{self.sha}" if self.repository else self.sha


def parse_reference(text: str) -> Reference:
    """Read ``#12``, ``12``, ``!12``, ``GH-12``, ``owner/name#12``, a commit name or an address.

    Addresses are those of pull requests, merge requests, issues and commits as GitHub, GitLab and
    Gitea write them, on any host. ``issue`` before a number makes it an issue's. Up to six digits
    alone are a number, and seven or more a commit name. Raises ``InvalidReference``.
    """
    written = text.strip().strip("<>")
    if len(written) <= _LONGEST:
        for read in (_issue, _from_number, _from_sha, _from_address):
            if (reference := read(written)) is not None:
                return reference
    raise InvalidReference(text if len(text) <= 100 else f"{text[:100]}…")


def _issue(written: str) -> Reference | None:
    """A number that is written as an issue's."""
    match = _CALLED_ISSUE.match(written)
    named = _from_number(written[match.end() :]) if match else None
    return None if named is None else replace(named, issue=True)


def _from_number(written: str) -> Reference | None:
    if match := _NUMBERED.fullmatch(written):
        return Reference(number=int(match[3]), repository=match[1] or "", sign=match[2])
    if match := _PREFIXED.fullmatch(written) or _PLAIN.fullmatch(written):
        return Reference(number=int(match[1]))
    return None


def _from_sha(written: str) -> Reference | None:
    match = _COMMIT.fullmatch(written)
    if not match or len(match[2]) not in (*range(LEAST_DIGITS, 41), 64):
        return None
    return Reference(sha=match[2].lower(), repository=match[1] or "")


def _from_address(written: str) -> Reference | None:
    match = _ADDRESS.fullmatch(written)
    if not match:
        return None
    sha = match[5] or match[6]
    if sha:
        return Reference(sha=sha.lower(), repository=match[1])
    sign, issue = "!" if match["merge"] else "#", bool(match["issue"])
    return Reference(number=int(match[4]), repository=match[1], issue=issue, sign=sign)


@frozen
class Query:
    """Conditions that all must hold; an empty one always holds."""

    window: Window | None = None
    topics: tuple[str, ...] = ()  # index terms of which one is enough
    # Ways of which one is enough: of every set of terms, one.
    about: tuple[tuple[frozenset[str], ...], ...] = ()
    terms: tuple[str, ...] = ()  # all in the text (subject, body, paths, names), ignoring case
    paths: tuple[str, ...] = ()  # prefixes of which one is enough
    author: str = ""  # part of the name, or all of it if ``whole_author``
    whole_author: bool = False
    area: Area | None = None
    level: Level | None = None  # the lowest
    limit: int = 0  # cuts the result, newest first; 0 is no limit
    ranked: bool = False  # those with more of the terms in their subject first; not for a selection
    among: tuple[str, ...] | None = None  # full names of commits that it must be one of, if given
    besides: tuple[str, ...] = ()  # full names of commits that it must not be
