"""GitHub and GitHub Enterprise Server over REST, version 2022-11-28.

The version is pinned because 2026-03-10 leaves ``merge_commit_sha`` out of pull requests. On
Enterprise Server the API is at ``https://HOST/api/v3``.
https://docs.github.com/en/rest/about-the-rest-api/breaking-changes

Functions that read JSON raise ``ValueError`` for invalid values. Fields:
https://docs.github.com/en/rest/pulls/pulls, /issues/timeline, /commits/commits.

An app is an account too: a signed JSON web token buys an access token for an hour.
https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/
generating-a-json-web-token-jwt-for-a-github-app: RS256, valid for at most ten minutes, issued a
minute in the past because clocks differ.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType

from bot.forges import fields
from bot.forges.fields import Json, inner, table, tables
from bot.forges.forge_client import ForgeClient, ForgeRepository, understood
from digest.core import request as forge
from digest.core.change import Change, FileChange, FileStatus
from digest.diff.unified_diff import before, read_hunks
from digest.errors import ForgeUnauthorized, NotOnForge
from handlers.ports.storage import Clock

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
    "APPROVED": forge.ReviewVerdict.APPROVED,
    "CHANGES_REQUESTED": forge.ReviewVerdict.CHANGES_REQUESTED,
    "COMMENTED": forge.ReviewVerdict.COMMENTED,
    "DISMISSED": forge.ReviewVerdict.DISMISSED,
}
_PATH = 4096
_TEXT = 1 << 20


def read_reviews(given: Sequence[Json], of: Json) -> Iterator[forge.Reviewer]:
    """Requested reviewers, followed by reviews in the order they were given."""
    for asked in fields.names(of, "requested_reviewers", "login"):
        yield forge.Reviewer(name=asked, verdict=forge.ReviewVerdict.ASKED)
    mine = fields.author(of)
    for review in given:
        verdict = _VERDICTS.get(fields.text(review, "state"))
        name = fields.author(review)
        # Replying to remarks is no review of one's own work.
        if verdict is not None and name != mine:
            yield forge.Reviewer(name=name, verdict=verdict)


def read_file(data: Json) -> FileChange:
    """A file; the patch of a binary or very large one is missing."""
    status = _STATUSES.get(fields.text(data, "status"))
    path = fields.text(data, "filename", _PATH)
    if status is None or not path:
        raise ValueError("a file without a name or with an unknown status")
    added, deleted = fields.count(data, "additions"), fields.count(data, "deletions")
    patch = fields.text(data, "patch", 4 << 20)
    moved = status in {FileStatus.RENAMED, FileStatus.COPIED}
    return FileChange(
        path=path,
        status=status,
        old_path=fields.text(data, "previous_filename", _PATH) if moved else None,
        added=added,
        deleted=deleted,
        hunks=read_hunks(patch).hunks,
        omitted=not patch and added + deleted > 0,
        new_id="" if status is FileStatus.DELETED else fields.sha_field(data, "sha"),
    )


def read_content(data: Json) -> str | None:
    """The text of a blob; ``None`` if it is not text or is over the size limit."""
    packed = fields.text(data, "content", 2 * _TEXT)
    if fields.text(data, "encoding") != "base64" or fields.count(data, "size") > _TEXT:
        return None
    try:
        return base64.b64decode(packed).decode("utf-8")
    except UnicodeDecodeError:
        return None


def read_request(
    data: Json, repository: str, reviewers: tuple[forge.Reviewer, ...] | None
) -> forge.PullRequest:
    """A pull request; ``reviewers`` is ``None`` if they were not requested."""
    merged = fields.moment_or_none(data, "merged_at") is not None
    return fields.request(data, repository, reviewers, merged=merged)


def issue(data: Json, events: Sequence[Json], repository: str) -> forge.Issue:
    """An issue with the data of its timeline."""
    return fields.issue(data, _mentions(events, repository), _closings(events))


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
        if fields.text(event, "event") == "closed" and (
            name := fields.sha_field(event, "commit_id")
        ):
            yield name


def _check_states(runs: Json, statuses: Json) -> Iterator[tuple[str, str]]:
    for run in tables(runs.get("check_runs", [])):
        yield (
            fields.line(run, "name"),
            fields.text(run, "conclusion"),
        )  # empty until it is completed
    for status in tables(statuses.get("statuses", [])):
        yield fields.line(status, "context"), fields.text(status, "state")


HEADERS = {"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"}
"""Headers of every request."""

_MOST_FILES = 3000
"""The most files that the API lists of a pull request or commit; further ones are only counted."""

_MOST_FILE_PAGES = _MOST_FILES // 100
_MOST_TEXTS = 20  # the most file contents that are fetched, each by a request
_MOST_TIMELINE_PAGES = 5


class GitHub(ForgeRepository):
    """A repository on GitHub; implements ``Forge`` and ``Publishing``. ``name`` is owner/name."""

    requests = ("pulls", "pull requests")
    newest = MappingProxyType({"state": "closed", "sort": "updated", "direction": "desc"})

    def __init__(self, wire: ForgeClient, name: str) -> None:
        super().__init__(wire, name, f"/repos/{name}")

    @understood
    async def request(self, number: int) -> forge.PullRequest:
        """A pull request with its reviewers and the issues that its text closes."""
        path, what = f"pulls/{number}", f"pull request #{number}"
        data = await self._one(path, what)
        reviews = await self._all(f"{path}/reviews", what, 5)
        return read_request(data, self._name, forge.final(read_reviews(reviews, data)))

    @understood
    async def patch(self, request: forge.PullRequest) -> forge.Patch:
        """Its files with their lines; at most 3000 files are listed."""
        number = request.number
        listed = await self._all(
            f"pulls/{number}/files", f"pull request #{number}", _MOST_FILE_PAGES
        )
        files = tuple(map(read_file, listed))
        whole = forge.Patch(files=files, total=max(request.files, len(files)))
        return await self._with_texts(request, whole)

    async def _with_texts(self, request: forge.PullRequest, patch: forge.Patch) -> forge.Patch:
        """The files with the contents that facts are read from, as far as the rate limit allows."""
        # Without an account there are few requests an hour: facts are read from lines alone.
        if not self.eager:
            return patch
        # Most questions read no patch, and the extraction of facts is large.
        from digest.facts.extract import wanted_blobs

        asked = dict.fromkeys(wanted_blobs(forge.as_change(request, patch))[:_MOST_TEXTS])
        given = {blob: await self._text(blob) for blob in asked}
        texts: dict[str, str] = {}
        files: list[FileChange] = []
        for file in patch.files:
            after = given.get(file.new_id)
            old = before(after, file.hunks) if after is not None else None
            if after is not None and old is not None and file.status is not FileStatus.ADDED:
                file = replace(file, old_id=f"before {file.new_id}")  # noqa: PLW2901 - the completed file
                texts[file.old_id] = old
            if after is not None:
                texts[file.new_id] = after
            files.append(file)
        return replace(patch, files=tuple(files), texts=texts)

    async def _text(self, blob: str) -> str | None:
        """A file's content; ``None`` if the forge does not give it."""
        try:
            return read_content(await self._one(f"git/blobs/{blob}", "file"))
        except NotOnForge:
            return None

    @understood
    async def checks(self, request: forge.PullRequest) -> forge.Checks | None:
        """Check runs and statuses of its newest commit, a page of each."""
        what, path = f"pull request #{request.number}", f"{self._base}/commits/{request.head}"
        query = dict([self.per_page])
        runs = await self.wire.get(f"{path}/check-runs", what, query=query)
        statuses = await self.wire.get(f"{path}/status", what, query=query)
        return fields.checks(_check_states(table(runs.value), table(statuses.value)))

    @understood
    async def issue(self, number: int) -> forge.Issue:
        """An issue, with the requests and commits in its timeline."""
        path, what = f"issues/{number}", f"issue #{number}"
        data = await self._one(path, what)
        events = await self._all(f"{path}/timeline", what, _MOST_TIMELINE_PAGES)
        return issue(data, events, self._name)

    @understood
    async def change(self, sha: str) -> Change:
        """A commit, with up to 3000 files."""
        data: Json = {}
        files: list[Json] = []
        pages = self.wire.listed(
            f"{self._base}/commits/{sha}",
            f"commit {sha}",
            query=dict([self.per_page]),
            most=_MOST_FILE_PAGES,
        )
        async for page in pages:
            data = table(page.value)
            files += tables(data.get("files", []))
        return fields.change(data, tuple(map(read_file, files)))

    def _read_listed(self, data: Json) -> forge.PullRequest:
        return read_request(data, self._name, None)


async def standing(wire: ForgeClient) -> Json:
    """The account and the rest of its limit; this request is free."""
    try:
        return await wire.one("/rate_limit", "rate limit")
    except NotOnForge:
        # An Enterprise Server without limits has no such page.
        return {}


_AHEAD = timedelta(minutes=5)
"""A token is renewed this long before it expires, so that none expires during a request."""


class GitHubApp:
    """The installation of an app. ``asking`` reaches the forge without credentials."""

    # If ``installation`` is 0, it is the one that has the repository ``home`` (``owner/name``).

    known = True

    def __init__(
        self, app: str, key: str, asking: ForgeClient, clock: Clock, *, installation: int, home: str
    ) -> None:
        self.name = f"app {app} {installation or home}"
        self._app = app
        self._key = key
        self._asking = asking
        self._clock = clock
        self._installation = installation
        self._home = home
        self._token = ""
        self._until: datetime | None = None
        self._turn = asyncio.Lock()

    async def headers(self) -> Mapping[str, str]:
        """The installation's token, renewed if it is about to expire."""
        async with self._turn:
            now = self._clock.now()
            if self._until is None or now >= self._until - _AHEAD:
                await self._renew(now)
        return {"authorization": f"Bearer {self._token}"}

    def refused(self) -> bool:
        """A token can be revoked early: fetch a new one next time."""
        had, self._until = self._until, None
        return had is not None

    async def _renew(self, now: datetime) -> None:
        signed = {
            "authorization": f"Bearer {statement(self._app, self._key, now, self._asking.host)}"
        }
        with self._asking.understood():
            if not self._installation:
                path, what = f"/repos/{self._home}/installation", f"installation for {self._home}"
                found = await self._asking.send("GET", path, what, signed)
                self._installation = fields.number(table(found.value), "id")
            path = f"/app/installations/{self._installation}/access_tokens"
            what = f"installation {self._installation}"
            data = table((await self._asking.send("POST", path, what, signed)).value)
            self._token = fields.text(data, "token", 1000)
            self._until = fields.moment(data, "expires_at")


def statement(app: str, key: str, now: datetime, host: str) -> str:
    """The signed JSON web token of the app. Raises ``ForgeUnauthorized``."""
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    seconds = int(now.timestamp())
    claims = {"iat": seconds - 60, "exp": seconds + 540, "iss": app}
    signed = ".".join(_part(json.dumps(part).encode()) for part in ({"alg": "RS256"}, claims))
    try:
        private = load_pem_private_key(key.encode(), password=None)
    except (ValueError, TypeError):
        private = None
    if not isinstance(private, RSAPrivateKey):
        raise ForgeUnauthorized(host, "app_key is not an RSA private key in PEM format") from None
    return f"{signed}.{_part(private.sign(signed.encode(), PKCS1v15(), SHA256()))}"


def _part(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
