"""A model's reply on a change, read against it. Imports ``judge``, ``moving`` and ``analysis``.

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
from digest.evidence.fault import Failed, Fault
from digest.evidence.ground import Ground
from digest.evidence.judge import judge
from digest.evidence.moving import moved
from digest.grade import Grade, Level, Thresholds
from digest.language import Language
from digest.material import Material
from digest.prompting.fit import Note
from digest.prompting.omission import Omission, said
from digest.prompting.schemas import ABOUT
from digest.statement import Analysis, Aspect, ChangeType, Origin, Statement

SECTIONS = ("summary", "impact", "insights", "risks", "suggestions")

_TOLD = 6
"""So many faults are told to a model that is asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A sentence that was not kept, and why. ``section`` is the one that it was meant for."""

    section: str
    text: str
    failed: Failed


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


def complaint(dropped: Sequence[Dropped]) -> str:
    """What to mend in a reply of which nothing could be kept."""
    if not dropped:
        return "it holds no statement"
    faults = "; ".join(f"{d.text[:80]!r} ({d.failed})" for d in dropped[:_TOLD])
    return (
        "no statement in it is borne out by the commit. Use only names, numbers and values that "
        f"stand there, letter for letter, and ids that exist: {faults}"
    )


class Sieve:
    """Keeps the sentences that a change bears out, and counts the others."""

    def __init__(self, material: Material, language: Language) -> None:
        self._ground = Ground(material.change, material.facts)
        self._language = language
        self._kept = 0
        self._seen: set[str] = set()
        self.dropped: list[Dropped] = []

    @property
    def share(self) -> float:
        """The share of sentences that were dropped for what they say, in [0, 1]."""
        all_ = self._kept + len(self.dropped)
        return round(len(self.dropped) / all_, 4) if all_ else 0.0

    def section(self, name: str, value: object) -> list[Statement]:
        """The statements of a section that are kept, in their order."""
        entries = value if isinstance(value, list) else []
        found = (self.one(name, entry) for entry in entries)
        return [statement for statement in found if statement is not None]

    def one(self, section: str, entry: object) -> Statement | None:
        """The statement of an entry ``{"text", "cites", "aspect"}``, if it is kept."""
        table: Mapping[str, Any] = entry if isinstance(entry, Mapping) else {}
        text = table.get("text")
        text = text.strip() if isinstance(text, str) else ""
        if not text or text in self._seen:
            return None
        self._seen.add(text)
        aspect = _aspect(table.get("aspect")) if section == "insights" else Aspect.NONE
        verdict = judge(text, strings(table.get("cites")), self._ground, self._language, aspect)
        if isinstance(verdict, Failed):
            self.dropped.append(Dropped(section=section, text=text, failed=verdict))
            return None
        self._kept += 1
        return verdict


def strings(value: object) -> list[str]:
    """The texts of a list, or of a text that lists them."""
    if isinstance(value, str):
        return [part for part in value.replace(",", " ").split() if part]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _aspect(value: object) -> Aspect:
    return next((aspect for aspect in Aspect if aspect == value), Aspect.NONE)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """The kept notes on one part of a change; ``share`` is that of the dropped ones, in [0, 1]."""

    notes: tuple[Note, ...]
    share: float
    dropped: tuple[Dropped, ...] = ()


def notes_reader(material: Material, language: Language) -> Callable[[object], Notes]:
    """What reads the reply on a part, for ``ModelRequest.read``; it raises ``ValueError``."""

    def read(value: object) -> Notes:
        notes = read_notes(value, material, language)
        if notes.dropped and not notes.notes:
            raise ValueError(complaint(notes.dropped))
        return notes

    return read


def read_notes(value: object, material: Material, language: Language) -> Notes:
    """Read a reply of the shape ``schemas.NOTES``, whatever it holds."""
    reply: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    entries = reply.get("notes")
    sieve = Sieve(material, language)
    kept = []
    for entry in entries if isinstance(entries, list) else []:
        if sieve.one("notes", entry) is not None:
            about = entry.get("about")
            kept.append(
                Note(
                    about=about if about in ABOUT else ABOUT[0],
                    text=entry["text"].strip(),
                    cites=tuple(strings(entry.get("cites"))),
                )
            )
    return Notes(notes=tuple(kept), share=sieve.share, dropped=tuple(sieve.dropped))


def lines_reader(
    materials: Sequence[Material], language: Language, *, thresholds: Thresholds | None = None
) -> Callable[[object], dict[str, Judged]]:
    """What reads the reply on several changes, for ``ModelRequest.read``; by full commit name.

    ``materials`` stand in the order of the prompt's ``shas``. A change that the reply says nothing
    kept of is told from its facts. Raises ``ValueError`` where that is so for all of them.
    """

    def read(value: object) -> dict[str, Judged]:
        found = read_lines(value, materials, language, thresholds=thresholds)
        if all(one.analysis.source is not Origin.MODEL for one in found.values()):
            raise ValueError(complaint([d for one in found.values() for d in one.dropped]))
        return found

    return read


def read_lines(
    value: object,
    materials: Sequence[Material],
    language: Language,
    *,
    thresholds: Thresholds | None = None,
) -> dict[str, Judged]:
    """Read a reply of the shape ``schemas.LINES``, whatever it holds, by full commit name."""
    reply: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    entries = reply.get("changes")
    said_of: dict[str, Mapping[str, Any]] = {}
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, Mapping):
            said_of.setdefault(str(entry.get("id")).strip().upper(), entry)
    found = {}
    for at, material in enumerate(materials, 1):
        entry = said_of.get(f"C{at}", {})
        cites = [_own(one, at) for one in strings(entry.get("cites"))]
        importance = entry.get("importance")
        if isinstance(importance, Mapping):
            own = [_own(one, at) for one in strings(importance.get("cites"))]
            importance = {**importance, "cites": own}
        line = {"summary": [{"text": entry.get("text"), "cites": cites}], "importance": importance}
        found[material.sha] = judge_reply(line, material, language, thresholds=thresholds)
    return found


def _own(reference: str, at: int) -> str:
    """``C2.F1.H1`` as ``F1.H1`` where the second change is meant."""
    return reference.strip().upper().removeprefix(f"C{at}.")


def faults(dropped: Sequence[Dropped]) -> dict[Fault, int]:
    """How often each fault occurred, for logs and metrics."""
    found: dict[Fault, int] = {}
    for one in dropped:
        found[one.failed.fault] = found.get(one.failed.fault, 0) + 1
    return found
