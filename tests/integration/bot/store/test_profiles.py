"""Profiles in a real archive: an owner's own, for one repository, forgotten when empty."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bot.store.chat_records import SqlProfiles
from bot.store.database import Database
from digest.core.enums import Alerts
from digest.core.grade import Repository
from digest.core.profile import Profile, parse_entry
from digest.errors import UserError
from handlers.ports.chat_port import StoredProfile

ENGINE, OTHER = Repository(name="octo/engine"), Repository(name="octo/other")

KEPT = StoredProfile(
    owner="slack:C1",
    profile=Profile().with_(map(parse_entry, ("--max-len", "APP_PORT", "src/**", "调度器"))),
    alerts=Alerts.BREAKING,
    tip="a" * 40,
    person="slack:U1",
)


async def keep(profiles: SqlProfiles, kept: StoredProfile) -> None:
    assert await profiles.change(kept.owner, ENGINE, lambda _: kept) == kept


@pytest.fixture
def profiles(database: Database) -> SqlProfiles:
    return SqlProfiles(database)


async def test_what_is_kept_comes_back_to_its_owner_alone(profiles):
    await keep(profiles, replace(KEPT, alerts=Alerts.OFF))
    await keep(profiles, KEPT)
    assert await profiles.load("slack:C1", ENGINE) == KEPT
    assert await profiles.load("slack:C1", OTHER) == StoredProfile(owner="slack:C1")
    assert await profiles.load("slack@C1", ENGINE) == StoredProfile(owner="slack@C1")


async def test_those_who_want_alerts_are_found(profiles):
    quiet = replace(KEPT, owner="slack:C2", alerts=Alerts.OFF)
    for kept in (KEPT, quiet):
        await keep(profiles, kept)
    assert await profiles.alerted(ENGINE) == [KEPT]
    assert await profiles.alerted(OTHER) == []


async def test_an_empty_profile_is_forgotten(profiles):
    await keep(profiles, KEPT)
    await keep(profiles, replace(KEPT, profile=Profile()))
    assert await profiles.alerted(ENGINE) == []


async def test_entries_that_are_put_in_at_once_are_all_kept(profiles):
    entries = [parse_entry(f"--flag-{number}") for number in range(8)]

    def put_in(entry):
        return lambda kept: replace(kept, profile=kept.profile.with_([entry]))

    await asyncio.gather(*(profiles.change("slack:C1", ENGINE, put_in(one)) for one in entries))
    assert set((await profiles.load("slack:C1", ENGINE)).profile.entries) == set(entries)


async def test_a_change_that_is_refused_changes_nothing(profiles):
    await keep(profiles, KEPT)

    def refused(kept: StoredProfile) -> StoredProfile:
        raise UserError("no")

    with pytest.raises(UserError):
        await profiles.change(KEPT.owner, ENGINE, refused)
    assert await profiles.load(KEPT.owner, ENGINE) == KEPT
