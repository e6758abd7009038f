"""Slack with many workspaces in a separate process: asks the bot, and records its posts.

``python -m benchmarks.load_slack PLAN`` with a file of chats. It prints its address, then executes
commands given as lines of JSON, and answers each with one. Events are signed and delivered again as
by Slack; limits and layouts are those of the tests. Latencies are measured from outside: from
before an event leaves until the last word of its answer has arrived.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import itertools
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from digest.core.enums import Language
from digest.i18n.chat_text import INTERNAL, LOOKING, READING, UNREADABLE
from tests.servers.slack import BOT, BOT_USER, Channel, Message, SlackServer
from tests.servers.slack_blocks import Refused

SIGNING = "signing-secret-of-the-load"
WORKSPACE = (300, 60.0)
""""Several hundred" messages a minute: https://docs.slack.dev/apis/web-api/rate-limits"""

_DEADLINE = 3.0
_AGAIN = (0.0, 60.0, 300.0)
"""Seconds until a failed event is delivered again: https://docs.slack.dev/apis/events-api"""

_WAITING = tuple(one.template(Language.EN)[:8] for one in (LOOKING, READING))
_TROUBLE = (
    INTERNAL.template(Language.EN).partition("{")[0],
    UNREADABLE.template(Language.EN)[-40:],
)


@dataclass(slots=True)
class Asked:
    """One question: when it left, when it was acknowledged, when its answer last changed."""

    at: float
    acknowledged: float = 0.0
    answered: float = 0.0
    deliveries: int = 0
    posts: int = 0
    message: Message | None = None


@dataclass(slots=True)
class Posts:
    """Unsolicited posts: their times by channel, and how often each identity arrived."""

    at: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    identities: Counter[str] = field(default_factory=Counter)


class Workspaces(SlackServer):
    """Many workspaces. Messages are found by key, because there are many."""

    def __init__(self, chats: Sequence[Mapping[str, str]]) -> None:
        super().__init__(workspace=WORKSPACE)
        self.tokens = {token_of(chat["team"]): (chat["team"], BOT_USER, BOT) for chat in chats}
        self.channels |= {one["channel"]: Channel(one["channel"]) for one in chats}
        self.asked: dict[str, Asked] = {}
        self.posts = Posts()
        self._stands: dict[tuple[str, str], Message] = {}

    def question(self, chat: Mapping[str, str], words: str) -> dict[str, Any]:
        """The event of somebody asking."""
        said = self.say(f"<@{BOT_USER}> {words}", user=chat["person"], channel=chat["channel"])
        self._stands[said.channel, said.ts] = said
        event = {
            "type": "app_mention",
            "text": said.values["text"],
            "user": chat["person"],
            "channel": chat["channel"],
            "ts": said.ts,
        }
        self.asked[said.ts] = Asked(at=time.time())
        return {"type": "event_callback", "team_id": chat["team"], "event": event}

    def _find(self, channel: str, ts: str, code: str) -> Message:
        if (found := self._stands.get((channel, ts))) is None:
            raise Refused(code, ts)
        return found

    def _post(self, values: dict[str, Any], account: tuple[str, str, str]) -> dict[str, Any]:
        told = super()._post(values, account)
        message = self.messages[-1]
        self._stands[message.channel, message.ts] = message
        payload = (values.get("metadata") or {}).get("event_payload") or {}
        if identity := payload.get("identity"):
            self.posts.identities[identity] += 1
        if (asked := self.asked.get(message.thread)) is not None:
            asked.posts += 1
            asked.answered = time.time()
            asked.message = asked.message or message
        elif not message.thread:
            self.posts.at[message.channel].append(time.time())
        return told

    def _update(self, values: dict[str, Any]) -> dict[str, Any]:
        told = super()._update(values)
        message = self._stands[values["channel"], values["ts"]]
        if (asked := self.asked.get(message.thread)) is not None:
            asked.answered = time.time()
        return told


class Asking:
    """Asks a number of questions per second, however long the answers take."""

    def __init__(self, server: Workspaces, chats: Sequence[Mapping[str, str]]) -> None:
        self._server = server
        order = random.Random(7)  # every run is the same
        self._chats = order.sample(chats, len(chats))
        self._under_way: set[asyncio.Task[None]] = set()
        self.refused: Counter[str] = Counter()

    async def run(self, where: Sequence[str], rate: float, seconds: float) -> None:
        """Ask; return when every event was accepted, or delivered as often as Slack does."""
        began, chats = time.time(), itertools.cycle(self._chats)
        addresses = itertools.cycle(where)
        connections = aiohttp.TCPConnector(limit=200, keepalive_timeout=60)
        timeout = aiohttp.ClientTimeout(total=_DEADLINE)
        async with aiohttp.ClientSession(connector=connections, timeout=timeout) as session:
            for number in range(int(rate * seconds)):
                await asyncio.sleep(began + number / rate - time.time())
                task = asyncio.create_task(self._ask(session, addresses, number, next(chats)))
                self._under_way.add(task)
                task.add_done_callback(self._under_way.discard)
            await asyncio.gather(*self._under_way)

    async def _ask(
        self,
        session: aiohttp.ClientSession,
        addresses: itertools.cycle[str],
        number: int,
        chat: Mapping[str, str],
    ) -> None:
        event = self._server.question(chat, question(number, chat["repository"], chat["named"]))
        asked = self._server.asked[event["event"]["ts"]]
        body = json.dumps({**event, "event_id": f"Ev{number}"}).encode()
        for pause in (None, *_AGAIN):
            if pause is not None:
                await asyncio.sleep(pause)
            asked.deliveries += 1
            if await self._delivered(session, next(addresses), body, asked.deliveries):
                asked.acknowledged = time.time()
                return

    async def _delivered(
        self, session: aiohttp.ClientSession, where: str, body: bytes, attempt: int
    ) -> bool:
        try:
            headers = _headers(body, attempt)
            async with session.post(where, data=body, headers=headers) as answer:
                if answer.status == 200:
                    return True
                self.refused[f"HTTP {answer.status}"] += 1
        except (aiohttp.ClientError, TimeoutError) as error:
            self.refused[type(error).__name__] += 1
        return False


def question(number: int, repository: str, named: str) -> str:
    """Half of the questions are about one change, the others about many."""
    within = f" in {repository}" if named else ""
    match number % 10:
        case 0 | 1 | 2 | 3 | 4:
            return f"explain {repository if named else ''}#{number % 30 + 1}"
        case 5 | 6:
            return f"what changed this week{within}"
        case 7 | 8:
            return f"search scheduler{within}"
        case _:
            return f"what changed in cache this week{within}"


def token_of(team: str) -> str:
    """The token with which the bot calls a workspace."""
    return f"xoxb-secret-of-{team}"


def _headers(body: bytes, attempt: int) -> dict[str, str]:
    stamp = str(int(time.time()))
    signed = hmac.new(SIGNING.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256)
    headers = {
        "Content-Type": "application/json",
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": f"v0={signed.hexdigest()}",
    }
    if attempt > 1:
        headers |= {"X-Slack-Retry-Num": str(attempt - 1), "X-Slack-Retry-Reason": "http_error"}
    return headers


def _told(server: Workspaces, asking: Asking, since: float) -> dict[str, Any]:
    """The current results for questions and digests."""
    asked = list(server.asked.values())
    words = {id(one): one.message.text for one in asked if one.message is not None}
    answered = [one for one in asked if id(one) in words and not _waits(words[id(one)])]
    return {
        "asked": len(asked),
        "began": since,
        "acknowledged": [
            one.acknowledged - one.at for one in asked if one.deliveries == 1 and one.acknowledged
        ],
        "undelivered": sum(not one.acknowledged for one in asked),
        "again": sum(one.deliveries > 1 for one in asked),
        "answered": [[one.at, one.answered - one.at] for one in answered],
        "troubled": sum(_troubled(words[id(one)]) for one in answered),
        "digests": {
            channel: [at - since for at in all_] for channel, all_ in server.posts.at.items()
        },
        "twice": sum(count > 1 for count in server.posts.identities.values()),
        "limited": server.limited,
        "refused": asking.refused,
    }


def _waits(text: str) -> bool:
    return text.startswith(_WAITING)


def _troubled(text: str) -> bool:
    return any(one in text for one in _TROUBLE)


def main(file: Path) -> None:
    """Serve until the input ends."""
    chats = json.loads(file.read_text())
    with Workspaces(chats) as server:
        asking = Asking(server, chats)
        _say(server.url)
        for line in sys.stdin:
            told = json.loads(line)
            if told["do"] == "ask":
                work = asking.run(told["where"], told["rate"], told["seconds"])
                asyncio.run_coroutine_threadsafe(work, server._loop)  # noqa: SLF001  # the server's own
                _say(time.time())
            else:
                _say(server.call(_report(server, asking, told["since"])))


async def _report(server: Workspaces, asking: Asking, since: float) -> dict[str, Any]:
    return _told(server, asking, since)


def _say(told: object) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
