"""The kinds of change that a question can ask for, as index terms.

A kind is kept in the index of topics under a term that no name can make. A change is of a kind
where its analysis says so (see ``analysis.types``); it is *breaking* where its author says so, or
where it removes or renames a flag, environment variable, setting, route or metric of the project.
A label is kept in the same way.

Imports ``analysis``, ``statement``, ``terms`` and values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from digest.analysis import read
from digest.analysis.types import change_types
from digest.facts.model import Action, FactKind
from digest.graded import Graded
from digest.language import Language
from digest.statement import ChangeType
from digest.terms import term


class Kind(StrEnum):
    """A kind of change, the weightiest first."""

    BREAKING = "breaking"
    SECURITY = "security"
    DEPRECATIONS = "deprecations"
    REVERTS = "reverts"
    FEATURE = "feature"
    PERFORMANCE = "performance"
    FIX = "fix"
    DEPENDENCIES = "dependencies"


MARK = ":"
"""Stands in the term of a kind or a label, and in no topic."""

_TYPES = {
    ChangeType.BREAKING: Kind.BREAKING,
    ChangeType.SECURITY: Kind.SECURITY,
    ChangeType.DEPRECATION: Kind.DEPRECATIONS,
    ChangeType.REVERT: Kind.REVERTS,
    ChangeType.FEATURE: Kind.FEATURE,
    ChangeType.PERFORMANCE: Kind.PERFORMANCE,
    ChangeType.FIX: Kind.FIX,
    ChangeType.DEPENDENCY: Kind.DEPENDENCIES,
}
_OUTER = {
    FactKind.FLAG,
    FactKind.ENVIRONMENT,
    FactKind.CONFIG,
    FactKind.ROUTE,
    FactKind.METRIC,
}
_GONE = {Action.REMOVED, Action.RENAMED}


def kind_term(kind: Kind) -> str:
    """The index term of a kind."""
    return f"kind{MARK}{kind}"


def label_term(label: str) -> str:
    """The index term of a label or bracketed tag, compared as topics are; empty without letters."""
    named = term(label)
    return f"label{MARK}{named}" if named else ""


def kinds_of(graded: Graded) -> frozenset[Kind]:
    """The kinds of a change; it may have none."""
    reading = read(graded, Language.EN)
    found = {_TYPES[t] for t in change_types(reading) if t in _TYPES}
    if any(f.kind in _OUTER and f.action in _GONE for f in reading.contracts):
        found.add(Kind.BREAKING)
    return frozenset(found)


def labels_of(graded: Graded) -> Iterator[str]:
    """The labels of a change: its bracketed tags, whole and in their parts, and its type."""
    subject = graded.facts.subject
    for tag in (*subject.tags, subject.type):
        yield from filter(None, (tag, *re.split(r"[/,&|+]+", tag)))
