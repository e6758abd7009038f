"""Gitea's REST API on loopback: pages of at most 50, diffs as text."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from tests.servers.loopback import Act, Loopback, Sent

TOKEN = "0123456789abcdef-of-the-tests"
MOST_PER_PAGE = 50


def pull(number: int, title: str = "Change something", **more: Any) -> dict[str, Any]:
    """A pull request in Gitea's form; ``more`` replaces fields."""
    return {
        "number": number,
        "title": title,
        "body": "",
        "state": "open",
        "merged": False,
        "user": {"login": "ada"},
        "created_at": "2026-01-20T00:00:00Z",
        "updated_at": "2026-01-22T00:00:00+01:00",
        "merged_at": None,
        "merge_commit_sha": None,
        "labels": [],
        "base": {"ref": "main"},
        "head": {"ref": "topic", "sha": f"{number:040x}"},
        "changed_files": 1,
        **more,
    }


class GiteaServer(Loopback):
    """Gitea; ``gitea.pulls[12] = pull(12)`` creates a request of ``octo/engine``."""

    def __init__(self, *acts: Act) -> None:
        super().__init__(*acts)
        self.pulls: dict[int, dict[str, Any]] = {}
        self.diffs: dict[str, str] = {}
        self.reviews: dict[int, list[dict[str, Any]]] = {}
        self.issues: dict[int, dict[str, Any]] = {}
        self.timelines: dict[int, list[dict[str, Any]]] = {}
        self.commits: dict[str, dict[str, Any]] = {}
        self.statuses: dict[str, list[dict[str, Any]]] = {}
        self.releases: list[dict[str, Any]] = []

    async def handle(self, sent: Sent, request: web.Request) -> web.StreamResponse:
        given = sent.headers.get("authorization")
        if given is not None and given != f"token {TOKEN}":
            return web.json_response({"message": "invalid username, password or token"}, status=401)
        base = "/api/v1/repos/octo/engine/"
        if sent.path == "/api/v1/version":
            return web.json_response({"version": "1.24.0"})
        if given is None or not sent.path.startswith(base):
            return web.json_response({"message": "GetUserByName"}, status=404)
        found = self._found(sent.path.removeprefix(base).split("/"), sent)
        return found or web.json_response({"message": "not found"}, status=404)

    def _found(self, parts: list[str], sent: Sent) -> web.Response | None:
        match parts:
            case ["pulls"]:
                listed = [p for p in self.pulls.values() if p["state"] == sent.query.get("state")]
                if sent.query.get("sort") == "recentupdate":
                    listed.sort(key=lambda p: p["updated_at"], reverse=True)
                return self._listed(listed, sent)
            case ["pulls", name] if name.endswith(".diff") and name in self.diffs:
                return web.Response(text=self.diffs[name], content_type="text/plain")
            case ["pulls", number] if number.isdigit() and int(number) in self.pulls:
                return web.json_response(self.pulls[int(number)])
            case ["pulls", number, "reviews"] if int(number) in self.pulls:
                return self._listed(self.reviews.get(int(number), []), sent)
            case ["issues", number] if int(number) in self.issues:
                return web.json_response(self.issues[int(number)])
            case ["issues", number, "timeline"] if int(number) in self.issues:
                return self._listed(self.timelines.get(int(number), []), sent)
            case ["git", "commits", name] if name.endswith(".diff") and name in self.diffs:
                return web.Response(text=self.diffs[name], content_type="text/plain")
            case ["git", "commits", sha] if sha in self.commits:
                return web.json_response(self.commits[sha])
            case ["commits", sha, "status"]:
                return web.json_response({"state": "", "statuses": self.statuses.get(sha)})
            case ["releases"]:
                return self._listed(self.releases, sent)
        return None

    def _listed(self, whole: list[Any], sent: Sent) -> web.Response:
        size = min(int(sent.query.get("limit", 30)), MOST_PER_PAGE)
        page = int(sent.query.get("page", 1))
        start = (page - 1) * size
        headers = {"x-total-count": str(len(whole))}
        if start + size < len(whole):
            query = "&".join(f"{k}={v}" for k, v in sent.query.items() if k != "page")
            headers["link"] = f'<{self.url}{sent.path}?{query}&page={page + 1}>; rel="next"'
        return web.json_response(whole[start : start + size], headers=headers)
