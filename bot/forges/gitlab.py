"""GitLab over REST v4 (https://docs.gitlab.com/api/merge_requests/).

Diffs of a merge request are paged up to the limits of the instance; collapsed or too large ones
come without lines. GitLab's only reviewer verdicts are approvals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from typing_extensions import override

from bot.forges import fields
from bot.forges.fields import Json, inner, table, tables
from bot.forges.forge_client import ForgeClient, ForgeRepository, understood
from digest.core import request as forge
from digest.core.change import Change, Commit, FileChange, FileStatus
from digest.diff.unified_diff import read_hunks

_MOST_FILE_PAGES = 30
_PATH = 4096

_STATES = {
    "opened": forge.RequestState.OPEN,
    "locked": forge.RequestState.OPEN,
    "merged": forge.RequestState.MERGED,
    "closed": forge.RequestState.CLOSED,
}


class GitLab(ForgeRepository):
    """A project on GitLab; implements ``Forge`` and ``Publishing``. ``name`` is its full path."""

    requests = ("merge_requests", "merge requests")
    newest = MappingProxyType({"state": "merged", "order_by": "updated_at", "sort": "desc"})
    draft = "upcoming_release"

    def __init__(self, wire: ForgeClient, name: str) -> None:
        super().__init__(wire, name, f"/projects/{quote(name, safe='')}")

    @understood
    async def request(self, number: int) -> forge.PullRequest:
        """A merge request with its reviewers, approvals and the issues that its text closes."""
        path, what = f"merge_requests/{number}", f"merge request !{number}"
        data = await self._one(path, what)
        approvals = await self._one(f"{path}/approvals", what)
        return _request(data, self._name, forge.final(_reviewers(data, approvals)))

    @understood
    async def patch(self, request: forge.PullRequest) -> forge.Patch:
        """Its files with their lines."""
        number = request.number
        listed = await self._all(
            f"merge_requests/{number}/diffs", f"merge request !{number}", _MOST_FILE_PAGES
        )
        files = tuple(map(_file, listed))
        return forge.Patch(files=files, total=max(request.files, len(files)))

    @understood
    async def checks(self, request: forge.PullRequest) -> forge.Checks | None:
        """The newest pipeline of a merge request."""
        path = f"{self._base}/merge_requests/{request.number}/pipelines"
        what, query = f"merge request !{request.number}", {"per_page": 1}
        page = await self.wire.get(path, what, query=query)
        return fields.checks(
            (f"pipeline {fields.count(one, 'id')}", fields.text(one, "status"))
            for one in tables(page.value)[:1]
        )

    @understood
    async def issue(self, number: int) -> forge.Issue:
        """An issue, with the merge requests that mention it."""
        path, what = f"issues/{number}", f"issue #{number}"
        data = await self._one(path, what)
        related = await self._all(f"{path}/related_merge_requests", what, 1)
        return fields.issue(_shared(data), (fields.number(one, "iid") for one in related))

    @understood
    async def change(self, sha: str) -> Change:
        """A commit with its files."""
        path, what = f"repository/commits/{sha}", f"commit {sha}"
        data = await self._one(path, what)
        return _change(data, await self._all(f"{path}/diff", what, _MOST_FILE_PAGES))

    def _read_listed(self, data: Json) -> forge.PullRequest:
        return _request(data, self._name, None)

    @override
    def _read_release(self, data: Json) -> forge.Release:
        dated = {"published_at": data.get("released_at"), "body": data.get("description")}
        return fields.release({**data, **dated})


async def standing(wire: ForgeClient) -> Json:
    """The account, if any. Raises ``ForgeUnauthorized`` if the token is rejected."""
    if not wire.credentials.known:
        await wire.get("/projects", "projects", query={"per_page": 1})
        return {}
    page = await wire.get("/user", "account")
    return table(page.value) if isinstance(page.value, Mapping) else {}


def _request(
    data: Json, name: str, reviewers: tuple[forge.Reviewer, ...] | None
) -> forge.PullRequest:
    state = _STATES.get(fields.text(data, "state"), forge.RequestState.OPEN)
    head = fields.sha_field(data, "sha")
    commit = fields.sha_field(data, "merge_commit_sha") or fields.sha_field(
        data, "squash_commit_sha"
    )
    shared = {
        **_shared(data),
        "state": state.value,
        "base": {"ref": data.get("target_branch")},
        "head": {"sha": head},
        # A fast-forward has no commit of its own: the head is what was merged.
        "merge_commit_sha": commit or head,
        "changed_files": _changes(data),
    }
    merged = state is forge.RequestState.MERGED
    return fields.request(shared, name, reviewers, merged=merged)


def _shared(data: Json) -> dict[str, Any]:
    """An issue or a request with the fields of GitHub's, which Gitea's have too."""
    login = inner(data, "author").get("username")
    about = {"number": data.get("iid"), "body": data.get("description")}
    return {**data, **about, "user": {"login": login}}


def _changes(data: Json) -> int:
    """The number of changed files, which is written as ``12`` or ``1000+``."""
    written = fields.text(data, "changes_count")
    digits = written.removesuffix("+")
    return int(digits) + written.endswith("+") if digits.isascii() and digits.isdigit() else 0


def _reviewers(data: Json, approvals: Json) -> Iterator[forge.Reviewer]:
    for name in fields.names(data, "reviewers", "username"):
        yield forge.Reviewer(name=name, verdict=forge.ReviewVerdict.ASKED)
    for approval in tables(approvals.get("approved_by", [])):
        if name := fields.line(inner(approval, "user"), "username"):
            yield forge.Reviewer(name=name, verdict=forge.ReviewVerdict.APPROVED)


def _file(data: Json) -> FileChange:
    old, path = fields.text(data, "old_path", _PATH), fields.text(data, "new_path", _PATH)
    if not path:
        raise ValueError("a file without a name")
    status = FileStatus.MODIFIED
    for key, told in (
        ("new_file", FileStatus.ADDED),
        ("deleted_file", FileStatus.DELETED),
        ("renamed_file", FileStatus.RENAMED),
    ):
        status = told if fields.flag(data, key) else status
    hunks = read_hunks(fields.text(data, "diff", 4 << 20))
    missing = fields.flag(data, "collapsed") or fields.flag(data, "too_large")
    return FileChange(
        path=path,
        status=status,
        old_path=old if status is FileStatus.RENAMED else None,
        added=hunks.added,
        deleted=hunks.deleted,
        hunks=hunks.hunks,
        omitted=missing,
    )


def _change(data: Json, files: Sequence[Json]) -> Change:
    parents = data.get("parent_ids")
    return Change(
        commit=Commit(
            sha=fields.sha_field(data, "id"),
            parents=tuple(p for p in parents if isinstance(p, str))
            if isinstance(parents, list)
            else (),
            author=fields.line(data, "author_name"),
            email=fields.line(data, "author_email"),
            authored_at=fields.moment(data, "authored_date"),
            committed_at=fields.moment(data, "committed_date"),
            message=fields.text(data, "message", fields.BODY),
        ),
        files=tuple(map(_file, files)),
    )
