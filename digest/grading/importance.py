"""How much a change matters: a logistic model over the signals of its facts.

``importance.json`` holds the weights (log-odds per unit of a signal) and the bias. Same facts, same
grade: nothing here looks at a clock, a model's reply or another change.

From changes to graded changes: pure, so that it can run in a thread or another process.

A change whose facts cannot be read is never lost: it is kept with what its message says, and told
apart by the cause.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp

from digest.core.change import Change
from digest.core.facts import Facts
from digest.core.grade import Grade, Graded, Level, Reason, Thresholds
from digest.facts.extract import bare, extract
from digest.grading.signals import signals

_LEAST_REASON = 0.08  # log-odds; what moves a score by less than 2 % is no reason to name

_MOST_REASONS = 5

_CONTEXT_ONLY = frozenset({"title_length", "files", "core"})
"""Signals that steady the score but tell a reader nothing."""


@cache
def weights() -> Weights:
    """The weights that the program ships with."""
    text = files("digest.grading").joinpath("importance.json").read_text(encoding="utf-8")
    data = json.loads(text)
    return Weights(
        version=data["version"],
        bias=data["bias"],
        weights=data["weights"],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A fitted model; ``version`` changes whenever grades may."""

    version: str
    bias: float
    weights: dict[str, float]


def grade(facts: Facts, thresholds: Thresholds | None = None) -> Grade:
    """Grade a change by its facts; ``thresholds`` replaces the shipped ones."""
    model, least = weights(), thresholds or Thresholds()
    moved = [
        Reason(rule=s.name, weight=round(model.weights[s.name] * s.value, 4), subject=s.subject)
        for s in signals(facts)
        if s.name in model.weights
    ]
    odds = model.bias + sum(r.weight for r in moved)
    score = round(1 / (1 + exp(-odds)), 4)
    level = level_of(score, least)
    return Grade(
        score=score,
        level=level,
        reasons=_told(moved, level),
        by=graded_by(least),
    )


def graded_by(thresholds: Thresholds | None = None) -> str:
    """What :attr:`Grade.by` is of a grade that is made now."""
    least = thresholds or Thresholds()
    return f"{weights().version} {least.high:g} {least.medium:g}"


def level_of(score: float, thresholds: Thresholds) -> Level:
    """The level of a score."""
    if score >= thresholds.high:
        return Level.HIGH
    return Level.MEDIUM if score >= thresholds.medium else Level.LOW


def _told(moved: list[Reason], level: Level) -> tuple[Reason, ...]:
    """The weightiest reasons for the level, ties by name.

    What lowered a high grade is no reason for it, nor what raised a low one while anything else
    can be said.
    """
    worth = [r for r in moved if abs(r.weight) >= _LEAST_REASON and r.rule not in _CONTEXT_ONLY]
    raised = [r for r in worth if r.weight > 0]
    lowered = [r for r in worth if r.weight < 0]
    chosen = {Level.HIGH: raised, Level.MEDIUM: worth, Level.LOW: lowered or raised}[level]
    return tuple(sorted(chosen, key=lambda r: (-abs(r.weight), r.rule))[:_MOST_REASONS])


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Changes with the texts that their facts need, by blob."""

    changes: tuple[Change, ...]
    texts: Mapping[str, str]
    thresholds: Thresholds | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedBatch:
    """The graded changes in the batch's order, and why some could not be read, by commit name."""

    changes: tuple[Graded, ...]
    failures: Mapping[str, str]


def grade_batch(batch: Batch) -> GradedBatch:
    """Read and grade every change of a batch. Never fails on one of them."""
    failures: dict[str, str] = {}
    return GradedBatch(
        changes=tuple(_grade_one(change, batch, failures) for change in batch.changes),
        failures=failures,
    )


def _grade_one(change: Change, batch: Batch, failures: dict[str, str]) -> Graded:
    try:
        facts = extract(change, batch.texts)
    except Exception as error:  # noqa: BLE001 - one odd commit must not end the day; it is told
        failures[change.sha] = f"{type(error).__name__}: {error}"
        facts = bare(change)
    return Graded(commit=change.commit, facts=facts, grade=grade(facts, batch.thresholds))
