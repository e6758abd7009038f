"""Every way in which a model's server can fail, over a whole day.

Each time the digest is complete, in time and marked where no model was used; the error is in the
log and in the run's record and never in the report; and nothing is paid twice.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.llm.runtime import note, shortfall
from digest.core.enums import Language
from digest.core.statement import Origin
from digest.markdown import markdown
from digest.report.condensed import digest_document
from digest.report.full_report import report_document
from handlers.digests.daily import Daily
from handlers.ports.storage import State
from tests.integration.handlers.llm.day import CALLS, JUDGED, SETTLED
from tests.servers.model import Act, Breaks, Fails, Hangs, ModelServer, Raw, Says, Sent, error
from tests.support import model_replies

WORDS = "Zzyzx-the-servers-own-words"
"""Stands in every error of a server, so that it can be looked for where it must not be."""

MOST_WAITED = 30.0
"""Seconds that all calls of a day may pause and wait, added up: a pause is 0.1 at most."""


@dataclass(frozen=True)
class Fault:
    """What a server does to every analysis, and what the program calls it.

    ``paid`` says that the server may have charged for it.
    """

    act: Callable[[Sent], Act]
    reason: str
    paid: bool
    settings: dict[str, Any] = field(default_factory=dict)
    server: dict[str, Any] = field(default_factory=dict)


def always(act: Act) -> Callable[[Sent], Act]:
    return lambda sent: act


def in_another_language(sent: Sent) -> Act:
    made = json.dumps(model_replies.reply(sent), ensure_ascii=False)
    return Says(
        text=made.replace("behaves in another way now", "现在的行为与以前不同").replace(
            "The code in", "代码"
        )
    )


def of_files_that_are_not_there(sent: Sent) -> Act:
    made = json.dumps(model_replies.reply(sent))
    for _, files in model_replies.commits(sent):
        for _, path in files:
            made = made.replace(path, "src/nowhere/absent_module.py")
    return Says(text=made)


def cut_off(sent: Sent) -> Act:
    whole = model_replies.truthful(sent).text
    return Says(text=whole[: len(whole) // 2], finish="length")


FAULTS = {
    "429": Fault(
        act=always(error(429, WORDS, "rate_limit_exceeded")), reason="rate_limited", paid=False
    ),
    "429 with Retry-After": Fault(
        act=always(Fails(429, {"error": {"message": WORDS}}, {"retry-after": "60"})),
        reason="rate_limited",
        paid=False,
        settings={"digest_patience": 30},
    ),
    "500": Fault(act=always(error(500, WORDS)), reason="unavailable", paid=False),
    "broken mid-reply": Fault(
        act=lambda sent: Says(text=model_replies.truthful(sent).text, cut=30),
        reason="broken",
        paid=True,
    ),
    "connection cut": Fault(act=always(Breaks()), reason="broken", paid=True),
    "hang": Fault(act=always(Hangs()), reason="timeout", paid=True, settings={"timeout": 0.5}),
    "hang longer than the digest waits": Fault(
        act=always(Hangs()), reason="timeout", paid=True, settings={"digest_patience": 1}
    ),
    "invalid JSON": Fault(
        act=always(Says(text='{"summary": [' + WORDS)), reason="not_json", paid=True
    ),
    "wrong shape": Fault(
        act=always(Says(text=json.dumps({"answer": WORDS}))), reason="wrong_shape", paid=True
    ),
    "no JSON at all": Fault(act=always(Says(text=f"Sure! {WORDS}")), reason="not_json", paid=True),
    "empty": Fault(act=always(Says(text="")), reason="empty", paid=True),
    "refusal": Fault(act=always(Says(refusal=WORDS)), reason="refused", paid=True),
    "content filter": Fault(
        act=always(Says(text=WORDS, finish="content_filter")), reason="filtered", paid=True
    ),
    "wrong language": Fault(act=in_another_language, reason="wrong_shape", paid=True),
    "files that do not exist": Fault(
        act=of_files_that_are_not_there, reason="wrong_shape", paid=True
    ),
    "stopped at the length limit": Fault(act=cut_off, reason="cut_off", paid=True),
    "context length": Fault(
        act=always(
            error(400, f"maximum context length is 100 tokens. {WORDS}", "context_length_exceeded")
        ),
        reason="context_length",
        paid=False,
    ),
    "wrong model": Fault(
        act=always(Says()), reason="unknown_model", paid=False, settings={"name": "m-2"}
    ),
    "wrong key": Fault(
        act=always(Says()), reason="unauthorized", paid=False, settings={"key": "sk-wrong"}
    ),
    "no credit": Fault(
        act=always(error(402, WORDS, "insufficient_quota")), reason="no_credit", paid=False
    ),
    "not the protocol": Fault(
        act=always(Raw(f"<html>{WORDS}</html>", "text/html")), reason="broken", paid=True
    ),
}


def pages(daily: Daily) -> str:
    report = daily.report
    return "\n".join(
        markdown(document)
        for language in Language
        for document in (digest_document(report, language), report_document(report, language))
    )


def whole(daily: Daily) -> None:
    """Every commit is told of and accounted for."""
    assert len(daily.report.entries) == JUDGED + SETTLED
    assert all(entry.analysis.summary for entry in daily.report.entries)
    coverage = daily.report.coverage
    assert coverage is not None
    assert coverage.accounted == coverage.total == JUDGED + SETTLED
    assert not coverage.failed


@pytest.mark.parametrize("name", FAULTS)
async def test_a_server_that_always_fails_costs_no_commit_and_no_time(serve, bench, name) -> None:
    fault = FAULTS[name]
    server = serve(answer=fault.act, **fault.server)
    one = await bench(server, **fault.settings)
    daily, paused = await one.waited()
    whole(daily)
    limits = [one.settings[name] for name in ("timeout", "digest_patience")]
    hung = sum(isinstance(fault.act(sent), Hangs) for sent in server.asked)
    assert paused + hung * min(limits) < MOST_WAITED
    assert all(entry.analysis.source is Origin.FACTS for entry in daily.report.entries)
    assert sum(entry.missed for entry in daily.report.entries) == JUDGED

    reasons = {missed.reason for missed in daily.judgement.missed.values()}
    assert fault.reason in reasons
    with capture_logs() as logs:
        note(daily.judgement, "octo/project", channel="team")
    events = [line for line in logs if line["event"] == "analysis.missed"]
    assert len(events) == JUDGED
    assert {line["reason"] for line in events} == reasons
    recorded = [o for o in daily.outcomes if o.why]
    assert len(recorded) == JUDGED
    assert all(o.state in {State.POSTED, State.ARCHIVED} for o in recorded)
    assert {o.why for o in recorded} == {f"no model: {reason}" for reason in reasons}
    assert f"{JUDGED} of {JUDGED} changes" in shortfall(daily.judgement)

    text = pages(daily)
    assert WORDS not in text
    assert not any(reason in text for reason in reasons)
    assert "sk-" not in text
    assert daily.report.day is not None
    assert daily.report.day.source is Origin.FACTS

    asked = {sent.text for sent in server.asked}
    before = len(server.asked)
    again = await one.look()
    whole(again)
    if fault.paid:
        later = {sent.text for sent in server.asked[before:]}
        assert not asked & later, "what was paid for in vain is asked again"
    assert [e.analysis for e in again.report.entries] == [e.analysis for e in daily.report.entries]


@pytest.mark.parametrize(
    "act",
    [
        error(429, WORDS, "rate_limit_exceeded"),
        Fails(429, {"error": {"message": WORDS}}, {"retry-after": "0.2"}),
        error(500, WORDS),
        error(503, WORDS),
        Breaks(),
        Says(text='{"summary": ['),
        Says(text=json.dumps({"answer": 1})),
        Says(text=""),
        Says(text='{"change_types": ["fix"', finish="length"),
    ],
    ids=["429", "429 later", "500", "503", "cut", "invalid", "shape", "empty", "length"],
)
async def test_a_server_that_fails_once_costs_nothing_but_a_moment(serve, bench, act: Act) -> None:
    server = serve(act, act, answer=model_replies.truthful)
    one = await bench(server)
    daily, paused = await one.waited()
    whole(daily)
    assert paused < MOST_WAITED
    assert [e.analysis.source for e in daily.report.entries].count(Origin.MODEL) == JUDGED
    assert not daily.judgement.missed
    asked = len(server.asked)
    await one.look()
    assert len(server.asked) == asked


async def test_a_server_that_goes_half_way_leaves_what_it_said(serve, bench) -> None:
    gone = threading.Event()

    def answer(sent: Sent) -> Act:
        if len(server.asked) > 3:
            gone.set()
            return Breaks()
        return model_replies.truthful(sent)

    server: ModelServer = serve(answer=answer)
    one = await bench(server, concurrency=1)
    daily, paused = await one.waited()
    whole(daily)
    assert gone.is_set()
    assert paused < MOST_WAITED
    sources = [e.analysis.source for e in daily.report.entries]
    assert sources.count(Origin.MODEL) == 3
    assert sum(e.missed for e in daily.report.entries) == JUDGED - 3
    assert "no model has read this change" in pages(daily)

    server.answer = model_replies.truthful
    paid = [sent.text for sent in server.asked[:3]]
    again = await one.look()
    whole(again)
    assert not any(sent.text in paid for sent in server.asked[3 + 1 :])
    assert [e.analysis.source for e in again.report.entries].count(Origin.MODEL) >= 3


async def test_a_server_that_is_away_and_comes_back_is_used_again(serve, bench) -> None:
    server = serve(answer=model_replies.truthful)
    one = await bench(server)
    server.go()
    daily, paused = await one.waited()
    whole(daily)
    assert paused < MOST_WAITED
    assert {m.reason for m in daily.judgement.missed.values()} == {"unavailable"}
    server.come_back()
    again = await one.look()
    assert not again.judgement.missed
    assert len(server.asked) == CALLS


async def test_a_failure_that_was_paid_for_is_asked_again_another_day(serve, bench) -> None:
    from datetime import timedelta

    from bot.util.machine import FixedClock

    server = serve(answer=lambda sent: Says(refusal="no"))
    one = await bench(server)
    await one.look()
    server.answer = model_replies.truthful
    assert len((await one.look()).judgement.missed) == JUDGED
    one.app = one.app.at(FixedClock(one.app.clock.now() + timedelta(days=1, minutes=1)))
    assert not (await one.look()).judgement.missed


async def test_a_smaller_context_than_configured_is_found_out_and_fitted(serve, bench) -> None:
    server = serve(answer=model_replies.truthful, context=3_500)
    daily = await (await bench(server, context=65_536)).look()
    whole(daily)
    told = [e for e in daily.report.entries if e.analysis.source is Origin.MODEL]
    assert len(told) == JUDGED
    big = next(e for e in told if "scheduler" in e.graded.title and e.missed is False)
    assert big.analysis.partial or len(server.asked) > CALLS


async def test_a_context_that_is_far_smaller_than_configured_costs_no_change(serve, bench) -> None:
    server = serve(answer=model_replies.truthful, context=3_000)
    one = await bench(server, context=131_072)
    daily = await one.look()
    whole(daily)
    refused = sum(sent.tokens > 3_000 for sent in server.asked)
    told = [e for e in daily.report.entries if e.analysis.source is Origin.MODEL]
    assert len(told) == JUDGED
    assert refused <= 12  # those that were on their way when the first was refused


async def test_a_server_that_keeps_to_no_format_costs_no_change(serve, bench) -> None:
    server = serve(
        answer=lambda sent: Says(text='{"x": 1}') if sent.format else model_replies.truthful(sent)
    )
    daily = await (await bench(server)).look()
    told = [e for e in daily.report.entries if e.analysis.source is Origin.MODEL]
    assert len(told) == JUDGED


async def test_a_stumble_of_our_own_costs_one_change(serve, bench) -> None:
    class Stumbling:
        def __call__(self, change, facts):
            if "--workers" in change.commit.message:
                raise RuntimeError("a rule went wrong")
            from digest.llm.model_input import Masked

            return Masked(change=change, facts=facts, secrets=0)

        def load(self) -> None:
            raise OSError("the rules cannot be read")

    server = serve(answer=model_replies.truthful)
    daily = await (await bench(server)).look(redactor=Stumbling())
    whole(daily)
    (missed,) = daily.judgement.missed.values()
    assert (missed.reason, missed.detail) == ("odd", "RuntimeError: a rule went wrong")
    assert "went wrong" not in pages(daily)
