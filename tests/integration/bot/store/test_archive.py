"""What the archive is given it gives back, and what takes whose place."""

from __future__ import annotations

import asyncio
import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.store import maintenance
from bot.store.archive import SqlArchive
from bot.store.database import Database
from bot.store.maintenance import reindex
from bot.store.rows import INDEXED_BY, newest_first
from bot.store.sqlite import SqliteDatabase
from digest.core.facts import FACTS_VERSION
from digest.core.grade import Graded, Level, Repository
from digest.core.reference import Query
from digest.topics.index_terms import topics_of
from tests.integration.bot.store.samples import OTHER, REPOSITORY, START, changes, made, sha_of


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50
)
@given(st.lists(changes, max_size=3, unique_by=lambda g: g.sha))
async def test_load_gives_back_exactly_what_was_saved(
    archive: SqlArchive, given: list[Graded]
) -> None:
    # A version of its own for each example: a later one replaces what an earlier one left.
    async with archive._database.reading() as connection:
        last = (await connection.exec_driver_sql("SELECT max(facts_version) FROM changes")).scalar()
    version = (last or 0) + 1
    fresh = [replace(g, facts=replace(g.facts, version=version)) for g in given]
    await archive.save(REPOSITORY, fresh)
    assert await archive.load(REPOSITORY, [g.sha for g in fresh]) == {g.sha: g for g in fresh}


async def test_loaded_facts_are_facts_in_all_respects(archive: SqlArchive) -> None:
    saved = made(1, names=("Engine.step",), tags=("Core",), number=7)
    await archive.save(REPOSITORY, [saved])

    async def loaded() -> Graded:
        return (await archive.load(REPOSITORY, [saved.sha]))[saved.sha]

    assert (await loaded()).title == saved.title
    assert (await loaded()).facts.areas == saved.facts.areas
    assert saved.facts == (await loaded()).facts
    assert hash((await loaded()).facts) == hash(saved.facts)
    assert replace((await loaded()).facts, merge=True) == replace(saved.facts, merge=True)
    assert copy.deepcopy((await loaded()).facts) == saved.facts
    assert pickle.loads(pickle.dumps((await loaded()).facts)) == saved.facts
    assert (await loaded()).facts != replace(saved.facts, merge=True)
    assert (await loaded()).facts != "facts"
    assert not hasattr((await loaded()).facts, "colour")


async def test_save_keeps_repositories_apart(archive: SqlArchive) -> None:
    await archive.save(REPOSITORY, [made(1, "Here")])
    await archive.save(OTHER, [made(1, "There"), made(2)])
    assert (await archive.load(REPOSITORY, [sha_of(1)]))[sha_of(1)].title == "Here"
    assert [g.sha for g in await archive.select(OTHER, Query())] == [sha_of(2), sha_of(1)]
    assert [g.title for g in await archive.select(REPOSITORY, Query(terms=("ere",)))] == ["Here"]


async def test_unknown_repository_holds_nothing(archive: SqlArchive) -> None:
    assert await archive.load(OTHER, [sha_of(1)]) == {}
    assert await archive.find(OTHER, number=1) == []
    assert await archive.select(OTHER, Query()) == ()
    assert await archive.vocabulary(OTHER) == {}


async def test_save_nothing_makes_no_repository(archive: SqlArchive, database: Database) -> None:
    await archive.save(OTHER, [])
    async with database.reading() as connection:
        rows = await connection.exec_driver_sql("SELECT count(*) FROM repositories")
        assert rows.scalar() == 0


async def test_save_again_writes_nothing(file: SqliteDatabase) -> None:
    archive = SqlArchive(file)
    batch = [made(n) for n in range(20)]
    await archive.save(REPOSITORY, batch)
    log = file.path.with_name(f"{file.path.name}-wal")
    before = log.stat().st_size
    await archive.save(REPOSITORY, batch)
    assert log.stat().st_size == before


async def test_save_of_one_change_twice_in_a_batch_keeps_the_last(archive: SqlArchive) -> None:
    await archive.save(REPOSITORY, [made(1, "First"), made(1, "Last")])
    assert [g.title for g in await archive.select(REPOSITORY, Query())] == ["Last"]


async def test_newer_facts_replace_older_ones_with_their_indexes(archive: SqlArchive) -> None:
    old = made(1, "Speed up turbine", paths=("old/path.py",), names=("OldName",))
    new = made(1, "Speed up rocket", paths=("new/path.py",), version=FACTS_VERSION + 1)
    await archive.save(REPOSITORY, [old])
    await archive.save(REPOSITORY, [new])
    assert await archive.load(REPOSITORY, [new.sha]) == {new.sha: new}
    for gone in (
        Query(terms=("turbine",)),
        Query(terms=("oldname",)),
        Query(paths=("old/",)),
        Query(topics=("turbine",)),
    ):
        assert list(await archive.select(REPOSITORY, gone)) == [], gone
    for there in (Query(terms=("rocket",)), Query(paths=("new/",)), Query(topics=("rocket",))):
        assert list(await archive.select(REPOSITORY, there)) == [new], there
    assert set(await archive.vocabulary(REPOSITORY)) == topics_of(new)


async def test_a_change_of_two_wanted_topics_takes_one_place_of_a_page(archive: SqlArchive) -> None:
    both = [made(n, f"Speed up rocket turbine {n}") for n in range(8)]
    await archive.save(REPOSITORY, [*both, *(made(n, "Say it better") for n in range(8, 60))])
    found = await archive.select(REPOSITORY, Query(topics=("rocket", "turbine"), limit=5))
    assert len({graded.sha for graded in found}) == 5


async def test_older_facts_do_not_replace_newer_ones(archive: SqlArchive) -> None:
    new = made(1, "New", version=FACTS_VERSION + 1)
    await archive.save(REPOSITORY, [new])
    await archive.save(REPOSITORY, [made(1, "Old")])
    assert await archive.load(REPOSITORY, [new.sha]) == {new.sha: new}


async def test_facts_of_more_files_replace_those_of_fewer_but_not_back(archive: SqlArchive) -> None:
    paths = ("a.py", "b.py")
    poor, rich = made(1, paths=paths, omitted=2), made(1, paths=paths, omitted=1)
    for change in (poor, rich, poor):
        await archive.save(REPOSITORY, [change])
    assert await archive.load(REPOSITORY, [rich.sha]) == {rich.sha: rich}


async def test_grade_alone_is_replaced_without_touching_the_indexes(
    archive: SqlArchive, database: Database
) -> None:
    await archive.save(REPOSITORY, [made(1, level=Level.LOW, score=0.1)])
    async with database.writing() as connection:
        await connection.exec_driver_sql("DELETE FROM change_topics")
    better = made(1, level=Level.HIGH, score=0.9)
    await archive.save(REPOSITORY, [better])
    assert await archive.load(REPOSITORY, [better.sha]) == {better.sha: better}
    assert list(await archive.select(REPOSITORY, Query(level=Level.HIGH))) == [better]
    assert await archive.vocabulary(REPOSITORY) == {}


async def test_reasons_alone_are_replaced(archive: SqlArchive) -> None:
    first = made(1)
    second = replace(first, grade=replace(first.grade, reasons=()))
    await archive.save(REPOSITORY, [first])
    await archive.save(REPOSITORY, [second])
    assert await archive.load(REPOSITORY, [first.sha]) == {first.sha: second}


async def test_load_takes_more_names_than_a_statement_has_parameters(archive: SqlArchive) -> None:
    await archive.save(REPOSITORY, [made(n) for n in range(700)])
    names = [sha_of(n) for n in range(40_000)]
    assert len(await archive.load(REPOSITORY, names)) == 700


async def test_find_by_number_or_shortened_name_newest_first(archive: SqlArchive) -> None:
    await archive.save(REPOSITORY, [made(1, number=7), made(2, number=7), made(3, number=8)])

    async def found(number: int | None = None, sha: str = "") -> list[str]:
        return [g.sha for g in await archive.find(REPOSITORY, number, sha)]

    assert await found(number=7) == [sha_of(2), sha_of(1)]
    assert await found(number=9) == []
    assert await found(sha=sha_of(3)) == [sha_of(3)]
    assert await found(sha=sha_of(3)[:7]) == [sha_of(3)]
    assert await found(sha=sha_of(3)[:7].upper()) == [sha_of(3)]
    assert await found(sha="nothex%_") == []
    assert await found(number=8, sha=sha_of(1)[:8]) == [sha_of(3), sha_of(1)]
    assert await found() == []


async def test_find_of_a_number_beyond_all_is_empty(archive: SqlArchive) -> None:
    await archive.save(REPOSITORY, [made(1, number=7)])
    assert await archive.find(REPOSITORY, number=10**30) == []


async def test_save_of_a_number_beyond_all_keeps_the_change(archive: SqlArchive) -> None:
    boastful = made(1, number=10**30)
    await archive.save(REPOSITORY, [boastful])
    assert await archive.load(REPOSITORY, [boastful.sha]) == {boastful.sha: boastful}


async def test_lone_surrogates_in_texts_do_not_stop_the_batch(archive: SqlArchive) -> None:
    odd = made(1, author="A\udcffda", body="b\ud800dy", paths=("\udce9t\udce9.txt",))
    await archive.save(REPOSITORY, [odd, made(2)])
    loaded = await archive.load(REPOSITORY, [odd.sha, sha_of(2)])
    assert loaded[odd.sha].commit.author == "A?da"
    assert loaded[odd.sha].facts == odd.facts
    assert len(loaded) == 2


async def test_changes_of_one_moment_stand_children_first(archive: SqlArchive) -> None:
    root = made(1, at=START)
    middle = made(2, at=START, parents=(root.sha,))
    side = made(3, at=START, parents=(root.sha,))
    merge = made(4, at=START, parents=(middle.sha, side.sha))
    await archive.save(REPOSITORY, [root, side, merge, middle])
    order = [g.sha for g in await archive.select(REPOSITORY, Query())]
    assert order[0] == merge.sha
    assert order[-1] == root.sha


@given(st.permutations(range(8)))
def test_order_of_a_line_of_one_moment_does_not_depend_on_input(order: list[int]) -> None:
    line = [made(n, at=START, parents=(sha_of(n - 1),) if n else ()) for n in range(8)]
    assert newest_first([line[n] for n in order]) == line[::-1]


async def test_vocabulary_counts_changes_by_topic(archive: SqlArchive) -> None:
    batch = [made(1, "Tune router"), made(2, "Fix router"), made(3, "Fix cache")]
    await archive.save(REPOSITORY, batch)
    counted = await archive.vocabulary(REPOSITORY)
    assert counted["router"] == 2
    assert counted["cache"] == 1
    assert await archive.vocabulary(REPOSITORY, {"router", "none"}) == {"router": 2}
    assert await archive.vocabulary(REPOSITORY, set()) == {}


async def test_indexes_of_older_making_are_made_anew_when_first_used(
    archive: SqlArchive, database: Database
) -> None:
    batch = [made(n, f"Tune router number{n}") for n in range(3)]
    await archive.save(REPOSITORY, batch)
    async with database.writing() as connection:
        await connection.exec_driver_sql("UPDATE repositories SET indexed_by = 'older rules'")
        await connection.exec_driver_sql("DELETE FROM change_topics")
        await connection.exec_driver_sql("DELETE FROM change_paths")
    later = SqlArchive(database)
    assert len(await later.select(REPOSITORY, Query(topics=("router",)))) == 3
    assert len(await later.select(REPOSITORY, Query(paths=("src/",)))) == 3
    assert len(await later.select(REPOSITORY, Query(terms=("number1",)))) == 1
    async with database.reading() as connection:
        made_by = await connection.exec_driver_sql("SELECT indexed_by FROM repositories")
        assert made_by.scalar() == INDEXED_BY


async def test_change_that_a_bot_landed_is_found_by_the_person_it_was_for(
    archive: SqlArchive, database: Database
) -> None:
    bots = made(1, author="renovate[bot]")
    bots = replace(bots, facts=replace(bots.facts, co_authors=("Ada Lovelace",)))
    await archive.save(REPOSITORY, [bots, made(2, author="renovate[bot]")])
    async with database.writing() as connection:
        await connection.exec_driver_sql("UPDATE repositories SET indexed_by = 'older rules'")
        await connection.exec_driver_sql("UPDATE changes SET author_key = 'renovate[bot]'")
    later = SqlArchive(database)
    assert [g.sha for g in await later.select(REPOSITORY, Query(author="lovelace"))] == [bots.sha]
    assert len(await later.select(REPOSITORY, Query(author="renovate"))) == 1


async def test_service_answers_by_older_indexes_while_it_makes_them_anew(
    archive: SqlArchive, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await archive.save(REPOSITORY, [made(n, f"Tune router number{n}") for n in range(3)])
    async with database.writing() as connection:
        await connection.exec_driver_sql("UPDATE repositories SET indexed_by = 'older rules'")
        await connection.exec_driver_sql("DELETE FROM change_paths")
    told = asyncio.Event()
    begun: list[asyncio.Task[object] | None] = []

    async def later(database: Database, repository: Repository) -> int:
        begun.append(asyncio.current_task())
        await told.wait()
        return await reindex(database, repository)

    monkeypatch.setattr(maintenance, "reindex", later)
    service = SqlArchive(database, beside=True)
    for _ in range(2):
        assert len(await service.select(REPOSITORY, Query(topics=("router",)))) == 3
        assert len(await service.select(REPOSITORY, Query(paths=("src/",)))) == 0
    told.set()
    (task,) = begun
    assert task is not None
    assert await task == 3
    assert len(await service.select(REPOSITORY, Query(paths=("src/",)))) == 3
    async with database.reading() as connection:
        made_by = await connection.exec_driver_sql("SELECT indexed_by FROM repositories")
        assert made_by.scalar() == INDEXED_BY


async def test_service_makes_indexes_again_some_time_after_a_failure(
    archive: SqlArchive,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    await archive.save(REPOSITORY, [made(1, "Tune router")])
    async with database.writing() as connection:
        await connection.exec_driver_sql("UPDATE repositories SET indexed_by = 'older rules'")
        await connection.exec_driver_sql("DELETE FROM change_paths")
    begun: list[asyncio.Task[object] | None] = []

    async def failing(database: Database, repository: Repository) -> int:
        begun.append(asyncio.current_task())
        if len(begun) == 1:
            raise OSError("disk full")
        return await reindex(database, repository)

    monkeypatch.setattr(maintenance, "reindex", failing)
    later: list[Callable[[], None]] = []
    loop = asyncio.get_running_loop()
    soon = loop.call_later

    def call_later(delay: float, call: Callable[..., None], *given: object, **how: Any) -> object:
        if delay < 600:
            return soon(delay, call, *given, **how)
        return later.append(partial(call, *given))

    monkeypatch.setattr(loop, "call_later", call_later)
    service = SqlArchive(database, beside=True)
    for _ in range(2):
        assert len(await service.select(REPOSITORY, Query(paths=("src/",)))) == 0
        await asyncio.wait([task for task in begun if task])
        await asyncio.sleep(0)
    assert len(begun) == 1
    assert "disk full" in caplog.text
    (forget,) = later
    forget()
    await service.select(REPOSITORY, Query(paths=("src/",)))
    await asyncio.wait([task for task in begun if task])
    assert len(await service.select(REPOSITORY, Query(paths=("src/",)))) == 1


async def test_service_that_ends_stops_making_indexes(
    archive: SqlArchive, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await archive.save(REPOSITORY, [made(1, "Tune router")])
    async with database.writing() as connection:
        await connection.exec_driver_sql("UPDATE repositories SET indexed_by = 'older rules'")
    ended: list[bool] = []

    async def endless(*_: object) -> int:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)
        return 0

    monkeypatch.setattr(maintenance, "reindex", endless)
    service = SqlArchive(database, beside=True)
    assert await service.vocabulary(REPOSITORY)
    await asyncio.sleep(0)
    await service.aclose()
    assert ended == [True]


async def test_address_of_a_repository_follows_the_last_save(
    archive: SqlArchive, database: Database
) -> None:
    await archive.save(OTHER, [made(1)])
    moved = replace(OTHER, web="https://forge.example/moved", forge="gitea")
    await archive.save(moved, [made(2)])
    async with database.reading() as connection:
        row = (await connection.exec_driver_sql("SELECT name, web, forge FROM repositories")).one()
    assert tuple(row) == (OTHER.name, moved.web, "gitea")


async def test_what_an_older_version_read_is_told_newest_first(archive: SqlArchive) -> None:
    old = [made(n, version=FACTS_VERSION - 1) for n in (1, 2)]
    newer = made(3, version=FACTS_VERSION + 1)
    await archive.save(REPOSITORY, [*old, newer, made(4)])
    assert await archive.outdated(REPOSITORY) == [old[1].sha, old[0].sha]
    shas = [one.sha for one in (*old, newer, made(4))]
    assert await archive.aged(REPOSITORY, shas) == {old[0].sha, old[1].sha, newer.sha}
    assert await archive.aged(REPOSITORY, ()) == frozenset()


def test_archive_is_opened_without_what_analyses_changes() -> None:
    program = (
        "import sys, bot.store.archive, bot.store.query_plan, digest.topics.matching\n"
        "print(*(m for m in sys.modules if m.startswith('digest.analysis.')))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert ran.stdout == b"\n"
