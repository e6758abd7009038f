"""Changes of one window: pairs that undo each other, and more high changes than one can read."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from digest.core.facts import Undone
from digest.core.grade import Graded, Level, Reason
from digest.grading.outcomes import of_window
from tests.support import samples

ADDED = samples.flag_change()


def after(title: str, hours: int, **facts: object) -> Graded:
    commit = replace(
        ADDED.commit,
        sha=f"{hours:040x}",
        message=title,
        committed_at=ADDED.commit.committed_at + timedelta(hours=hours),
    )
    subject = replace(ADDED.facts.subject, title=title, words=title, number=900 + hours)
    return replace(ADDED, commit=commit, facts=replace(ADDED.facts, subject=subject, **facts))


def high(graded: Graded) -> Graded:
    return replace(graded, grade=replace(graded.grade, score=0.9, level=Level.HIGH))


def test_a_pair_inside_one_window_is_low_and_says_why() -> None:
    added = high(ADDED)
    revert = high(after("Revert it", 2, reverts=Undone(sha=added.sha)))
    told = of_window([revert, added])
    assert [g.grade.level for g in told] == [Level.LOW, Level.LOW]
    assert [g.grade.reasons[0].rule for g in told] == ["undoes_in_window", "undone_in_window"]
    assert told[1].grade.reasons[0].subject == "#902"
    assert all(g.grade.score < 0.25 for g in told)
    assert [g.grade.reasons[0].weight for g in told] == [0, 0], "what raised it are its own facts"


def test_what_undoes_an_older_change_keeps_its_grade() -> None:
    revert = high(after("Revert it", 2, reverts=Undone(sha="f" * 40, title="Something else")))
    assert of_window([revert, high(ADDED)]) == (revert, high(ADDED))


def test_what_is_brought_back_in_the_end_keeps_its_grade() -> None:
    revert = high(after("Revert it", 2, reverts=Undone(sha=ADDED.sha)))
    again = high(after("Revert the revert", 3, reverts=Undone(sha=revert.sha)))
    told = of_window([again, revert, high(ADDED)])
    assert [g.grade.level for g in told] == [Level.HIGH, Level.LOW, Level.LOW]


def crowd(count: int, **grade: object) -> list[Graded]:
    changes = [after(f"Add part {n}", n) for n in range(1, count + 1)]
    return [
        replace(g, grade=replace(g.grade, level=Level.HIGH, score=0.6 + n / 1000, **grade))
        for n, g in enumerate(changes)
    ]


def test_at_most_a_fifth_of_a_window_is_high() -> None:
    told = of_window(crowd(40, reasons=()))
    high = [g for g in told if g.grade.level is Level.HIGH]
    assert len(high) == 8
    assert min(g.grade.score for g in high) == 0.632
    rest = [g.grade for g in told if g.grade.level is not Level.HIGH]
    assert {(g.level, g.reasons[0].rule) for g in rest} == {(Level.MEDIUM, "crowded")}
    assert all(0.25 <= g.score < 0.55 for g in rest)


def test_a_small_window_has_room_for_five() -> None:
    assert [g.grade.level for g in of_window(crowd(5))] == [Level.HIGH] * 5


def test_what_breaks_stays_high_in_a_crowd_and_so_does_what_a_reader_s_rule_set() -> None:
    changes = crowd(20, reasons=())
    for at, rule in ((0, "flag_removed"), (1, "forced")):
        reasons = (Reason(rule=rule, weight=1.0),)
        changes[at] = replace(changes[at], grade=replace(changes[at].grade, reasons=reasons))
    assert [g.grade.level for g in of_window(changes)[:2]] == [Level.HIGH] * 2
