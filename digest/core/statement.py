"""Statements with evidence, gathered into the analysis of a change, and their stored form.

Unlike the JSON that the program prints (:mod:`digest.report.report_json`), the stored one keeps the
roles of words, so that a stored analysis looks the same as a new one.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from digest.core.change import Side
from digest.core.enums import Language
from digest.core.facts import Evidence
from digest.document import Code, Emphasis, Link, Span, Spans, Strong, Text, plain
from digest.frozen import frozen


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


@frozen
class Statement:
    """Words that the change supports. ``evidence`` is never empty."""

    spans: Spans
    evidence: tuple[Evidence, ...]
    aspect: Aspect = Aspect.NONE

    @property
    def text(self) -> str:
        """The words alone."""
        return plain(self.spans)


@frozen
class Analysis:
    """The analysis of a change in one language. A section without statements is empty."""

    language: Language
    source: Origin = Origin.FACTS
    change_types: tuple[ChangeType, ...] = ()
    summary: tuple[Statement, ...] = ()
    impact: tuple[Statement, ...] = ()
    insights: tuple[Statement, ...] = ()
    risks: tuple[Statement, ...] = ()
    suggestions: tuple[Statement, ...] = ()
    rejected: float = 0.0  # share of statements, in [0, 1], that the change did not support
    partial: str = ""  # what was left out, or empty


_MARKS: dict[type[Span], str] = {Text: "t", Strong: "s", Emphasis: "e", Code: "c", Link: "l"}
_STATEMENT_FORM_KINDS = {mark: kind for kind, mark in _MARKS.items()}
_SECTIONS = ("summary", "impact", "insights", "risks", "suggestions")


def analysis_to_json(analysis: Analysis) -> dict[str, Any]:
    """The analysis as a value of dicts, lists, texts and numbers."""
    return {
        "language": analysis.language.value,
        "source": analysis.source.value,
        "types": [kind.value for kind in analysis.change_types],
        **{
            name: [statement_to_json(statement) for statement in getattr(analysis, name)]
            for name in _SECTIONS
        },
        "rejected": analysis.rejected,
        "partial": analysis.partial,
    }


def analysis_from_json(value: dict[str, Any]) -> Analysis:
    """The analysis that :func:`analysis_to_json` was given."""
    sections = {
        name: tuple(statement_from_json(statement) for statement in value[name])
        for name in _SECTIONS
    }
    return Analysis(
        language=Language(value["language"]),
        source=Origin(value["source"]),
        change_types=tuple(ChangeType(kind) for kind in value["types"]),
        **sections,
        rejected=value["rejected"],
        partial=value["partial"],
    )


def statement_to_json(statement: Statement) -> list[Any]:
    """A statement as its spans, its evidence and its aspect."""
    return [
        spans_to_json(statement.spans),
        [[place.path, place.line, place.side.value] for place in statement.evidence],
        statement.aspect.value,
    ]


def statement_from_json(value: list[Any]) -> Statement:
    """The statement that :func:`statement_to_json` was given."""
    spans, evidence, aspect = value
    return Statement(
        spans=spans_from_json(spans),
        evidence=tuple(Evidence(path=p, line=n, side=Side(side)) for p, n, side in evidence),
        aspect=Aspect(aspect),
    )


def spans_to_json(spans: Spans) -> list[list[str]]:
    """Each span as its mark and its texts."""
    return [
        [_MARKS[type(span)], span.text, *([span.url] if isinstance(span, Link) else [])]
        for span in spans
    ]


def spans_from_json(value: list[list[str]]) -> Spans:
    """The spans that :func:`spans_to_json` was given."""
    return tuple(_STATEMENT_FORM_KINDS[mark](*texts) for mark, *texts in value)
