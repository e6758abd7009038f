"""A whole day with a model that answers: depth, one call each, kept, languages, privacy, caps."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from bot.cli.output import with_usage
from bot.store.analyses import SqlAnalyses
from digest.core.enums import Language, Privacy
from digest.core.grade import Level
from digest.core.statement import Origin
from digest.markdown import markdown
from digest.report.condensed import digest_document
from digest.report.full_report import report_document
from digest.report.report_json import report_to_json
from handlers.digests.daily import digest_of_window
from handlers.ports.model_port import CallKind
from tests.integration.handlers.llm.day import CALLS, DAY, JUDGED, NINE, SETTLED
from tests.servers.model import Says
from tests.support import model_replies


def sources(daily) -> list[Origin]:
    return [entry.analysis.source for entry in daily.report.entries]


def asked_about(server) -> list[str]:
    return [model_replies.kind(sent) for sent in server.asked]


async def test_each_change_is_judged_as_deep_as_it_matters(serve, bench) -> None:
    server = serve(answer=model_replies.truthful)
    daily = await (await bench(server)).look()
    assert sources(daily).count(Origin.MODEL) == JUDGED
    assert sources(daily).count(Origin.FACTS) == SETTLED
    assert sorted(asked_about(server)) == ["analysis"] * 5 + ["day", "lines"]
    assert len(server.asked) == CALLS
    low = next(e for e in daily.report.of(Level.LOW) if e.analysis.source is Origin.MODEL)
    assert len(low.analysis.summary) == 1
    high = daily.report.of(Level.HIGH)[0]
    assert high.analysis.impact
    assert not any(entry.missed for entry in daily.report.entries)
    coverage = daily.report.coverage
    assert coverage is not None
    assert coverage.accounted == coverage.total == JUDGED + SETTLED
    assert daily.judgement.missed == {}


async def test_the_most_important_are_asked_about_first(serve, bench) -> None:
    server = serve(answer=model_replies.truthful)
    await (await bench(server)).look(concurrency=1)
    asked = [sent for sent in server.asked if model_replies.kind(sent) == "analysis"]
    levels = ["high" if ", importance high" in sent.text else "medium" for sent in asked]
    assert levels == ["high"] * 3 + ["medium"] * 2


async def test_lead_is_asked_for_beside_the_last_analyses(serve, bench) -> None:
    high, slots = 3, 4
    server = serve(answer=model_replies.truthful)
    lead, unaccompanied = asyncio.Event(), []

    async def until_the_lead_is_asked_for(sent) -> None:
        if model_replies.kind(sent) == "day":
            lead.set()
        elif sent in server.asked[high:]:
            try:
                await asyncio.wait_for(lead.wait(), 120)
            except TimeoutError:
                unaccompanied.append(model_replies.kind(sent))

    server.gate = until_the_lead_is_asked_for
    daily = await (await bench(server)).look(concurrency=slots)
    # The high ones; then the medium ones, the lines and the lead, in any order, at once.
    assert asked_about(server)[:high] == ["analysis"] * high
    assert unaccompanied == []
    assert sorted(asked_about(server)[high:]) == ["analysis", "analysis", "day", "lines"]
    assert daily.judgement.missed == {}
    assert daily.report.day.source is Origin.MODEL


class Second:
    """A model that answers in place of the first one of its profile."""

    def __init__(self, model, *, answers: bool = True) -> None:
        self._model, self._by = model, "spare" * answers

    @property
    def profile(self):
        return replace(self._model.profile, reserve="spare")

    def count(self, text):
        return self._model.count(text)

    async def complete(self, request):
        return replace(await self._model.complete(request), by=self._by)


async def test_what_the_second_model_answers_is_stored_as_its_own_and_used(serve, bench) -> None:
    server = serve(answer=model_replies.truthful)
    one = await bench(server)

    async def look(*, answers: bool):
        ctx = await one.context()
        model = Second(ctx.judging.model, answers=answers)
        judging = replace(ctx.judging, model=model)
        return await digest_of_window(replace(ctx, judging=judging), DAY)

    first = await look(answers=True)
    asked = len(server.asked)
    store = SqlAnalyses(one.app.database)
    repository = first.report.repository
    told = [await store.of_change(repository, e.graded.sha) for e in first.report.entries]
    assert {basis.model for pairs in told for basis, _ in pairs} == {"spare"}
    again = await look(answers=False)
    assert len(server.asked) == asked, "the first model is back: nothing is asked again"
    assert sources(again) == sources(first)
    assert again.report.day == first.report.day
    await one.look()
    assert len(server.asked) == 2 * asked, "without the second one its answers do not count"


async def test_second_run_makes_no_call_and_says_the_same(serve, bench) -> None:
    server = serve(answer=model_replies.mixed)
    one = await bench(server)
    first = await one.look()
    asked = len(server.asked)
    second = await one.look()
    assert len(server.asked) == asked
    assert second.report == first.report
    assert second.judgement.spent.calls == 0
    assert first.judgement.spent.calls == asked
    assert second.judgement.made == first.judgement.made


async def test_rebased_commits_are_not_asked_about_again(serve, bench, project) -> None:
    server = serve(answer=model_replies.truthful)
    one = await bench(server)
    await one.look()
    asked = [sent for sent in server.asked if model_replies.kind(sent) != "day"]
    before = project.sha("main")
    project.git("config", "user.name", "Ada")
    project.git("config", "user.email", "ada@example.org")
    tree = project.git("log", "--reverse", "--format=%H", "main").split()
    project._tips["main"] = tree[0]
    script = ["-c", "sequence.editor=:", "rebase", "--quiet", "--committer-date-is-author-date"]
    project.checkout()
    project.git(
        *script,
        "--force-rebase",
        "--exec",
        'at="$(git log -1 --format=%aI)"; GIT_COMMITTER_DATE="$at" '
        'git commit --amend --quiet --no-edit --reset-author --date="$at"',
        "--root",
    )
    assert project.sha("main") != before
    daily = await one.look()
    assert sources(daily).count(Origin.MODEL) == JUDGED
    again = [sent for sent in server.asked if model_replies.kind(sent) != "day"]
    assert len(again) == len(asked)


async def test_false_statements_are_dropped_and_their_share_is_kept(serve, bench) -> None:
    server = serve(answer=model_replies.mixed)
    one = await bench(server)
    daily = await one.look()
    text = markdown(report_document(daily.report, Language.EN))
    assert "never_heard_of_it" not in text
    high = daily.report.of(Level.HIGH)[0]
    assert 0 < high.analysis.rejected < 1
    told = with_usage(report_to_json(daily.report), daily.judgement, "USD")
    row = next(c for c in told["commits"] if c["sha"] == high.graded.sha)
    assert row["analysis"] == {
        "source": "model",
        "rejected": high.analysis.rejected,
        "partial": high.analysis.partial,
        "missed": False,
    }
    assert row["usage"]["calls"] == 1
    assert told["usage"]["calls"] == CALLS
    paid = sum(c["usage"]["input_tokens"] for c in told["commits"] if c["usage"])
    lead = [sent for sent in server.asked if model_replies.kind(sent) == "day"]
    assert paid + sum(sent.tokens for sent in lead) == told["usage"]["input_tokens"]
    assert json.loads(json.dumps(told)) == told


async def test_lead_and_themes_name_listed_changes_alone(serve, bench) -> None:
    server = serve(answer=model_replies.truthful)
    daily = await (await bench(server)).look()
    day = daily.report.day
    assert day is not None
    assert len(day.lead) == 2
    assert day.themes
    known = {entry.graded.sha for entry in daily.report.entries}
    assert {sha for theme in day.themes for sha in theme.shas} <= known
    shown = markdown(digest_document(daily.report, Language.EN))
    assert "behaves in another way" in shown.split("Themes")[0]


async def test_both_languages_rest_on_one_grade(serve, bench) -> None:
    def answer(sent) -> Says:
        made = model_replies.reply(sent)
        if model_replies.kind(sent) == "analysis" and ", importance medium" in sent.text:
            step = "lower" if model_replies.chinese(sent) else "raise"
            rule = "user-visible" if step == "lower" else "contract"
            made["importance"] = {"move": step, "rule": rule, "cites": ["F1"]}
        return Says(text=json.dumps(made, ensure_ascii=False))

    server = serve(answer=answer)
    one = await bench(server)
    english = await one.look()
    chinese = await one.look(language=Language.ZH)
    levels = [[e.level for e in daily.report.entries] for daily in (english, chinese)]
    assert levels[0] == levels[1]
    assert levels[0].count(Level.HIGH) == 5
    raised = [
        e
        for e in chinese.report.entries
        if any(reason.rule == "model_contract" for reason in e.graded.grade.reasons)
    ]
    assert raised
    assert {e.level for e in raised} == {Level.HIGH}
    assert [e.graded.grade for e in english.report.entries] == [
        e.graded.grade for e in chinese.report.entries
    ]
    text = markdown(report_document(chinese.report, Language.ZH))
    assert "此提交修改了" in text
    assert "Change the default of --port" in text
    asked = len(server.asked)
    await one.look(language=Language.ZH)
    assert len(server.asked) == asked


async def test_a_moved_level_is_what_the_archive_knows_too(serve, bench) -> None:
    def answer(sent) -> Says:
        made = model_replies.reply(sent)
        if model_replies.kind(sent) == "analysis":
            made["importance"] = {"move": "lower", "rule": "user-visible", "cites": ["F1"]}
        return Says(text=json.dumps(made))

    one = await bench(serve(answer=answer))
    daily = await one.look()
    shas = [e.graded.sha for e in daily.report.entries]
    kept = await one.app.archive.load((await one.context()).watched.repository, shas)
    assert [kept[sha].grade.level for sha in shas] == [e.level for e in daily.report.entries]
    assert Level.HIGH not in {e.level for e in daily.report.entries}
    again = await one.look()  # one step from the facts' level, not one more
    assert [e.level for e in again.report.entries] == [e.level for e in daily.report.entries]


async def test_two_channels_at_once_pay_once(serve, bench) -> None:
    server = serve(answer=model_replies.truthful, latency=0.1)
    one = await bench(server)
    first = await one.context(channel="a")
    second = await one.context(channel="b", fresh=False)
    both = await asyncio.gather(digest_of_window(first, DAY), digest_of_window(second, DAY))
    analyses = [sent for sent in server.asked if model_replies.kind(sent) != "day"]
    assert len(analyses) == CALLS - 1
    assert sources(both[0]) == sources(both[1])
    assert sources(both[1]).count(Origin.MODEL) == JUDGED


@pytest.mark.parametrize("privacy", list(Privacy))
async def test_privacy_says_what_leaves_the_machine(serve, bench, privacy: Privacy) -> None:
    server = serve(answer=model_replies.truthful)
    daily = await (await bench(server)).look(privacy=privacy)
    sent = "\n".join(one.text for one in server.asked)
    if privacy is Privacy.NONE:
        assert server.asked == []
        assert set(sources(daily)) == {Origin.FACTS}
        assert not any(entry.missed for entry in daily.report.entries)
        return
    assert "Remove the --workers flag" in sent
    lines = privacy is not Privacy.METADATA
    assert ("The pool sizes itself now" in sent) is lines
    assert ("return value * scale" in sent) is lines
    assert "ada@example.org" not in sent


async def test_secrets_never_leave_and_are_counted(serve, bench, project, rules) -> None:
    from bot.llm.redaction import Secrets
    from tests.integration.handlers.llm.day import NINE

    token = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"[:36]
    project._tips["main"] = project.sha("main")
    project.commit(
        "[Feature] Ask the forge (#14)",
        {"server/forge.py": f'TOKEN = "{token}"\n\n\ndef ask():\n    return TOKEN\n'},
        at=NINE.replace(hour=20),
    )
    server = serve(answer=model_replies.truthful)
    one = await bench(server)
    daily = await one.look(privacy=Privacy.FULL, redactor=Secrets(rules))
    sent = json.dumps([one.body for one in server.asked])
    assert "server/forge.py" in sent
    assert token not in sent
    assert "[secret]" in sent
    assert daily.judgement.secrets == 1


async def test_at_a_cap_the_digest_goes_on_and_marks_what_was_not_judged(serve, bench) -> None:
    server = serve(answer=model_replies.truthful)
    one = await bench(server)
    daily = await one.look(caps={"channel": {"tokens": 12_000}}, concurrency=1)
    judged = [e for e in daily.report.entries if e.analysis.source is Origin.MODEL]
    missed = [e for e in daily.report.entries if e.missed]
    assert judged
    assert missed
    assert len(judged) + len(missed) == JUDGED
    assert max(e.level.rank for e in judged) <= min(e.level.rank for e in missed)
    assert {m.reason for m in daily.judgement.missed.values()} == {"budget"}
    spent = await one.app.runtime.model._calls._ledger.spent(one.app.clock.now().replace(hour=0))
    assert spent.tokens <= 12_000
    text = markdown(report_document(daily.report, Language.EN))
    assert text.count("no model has read this change") == len(missed)
    assert "budget" not in text
    assert "cap" not in markdown(digest_document(daily.report, Language.EN)).lower()
    other = await one.look(caps={"channel": {"tokens": 40_000}}, channel="other")
    assert not other.judgement.missed  # another channel has its own; what was kept is shared


async def test_explain_uses_what_the_digest_paid_for(serve, bench) -> None:
    from digest.core.reference import parse_reference
    from digest.question.intent import Explain
    from handlers.questions.explain import explain

    server = serve(answer=model_replies.truthful)
    one = await bench(server)
    await one.look()
    asked = len(server.asked)
    ctx = await one.context(person="ada")
    for number in (2, 4, 7, 11):
        answer = await explain(Explain(reference=parse_reference(f"#{number}")), ctx)
        assert answer.total == 1
    assert len(server.asked) == asked


async def test_explain_asks_on_demand_keeps_and_books_it(serve, bench) -> None:
    from digest.core.reference import parse_reference
    from digest.question.intent import Explain
    from handlers.questions.explain import explain

    server = serve(answer=model_replies.truthful)
    one = await bench(server)
    ctx = await one.context(person="ada")
    intent = Explain(reference=parse_reference("#2"))
    first = await explain(intent, ctx)
    assert "behaves in another way" in markdown(first.document)
    assert len(server.asked) == 1
    assert await explain(intent, ctx) == first
    assert len(server.asked) == 1
    costs = await one.app.runtime.model._calls._ledger.costs(
        DAY.since, one.app.clock.now().replace(hour=23)
    )
    assert [(c.kind, c.usage.calls) for c in costs] == [(CallKind.EXPLAIN, 1)]
    daily = await one.look()
    assert (
        sum(
            "--workers" in sent.text and model_replies.kind(sent) == "analysis"
            for sent in server.asked
        )
        == 1
    )
    assert not daily.judgement.missed


async def test_explain_that_fails_is_told_from_facts_and_may_be_asked_again(serve, bench) -> None:
    from digest.core.reference import parse_reference
    from digest.question.intent import Explain
    from handlers.questions.explain import explain

    server = serve(Says(refusal="I cannot."), answer=model_replies.truthful)
    ctx = await (await bench(server)).context()
    intent = Explain(reference=parse_reference("#2"))
    first = markdown((await explain(intent, ctx)).document)
    assert "no model has read this change" in first
    assert "refus" not in first
    assert "behaves in another way" in markdown((await explain(intent, ctx)).document)


async def test_explain_is_followed_statement_by_statement(serve, bench) -> None:
    from digest.core.reference import parse_reference
    from digest.question.intent import Explain
    from handlers.questions.explain import explain

    heard: list[tuple[str, str]] = []

    class Ear:
        def hear(self, section, statement) -> None:
            heard.append((section, statement.text))

        def restart(self) -> None:
            heard.clear()

    server = serve(answer=model_replies.mixed)
    ctx = await (await bench(server)).context()
    ctx = replace(ctx, judging=replace(ctx.judging, listener=Ear()))
    answer = await explain(Explain(reference=parse_reference("#2")), ctx)
    assert server.asked[0].body["stream"] is True
    assert [section for section, _ in heard] == ["summary", "impact", "risks"]
    assert all("never_heard" not in text for _, text in heard)
    assert all(text in markdown(answer.document).replace("`", "") for _, text in heard)


@pytest.fixture
def huge(project):
    """The day with one more commit, of a patch of a megabyte."""
    project._tips["main"] = project.sha("main")
    lines = "".join(f"VALUE_{n} = compute_the_value({n}, scale={n % 97})\n" for n in range(21_000))
    assert len(lines) > 950_000
    project.commit(
        "[Feature] Add a table of values (#20)\n\nThe server reads it.",
        {"server/values.py": lines, "server/use.py": "def use(name):\n    return name\n"},
        at=NINE.replace(hour=15),
    )
    return project


async def test_a_patch_of_a_megabyte_is_read_in_parts_and_says_what_was_left_out(
    serve, bench, huge
) -> None:
    server = serve(answer=model_replies.truthful)
    daily = await (await bench(server)).look(context=16_384, max_output=2_048)
    entry = next(e for e in daily.report.entries if "table of values" in e.graded.title)
    assert entry.analysis.source is Origin.MODEL
    assert "The model did not see" in entry.analysis.partial
    assert "server/values.py" in entry.analysis.partial
    kinds = asked_about(server)
    assert 2 <= kinds.count("notes") <= 6
    assert all(sent.tokens < 16_384 for sent in server.asked)
    merge = next(s for s in server.asked if "# Notes" in s.text and "server/values.py" in s.text)
    assert "VALUE_1 = " not in merge.body["messages"][1]["content"]
    usage = daily.judgement.made[entry.graded.sha]
    assert usage.calls == kinds.count("notes") + 1


async def test_a_part_that_fails_costs_the_change_and_is_not_paid_again(serve, bench, huge) -> None:
    def answer(sent) -> Says:
        if model_replies.kind(sent) == "notes" and "This is part 2" in sent.text:
            return Says(refusal="no")
        return model_replies.truthful(sent)

    server = serve(answer=answer)
    one = await bench(server, context=16_384, max_output=2_048)
    daily = await one.look()
    entry = next(e for e in daily.report.entries if "table of values" in e.graded.title)
    assert entry.missed
    assert entry.analysis.source is Origin.FACTS
    assert len(daily.judgement.missed) == 1
    asked = len(server.asked)
    await one.look()
    assert len(server.asked) == asked
