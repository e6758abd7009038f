"""What a process says of changes that the model did not describe."""

from __future__ import annotations

from decimal import Decimal

import pytest
from structlog.testing import capture_logs

from bot.llm.runtime import note, shortfall
from handlers.ports.analysis_port import AnalysisRun, Missed
from handlers.ports.model_port import ModelError, ModelReason, Usage

UNLED = ModelError(ModelReason.TIMEOUT, "no answer")


def missed(*reasons: str) -> dict[str, Missed]:
    return {
        str(n): Missed(sha=str(n), reason=reason, detail=f"detail {n}")
        for n, reason in enumerate(reasons)
    }


@pytest.mark.parametrize(
    ("run", "told"),
    [
        (AnalysisRun(), ""),
        (AnalysisRun(analyses={"a": object()}), ""),
        (AnalysisRun(unled=UNLED), "the lead was written without the model (timeout)"),
        (
            AnalysisRun(analyses={"a": object()}, missed=missed("broken"), unled=UNLED),
            "1 of 2 changes were described from facts alone (broken 1)",
        ),
        (
            AnalysisRun(missed=missed("broken", "budget", "budget")),
            "3 of 3 changes were described from facts alone (budget 2, broken 1)",
        ),
    ],
)
def test_what_is_missing_is_told_in_one_line(run, told):
    assert shortfall(run) == told


def test_every_change_that_was_missed_is_logged_and_the_cost_of_all():
    spent = Usage(calls=3, input_tokens=70, output_tokens=30, cost=Decimal("0.5"))
    run = AnalysisRun(
        analyses={"a": object()}, missed=missed("broken"), unled=UNLED, spent=spent, secrets=2
    )
    with capture_logs() as logs:
        note(run, "acme/engine", channel="team")
    where = {"repository": "acme/engine", "channel": "team"}
    lost = {"sha": "0", "reason": "broken", "detail": "detail 0"}
    sums = {"judged": 1, "missed": 1, "secrets": 2, "calls": 3, "tokens": 100, "cost": "0.5"}
    assert logs == [
        {"event": "analysis.missed", "log_level": "warning", **lost, **where},
        {
            "event": "lead.missed",
            "log_level": "warning",
            "reason": "timeout",
            "detail": "no answer",
            **where,
        },
        {"event": "changes.judged", "log_level": "info", **sums, **where},
    ]
    with capture_logs() as logs:
        note(AnalysisRun(), "acme/engine", channel="team")
    assert [line["event"] for line in logs] == ["changes.judged"]
