"""Feishu's open platform on loopback: tokens, messages, threads, history, the long connection.

It refuses what Feishu refuses, with Feishu's codes: stale tokens, chats without the bot, cards that
are too large or malformed, too many messages in a second, edits after 14 days.
"""

from __future__ import annotations

import asyncio
import base64
import json
from dataclasses import dataclass, field
from email import message_from_bytes
from typing import Any

from aiohttp import WSMsgType, web

from bot.platforms.feishu.connection import Method, SocketFrame
from tests.servers.feishu_cards import BadCard, Seen, check, see
from tests.servers.feishu_events import APP, BOT, SECRET
from tests.servers.loopback import Act, Loopback, Quota, Sent, answer
from tests.servers.pictures import size_of

MOST_BYTES = 30 * 1024

HOUR, DAY = 3600.0, 86400.0

Json = dict[str, Any]


@dataclass
class Message:
    """A posted message."""

    id: str
    chat: str
    card: Json
    at: float
    root: str = ""
    thread: str = ""
    in_thread: bool = False
    sender: str = APP
    edits: int = 0
    deleted: bool = False
    mentions: list[Json] = field(default_factory=list)

    @property
    def seen(self) -> Seen:
        return see(self.card)


class FeishuServer(Loopback):
    """Feishu with ``chats``: the groups that the bot is in, with their properties."""

    def __init__(self, *acts: Act, history: bool = True, threads: bool = True) -> None:
        super().__init__(*acts)
        self.chats: dict[str, Json] = {
            "oc_team": {"name": "Team", "chat_mode": "group", "external": False},
            "oc_p2p": {"name": "", "chat_mode": "p2p", "external": False},
        }
        self.people = {"ou_ann": "oc_p2p"}
        self.messages: dict[str, Message] = {}
        self.images: dict[str, bytes] = {}
        self.shown_images: list[tuple[str, str]] = []
        self.image_scope = True
        self.history = history
        self.chat_scope = True
        self.threads = threads
        self.life = 7200
        self.tokens: dict[str, float] = {}
        self.token_calls = 0
        self._made = 0
        self._uuids: dict[str, tuple[float, str]] = {}
        self._second, self._minute = Quota(50, 1.0), Quota(1000, 60.0)
        self._in_chat: dict[str, Quota] = {}
        # The long connection.
        self.ping = 120.0
        self.refusal: tuple[int, Json] | None = None
        self.deaf = False
        self.pings = 0
        self.connections = 0
        self.answers: dict[str, Json] = {}
        self._sockets: list[web.WebSocketResponse] = []
        self._frames = 0
        self._awaited: dict[str, asyncio.Future[None]] = {}

    def counts(self, sent: Sent) -> bool:
        """The script applies to messages that are posted and edited."""
        return sent.method in {"POST", "PATCH"} and "/im/v1/messages" in sent.path

    # What a test asks for

    @property
    def stands(self) -> list[Message]:
        return [one for one in self.messages.values() if one.sender == APP and not one.deleted]

    def seen(self) -> list[str]:
        return [one.seen.text for one in self.stands]

    def revoke(self) -> None:
        """Expire all tokens."""
        self.tokens.clear()

    def push(self, event: Json, *, pieces: int = 1, wait: float = 3.0) -> Json | None:
        """Deliver an event through a connection; return the answer, ``None`` after ``wait``
        seconds.
        """
        return self.call(self._push(event, pieces, wait))

    def drop(self) -> None:
        """Cut every connection without a closing frame."""
        self.call(self._drop())

    def write(self, raw: bytes) -> None:
        """Send arbitrary bytes through every connection."""

        async def send() -> None:
            for socket in self._sockets:
                await socket.send_bytes(raw)

        self.call(send())

    # HTTP

    async def handle(self, sent: Sent, request: web.Request) -> web.StreamResponse:
        match (sent.method, *sent.path.strip("/").split("/")):
            case ("POST", "open-apis", "auth", "v3", "tenant_access_token", "internal"):
                return self._sign_in(sent.json())
            case ("POST", "callback", "ws", "endpoint"):
                return self._endpoint(sent.json())
            case ("GET", "ws"):
                return await self._connect(sent, request)
            case (_, "open-apis", *_) if refusal := self._unauthorized(sent):
                return refusal
            case ("GET", "open-apis", "bot", "v3", "info"):
                bot = {"app_name": "Digest", "open_id": BOT, "activate_status": 2}
                return answer({"code": 0, "msg": "ok", "bot": bot})
            case ("GET", "open-apis", "im", "v1", "chats", chat):
                return self._about(chat)
            case ("POST", "open-apis", "im", "v1", "images"):
                return self._image(sent)
            case ("POST", "open-apis", "im", "v1", "messages"):
                return self._create(sent)
            case ("GET", "open-apis", "im", "v1", "messages"):
                return self._list(sent.query)
            case ("GET", "open-apis", "im", "v1", "messages", number):
                found = self.messages.get(number)
                if found is None:
                    return refused(230001)
                return fine({"items": [self._shown(found, original=False)]})
            case ("PATCH", "open-apis", "im", "v1", "messages", number):
                return self._patch(number, sent)
            case ("POST", "open-apis", "im", "v1", "messages", number, "reply"):
                return self._reply(number, sent)
        return answer("404 page not found", 404)

    def _image(self, sent: Sent) -> web.StreamResponse:
        """https://open.feishu.cn/document/server-docs/im-v1/image/create"""
        if not self.image_scope:
            return refused(99991672)
        head = f"content-type: {sent.headers['content-type']}\r\n\r\n".encode()
        parts = message_from_bytes(head + sent.body).get_payload()
        given = {
            part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
            for part in parts
        }
        if given.get("image_type") != b"message" or size_of(given.get("image", b"")) is None:
            return refused(234001)
        if len(given["image"]) > 10 * 1024 * 1024:
            return refused(234006)
        key = f"img_{len(self.images)}"
        self.images[key] = given["image"]
        return fine({"image_key": key})

    def _sign_in(self, body: Json) -> web.StreamResponse:
        self.token_calls += 1
        if body != {"app_id": APP, "app_secret": SECRET}:
            return answer({"code": 10014, "msg": f"app secret invalid: {body}"})
        token = f"t-{self.token_calls}"
        self.tokens[token] = self.now() + self.life
        return answer({"code": 0, "msg": "ok", "tenant_access_token": token, "expire": self.life})

    def _unauthorized(self, sent: Sent) -> web.StreamResponse | None:
        given = sent.headers.get("authorization", "")
        if not given.startswith("Bearer t-"):
            return refused(99991661)
        if self.tokens.get(given.removeprefix("Bearer "), 0) <= self.now():
            return refused(99991663)
        return None

    def _about(self, chat: str) -> web.StreamResponse:
        if not self.chat_scope:
            return refused(99991672)
        about = self.chats.get(chat)
        return fine({"chat_status": "normal", **about}) if about else refused(232006)

    def _create(self, sent: Sent) -> web.StreamResponse:
        kind = sent.query.get("receive_id_type")
        body = sent.json()
        to = body.get("receive_id") if isinstance(body, dict) else None
        prefix = {"chat_id": "oc_", "open_id": "ou_"}.get(str(kind))
        if not prefix or not isinstance(to, str) or not to.startswith(prefix):
            return refused(230034 if prefix else 230001)
        chat = self.people.get(to, "") if kind == "open_id" else to
        if chat not in self.chats:
            return refused(230013 if kind == "open_id" else 230002)
        return self._made_of(sent, body, {"receive_id"}, chat)

    def _reply(self, number: str, sent: Sent) -> web.StreamResponse:
        root, body = self.messages.get(number), sent.json()
        if root is None or not isinstance(body, dict):
            return refused(230001)
        if root.deleted:
            return refused(230011)
        in_thread = body.get("reply_in_thread") is True or root.in_thread
        if in_thread and not self.threads:
            return refused(230071)
        return self._made_of(sent, body, {"reply_in_thread"}, root.chat, root, in_thread=in_thread)

    def _made_of(
        self,
        sent: Sent,
        body: Json,
        more: set[str],
        chat: str,
        root: Message | None = None,
        *,
        in_thread: bool = False,
    ) -> web.StreamResponse:
        if body.keys() - {"msg_type", "content", "uuid", *more}:
            return refused(230001)
        if refusal := self._limited(chat):
            return refusal
        uuid = body.get("uuid", "")
        if not isinstance(uuid, str) or len(uuid) > 50:
            return refused(230001)
        if uuid and uuid in self._uuids and self.now() - self._uuids[uuid][0] < HOUR:
            return fine(self._shown(self.messages[self._uuids[uuid][1]]))
        if body.get("msg_type") == "image":
            key = json.loads(body["content"])["image_key"]
            if key not in self.images:
                return refused(230001)
            self.shown_images.append((root.id if root else "", key))
            return fine({"message_id": f"om_image_{key}"})
        card, refusal = self._card(sent, body.get("content"))
        if card is None:
            return refusal
        first = (root.root or root.id) if root else ""
        made = self.post(chat, card, root=first)
        if in_thread:
            self.messages[first].thread = made.thread = f"omt_{first}"
            made.in_thread = True
        if uuid:
            self._uuids[uuid] = (self.now(), made.id)
        return fine(self._shown(made))

    def post(self, chat: str, card: Json, *, root: str = "", sender: str = APP) -> Message:
        """Post a message without checking it."""
        self._made += 1
        made = Message(f"om_{self._made}", chat, card, self.now(), root=root, sender=sender)
        self.messages[made.id] = made
        return made

    def _card(self, sent: Sent, content: Any) -> tuple[Json | None, web.StreamResponse]:
        body = sent.json()
        if body.get("msg_type", "interactive") != "interactive" or not isinstance(content, str):
            return None, refused(230001)
        if len(sent.body) > MOST_BYTES:
            return None, refused(230025)
        try:
            card = json.loads(content)
            check(card)
        except (ValueError, BadCard) as error:
            return None, refused(230099, f"Failed to create card content, {error}")
        return card, fine({})

    def _limited(self, chat: str) -> web.StreamResponse | None:
        now = self.now()
        if not self._in_chat.setdefault(chat, Quota(5, 1.0)).take(now):
            return refused(230020)
        if not self._second.take(now) or not self._minute.take(now):
            body = {"code": 99991400, "msg": "request trigger frequency limit"}
            return answer(body, 429, {"x-ogw-ratelimit-reset": "1", "x-ogw-ratelimit-limit": "50"})
        return None

    def _patch(self, number: str, sent: Sent) -> web.StreamResponse:
        found, body = self.messages.get(number), sent.json()
        if found is None or not isinstance(body, dict) or body.keys() != {"content"}:
            return refused(230001)
        if found.deleted:
            return refused(230011)
        if found.sender != APP:
            return refused(230017)
        if self.now() - found.at > 14 * DAY:
            return refused(230031)
        card, refusal = self._card(sent, body["content"])
        if card is None:
            return refusal
        found.card, found.edits = card, found.edits + 1
        return fine({})

    def _list(self, query: Any) -> web.StreamResponse:
        if not self.history:
            return refused(230027)
        kind, container = query.get("container_id_type"), query.get("container_id")
        size = int(query.get("page_size", 20))
        if not 1 <= size <= 50 or (kind == "thread" and "start_time" in query):
            return refused(230001)
        found = [
            one
            for one in self.messages.values()
            if (one.thread == container if kind == "thread" else one.chat == container)
            # A chat shows only the roots of its threads.
            and (kind == "thread" or not one.in_thread)
            and one.at >= float(query.get("start_time", 0))
        ]
        if query.get("sort_type") == "ByCreateTimeDesc":
            found.reverse()
        at = int(query.get("page_token", 0))
        original = query.get("card_msg_content_type") == "user_card_content"
        items = [self._shown(one, original=original) for one in found[at : at + size]]
        data: Json = {"items": items, "has_more": at + size < len(found)}
        if data["has_more"]:
            data["page_token"] = str(at + size)
        return fine(data)

    def _shown(self, one: Message, *, original: bool = False) -> Json:
        content = one.card if original else {"title": "", "elements": [[{"tag": "text"}]]}
        shown: Json = {
            "message_id": one.id,
            "chat_id": one.chat,
            "msg_type": "interactive",
            "create_time": str(int(one.at * 1000)),
            "deleted": one.deleted,
            "sender": {"id": one.sender, "id_type": "app_id", "sender_type": "app"},
            "body": {"content": json.dumps(content)},
            "mentions": one.mentions,
        }
        if one.root:
            shown |= {"root_id": one.root, "parent_id": one.root}
        if one.thread:
            shown["thread_id"] = one.thread
        return shown

    # The long connection

    def _endpoint(self, body: Json) -> web.StreamResponse:
        if self.refusal is not None:
            return answer(self.refusal[1], self.refusal[0])
        if body != {"AppID": APP, "AppSecret": SECRET}:
            return answer({"code": 1000040344, "msg": f"invalid app: {body}", "data": None})
        ticket = f"ticket-{len(self.sent)}"
        url = f"ws://127.0.0.1:{self.port}/ws?device_id=d1&service_id=33&ticket={ticket}"
        config = {
            "ReconnectCount": -1,
            "ReconnectInterval": 120,
            "ReconnectNonce": 30,
            "PingInterval": self.ping,
        }
        return answer({"code": 0, "msg": "", "data": {"URL": url, "ClientConfig": config}})

    async def _connect(self, sent: Sent, request: web.Request) -> web.StreamResponse:
        if sent.query.get("ticket", "") == "":
            return answer("", 400, {"handshake-status": "514", "handshake-msg": "no ticket"})
        socket = web.WebSocketResponse(autoping=True)
        await socket.prepare(request)
        self._sockets.append(socket)
        self.connections += 1
        try:
            async for message in socket:
                if message.type is WSMsgType.BINARY:
                    await self._hear(socket, SocketFrame.parse(message.data))
        finally:
            self._sockets.remove(socket)
        return socket

    async def _hear(self, socket: web.WebSocketResponse, frame: SocketFrame) -> None:
        if frame.method == Method.DATA:
            name = frame.headers["message_id"]
            self.answers[name] = json.loads(frame.payload)
            if name in self._awaited and not self._awaited[name].done():
                self._awaited[name].set_result(None)
            return
        assert frame.type == "ping"
        assert frame.service == 33
        self.pings += 1
        if not self.deaf:
            payload = json.dumps({"PingInterval": self.ping, "ReconnectInterval": 120}).encode()
            pong = SocketFrame(
                method=Method.CONTROL, service=33, headers={"type": "pong"}, payload=payload
            )
            await socket.send_bytes(pong.dump())

    async def _push(self, event: Json, pieces: int, wait: float) -> Json | None:
        self._frames += 1
        name = f"m{self._frames}"
        awaited = self._awaited[name] = self._loop.create_future()
        payload = json.dumps(event).encode()
        step = -(-len(payload) // pieces)
        for place in range(pieces):
            headers = {
                "type": "event",
                "message_id": name,
                "trace_id": "trace",
                "sum": str(pieces),
                "seq": str(place),
            }
            frame = SocketFrame(
                method=Method.DATA,
                service=33,
                sequence=self._frames,
                log=7,
                headers=headers,
                payload=payload[place * step : (place + 1) * step],
            )
            await self._sockets[-1].send_bytes(frame.dump())
        await asyncio.wait([awaited], timeout=wait)
        reply = self.answers.get(name)
        if reply and reply.get("data"):
            reply["data"] = json.loads(base64.b64decode(reply["data"]))
        return reply

    async def _drop(self) -> None:
        for socket in [*self._sockets]:
            transport = socket._req.transport if socket._req else None
            if transport is not None:
                transport.abort()


def fine(data: Json) -> web.StreamResponse:
    return answer({"code": 0, "msg": "success", "data": data})


def refused(code: int, words: str = "") -> web.StreamResponse:
    """Feishu's refusal: 400 with a code and a text, which may repeat the request."""
    body = {"code": code, "msg": words or f"error {code}", "error": {"log_id": "log-1"}}
    return answer(body, 400, {"x-tt-logid": "log-1"})
