"""GitHub and GitHub Enterprise Server over REST, version 2022-11-28.

The version is pinned because 2026-03-10 leaves ``merge_commit_sha`` out of pull requests. On
Enterprise Server the API is at ``https://HOST/api/v3``.
https://docs.github.com/en/rest/about-the-rest-api/breaking-changes
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from bot.forges import github_reading as reading
from bot.forges.fields import Json, table, tables
from bot.forges.reading import quoted, release
from bot.forges.repository import Repository
from bot.forges.wire import Wire
from digest.change import Change, FileChange, FileStatus
from digest.errors import NotOnForge
from digest.facts import wanted
from digest.request import Comparison, Issue, Patch, PullRequest, Release, as_change, final
from digest.unified import before

HEADERS = {"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"}
"""What goes with every request."""

_PAGE = 100
_MOST_FILES = 3000
"""Files of a pull request or commit that the API lists at most; more are only counted."""

_MOST_FILE_PAGES = _MOST_FILES // _PAGE
_MOST_PAGES = 10
"""Pages of merged requests at one look: a thousand, several weeks of a busy repository."""

_MOST_TEXTS = 20
"""Contents of files that are asked for at most, each by a request."""

_MOST_COMMIT_PAGES = 10
_MOST_TIMELINE_PAGES = 5


class GitHub(Repository):
    """A repository on GitHub; implements ``Forge`` and ``Publishing``. ``name`` is owner/name."""

    def __init__(self, wire: Wire, name: str) -> None:
        super().__init__(wire, name, f"/repos/{name}")

    async def request(self, number: int) -> PullRequest:
        """A pull request with its reviewers and the issues that its text closes."""
        what = f"pull request #{number}"
        page = await self._wire.get(f"{self._base}/pulls/{number}", what)
        reviews = await self._wire.all(
            f"{self._base}/pulls/{number}/reviews", what, query={"per_page": _PAGE}, most=5
        )
        return self._wire.understood(
            lambda: reading.request(
                table(page.value),
                self._name,
                final(reading.reviews(tables(reviews), table(page.value))),
            )
        )

    async def patch(self, request: PullRequest) -> Patch:
        """Its files with their lines; at most 3000 files are listed."""
        files = await self._wire.all(
            f"{self._base}/pulls/{request.number}/files",
            f"pull request #{request.number}",
            query={"per_page": _PAGE},
            most=_MOST_FILE_PAGES,
        )
        read = self._wire.understood(lambda: tuple(map(reading.file, tables(files))))
        whole = Patch(files=read, total=max(request.files, len(read)))
        return await self._with_texts(request, whole)

    async def _with_texts(self, request: PullRequest, patch: Patch) -> Patch:
        """The files with the contents that facts are read from, as far as requests allow.

        Nobody has few requests an hour, and does without: facts are then read from lines alone.
        """
        if not self.eager:
            return patch
        asked = frozenset(wanted(as_change(request, patch))[:_MOST_TEXTS])
        texts: dict[str, str] = {}
        files: list[FileChange] = []
        for file in patch.files:
            after = await self._text(file.new_id) if file.new_id in asked else None
            old = before(after, file.hunks) if after is not None else None
            if after is not None and old is not None and file.status is not FileStatus.ADDED:
                file = replace(file, old_id=f"before {file.new_id}")  # noqa: PLW2901 - the same, better
                texts[file.old_id] = old
            if after is not None:
                texts[file.new_id] = after
            files.append(file)
        return replace(patch, files=tuple(files), texts=texts)

    async def _text(self, blob: str) -> str | None:
        """A file's content; ``None`` where the forge does not give it."""
        try:
            page = await self._wire.get(f"{self._base}/git/blobs/{blob}", "file")
        except NotOnForge:
            return None
        return self._wire.understood(lambda: reading.content(table(page.value)))

    async def issue(self, number: int) -> Issue:
        """An issue, with what its timeline says of requests and commits."""
        what = f"issue #{number}"
        page = await self._wire.get(f"{self._base}/issues/{number}", what)
        events = await self._wire.all(
            f"{self._base}/issues/{number}/timeline",
            what,
            query={"per_page": _PAGE},
            most=_MOST_TIMELINE_PAGES,
        )
        return self._wire.understood(
            lambda: reading.issue(table(page.value), tables(events), self._name)
        )

    async def change(self, sha: str) -> Change:
        """A commit, with up to 3000 files."""
        what = f"commit {sha}"
        found: Json = {}
        files: list[Json] = []
        pages = self._wire.listed(
            f"{self._base}/commits/{sha}", what, query={"per_page": _PAGE}, most=_MOST_FILE_PAGES
        )
        async for page in pages:
            found = self._wire.understood(partial(table, page.value))
            files += self._wire.understood(partial(tables, found.get("files", [])))
        return self._wire.understood(lambda: reading.change(found, files))

    def recent(self, since: datetime | None) -> AsyncIterator[Sequence[PullRequest]]:
        """The merged ones of the closed requests, the one updated last first."""
        query: dict[str, str | int] = {
            "state": "closed",
            "sort": "updated",
            "direction": "desc",
            "per_page": _PAGE,
        }
        path = f"{self._base}/pulls"
        return self._merged(path, "pull requests", query, since, self._unreviewed, most=_MOST_PAGES)

    async def releases(self, limit: int = 30) -> Sequence[Release]:
        """The newest published ones; drafts are none."""
        query = {"per_page": min(limit, _PAGE)}
        page = await self._wire.get(f"{self._base}/releases", "releases", query=query)
        return self._wire.understood(
            lambda: [release(one) for one in tables(page.value) if not one.get("draft")]
        )[:limit]

    async def compare(self, base: str, head: str) -> Comparison:
        """Commits, oldest first; files stand on the first page only, 300 at most."""
        pages = [
            page
            async for page in self._wire.listed(
                f"{self._base}/compare/{quoted(base)}...{quoted(head)}",
                f"comparison of {base} and {head}",
                query={"per_page": _PAGE},
                most=_MOST_COMMIT_PAGES,
            )
        ]
        return self._wire.understood(
            lambda: reading.comparison(base, head, [table(page.value) for page in pages])
        )

    def _unreviewed(self, found: Json) -> PullRequest:
        return reading.request(found, self._name, None)


async def standing(wire: Wire) -> Json:
    """Who asks, and what is left of the limit: asking this costs nothing."""
    try:
        page = await wire.get("/rate_limit", "rate limit")
    except NotOnForge:
        # An Enterprise Server without limits has no such page.
        return {}
    return wire.understood(lambda: table(page.value))
