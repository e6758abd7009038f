"""Slack on loopback: enforces its limits, checks tokens, and can misbehave.

It runs in a thread with its own loop. ``plan`` sets what happens to the next calls of a method;
``messages`` are the posted messages, ``seen`` what a person reads of them.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.servers.pictures import size_of
from tests.servers.slack_blocks import Refused, check_blocks, notifying, shown, units
from tests.servers.slack_socket import Sockets
from tests.servers.threaded import Threaded, all_taken

BOT_TOKEN, APP_TOKEN = "xoxb-9c1e77aa-bot-secret", "xapp-4f0d-app-secret"
TEAM, BOT_USER, BOT = "T0TEAM", "U0BOT", "B0BOT"
CHANNEL, DIRECT, PERSON = "C0GENERAL", "D0ADA", "U0ADA"
CLIENT_ID, CLIENT_SECRET = "111.222", "client-secret-77"
BASIC = "Basic " + base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
MOST_TEXT, MOST_EDITED_TEXT = 40_000, 4_000


@dataclass(frozen=True)
class Limited:
    """429, with the seconds to wait."""

    after: int = 1


@dataclass(frozen=True)
class Fails:
    """A status with an arbitrary body."""

    status: int = 500
    body: str = "<html>oops</html>"


@dataclass(frozen=True)
class Refuses:
    """An error code."""

    code: str
    more: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Hangs:
    """No answer; the call is carried out if ``taken``."""

    taken: bool = False


@dataclass(frozen=True)
class Drops:
    """The connection is cut without an answer; the call is carried out if ``taken``."""

    taken: bool = False


@dataclass(frozen=True)
class Slow:
    """The call is carried out and answered after a while."""

    seconds: float = 1.0


Act = Limited | Fails | Refuses | Hangs | Drops | Slow


@dataclass
class Message:
    """A posted message."""

    channel: str
    ts: str
    values: dict[str, Any]
    user: str = BOT_USER
    edited: int = 0

    @property
    def text(self) -> str:
        return shown(self.values.get("blocks"), self.values.get("text", ""))

    @property
    def thread(self) -> str:
        return self.values.get("thread_ts") or ""

    def told(self, *, all_metadata: bool) -> dict[str, Any]:
        found = {"type": "message", "ts": self.ts, "user": self.user, "text": self.text}
        if self.user == BOT_USER:
            found |= {"bot_id": BOT, "app_id": "A0APP"}
        if self.thread:
            found["thread_ts"] = self.thread
        if metadata := self.values.get("metadata"):
            found["metadata"] = metadata if all_metadata else {"event_type": metadata["event_type"]}
        return found


@dataclass
class Channel:
    """A conversation; ``member`` says whether the bot is in it."""

    name: str = ""
    member: bool = True
    archived: bool = False
    external: bool = False


class SlackServer(Threaded):
    """Slack; use ``with SlackServer() as server:``. ``server.url`` is the base of the Web API."""

    def __init__(
        self,
        *,
        burst: float = 20,
        rate: float = 1.0,
        page: int = 200,
        workspace: tuple[int, float] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``rate`` is in messages per second and channel, after ``burst`` at once.

        In a ``workspace``, a number of messages is allowed in any interval of some seconds. Slack
        documents only "several hundred messages per minute", so without a ``workspace`` there is no
        bound.
        """
        super().__init__()
        self.channels = {CHANNEL: Channel("general"), DIRECT: Channel()}
        self.messages: list[Message] = []
        self.homes: dict[str, dict[str, Any]] = {}
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.mentions: list[str] = []
        self.uploads: dict[str, dict[str, Any]] = {}
        self.responses: list[dict[str, Any]] = []
        self.tokens = {BOT_TOKEN: (TEAM, BOT_USER, BOT)}
        self.page = page
        self.redirect = ""
        self.limited = 0
        self._burst, self._rate = burst, rate
        self._workspace = workspace
        self._posted: dict[str, deque[float]] = defaultdict(deque)
        self._now = clock
        self._tokens: dict[str, tuple[float, float]] = {}
        self._plans: dict[str, deque[Act]] = defaultdict(deque)
        self._runner: web.AppRunner | None = None
        self._stopping = asyncio.Event()
        self._clock = time.time()
        self.sockets = Sockets(self._loop)

    # Life

    async def _open(self) -> None:
        app = web.Application(client_max_size=2**24)
        app.router.add_route("*", "/api/{method}", self._call)
        app.router.add_get("/link", self.sockets.serve)
        app.router.add_post("/response/{name}", self._response)
        app.router.add_post("/upload/{name}", self._upload)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True)
        await site.start()
        self.port = self._runner.addresses[0][1]
        self.sockets.port = self.port

    async def _close(self) -> None:
        self._stopping.set()
        await self.sockets.close()
        if self._runner is not None:
            await all_taken()
            await self._runner.cleanup()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def come_back(self) -> None:
        """Listen again, at the same port."""
        self._stopping.clear()
        super().come_back()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api/"

    # What a test asks and says

    def plan(self, method: str, *acts: Act) -> None:
        """Set what happens to the next calls of a method, one each."""
        self._plans[method].extend(acts)

    def seen(self, channel: str = CHANNEL) -> list[str]:
        """What a person reads in a channel, including threads."""
        return [message.text for message in self.messages if message.channel == channel]

    def called(self, method: str) -> list[dict[str, Any]]:
        """The arguments of every call of a method."""
        return [values for name, values in self.calls if name == method]

    def say(self, text: str, *, thread: str = "", user: str = PERSON, **more: Any) -> Message:
        """A person writes a message."""
        values = {"text": text, **({"thread_ts": thread} if thread else {}), **more}
        message = Message(more.get("channel", CHANNEL), self._next(), values, user)
        self.messages.append(message)
        return message

    # The Web API

    async def _call(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        try:
            values = await _values(request)
            account = self._authorized(request, method)
            self.calls.append((method, values))
            if self._plans[method]:
                return await self._act(self._plans[method].popleft(), request, method, values)
            return web.json_response({"ok": True, **self._answer(method, values, account)})
        except Refused as error:
            return web.json_response({"ok": False, "error": error.code, "why": error.why})

    async def _act(
        self, act: Act, request: web.Request, method: str, values: dict[str, Any]
    ) -> web.StreamResponse:
        match act:
            case Limited(after=after):
                if method == "chat.postMessage":
                    self._room(TEAM, self._now())
                body = {"ok": False, "error": "ratelimited"}
                return web.json_response(body, status=429, headers={"Retry-After": str(after)})
            case Fails(status=status, body=body):
                return web.Response(status=status, text=body, content_type="text/html")
            case Refuses(code=code, more=more):
                return web.json_response({"ok": False, "error": code, **more})
            case Slow(seconds=seconds):
                await asyncio.sleep(seconds)
                answered = self._answer(method, values, (TEAM, BOT_USER, BOT))
                return web.json_response({"ok": True, **answered})
            case Hangs(taken=taken) | Drops(taken=taken):
                if taken:
                    self._answer(method, values, (TEAM, BOT_USER, BOT))
                if isinstance(act, Hangs):
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._stopping.wait(), 60)
                if request.transport is not None:
                    request.transport.abort()
                return web.Response()

    def _authorized(self, request: web.Request, method: str) -> tuple[str, str, str]:
        if method == "oauth.v2.access":
            if request.headers.get("Authorization") != BASIC:
                raise Refused("bad_client_secret")
            return ("", "", "")
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if not token:
            raise Refused("not_authed")
        if method == "apps.connections.open":
            if token != APP_TOKEN:
                raise Refused(
                    "invalid_auth" if token not in self.tokens else "not_allowed_token_type"
                )
            return ("", "", "")
        if token == APP_TOKEN:
            raise Refused("not_allowed_token_type")
        if token not in self.tokens:
            raise Refused("invalid_auth")
        return self.tokens[token]

    def _answer(
        self, method: str, values: dict[str, Any], account: tuple[str, str, str]
    ) -> dict[str, Any]:
        match method:
            case "auth.test":
                team, user, bot = account
                return {"team": "Acme", "team_id": team, "user": "digestbot", "user_id": user, "bot_id": bot}  # fmt: skip
            case "oauth.v2.access":
                return self._install(values)
            case "apps.connections.open":
                return {"url": self.sockets.ticket()}
            case "chat.postMessage":
                return self._post(values, account)
            case "chat.update":
                return self._update(values)
            case "conversations.history" | "conversations.replies":
                return self._history(method, values)
            case "conversations.info":
                channel = self._channel(values)
                return {"channel": {"id": values["channel"], "name": channel.name, "is_member": channel.member, "is_archived": channel.archived, "is_ext_shared": channel.external}}  # fmt: skip
            case "conversations.open":
                return {"channel": {"id": DIRECT}}
            case "views.publish":
                return self._publish(values)
            case "files.getUploadURLExternal":
                return self._upload_address(values)
            case "files.completeUploadExternal":
                return self._upload_complete(values)
        raise Refused("unknown_method")

    def _upload_address(self, values: dict[str, Any]) -> dict[str, Any]:
        """https://docs.slack.dev/reference/methods/files.getUploadURLExternal"""
        if not values.get("filename") or not int(values.get("length") or 0):
            raise Refused("invalid_arguments")
        if len(values.get("alt_txt") or "") > 1000:
            raise Refused("alt_txt_too_large")
        name = f"F{len(self.uploads) + 1}"
        self.uploads[name] = {"length": int(values["length"]), "alt": values.get("alt_txt")}
        return {"upload_url": f"{self.url.removesuffix('/api/')}/upload/{name}", "file_id": name}

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        content = await request.read()
        if request.content_type.startswith("multipart/"):
            return web.Response(status=400)
        known = self.uploads.get(request.match_info["name"])
        if known is None or len(content) != known["length"] or size_of(content) is None:
            return web.Response(status=400)
        known["content"] = content
        return web.Response(text=f"OK - {len(content)}")

    def _upload_complete(self, values: dict[str, Any]) -> dict[str, Any]:
        """https://docs.slack.dev/reference/methods/files.completeUploadExternal"""
        files = values["files"]
        files = json.loads(files) if isinstance(files, str) else files
        if not self._channel({"channel": values.get("channel_id", "")}).member:
            raise Refused("not_in_channel")
        for file in files:
            known = self.uploads.get(file["id"])
            if known is None or "content" not in known:
                raise Refused("file_not_found")
            known |= {"title": file.get("title"), "channel": values["channel_id"]}
            known["thread"] = values.get("thread_ts")
        return {"files": files}

    def _channel(self, values: dict[str, Any]) -> Channel:
        name = values.get("channel", "")
        if name.startswith("U"):
            values["channel"] = name = DIRECT
        if name not in self.channels:
            raise Refused("channel_not_found")
        return self.channels[name]

    def _post(self, values: dict[str, Any], account: tuple[str, str, str]) -> dict[str, Any]:
        channel = self._channel(values)
        if channel.archived:
            raise Refused("is_archived")
        if not channel.member:
            raise Refused("not_in_channel")
        self._spend(account[0], values["channel"])
        _check_content(values, MOST_TEXT)
        _check_metadata(values.get("metadata"))
        if thread := values.get("thread_ts"):
            parent = self._find(values["channel"], thread, "thread_not_found")
            if parent.thread:
                raise Refused("cannot_reply_to_message", "thread_ts of a reply")
        self.mentions += notifying(values.get("blocks"), values)
        message = Message(values["channel"], self._next(), values, account[1])
        self.messages.append(message)
        return {"channel": message.channel, "ts": message.ts, "message": message.told(all_metadata=False)}  # fmt: skip

    def _spend(self, team: str, channel: str) -> None:
        """Count a message for its channel and its workspace, refused or not."""
        now = self._now()
        left, since = self._tokens.get(channel, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._rate)
        self._tokens[channel] = (max(0.0, left - 1), now)
        if left < 1 or not self._room(team, now):
            self.limited += 1
            raise web.HTTPTooManyRequests(
                headers={"Retry-After": "1"},
                text='{"ok":false,"error":"ratelimited"}',
                content_type="application/json",
            )

    def _room(self, team: str, now: float) -> bool:
        if self._workspace is None:
            return True
        most, seconds = self._workspace
        posted = self._posted[team]
        while posted and posted[0] <= now - seconds:
            posted.popleft()
        posted.append(now)
        return len(posted) <= most

    def _update(self, values: dict[str, Any]) -> dict[str, Any]:
        if values["channel"] == PERSON:  # https://docs.slack.dev/reference/methods/chat.update
            raise Refused("channel_not_found")
        self._channel(values)
        message = self._find(values["channel"], values.get("ts", ""), "message_not_found")
        if message.user != BOT_USER:
            raise Refused("cant_update_message")
        _check_content(values, MOST_EDITED_TEXT)
        old, new = message.values.get("blocks"), values.get("blocks")
        if old and new and _rich(old) and not _rich(new):
            raise Refused("block_mismatch")
        self.mentions += notifying(new, values)
        message.values = {**message.values, "text": values.get("text", ""), "blocks": new}
        if "metadata" in values:
            message.values["metadata"] = values["metadata"]
        message.edited += 1
        return {"channel": message.channel, "ts": message.ts}

    def _history(self, method: str, values: dict[str, Any]) -> dict[str, Any]:
        if not self._channel(values).member:
            raise Refused("not_in_channel")
        channel, root = values["channel"], values.get("ts", "")
        here = [m for m in self.messages if m.channel == channel]
        if method == "conversations.replies":
            self._find(channel, root, "thread_not_found")
            found = [m for m in here if root in {m.ts, m.thread}]
        else:
            found = [m for m in reversed(here) if not m.thread]
        since = float(values.get("oldest") or 0)
        found = [m for m in found if float(m.ts) > since or m.ts == root]
        limit = min(int(values.get("limit") or 100), self.page)
        if limit > 999:
            raise Refused("invalid_limit")
        start = int((values.get("cursor") or "at:0").removeprefix("at:"))
        everything = values.get("include_all_metadata") in {"1", "true", True}
        page = [m.told(all_metadata=everything) for m in found[start : start + limit]]
        more = start + limit < len(found)
        cursor = f"at:{start + limit}" if more else ""
        return {"messages": page, "has_more": more, "response_metadata": {"next_cursor": cursor}}

    def _publish(self, values: dict[str, Any]) -> dict[str, Any]:
        view = values.get("view") or {}
        if view.get("type") != "home":
            raise Refused("invalid_arguments")
        check_blocks(view.get("blocks"), home=True)
        self.homes[values["user_id"]] = view
        return {"view": {"id": "V0HOME"}}

    async def _response(self, request: web.Request) -> web.StreamResponse:
        """A ``response_url``, which can be used five times."""
        values = {"name": request.match_info["name"], **await request.json()}
        used = [one for one in self.responses if one["name"] == values["name"]]
        if len(used) >= 5:
            return web.Response(status=404, text="used_url")
        try:
            _check_content(values, MOST_TEXT)
        except Refused as error:
            return web.Response(status=400, text=error.code)
        self.mentions += notifying(values.get("blocks"), values)
        self.responses.append(values)
        return web.Response(text="ok")

    def _install(self, values: dict[str, Any]) -> dict[str, Any]:
        """A code is the workspace to install into."""
        team = values.get("code", "")
        if not team:
            raise Refused("invalid_code")
        # https://docs.slack.dev/reference/methods/oauth.v2.access: as the code was asked for.
        if values.get("redirect_uri", "") != self.redirect:
            raise Refused("bad_redirect_uri")
        token = f"xoxb-secret-of-{team}"
        self.tokens[token] = (team, BOT_USER, BOT)
        return {"app_id": "A0APP", "access_token": token, "token_type": "bot", "scope": "chat:write", "bot_user_id": BOT_USER, "team": {"id": team, "name": f"The {team}"}, "authed_user": {"id": PERSON}, "is_enterprise_install": False, "enterprise": {"id": "E0ORG"}}  # fmt: skip

    def _find(self, channel: str, ts: str, code: str) -> Message:
        for message in self.messages:
            if (message.channel, message.ts) == (channel, ts):
                return message
        raise Refused(code, ts)

    def _next(self) -> str:
        self._clock = max(time.time(), self._clock + 0.000_002)
        return f"{self._clock:.6f}"


async def _values(request: web.Request) -> dict[str, Any]:
    if request.method == "GET":
        return dict(request.query)
    if request.content_type == "application/json":
        return await request.json()
    return {**request.query, **await request.post()}


def _check_content(values: dict[str, Any], most: int) -> None:
    text, blocks = values.get("text") or "", values.get("blocks")
    if not text and not blocks:
        raise Refused("no_text")
    if blocks is not None and not text:
        raise Refused("no_text", "nothing for notifications and screen readers")
    if units(text) > most:
        raise Refused("msg_too_long")
    if re.search(r"&(?!amp;|lt;|gt;)", text):
        raise Refused("invalid_arguments", "an ampersand that is not escaped")
    if blocks is not None:
        check_blocks(blocks)


def _check_metadata(metadata: Any) -> None:
    if metadata is None:
        return
    if not re.fullmatch(r"[a-z0-9_]+", metadata.get("event_type", "")):
        raise Refused("invalid_metadata_format")
    if not isinstance(metadata.get("event_payload"), dict):
        raise Refused("invalid_metadata_format")
    if len(str(metadata)) > 2000:
        raise Refused("metadata_too_large")


def _rich(blocks: list[Any]) -> Iterator[Any] | bool:
    return any(block["type"] == "rich_text" for block in blocks)
