"""A change and what undoes it in the same window are both low."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from digest.core.facts import Undone
from digest.core.grade import Graded, Level
from digest.grading.outcomes import without_pairs
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
    told = without_pairs([revert, added])
    assert [g.grade.level for g in told] == [Level.LOW, Level.LOW]
    assert [g.grade.reasons[0].rule for g in told] == ["undoes_in_window", "undone_in_window"]
    assert told[1].grade.reasons[0].subject == "#902"
    assert all(g.grade.score < 0.25 for g in told)


def test_what_undoes_an_older_change_keeps_its_grade() -> None:
    revert = high(after("Revert it", 2, reverts=Undone(sha="f" * 40, title="Something else")))
    assert without_pairs([revert, high(ADDED)]) == (revert, high(ADDED))


def test_what_is_brought_back_in_the_end_keeps_its_grade() -> None:
    revert = high(after("Revert it", 2, reverts=Undone(sha=ADDED.sha)))
    again = high(after("Revert the revert", 3, reverts=Undone(sha=revert.sha)))
    told = without_pairs([again, revert, high(ADDED)])
    assert [g.grade.level for g in told] == [Level.HIGH, Level.LOW, Level.LOW]
