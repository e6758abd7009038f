"""Data of a forge beside git: requests, issues and releases.

A request is a pull request (GitHub, Gitea) or a merge request (GitLab). All times are aware and in
UTC. Texts are user input: their length is limited when they are read, and they are escaped when
shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from datetime import datetime
from enum import StrEnum

from digest.core.change import Change, Commit, FileChange
from digest.frozen import frozen

_MOST_ISSUES = 50
_LONGEST = 65_536  # characters of a body, GitHub's own limit

_CLOSING = (
    # https://docs.github.com/en/issues/tracking-your-work-with-issues/using-issues/
    # linking-a-pull-request-to-an-issue, "Linking a pull request to an issue using a keyword"
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?[ \t]{1,3}"
    r"(?:(?P<repository>[\w.-]{1,100}/[\w.-]{1,100})?#"
    r"|https?://[\w.:-]{1,100}/(?P<page>[\w.-]{1,100}(?:/[\w.-]{1,100}){1,5}?)(?:/-)?/issues/)"
    r"(?P<number>[1-9]\d{0,8})\b"
)
"""Built when a body is first read: that takes longer than importing most modules."""


class RequestState(StrEnum):
    """The state of a request."""

    OPEN = "open"
    MERGED = "merged"
    CLOSED = "closed"


class IssueState(StrEnum):
    """The state of an issue."""

    OPEN = "open"
    CLOSED = "closed"


class ReviewVerdict(StrEnum):
    """A reviewer's last verdict, ignoring mere comments."""

    APPROVED = "approved"
    CHANGES_REQUESTED = "changes_requested"
    COMMENTED = "commented"
    DISMISSED = "dismissed"
    ASKED = "asked"


@frozen
class Reviewer:
    """Somebody who reviewed a request, or was asked to; ``name`` is the account's."""

    name: str
    verdict: ReviewVerdict


class CheckState(StrEnum):
    """The state of a check, or of all checks together."""

    PASSED = "passed"
    RUNNING = "running"
    FAILED = "failed"


@frozen
class Checks:
    """What CI says about a commit; ``failed`` are the names of failed checks."""

    state: CheckState
    failed: tuple[str, ...] = ()


@frozen
class PullRequest:
    """A request as the forge has it."""

    number: int
    title: str
    state: RequestState
    author: str
    created_at: datetime
    updated_at: datetime  # when anything about it last changed
    body: str = ""
    draft: bool = False
    base: str = ""  # the target branch
    head: str = ""  # the full name of its newest commit
    merge_commit: str = ""  # the commit that it became; empty unless merged
    merged_at: datetime | None = None
    labels: tuple[str, ...] = ()  # in the forge's order, as ``reviewers``
    issues: tuple[int, ...] = ()  # numbers that it closes
    reviewers: tuple[Reviewer, ...] = ()
    reviewed: bool = False  # the reviewers were requested, so that none means none
    files: int = 0  # counted by the forge; 0 if its list does not say


@frozen
class Patch:
    """The files of a request or commit, with lines if the forge gave them."""

    files: tuple[FileChange, ...]
    total: int  # of files, also of those that the forge left out
    texts: Mapping[str, str] = field(default_factory=dict)  # contents by ids of files, as given

    @property
    def truncated(self) -> bool:
        """Whether files are missing."""
        return self.total > len(self.files)


@frozen
class Issue:
    """An issue. ``mentions`` are numbers of requests that name it, ``closed_by`` the commits."""

    number: int
    title: str
    state: IssueState
    author: str
    created_at: datetime
    body: str = ""
    labels: tuple[str, ...] = ()
    closed_at: datetime | None = None
    mentions: tuple[int, ...] = ()
    closed_by: tuple[str, ...] = ()


@frozen
class Release:
    """A published release; ``body`` is its notes."""

    tag: str
    name: str
    published_at: datetime
    body: str = ""
    prerelease: bool = False


def closing(body: str, repository: str) -> tuple[int, ...]:
    """The issues of ``repository`` that a text says it closes, in order."""
    mine = repository.casefold()
    numbers: list[int] = []
    for match in re.finditer(_CLOSING, body[:_LONGEST], re.IGNORECASE):
        elsewhere = match["repository"] or match["page"]
        if elsewhere is None or elsewhere.casefold() == mine:
            numbers.append(int(match["number"]))
    return tuple(dict.fromkeys(numbers))[:_MOST_ISSUES]


def final(given: Iterable[Reviewer]) -> tuple[Reviewer, ...]:
    """One verdict per reviewer from those given, the oldest first: the last that is no comment."""
    last: dict[str, Reviewer] = {}
    for review in given:
        previous = last.get(review.name)
        remark = review.verdict in {ReviewVerdict.COMMENTED, ReviewVerdict.ASKED}
        if previous is None or previous.verdict is ReviewVerdict.ASKED or not remark:
            last[review.name] = review
    return tuple(last.values())


def as_change(request: PullRequest, patch: Patch) -> Change:
    """The request as a change: the commit that it would become if it were squashed now."""
    message = f"{request.title} (#{request.number})\n\n{request.body}".rstrip()
    return Change(
        commit=Commit(
            sha=request.head,
            parents=(),
            author=request.author,
            email="",
            authored_at=request.created_at,
            committed_at=request.updated_at,
            message=message,
        ),
        files=patch.files,
    )


def refreshed(stored: PullRequest | None, fresh: PullRequest) -> PullRequest:
    """A request from a list, with the reviewers known before if nothing changed since."""
    # A list names no reviewers: without this, reading it would lose them.
    if stored is None or fresh.reviewed or stored.updated_at != fresh.updated_at:
        return fresh
    return replace(
        fresh,
        reviewers=stored.reviewers,
        reviewed=stored.reviewed,
        files=fresh.files or stored.files,
    )
