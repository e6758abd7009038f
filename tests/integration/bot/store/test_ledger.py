"""Claims, marks and slots: what stands, and what cannot be undone."""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest
from sqlalchemy import exc, insert

from bot.store.database import Database, Prepared
from bot.store.ledger import SqlLedger
from bot.store.tables.ledger_tables import slots
from handlers.ports.storage import DeliveryKey, PartRecord, PartState
from tests.integration.bot.store.opening import opened_again


@pytest.fixture
def ledger(database: Database) -> SqlLedger:
    return SqlLedger(database)


def key(digest: str = "daily:owner/name:main:2026-01-23") -> DeliveryKey:
    return DeliveryKey(platform="console", channel="terminal", digest=digest)


def sent(part: int, receipt: str = "r") -> PartRecord:
    return PartRecord(part=part, state=PartState.SENT, receipt=receipt)


async def test_first_claim_is_fresh_and_its_content_stands(ledger: SqlLedger) -> None:
    first = await ledger.claim(key(), '{"a": "内存"}', 2)
    assert (first.fresh, first.done, first.content) == (True, False, '{"a": "内存"}')
    assert first.parts == tuple(PartRecord(part=n, state=PartState.WAITING) for n in range(2))
    second = await ledger.claim(key(), "other", 5)
    assert (second.fresh, second.content, second.parts) == (False, first.content, first.parts)


@pytest.mark.parametrize("parts", [0, 1, 3])
async def test_a_fresh_claim_is_what_is_read_afterwards(ledger: SqlLedger, parts: int) -> None:
    claimed = await ledger.claim(key(), "\ud800 \0 é", parts)
    assert claimed == replace(await ledger.record(key()), fresh=True)
    assert (claimed.content, claimed.done) == ("? ? é", parts == 0)


async def test_claims_of_other_keys_do_not_meet(ledger: SqlLedger) -> None:
    claims = [
        DeliveryKey(platform=p, channel=c, digest=d) for p in "ab" for c in "xy" for d in "12"
    ]
    assert all([(await ledger.claim(k, "{}", 1)).fresh for k in claims])
    assert [r.key for r in await ledger.pending()] == claims


async def test_delivery_is_done_when_all_parts_are_sent(ledger: SqlLedger) -> None:
    await ledger.claim(key(), "{}", 2)
    await ledger.mark(key(), sent(1, "two"))
    assert [r.done for r in await ledger.pending()] == [False]
    await ledger.mark(key(), sent(0, "one"))
    assert await ledger.pending() == ()
    standing = await ledger.claim(key(), "{}", 2)
    assert (standing.done, standing.fresh) == (True, False)
    assert [p.receipt for p in standing.parts] == ["one", "two"]


async def test_delivery_without_parts_is_done_at_once(ledger: SqlLedger) -> None:
    claimed = await ledger.claim(key(), "{}", 0)
    assert (claimed.done, claimed.parts) == (True, ())
    assert await ledger.pending() == ()


async def test_mark_goes_to_any_state_but_back_from_sent(ledger: SqlLedger) -> None:
    await ledger.claim(key(), "{}", 1)
    for state in (PartState.SENDING, PartState.FAILED, PartState.SENDING):
        await ledger.mark(key(), PartRecord(part=0, state=state, error="e"))
        assert (await ledger.claim(key(), "{}", 1)).parts[0].state is state
    await ledger.mark(key(), sent(0))
    await ledger.mark(key(), PartRecord(part=0, state=PartState.FAILED, error="late"))
    assert (await ledger.claim(key(), "{}", 1)).parts == (sent(0),)


@pytest.mark.parametrize("part", [-1, 1])
async def test_mark_of_what_was_never_claimed_is_an_error(ledger: SqlLedger, part: int) -> None:
    await ledger.claim(key(), "{}", 1)
    with pytest.raises(LookupError, match="never claimed"):
        await ledger.mark(key(), sent(part))
    with pytest.raises(LookupError, match="never claimed"):
        await ledger.mark(key("another"), sent(0))


async def test_pending_is_oldest_first_and_outlives_the_process(database: Database) -> None:
    ledger = SqlLedger(database)
    for digest in "cab":
        await ledger.claim(key(digest), digest, 12)
    await ledger.mark(key("a"), PartRecord(part=3, state=PartState.SENDING))
    async with await opened_again(database) as again:
        left = await SqlLedger(again).pending()
    assert [r.content for r in left] == ["c", "a", "b"]
    assert [p.part for p in left[0].parts] == list(range(12))
    assert left[1].parts[3].state is PartState.SENDING


async def test_slot_is_claimed_once(ledger: SqlLedger) -> None:
    assert await ledger.last_slot("daily") is None
    assert await ledger.claim_slot("daily", "2026-01-09")
    assert not await ledger.claim_slot("daily", "2026-01-09")
    assert await ledger.claim_slot("weekly", "2026-01-09")
    assert await ledger.claim_slot("daily", "2026-01-10")
    assert await ledger.claim_slot("daily", "2025-12-31")
    assert await ledger.last_slot("daily") == "2026-01-10"


async def test_statements_run_together_are_all_done_or_none(database: Database) -> None:
    ledger = SqlLedger(database)
    row = {"subscription": "team", "slot": "2026-01-23", "at": 1}
    claim = Prepared(insert(slots))
    results = await database.run_all((claim, row), (claim, {**row, "slot": "2026-01-24"}))
    assert [one.count for one in results] == [1, 1]
    with pytest.raises(exc.IntegrityError if database.dialect == "sqlite" else psycopg.Error):
        await database.run_all((claim, {**row, "slot": "2026-01-25"}), (claim, row), subject="x")
    assert await ledger.last_slot("team") == "2026-01-24"
