"""A platform in a separate process, controlled by lines of JSON that say what to send to the bot.

It is Slack, Feishu or Telegram as in the tests, or a caller of the bot over HTTP. Its times are
measured from outside: from when an event leaves it until the acknowledgement arrives.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from uvloop import new_event_loop

from bot.platforms.telegram.sender import secret_of
from tests.integration.bot.platforms.feishu.test_web_events import request as sealed
from tests.servers.feishu import FeishuServer
from tests.servers.feishu import Message as Asked
from tests.servers.feishu_events import says
from tests.servers.slack import BOT_USER, CHANNEL, PERSON, TEAM, Message, SlackServer
from tests.servers.telegram import PRIVATE, TOKEN, TelegramServer

SIGNING = "signing-secret-31b1"

Sent = tuple[str, float, float]
"""An event: its key, when it left by the shared clock, and seconds until it was acknowledged.

The key is the source port, or the name on a connection.
"""

_PATIENCE = 60.0


def slack_says(number: int) -> dict[str, object]:
    """A question in a channel."""
    event = {
        "type": "app_mention",
        "text": f"<@{BOT_USER}> explain #{number}",
        "user": PERSON,
        "channel": CHANNEL,
        "ts": f"1700000000.{number:06}",
    }
    return {"type": "event_callback", "team_id": TEAM, "event_id": f"Ev{number}", "event": event}


def _stand(server: SlackServer, numbers: Sequence[int]) -> None:
    """Put the delivered messages into the channel, so that they can be replied to."""
    for number in numbers:
        stamp, values = f"1700000000.{number:06}", {"text": f"explain #{number}"}
        server.messages.append(Message(CHANNEL, stamp, values, PERSON))


def _feishu_says(number: int) -> dict[str, Any]:
    event = says(f"explain #{number}", number=f"om_{number}")
    event["header"]["event_id"] = f"ev_{number}"
    return event


def _telegram_says(number: int) -> dict[str, object]:
    chat = {"id": PRIVATE, "type": "private", "first_name": "Ada"}
    person = {"id": 7, "is_bot": False, "first_name": "Ada"}
    message = {"message_id": number + 1, "date": int(time.time()), "chat": chat, "from": person}
    return {"update_id": number + 1, "message": {**message, "text": f"explain #{number}"}}


def slack_socket(server: SlackServer, numbers: Sequence[int], _where: str) -> list[Sent]:
    """Simultaneous events through a Socket Mode connection of Slack."""
    server.sockets.envelopes.clear()
    _stand(server, numbers)
    for number in numbers:
        server.sockets.deliver("events_api", slack_says(number), attempts=1)
    _until(lambda: len(server.sockets.acks) >= len(numbers))
    envelopes = server.sockets.envelopes
    return [(one.id, one.sent, one.acked[0][0]) for one in envelopes]


def feishu_socket(server: FeishuServer, numbers: Sequence[int], _where: str) -> list[Sent]:
    """Simultaneous events through Feishu's long connection."""

    async def push(number: int) -> Sent:
        event = _feishu_says(number)
        asked = f"om_{number}"
        server.messages[asked] = Asked(asked, "oc_team", {}, server.now(), sender="ou_ann")
        name, began = f"m{server._frames + 1}", time.perf_counter()  # noqa: SLF001  # what it names it next
        await server._push(event, 1, _PATIENCE)  # noqa: SLF001  # in the server's own loop
        return name, began, time.perf_counter() - began

    async def all_of_them() -> list[Sent]:
        return list(await asyncio.gather(*map(push, numbers)))

    return list(server.call(all_of_them()))


def slack_hook(server: SlackServer, numbers: Sequence[int], where: str) -> list[Sent]:
    """Signed requests, each on a separate connection."""

    def request(number: int) -> bytes:
        body, stamp = json.dumps(slack_says(number)).encode(), str(int(time.time()))
        signed = hmac.new(SIGNING.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256)
        headers = {
            "X-Slack-Request-Timestamp": stamp,
            "X-Slack-Signature": f"v0={signed.hexdigest()}",
        }
        return _request(where, body, headers)

    _stand(server, numbers)
    return _call(where, [request(number) for number in numbers])


def feishu_hook(server: FeishuServer, numbers: Sequence[int], where: str) -> list[Sent]:
    """Encrypted and signed requests, each on a separate connection."""
    requests = []
    for number in numbers:
        asked = f"om_{number}"
        server.messages[asked] = Asked(asked, "oc_team", {}, server.now(), sender="ou_ann")
        body, headers = sealed(_feishu_says(number))
        requests.append(_request(where, body, headers))
    return _call(where, requests)


def telegram_hook(_server: TelegramServer, numbers: Sequence[int], where: str) -> list[Sent]:
    """Requests with the webhook's secret, each on a separate connection."""
    headers = {"X-Telegram-Bot-Api-Secret-Token": secret_of(TOKEN)}
    bodies = [json.dumps(_telegram_says(number)).encode() for number in numbers]
    return _call(where, [_request(where, body, headers) for body in bodies])


def _request(where: str, body: bytes, headers: dict[str, str]) -> bytes:
    at = urlsplit(where)
    lines = [
        f"POST {at.path} HTTP/1.1",
        f"Host: {at.netloc}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def _call(where: str, requests: Sequence[bytes]) -> list[Sent]:
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(_called(where, requests))


def _until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


WAYS: dict[str, tuple[Callable[[], Any], Callable[..., list[Sent]]]] = {
    "slack socket": (SlackServer, slack_socket),
    "slack hook": (SlackServer, slack_hook),
    "feishu socket": (FeishuServer, feishu_socket),
    "feishu hook": (FeishuServer, feishu_hook),
    "telegram hook": (TelegramServer, telegram_hook),
}
"""The ways in which events reach the bot: the server needed, and the sender."""


class _Caller(asyncio.Protocol):
    """One connection with one request: cheaper than a client, so the bot is what is measured."""

    def __init__(self) -> None:
        self.began = 0.0
        self.done: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    def data_received(self, data: bytes) -> None:
        if not self.done.done():
            assert data.startswith(b"HTTP/1.1 200"), data[:200]
            self.done.set_result(time.perf_counter() - self.began)


async def _called(where: str, requests: Sequence[bytes]) -> list[Sent]:
    at, loop = urlsplit(where), asyncio.get_running_loop()
    assert at.hostname is not None
    assert at.port is not None
    made = [await loop.create_connection(_Caller, at.hostname, at.port) for _ in requests]
    ports = [str(transport.get_extra_info("sockname")[1]) for transport, _ in made]
    await asyncio.sleep(0.3)  # existing connections are not measured
    for (transport, caller), request in zip(made, requests, strict=True):
        caller.began = time.perf_counter()
        transport.write(request)
    async with asyncio.timeout(_PATIENCE):
        spent = [await caller.done for _, caller in made]
    for transport, _ in made:
        transport.close()
    began = [caller.began for _, caller in made]
    return list(zip(ports, began, spent, strict=True))


def main(way: str) -> None:
    """Print the server's address; then send as often as requested, and print the seconds."""
    if len(processors := sorted(os.sched_getaffinity(0))) == 1:
        # The bot, which started this, stays on one processor; its clients get the others.
        others = set(range(os.cpu_count() or 1)) - set(processors)
        os.sched_setaffinity(0, others or processors)
    make, send = WAYS[way]
    with make() as server:
        sys.stdout.write(json.dumps(server.url) + "\n")
        sys.stdout.flush()
        for line in sys.stdin:
            told = json.loads(line)
            numbers = range(told["first"], told["first"] + told["count"])
            sys.stdout.write(json.dumps(send(server, numbers, told["where"])) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
