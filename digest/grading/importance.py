"""How much a change matters: two questions over the signals of its facts, and one level.

*Must a reader act?* Rules answer: what a deployment has to react to is at least of their level,
whatever the change's size or its author's title. *Is it news?* A logistic model answers: how alike
the change is to those that maintainers name in release notes. ``importance.json`` holds both: the
levels of the rules with their strengths, the weights (log-odds per unit of a signal) and the bias.
Same facts, same grade: nothing here looks at a clock, a model's reply or another change.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from math import exp

from digest.core.change import Commit
from digest.core.facts import Facts
from digest.core.grade import Grade, Level, Reason, Thresholds
from digest.grading.signals import Signal, signals

_LEAST_REASON = 0.08  # log-odds; what moves a score by less than 2 % is no reason to name

_MOST_REASONS = 5

_FOOT = 0.08
"""How far above the threshold of its level the most urgent demand alone lifts a score."""

_CONTEXT_ONLY = frozenset({"title_length", "files", "core"})
"""Signals that steady the score but tell a reader nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """A rule of the first question: the least level, and how urgent it is (log-odds)."""

    level: Level
    strength: float


@cache
def weights() -> Weights:
    """The weights that the program ships with."""
    text = files("digest.grading").joinpath("importance.json").read_text(encoding="utf-8")
    data = json.loads(text)
    return Weights(
        version=data["version"],
        bias=data["bias"],
        weights=data["weights"],
        act={
            rule: Demand(level=Level(level), strength=strength)
            for rule, (level, strength) in data["act"].items()
        },
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A fitted model and the rules; ``version`` changes whenever grades may."""

    version: str
    bias: float
    weights: Mapping[str, float]
    act: Mapping[str, Demand] = field(default_factory=dict)


def demands_action(rule: str) -> bool:
    """Whether a reason answers the first question: a reader may have to act."""
    return rule in weights().act


def grade(
    facts: Facts,
    thresholds: Thresholds | None = None,
    *,
    commit: Commit | None = None,
    labels: Collection[str] = (),
    model: Weights | None = None,
) -> Grade:
    """Grade a change by its facts; ``thresholds`` and ``model`` replace the shipped ones.

    ``commit`` says who made it, and ``labels`` are those that the forge gave its request.
    """
    model, least = model or weights(), thresholds or Thresholds()
    found = signals(facts, commit, labels)
    news = {s.name: round(model.weights.get(s.name, 0.0) * s.value, 4) for s in found}
    score = 1 / (1 + exp(-model.bias - sum(news.values())))
    due = _due(model, found, undone=facts.reverts is not None)
    score = round(max(score, _urgency(due.values(), least)), 4)
    level = level_of(score, least)
    reasons = [
        Reason(rule=s.name, weight=weight, subject=s.subject)
        for s in found
        if (weight := max(due[s.name].strength, news[s.name]) if s.name in due else news[s.name])
    ]
    return Grade(
        score=score, level=level, reasons=_told(reasons, level), by=graded_by(least, model)
    )


def _due(model: Weights, found: Sequence[Signal], *, undone: bool) -> dict[str, Demand]:
    """The rules that a change meets. A revert takes back what it may just have been given."""
    due = {s.name: model.act[s.name] for s in found if s.name in model.act}
    if undone:
        return {
            name: Demand(level=Level.MEDIUM, strength=demand.strength)
            for name, demand in due.items()
        }
    return due


def _urgency(due: Collection[Demand], least: Thresholds) -> float:
    """The least score of what must be acted on: within its level, the more urgent the higher."""
    if not due:
        return 0.0
    top = min((demand.level for demand in due), key=lambda level: level.rank)
    strength = sum(demand.strength for demand in due if demand.level is top)
    low, high = {
        Level.HIGH: (least.high, 1.0),
        Level.MEDIUM: (least.medium, least.high),
        Level.LOW: (0.0, least.medium),
    }[top]
    # The foot of the level: what is news as well stands above what only demands an answer.
    return min(low + _FOOT * (1 - exp(-strength / 4)), (low + high) / 2)


def demands_high(facts: Facts, commit: Commit | None = None) -> bool:
    """Whether a rule makes the change high, whatever news it is."""
    due = _due(weights(), signals(facts, commit), undone=facts.reverts is not None)
    return any(demand.level is Level.HIGH for demand in due.values())


def graded_by(thresholds: Thresholds | None = None, model: Weights | None = None) -> str:
    """What :attr:`Grade.by` is of a grade that is made now."""
    least = thresholds or Thresholds()
    return f"{(model or weights()).version} {least.high:g} {least.medium:g}"


def level_of(score: float, thresholds: Thresholds) -> Level:
    """The level of a score."""
    if score >= thresholds.high:
        return Level.HIGH
    return Level.MEDIUM if score >= thresholds.medium else Level.LOW


def _told(moved: Sequence[Reason], level: Level) -> tuple[Reason, ...]:
    """The weightiest reasons for the level, ties by name.

    What lowered a high grade is no reason for it, nor what raised a low one while anything else
    can be said.
    """
    worth = [r for r in moved if abs(r.weight) >= _LEAST_REASON and r.rule not in _CONTEXT_ONLY]
    raised = [r for r in worth if r.weight > 0]
    lowered = [r for r in worth if r.weight < 0]
    chosen = {Level.HIGH: raised, Level.MEDIUM: worth, Level.LOW: lowered or raised}[level]
    return tuple(sorted(chosen, key=lambda r: (-abs(r.weight), r.rule))[:_MOST_REASONS])
