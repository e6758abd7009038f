"""Marks that make a change urgent for its readers, and the resulting order of changes."""

from __future__ import annotations

from enum import StrEnum

from digest.answer.release_notes import met
from digest.core.enums import ChangeKind
from digest.core.facts import Action
from digest.core.grade import Graded
from digest.core.statement import Analysis, ChangeType
from digest.topics.terms import kinds_of


class Mark(StrEnum):
    """Why a change should be read first, the most urgent first."""

    BREAKING = "breaking"
    SECURITY = "security"
    DEFAULT = "default"
    DEPRECATION = "deprecation"
    REVERT = "revert"


_OF_KIND = {
    ChangeKind.BREAKING: Mark.BREAKING,
    ChangeKind.SECURITY: Mark.SECURITY,
    ChangeKind.DEPRECATIONS: Mark.DEPRECATION,
    ChangeKind.REVERTS: Mark.REVERT,
}

_OF_TYPE = {
    ChangeType.BREAKING: Mark.BREAKING,
    ChangeType.SECURITY: Mark.SECURITY,
    ChangeType.DEPRECATION: Mark.DEPRECATION,
    ChangeType.REVERT: Mark.REVERT,
}

_ORDER = {mark: place for place, mark in enumerate(Mark)}

# A revert is worth a mark, but it is not in itself more important than another change.
_URGENT = len(Mark) - 1


def marks_of(graded: Graded, analysis: Analysis | None = None) -> tuple[Mark, ...]:
    """The marks of a change, the most urgent first; ``analysis`` may add a model's findings."""
    found = {_OF_KIND[kind] for kind in kinds_of(graded) if kind in _OF_KIND}
    if analysis is not None:
        found |= {_OF_TYPE[kind] for kind in analysis.change_types if kind in _OF_TYPE}
    if any(one.action is Action.CHANGED for one in met((graded,))):
        found.add(Mark.DEFAULT)
    return tuple(mark for mark in Mark if mark in found)


def urgency(marks: tuple[Mark, ...], score: float) -> tuple[int, float]:
    """The sort key within one level: by the most urgent mark, then by score."""
    first = min((_ORDER[mark] for mark in marks), default=_URGENT)
    return min(first, _URGENT), -score
