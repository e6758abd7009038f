"""Deliveries in doubt and chats that refuse, in a real database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.store.deliveries import ChatRefusal, SqlRefusals, SqlUncertainDeliveries
from bot.store.ledger import SqlLedger
from bot.store.sqlite import open_database
from handlers.ports.storage import DeliveryKey, PartRecord, PartState

NOW = datetime(2026, 1, 23, 9, tzinfo=UTC)


def key(digest: str) -> DeliveryKey:
    return DeliveryKey(platform="slack", channel="team", digest=digest)


async def test_parts_in_doubt_are_listed_and_sent_again_on_request(tmp_path):
    async with await open_database(tmp_path) as database:
        ledger, doubts = SqlLedger(database), SqlUncertainDeliveries(database)
        for digest in ("fine", "unproven", "failed"):
            await ledger.claim(key(digest), "{}", 2)
            for part in range(2):
                await ledger.mark(
                    key(digest), PartRecord(part=part, state=PartState.SENT, receipt=f"m{part}")
                )
        await ledger.claim(key("half"), "{}", 2)
        sent = PartRecord(part=0, state=PartState.SENT, error="unproven: taken as sent")
        await ledger.mark(key("half"), sent)
        await ledger.mark(key("half"), PartRecord(part=1, state=PartState.FAILED, error="rejected"))
        found = await doubts.newest(10)
        assert [(one.digest, one.part, one.state) for one in found] == [
            ("half", 0, PartState.SENT),
            ("half", 1, PartState.FAILED),
        ]
        assert await doubts.again(found[0].delivery) == 2
        assert await doubts.again(found[0].delivery) == 0
        (left,) = await ledger.pending()
        assert [part.state for part in left.parts] == [PartState.WAITING] * 2


async def test_refusals_are_kept_replaced_and_forgotten(tmp_path):
    one = ChatRefusal(account="a", chat="C1", reason="no_channel", detail="", strikes=1, since=NOW)
    parked = ChatRefusal(
        account="a",
        chat="C1",
        reason="unauthorized",
        detail="revoked",
        strikes=3,
        since=NOW,
        parked_at=NOW,
        probes=2,
        next_probe=NOW + timedelta(hours=1),
    )
    async with await open_database(tmp_path) as database:
        refusals = SqlRefusals(database)
        await refusals.keep(one)
        assert await refusals.all() == (one,)
        await refusals.keep(parked)
        assert await refusals.all() == (parked,)
        assert await refusals.forget("a", "C1")
        assert not await refusals.forget("a", "C1")
        assert await refusals.all() == ()
