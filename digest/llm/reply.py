"""Reads a model's replies on changes, also while they arrive, and checks every sentence.

A section without any kept sentence is filled from the facts. If nothing at all is left, the reader
raises ``ValueError`` with words that tell the model what to correct, so that it may be asked once
more. There are readers for one change, for notes on a part of a change that is longer than a
prompt, and for a line on each of several changes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from digest.analysis.analyse import analyse
from digest.analysis.change_types import MOST
from digest.analysis.context import BOUNDS
from digest.core.change import Change, printable
from digest.core.enums import Language
from digest.core.grade import Grade, Level, Thresholds
from digest.core.statement import Analysis, Aspect, ChangeType, Origin, Statement
from digest.frozen import frozen
from digest.grading.importance import LevelOverride, laid_over
from digest.llm.model_input import Material, find_target
from digest.llm.packing import Note
from digest.llm.prompt import ABOUT, RULES
from digest.llm.prompt_text import Omission, omissions_in_words
from digest.llm.statement_check import Dropped, StatementFilter, complaint, strings


class PartialReply:
    """Reads ``{"section": [{...}, {...}], ...}`` piece by piece, whatever text is around it."""

    def __init__(self) -> None:
        self._text = ""
        self._at = 0
        self._open: list[str] = []
        self._section = ""
        self._string: int | None = None
        self._escaped = False
        self._entry = 0

    def feed(self, piece: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The entries that the piece completes, each with its section."""
        self._text += piece
        while self._at < len(self._text):
            at = self._at
            self._at += 1
            yield from self._step(at, self._text[at])

    def _step(self, at: int, char: str) -> Iterator[tuple[str, dict[str, Any]]]:
        if self._string is not None:
            self._inside(at, char)
        elif char == '"' and self._open:
            self._string = at
        elif char in "{[" and (self._open or char == "{"):
            if char == "{" and len(self._open) == 2:
                self._entry = at
            self._open.append(char)
        elif char in "}]" and self._open:
            self._open.pop()
            if char == "}" and self._open == ["{", "["]:
                yield from self._whole(self._text[self._entry : at + 1])

    def _inside(self, at: int, char: str) -> None:
        """One more character of a string; a string right below the root may name a section."""
        assert self._string is not None
        escaped, self._escaped = self._escaped, char == "\\" and not self._escaped
        if char == '"' and not escaped:
            if self._open == ["{"]:
                self._section = self._text[self._string + 1 : at]
            self._string = None

    def _whole(self, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
        try:
            entry = json.loads(text)
        except (ValueError, RecursionError):
            return
        if isinstance(entry, dict):
            yield self._section, entry


_STEPS = {"raise": -1, "lower": 1}


def move_grade(
    grade: Grade, proposal: object, change: Change, thresholds: Thresholds | None = None
) -> Grade:
    """The grade after a model's proposal; the same grade if the proposal is not valid.

    A proposal is ``{"move": "raise" or "lower", "rule": one of RULES, "cites": ids}`` with at least
    one hunk or file among the ids. The new score is the nearest one of the new level.
    """
    read = _read(proposal, change)
    levels = list(Level)
    if read is None or not 0 <= (at := grade.level.rank + read[0]) < len(levels):
        return grade
    move = LevelOverride(rule=read[1], of=grade.level, to=levels[at], subject=read[2])
    return laid_over(grade, move, thresholds)


def _read(proposal: object, change: Change) -> tuple[int, str, str] | None:
    """The step, the rule and the first cited path; ``None`` if anything is invalid."""
    table: Mapping[str, Any] = proposal if isinstance(proposal, Mapping) else {}
    rule, cites = table.get("rule"), table.get("cites")
    step = _STEPS.get(str(table.get("move")))
    if step is None or rule not in RULES or not isinstance(cites, list):
        return None
    targets = [find_target(cite, change) if isinstance(cite, str) else None for cite in cites]
    files = [target.file for target in targets if target is not None and target.file]
    if None in targets or not files:
        return None
    return step, str(rule).replace("-", "_"), printable(files[0].path)


SECTIONS = ("summary", "impact", "insights", "risks", "suggestions")


@frozen
class CheckedReply:
    """The kept part of a reply: the analysis, the grade with the model's move, what was dropped."""

    analysis: Analysis
    grade: Grade
    dropped: tuple[Dropped, ...] = ()


def reader(
    material: Material,
    language: Language,
    *,
    omitted: Sequence[Omission] = (),
    thresholds: Thresholds | None = None,
) -> Callable[[object], CheckedReply]:
    """The reader of the reply on a change, for ``ModelRequest.read``; it raises ``ValueError``."""

    def read(value: object) -> CheckedReply:
        judged = judge_reply(value, material, language, omitted=omitted, thresholds=thresholds)
        if judged.analysis.source is not Origin.MODEL:
            raise ValueError(complaint(judged.dropped))
        return judged

    return read


def judge_reply(
    value: object,
    material: Material,
    language: Language,
    *,
    omitted: Sequence[Omission] = (),
    thresholds: Thresholds | None = None,
) -> CheckedReply:
    """Read a reply of the shape ``ANALYSIS``, whatever it contains.

    The limits of the level after the model's move apply. ``omitted`` is what the prompt did not
    show.
    """
    reply: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    graded = material.graded
    grade = move_grade(graded.grade, reply.get("importance"), material.change, thresholds)
    sieve = StatementFilter(material, language)
    sections = {section: sieve.section(section, reply.get(section)) for section in SECTIONS}
    analysis = _join(sections, analyse(replace(graded, grade=grade), language), grade.level)
    types = _types(reply.get("change_types"), analysis)
    analysis = replace(
        analysis,
        change_types=types,
        rejected=sieve.share,
        partial=_sentences((analysis.partial, omissions_in_words(omitted, language)), language),
    )
    return CheckedReply(analysis=analysis, grade=grade, dropped=tuple(sieve.dropped))


def _join(sections: Mapping[str, list[Statement]], facts: Analysis, level: Level) -> Analysis:
    """The kept statements within the limits of a level; empty sections come from the facts."""
    bounds = BOUNDS[level]
    cut = {name: tuple(sections[name][: getattr(bounds, name)]) for name in SECTIONS}
    return replace(
        facts,
        source=Origin.MODEL if any(cut.values()) else Origin.FACTS,
        summary=cut["summary"] or facts.summary,
        impact=cut["impact"] or facts.impact,
        insights=cut["insights"] or facts.insights,
        risks=cut["risks"] or facts.risks,
        suggestions=cut["suggestions"] or facts.suggestions,
    )


# Types that the diff or the message must show.
_SHOWN = {ChangeType.REVERT, ChangeType.DEPENDENCY, ChangeType.DEPRECATION}

_BORNE = {
    ChangeType.SECURITY: Aspect.SECURITY,
    ChangeType.BREAKING: Aspect.COMPATIBILITY,
    ChangeType.PERFORMANCE: Aspect.PERFORMANCE,
    ChangeType.ARCHITECTURE: Aspect.ARCHITECTURE,
}


def _types(value: object, analysis: Analysis) -> tuple[ChangeType, ...]:
    """The model's types, as far as facts or kept statements support them; else those of facts."""
    if analysis.source is not Origin.MODEL:
        return analysis.change_types
    facts = analysis.change_types
    aspects = {statement.aspect for statement in analysis.insights}
    named = [ChangeType(name) for name in strings(value) if name in set(ChangeType)]
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


@frozen
class PartNotes:
    """The kept notes on one part of a change; ``share`` is that of the dropped ones, in [0, 1]."""

    notes: tuple[Note, ...]
    share: float
    dropped: tuple[Dropped, ...] = ()


def notes_reader(material: Material, language: Language) -> Callable[[object], PartNotes]:
    """The reader of the reply on a part, for ``ModelRequest.read``; it raises ``ValueError``."""

    def read(value: object) -> PartNotes:
        notes = read_notes(value, material, language)
        if notes.dropped and not notes.notes:
            raise ValueError(complaint(notes.dropped))
        return notes

    return read


def read_notes(value: object, material: Material, language: Language) -> PartNotes:
    """Read a reply of the shape ``NOTES``, whatever it contains."""
    reply: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    entries = reply.get("notes")
    sieve = StatementFilter(material, language)
    notes = []
    for entry in entries if isinstance(entries, list) else []:
        if sieve.one("notes", entry) is not None:
            about = entry.get("about")
            notes.append(
                Note(
                    about=about if about in ABOUT else ABOUT[0],
                    text=entry["text"].strip(),
                    cites=tuple(strings(entry.get("cites"))),
                )
            )
    return PartNotes(notes=tuple(notes), share=sieve.share, dropped=tuple(sieve.dropped))


def lines_reader(
    materials: Sequence[Material], language: Language, *, thresholds: Thresholds | None = None
) -> Callable[[object], dict[str, CheckedReply]]:
    """The reader of the reply on several changes, for ``ModelRequest.read``; by full commit name.

    ``materials`` are in the order of the prompt's ``shas``. A change without any kept sentence is
    described by its facts. Raises ``ValueError`` if that is so for all of them.
    """

    def read(value: object) -> dict[str, CheckedReply]:
        replies = read_lines(value, materials, language, thresholds=thresholds)
        if all(reply.analysis.source is not Origin.MODEL for reply in replies.values()):
            raise ValueError(complaint([d for reply in replies.values() for d in reply.dropped]))
        return replies

    return read


def read_lines(
    value: object,
    materials: Sequence[Material],
    language: Language,
    *,
    thresholds: Thresholds | None = None,
) -> dict[str, CheckedReply]:
    """Read a reply of the shape ``LINES``, whatever it contains, by full commit name."""
    reply: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    entries = reply.get("changes")
    said_of: dict[str, Mapping[str, Any]] = {}
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, Mapping):
            said_of.setdefault(str(entry.get("id")).strip().upper(), entry)
    replies = {}
    for at, material in enumerate(materials, 1):
        entry = said_of.get(f"C{at}", {})
        cites = [_own(cite, at) for cite in strings(entry.get("cites"))]
        importance = entry.get("importance")
        if isinstance(importance, Mapping):
            own = [_own(cite, at) for cite in strings(importance.get("cites"))]
            importance = {**importance, "cites": own}
        line = {"summary": [{"text": entry.get("text"), "cites": cites}], "importance": importance}
        replies[material.sha] = judge_reply(line, material, language, thresholds=thresholds)
    return replies


def _own(reference: str, at: int) -> str:
    """``C2.F1.H1`` as ``F1.H1`` if the second change is meant."""
    return reference.strip().upper().removeprefix(f"C{at}.")
