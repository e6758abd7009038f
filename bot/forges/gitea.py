"""Gitea and Forgejo over REST v1 (https://docs.gitea.com/api).

Files are listed without lines, so the diff of a request is fetched as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType

from bot.forges import fields
from bot.forges.fields import Json, inner, tables
from bot.forges.forge_client import ForgeClient, ForgeRepository, understood
from digest.core import request as forge
from digest.core.change import Change, FileChange
from digest.diff.unified_diff import read_diff

_VERDICTS = {
    "APPROVED": forge.ReviewVerdict.APPROVED,
    "REQUEST_CHANGES": forge.ReviewVerdict.CHANGES_REQUESTED,
    "COMMENT": forge.ReviewVerdict.COMMENTED,
    "REQUEST_REVIEW": forge.ReviewVerdict.ASKED,
}


class Gitea(ForgeRepository):
    """A repository on Gitea; implements ``Forge`` and ``Publishing``. ``name`` is owner/name."""

    requests = ("pulls", "pull requests")
    newest = MappingProxyType({"state": "closed", "sort": "recentupdate"})
    per_page = ("limit", 50)  # the largest page of an instance by default

    def __init__(self, wire: ForgeClient, name: str) -> None:
        super().__init__(wire, name, f"/repos/{name}")

    @understood
    async def request(self, number: int) -> forge.PullRequest:
        """A pull request with its reviewers and the issues that its text closes."""
        path, what = f"pulls/{number}", f"pull request #{number}"
        data = await self._one(path, what)
        reviews = await self._all(f"{path}/reviews", what, 5)
        return _request(data, self._name, forge.final(_reviewers(reviews)))

    async def patch(self, request: forge.PullRequest) -> forge.Patch:
        """Its files with their lines, from its diff."""
        files = await self._diff(f"pulls/{request.number}", f"pull request #{request.number}")
        return forge.Patch(files=files, total=max(request.files, len(files)))

    async def _diff(self, path: str, what: str) -> tuple[FileChange, ...]:
        page = await self.wire.get(f"{self._base}/{path}.diff", what, accept="text/plain")
        return read_diff(str(page.value))

    @understood
    async def checks(self, request: forge.PullRequest) -> forge.Checks | None:
        """The statuses of its newest commit."""
        what = f"pull request #{request.number}"
        data = await self._one(f"commits/{request.head}/status", what)
        return fields.checks(
            (fields.line(one, "context"), fields.text(one, "status"))
            for one in tables(data.get("statuses") or [])
        )

    @understood
    async def issue(self, number: int) -> forge.Issue:
        """An issue, with the requests and commits in its timeline."""
        path, what = f"issues/{number}", f"issue #{number}"
        data = await self._one(path, what)
        return fields.issue(data, _mentions(await self._all(f"{path}/timeline", what, 5)))

    @understood
    async def change(self, sha: str) -> Change:
        """A commit with its files."""
        path, what = f"git/commits/{sha}", f"commit {sha}"
        data = await self._one(path, what)
        return fields.change(data, await self._diff(path, what))

    def _read_listed(self, data: Json) -> forge.PullRequest:
        return _request(data, self._name, None)


async def standing(wire: ForgeClient) -> Json:
    """The version of the server, which needs no scope. Raises ``ForgeUnauthorized``."""
    return await wire.one("/version", "version")


def _request(
    data: Json, name: str, reviewers: tuple[forge.Reviewer, ...] | None
) -> forge.PullRequest:
    return fields.request(data, name, reviewers, merged=fields.flag(data, "merged"))


def _reviewers(given: Sequence[Json]) -> Iterator[forge.Reviewer]:
    for review in given:
        verdict = _VERDICTS.get(fields.text(review, "state"))
        if fields.flag(review, "dismissed"):
            verdict = forge.ReviewVerdict.DISMISSED
        if verdict is not None:
            yield forge.Reviewer(name=fields.author(review), verdict=verdict)


def _mentions(events: Sequence[Json]) -> Iterator[int]:
    for event in events:
        if fields.text(event, "type") == "pull_ref":
            yield fields.number(inner(event, "ref_issue"), "number")
