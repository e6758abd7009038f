"""GitHub's REST API on loopback, as strict with clients as the real one."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import UTC, datetime
from typing import Any

from aiohttp import web
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256

from tests.servers.loopback import Act, Fails, Loopback, Sent

TOKEN = "ghp_the-token-of-the-tests"


def moment(day: int, hour: int = 0) -> str:
    return f"2026-01-{day:02}T{hour:02}:00:00Z"


def pull(number: int, title: str = "Change something", **more: Any) -> dict[str, Any]:
    """A pull request in GitHub's form; ``more`` replaces fields."""
    return {
        "url": f"https://api.github.com/repos/octo/engine/pulls/{number}",
        "html_url": f"https://github.com/octo/engine/pull/{number}",
        "number": number,
        "title": title,
        "body": "",
        "state": "open",
        "draft": False,
        "user": {"login": "ada", "avatar_url": "https://example.org/a.png"},
        "created_at": moment(20),
        "updated_at": moment(22),
        "merged_at": None,
        "merge_commit_sha": "f" * 40,
        "labels": [],
        "requested_reviewers": [],
        "base": {"ref": "main", "sha": "b" * 40, "repo": {"full_name": "octo/engine"}},
        "head": {"ref": "topic", "sha": f"{number:040x}", "repo": None},
        "changed_files": 1,
        **more,
    }


def merged(number: int, day: int = 22, **more: Any) -> dict[str, Any]:
    at = moment(day)
    return pull(number, **{"state": "closed", "merged_at": at, "updated_at": at, **more})


class GitHubServer(Loopback):
    """GitHub; ``github.pulls[12] = pull(12)`` creates a request.

    ``private`` hides everything from anonymous clients. ``limit`` requests are allowed; a 304 is
    free. ``public_key`` belongs to an app.
    """

    def __init__(self, *acts: Act, prefix: str = "", anonymous: bool = False) -> None:
        super().__init__(*acts)
        self.prefix = prefix
        self.anonymous = anonymous
        self.tokens = {TOKEN}
        self.pulls: dict[int, dict[str, Any]] = {}
        self.files: dict[int, list[dict[str, Any]]] = {}
        self.reviews: dict[int, list[dict[str, Any]]] = {}
        self.issues: dict[int, dict[str, Any]] = {}
        self.timelines: dict[int, list[dict[str, Any]]] = {}
        self.blobs: dict[str, bytes] = {}
        self.commits: dict[str, dict[str, Any]] = {}
        self.refused_checks: Fails | None = None
        self.check_runs: dict[str, list[dict[str, Any]]] = {}
        self.statuses: dict[str, list[dict[str, Any]]] = {}
        self.releases: list[dict[str, Any]] = []
        self.limit = 5000
        self.used = 0
        self.resets_in = 1800
        self.most_per_page = 100
        self.public_key: Any = None
        self.token_life = 3600.0
        self.made_tokens = 0

    async def handle(self, sent: Sent, request: web.Request) -> web.StreamResponse:
        if not sent.path.startswith(f"{self.prefix}/") and self.prefix:
            return web.Response(status=404, text="not the API")
        path = sent.path.removeprefix(self.prefix)
        if "user-agent" not in sent.headers:
            return self._said(403, "Request forbidden by administrative rules")
        version = sent.headers.get("x-github-api-version")
        if version != "2022-11-28":
            return self._said(400, f"{version} is not a valid API version")
        if path.startswith("/app/") or path.endswith("/installation"):
            return self._app(sent, path)
        if (refused := self._refused(sent)) is not None:
            return refused
        if path == "/rate_limit":
            return self._json({"resources": {"core": self._quota()}, "rate": self._quota()}, sent)
        if self.used >= self.limit:
            return self._said(403, "API rate limit exceeded for user ID 1.")
        found = self._found(path, sent)
        if found is None:
            self.used += 1
            return self._said(404, "Not Found")
        return found

    def _refused(self, sent: Sent) -> web.Response | None:
        given = sent.headers.get("authorization")
        if given is None:
            return None if self.anonymous else self._said(404, "Not Found")
        scheme, _, token = given.partition(" ")
        if scheme.lower() not in {"bearer", "token"} or token not in self.tokens:
            return self._said(401, "Bad credentials")
        return None

    def _found(self, path: str, sent: Sent) -> web.Response | None:
        parts = path.strip("/").split("/")
        if parts[:3] != ["repos", "octo", "engine"]:
            return None
        match parts[3:]:
            case ["pulls"]:
                state = sent.query.get("state", "open")
                listed = [p for p in self.pulls.values() if p["state"] == state]
                if sent.query.get("sort") == "updated":
                    listed.sort(
                        key=lambda p: p["updated_at"], reverse=sent.query.get("direction") == "desc"
                    )
                plain = [{k: v for k, v in p.items() if k != "changed_files"} for p in listed]
                return self._listed(plain, sent)
            case ["pulls", number] if int(number) in self.pulls:
                return self._json(self.pulls[int(number)], sent)
            case ["pulls", number, "files"] if int(number) in self.pulls:
                return self._listed(self.files.get(int(number), [])[:3000], sent)
            case ["pulls", number, "reviews"] if int(number) in self.pulls:
                return self._listed(self.reviews.get(int(number), []), sent)
            case ["issues", number] if int(number) in self.issues:
                return self._json(self.issues[int(number)], sent)
            case ["issues", number, "timeline"] if int(number) in self.issues:
                return self._listed(self.timelines.get(int(number), []), sent)
            case ["commits", _, "check-runs"] if self.refused_checks is not None:
                return self._said(self.refused_checks.status, "Resource not accessible by token")
            case ["commits", sha, "check-runs"]:
                runs = self.check_runs.get(sha, [])
                return self._json({"total_count": len(runs), "check_runs": runs}, sent)
            case ["commits", sha, "status"]:
                given = self.statuses.get(sha, [])
                return self._json({"state": "pending", "statuses": given}, sent)
            case ["commits", sha]:
                return self._commit(sha, sent)
            case ["git", "blobs", sha] if sha in self.blobs:
                packed = base64.encodebytes(self.blobs[sha]).decode()
                size = len(self.blobs[sha])
                return self._json({"content": packed, "encoding": "base64", "size": size}, sent)
            case ["releases"]:
                return self._listed(self.releases, sent)
        return None

    def _commit(self, sha: str, sent: Sent) -> web.Response | None:
        if sha not in self.commits:
            return self._said(422, f"No commit found for SHA: {sha}")
        found = self.commits[sha]
        files, link = self._page(found["files"], sent)
        return self._json({**found, "files": files}, sent, link)

    def _listed(self, whole: list[Any], sent: Sent) -> web.Response:
        some, link = self._page(whole, sent)
        return self._json(some, sent, link)

    def _page(self, whole: list[Any], sent: Sent) -> tuple[list[Any], str]:
        size = min(int(sent.query.get("per_page", 30)), self.most_per_page)
        page = int(sent.query.get("page", 1))
        start = (page - 1) * size
        link = ""
        if start + size < len(whole):
            query = "&".join(f"{k}={v}" for k, v in sent.query.items() if k != "page")
            here = f"{self.url}{sent.path}?{query}"
            link = f'<{here}&page={page + 1}>; rel="next", <{here}&page=9>; rel="last"'
        return whole[start : start + size], link

    def _json(self, value: Any, sent: Sent, link: str = "") -> web.Response:
        body = json.dumps(value)
        etag = f'W/"{hashlib.sha256((body + link).encode()).hexdigest()}"'
        headers = {"etag": etag, **({"link": link} if link else {})}
        if sent.headers.get("if-none-match") == etag:
            return web.Response(status=304, headers={**headers, **self._headers()})
        if sent.path.removeprefix(self.prefix) != "/rate_limit":
            self.used += 1
        response = web.Response(
            text=body, content_type="application/json", headers={**headers, **self._headers()}
        )
        if "gzip" in sent.headers.get("accept-encoding", ""):
            response.enable_compression(web.ContentCoding.gzip)
        return response

    def _said(self, status: int, message: str) -> web.Response:
        return web.json_response({"message": message}, status=status, headers=self._headers())

    def _quota(self) -> dict[str, int]:
        left = max(self.limit - self.used, 0)
        reset = int(self.now()) + self.resets_in
        return {"limit": self.limit, "remaining": left, "used": self.used, "reset": reset}

    def _headers(self) -> dict[str, str]:
        return {f"x-ratelimit-{k}": str(v) for k, v in self._quota().items()} | {
            "x-ratelimit-resource": "core"
        }

    def _app(self, sent: Sent, path: str) -> web.Response:
        """Paths that need an app's own statement instead of a token."""
        claims = self._claims(sent.headers.get("authorization", ""))
        if claims is None:
            return self._said(401, "A JSON web token could not be decoded")
        if path == "/repos/octo/engine/installation":
            return web.json_response({"id": 77})
        if path == "/app/installations/77/access_tokens" and sent.method == "POST":
            self.made_tokens += 1
            token = f"ghs_installation-{self.made_tokens}"
            self.tokens.add(token)
            until = datetime.fromtimestamp(self.now() + self.token_life, UTC)
            told = {"token": token, "expires_at": until.strftime("%Y-%m-%dT%H:%M:%SZ")}
            return web.json_response(told, status=201)
        return self._said(404, "Not Found")

    def _claims(self, given: str) -> dict[str, Any] | None:
        try:
            head, claims, signature = given.removeprefix("Bearer ").split(".")
            self.public_key.verify(
                _bytes(signature), f"{head}.{claims}".encode(), PKCS1v15(), SHA256()
            )
            told = json.loads(_bytes(claims))
        except (ValueError, InvalidSignature):
            return None
        now = self.now()
        lasts = told["exp"] - told["iat"] <= 600
        valid = told["iat"] <= now < told["exp"] and lasts and told["iss"] == "4711"
        return told if valid and json.loads(_bytes(head)) == {"alg": "RS256"} else None


def _bytes(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
