from dataclasses import replace
from datetime import timedelta

import pytest

from digest.core.facts import Undone
from digest.core.grade import Level, Thresholds
from digest.grading.outcomes import LEAST, SOON, LaterFacts, Outcome, named_in, outcomes_of, quality
from tests.support.samples import change


def _days_later(graded, days: float):
    commit = replace(graded.commit, committed_at=graded.commit.committed_at + timedelta(days=days))
    return replace(graded, commit=commit)


def _told(graded, **facts):
    return replace(graded, facts=replace(graded.facts, **facts))


FIRST = change(1, "Add a mode (#1)", Level.HIGH)


@pytest.mark.parametrize(
    "undone",
    [
        Undone(sha=FIRST.sha[:10]),
        Undone(number=FIRST.number),
        Undone(title="Add a mode"),
        Undone(title="add a mode (#1)"),
    ],
)
def test_a_revert_is_known_by_what_it_names(undone):
    revert = _days_later(_told(change(2, 'Revert "Add a mode"', Level.LOW), reverts=undone), 3)
    assert outcomes_of([revert, FIRST], LaterFacts()) == {FIRST.sha: {Outcome.REVERTED}}


def test_what_comes_later_than_two_weeks_or_before_tells_nothing():
    revert = _told(change(2, "Revert it", Level.LOW), reverts=Undone(sha=FIRST.sha))
    late = _days_later(revert, SOON.days + 1)
    before = _days_later(revert, -1)
    assert outcomes_of([late, FIRST], LaterFacts()) == {}
    assert outcomes_of([before, FIRST], LaterFacts()) == {}


def test_a_fix_that_names_a_change_tells_of_it_and_other_mentions_do_not():
    assert FIRST.number is not None
    fix = _days_later(_told(change(2, "Fix the mode", Level.LOW), issues=(FIRST.number,)), 1)
    fix = _told(fix, subject=replace(fix.facts.subject, words="Fix the mode"))
    more = _days_later(_told(change(3, "Extend the mode", Level.LOW), issues=(FIRST.number,)), 1)
    more = _told(more, subject=replace(more.facts.subject, words="Extend the mode"))
    assert outcomes_of([fix, FIRST], LaterFacts()) == {FIRST.sha: {Outcome.HOTFIXED}}
    assert outcomes_of([more, FIRST], LaterFacts()) == {}


def test_what_is_known_from_elsewhere_is_taken():
    assert FIRST.number is not None
    later = LaterFacts(
        backported=frozenset({FIRST.commit.subject}),
        named=frozenset({FIRST.number}),
        useful=frozenset({FIRST.sha}),
        useless=frozenset({"f" * 40}),
    )
    assert outcomes_of([FIRST], later) == {
        FIRST.sha: {Outcome.BACKPORTED, Outcome.NAMED, Outcome.USEFUL}
    }


def test_release_notes_name_requests_in_both_ways():
    notes = "* Add it (#12), see https://forge.example/o/r/pull/345. Not &#39; nor x#6."
    assert named_in(notes) == {12, 345}


def _scored(n: int, score: float):
    graded = change(n, f"Change {n}", Level.HIGH if score >= 0.5 else Level.LOW)
    return replace(graded, grade=replace(graded.grade, score=score))


def test_thresholds_are_proposed_that_divide_what_mattered_from_the_rest():
    good = [_scored(n, 0.8 + n / 1000) for n in range(LEAST)]
    rest = [_scored(LEAST + n, 0.1 + n / 1000) for n in range(5 * LEAST)]
    fates = {g.sha: frozenset({Outcome.NAMED}) for g in good}
    found = quality([*good, *rest], fates, Thresholds(high=0.95, medium=0.9))
    assert found.auc == 1.0
    assert found.now.high_recall == 0.0
    assert found.proposal is not None
    assert 0.3 < found.proposal.thresholds.high <= 0.8
    assert found.proposal.high_recall == found.proposal.high_precision == 1.0
    assert found.proposal.levels[Level.HIGH] == LEAST
    assert found.missed == ()


def test_of_few_nothing_is_proposed_and_ties_count_half():
    good, bad = _scored(1, 0.5), _scored(2, 0.5)
    found = quality([good, bad], {good.sha: frozenset({Outcome.NAMED})}, Thresholds())
    assert found.auc == 0.5
    assert found.proposal is None
    useless = quality([good], {good.sha: frozenset({Outcome.USELESS})}, Thresholds())
    assert sum(row.mattered for row in useless.rows) == 0
    assert useless.auc is None


@pytest.mark.parametrize(
    ("days", "counts"), [(-0.001, False), (0, True), (14, True), (14.001, False)]
)
def test_a_revert_or_a_fix_counts_within_two_weeks(days: float, counts: bool):
    undoing = _told(change(2, "Revert it", Level.LOW), reverts=Undone(sha=FIRST.sha))
    fix = _told(change(2, "Fix it", Level.LOW), issues=(FIRST.number, 4711))
    for later in (undoing, fix):
        at = replace(later.commit, committed_at=FIRST.commit.committed_at + timedelta(days=days))
        assert bool(outcomes_of([replace(later, commit=at), FIRST], LaterFacts())) is counts


def test_a_change_that_names_itself_has_no_outcome():
    itself = _told(change(2, "Fix it", Level.LOW), issues=(102,))
    undoing = _told(change(2, "Fix it", Level.LOW), reverts=Undone(sha=itself.sha))
    assert outcomes_of([itself], LaterFacts()) == outcomes_of([undoing], LaterFacts()) == {}


def test_what_is_not_known_from_elsewhere_is_not_taken():
    other = LaterFacts(
        backported=frozenset({"f" * 40, "Other"}),
        named=frozenset({4711}),
        useful=frozenset({"f" * 40}),
        useless=frozenset({FIRST.sha}),
    )
    assert outcomes_of([FIRST], other) == {FIRST.sha: {Outcome.USELESS}}


def _many(*scores: tuple[int, float]):
    numbers = iter(range(1, 1000))
    return [_scored(next(numbers), score) for count, score in scores for _ in range(count)]


@pytest.mark.parametrize(("others", "high", "shown", "hits"), [(6, 0.6, 36, 30), (7, 0.9, 10, 10)])
def test_high_is_where_most_is_reached_within_a_fifth_of_all(others, high, shown, hits):
    good = _many((10, 0.9), (20, 0.605))
    rest = _many((30, 0.0), (others, 0.605), (150 - others, 0.1))[30:]
    fates = {g.sha: frozenset({Outcome.NAMED}) for g in good}
    found = quality([*good, *rest], fates, Thresholds(high=0.605, medium=0.1)).proposal
    assert found is not None
    assert (found.thresholds.high, found.thresholds.medium) == (high, 0.6)
    assert (found.high_recall, found.high_precision) == (hits / 30, hits / shown)
    assert found.medium_recall == 1.0
    assert found.levels == {
        Level.HIGH: shown,
        Level.MEDIUM: 30 + others - shown,
        Level.LOW: 150 - others,
    }


def test_medium_is_where_nine_tenths_of_what_mattered_is_reached():
    good, rest = _many((27, 0.8), (3, 0.2)), _many((30, 0.0), (60, 0.1))[30:]
    fates = {g.sha: frozenset({Outcome.USEFUL}) for g in good}
    found = quality([*good, *rest], fates, Thresholds())
    assert found.proposal is not None
    assert found.proposal.thresholds.medium == 0.2
    assert [(row.level, row.changes, row.mattered, dict(row.fates)) for row in found.rows] == [
        (Level.HIGH, 27, 27, {Outcome.USEFUL: 27}),
        (Level.MEDIUM, 0, 0, {}),
        (Level.LOW, 63, 3, {Outcome.USEFUL: 3}),
    ]
    assert [g.grade.score for g in found.missed] == [0.2] * 3
    assert (found.now.high_recall, found.now.medium_recall) == (0.9, 0.9)
    assert (found.now.high_precision, found.auc) == (1.0, 1.0)
    assert found.now.levels == {Level.HIGH: 27, Level.MEDIUM: 0, Level.LOW: 63}


def test_where_nothing_mattered_or_nothing_else_is_known_nothing_is_proposed():
    good = _many((40, 0.8))
    fates = {g.sha: frozenset({Outcome.USEFUL}) for g in good}
    assert quality(good, fates, Thresholds()).proposal is None
    none = quality(good, {}, Thresholds(high=0.9)).now
    assert (none.high_recall, none.high_precision, none.medium_recall) == (0.0, 0.0, 0.0)
    beside = quality([*good, *_many((50, 0.8))[40:]], fates, Thresholds(high=0.8)).now
    assert beside.levels == {Level.HIGH: 50, Level.MEDIUM: 0, Level.LOW: 0}
    medium = quality(_many((4, 0.4), (3, 0.39)), {}, Thresholds(high=0.8, medium=0.4)).now
    assert medium.levels == {Level.HIGH: 0, Level.MEDIUM: 4, Level.LOW: 3}
    few = [*good[: LEAST - 1], *_many((50, 0.1))[40:]]
    assert quality(few, fates, Thresholds()).proposal is None
