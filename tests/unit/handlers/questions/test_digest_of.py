"""The digest that a chat asks for: the level, filters and muted topics of those posted in it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest

from digest.chat.chat_settings import ChatSettings, DigestTiming, Filters, Rule, RuleField
from digest.core.enums import Frequency
from digest.core.grade import Level
from digest.markdown import markdown
from handlers.ports.chat_port import ChatDigest, ChatKey, Length, Room
from handlers.router import ask
from tests.support.fakes import FakeArchive, FakeSource, change, context, graded

NOW = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)
HERE = ChatKey(platform="slack", chat="C1")
CHANGES = [
    ("aaaaaaa1", "Rework the pool (#3)", {"src/pool.py": 900}, "Ada"),
    ("bbbbbbb2", "Fix a typo (#2)", {"docs/a.md": 1}, "Ada"),
    ("ccccccc3", "Speed up the router (#1)", {"src/router.py": 20}, "Bob"),
]


@dataclass
class Chats:
    kept: ChatSettings = field(default_factory=ChatSettings)

    async def settings(self, chat):
        return self.kept


def asked(*runs: ChatDigest, kept: ChatSettings | None = None, room: bool = True):
    made = [
        change(sha, title, files, NOW - timedelta(hours=n + 1), author)
        for n, (sha, title, files, author) in enumerate(CHANGES)
    ]
    plain = context(FakeSource(made), FakeArchive())

    async def of_chat():
        return runs

    here = Room(chat=HERE, chats=Chats(kept or ChatSettings()), repositories=(), runs=of_chat)
    return replace(plain, room=here if room else None)


def daily(least: Level, kind: Frequency = Frequency.DAILY, **more) -> ChatDigest:
    timing = DigestTiming(least=least)
    return ChatDigest(repositories=("octo/engine",), timing=timing, kind=kind, **more)


async def shown(ctx) -> str:
    return markdown((await ask("digest", ctx)).document)


def test_the_changes_are_of_several_levels():
    levels = {title: graded(sha, title, files).grade.level for sha, title, files, _ in CHANGES}
    assert levels["Fix a typo (#2)"] is Level.LOW


@pytest.mark.parametrize(
    ("ctx", "listed"),
    [
        (asked(daily(Level.LOW)), True),
        (asked(daily(Level.HIGH)), False),
        (asked(daily(Level.HIGH), daily(Level.LOW, Frequency.WEEKLY)), False),
        (asked(daily(Level.HIGH, Frequency.WEEKLY), daily(Level.LOW)), True),
        (asked(kept=ChatSettings(timing=DigestTiming(least=Level.LOW))), True),
        (asked(), False),
        (asked(room=False), False),
        (replace(asked(daily(Level.LOW)), length=Length.SHORT), False),
        (replace(asked(daily(Level.HIGH)), length=Length.LONG), True),
    ],
)
async def test_the_level_is_that_of_the_chats_digest(ctx, listed):
    assert ("Fix a typo" in await shown(ctx)) is listed


async def test_filters_and_muted_topics_of_the_chat_apply():
    filters = Filters(exclude=(Rule(field=RuleField.AUTHOR, pattern="bob"),))
    told = await shown(asked(daily(Level.LOW, filters=filters)))
    assert "Fix a typo" in told
    assert "Speed up the router" not in told
    told = await shown(asked(daily(Level.LOW, muted=("router",))))
    assert "Fix a typo" in told
    assert "Speed up the router" not in told


async def test_filters_of_a_chat_without_digests_apply():
    filters = Filters(exclude=(Rule(field=RuleField.PATH, pattern="src/**"),))
    kept = ChatSettings(timing=DigestTiming(least=Level.LOW), filters=filters)
    answer = await ask("catch up", asked(kept=kept))
    assert [row.graded.number for row in answer.rows] == [2]
