"""Figures: what is told is counted, once, under labels of closed sets."""

from __future__ import annotations

import io
import json
import logging

import pytest
import structlog

from bot.store.job_queue import Depth
from bot.telemetry import logs
from bot.telemetry.metrics import Metrics


@pytest.fixture
def metrics():
    return Metrics("1.2.3", process=False)


def tell(metrics: Metrics, event: str, **fields) -> None:
    told = {"event": event, **fields}
    assert metrics(None, "info", told) is told


def value(metrics: Metrics, name: str, **labels) -> float | None:
    return metrics.registry.get_sample_value(f"digestbot_{name}", labels)


def test_deliveries_are_counted_by_how_they_end(metrics):
    tell(metrics, "delivery.sent", platform="slack", channel="a", digest="d")
    tell(metrics, "delivery.sent", platform="slack", channel="b", digest="d")
    tell(metrics, "delivery.held", platform="slack", channel="c", digest="d")
    assert value(metrics, "deliveries_total", platform="slack", result="sent") == 2
    assert value(metrics, "deliveries_total", platform="slack", result="held") == 1


def test_refusals_are_counted_by_the_closed_set_of_reasons(metrics):
    tell(metrics, "delivery.refused", platform="slack", error="rate_limited: 30 s")
    tell(metrics, "delivery.refused", platform="slack", error="no_channel")
    tell(metrics, "delivery.refused", platform="slack", error="<script>: what nobody knows")
    counted = {
        reason: value(metrics, "refusals_total", platform="slack", reason=reason)
        for reason in ("rate_limited", "no_channel", "other")
    }
    assert counted == {"rate_limited": 1, "no_channel": 1, "other": 1}
    assert "script" not in metrics.text(pending=0, deaf={}, jobs={}).decode()


def test_lag_is_that_of_slots_with_digests(metrics):
    tell(metrics, "slot.finished", channel="a", slot="2026-03-04", digests=2, late=12.0)
    tell(metrics, "slot.finished", channel="a", slot="2026-03-05", digests=0, late=1.0)
    tell(metrics, "slot.failed", channel="a")
    assert value(metrics, "delivery_lag_seconds_count") == 1
    assert value(metrics, "delivery_lag_seconds_sum") == 12
    assert value(metrics, "slots_total", result="finished") == 2
    assert value(metrics, "slots_total", result="failed") == 1


def test_answers_are_counted_with_their_time(metrics):
    tell(metrics, "message.answered", platform="slack", id="1", seconds=0.3)
    tell(metrics, "message.repeated", platform="slack", id="1")
    tell(metrics, "message.refused", platform="slack", chat="slack:D1")
    assert value(metrics, "answer_seconds_sum", platform="slack") == 0.3
    for result in ("answered", "repeated", "refused"):
        assert value(metrics, "messages_total", platform="slack", result=result) == 1


def test_calls_of_the_model_are_counted_with_tokens_and_money(metrics):
    call = {"kind": "change", "outcome": "ok", "seconds": 2.0, "input": 100, "cached": 40}
    tell(metrics, "model.call", **call, output=7, cost="0.0125")
    tell(metrics, "model.call", kind="change", outcome="timeout", seconds="nan", cost=None)
    assert value(metrics, "model_calls_total", kind="change", outcome="ok") == 1
    assert value(metrics, "model_calls_total", kind="change", outcome="timeout") == 1
    tokens = [
        value(metrics, "model_tokens_total", direction=d) for d in ("input", "cached", "output")
    ]
    assert tokens == [100, 40, 7]
    assert value(metrics, "model_cost_total") == 0.0125


def test_the_text_names_the_build_the_queue_and_who_does_not_hear(metrics):
    jobs = {"answer": Depth(waiting=7, doing=2, oldest=12.5), "sweep": Depth()}
    text = metrics.text(
        pending=3, deaf={"slack": "", "telegram": "unreachable"}, jobs=jobs
    ).decode()
    assert 'digestbot_build_info{python="' in text
    assert 'version="1.2.3"' in text
    assert "digestbot_pending_deliveries 3.0" in text
    assert 'digestbot_jobs_waiting{kind="answer"} 7.0' in text
    assert 'digestbot_jobs_doing{kind="answer"} 2.0' in text
    assert 'digestbot_jobs_oldest_seconds{kind="answer"} 12.5' in text
    assert 'digestbot_jobs_waiting{kind="sweep"} 0.0' in text
    assert 'digestbot_receiver_up{account="slack"} 1.0' in text
    assert 'digestbot_receiver_up{account="telegram"} 0.0' in text


def test_a_sweep_is_remembered_with_its_time(metrics):
    assert metrics.swept_ago is None
    tell(metrics, "sweep.done", left=0, seconds=0.1)
    assert 0 <= metrics.swept_ago < 60


def test_events_below_the_level_of_the_logs_are_counted_too(metrics):
    handlers, level = logging.getLogger().handlers[:], logging.getLogger("bot").level
    before = structlog.get_config()
    stream = io.StringIO()
    try:
        logs.configure("json", "error", stream=stream, observers=[metrics])
        structlog.get_logger("bot.delivery.part_sender").warning(
            "delivery.refused", platform="x", error="broken"
        )
    finally:
        structlog.configure(**before)
        logging.getLogger().handlers[:] = handlers
        logging.getLogger("bot").setLevel(level)
    assert stream.getvalue() == ""
    assert value(metrics, "refusals_total", platform="x", reason="broken") == 1


@pytest.fixture
def restored():
    """The configuration of the logs, as it was before."""
    handlers, before = logging.getLogger().handlers[:], structlog.get_config()
    levels = {name: logging.getLogger(name).level for name in ("", "bot", "handlers")}
    yield
    logging.getLogger().handlers[:] = handlers
    structlog.configure(**before)
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.mark.usefixtures("restored")
def test_unparsed_files_that_a_use_case_logs_are_counted_and_told(metrics):
    stream = io.StringIO()
    logs.configure("json", "info", stream=stream, observers=(metrics,))
    about = {"repository": "o/n", "sha": "c" * 40, "files": 3}
    logging.getLogger("handlers.digests.ingest").warning("change.unparsed", extra=about)
    assert value(metrics, "unparsed_files_total") == 3
    told = json.loads(stream.getvalue())
    assert (told["event"], told["repository"], told["files"]) == ("change.unparsed", "o/n", 3)


def test_shared_server_that_is_lost_is_down_until_it_is_found(metrics):
    seen = [value(metrics, "shared_up")]
    for event in ("shared.lost", "shared.found"):
        tell(metrics, event)
        seen.append(value(metrics, "shared_up"))
    assert seen == [1, 0, 1]
