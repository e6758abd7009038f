"""Claims that are let go, and those that are not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.ops.retention import Retention
from bot.store.chat_records import SqlProfiles
from bot.store.database import Database
from bot.store.ledger import SqlLedger, alert_claim, remove_claims
from digest.core.enums import Alerts
from digest.core.grade import Repository
from digest.core.profile import Profile, parse_entry
from handlers.ports.chat_port import StoredProfile

NOW = datetime(2026, 6, 1, tzinfo=UTC)
KEPT = timedelta(days=90)


class At:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.moment = NOW

    def now(self) -> datetime:
        return self.moment


@pytest.fixture
def clock() -> At:
    return At()


@pytest.fixture
def ledger(database: Database, clock: At) -> SqlLedger:
    return SqlLedger(database, clock)


@pytest.mark.parametrize(
    "name", ["hook:github", "notice:0f", "alert:example/project:slack:C1:" + "a" * 40]
)
async def test_a_passing_event_is_once_as_long_as_it_is_kept_and_then_forgotten(
    database: Database, ledger: SqlLedger, clock: At, name: str
) -> None:
    assert await ledger.claim_slot(name, "one")
    clock.moment += KEPT
    assert await ledger.claim_slot(name, "two")
    assert await remove_claims(database, clock.moment - KEPT) == 0
    assert not await ledger.claim_slot(name, "one")
    clock.moment += timedelta(seconds=1)
    assert await remove_claims(database, clock.moment - KEPT) == 1
    assert not await ledger.claim_slot(name, "two")
    assert await ledger.claim_slot(name, "one")


async def test_of_a_channel_the_newest_claim_stays_for_ever(
    database: Database, ledger: SqlLedger, clock: At
) -> None:
    for name in ("team", "finished:team", "first-seen:team", "weekly"):
        assert await ledger.claim_slot(name, "2026-05-29")
    for name in ("team", "finished:team"):
        assert await ledger.claim_slot(name, "2026-06-01")
    clock.moment += 4 * KEPT
    assert await remove_claims(database, clock.moment - KEPT) == 2
    stand = {name: await ledger.last_slot(name) for name in ("team", "finished:team")}
    assert stand == {"team": "2026-06-01", "finished:team": "2026-06-01"}
    assert await ledger.last_slot("first-seen:team") == "2026-05-29"
    assert not await ledger.claim_slot("weekly", "2026-05-29")


async def test_the_alert_that_a_profile_stands_at_is_not_forgotten(
    database: Database, ledger: SqlLedger, clock: At
) -> None:
    profiles, repository = SqlProfiles(database), Repository(name="example/project")
    kept = StoredProfile(
        owner="slack:C1",
        profile=Profile(entries=(parse_entry("--workers"),)),
        alerts=Alerts.BREAKING,
        tip="b" * 40,
    )
    await profiles.change(kept.owner, repository, lambda _: kept)
    begun = alert_claim("example/project", "slack:C1", "b" * 40)
    passed = alert_claim("example/project", "slack:C1", "a" * 40)
    for one in (begun, passed):
        assert await ledger.claim_slot(one, "c" * 40)
    clock.moment += 2 * KEPT
    assert await remove_claims(database, clock.moment - KEPT) == 1
    assert await ledger.last_slot(begun) == "c" * 40
    assert await ledger.last_slot(passed) is None


async def test_a_claim_whose_age_nobody_told_stays(database: Database, ledger: SqlLedger) -> None:
    async with database.writing() as connection:
        await connection.exec_driver_sql(
            "INSERT INTO slots (subscription, slot) VALUES ('hook:github', 'one')"
        )
    assert await remove_claims(database, NOW) == 0
    assert not await ledger.claim_slot("hook:github", "one")


async def test_tidying_lets_go_once_an_hour(
    database: Database, ledger: SqlLedger, clock: At
) -> None:
    tidy = Retention(database, clock, KEPT)
    await ledger.claim_slot("hook:github", "one")
    clock.moment += timedelta(minutes=30)
    await ledger.claim_slot("hook:github", "two")
    clock.moment = NOW + KEPT + timedelta(minutes=1)
    await tidy()
    assert await ledger.claim_slot("hook:github", "one")
    clock.moment += timedelta(minutes=59)
    await tidy()
    assert not await ledger.claim_slot("hook:github", "two")
    clock.moment += timedelta(minutes=1)
    await tidy()
    assert await ledger.claim_slot("hook:github", "two")
