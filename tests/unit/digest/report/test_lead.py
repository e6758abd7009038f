"""The lead: the most important fact first, then what the day was about."""

from __future__ import annotations

import re

import pytest

from digest.core.enums import Language
from digest.core.facts import Action, Clue, ClueKind, FactKind
from digest.core.grade import Graded, Level, Reason
from digest.document import plain
from digest.report import assembly
from digest.report.assembly import assemble, foremost
from digest.report.condensed import shown_entries
from tests.support import samples


def change(n: int, title: str, level: Level = Level.HIGH, **more) -> Graded:
    return samples.change(n, title, level, files=[samples.file(f"src/{n}.py")], **more)


SWITCHED = change(
    1, "Raise the limit of batches to 16", reasons=[Reason(rule="says_default", weight=2.0)]
)
NEWS = [
    change(n, f"Router: serve the {pool} pool", subject={"number": n})
    for n, pool in ((102, "cold"), (103, "warm"))
]


def lead(*changes: Graded, language: Language = Language.EN) -> str:
    made = assemble(samples.REPOSITORY, "main", samples.DAY, changes, language)
    return plain(made.lead)


def test_what_a_rule_of_urgency_names_comes_first_and_the_topics_last():
    assert lead(*NEWS, SWITCHED) == (
        "Raise the limit of batches to 16 (#101); nothing else found to act on."
        " 3 commits, 3 of high importance, most often in Router."
    )
    assert lead(*NEWS, SWITCHED, language=Language.ZH).endswith(
        "3 个提交，其中 3 个高重要度变更，多与 Router 有关。"
    )


@pytest.mark.parametrize(("total", "named"), [(20, True), (21, False)])
def test_a_topic_of_few_of_many_changes_is_none_of_the_lead(total: int, named: bool):
    others = [change(n, f"Look at {n}") for n in range(200, 200 + total - len(NEWS))]
    assert ("most often in Router" in lead(*NEWS, *others)) is named


def test_a_digest_without_anything_to_act_on_says_so():
    assert lead(NEWS[0]).endswith("; nothing found to act on. 1 commit, 1 of high importance.")
    low = change(5, "Fix a typo", Level.LOW)
    assert lead(low).startswith("1 commit, none of high importance")
    assert lead(low).endswith("; nothing found to act on.")


def test_the_numbers_of_types_add_up():
    kinds = ["feat", "feat", "fix", "perf", "refactor", "docs", "test"]
    made = [change(n, f"{kind}: Look at {n}") for n, kind in enumerate(kinds, 10)]
    counted = re.search(r"7 of high importance \((.*?)\)", lead(*made))
    assert sum(map(int, re.findall(r"\d+", counted[1]))) == 7
    assert counted[1].endswith(" others")


def test_a_fix_of_security_counts_as_such_and_first():
    titles = ("Look", "Look twice", "fix(security): Bound the length of an upload")
    counted = lead(*(change(n, title) for n, title in enumerate(titles, 10)))
    assert "3 of high importance (1 security change, 2 others)" in counted


def test_the_most_urgent_of_what_to_act_on_comes_first_whatever_its_score():
    removed = change(4, "Cut it", reasons=[Reason(rule="flag_removed", weight=3.2)])
    entries = assemble(samples.REPOSITORY, "main", samples.DAY, [SWITCHED, removed], Language.EN)
    assert [e.graded.number for e in foremost(entries.entries)] == [104, 101]


@pytest.mark.parametrize(
    ("words", "acts"),
    [
        ("Reject offsets before ranges", True),
        ("Size the default_pool", False),
        ("Update the default size to 16", True),
        ("Log what is rejected", False),
    ],
)
def test_titles_of_refusals_and_new_defaults_are_to_be_acted_on(words: str, acts: bool):
    made = assemble(samples.REPOSITORY, "main", samples.DAY, [change(1, words)], Language.EN)
    assert made.entries[0].acts is acts


def test_what_the_lead_counts_as_to_act_on_is_shown_also_if_it_is_medium():
    medium = change(8, "Reject empty plans", Level.MEDIUM)
    quiet = change(9, "Say more", Level.MEDIUM)
    made = assemble(samples.REPOSITORY, "main", samples.DAY, [quiet, medium, SWITCHED], Language.EN)
    assert "; also to act on: Reject empty plans (#108). 3 commits" in plain(made.lead)
    assert [one.graded for one in shown_entries(made)] == [SWITCHED, medium, quiet]


def test_lead_is_counts_alone_where_its_page_tells_the_rest():
    made = assemble(samples.REPOSITORY, "main", samples.DAY, [SWITCHED], Language.EN)
    whole, counted = (
        plain(assembly.lead(made.entries, made.counts, Language.EN, counted=counted))
        for counted in (False, True)
    )
    assert counted.startswith("1 commit")
    assert whole.endswith(f" {counted}")


def test_lead_names_further_changes_to_act_on_by_number():
    changes = [change(8, "Reject empty plans"), change(9, "Reject empty names"), SWITCHED]
    made = assemble(samples.REPOSITORY, "main", samples.DAY, changes, Language.EN)
    assert "; 2 more changes to act on (#108 and #109). 3 commits" in plain(made.lead)


@pytest.mark.parametrize(
    ("language", "told"),
    [
        (Language.EN, "; also to act on: check if you use --fast (#108). 2 commits"),
        (Language.ZH, "；还需处理：请检查是否使用 --fast（#108）。2 个提交"),
    ],
)
def test_lead_says_what_to_do_about_a_second_change_whose_line_has_a_colon(language, told):
    where = samples.at("src/8.py", 3)
    refused = Clue(
        kind=ClueKind.REFUSED, evidence=where, text="--fast is incompatible with two cards"
    )
    second = change(8, "Add a card", clues=[refused])
    made = assemble(samples.REPOSITORY, "main", samples.DAY, [second, SWITCHED], language)
    assert told in plain(made.lead)


@pytest.mark.parametrize("words", [f"Reject {'empty ' * 30}plans", "Reject plans: the empty ones"])
def test_lead_names_a_change_to_act_on_by_number_if_its_line_is_long_or_has_a_colon(words):
    changes = [change(8, words), SWITCHED]
    made = assemble(samples.REPOSITORY, "main", samples.DAY, changes, Language.EN)
    assert "; 1 more change to act on (#108). 2 commits" in plain(made.lead)


def _told_of(*facts: tuple[Action, str, str | None]) -> list[str]:
    changes = [
        samples.change(
            number,
            f"Tidy up {number}",
            Level.HIGH,
            files=[samples.file("src/cli.py")],
            items=[
                samples.fact(
                    FactKind.FLAG, action, name, samples.at("src/cli.py", 3), before=before
                )
            ],
        )
        for number, (action, name, before) in enumerate(facts, 1)
    ]
    made = assemble(samples.REPOSITORY, "main", samples.DAY, changes, Language.EN)
    return [plain(entry.analysis.summary[0].spans) for entry in made.entries]


@pytest.mark.parametrize(
    ("newer", "older", "told"),
    [
        ((Action.REMOVED, "--fast", None), (Action.ADDED, "--fast", None), True),
        ((Action.ADDED, "--fast", None), (Action.REMOVED, "--fast", None), False),
        ((Action.RENAMED, "--fast", "--quick"), (Action.RENAMED, "--quick", "--fast"), False),
        ((Action.REMOVED, "--fast", None), (Action.ADDED, "--slow", None), True),
        ((Action.RENAMED, "--swift", "--quick"), (Action.RENAMED, "--quick", "--fast"), True),
        ((Action.ADDED, "--fast", None), (Action.RENAMED, "--quick", "--fast"), False),
    ],
)
def test_what_comes_back_within_a_window_is_missed_by_nobody(newer, older, told) -> None:
    lines = _told_of(newer, older)
    gone = [line for line in lines if "was removed" in line or " is now --" in line]
    assert bool(gone) is told
