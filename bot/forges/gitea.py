"""Gitea and Forgejo over REST v1 (https://docs.gitea.com/api).

Files are listed without lines, so the diff of a request is asked for as a text.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import TypeVar

from bot.forges import fields
from bot.forges.fields import Json, inner, table, tables
from bot.forges.github_reading import quoted
from bot.forges.wire import Page, Wire
from digest.change import Change, Commit
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
    final,
)
from digest.unified import read_diff

_PAGE = 50
"""The most that an instance gives by default."""

_MOST_PAGES = 20
_TEXT = "text/plain"
_VERDICTS = {
    "APPROVED": Verdict.APPROVED,
    "REQUEST_CHANGES": Verdict.CHANGES_REQUESTED,
    "COMMENT": Verdict.COMMENTED,
    "REQUEST_REVIEW": Verdict.ASKED,
}

T = TypeVar("T")


class Gitea:
    """A repository on Gitea; implements ``Forge`` and ``Publishing``. ``name`` is owner/name."""

    def __init__(self, wire: Wire, name: str) -> None:
        self._wire = wire
        self._name = name
        self._base = f"/repos/{name}"
        self.eager = wire.credentials.known

    async def request(self, number: int) -> PullRequest:
        """A pull request with its reviewers and the issues that its text closes."""
        what = f"pull request #{number}"
        path = f"{self._base}/pulls/{number}"
        page = await self._wire.get(path, what)
        given = await self._wire.all(f"{path}/reviews", what, query={"limit": _PAGE}, most=5)
        return self._read(
            lambda: _request(table(page.value), self._name, final(_reviewers(tables(given))))
        )

    async def patch(self, request: PullRequest) -> Patch:
        """Its files with their lines, from its diff."""
        path = f"{self._base}/pulls/{request.number}.diff"
        page = await self._wire.get(path, f"pull request #{request.number}", accept=_TEXT)
        files = read_diff(str(page.value))
        return Patch(files=files, total=max(request.files, len(files)))

    async def issue(self, number: int) -> Issue:
        """An issue, with what its timeline says of requests and commits."""
        what = f"issue #{number}"
        path = f"{self._base}/issues/{number}"
        page = await self._wire.get(path, what)
        events = await self._wire.all(f"{path}/timeline", what, query={"limit": _PAGE}, most=5)
        return self._read(lambda: _issue(table(page.value), tables(events)))

    async def change(self, sha: str) -> Change:
        """A commit with its files."""
        what = f"commit {sha}"
        path = f"{self._base}/git/commits/{sha}"
        page = await self._wire.get(path, what)
        diff = await self._wire.get(f"{path}.diff", what, accept=_TEXT)
        return self._read(lambda: _change(table(page.value), str(diff.value)))

    async def recent(self, since: datetime | None) -> AsyncIterator[Sequence[PullRequest]]:
        """The merged ones of the closed requests, the one updated last first."""
        query: dict[str, str | int] = {"state": "closed", "sort": "recentupdate", "limit": _PAGE}
        path = f"{self._base}/pulls"
        async for page in self._wire.listed(path, "pull requests", query=query, most=_MOST_PAGES):
            listed = self._read(partial(self._all, page))
            fresh = [one for one in listed if since is None or one.updated_at >= since]
            yield [one for one in fresh if one.state is RequestState.MERGED]
            if len(fresh) < len(listed):
                return

    async def releases(self, limit: int = 30) -> Sequence[Release]:
        """The newest published ones; drafts are none."""
        query = {"limit": min(limit, _PAGE)}
        page = await self._wire.get(f"{self._base}/releases", "releases", query=query)
        return self._read(
            lambda: [_release(one) for one in tables(page.value) if not one.get("draft")]
        )[:limit]

    async def compare(self, base: str, head: str) -> Comparison:
        """Commits, oldest first; Gitea lists no files here."""
        what = f"comparison of {base} and {head}"
        page = await self._wire.get(f"{self._base}/compare/{quoted(base)}...{quoted(head)}", what)
        return self._read(lambda: _comparison(base, head, table(page.value)))

    def _all(self, page: Page) -> Sequence[PullRequest]:
        return [_request(one, self._name, None) for one in tables(page.value)]

    def _read(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except ValueError as error:
            raise self._wire.odd(str(error)) from error


async def standing(wire: Wire) -> Json:
    """Who asks, or which version answers. Raises ``ForgeUnauthorized`` for a wrong token."""
    page = await wire.get("/user" if wire.credentials.known else "/version", "account")
    try:
        return table(page.value)
    except ValueError as error:
        raise wire.odd(str(error)) from error


def _request(found: Json, name: str, reviewers: tuple[Reviewer, ...] | None) -> PullRequest:
    merged = fields.flag(found, "merged")
    is_open = fields.text(found, "state") == "open"
    body = fields.text(found, "body", fields.BODY)
    ended = RequestState.MERGED if merged else RequestState.CLOSED
    return PullRequest(
        number=fields.number(found, "number"),
        title=fields.line(found, "title", fields.TITLE),
        state=RequestState.OPEN if is_open else ended,
        author=_author(found),
        created_at=fields.moment(found, "created_at"),
        updated_at=fields.moment(found, "updated_at"),
        body=body,
        draft=fields.flag(found, "draft"),
        base=fields.line(inner(found, "base"), "ref"),
        head=fields.sha(inner(found, "head"), "sha"),
        merge_commit=fields.sha(found, "merge_commit_sha") if merged else "",
        merged_at=fields.moment_or_none(found, "merged_at") if merged else None,
        labels=fields.names(found, "labels"),
        issues=closing(body, name),
        reviewers=reviewers or (),
        reviewed=reviewers is not None,
        files=fields.count(found, "changed_files"),
    )


def _author(found: Json) -> str:
    return fields.line(inner(found, "user"), "login") or "ghost"


def _reviewers(given: Sequence[Json]) -> Iterator[Reviewer]:
    for review in given:
        verdict = _VERDICTS.get(fields.text(review, "state"))
        if fields.flag(review, "dismissed"):
            verdict = Verdict.DISMISSED
        if verdict is not None:
            yield Reviewer(name=_author(review), verdict=verdict)


def _issue(found: Json, events: Sequence[Json]) -> Issue:
    closed = fields.text(found, "state") == "closed"
    mentions = [
        fields.number(inner(event, "ref_issue"), "number")
        for event in events
        if fields.text(event, "type") == "pull_ref"
    ]
    return Issue(
        number=fields.number(found, "number"),
        title=fields.line(found, "title", fields.TITLE),
        state=IssueState.CLOSED if closed else IssueState.OPEN,
        author=_author(found),
        created_at=fields.moment(found, "created_at"),
        body=fields.text(found, "body", fields.BODY),
        labels=fields.names(found, "labels"),
        closed_at=fields.moment_or_none(found, "closed_at"),
        mentions=tuple(dict.fromkeys(mentions)),
    )


def _change(found: Json, diff: str) -> Change:
    commit = inner(found, "commit")
    written, kept = inner(commit, "author"), inner(commit, "committer")
    return Change(
        commit=Commit(
            sha=fields.sha(found, "sha"),
            parents=tuple(fields.sha(parent, "sha") for parent in tables(found.get("parents", []))),
            author=fields.line(written, "name"),
            email=fields.line(written, "email"),
            authored_at=fields.moment(written, "date"),
            committed_at=fields.moment(kept, "date"),
            message=fields.text(commit, "message", fields.BODY),
        ),
        files=read_diff(diff),
    )


def _release(found: Json) -> Release:
    return Release(
        tag=fields.line(found, "tag_name"),
        name=fields.line(found, "name") or fields.line(found, "tag_name"),
        published_at=fields.moment(found, "published_at"),
        body=fields.text(found, "body", fields.BODY),
        prerelease=fields.flag(found, "prerelease"),
    )


def _comparison(base: str, head: str, found: Json) -> Comparison:
    commits = tuple(fields.sha(one, "sha") for one in tables(found.get("commits", [])))
    total = fields.count(found, "total_commits")
    # The newest stands first here.
    return Comparison(
        base=base,
        head=head,
        commits=commits[::-1],
        total=max(total, len(commits)),
        patch=Patch(files=(), total=1 if commits else 0),
    )
