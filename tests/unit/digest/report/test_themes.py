"""Efforts, themes by rule, and what is kept of a model's lead and themes."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.analysis.analyse import analyse
from digest.core.enums import Language
from digest.core.facts import Series, Undone
from digest.core.grade import Graded, Level
from digest.core.statement import Analysis, Origin
from digest.document import Code, plain
from digest.llm.day_summary import day_prompt, day_reader, plain_day, read_day
from digest.llm.packing import NoRoom
from digest.report.themes import efforts, themes
from tests.support import samples
from tests.support.materials import words

GOLDEN = Path(__file__).resolve().parents[3] / "data" / "prompts" / "day.en.txt"


@dataclass(frozen=True)
class Told:
    graded: Graded
    analysis: Analysis


def told(*changes, language=Language.EN):
    return [Told(graded, analyse(graded, language)) for graded in changes]


def change(n, title, level=Level.MEDIUM, path="engine/core/a.py", number=None, **facts):
    tags = facts.pop("tags", ())
    series = facts.pop("series", None)
    subject = {"number": 100 + n if number is None else number, "tags": tags, "series": series}
    return samples.change(n, title, level, files=[samples.file(path)], subject=subject, **facts)


FIRST = change(
    1, "[Pool][1/3] Split the pool", Level.HIGH, tags=("Pool",), series=Series(part=1, total=3)
)
SECOND = change(2, "[Pool][2/3] Use the split pool", tags=("Pool",), series=Series(part=2, total=3))
OTHER = change(3, "Serve metrics", path="engine/api/metrics.py")
UNDO = change(
    4,
    'Revert "Serve metrics"',
    reverts=Undone(number=103, title="Serve metrics"),
    path="engine/api/metrics.py",
)
FOLLOW = change(5, "Repair the pool after #101", issues=(101,), path="docs/x.md")
LONE = change(6, "Speed up the start", Level.LOW, path="engine/start.py")
DAY = (FIRST, SECOND, OTHER, UNDO, FOLLOW, LONE)


def reply(**more):
    return {
        "lead": [
            {"text": "The pool is split, which its users will notice.", "cites": ["C1"]},
            {"text": "Metrics are served no longer.", "cites": ["C3", "C4"]},
        ],
        "themes": [],
        **more,
    }


def test_parts_of_a_series_reverts_and_follow_ups_are_one_effort():
    found = efforts(DAY)
    assert [{g.sha for g in group} for group in found] == [
        {FIRST.sha, SECOND.sha, FOLLOW.sha},
        {OTHER.sha, UNDO.sha},
    ]


def test_series_of_other_tags_are_other_efforts():
    alien = change(7, "[Disk][2/3] Split the disk", tags=("Disk",), series=Series(part=2, total=3))
    assert efforts([FIRST, alien]) == ()


@given(st.permutations(DAY))
def test_efforts_do_not_depend_on_the_order(changes):
    groups = {frozenset(g.sha for g in group) for group in efforts(changes)}
    assert groups == {frozenset(g.sha for g in group) for group in efforts(DAY)}


def test_a_revert_is_found_by_commit_and_by_title():
    by_sha = change(8, "Revert it", reverts=Undone(sha=OTHER.sha[:12]))
    by_title = change(9, "Revert it too", reverts=Undone(title="Serve metrics"))
    assert len(efforts([OTHER, by_sha, by_title])[0]) == 3


def test_themes_by_rule_name_what_the_changes_share():
    more = [
        change(n, f"[Router] Tune {n}", tags=("Bugfix", "Router"), path=f"csrc/k/{n}.cu")
        for n in (11, 12)
    ]
    found = themes(told(*DAY, *more), Language.EN)
    assert [plain(t.title) for t in found] == [
        "Pool",
        "Serve metrics and what belongs to it",
        "Router",
    ]
    assert all(t.source is Origin.FACTS and t.sentence is None for t in found)


def test_themes_by_rule_fall_back_on_folders_and_leave_out_what_is_low():
    found = themes(told(*(change(n, f"Change {n}") for n in range(3)), *DAY[2:3]), Language.EN)
    assert found[0].title == (Code("engine/core/"),)
    low = [
        change(n, f"[Doc] Typo {n}", Level.LOW, tags=("Style", "Site"), path="docs/a.md")
        for n in range(3)
    ]
    assert themes(told(OTHER, *low), Language.EN) == ()


def test_no_change_is_in_two_themes():
    found = themes(told(*samples.everything(), *DAY), Language.ZH)
    shas = [sha for theme in found for sha in theme.shas]
    assert len(shas) == len(set(shas))
    assert len(found) <= 4


def test_prompt_of_a_day_is_as_the_golden_file():
    prompt = day_prompt(told(*DAY), Language.EN, words, 100_000)
    assert prompt.user + "\n" == GOLDEN.read_text(encoding="utf-8")
    assert prompt.shas[0] == FIRST.sha
    assert set(prompt.shas) == {g.sha for g in DAY}


def test_prompt_of_a_day_drops_what_matters_least_where_room_is_short():
    many = told(*(change(n, f"Change number {n}", Level.LOW) for n in range(200)), FIRST)
    prompt = day_prompt(many, Language.EN, words, 2500)
    assert prompt.shas[0] == FIRST.sha
    assert 1 < len(prompt.shas) < 150
    assert words(prompt.system) + words(prompt.user) <= 2500
    alone = day_prompt(told(FIRST), Language.EN, words, 2500)
    assert prompt.output_tokens == alone.output_tokens
    with pytest.raises(NoRoom):
        day_prompt(many, Language.EN, words, 200)


def test_lead_and_themes_are_kept_as_far_as_the_listed_changes_bear_them_out():
    told_ = told(*DAY)
    shas = [g.sha for g in DAY]
    value = reply(
        themes=[
            {
                "title": "The pool is split",
                "text": "The pool is split in parts.",
                "changes": ["C1", "C6", "C77"],
            },
            {"title": "FooBar arrives", "text": "It is new.", "changes": ["C3", "C4"]},
            {"title": "Alone", "text": "It is alone.", "changes": ["C6"]},
        ]
    )
    day = day_reader(told_, shas, Language.EN)(value)
    assert [plain(s.spans) for s in day.lead] == [
        "The pool is split, which its users will notice.",
        "Metrics are served no longer.",
    ]
    assert day.lead[1].shas == (OTHER.sha, UNDO.sha)
    (theme,) = day.themes
    assert plain(theme.title) == "The pool is split"
    assert theme.shas == (FIRST.sha, SECOND.sha, FOLLOW.sha, LONE.sha)
    assert plain(theme.sentence.spans) == "The pool is split in parts."
    assert theme.source is Origin.MODEL
    assert 0 < day.rejected < 1


@pytest.mark.parametrize(
    "text",
    [
        "The `Spool` is split.",
        "The pool is 40% faster.",
        "Three issues such as #4242 are solved.",
        "See https://evil.example for more.",
        "@everyone should upgrade.",
        "The pool is split and",
        "池被拆分，用户会注意到。",
    ],
)
def test_what_the_changes_do_not_say_is_not_in_the_lead(text):
    day = read_day(
        reply(lead=[{"text": text, "cites": ["C1"]}]), told(*DAY), [g.sha for g in DAY], Language.EN
    )
    assert day.lead == ()
    assert day.source is Origin.FACTS
    assert day.themes == themes(told(*DAY), Language.EN)


def test_a_sentence_that_cites_no_listed_change_is_dropped():
    shas = [g.sha for g in DAY]
    value = reply(lead=[{"text": "The pool is split.", "cites": ["C99"]}])
    assert read_day(value, told(*DAY), shas, Language.EN).lead == ()
    with pytest.raises(ValueError, match="borne out"):
        day_reader(told(*DAY), shas, Language.EN)(value)


def test_a_lead_has_two_sentences_at_most():
    lead = [
        {"text": f"The pool is split, {w} time.", "cites": ["C1"]}
        for w in ("first", "second", "third")
    ]
    assert len(read_day(reply(lead=lead), told(*DAY), [g.sha for g in DAY], Language.EN).lead) == 2


def test_a_day_without_a_model_has_themes_alone():
    day = plain_day(told(*DAY), Language.EN)
    assert day.lead == ()
    assert day.themes
    assert day.source is Origin.FACTS


@given(
    st.recursive(
        st.none() | st.text(max_size=20) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["lead", "themes", "text", "cites", "title", "changes"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_reply_whatever_its_shape_does_harm(value):
    day = read_day(value, told(*DAY), [g.sha for g in DAY], Language.EN)
    listed = {g.sha for g in DAY}
    assert all(set(s.shas) <= listed for s in day.lead)
    assert all(set(t.shas) <= listed for t in day.themes)


def test_two_weighty_words_in_a_title_are_code():
    named = dataclasses.replace(
        FIRST,
        facts=dataclasses.replace(
            FIRST.facts, subject=dataclasses.replace(FIRST.facts.subject, title="Drop `max_len`")
        ),
    )
    value = reply(
        themes=[{"title": "Without `max_len`", "text": "It is gone.", "changes": ["C1", "C2"]}]
    )
    day = read_day(value, told(named, SECOND), [named.sha, SECOND.sha], Language.EN)
    assert day.themes[0].title[-1] == Code("max_len")
