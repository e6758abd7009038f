"""GitLab's REST API on loopback: tokens in its own header, projects by escaped path."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from aiohttp import web

from tests.servers.loopback import Act, Loopback, Sent

TOKEN = "glpat-the-token-of-the-tests"


def merge_request(iid: int, title: str = "Change something", **more: Any) -> dict[str, Any]:
    """A merge request in GitLab's form; ``more`` replaces fields."""
    return {
        "id": 9000 + iid,
        "iid": iid,
        "title": title,
        "description": "",
        "state": "opened",
        "draft": False,
        "author": {"username": "ada", "avatar_url": None},
        "created_at": "2026-01-20T00:00:00.000Z",
        "updated_at": "2026-01-22T00:00:00.000+01:00",
        "merged_at": None,
        "sha": f"{iid:040x}",
        "merge_commit_sha": None,
        "squash_commit_sha": None,
        "target_branch": "main",
        "labels": [],
        "reviewers": [],
        "changes_count": "1",
        **more,
    }


class GitLabServer(Loopback):
    """GitLab; ``gitlab.requests[12] = merge_request(12)`` adds one to ``group/sub/engine``."""

    def __init__(self, *acts: Act) -> None:
        super().__init__(*acts)
        self.requests: dict[int, dict[str, Any]] = {}
        self.diffs: dict[int, list[dict[str, Any]]] = {}
        self.approvals: dict[int, list[str]] = {}
        self.issues: dict[int, dict[str, Any]] = {}
        self.related: dict[int, list[dict[str, Any]]] = {}
        self.commits: dict[str, dict[str, Any]] = {}
        self.pipelines: dict[int, list[dict[str, Any]]] = {}
        self.releases: list[dict[str, Any]] = []
        self.remaining = 2000

    async def handle(self, sent: Sent, request: web.Request) -> web.StreamResponse:
        token = sent.headers.get("private-token")
        if token is not None and token != TOKEN:
            return web.json_response({"message": "401 Unauthorized"}, status=401)
        base = "/api/v4/projects/group%2Fsub%2Fengine/"
        if request.raw_path.startswith("/api/v4/user"):
            return self._json({"username": "bot"}, sent)
        if token is None or not request.raw_path.startswith(base):
            return web.json_response({"message": "404 Project Not Found"}, status=404)
        if self.remaining == 0:
            headers = {"retry-after": "60", "ratelimit-remaining": "0"}
            return web.Response(status=429, text="Retry later", headers=headers)
        self.remaining -= 1
        parts = request.raw_path.removeprefix(base).partition("?")[0].split("/")
        found = self._found(parts, sent)
        if found is None:
            return web.json_response({"message": "404 Not found"}, status=404)
        return found

    def _found(self, parts: list[str], sent: Sent) -> web.Response | None:
        match parts:
            case ["merge_requests"]:
                state = sent.query.get("state", "all")
                listed = [r for r in self.requests.values() if state in {"all", r["state"]}]
                listed.sort(key=lambda r: r["updated_at"], reverse=sent.query.get("sort") == "desc")
                return self._listed(listed, sent)
            case ["merge_requests", iid] if int(iid) in self.requests:
                return self._json(self.requests[int(iid)], sent)
            case ["merge_requests", iid, "approvals"] if int(iid) in self.requests:
                by = [{"user": {"username": name}} for name in self.approvals.get(int(iid), [])]
                return self._json({"approved_by": by}, sent)
            case ["merge_requests", iid, "pipelines"] if int(iid) in self.requests:
                return self._listed(self.pipelines.get(int(iid), []), sent)
            case ["merge_requests", iid, "diffs"] if int(iid) in self.requests:
                return self._listed(self.diffs.get(int(iid), []), sent)
            case ["issues", iid] if int(iid) in self.issues:
                return self._json(self.issues[int(iid)], sent)
            case ["issues", iid, "related_merge_requests"] if int(iid) in self.issues:
                return self._listed(self.related.get(int(iid), []), sent)
            case ["repository", "commits", sha] if sha in self.commits:
                return self._json(self.commits[sha], sent)
            case ["repository", "commits", sha, "diff"] if sha in self.commits:
                return self._listed(self.diffs.get(0, []), sent)
            case ["releases"]:
                return self._listed(self.releases, sent)
        return None

    def _listed(self, whole: list[Any], sent: Sent) -> web.Response:
        size = min(int(sent.query.get("per_page", 20)), 100)
        page = int(sent.query.get("page", 1))
        start = (page - 1) * size
        link = ""
        if start + size < len(whole):
            query = "&".join(f"{k}={v}" for k, v in sent.query.items() if k != "page")
            path = sent.path.replace("group/sub/engine", "group%2Fsub%2Fengine")
            link = f'<{self.url}{path}?{query}&page={page + 1}>; rel="next"'
        return self._json(whole[start : start + size], sent, link)

    def _json(self, value: Any, sent: Sent, link: str = "") -> web.Response:
        body = json.dumps(value)
        etag = f'W/"{hashlib.sha256((body + link).encode()).hexdigest()[:32]}"'
        limits = {
            "ratelimit-limit": "2000",
            "ratelimit-remaining": str(self.remaining),
            "ratelimit-reset": str(int(self.now()) + 60),
        }
        headers = {"etag": etag, **limits, **({"link": link} if link else {})}
        if sent.headers.get("if-none-match") == etag:
            return web.Response(status=304, headers=headers)
        return web.Response(text=body, content_type="application/json", headers=headers)
