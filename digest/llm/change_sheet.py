"""Lays out a change for a model: every line marked, ids at the head, within a token limit.

The layout is part of the prompt: :data:`LAYOUT` is increased whenever it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from digest.core.change import printable
from digest.core.facts import Action, Fact, FileFacts
from digest.llm.diff_pieces import DiffPiece, HunkIds
from digest.llm.model_input import Material
from digest.llm.quoting import visible
from digest.llm.truncation import Omission, notes

LAYOUT = 1

Count = Callable[[str], int]

_VALUE = 80
"""Characters of a fact's value that are shown; the hunk has the rest."""

_MESSAGE_SHARE, _FILES_SHARE, _FACTS_SHARE = 0.2, 0.15, 0.15
"""The largest shares of the room for the author's words, the list of files and the facts."""


def head(material: Material, count: Count, room: int, *, name: str = "") -> str:
    """Everything but the diff, in at most about half of ``room`` tokens.

    ``name`` is the id of the change if several are in one prompt.
    """
    level = material.graded.grade.level
    rows = [f"# Commit{f' {name}' if name else ''}, importance {level}"]
    rows += _within(_message(material), count, room * _MESSAGE_SHARE, "more lines of the message")
    rows.append("# Files")
    rows += _within(_files(material), count, room * _FILES_SHARE, "more files")
    facts = list(_facts(material))
    if facts:
        rows.append("# Facts")
        rows += _within(facts, count, room * _FACTS_SHARE, "more facts")
    return "\n".join(rows)


def body(pieces: Iterable[DiffPiece]) -> str:
    """The pieces in the order of the diff: by file, hunk and stretch, whatever their rank."""
    ordered = sorted(pieces, key=lambda piece: piece.rank[2:])
    return "\n".join(["# Diff", *(piece.text for piece in ordered)]) if ordered else ""


def foot(omitted: Sequence[Omission]) -> str:
    """What is left out."""
    rows = [f"~ {visible(note)}" for note in notes(omitted)]
    return "\n".join(["# Not shown", *rows]) if rows else ""


def together(*parts: str) -> str:
    """The non-empty parts, one below the other."""
    return "\n".join(part for part in parts if part)


def _within(rows: Sequence[str], count: Count, room: float, rest: str) -> list[str]:
    """As many rows as fit, at least one, with the number of the others."""
    kept: list[str] = []
    taken = 0.0
    for row in rows:
        taken += count(row) + 1
        if kept and taken > room:
            return [*kept, f"~ and {len(rows) - len(kept)} {rest}"]
        kept.append(row)
    return kept


def _message(material: Material) -> list[str]:
    """The title and the author's paragraphs, each line after a mark."""
    facts = material.facts
    rows = [f"> {_short(facts.subject.title, 400)}"]
    for paragraph in facts.paragraphs:
        rows.append(">")
        rows += [f"> {_short(line, 400)}" for line in paragraph.split("\n")]
    return rows


def _files(material: Material) -> list[str]:
    return [f"# {name} {_file(facts)}" for name, _, facts in material.files()]


def _file(facts: FileFacts) -> str:
    row = (
        f"{printable(facts.path)} | {facts.status} | {facts.area} | +{facts.added} -{facts.deleted}"
    )
    return f"{row} | was {printable(facts.old_path)}" if facts.old_path else row


def _facts(material: Material) -> Iterator[str]:
    places = HunkIds(material.change)
    for fact in dict.fromkeys(material.facts.items):
        yield f"* {fact.kind} {fact.action}: {_fact(fact)} [{places.id_of(fact.evidence)}]"


def _fact(fact: Fact) -> str:
    words = _short(fact.name, _VALUE)
    if fact.detail:
        words += f", {_short(fact.detail, _VALUE)}"
    if fact.action is Action.CHANGED or fact.action is Action.RENAMED:
        if fact.before is not None:
            words += f", from {_short(fact.before, _VALUE)}"
        if fact.after is not None:
            words += f", to {_short(fact.after, _VALUE)}"
        return words
    value = fact.after if fact.action is Action.ADDED else fact.before
    return f"{words}, {_short(value, _VALUE)}" if value and value != fact.name else words


def _short(text: str, limit: int) -> str:
    text = " ".join(visible(text.replace("\t", " ")).split())
    return text if len(text) <= limit else text[:limit] + " [...]"
