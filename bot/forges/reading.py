"""What GitHub's and Gitea's JSON have alike, as values: Gitea's API is made after GitHub's.

Every function raises ``ValueError`` for what makes no sense.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from bot.forges import fields
from bot.forges.fields import Json, inner, tables
from digest.change import Change, Commit, FileChange
from digest.request import (
    Issue,
    IssueState,
    PullRequest,
    Release,
    RequestState,
    Reviewer,
    closing,
)

_MOST_NAMED = 100
"""Requests and commits that are kept of an issue."""


def request(
    found: Json, repository: str, reviewers: tuple[Reviewer, ...] | None, *, merged: bool
) -> PullRequest:
    """A pull request; ``reviewers`` is ``None`` where they were not asked for."""
    is_open = fields.text(found, "state") == "open"
    body = fields.text(found, "body", fields.BODY)
    ended = RequestState.MERGED if merged else RequestState.CLOSED
    return PullRequest(
        number=fields.number(found, "number"),
        title=fields.line(found, "title", fields.TITLE),
        state=RequestState.OPEN if is_open else ended,
        author=author(found),
        created_at=fields.moment(found, "created_at"),
        updated_at=fields.moment(found, "updated_at"),
        body=body,
        draft=fields.flag(found, "draft"),
        base=fields.line(inner(found, "base"), "ref"),
        head=fields.sha(inner(found, "head"), "sha"),
        # For an open one this is a merge that was only tried.
        merge_commit=fields.sha(found, "merge_commit_sha") if merged else "",
        merged_at=fields.moment_or_none(found, "merged_at") if merged else None,
        labels=fields.names(found, "labels"),
        issues=closing(body, repository),
        reviewers=reviewers or (),
        reviewed=reviewers is not None,
        files=fields.count(found, "changed_files"),
    )


def author(found: Json) -> str:
    """Whose it is; a deleted account is shown as ``ghost``, as GitHub does."""
    return fields.line(inner(found, "user"), "login") or "ghost"


def change(found: Json, files: Sequence[FileChange]) -> Change:
    """A commit with its files."""
    commit = inner(found, "commit")
    written, kept = inner(commit, "author"), inner(commit, "committer")
    sha = fields.sha(found, "sha")
    if not sha:
        raise ValueError("a commit without name")
    return Change(
        commit=Commit(
            sha=sha,
            parents=tuple(fields.sha(parent, "sha") for parent in tables(found.get("parents", []))),
            author=fields.line(written, "name"),
            email=fields.line(written, "email"),
            authored_at=fields.moment(written, "date"),
            committed_at=fields.moment(kept, "date"),
            message=fields.text(commit, "message", fields.BODY),
        ),
        files=tuple(files),
    )


def issue(found: Json, mentions: Iterable[int], closings: Iterable[str] = ()) -> Issue:
    """An issue; ``mentions`` are requests that name it, ``closings`` commits that closed it."""
    closed = fields.text(found, "state") == "closed"
    return Issue(
        number=fields.number(found, "number"),
        title=fields.line(found, "title", fields.TITLE),
        state=IssueState.CLOSED if closed else IssueState.OPEN,
        author=author(found),
        created_at=fields.moment(found, "created_at"),
        body=fields.text(found, "body", fields.BODY),
        labels=fields.names(found, "labels"),
        closed_at=fields.moment_or_none(found, "closed_at"),
        mentions=tuple(dict.fromkeys(mentions))[:_MOST_NAMED],
        closed_by=tuple(dict.fromkeys(closings))[:_MOST_NAMED] if closed else (),
    )


def release(found: Json) -> Release:
    """A published release."""
    return Release(
        tag=fields.line(found, "tag_name"),
        name=fields.line(found, "name") or fields.line(found, "tag_name"),
        published_at=fields.moment(found, "published_at"),
        body=fields.text(found, "body", fields.BODY),
        prerelease=fields.flag(found, "prerelease"),
    )


def quoted(reference: str) -> str:
    """A reference as part of a path; the slashes of a branch's name stay."""
    return quote(reference, safe="/")
