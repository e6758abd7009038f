"""Conversations in a real archive: kept apart, brought forward, over after their lifetime."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.store.chat_records import SqlConversations
from bot.store.database import Database
from digest.core.enums import Language
from digest.core.grade import Repository
from handlers.ports.chat_port import LIFETIME, ConversationKey, Length, Look, Talk

NOW = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)

KEY = ConversationKey(platform="slack", chat="C1", thread="171.2", person="U1")

TALK = Talk(
    question="explain #11",
    repository="octo/engine",
    at=NOW,
    page=3,
    language=Language.ZH,
    length=Length.LONG,
    listed=("b" * 40, "a" * 40),
    subjects=("changed moe", f"explain {'a' * 40}"),
)

ENGINE = Repository(name="octo/engine")


@pytest.fixture
def kept(database: Database) -> SqlConversations:
    return SqlConversations(database)


async def test_talk_is_what_was_kept(kept):
    await kept.keep(KEY, replace(TALK, page=1))
    await kept.keep(KEY, TALK)
    assert await kept.talk(KEY, NOW) == TALK


@pytest.mark.parametrize("name", ["platform", "chat", "thread", "person"])
async def test_talk_of_another_key_is_another(kept, name):
    await kept.keep(KEY, TALK)
    assert await kept.talk(replace(KEY, **{name: "other"}), NOW) is None


async def test_talk_is_over_after_its_lifetime_and_pruned_by_the_next(kept):
    await kept.keep(KEY, TALK)
    later = NOW + LIFETIME + timedelta(seconds=1)
    assert await kept.talk(KEY, NOW + LIFETIME) == TALK
    assert await kept.talk(KEY, later) is None
    await kept.keep(replace(KEY, person="U2"), replace(TALK, at=later))
    assert await kept.talk(KEY, NOW) is None


async def test_forget_leaves_what_was_seen(kept):
    await kept.keep(KEY, TALK)
    await kept.looked(KEY, ENGINE, Look(at=NOW, tip="b" * 40))
    await kept.forget(KEY)
    assert await kept.talk(KEY, NOW) is None
    assert await kept.last_look(replace(KEY, thread="other"), ENGINE) == Look(at=NOW, tip="b" * 40)


async def test_looked_goes_forward_only_and_is_of_one_person(kept):
    await kept.looked(KEY, ENGINE, Look(at=NOW, tip="b" * 40))
    await kept.looked(KEY, ENGINE, Look(at=NOW - timedelta(days=1), tip="c" * 40))
    assert await kept.last_look(KEY, ENGINE) == Look(at=NOW, tip="b" * 40)
    assert await kept.last_look(replace(KEY, person="U2"), ENGINE) is None
    assert await kept.last_look(KEY, Repository(name="octo/other")) is None
