"""Slack, calling the bot's address with signed requests."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import io
import json
import time
from contextlib import asynccontextmanager

from tests.servers.slack import BOT_USER, CHANNEL, PERSON, TEAM

SECRET = "signing-secret-31b1"
MENTION = {
    "type": "event_callback",
    "team_id": TEAM,
    "event": {"type": "app_mention", "user": PERSON, "channel": CHANNEL, "ts": "1700000000.1", "text": f"<@{BOT_USER}> explain #7"},
}  # fmt: skip


class Caller:
    """Slack, calling the bot's address."""

    def __init__(self, url, session, bot):
        self.url = url
        self.session = session
        self.bot = bot
        self.heard = asyncio.Queue()

    @asynccontextmanager
    async def listening(self):
        """Hear for as long as the block lasts."""

        async def listen():
            async for incoming in self.bot.listen():
                self.heard.put_nowait(incoming)

        task = asyncio.create_task(listen())
        try:
            while self.bot.ear.trouble:
                await asyncio.sleep(0.005)
            yield self
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def post(self, body: bytes, *, kind="application/json", secret=SECRET, shift=0, **more):
        stamp = str(int(time.time()) + shift)
        signed = hmac.new(secret.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256)
        headers = {
            "Content-Type": kind,
            "X-Slack-Request-Timestamp": stamp,
            "X-Slack-Signature": f"v0={signed.hexdigest()}",
            **more,
        }
        async with self.session.post(self.url, data=io.BytesIO(body), headers=headers) as answer:
            return answer.status, await answer.text()

    async def event(self, payload=MENTION, **more):
        return await self.post(json.dumps(payload).encode(), **more)
