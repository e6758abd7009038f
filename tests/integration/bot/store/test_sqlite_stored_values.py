"""An archive that version 0.1.0 wrote before its modules were moved: everything stored is readable.

``archive-0.1.0.sqlite3.gz`` holds a repository of six commits, a daily and a weekly digest that a
running program posted, an explained change, and what a chat set for itself.
"""

from __future__ import annotations

import gzip
from datetime import UTC, datetime, time
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.delivery.payload import thaw
from bot.store.archive import SqlArchive, SqlCoverage
from bot.store.chat_records import SqlChats, SqlConversations, SqlProfiles
from bot.store.database import Database
from bot.store.digests import SqlDigests
from bot.store.ledger import SqlLedger
from bot.store.maintenance import check
from bot.store.migrations import HEAD
from bot.store.sqlite import FILE, open_database, revision_of
from digest.core.enums import Frequency, Language
from digest.core.grade import Level, Repository
from digest.core.reference import Query
from digest.markdown import markdown
from handlers.ports.chat_port import ChatKey, ConversationKey
from handlers.ports.storage import DeliveryKey

PACKED = Path(__file__).parents[3] / "data" / "archive-0.1.0.sqlite3.gz"

PROJECT = Repository(name="example/project")

ASKED_AT = datetime(2026, 11, 22, 14, 5, tzinfo=UTC)


@pytest.fixture
async def database(tmp_path: Path):
    (tmp_path / FILE).write_bytes(gzip.decompress(PACKED.read_bytes()))
    async with await open_database(tmp_path) as opened:
        yield opened


async def test_the_archive_is_upgraded_and_sound(database: Database) -> None:
    assert await revision_of(database) == HEAD
    assert await check(database) == []


async def test_changes_keep_their_titles_facts_and_grades(database: Database) -> None:
    found = await SqlArchive(database).select(PROJECT, Query())
    by_title = {change.title.partition(" (#")[0]: change for change in found}
    assert {"Start the server", "[Feature] Add a scheduler", "Wait longer by default"} < set(
        by_title
    )
    assert len(found) == 5
    removal = by_title["[CLI] Remove --workers"]
    assert removal.grade.level is Level.HIGH
    assert [(fact.name, fact.action) for fact in removal.facts.items] == [("--workers", "removed")]


async def test_posted_digests_are_shown_and_not_posted_again(database: Database) -> None:
    digests, ledger = SqlDigests(database), SqlLedger(database)
    assert not await ledger.pending()
    headings = await digests.list(10)
    assert sorted(heading.kind for heading in headings) == ["daily", "weekly"]
    for heading in headings:
        kept = await digests.get(heading.name)
        assert kept is not None
        assert "--workers" in kept.markdown
        channel = heading.name.rpartition(":")[2]
        key = DeliveryKey(platform="console", channel=channel, digest=heading.name)
        record = await ledger.record(key)
        assert record is not None
        payload = thaw(record.content)
        assert "--workers" in markdown(payload.document)
        assert payload.parts
    assert await ledger.last_slot("team") == "2026-11-22"
    assert not await ledger.claim_slot("team", "2026-11-22")


async def test_every_posted_commit_has_its_state(database: Database) -> None:
    found = await SqlArchive(database).select(PROJECT, Query())
    states = await SqlCoverage(database).states(PROJECT, [change.sha for change in found])
    assert sum(state.state == "posted" for state in states.values()) == 1
    assert {state.state for state in states.values()} >= {"posted", "archived"}


async def test_what_a_chat_set_up_is_kept(database: Database) -> None:
    chats = SqlChats(database)
    room = ChatKey(platform="slack", account="office", chat="C1")
    settings = await chats.settings(room)
    assert (settings.language, settings.muted) == (Language.ZH, ("docs",))
    (subscribed,) = await chats.subscribed(room)
    assert (subscribed.repository, subscribed.kind) == ("example/project", Frequency.WEEKLY)
    assert subscribed.timing.at == time(8, 30)
    assert subscribed.timing.zone == ZoneInfo("Europe/Berlin")


async def test_conversations_looks_and_profiles_go_on(database: Database) -> None:
    conversations = SqlConversations(database)
    key = ConversationKey(platform="slack", chat="C1", person="U1")
    talk = await conversations.talk(key, ASKED_AT)
    assert talk is not None
    assert talk.question == "explain #3"
    look = await conversations.last_look(key, PROJECT)
    assert look is not None
    profile = (await SqlProfiles(database).load("slack:C1", PROJECT)).profile
    assert [entry.name for entry in profile.entries] == ["--workers", "EXAMPLE_TIMEOUT"]
