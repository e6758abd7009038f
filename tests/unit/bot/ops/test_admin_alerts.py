"""What an admin is told: gathered, each line once a day, without secrets, never in a loop."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.delivery.delivery import Delivery
from bot.delivery.part_sender import Patience, Target
from bot.messaging.sender import SendError, SendReason
from bot.ops.admin_alerts import AdminAlerts, AdminChannel, telling
from digest.core.enums import Language
from tests.support.fakes_delivery import FakeClock, FakeLeases, FakeLedger, FakeSender

PARKED = {"event": "chat.parked", "account": "work", "chat": "C1", "error": "no_channel"}
MISSED = {"event": "slot.missed", "channel": "team", "count": 2, "slot": "2026-01-22"}


@pytest.fixture
def desk():
    sender, ledger = FakeSender(), FakeLedger()
    target = Target(name="for the admin", sender=sender, chat="OPS")
    delivery = Delivery(ledger, FakeLeases(), [target], Patience(first=0, attempts=1))
    return AdminChannel(target=target, delivery=delivery, ledger=ledger, clock=FakeClock())


def told(desk) -> str:
    return "\n".join(desk.target.sender.texts())


async def test_lines_are_gathered_into_one_message(desk):
    notices = AdminAlerts()
    assert notices(None, "warning", dict(PARKED)) == PARKED
    notices(None, "warning", dict(MISSED))
    assert await notices.post(desk)
    assert "C1 on work no longer accepts messages (no_channel)" in told(desk)
    assert "team: 2 digests were missed, the last one due on 2026-01-22" in told(desk)
    assert len(desk.ledger.records) == 1


async def test_line_is_told_once_a_day_also_after_a_restart(desk):
    for _ in range(3):
        notices = AdminAlerts()
        notices(None, "warning", dict(PARKED))
        await notices.post(desk)
    assert len(desk.ledger.records) == 1
    desk.clock.time += timedelta(days=1)
    notices(None, "warning", dict(PARKED))
    assert await notices.post(desk)


async def test_thousand_lines_are_one_bounded_message(desk):
    notices = AdminAlerts()
    for number in range(1000):
        notices(None, "warning", {**PARKED, "chat": f"C{number}"})
    assert await notices.post(desk)
    assert not await notices.post(desk)
    assert "980 more lines in the log" in told(desk)
    assert told(desk).count("no longer accepts") == 20


async def test_errors_are_told_and_ordinary_events_are_not(desk):
    notices = AdminAlerts()
    notices(None, "exception", {"event": "listen.broken", "platform": "slack", "exc_info": True})
    notices(None, "info", {"event": "delivery.sent", "channel": "team"})
    notices(None, "warning", {"event": "delivery.refused", "channel": "team"})
    await notices.post(desk)
    assert "listen.broken: platform=slack" in told(desk)
    assert "delivery" not in told(desk)


async def test_secrets_stay_out(desk):
    notices = AdminAlerts(secrets=["xoxb-1"])
    notices(None, "error", {"event": "broken", "detail": "told xoxb-1", "token": "abc"})
    await notices.post(desk)
    assert "xoxb-1" not in told(desk)
    assert "abc" not in told(desk)


async def test_trouble_of_the_admins_own_chat_makes_no_more_of_it(desk):
    desk.target.sender.errors = [SendError(SendReason.NO_CHANNEL)]
    notices = AdminAlerts()
    notices(None, "warning", dict(PARKED))
    await notices.post(desk)
    notices(None, "exception", {"event": "delivery.broken", "channel": "for the admin"})
    assert not await notices.post(desk)
    notices(None, "warning", dict(MISSED))
    await notices.post(desk)
    assert "C1 on work" in told(desk)
    assert "team: 2 digests" in told(desk)


async def test_what_waits_at_the_end_is_posted(desk):
    notices = AdminAlerts(Language.ZH)
    async with telling(notices, desk):
        notices(None, "warning", {"event": "model.capped", "detail": "1000 tokens a day"})
    assert "模型额度已用尽：1000 tokens a day" in told(desk)


async def test_digest_that_failed_is_told_with_its_channel(desk):
    notices = AdminAlerts()
    notices(None, "error", {"event": "slot.failed", "channel": "team", "error": "no network"})
    await notices.post(desk)
    assert "team: its digest could not be built (no network)" in told(desk)
