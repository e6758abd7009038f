"""What a repository's own past teaches, and what it may not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from digest.core.change import FileStatus
from digest.core.facts import Area, Facts, FileFacts
from digest.core.grade import Graded, Level
from digest.facts.subject import read_subject
from digest.grading.importance import grade, weights
from digest.grading.local_weights import (
    LEAST_PAST,
    LocalWeights,
    Prior,
    Row,
    Sample,
    fit,
    learn,
)
from digest.grading.policy import GradingPolicy
from tests.unit.digest.facts.changes import commit

RELEASE = datetime(2026, 6, 1, tzinfo=UTC)


def change(number: int, title: str, *, days: int) -> Graded:
    """A change so many days before the release."""
    made = replace(
        commit(title), sha=f"{number:040x}", committed_at=RELEASE - timedelta(days=days, hours=1)
    )
    file = FileFacts(
        path="src/a.py", status=FileStatus.MODIFIED, area=Area.CORE, added=20, deleted=5
    )
    facts = Facts(subject=read_subject(f"{title} (#{number})"), files=(file,))
    return Graded(commit=made, facts=facts, grade=grade(facts))


def past(count: int = 240) -> list[Graded]:
    """Fixes and refactorings by turns, the newest first."""
    titles = ("Fix a leak of sockets", "Simplify the loop of the reader")
    return [change(n, titles[n % 2], days=n // 4) for n in range(count)]


FIXES = frozenset(range(0, 400, 2))
REFACTORINGS = frozenset(range(1, 400, 2))


def test_what_the_notes_name_rises_and_what_they_pass_over_sinks() -> None:
    fixes, others = (learn("v2", RELEASE, past(), named) for named in (FIXES, REFACTORINGS))
    assert fixes is not None
    assert others is not None
    fix, refactoring = (change(n, g.facts.subject.words, days=-1) for n, g in enumerate(past(2)))
    for learned, first, second in ((fixes, fix, refactoring), (others, refactoring, fix)):
        policy = GradingPolicy(local=(learned,))
        assert policy.regrade(first).grade.score > policy.regrade(second).grade.score


def test_a_frequent_signal_counts_the_same_in_any_unit_and_a_rare_one_for_less() -> None:
    def pull(unit: float, every: int) -> float:
        """What a signal of every so many changes adds to the log-odds, as one half of them says."""
        rows = [
            Row({"risk": unit} if n % every == 0 else {}, n % (2 * every) == 0 or n % 6 == 1)
            for n in range(400)
        ]
        found, _ = fit([Sample("past", tuple(rows))], Prior(penalty=0.02))
        return found["risk"] * unit

    assert pull(1.0, 2) == pytest.approx(pull(1.2, 2), rel=1e-3)
    assert pull(1.0, 10) < 0.9 * pull(2.0, 10)


def test_too_short_a_past_teaches_nothing() -> None:
    assert learn("v2", RELEASE, past(LEAST_PAST - 1), FIXES) is None
    assert learn("v2", RELEASE, past(LEAST_PAST), frozenset()) is not None
    newest = past(LEAST_PAST)[0]
    at_once = replace(newest, commit=replace(newest.commit, committed_at=RELEASE))
    assert learn("v2", RELEASE, [at_once, *past(LEAST_PAST - 1)], frozenset()) is None


def is_only_scaled(learned: LocalWeights | None) -> bool:
    assert learned is not None
    ratios = {
        round(learned.weights.weights.get(name, 0.0) / weight, 2)
        for name, weight in weights().weights.items()
        if abs(weight) > 0.3
    }
    return len(ratios) == 1


@pytest.mark.parametrize(
    ("named", "scaled"),
    [
        ((), True),
        (range(0, 117, 2), True),
        (range(0, 119, 2), False),
        ((1, *range(0, 119, 2)), True),
    ],
)
def test_weights_are_learned_from_sixty_changes_of_each_sort_that_the_notes_cover(
    named: Sequence[int], scaled: bool
) -> None:
    assert is_only_scaled(learn("v2", RELEASE, past(), frozenset(named))) is scaled


def test_notes_that_leave_out_next_to_nothing_teach_nothing() -> None:
    named = frozenset(range(60)) - {10, 30}
    assert is_only_scaled(learn("v2", RELEASE, past(60) * 31, named))


def test_what_the_past_has_nothing_of_keeps_its_weight_among_the_others() -> None:
    learned = learn("v2", RELEASE, past(), FIXES)
    assert learned is not None
    absent = ("breaking", "environment_added", "flag_removed", "security", "title_docs")
    ratios = [learned.weights.weights[name] / weights().weights[name] for name in absent]
    assert ratios == pytest.approx([ratios[0]] * len(absent), rel=0.01)


def test_changes_that_are_all_alike_are_told_apart_at_most_three_times_as_far() -> None:
    learned = learn("v2", RELEASE, past(1) * LEAST_PAST, frozenset())
    assert learned is not None
    ratio = learned.weights.weights["core"] / weights().weights["core"]
    assert ratio == pytest.approx(3.0, abs=0.001)


def test_a_past_in_which_everything_demands_something_is_graded_as_any_other() -> None:
    breaking = [change(n, "feat!: Remove the flag --old", days=n // 4) for n in range(LEAST_PAST)]
    learned = learn("v2", RELEASE, breaking, frozenset())
    assert learned is not None
    assert learned.weights.weights == weights().weights


def test_past_in_which_nearly_everything_demands_something_is_scaled_by_the_rest() -> None:
    titles = ("Add a reader", "Simplify the loop", *["feat!: Remove the flag --old"] * 18)
    mixed = [change(n, titles[n % 20], days=n // 4) for n in range(LEAST_PAST)]
    assert is_only_scaled(learn("v2", RELEASE, mixed, frozenset()))


def test_as_many_changes_as_wanted_are_high_and_medium_under_learned_weights() -> None:
    """12 % of the newest 500 are high, and 45 % at least medium."""
    file = FileFacts(
        path="src/a.py", status=FileStatus.MODIFIED, area=Area.CORE, added=0, deleted=0
    )
    many = [
        replace(
            one,
            facts=replace(
                one.facts,
                subject=read_subject("Refactor it"),
                files=(replace(file, added=int(1.033**n) if n < 500 else 10**9),),
            ),
        )
        for n, one in enumerate(past(2) * 300)
    ]
    learned = learn("v2", RELEASE, many, frozenset())
    assert learned is not None
    levels = [grade(g.facts, commit=g.commit, model=learned.weights).level for g in many[:500]]
    assert levels.count(Level.HIGH) == pytest.approx(60, abs=2)
    assert levels.count(Level.MEDIUM) == pytest.approx(165, abs=2)


def test_few_changes_are_high_under_learned_weights() -> None:
    titles = ("Add a reader", "Fix a leak", "Simplify a loop", "Bump x from 1 to 2", "Speed up it")
    many = [change(n, f"{titles[n % 5]} {'of all ' * (n % 7)}", days=n // 8) for n in range(600)]
    learned = learn("v2", RELEASE, many, frozenset(range(0, 600, 5)))
    assert learned is not None
    policy = GradingPolicy(local=(learned,))
    levels = [
        policy.regrade(replace(g, commit=replace(g.commit, committed_at=RELEASE))).grade.level
        for g in many
    ]
    assert 0.02 < levels.count(Level.HIGH) / len(levels) <= 0.2


def test_nothing_after_the_release_is_learned_from() -> None:
    later = [change(1000 + n, "Fix a leak of sockets", days=-30) for n in range(50)]
    before = learn("v2", RELEASE, past(), FIXES)
    assert learn("v2", RELEASE, [*later, *past()], FIXES) == before


@pytest.mark.parametrize(("days", "version"), [(1, weights().version), (-1, "x+v2")])
def test_a_change_is_graded_by_what_was_known_when_it_was_made(days: int, version: str) -> None:
    learned = LocalWeights(
        release="v2", since=RELEASE, weights=replace(weights(), version="x+v2", bias=3.0)
    )
    made = GradingPolicy(local=(learned,)).regrade(change(1, "Add a reader", days=days))
    assert made.grade.by.split()[0] == version
    assert made.grade.by in GradingPolicy(local=(learned,)).versions
