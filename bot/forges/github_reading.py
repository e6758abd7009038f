"""GitHub's JSON as values. Every function raises ``ValueError`` for what makes no sense.

Fields: https://docs.github.com/en/rest/pulls/pulls, /issues/timeline, /commits/commits.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from bot.forges import fields
from bot.forges.fields import Json, inner, table, tables
from digest.change import Change, Commit, FileChange, FileStatus
from digest.request import (
    Comparison,
    Issue,
    IssueState,
    Patch,
    PullRequest,
    Release,
    RequestState,
    Reviewer,
    Verdict,
    closing,
)
from digest.unified import read_hunks

_STATUSES = {
    "added": FileStatus.ADDED,
    "removed": FileStatus.DELETED,
    "modified": FileStatus.MODIFIED,
    "renamed": FileStatus.RENAMED,
    "copied": FileStatus.COPIED,
    "changed": FileStatus.MODIFIED,
    "unchanged": FileStatus.MODIFIED,
}
_VERDICTS = {
    "APPROVED": Verdict.APPROVED,
    "CHANGES_REQUESTED": Verdict.CHANGES_REQUESTED,
    "COMMENTED": Verdict.COMMENTED,
    "DISMISSED": Verdict.DISMISSED,
}
_PATH = 4096
_TEXT = 1 << 20
_MOST_COMMITS = 100


def request(found: Json, repository: str, reviewers: tuple[Reviewer, ...] | None) -> PullRequest:
    """A pull request; ``reviewers`` is ``None`` where they were not asked for."""
    merged_at = fields.moment_or_none(found, "merged_at")
    is_open = fields.text(found, "state") == "open"
    body = fields.text(found, "body", fields.BODY)
    ended = RequestState.MERGED if merged_at else RequestState.CLOSED
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
        merge_commit=fields.sha(found, "merge_commit_sha") if merged_at else "",
        merged_at=merged_at,
        labels=fields.names(found, "labels"),
        issues=closing(body, repository),
        reviewers=reviewers or (),
        reviewed=reviewers is not None,
        files=fields.count(found, "changed_files"),
    )


def author(found: Json) -> str:
    """Whose it is; GitHub shows a deleted account as ``ghost``."""
    return fields.line(inner(found, "user"), "login") or "ghost"


def reviews(given: Sequence[Json], of: Json) -> Iterator[Reviewer]:
    """Reviews in the order they were given, behind those who are only asked for one."""
    for asked in fields.names(of, "requested_reviewers", "login"):
        yield Reviewer(name=asked, verdict=Verdict.ASKED)
    mine = author(of)
    for review in given:
        verdict = _VERDICTS.get(fields.text(review, "state"))
        name = author(review)
        # Answering remarks is no review of one's own work.
        if verdict is not None and name != mine:
            yield Reviewer(name=name, verdict=verdict)


def file(found: Json) -> FileChange:
    """A file; the patch of a binary or very large one is missing."""
    status = _STATUSES.get(fields.text(found, "status"))
    path = fields.text(found, "filename", _PATH)
    if status is None or not path:
        raise ValueError("a file without name or with an unknown status")
    added, deleted = fields.count(found, "additions"), fields.count(found, "deletions")
    patch = fields.text(found, "patch", 4 << 20)
    moved = status in {FileStatus.RENAMED, FileStatus.COPIED}
    return FileChange(
        path=path,
        status=status,
        old_path=fields.text(found, "previous_filename", _PATH) if moved else None,
        added=added,
        deleted=deleted,
        hunks=read_hunks(patch).hunks,
        omitted=not patch and added + deleted > 0,
        new_id="" if status is FileStatus.DELETED else fields.sha(found, "sha"),
    )


def content(found: Json) -> str | None:
    """The text of a blob; ``None`` for what is no text or larger than what is read of one."""
    packed = fields.text(found, "content", 2 * _TEXT)
    if fields.text(found, "encoding") != "base64" or fields.count(found, "size") > _TEXT:
        return None
    try:
        return base64.b64decode(packed).decode("utf-8")
    except UnicodeDecodeError:
        return None


def change(found: Json, files: Sequence[Json]) -> Change:
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
        files=tuple(map(file, files)),
    )


def issue(found: Json, events: Sequence[Json], repository: str) -> Issue:
    """An issue with what its timeline says."""
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
        mentions=tuple(dict.fromkeys(_mentions(events, repository)))[:_MOST_COMMITS],
        closed_by=tuple(dict.fromkeys(_closings(events)))[:_MOST_COMMITS] if closed else (),
    )


def _mentions(events: Sequence[Json], repository: str) -> Iterator[int]:
    """Requests of the same repository that name the issue."""
    for event in events:
        if fields.text(event, "event") == "cross-referenced":
            source = inner(inner(event, "source"), "issue")
            home = fields.text(inner(source, "repository"), "full_name")
            mine = not home or home.casefold() == repository.casefold()
            if mine and source.get("pull_request") is not None:
                yield fields.number(source, "number")


def _closings(events: Sequence[Json]) -> Iterator[str]:
    for event in events:
        if fields.text(event, "event") == "closed" and (name := fields.sha(event, "commit_id")):
            yield name


def release(found: Json) -> Release:
    """A published release."""
    return Release(
        tag=fields.line(found, "tag_name"),
        name=fields.line(found, "name") or fields.line(found, "tag_name"),
        published_at=fields.moment(found, "published_at"),
        body=fields.text(found, "body", fields.BODY),
        prerelease=fields.flag(found, "prerelease"),
    )


def comparison(base: str, head: str, pages: Sequence[Json]) -> Comparison:
    """A comparison from its pages; it says how many commits there are, but not how many files."""
    first = table(pages[0])
    files = tuple(map(file, tables(first.get("files", []))))
    commits = tuple(fields.sha(one, "sha") for page in pages for one in tables(page.get("commits")))
    # 300 files are all that is ever listed: then there may be more.
    total = len(files) + (len(files) >= 300)
    return Comparison(
        base=base,
        head=head,
        commits=commits,
        total=fields.count(first, "total_commits"),
        patch=Patch(files=files, total=total),
    )


def quoted(reference: str) -> str:
    """A reference as part of a path; the slashes of a branch's name stay."""
    return quote(reference, safe="/")
