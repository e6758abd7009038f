"""GitHub's JSON as values. Every function raises ``ValueError`` for what makes no sense.

Fields: https://docs.github.com/en/rest/pulls/pulls, /issues/timeline, /commits/commits.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence

from bot.forges import fields, reading
from bot.forges.fields import Json, inner, table, tables
from digest.change import Change, FileChange, FileStatus
from digest.request import Comparison, Issue, Patch, PullRequest, Reviewer, Verdict
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


def reviews(given: Sequence[Json], of: Json) -> Iterator[Reviewer]:
    """Reviews in the order they were given, behind those who are only asked for one."""
    for asked in fields.names(of, "requested_reviewers", "login"):
        yield Reviewer(name=asked, verdict=Verdict.ASKED)
    mine = reading.author(of)
    for review in given:
        verdict = _VERDICTS.get(fields.text(review, "state"))
        name = reading.author(review)
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


def request(found: Json, repository: str, reviewers: tuple[Reviewer, ...] | None) -> PullRequest:
    """A pull request; ``reviewers`` is ``None`` where they were not asked for."""
    merged = fields.moment_or_none(found, "merged_at") is not None
    return reading.request(found, repository, reviewers, merged=merged)


def change(found: Json, files: Sequence[Json]) -> Change:
    """A commit with its files."""
    return reading.change(found, tuple(map(file, files)))


def issue(found: Json, events: Sequence[Json], repository: str) -> Issue:
    """An issue with what its timeline says."""
    return reading.issue(found, _mentions(events, repository), _closings(events))


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
