"""Learned weights in a real archive: by repository, the newest first, each release once."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.store.database import Database
from bot.store.feedback import SqlWeights
from digest.core.grade import Repository
from digest.grading.importance import weights
from digest.grading.local_weights import LocalWeights

ENGINE, OTHER = Repository(name="octo/engine"), Repository(name="octo/other")
SINCE = datetime(2026, 6, 1, tzinfo=UTC)


def learned(release: str, days: int, bias: float = -1.5) -> LocalWeights:
    version = f"{weights().version}+{release}"
    model = replace(weights(), version=version, bias=bias, weights={"note": 1.25})
    return LocalWeights(release=release, since=SINCE + timedelta(days=days), weights=model)


async def test_weights_come_back_to_their_repository_alone(database: Database) -> None:
    kept = SqlWeights(database)
    await kept.keep(ENGINE, learned("v1", 0))
    await kept.keep(ENGINE, learned("v2", 20))
    assert list(await kept.load(ENGINE)) == [learned("v2", 20), learned("v1", 0)]
    assert list(await kept.load(OTHER)) == []


async def test_a_release_teaches_once(database: Database) -> None:
    kept = SqlWeights(database)
    await kept.keep(ENGINE, learned("v1", 0))
    await kept.keep(ENGINE, learned("v1", 0, bias=4.0))
    assert [one.weights.bias for one in await kept.load(ENGINE)] == [-1.5]


async def test_recent_weights_are_cached_until_this_process_teaches(database: Database) -> None:
    kept, other = SqlWeights(database), SqlWeights(database)
    assert list(await kept.recent(ENGINE)) == []
    await other.keep(ENGINE, learned("v1", 0))
    assert list(await kept.recent(ENGINE)) == []
    assert list(await kept.load(ENGINE)) == list(await kept.recent(ENGINE)) == [learned("v1", 0)]
    await kept.keep(ENGINE, learned("v2", 20))
    assert [one.release for one in await kept.recent(ENGINE)] == ["v2", "v1"]
