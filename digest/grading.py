"""From changes to graded changes: pure, so that it can run in a thread or another process.

A change whose facts cannot be read is never lost: it is kept with what its message says, and told
apart by the cause.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from digest.change import Change
from digest.facts import extract
from digest.facts.bare import bare
from digest.grade import Thresholds
from digest.graded import Graded
from digest.importance import grade


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
