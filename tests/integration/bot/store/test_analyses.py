"""Analyses kept on a real database: found by name and by content, one grade for all languages."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from bot.store.analyses import SqlAnalyses
from bot.store.database import Database
from digest.core.change import Side
from digest.core.enums import Language
from digest.core.facts import Evidence
from digest.core.grade import Level, Repository
from digest.core.statement import Analysis, Aspect, ChangeType, Origin, Statement
from digest.document import Code, Text
from digest.grading.importance import LevelOverride
from digest.report.themes import DaySummary, Sentence, Theme
from handlers.ports.analysis_port import Basis, StoredAnalysis, StoredDay
from handlers.ports.model_port import ModelReason, Usage

REPOSITORY = Repository(name="octo/engine", web="https://example.org/octo/engine")

BASIS = Basis(prompt="high-1.1.1-1 1 redacted", model="m", language=Language.EN)

NOON = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)

RAISED = LevelOverride(rule="contract", of=Level.MEDIUM, to=Level.HIGH, subject="src/a.py")

LOWERED = LevelOverride(rule="user_visible", of=Level.MEDIUM, to=Level.LOW, subject="src/b.py")


@pytest.fixture
def analyses(database: Database) -> SqlAnalyses:
    return SqlAnalyses(database)


def kept(sha: str = "a" * 40, diff: str = "d1", **other: object) -> StoredAnalysis:
    place = Evidence(path="src/\udcff.py", line=7, side=Side.NEW)
    statement = Statement(
        spans=(Text("It adds "), Code("--fast"), Text("。")),
        evidence=(place,),
        aspect=Aspect.PERFORMANCE,
    )
    analysis = Analysis(
        language=Language.EN,
        source=Origin.MODEL,
        change_types=(ChangeType.FEATURE,),
        summary=(statement,),
        insights=(statement,),
        rejected=0.25,
        partial="The model did not see: src/b.py.",
    )
    usage = Usage(
        calls=2, input_tokens=900, cached_tokens=300, output_tokens=80, cost=Decimal("0.1")
    )
    fields = {
        "sha": sha,
        "diff": diff,
        "at": NOON,
        "analysis": analysis,
        "usage": usage,
        "secrets": 3,
    }
    return StoredAnalysis(**{**fields, **other})


def failed(**other: object) -> StoredAnalysis:
    return kept(analysis=None, failure=ModelReason.REFUSED, **other)


async def test_analysis_comes_back_as_it_was_kept(analyses: SqlAnalyses) -> None:
    assert await analyses.load(REPOSITORY, ["a" * 40], BASIS) == {}
    one = kept(move=RAISED)
    assert await analyses.save(REPOSITORY, BASIS, [one]) == {one.sha: one}
    assert await analyses.load(REPOSITORY, ["b" * 40, one.sha], BASIS) == {one.sha: one}


@pytest.mark.parametrize(
    "other",
    [
        {"prompt": "high-1.1.2-1 1 redacted"},
        {"model": "n"},
        {"language": Language.ZH},
        {"facts": 99},
    ],
)
async def test_another_basis_is_another_analysis(
    analyses: SqlAnalyses, other: dict[str, object]
) -> None:
    await analyses.save(REPOSITORY, BASIS, [kept()])
    assert await analyses.load(REPOSITORY, ["a" * 40], replace(BASIS, **other)) == {}
    assert await analyses.alike(REPOSITORY, ["d1"], replace(BASIS, **other)) == {}
    assert await analyses.load(Repository(name="other"), ["a" * 40], BASIS) == {}


async def test_same_change_under_another_name_is_found_by_its_diff(analyses: SqlAnalyses) -> None:
    await analyses.save(REPOSITORY, BASIS, [kept(), failed(sha="c" * 40, diff="d2")])
    found = await analyses.alike(REPOSITORY, ["d1", "d2", "d3"], BASIS)
    assert found == {"d1": kept()}


async def test_an_analysis_takes_the_place_of_a_failure_alone(analyses: SqlAnalyses) -> None:
    first = failed()
    assert (await analyses.save(REPOSITORY, BASIS, [first]))[first.sha] == first
    later = kept(at=NOON + timedelta(hours=1))
    assert (await analyses.save(REPOSITORY, BASIS, [later]))[later.sha] == later
    assert (await analyses.save(REPOSITORY, BASIS, [first]))[later.sha] == later
    again = kept(at=NOON + timedelta(hours=2), secrets=9)
    assert (await analyses.save(REPOSITORY, BASIS, [again]))[later.sha] == later


async def test_first_move_of_a_change_stands_in_every_language(analyses: SqlAnalyses) -> None:
    chinese = replace(BASIS, language=Language.ZH)
    deeper = replace(BASIS, prompt="medium")
    await analyses.save(REPOSITORY, BASIS, [kept(move=RAISED)])
    stands = await analyses.save(REPOSITORY, chinese, [kept(move=LOWERED)])
    assert stands["a" * 40].move == RAISED
    assert (await analyses.save(REPOSITORY, deeper, [kept()]))["a" * 40].move == RAISED
    assert (await analyses.load(REPOSITORY, ["a" * 40], chinese))["a" * 40].move == RAISED


async def test_that_nothing_was_moved_stands_too(analyses: SqlAnalyses) -> None:
    await analyses.save(REPOSITORY, BASIS, [kept()])
    chinese = replace(BASIS, language=Language.ZH)
    stands = await analyses.save(REPOSITORY, chinese, [kept(move=RAISED)])
    assert stands["a" * 40].move is None


async def test_a_failure_decides_no_move(analyses: SqlAnalyses) -> None:
    await analyses.save(REPOSITORY, BASIS, [failed()])
    chinese = replace(BASIS, language=Language.ZH)
    stands = await analyses.save(REPOSITORY, chinese, [kept(move=RAISED)])
    assert stands["a" * 40].move == RAISED


async def test_thousands_are_loaded_at_once(analyses: SqlAnalyses) -> None:
    many = [kept(sha=f"{n:040x}", diff=f"{n:032x}") for n in range(1_200)]
    await analyses.save(REPOSITORY, BASIS, many)
    assert len(await analyses.load(REPOSITORY, [k.sha for k in many], BASIS)) == 1_200
    assert len(await analyses.alike(REPOSITORY, [k.diff for k in many], BASIS)) == 1_200


def day() -> DaySummary:
    sentence = Sentence(spans=(Text("It adds "), Code("--fast"), Text(".")), shas=("a" * 40,))
    shas = ("a" * 40, "b" * 40)
    return DaySummary(
        lead=(sentence,),
        themes=(
            Theme(title=(Text("Speed"),), shas=shas, sentence=sentence, source=Origin.MODEL),
            Theme(title=(Code("src/"),), shas=shas),
        ),
        rejected=0.5,
        source=Origin.MODEL,
    )


async def test_day_comes_back_as_it_was_kept(analyses: SqlAnalyses) -> None:
    assert await analyses.day(REPOSITORY, "s1", BASIS) is None
    made = StoredDay(at=NOON, day=day(), usage=Usage(calls=1, input_tokens=5))
    await analyses.keep_day(REPOSITORY, "s1", BASIS, made)
    assert await analyses.day(REPOSITORY, "s1", BASIS) == made
    assert await analyses.day(REPOSITORY, "s2", BASIS) is None
    assert await analyses.day(REPOSITORY, "s1", replace(BASIS, language=Language.ZH)) is None


async def test_a_day_takes_the_place_of_a_failure(analyses: SqlAnalyses) -> None:
    failure = StoredDay(at=NOON, failure=ModelReason.TIMEOUT, usage=Usage(calls=2))
    await analyses.keep_day(REPOSITORY, "s1", BASIS, failure)
    assert await analyses.day(REPOSITORY, "s1", BASIS) == failure
    made = StoredDay(at=NOON, day=day())
    await analyses.keep_day(REPOSITORY, "s1", BASIS, made)
    await analyses.keep_day(REPOSITORY, "s1", BASIS, failure)
    assert await analyses.day(REPOSITORY, "s1", BASIS) == made


async def test_analyses_of_a_second_model_are_its_own_and_used_where_the_first_has_none(analyses):
    both = replace(BASIS, reserve="spare")
    second = kept(model="spare", move=RAISED, secrets=1)
    saved = await analyses.save(REPOSITORY, both, [second])
    assert saved[second.sha].model == "spare"
    [(basis, _)] = await analyses.of_change(REPOSITORY, second.sha)
    assert basis.model == "spare"
    assert await analyses.load(REPOSITORY, [second.sha], BASIS) == {}
    assert await analyses.alike(REPOSITORY, [second.diff], BASIS) == {}
    assert await analyses.alike(REPOSITORY, [second.diff], both) == {second.diff: second}
    await analyses.save(REPOSITORY, BASIS, [failed()])
    assert await analyses.load(REPOSITORY, [second.sha], both) == {second.sha: second}
    first = kept(move=LOWERED)
    loaded = await analyses.save(REPOSITORY, both, [first])
    assert loaded == {first.sha: replace(first, move=RAISED)}, "the first move counts"
    assert loaded[first.sha].model == BASIS.model


async def test_summary_of_a_second_model_gives_way_to_that_of_the_first(analyses):
    both = replace(BASIS, reserve="spare")
    day = DaySummary(lead=(), themes=(), source=Origin.MODEL)
    await analyses.keep_day(REPOSITORY, "k", both, StoredDay(at=NOON, day=day, model="spare"))
    assert await analyses.day(REPOSITORY, "k", BASIS) is None
    stored = await analyses.day(REPOSITORY, "k", both)
    assert (stored.model, stored.day) == ("spare", day)
    await analyses.keep_day(REPOSITORY, "k", both, StoredDay(at=NOON, day=day))
    assert (await analyses.day(REPOSITORY, "k", both)).model == BASIS.model
