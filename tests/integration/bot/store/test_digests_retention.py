"""What is let go of old digests and posts, and what has to stay."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import func, select, update

from bot.ops.retention import POSTED, Retention
from bot.store.database import Database
from bot.store.deliveries import Amendment, SqlAmendments, SqlUncertainDeliveries
from bot.store.digests import DigestHeading, KeptDigest, SqlDigests, drop_digests, empty_deliveries
from bot.store.ledger import SqlLedger
from bot.store.tables.ledger_tables import deliveries, reports
from digest.window import Window
from handlers.ports.storage import DeliveryKey, PartRecord, PartState

START = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)
SENT = PartState.SENT


class At:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.moment = START

    def now(self) -> datetime:
        return self.moment


@pytest.fixture
def clock() -> At:
    return At()


@pytest.fixture
def ledger(database: Database, clock: At) -> SqlLedger:
    return SqlLedger(database, clock)


@pytest.fixture
def digests(database: Database) -> SqlDigests:
    return SqlDigests(database)


def key(digest: str, channel: str = "team") -> DeliveryKey:
    return DeliveryKey(platform="slack", channel=channel, digest=digest)


async def post(ledger: SqlLedger, digest: str, part: PartRecord | None = None) -> None:
    await ledger.claim(key(digest), f'{{"of": "{digest}"}}', 1)
    await ledger.mark(key(digest), part or PartRecord(part=0, state=SENT, receipt="m1"))


async def content(ledger: SqlLedger, digest: str) -> str:
    record = await ledger.record(key(digest))
    assert record is not None
    return record.content


def made(name: str, at: datetime, markdown: str = "# told", repository: str = "a/b") -> KeptDigest:
    window = Window(since=at - DAY, until=at, zone=ZoneInfo("UTC"))
    heading = DigestHeading(
        name=name, repository=repository, branch="main", window=window, created_at=at, counts={}
    )
    return KeptDigest(heading=heading, document="{}", markdown=markdown)


async def plan(database: Database, digest: str) -> Amendment:
    one = Amendment(key=key(digest), sha="a" * 40, by_sha="b" * 40, by_name="#1", at=START)
    await SqlAmendments(database).plan([one])
    return one


async def test_an_old_post_loses_its_content_and_is_never_posted_again(
    database: Database, ledger: SqlLedger, clock: At
) -> None:
    await post(ledger, "old")
    clock.moment += DAY
    await post(ledger, "new")
    assert await empty_deliveries(database, START + DAY) == 1
    assert await empty_deliveries(database, START + DAY) == 0
    again = await ledger.claim(key("old"), "another", 1)
    assert (again.fresh, again.done, again.content) == (False, True, "")
    assert [part.receipt for part in again.parts] == ["m1"]
    assert await content(ledger, "new") == '{"of": "new"}'


async def test_what_is_not_done_or_in_doubt_or_to_be_amended_stays_whole(
    database: Database, ledger: SqlLedger
) -> None:
    await post(ledger, "waiting", PartRecord(part=0, state=PartState.WAITING))
    await post(ledger, "unproven", PartRecord(part=0, state=SENT, error="unproven: taken as sent"))
    await post(ledger, "reverted")
    planned = await plan(database, "reverted")
    later = START + 400 * DAY
    assert await empty_deliveries(database, later) == 0
    (doubt,) = [
        one for one in await SqlUncertainDeliveries(database).newest(9) if one.state is SENT
    ]
    assert await SqlUncertainDeliveries(database).again(doubt.delivery) == 1
    await ledger.mark(key("unproven"), PartRecord(part=0, state=SENT, receipt="m2"))
    await SqlAmendments(database).done(planned)
    assert await empty_deliveries(database, later) == 2
    assert await content(ledger, "waiting") != ""


async def test_posts_of_no_known_moment_are_as_old_as_the_next_that_has_one(
    database: Database, ledger: SqlLedger, clock: At
) -> None:
    await post(ledger, "before")
    async with database.writing() as connection:
        await connection.execute(update(deliveries).values(at=0))
    assert await empty_deliveries(database, START + 400 * DAY) == 0
    clock.moment += DAY
    await post(ledger, "after")
    assert await empty_deliveries(database, clock.moment) == 0
    assert await empty_deliveries(database, clock.moment + DAY) == 2


async def test_work_is_done_in_small_steps_until_nothing_is_left(
    database: Database, ledger: SqlLedger, digests: SqlDigests
) -> None:
    for number in range(5):
        await post(ledger, f"d{number}")
        await digests.keep(made(f"d{number}", START, f"# {number}"))
    later = START + DAY
    assert await empty_deliveries(database, later, at_once=2) == 5
    assert await drop_digests(database, later, at_once=2) == 5
    assert await digests.list(9) == ()


async def test_old_digests_go_with_the_reports_that_were_theirs_alone(
    database: Database, digests: SqlDigests
) -> None:
    await digests.keep(made("first", START, "# alone"))
    await digests.keep(made("second", START, "# shared"))
    await digests.keep(made("third", START + DAY, "# shared"))
    await digests.keep(made("other", START, "# alone", repository="c/d"))
    assert await drop_digests(database, START + DAY) == 3
    assert [one.name for one in await digests.list(9)] == ["third"]
    kept = await digests.get("third")
    assert kept is not None
    assert kept.markdown == "# shared"
    async with database.reading() as connection:
        assert await connection.scalar(select(func.count()).select_from(reports)) == 1


async def test_a_digest_that_is_still_delivered_or_to_be_amended_stays(
    database: Database, ledger: SqlLedger, digests: SqlDigests
) -> None:
    for name in ("waiting", "reverted", "posted"):
        await digests.keep(made(name, START))
    await post(ledger, "waiting", PartRecord(part=0, state=PartState.FAILED, error="rejected"))
    await post(ledger, "reverted")
    await post(ledger, "posted")
    await plan(database, "reverted")
    assert await drop_digests(database, START + 400 * DAY) == 1
    assert {one.name for one in await digests.list(9)} == {"waiting", "reverted"}


async def test_digests_are_kept_for_ever_unless_it_is_said_otherwise(
    database: Database, ledger: SqlLedger, digests: SqlDigests, clock: At
) -> None:
    await post(ledger, "one")
    await digests.keep(made("one", START))
    clock.moment = START + POSTED
    await Retention(database, clock, POSTED)()
    assert await content(ledger, "one") != ""
    clock.moment = START + 4000 * DAY
    await Retention(database, clock, POSTED)()
    assert await content(ledger, "one") == ""
    assert await digests.get("one") is not None
    await Retention(database, clock, POSTED, 400 * DAY)()
    assert await digests.get("one") is None
