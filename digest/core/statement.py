"""Statements with evidence, gathered into the analysis of a change."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from digest.core.enums import Language
from digest.core.facts import Evidence
from digest.document import Spans, plain


class Aspect(StrEnum):
    """What a statement is about, in sections that hold several kinds."""

    NONE = ""
    ARCHITECTURE = "architecture"
    PERFORMANCE = "performance"
    SECURITY = "security"
    COMPATIBILITY = "compatibility"


class ChangeType(StrEnum):
    """The type of a change; a change may have several."""

    FEATURE = "feature"
    FIX = "fix"
    PERFORMANCE = "performance"
    REFACTOR = "refactor"
    ARCHITECTURE = "architecture"
    REMOVAL = "removal"
    DEPRECATION = "deprecation"
    BREAKING = "breaking"
    SECURITY = "security"
    DEPENDENCY = "dependency"
    CONFIGURATION = "configuration"
    DOCUMENTATION = "documentation"
    TESTS = "tests"
    CI = "ci"
    BUILD = "build"
    REVERT = "revert"
    OTHER = "other"


class Origin(StrEnum):
    """Who made an analysis."""

    FACTS = "facts"
    MODEL = "model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Words that the change supports. ``evidence`` is never empty."""

    spans: Spans
    evidence: tuple[Evidence, ...]
    aspect: Aspect = Aspect.NONE

    @property
    def text(self) -> str:
        """The words alone."""
        return plain(self.spans)


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The analysis of a change in one language. A section without statements is empty.

    ``rejected`` is the share of statements, in [0, 1], that were dropped because the change does
    not support them; ``partial`` says what was left out, or is empty.
    """

    language: Language
    source: Origin = Origin.FACTS
    change_types: tuple[ChangeType, ...] = ()
    summary: tuple[Statement, ...] = ()
    impact: tuple[Statement, ...] = ()
    insights: tuple[Statement, ...] = ()
    risks: tuple[Statement, ...] = ()
    suggestions: tuple[Statement, ...] = ()
    rejected: float = 0.0
    partial: str = ""
