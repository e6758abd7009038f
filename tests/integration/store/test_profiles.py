"""Profiles in a real archive: an owner's own, for one repository, forgotten when empty."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.store.engine import Database
from bot.store.profiles import SqlProfiles
from digest.graded import Repository
from digest.profile import Profile, parse_entry
from handlers.profiling import Kept

ENGINE, OTHER = Repository(name="octo/engine"), Repository(name="octo/other")
KEPT = Kept(
    owner="slack:C1",
    profile=Profile().with_(map(parse_entry, ("--max-len", "APP_PORT", "src/**", "调度器"))),
    alerts=True,
    tip="a" * 40,
    person="slack:U1",
)


@pytest.fixture
def profiles(database: Database) -> SqlProfiles:
    return SqlProfiles(database)


async def test_what_is_kept_comes_back_to_its_owner_alone(profiles):
    await profiles.save(ENGINE, replace(KEPT, alerts=False))
    await profiles.save(ENGINE, KEPT)
    assert await profiles.load("slack:C1", ENGINE) == KEPT
    assert await profiles.load("slack:C1", OTHER) == Kept(owner="slack:C1")
    assert await profiles.load("slack@C1", ENGINE) == Kept(owner="slack@C1")


async def test_those_who_want_alerts_are_found(profiles):
    quiet = replace(KEPT, owner="slack:C2", alerts=False)
    for kept in (KEPT, quiet):
        await profiles.save(ENGINE, kept)
    assert await profiles.alerted(ENGINE) == [KEPT]
    assert await profiles.alerted(OTHER) == []


async def test_an_empty_profile_is_forgotten(profiles):
    await profiles.save(ENGINE, KEPT)
    await profiles.save(ENGINE, replace(KEPT, profile=Profile()))
    assert await profiles.alerted(ENGINE) == []
