"""What ``digestbot quality``, ``cost`` and ``deliveries`` say, and which time they look at."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest

from bot.cli import run_review
from bot.cli.commands import AnswerFormat
from bot.cli.run_review import _cost_document, _part_outcome
from bot.store.analyses import Cost
from bot.store.deliveries import ChatRefusal, UncertainDelivery
from bot.store.feedback import Opinion, ReaderVerdict
from digest.core.grade import Level, Thresholds
from digest.errors import InvalidWindow, UserError
from digest.grading.outcomes import Outcome, quality
from digest.markdown import markdown
from digest.window import Window
from handlers.digests.grade_quality import NamedByNotes, QualityResult
from handlers.ports.model_port import CallKind, Usage
from handlers.ports.storage import PartState
from tests.support.fakes import REPOSITORY, FakeClock, FakeSource, change, context, graded

NOW = FakeClock().now()
MISSING = "Possibly missing: the platform did not confirm it"
NOT_AGAIN = "It is not posted again automatically."
DOUBT = UncertainDelivery(
    delivery=7, platform="slack", channel="team", digest="d", part=0,
    state=PartState.FAILED, error="unauthorized",
)  # fmt: skip


@pytest.mark.parametrize(
    ("state", "error", "said"),
    [
        (PartState.SENT, "unproven: no scope", f"{MISSING} (no scope). {NOT_AGAIN}"),
        (PartState.SENT, "unproven: taken as sent", f"{MISSING}. {NOT_AGAIN}"),
        (PartState.FAILED, "unauthorized", "Not posted: unauthorized."),
        (PartState.WAITING, "", "Not posted yet. It will be retried."),
        (PartState.SENDING, "no answer", "Being posted, or interrupted: no answer."),
    ],
)
def test_what_happened_to_a_part_is_said_in_plain_words(state, error, said) -> None:
    assert _part_outcome(replace(DOUBT, state=state, error=error)) == said


@pytest.fixture
def kept(monkeypatch):
    """What the database has, and what it was asked for; the archive is of one repository."""
    source = FakeSource([change("aaaaaaa1", "Add a mode (#3)", at=NOW - timedelta(days=20))])
    kept = SimpleNamespace(
        source=source, opinions=[], costs=[], spans=[], doubts=[], refusals=[], again={}
    )

    class Rows:
        def __init__(self, database):
            pass

        async def all(self, since=None):
            return kept.opinions if since else kept.refusals

        async def costs(self, since, until):
            kept.spans.append((since, until))
            return kept.costs

        async def newest(self, limit):
            return kept.doubts[:limit]

        async def again(self, number):
            return kept.again.get(number, 0)

        async def forget(self, account, chat):
            return (account, chat) in {one.place for one in kept.refusals}

    async def watch(place):
        return context(source).watched

    @asynccontextmanager
    async def opened(config):
        yield SimpleNamespace(
            database=None,
            clock=FakeClock(),
            zone=lambda name: ZoneInfo(name or "Asia/Shanghai"),
            watch=watch,
            context=lambda watched, **_: replace(context(source), watched=watched),
        )

    monkeypatch.setattr(run_review, "open_workspace", opened)
    for name in ("SqlFeedback", "SqlCalls", "SqlUncertainDeliveries", "SqlRefusals"):
        monkeypatch.setattr(run_review, name, Rows)
    return kept


async def _run(command, *given, **named) -> None:
    await command.__wrapped__(*given, **named)


async def _judged(capsys, notes=(), **span):
    named = {"since": None, "until": None, "form": AnswerFormat.JSON, **span}
    await _run(run_review.quality, place=None, notes=notes, config=None, **named)
    told = capsys.readouterr().out
    return json.loads(told) if named["form"] is AnswerFormat.JSON else told


def _sum(found, name: str) -> int:
    return sum(row[name] for row in found["levels"])


async def test_new_commits_are_fetched_before_grades_are_judged(kept, capsys):
    await _judged(capsys)
    assert kept.source.calls[0] == ("sync",)


async def test_without_a_period_the_changes_of_which_the_outcome_is_known_are_judged(kept, capsys):
    found = await _judged(capsys)
    assert (found["since"], found["until"]) == (
        (NOW - timedelta(days=104)).isoformat(), (NOW - timedelta(days=14)).isoformat(),
    )  # fmt: skip
    assert (_sum(found, "changes"), found["schema"]) == (1, 1)


async def test_a_period_of_which_only_the_beginning_is_named_is_that_one(kept, capsys):
    told = await _judged(capsys, since="2026-01-05", form=AnswerFormat.TEXT)
    assert "0 changes of 2026-01-05 to " in told


@pytest.mark.parametrize(
    ("repository", "verdict", "useful", "useless", "mattered"),
    [
        (REPOSITORY.name, ReaderVerdict.USEFUL, 1, 0, 1),
        (REPOSITORY.name, ReaderVerdict.USELESS, 0, 1, 0),
        ("acme/other", ReaderVerdict.USEFUL, 0, 0, 0),
    ],
)
async def test_readers_of_this_repository_say_what_mattered(
    kept, capsys, repository, verdict, useful, useless, mattered
):
    sha = kept.source.branch_changes[0].sha
    kept.opinions = [
        Opinion(
            repository=repository, subject=sha, platform="slack", chat="C", person="U",
            verdict=verdict, at=NOW,
        )
    ]  # fmt: skip
    found = await _judged(capsys)
    assert (_sum(found, "useful"), _sum(found, "useless")) == (useful, useless)
    assert _sum(found, "mattered") == mattered


async def test_of_a_huge_file_of_notes_the_beginning_is_read(kept, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(run_review, "_NOTES_LIMIT", 12)
    near, far = tmp_path / "near.md", tmp_path / "far.md"
    near.write_bytes(b"\xff* Mode (#3) and more")
    far.write_bytes(b"* Many changes, of which (#3)")
    assert _sum(await _judged(capsys, [far]), "named") == 0
    assert _sum(await _judged(capsys, [far, near]), "named") == 1


def _result(changes, fates) -> QualityResult:
    window = Window(since=datetime(2025, 9, 1, tzinfo=UTC), until=NOW, zone=ZoneInfo("UTC"))
    found = quality(changes, fates, Thresholds())
    return QualityResult(window=window, changes=changes, fates=fates, quality=found)


def _graded(number: int, score: float):
    one = graded(f"{number:07}", f"Change {number} (#{number})")
    level = Level.LOW if score < 0.3 else Level.HIGH
    return replace(one, grade=replace(one.grade, score=score, level=level))


def _told(result, notes=None) -> str:
    return markdown(run_review._document(result, REPOSITORY, notes or NamedByNotes()))


def test_low_changes_that_mattered_are_listed_with_why_lowest_first_and_at_most_ten():
    changes = [_graded(n, n / 100) for n in range(12, 0, -1)]
    both = frozenset({Outcome.REVERTED, Outcome.NAMED})
    shown = _told(_result(changes, {one.sha: both for one in changes}))
    missed = shown.partition("Graded low, but mattered")[2]
    assert missed.count("named, reverted") == 10
    assert "## Graded low, but mattered" in shown
    assert shown.startswith("# Grades of octo/engine in hindsight")
    assert ["low", "12", "12", "12", "0", "0", "12", "0", "0"] in [
        [cell.strip() for cell in line.strip("|").split("|")] for line in shown.splitlines()
    ]
    assert f"`{changes[-1].sha[:10]}` · 0.01 · named, reverted" in missed.split("\n- ")[1]
    assert "Change 11" not in missed


def test_nothing_is_said_to_be_missed_where_no_low_change_mattered():
    assert "outscored" not in (shown := _told(_result([_graded(1, 0.1)], {})))
    assert "Graded low" not in shown
    assert "Too few changes are known to have mattered" in shown
    assert "1 changes of 2025-09-01 to 2026-01-23" in shown


@pytest.mark.parametrize(
    ("notes", "said", "unsaid"),
    [
        (NamedByNotes(), "Now:", "otes of "),
        (NamedByNotes(releases=1), "The notes of 1 release of the forge were read.", "No notes"),
        (NamedByNotes(releases=2), "The notes of 2 releases of the forge were read.", "No notes"),
        (NamedByNotes(unread="it is down"), "No notes of releases: it is down.", "were read"),
    ],
)
def test_which_release_notes_were_read_is_said(notes, said, unsaid):
    shown = _told(_result([_graded(1, 0.1)], {}), notes)
    assert said in shown
    assert unsaid not in shown


def test_thresholds_are_proposed_where_enough_mattered():
    high, low = [_graded(n, 0.9) for n in range(30)], [_graded(n, 0.1) for n in range(30, 200)]
    result = _result([*high, *low], {one.sha: frozenset({Outcome.USEFUL}) for one in high})
    shown = _told(result)
    assert "outscored one that did not in 100% of all pairs" in shown
    assert (
        "Proposed for [repositories.thresholds]: high = 0.90, medium = 0.90: "
        "high 30, medium 0, low 170; high has 100% of the changes that mattered "
        "(at least 100% of high did), medium and above 100%."
    ) in shown.replace("\\", "")
    proposal = run_review._json(result, REPOSITORY, NamedByNotes())["proposal"]
    assert (proposal["high"], proposal["levels"]) == (0.9, {"high": 30, "medium": 0, "low": 170})


def _cost(day: int, *, kind=CallKind.LINES, repository="b/b", currency="USD", failed=0, **usage):
    return Cost(
        day=datetime(2026, 1, day, tzinfo=UTC), repository=repository, kind=kind,
        currency=currency, usage=Usage(**usage), failed=failed,
    )  # fmt: skip


def test_costs_are_added_up_by_day_repository_and_kind_and_no_currencies_are_mixed():
    costs = [
        _cost(22, calls=1200, input_tokens=10, cost=Decimal("0.5"), failed=2),
        _cost(
            21, calls=1, input_tokens=5, cost=Decimal("0.25"), kind=CallKind.PROBE, estimated=True
        ),
        _cost(22, calls=3, repository="", currency="EUR", output_tokens=7, cached_tokens=4),
    ]
    document = _cost_document(costs, NOW - timedelta(days=2), NOW)
    assert document.title == "Model calls (2026-01-21 to 2026-01-23, UTC)"
    assert markdown(document).startswith(f"# {document.title}\n\n## By day\n")
    tables = [
        [tuple(cell[0].text for cell in row) for row in (block.header, *block.rows)]
        for block in document.blocks
        if hasattr(block, "rows")
    ]
    assert [table[0][0] for table in tables] == ["day", "repository", "kind", "all"]
    assert tables[0][1:] == [
        ("2026-01-21", "1", "0", "~5", "0", "~0", "~0.2500 USD"),
        ("2026-01-22", "3", "0", "0", "4", "7", "0.0000 EUR"),
        ("2026-01-22", "1,200", "2", "10", "0", "0", "0.5000 USD"),
    ]
    assert [row[0] for row in tables[1][1:]] == ["-", "b/b"]
    assert tables[1][2][1:3] == ("1,201", "2")
    assert {row[0] for row in tables[2][1:]} == {"lines", "probe"}
    assert [row[-1] for row in tables[3][1:]] == ["0.0000 EUR", "~0.7500 USD"]


async def _costs(since=None, until=None, form=AnswerFormat.JSON):
    await _run(run_review.cost, since=since, until=until, form=form, config=None)


async def test_costs_of_no_named_time_are_those_of_30_days_with_today(kept, capsys):
    kept.costs = [_cost(22, calls=2, failed=1)]
    await _costs()
    ((since, until),) = kept.spans
    assert since == datetime(2025, 12, 25, tzinfo=UTC)
    assert until == NOW + timedelta(seconds=1), "calls of this second count"
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == 1
    assert [(row["day"], row["calls"], row["failed"]) for row in told["rows"]] == [
        ("2026-01-22", 2, 1)
    ]


async def test_costs_of_a_time_that_ends_before_it_begins_are_refused(kept, capsys):
    with pytest.raises(InvalidWindow, match="swap"):
        await _costs("2026-01-03T00:00", "2026-01-02T00:00")
    await _costs("2026-01-02T00:00", "2026-01-02T00:00", AnswerFormat.TEXT)
    assert "No model calls (2026-01-02 to 2026-01-02, UTC)" in capsys.readouterr().out


async def test_posts_in_doubt_are_told_with_the_number_that_posts_the_newest_again(kept, capsys):
    kept.doubts = [DOUBT, replace(DOUBT, delivery=6, part=2)]
    await _run(run_review.deliveries, None, None, None)
    told = " ".join(capsys.readouterr().out.split())
    assert "7 team (slack) d 1 Not posted" in told
    assert "6 team (slack) d 3 Not posted" in told
    assert "digestbot deliveries --again 7" in told
    assert "Parked" not in told


async def test_parked_chats_are_told_in_the_zone_of_the_configuration(kept, capsys):
    refusal = ChatRefusal(
        account="work", chat="C1", reason="no_channel", detail="gone", strikes=3, since=NOW,
        parked_at=NOW, next_probe=NOW + timedelta(minutes=15),
    )  # fmt: skip
    unknown = replace(refusal, chat="C2", detail="", next_probe=None)
    kept.refusals = [refusal, unknown, replace(refusal, chat="C3", parked_at=None)]
    await _run(run_review.deliveries, None, None, None)
    told = " ".join(capsys.readouterr().out.split())
    assert "work:C1 2026-01-23 20:00 no_channel: gone 2026-01-23 20:15" in told
    assert "work:C2 2026-01-23 20:00 no_channel -" in told
    assert "C3" not in told
    assert "Not posted, or possibly missing" not in told
    await _run(run_review.deliveries, None, "work:C1", None)
    assert capsys.readouterr().out == "posting to work:C1 resumes\n"


async def test_it_is_said_when_everything_arrived(kept, capsys):
    await _run(run_review.deliveries, None, None, None)
    assert capsys.readouterr().out == "all posts were delivered, and no chat is parked\n"


@pytest.mark.parametrize("where", ["work:C9", "work", ""])
async def test_a_chat_that_is_not_parked_cannot_be_unparked(kept, where):
    with pytest.raises(UserError, match="not parked"):
        await _run(run_review.deliveries, None, where, None)


async def test_parts_to_be_posted_again_are_counted_and_none_is_an_error(kept, capsys):
    kept.again = {7: 1, 8: 2}
    for number in (7, 8):
        await _run(run_review.deliveries, number, None, None)
    assert capsys.readouterr().out.split(" by digestbot run\n")[:2] == [
        "1 part will be posted", "2 parts will be posted",
    ]  # fmt: skip
    with pytest.raises(UserError, match="no part of delivery 9"):
        await _run(run_review.deliveries, 9, None, None)
