"""Gitea and Forgejo over REST v1 (https://docs.gitea.com/api).

Files are listed without lines, so the diff of a request is fetched as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType

from bot.forges import fields
from bot.forges.fields import Json, inner, table, tables
from bot.forges.forge_client import ForgeClient, ForgeRepository
from digest.core import request as forge
from digest.core.change import Change
from digest.diff.unified_diff import read_diff

_PAGE = 50  # the largest page of an instance by default
_TEXT = "text/plain"
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
    per_page = ("limit", _PAGE)

    def __init__(self, wire: ForgeClient, name: str) -> None:
        super().__init__(wire, name, f"/repos/{name}")

    async def request(self, number: int) -> forge.PullRequest:
        """A pull request with its reviewers and the issues that its text closes."""
        what = f"pull request #{number}"
        path = f"{self._base}/pulls/{number}"
        page = await self._wire.get(path, what)
        given = await self._wire.all(f"{path}/reviews", what, query={"limit": _PAGE}, most=5)
        return self._wire.understood(
            lambda: _request(table(page.value), self._name, forge.final(_reviewers(tables(given))))
        )

    async def patch(self, request: forge.PullRequest) -> forge.Patch:
        """Its files with their lines, from its diff."""
        path = f"{self._base}/pulls/{request.number}.diff"
        page = await self._wire.get(path, f"pull request #{request.number}", accept=_TEXT)
        files = read_diff(str(page.value))
        return forge.Patch(files=files, total=max(request.files, len(files)))

    async def checks(self, request: forge.PullRequest) -> forge.Checks | None:
        """The statuses of its newest commit."""
        path = f"{self._base}/commits/{request.head}/status"
        page = await self._wire.get(path, f"pull request #{request.number}")
        return self._wire.understood(
            lambda: fields.checks(
                (fields.line(one, "context"), fields.text(one, "status"))
                for one in tables(table(page.value).get("statuses") or [])
            )
        )

    async def issue(self, number: int) -> forge.Issue:
        """An issue, with the requests and commits in its timeline."""
        what = f"issue #{number}"
        path = f"{self._base}/issues/{number}"
        page = await self._wire.get(path, what)
        events = await self._wire.all(f"{path}/timeline", what, query={"limit": _PAGE}, most=5)
        return self._wire.understood(
            lambda: fields.issue(table(page.value), _mentions(tables(events)))
        )

    async def change(self, sha: str) -> Change:
        """A commit with its files."""
        what = f"commit {sha}"
        path = f"{self._base}/git/commits/{sha}"
        page = await self._wire.get(path, what)
        diff = await self._wire.get(f"{path}.diff", what, accept=_TEXT)
        return self._wire.understood(
            lambda: fields.change(table(page.value), read_diff(str(diff.value)))
        )

    def _read_listed(self, data: Json) -> forge.PullRequest:
        return _request(data, self._name, None)


async def standing(wire: ForgeClient) -> Json:
    """The account, or the version of the server. Raises ``ForgeUnauthorized`` for a wrong token."""
    page = await wire.get("/user" if wire.credentials.known else "/version", "account")
    return wire.understood(lambda: table(page.value))


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
