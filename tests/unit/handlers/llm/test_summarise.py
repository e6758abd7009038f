"""The lead of a digest: asked once, a second time if it broke on the way, and never in its way."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from digest.analysis.analyse import analyse
from digest.core.enums import Language
from digest.core.statement import Origin
from digest.llm.day_summary import SummarisedChange
from digest.llm.model_input import Masked
from digest.report.themes import DaySummary
from handlers.llm.summarise import complete_summary, lead, summary_input
from handlers.ports.analysis_port import Judging, StoredDay
from handlers.ports.model_port import (
    CallKind,
    ModelError,
    ModelProfile,
    ModelReason,
    ModelReply,
    Usage,
)
from tests.support.fakes import FakeSource, context, graded

DAY = DaySummary(lead=(), themes=(), source=Origin.MODEL)
SPENT = Usage(calls=1, input_tokens=100, output_tokens=10)


@dataclass
class FakeModel:
    """A model that answers with its plays in order, then with a summary."""

    plays: list[ModelError] = field(default_factory=list)
    context: int = 32_768
    shrinks: int = 0
    asked: list = field(default_factory=list)

    @property
    def profile(self):
        return ModelProfile(name="m", server="s", context=self.context, max_output=4096)

    def count(self, text):
        return len(text) // 4 + 1

    async def complete(self, request):
        self.asked.append(request)
        await asyncio.sleep(0)
        if self.plays:
            self.context -= self.shrinks
            raise self.plays.pop(0)
        return ModelReply(value=DAY, usage=SPENT, model="m", seconds=1.0)


@dataclass
class Days:
    """Stored summaries by key."""

    kept: dict = field(default_factory=dict)

    async def day(self, _repository, key, _basis):
        return self.kept.get(key)

    async def keep_day(self, _repository, key, _basis, stored):
        self.kept[key] = stored


def redactor(change, facts):
    return Masked(change=change, facts=facts, secrets=0)


CHANGES = [graded(str(n) * 8, f"Change part {n} (#{n})", {f"src/part{n}.py": n}) for n in (1, 2, 3)]
SAID = tuple(
    SummarisedChange(graded=one, analysis=replace(analyse(one, Language.EN), source=Origin.MODEL))
    for one in CHANGES
)


def failure(reason: ModelReason, usage: Usage = SPENT) -> ModelError:
    return ModelError(reason, "no", usage=usage)


class Desk:
    """What a lead is asked with."""

    def __init__(self, *plays: ModelError, **more) -> None:
        self.model, self.days = FakeModel(list(plays), **more), Days()
        self.ctx = context(FakeSource([]))
        self.judging = Judging(
            model=self.model, analyses=self.days, redactor=redactor, channel="team", person="ada"
        )

    async def lead(self, changes=SAID):
        return await lead(self.ctx, self.judging, changes)

    @property
    def stored(self) -> list[StoredDay]:
        return list(self.days.kept.values())


async def test_lead_is_asked_for_once_and_kept():
    desk = Desk()
    first = await desk.lead()
    assert (first.day, first.spent, first.error) == (DAY, SPENT, None)
    again = await desk.lead()
    assert (again.day, again.spent) == (DAY, Usage())
    (request,) = desk.model.asked
    account = request.account
    assert (account.kind, account.channel, account.person) == (CallKind.LEAD, "team", "ada")
    assert desk.stored == [StoredDay(at=desk.ctx.clock.now(), day=DAY, usage=SPENT)]


async def test_those_who_ask_at_once_share_one_call():
    desk = Desk()
    results = await asyncio.gather(*(desk.lead() for _ in range(3)))
    assert [result.day for result in results] == [DAY] * 3
    assert len(desk.model.asked) == 1


async def test_nothing_is_asked_about_one_change_or_where_no_model_read_any():
    desk = Desk()
    by_rule = [replace(one, analysis=analyse(one.graded, Language.EN)) for one in SAID]
    assert (await desk.lead(SAID[:1])).day is None
    assert (await desk.lead(by_rule)).day is None
    assert desk.model.asked == []
    assert (await desk.lead([SAID[0], *by_rule[1:]])).day is DAY


@pytest.mark.parametrize(
    "reason", [ModelReason.TIMEOUT, ModelReason.BROKEN, ModelReason.UNAVAILABLE]
)
async def test_call_that_broke_on_the_way_is_made_again_and_both_are_counted(reason):
    desk = Desk(failure(reason))
    result = await desk.lead()
    assert (result.day, result.spent) == (DAY, SPENT + SPENT)
    desk = Desk(failure(reason), failure(reason), failure(reason))
    result = await desk.lead()
    assert (result.error.reason, result.spent) == (reason, SPENT + SPENT)
    assert len(desk.model.asked) == 2


async def test_failure_that_cost_something_is_not_paid_for_again_on_the_same_day():
    desk = Desk(failure(ModelReason.REFUSED))
    assert (await desk.lead()).error.detail == "no"
    desk.ctx.clock.advance(timedelta(hours=23))
    held = await desk.lead()
    assert (held.error.reason, held.error.detail) == (
        ModelReason.REFUSED,
        "failed before, not asked again",
    )
    assert held.spent == Usage()
    desk.ctx.clock.advance(timedelta(hours=1))
    assert (await desk.lead()).day is DAY
    assert len(desk.model.asked) == 2


async def test_failure_that_cost_nothing_is_not_kept():
    desk = Desk(failure(ModelReason.REFUSED, Usage(calls=1)))
    await desk.lead()
    assert desk.stored == []
    assert (await desk.lead()).day is DAY


async def test_server_with_less_context_than_was_known_is_asked_again_with_less():
    desk = Desk(failure(ModelReason.CONTEXT_LENGTH, Usage()), context=8_000, shrinks=3_000)
    assert (await desk.lead()).day is DAY
    desk = Desk(failure(ModelReason.CONTEXT_LENGTH, Usage()))
    assert (await desk.lead()).error.reason is ModelReason.CONTEXT_LENGTH
    assert len(desk.model.asked) == 1
    desk = Desk(context=300)
    assert (await desk.lead()).error.reason is ModelReason.CONTEXT_LENGTH
    assert desk.model.asked == []


async def test_error_of_the_program_costs_the_lead_and_nothing_else():
    desk = Desk()
    desk.days.day = None
    result = await desk.lead()
    assert result.day is None
    assert "TypeError" in result.error.detail


def test_input_is_the_most_important_changes_as_far_as_they_were_read():
    entries = summary_input(CHANGES, {SAID[1].graded.sha: SAID[1]}, Language.EN)
    ranks = [(one.graded.grade.level.rank, -one.graded.grade.score) for one in entries]
    assert ranks == sorted(ranks)
    assert {one.graded.sha: one.analysis.source is Origin.MODEL for one in entries} == {
        one.graded.sha: one.graded.sha == SAID[1].graded.sha for one in SAID
    }
    assert len(summary_input(CHANGES * 40, {}, Language.EN)) == 80


def test_themes_come_by_rule_where_no_model_made_any():
    by_rule = complete_summary(None, SAID, Language.EN)
    assert by_rule.lead == ()
    assert complete_summary(DAY, SAID, Language.EN).themes == by_rule.themes
