"""Packs a change into prompts: whole if it fits, else its most important hunks, or in parts.

Whatever is left out is named: in the prompt for the model, and in ``Prompt.omitted`` for the
reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from digest.core.change import Change
from digest.core.enums import Language
from digest.frozen import frozen
from digest.llm.change_sheet import Count, DiffPiece, body, cut_into_pieces, foot, head, together
from digest.llm.model_input import Material
from digest.llm.prompt import Prompt, PromptKind, kind_of, prompt, room_for_material
from digest.llm.prompt_text import Cause, Omission, merge_omissions

_LONGEST, _SHORTEST = 12_000, 400
"""Characters of a piece: one never takes more than a fair part of a prompt."""

_CHARS = 0.5
"""Characters of a piece per token of room, so that several fit into the smallest context."""

_FOOT = 0.1  # the share of the room that is reserved for naming what is not shown
PARTS = 6  # the most parts that a change is read in; the rest is left out and named
_LEAST = 64  # tokens below which not even a title fits


class NoRoom(ValueError):
    """The budget is too small even for the prompt without the change."""


def prompts_for(
    material: Material, language: Language, count: Count, budget: int, *, parts: int = PARTS
) -> tuple[Prompt, ...]:
    """The prompt for a change, or the prompts for its parts if it does not fit into one.

    Parts are of ``PromptKind.PART`` and at most ``parts``; they carry what none of them shows.
    Raises ``NoRoom``.
    """
    kind = kind_of(material.graded.grade.level)
    kind = PromptKind.MEDIUM if kind is PromptKind.LINES else kind
    room = _room(kind, count, budget)
    whole = cut_into_pieces(material, _longest(room))
    fit = _Fit(head(material, count, room), whole.pieces, count, room)
    if not fit.rest or parts < 2:
        return (_single(kind, material, fit, whole.omitted, language),)
    room = _room(PromptKind.PART, count, budget)
    start = head(material, count, room)
    fits = [_Fit(start, whole.pieces, count, room)]
    while fits[-1].rest and len(fits) < parts:
        fits.append(_Fit(start, fits[-1].rest, count, room))
    omitted = _all_omissions(whole.omitted, fits[-1], material.change)
    return tuple(
        prompt(
            PromptKind.PART,
            language,
            fit.text(omitted),
            omitted=omitted,
            shas=(material.sha,),
            part=str(number),
            parts=str(len(fits)),
        )
        for number, fit in enumerate(fits, 1)
    )


def _single(
    kind: PromptKind, material: Material, fit: _Fit, left: tuple[Omission, ...], language: Language
) -> Prompt:
    """The prompt of a fit; it is made smaller if the sum of the counts was too low."""
    while True:
        omitted = _all_omissions(left, fit, material.change)
        text = fit.text(omitted)
        if not fit.kept or fit.holds(text):
            return prompt(kind, language, text, omitted=omitted, shas=(material.sha,))
        fit.shrink()


def _room(kind: PromptKind, count: Count, budget: int) -> int:
    room = room_for_material(kind, count, budget)
    if room < _LEAST:
        raise NoRoom(f"{budget} tokens leave no room for a change beside the prompt {kind}")
    return room


def _longest(room: int) -> int:
    return int(min(_LONGEST, max(_SHORTEST, room * _CHARS)))


class _Fit:
    """The pieces of a change that fit a room, the most important first; ``rest`` are the others."""

    def __init__(self, start: str, pieces: Sequence[DiffPiece], count: Count, room: int) -> None:
        self._start = start
        self._count = count
        self._room = room
        left = room * (1 - _FOOT) - count(start)
        self.kept: list[DiffPiece] = []
        for piece in pieces:
            left -= count(piece.text) + 1
            if left < 0:
                break
            self.kept.append(piece)
        self.rest = pieces[len(self.kept) :]

    def holds(self, text: str) -> bool:
        """Whether the text fits."""
        return self._count(text) <= self._room

    def shrink(self) -> None:
        """Leave out a tenth of what is kept, and one piece at least."""
        keep = len(self.kept) * 9 // 10
        self.rest = (*self.kept[keep:], *self.rest)
        self.kept = self.kept[:keep]

    def text(self, omitted: tuple[Omission, ...]) -> str:
        """The material, ending with a note on what is not shown."""
        return together(self._start, body(self.kept), foot(omitted))


def _all_omissions(
    omitted: tuple[Omission, ...], fit: _Fit, change: Change
) -> tuple[Omission, ...]:
    return merge_omissions((*omitted, *_omissions(fit.rest, change)))


def _omissions(pieces: Iterable[DiffPiece], change: Change) -> list[Omission]:
    """What is left out for lack of room: stretches of one hunk count as one hunk."""
    hunks: dict[tuple[int, int], int] = {}
    for piece in pieces:
        key = (piece.file, piece.hunk)
        hunks[key] = hunks.get(key, 0) + piece.lines
    if not hunks:
        return []
    paths = tuple(dict.fromkeys(change.files[at].path for at, _ in hunks))
    return [Omission(cause=Cause.SPACE, paths=paths, hunks=len(hunks), lines=sum(hunks.values()))]


@frozen
class Note:
    """One checked statement on a part of a change; ``about`` is one of ``ABOUT``."""

    about: str
    text: str
    cites: tuple[str, ...]


def merge_prompt(
    material: Material,
    notes: Sequence[Note],
    language: Language,
    count: Count,
    budget: int,
    *,
    omitted: tuple[Omission, ...] = (),
) -> Prompt:
    """The prompt that joins as many notes as fit on parts of a change. Raises ``NoRoom``."""
    room = _room(PromptKind.MERGE, count, budget)
    start = head(material, count, room)
    left = room * (1 - _FOOT) - count(start)
    rows = ["# Notes"]
    for note in notes:
        row = f"* {note.about}: {note.text} [{', '.join(note.cites)}]"
        left -= count(row) + 1
        if left < 0:
            break
        rows.append(row)
    text = together(start, "\n".join(rows), foot(omitted))
    return prompt(PromptKind.MERGE, language, text, omitted=omitted, shas=(material.sha,))


LINE_TOKENS = 900  # the most tokens of one change in a prompt for lines
BATCH = 12  # the most changes in one prompt for lines: with more, models begin to mix them up


def lines_prompts(
    materials: Sequence[Material], language: Language, count: Count, budget: int
) -> tuple[Prompt, ...]:
    """Prompts for a line on each change, in their order. Raises ``NoRoom``.

    Every change is shown up to ``LINE_TOKENS`` tokens, so that a large one does not push out small
    ones; ``Prompt.shas`` says which change is ``C1``, ``C2`` and so on.
    """
    room = _room(PromptKind.LINES, count, budget)
    each = min(LINE_TOKENS, room)
    prompts: list[Prompt] = []
    batch: list[tuple[Material, str]] = []
    left = room
    for material in materials:
        text = _line(material, count, each, len(batch) + 1)
        taken = count(text) + 1
        if batch and (taken > left or len(batch) == BATCH):
            prompts.append(_batch(batch, language))
            batch, left = [], room
            text = _line(material, count, each, 1)
        batch.append((material, text))
        left -= taken
    if batch:
        prompts.append(_batch(batch, language))
    return tuple(prompts)


def _line(material: Material, count: Count, room: int, number: int) -> str:
    whole = cut_into_pieces(material, _longest(room))
    fit = _Fit(head(material, count, room, name=f"C{number}"), whole.pieces, count, room)
    return fit.text(_all_omissions(whole.omitted, fit, material.change))


def _batch(batch: Sequence[tuple[Material, str]], language: Language) -> Prompt:
    return prompt(
        PromptKind.LINES,
        language,
        "\n".join(text for _, text in batch),
        shas=tuple(material.sha for material, _ in batch),
        count=str(len(batch)),
    )
