"""Commits named one by one, kinds and labels, asked of a real archive as of the fake one."""

from __future__ import annotations

import pytest

from bot.store.archive import SqlArchive
from digest.core.enums import ChangeKind, Language
from digest.core.reference import Query
from digest.topics.matching import Resolved, restrict
from tests.support.fakes import REPOSITORY, FakeArchive, graded

CHANGES = [
    graded("aaaaaaa1", "[MoE][Bugfix] Fix the experts (#11)", {"src/moe/fuse.py": 90}),
    graded("bbbbbbb2", "[CI/Build] Pin the runner (#12)", {".github/workflows/x.yml": 5}),
    graded("ccccccc3", "feat!: drop the old API (#13)", {"src/api.py": 30}),
]
NAMES = [g.sha for g in CHANGES]
FIXES = restrict(Resolved(), [ChangeKind.FIX], "")
BREAKING = restrict(Resolved(), [ChangeKind.BREAKING, ChangeKind.FIX], "")
LABELLED = restrict(Resolved(), (), "ci")


@pytest.mark.parametrize(
    "query",
    [
        Query(among=tuple(NAMES[:2])),
        Query(among=()),
        Query(among=("f" * 40,)),
        Query(among=tuple(NAMES[1:]), terms=("runner",)),
        Query(among=tuple(NAMES), paths=("src/",)),
        Query(topics=FIXES.topics, about=FIXES.alternatives),
        Query(topics=BREAKING.topics, about=BREAKING.alternatives),
        Query(topics=BREAKING.topics, about=BREAKING.alternatives, among=(NAMES[2],)),
        Query(topics=LABELLED.topics, about=LABELLED.alternatives),
    ],
    # A set in a name would stand in another order in every process.
    ids=["two", "none", "unknown", "term", "path", "fixes", "breaking", "breaking-one", "label"],
)
async def test_archive_finds_what_the_fake_finds(archive: SqlArchive, query: Query) -> None:
    await archive.save(REPOSITORY, CHANGES)
    wanted = [g.sha for g in await FakeArchive.of(REPOSITORY, CHANGES).select(REPOSITORY, query)]
    assert [g.sha for g in await archive.select(REPOSITORY, query)] == wanted
    survey = await archive.survey(REPOSITORY, query, 1, Language.EN)
    assert survey.total == len(wanted)


async def test_kinds_and_labels_select_what_they_say(archive: SqlArchive) -> None:
    await archive.save(REPOSITORY, CHANGES)

    async def found(narrow: Resolved) -> set[str]:
        query = Query(topics=narrow.topics, about=narrow.alternatives)
        return {g.sha[:8] for g in await archive.select(REPOSITORY, query)}

    assert await found(FIXES) == {"aaaaaaa1"}
    assert await found(BREAKING) == {"aaaaaaa1", "ccccccc3"}
    assert await found(LABELLED) == {"bbbbbbb2"}
