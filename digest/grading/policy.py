"""How the changes of a repository are graded: thresholds, rules and learned weights.

Grading a batch is pure, so it can run in a thread or another process. A change whose facts cannot
be read is never lost: it is kept with the facts of its message, and the cause is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import field, replace
from hashlib import sha256

from digest.core.change import Change, Commit
from digest.core.facts import FactKind, Facts
from digest.core.grade import Grade, Graded, Level, Reason, Thresholds
from digest.core.patterns import matches, within
from digest.frozen import frozen
from digest.grading.importance import FORCED, Weights, grade, graded_by, nearest, weights
from digest.grading.local_weights import LocalWeights


@frozen
class GradingRule:
    """A configured rule; a change meets it if it meets every condition that is set.

    ``path`` is a pattern (see ``globs``), ``label`` a label of the request or a tag of the title,
    ``author`` and ``keyword`` are substrings, and ``kind`` is the kind of a fact.
    """

    level: Level
    path: str = ""
    label: str = ""
    author: str = ""
    keyword: str = ""
    kind: FactKind | None = None

    def __str__(self) -> str:
        given = ("path", "label", "author", "keyword", "kind")
        return ", ".join(f"{name} {value}" for name in given if (value := getattr(self, name)))

    def meets(self, commit: Commit, facts: Facts, labels: Collection[str] = ()) -> bool:
        """Whether a change meets every condition of the rule."""
        own = {text.casefold() for text in (*facts.subject.tags, facts.subject.type, *labels)}
        paths = [p for file in facts.files for p in (file.path, file.old_path) if p]
        return (
            (not self.path or any(matches(self.path, path) for path in paths))
            and (not self.label or self.label.casefold() in own)
            and (not self.author or within(self.author, commit.author, commit.email))
            and (not self.keyword or within(self.keyword, facts.subject.title, commit.message))
            and (self.kind is None or bool(facts.of(self.kind)))
        )


@frozen
class GradingPolicy:
    """What decides a grade besides the change itself.

    ``thresholds`` are the configured ones, ``None`` for the shipped ones. The first of the
    ``rules`` that a change meets sets its level. ``local`` are the weights learned from past
    releases.
    """

    thresholds: Thresholds | None = None
    rules: tuple[GradingRule, ...] = ()
    local: tuple[LocalWeights, ...] = ()

    def grade(self, commit: Commit, facts: Facts, labels: Collection[str] = ()) -> Grade:
        """The grade of a change."""
        model = self.weights_at(commit)
        graded = grade(facts, self.thresholds, commit=commit, labels=labels, model=model)
        graded = replace(graded, by=self._by(model))
        rule = next((one for one in self.rules if one.meets(commit, facts, labels)), None)
        return (
            graded
            if rule is None
            else _grade_by_rule(graded, rule, self.thresholds or Thresholds())
        )

    def regrade(self, graded: Graded, labels: Collection[str] = ()) -> Graded:
        """The change graded again by its facts."""
        return replace(graded, grade=self.grade(graded.commit, graded.facts, labels))

    def weights_at(self, commit: Commit) -> Weights:
        """The weights that were known when a change was made."""
        known = [local for local in self.local if local.since <= commit.committed_at]
        return max(known, key=lambda local: local.since).weights if known else weights()

    @property
    def versions(self) -> tuple[str, ...]:
        """The values of :attr:`Grade.by` that need no new grading."""
        return tuple(
            self._by(model) for model in (weights(), *(local.weights for local in self.local))
        )

    def _by(self, model: Weights) -> str:
        by = graded_by(self.thresholds, model)
        if not self.rules:
            return by
        text = "\n".join(f"{rule}: {rule.level}" for rule in self.rules)
        return f"{by} {sha256(text.encode()).hexdigest()[:8]}"


def _grade_by_rule(given: Grade, rule: GradingRule, least: Thresholds) -> Grade:
    """The grade at the level that a rule sets, with the nearest score of that level."""
    score = nearest(given.score, rule.level, least)
    reason = Reason(rule=FORCED, weight=0.0, subject=str(rule))
    return replace(given, score=score, level=rule.level, reasons=(reason, *given.reasons))


@frozen
class Batch:
    """Changes with the texts that their facts need, by blob; ``clock`` measures grading."""

    changes: tuple[Change, ...]
    texts: Mapping[str, str]
    policy: GradingPolicy = field(default_factory=GradingPolicy)
    clock: Callable[[], float] | None = None
    forge: str = ""


@frozen
class GradedBatch:
    """The graded changes in the batch's order, and by commit name why some could not be read."""

    changes: tuple[Graded, ...]
    failures: Mapping[str, str]


def grade_batch(batch: Batch) -> GradedBatch:
    """Read and grade every change of a batch; a failing change never fails the batch."""
    failures: dict[str, str] = {}
    return GradedBatch(
        changes=tuple(_grade_one(change, batch, failures) for change in batch.changes),
        failures=failures,
    )


def _grade_one(change: Change, batch: Batch, failures: dict[str, str]) -> Graded:
    # The finders and their grammars are slow to import, and reading an archive needs none of them.
    from digest.facts.extract import bare, extract

    try:
        facts = extract(change, batch.texts, batch.clock, batch.forge)
    except Exception as error:  # noqa: BLE001 - one odd commit must not end the day; it is told
        failures[change.sha] = f"{type(error).__name__}: {error}"
        facts = bare(change)
    grade_found = batch.policy.grade(change.commit, facts)
    return Graded(commit=change.commit, facts=facts, grade=grade_found)
