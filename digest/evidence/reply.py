"""A model's reply on a change, read against it. Imports ``sieve``, ``moving`` and ``analysis``.

What the reply says is taken sentence by sentence; a section of which nothing is left is told from
the facts. Where nothing at all is left, the reader raises ``ValueError`` with words that tell the
model what to mend, so that it may be asked once more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from digest.analysis import analyse
from digest.analysis.bounds import BOUNDS
from digest.analysis.types import MOST
from digest.evidence.moving import moved
from digest.evidence.sieve import Dropped, Sieve, complaint, strings
from digest.grade import Grade, Level, Thresholds
from digest.language import Language
from digest.material import Material
from digest.prompting.omission import Omission, said
from digest.statement import Analysis, Aspect, ChangeType, Origin, Statement

SECTIONS = ("summary", "impact", "insights", "risks", "suggestions")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What is left of a reply: the analysis, the grade after the model's say, what was dropped."""

    analysis: Analysis
    grade: Grade
    dropped: tuple[Dropped, ...] = ()


def parse_reply(
    value: object, material: Material, language: Language, depth: Level | None = None
) -> Analysis:
    """The analysis that a reply amounts to; see :func:`judge_reply`."""
    return judge_reply(value, material, language, depth).analysis


def reader(
    material: Material,
    language: Language,
    depth: Level | None = None,
    *,
    omitted: Sequence[Omission] = (),
    thresholds: Thresholds | None = None,
) -> Callable[[object], Judged]:
    """What reads the reply on a change, for ``ModelRequest.read``; it raises ``ValueError``."""

    def read(value: object) -> Judged:
        judged = judge_reply(
            value, material, language, depth, omitted=omitted, thresholds=thresholds
        )
        if judged.analysis.source is not Origin.MODEL:
            raise ValueError(complaint(judged.dropped))
        return judged

    return read


def judge_reply(
    value: object,
    material: Material,
    language: Language,
    depth: Level | None = None,
    *,
    omitted: Sequence[Omission] = (),
    thresholds: Thresholds | None = None,
) -> Judged:
    """Read a reply of the shape ``schemas.ANALYSIS``, whatever it holds.

    ``depth`` is the level whose bounds hold, by default that of the grade after the model's say;
    ``omitted`` is what the prompt did not show.
    """
    reply: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    graded = material.graded
    grade = moved(graded.grade, reply.get("importance"), material.change, thresholds)
    sieve = Sieve(material, language)
    kept = {section: sieve.section(section, reply.get(section)) for section in SECTIONS}
    told = replace(graded, grade=replace(grade, level=depth) if depth else grade)
    analysis = _joined(kept, analyse(told, language), told.grade.level)
    types = _types(reply.get("change_types"), analysis)
    analysis = replace(
        analysis,
        change_types=types,
        rejected=sieve.share,
        partial=_sentences((analysis.partial, said(omitted, language)), language),
    )
    return Judged(analysis=analysis, grade=grade, dropped=tuple(sieve.dropped))


def _joined(kept: Mapping[str, list[Statement]], facts: Analysis, depth: Level) -> Analysis:
    """The kept statements within the bounds of a level, with the facts' sections for empty ones."""
    bounds = BOUNDS[depth]
    cut = {name: tuple(kept[name][: getattr(bounds, name)]) for name in SECTIONS}
    return replace(
        facts,
        source=Origin.MODEL if any(cut.values()) else Origin.FACTS,
        summary=cut["summary"] or facts.summary,
        impact=cut["impact"] or facts.impact,
        insights=cut["insights"] or facts.insights,
        risks=cut["risks"] or facts.risks,
        suggestions=cut["suggestions"] or facts.suggestions,
    )


# What the diff or the message has to show before a change is called so.
_SHOWN = {ChangeType.REVERT, ChangeType.DEPENDENCY, ChangeType.DEPRECATION}
_BORNE = {
    ChangeType.SECURITY: Aspect.SECURITY,
    ChangeType.BREAKING: Aspect.COMPATIBILITY,
    ChangeType.PERFORMANCE: Aspect.PERFORMANCE,
    ChangeType.ARCHITECTURE: Aspect.ARCHITECTURE,
}


def _types(value: object, analysis: Analysis) -> tuple[ChangeType, ...]:
    """The model's types, as far as facts or kept statements bear them out; else those of facts."""
    if analysis.source is not Origin.MODEL:
        return analysis.change_types
    facts = analysis.change_types
    aspects = {statement.aspect for statement in analysis.insights}
    named = [ChangeType(one) for one in strings(value) if one in set(ChangeType)]
    kept = [
        kind
        for kind in dict.fromkeys(named)
        if kind in facts or (kind not in _SHOWN and _BORNE.get(kind, Aspect.NONE) in {*aspects, ""})
    ]
    declared = [k for k in facts if k in {ChangeType.REVERT, ChangeType.BREAKING}]
    return tuple(dict.fromkeys((*declared, *kept)))[:MOST] or facts


def _sentences(parts: Sequence[str], language: Language) -> str:
    gap = "" if language is Language.ZH else " "
    return gap.join(part for part in parts if part)
