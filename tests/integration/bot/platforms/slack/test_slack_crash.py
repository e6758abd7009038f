"""A digest for Slack, with the process ended at every step, and again at every step after that."""

from __future__ import annotations

import pytest

from bot.delivery.delivery import Delivery, Posting
from bot.delivery.part_sender import Patience, Target
from bot.messaging.rates import Rate
from bot.platforms.slack import Config, create, sender
from digest.document import Document, Item, Listing, Text
from tests.servers.slack import BOT_TOKEN, CHANNEL, SlackServer
from tests.support.fakes_delivery import Crash, FakeLeases, FakeLedger, Killed

PATIENCE = Patience(first=0.001, attempts=3)

DOCUMENT = Document(
    title="Today",
    blocks=(Listing(tuple(Item((Text(f"change {n}. " + "word " * 90),)) for n in range(40))),),
)


class Process:
    """A program that delivers, and ends where the crash says."""

    def __init__(self, server, ledger):
        self.slack = create(Config(bot_token=BOT_TOKEN, api=server.url))
        self.crash = Crash()
        self.ledger = ledger
        post = self.slack._calls.post

        async def stepping(method, token, **values):
            self.crash(f"before {method}")
            told = await post(method, token, **values)
            self.crash(f"after {method}")
            return told

        self.slack._calls.post = stepping

    async def run(self, at=None) -> bool:
        """Deliver; whether the process lived to the end."""
        self.crash = Crash(at)
        self.ledger.step = self.crash
        delivery = Delivery(self.ledger, FakeLeases(), patience=PATIENCE)
        target = Target(name="team", sender=self.slack, chat=CHANNEL)
        try:
            result = await delivery.deliver(Posting(target=target, digest="day", document=DOCUMENT))
        except Killed:
            return False
        assert result.done
        return True


@pytest.mark.slow
async def test_no_crash_loses_or_doubles_a_part(monkeypatch):
    monkeypatch.setattr(sender, "_IN_A_CHANNEL", (Rate(count=1000, seconds=1),))
    monkeypatch.setattr(sender, "_IN_ALL", Rate(count=10_000, seconds=1))
    runs = 0
    with SlackServer(burst=10_000, rate=10_000) as server:
        rendered = create(Config(bot_token=BOT_TOKEN)).render(DOCUMENT)
        parts = [part.text.replace("• ", "* ") for part in rendered]
        assert len(parts) >= 2
        first = 0
        while True:
            second, ended = 0, False
            while not ended:
                server.messages.clear()
                ledger = FakeLedger()
                process, again = Process(server, ledger), Process(server, ledger)
                lived = await process.run(at=first)
                ended = await again.run(at=second)
                last = Process(server, ledger)
                assert await last.run()
                assert server.seen() == parts, (process.crash.steps, again.crash.steps)
                root, *rest = server.messages
                assert all(message.thread == root.ts for message in rest)
                for one in (process, again, last):
                    await one.slack.aclose()
                second, runs = second + 1, runs + 1
            if lived:
                break
            first += 1
    assert runs >= 200
