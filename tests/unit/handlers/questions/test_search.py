"""A question that is not understood is answered with the changes nearest to its words."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from digest.core.grade import Level
from digest.core.reference import Query
from digest.markdown import markdown
from digest.question.commit_range import Refs
from digest.question.intent import Affected, Changed, Search
from digest.question.parser import Reading
from digest.window import Window
from handlers.questions.changed import list_changes
from handlers.questions.search import nearest_changes, with_close_titles
from handlers.router import ask
from tests.support.fakes import FakeSource, change, context
from tests.support.speed import within

NOW = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)
AN_HOUR_AGO = NOW - timedelta(hours=1)
TITLES = (
    "Reject hashes of MD5 alone (#1)",
    "Support hashes in lists of requirements (#2)",
    "Remove keep_scales (#3)",
    *(f"Tune the loader, part {n} (#{n})" for n in range(4, 16)),
)


@pytest.fixture
async def ctx():
    changes = [
        change(f"{n:08x}", title, {"src/app.py": 5}, NOW - timedelta(hours=n))
        for n, title in enumerate(TITLES, 1)
    ]
    ctx = context(FakeSource(changes))
    await ask("what changed this month", ctx)  # reads them into the archive
    return ctx


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("we've got md5 only hashes in requirements, will it choke", [1, 2]),
        ("my cat has no requirements, will it choke on the weather", []),
        ("will my loader choke beforehand on some tuning", []),
    ],
)
async def test_changes_with_most_of_the_rare_words_are_nearest(ctx, question, numbers):
    answer = await ask(question, ctx)
    assert [row.graded.number for row in answer.rows][:1] == numbers[:1]
    assert {row.graded.number for row in answer.rows} <= {*numbers}
    said = "I do not understand all of this question" in markdown(answer.document)
    assert said == bool(numbers)


async def test_words_that_may_be_meant_for_others_are_not_answered(ctx):
    overheard = replace(ctx, overheard=True)
    answer = await ask("we've got md5 only hashes in requirements, will it choke", overheard)
    assert (answer.intent, answer.rows) == ("unknown", ())


@pytest.mark.parametrize(
    "question",
    [
        "who zapped my frobnicator, what happened to keep_scales",
        "what happened to keep_scales, frobnicator zapping aside or what",
    ],
)
async def test_the_clause_that_is_a_question_is_answered_and_the_rest_is_named(ctx, question):
    answer = await ask(question, ctx)
    shown = markdown(answer.document)
    assert answer.topic == "keep_scales"
    assert "Remove keep_scales" in shown
    assert "Words of the question that were not used: `" in shown


async def test_a_title_with_fewer_of_the_words_is_nearer_than_a_long_message_with_all():
    story = "tool dump was losing histogram samples"
    changes = [
        change(
            "0000001a",
            "Fix the tool dump dropping histogram samples (#1)",
            {"a.py": 2},
            AN_HOUR_AGO,
        ),
        change("0000002b", f"Merge the feature branch (#2)\n\n{story}", {"b.py": 900}, AN_HOUR_AGO),
        *(
            change(f"000000{n}c", f"Tune part {n} (#{n})", {"c.py": 2}, AN_HOUR_AGO)
            for n in range(10, 40)
        ),
    ]
    ctx = context(FakeSource(changes))
    await ask("what changed this month", ctx)
    answer = await ask("who zapped it, our tool dump was losing histogram samples or what", ctx)
    assert [row.graded.number for row in answer.rows][:1] == [1]


async def test_words_that_no_topic_has_are_looked_for_in_the_texts_of_a_period():
    changes = [
        change("0000001a", "Fix pins (#1)\n\nOf recursive rebuilds.", {"a.py": 2}, AN_HOUR_AGO),
        change("0000002b", "Tidy the lockfile (#2)", {"uv.lock": 2}, AN_HOUR_AGO),
        change("0000003c", "Walk recursive folders (#3)", {"d.py": 2}, NOW - timedelta(days=9)),
        change("0000004d", "Count rebuilds (#4)", {"d.py": 2}, NOW - timedelta(days=9)),
        *(
            change(f"000000{n}c", f"Tune part {n} (#{n})", {"c.py": 2}, AN_HOUR_AGO)
            for n in range(10, 40)
        ),
    ]
    ctx = context(FakeSource(changes))
    await ask("what changed this month", ctx)
    answer = await ask("anything about the recursive rebuilds of a Lockfile this week", ctx)
    assert [row.graded.number for row in answer.rows] == [1]
    assert "without `Lockfile`" in markdown(answer.document)


async def test_a_title_is_nearer_than_a_newer_text_with_the_same_words():
    changes = [
        change("0000001a", "Stop recursive rebuilds (#1)", {"a.py": 2}, NOW - timedelta(hours=3)),
        change("0000002b", "Fix pins (#2)\n\nOf recursive rebuilds.", {"b.py": 2}, AN_HOUR_AGO),
        change("0000003c", "Tidy the lockfile (#3)", {"uv.lock": 2}, AN_HOUR_AGO),
        *(
            change(f"000000{n}c", f"Tune part {n} (#{n})", {"c.py": 2}, AN_HOUR_AGO)
            for n in range(10, 40)
        ),
    ]
    ctx = context(FakeSource(changes))
    await ask("what changed this month", ctx)
    answer = await ask("anything about the recursive rebuilds of a Lockfile this week", ctx)
    assert [row.graded.number for row in answer.rows] == [1]


@pytest.mark.parametrize(
    "question",
    [
        "it eats all of the cpu on shutdown - fixed?",
        "cpu spins forever on shutdown, which fix do I need",
    ],
)
async def test_a_symptom_before_the_question_is_what_it_is_about(question):
    changes = [
        change("0000001a", "fix: end the CPU loop on shutdown (#1)", {"a.py": 2}, AN_HOUR_AGO),
        change("0000002b", "fix: name the loader (#2)", {"b.py": 2}, AN_HOUR_AGO),
        *(
            change(f"000000{n}c", f"Tune {n} (#{n})", {"c.py": 2}, AN_HOUR_AGO)
            for n in range(9, 40)
        ),
    ]
    answer = await ask(question, context(FakeSource(changes)))
    assert [row.graded.number for row in answer.rows] == [1]


async def test_a_range_with_nothing_to_act_on_is_listed_with_a_note():
    changes = [change("0000001a", "fix: name the loader (#1)", {"a.py": 2}, AN_HOUR_AGO)]
    answer = await ask("what's risky this week", context(FakeSource(changes)))
    assert [row.graded.number for row in answer.rows] == [1]
    assert "None of these changes needs action" in markdown(answer.document)


async def test_what_was_removed_does_not_prove_that_it_is_there():
    changes = [change("0000001a", "Remove Plamo2 (#1)", {"a.py": 2}, AN_HOUR_AGO)]
    answer = await ask("is there anything about Plamo2 this week", context(FakeSource(changes)))
    assert "Yes:" not in markdown(answer.document)


async def test_a_misspelt_dependency_is_told_by_its_right_name():
    changes = [change("0000001a", "Bump flashinfer to 1.2 (#1)", {"a.py": 2}, AN_HOUR_AGO)]
    ctx = context(FakeSource(changes))
    await ask("what changed this week", ctx)
    assert (await ask("which flashinfr version do we need", ctx)).topic == "flashinfer"


async def test_letters_within_other_words_of_texts_do_not_answer_a_question_of_something_else():
    text = "Load granite (#1)\n\nThis won't change."
    changes = [
        change("0000001a", text, {"granite.py": 2}, AN_HOUR_AGO),
        *(
            change(f"000000{n}c", f"Tune {n} (#{n})", {"c.py": 2}, AN_HOUR_AGO)
            for n in range(9, 40)
        ),
    ]
    ctx = context(FakeSource(changes))
    await ask("what changed this month", ctx)
    assert (await ask("who won the game last nite", ctx)).rows == ()


@pytest.mark.parametrize(("topic", "times"), [("loader", 0), ("loader granite", 1)])
async def test_the_titles_of_the_history_are_not_read_for_a_single_word(topic, times):
    changes = [
        change(f"000000{n}c", f"Tune the loader, part {n} (#{n})", {"c.py": 2}, AN_HOUR_AGO)
        for n in range(10, 20)
    ]
    source = FakeSource(changes)
    await ask(f"what changed in {topic} this week", context(source))
    assert len([call for call in source.calls if call[0] == "titles"]) == times


async def test_what_the_changelog_says_of_a_change_finds_it():
    changes = [
        change("aaaa001a", "Guard the loop (#1)", {"a.py": 2}, AN_HOUR_AGO),
        *(
            change(f"{n:08x}", f"Tune the lamp, part {n} (#{n})", {"b.py": 1}, AN_HOUR_AGO)
            for n in range(2, 30)
        ),
    ]
    source = FakeSource(changes)
    entry = "- Stop burning a processor when pods are\n  evicted. [#1](https://x.org/pull/1)"
    source.trees = {(changes[0].sha, "CHANGELOG.md"): f"# 1.0\n\n{entry}\n- Tune lamps. #2\n"}
    ctx = context(source)
    await ask("what changed this week", ctx)
    answer = await ask("our box burns a processor whenever pods get evicted, seriously?!", ctx)
    assert [row.graded.number for row in answer.rows] == [1]


async def test_a_title_of_nothing_but_numbers_is_looked_through_quickly():
    hostile = "(#1" * 60_000  # looking for a later number behind each takes long
    changes = [change("aaaa001a", hostile, {"a.py": 2}, AN_HOUR_AGO)]
    source = FakeSource(changes)
    source.trees = {(changes[0].sha, "CHANGELOG.md"): "# 1.0\n\n- Stop burning pods. #1\n"}
    ctx = context(source)

    def answer() -> None:
        asyncio.run(ask("our box burns whenever pods get evicted, seriously?!", ctx))

    assert await asyncio.to_thread(within, 2.0, answer)


async def test_yes_needs_most_of_the_words_in_the_title():
    changes = [
        change("aaaa001a", "Fix the slow group of tests (#1)", {"t.py": 2}, AN_HOUR_AGO),
        change("aaaa002b", "Resolve torch by index (#2)", {"b.py": 2}, AN_HOUR_AGO),
    ]
    ctx = context(FakeSource(changes))
    await ask("what changed this month", ctx)
    asked = "is there a fix for slow resolution with torch"
    assert "Yes" not in markdown((await ask(asked, ctx)).document)
    assert "Yes" in markdown((await ask("is there a fix for slow groups", ctx)).document)


LAMPS = [
    change(f"00000{n}c", f"Hang lamp {n} (#{n})", {"lamp.py": 2}, NOW - timedelta(days=3))
    for n in range(100, 160)
]
PUMPS = [
    change("aaaa001a", "Stop the pump at night (#1)", {"a.py": 2}, NOW - timedelta(days=1)),
    change("aaaa002b", "Plug a leak of the cellar pump (#2)", {"b.py": 2}, NOW - timedelta(days=2)),
    *LAMPS,
    change("aaaa003c", "Plug the cellar leak of pumps (#3)", {"c.py": 2}, NOW - timedelta(days=40)),
]
WEEK = Window(since=NOW - timedelta(days=7), until=NOW, zone=ZoneInfo("UTC"))
NIGHT = Changed(window=WEEK, topic="night pump")


@pytest.mark.parametrize(
    ("intent", "numbers"),
    [
        (NIGHT, [1, 2]),
        (replace(NIGHT, topic="pump/night at"), [1, 2]),
        (replace(NIGHT, people=True), [1, 2]),
        (replace(NIGHT, actions=("changed",), things=("flag",)), [1, 2]),
        (Search(terms=("night",), window=WEEK), [1, 2]),
        # The words of a period alone do not keep an older change out, nor does an unmatched range.
        (replace(NIGHT, anytime=True), [1, 2, 3]),
        (replace(NIGHT, window=Refs(base="v1.0.0")), [1, 2, 3]),
        # Filters and counts say exactly what is asked for.
        (replace(NIGHT, author="Ada"), [1]),
        (replace(NIGHT, level=Level.LOW), [1]),
        (replace(NIGHT, top=3), [1]),
        (replace(NIGHT, path="src"), [1]),
        (replace(NIGHT, topic="pump/night"), [1]),
        (replace(NIGHT, actions=("changed",)), [1]),
        (replace(NIGHT, people=True, reviewers=True), [1]),
        (replace(NIGHT, counted=True), [1]),
        (replace(NIGHT, against=WEEK), [1]),
        (Affected(window=WEEK), [1]),  # by what a reader uses, not by words
    ],
)
async def test_titles_as_close_as_what_was_found_are_added_within_what_is_asked_for(
    intent, numbers
):
    source = FakeSource(PUMPS)
    source.tags = {"v1.0.0": PUMPS[10].sha}
    ctx = context(source)
    await ask("what changed in the last 60 days", ctx)
    found = replace(await list_changes(NIGHT, ctx), topic=getattr(intent, "topic", "night"))
    read = Reading(intent, content=("night", "pump", "leak", "cellar"))
    answer = await with_close_titles(found, intent, read, ctx)
    assert [row.graded.number for row in answer.rows] == numbers
    released = await with_close_titles(found, intent, replace(read, dated=True), ctx)
    assert ("not in a release" in markdown(released.document)) == (2 in numbers)


async def test_a_history_that_tells_no_period_gets_no_titles_outside_the_one_asked_for():
    ctx = context(FakeSource(PUMPS))
    await ask("what changed in the last 60 days", ctx)
    found = replace(await list_changes(NIGHT, ctx), topic="night", window=None)
    read = Reading(NIGHT, content=("night", "pump", "leak", "cellar"))
    answer = await with_close_titles(found, NIGHT, read, ctx)
    assert [row.graded.number for row in answer.rows] == [1, 2]


@pytest.mark.parametrize(("count", "numbers"), [(3, [2]), (4, [])])
async def test_many_changes_stand_for_themselves_unless_another_is_closer(count, numbers):
    found = [
        change(f"bbbb{n}00a", f"Oil a leak of the pump {n} (#{n})", {"a.py": 2}, AN_HOUR_AGO)
        for n in range(60, 60 + count)
    ]
    ctx = context(FakeSource([*found, *PUMPS[1:-1]]))
    await ask("what changed this week", ctx)
    intent = Changed(window=WEEK, topic="oil pump")
    before = await list_changes(intent, ctx)
    assert before.total == count
    read = Reading(intent, content=("pump", "leak", "winter"))
    answer = await with_close_titles(before, intent, read, ctx)
    assert [row.graded.number for row in answer.rows[count:]] == numbers


async def test_a_title_without_the_topic_is_not_closer_than_changes_about_it():
    found = [
        change(f"bbbb{n}00a", f"Oil the door {n} (#{n})", {"a.py": 2}, AN_HOUR_AGO)
        for n in range(60, 65)
    ]
    ctx = context(FakeSource([*found, *PUMPS[1:-1]]))
    await ask("what changed this week", ctx)
    intent = Changed(window=WEEK, topic="oil")
    before = await list_changes(intent, ctx)
    read = Reading(intent, content=("oil", "pump", "leak", "winter"))
    answer = await with_close_titles(before, intent, read, ctx)
    assert len(answer.rows) == len(found)
    guessed = await with_close_titles(replace(before, topic="door"), intent, read, ctx)
    assert len(guessed.rows) > len(found)


def told(number: int, title: str, days: float = 2, text: str = ""):
    message = f"{title} (#{number})\n\n{text}"
    return change(f"aaaa00{number}d", message, {"a.py": 2}, NOW - timedelta(days=days))


@pytest.mark.parametrize(
    ("changes", "words", "near"),
    [
        (
            [told(1, "Tidy up", 1, "The pump leaks in winter."), told(2, "Stop the winter leak")],
            ["pump", "leak", "winter"],
            {2: ["leak", "winter"]},  # titles count for more than messages
        ),
        (
            [told(1, "Stop the winter leak"), told(2, "Tidy up", 1, "Of the winter leak.")],
            ["winter", "leak"],
            {1: ["winter", "leak"]},
        ),
        (
            [told(1, "Stop the winter leak"), told(2, "Mend the winter leak", 1)],
            ["winter", "leak"],
            {2: ["winter", "leak"], 1: ["winter", "leak"]},  # the newer one first
        ),
        (
            [
                told(1, "Stop the winter leak"),
                told(2, "Mend the winter pump", 1),
                told(3, "Mend the leak of a pump in winter", 5),
            ],
            ["winter", "leak", "pump"],
            {3: ["leak", "pump", "winter"]},
        ),
        (
            [told(1, "Oil the pump in winter"), told(2, "Oil the winter leak", 1)],
            ["winter", "leak", "pump"],
            {2: ["leak", "winter"], 1: ["pump", "winter"]},
        ),
        ([told(1, "Stop the winter")], ["winter", "leak"], {}),
        # A word that nothing has is left out.
        (
            [told(1, "Stop the winter leak"), told(2, "Mend the winter pump")],
            ["zebra", "winter", "leak"],
            {1: ["winter", "leak"]},
        ),
        # A name of code is enough alone, and a word is not.
        (
            [told(1, "Stop keep_scales"), told(2, "Mend a leak")],
            ["keep_scales", "leak"],
            {1: ["keep_scales"]},
        ),
    ],
)
async def test_the_nearest_changes_have_most_of_the_rare_words(changes, words, near):
    ctx = context(FakeSource([*changes, *LAMPS]))
    await ask("what changed this month", ctx)
    found = await nearest_changes(words, Query(), ctx)
    assert [(g.number, sorted(had)) for g, had in found.changes] == [
        (number, sorted(had)) for number, had in near.items()
    ]
