"""Notes on one part of a change that is longer than a question, read against the change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from digest.evidence.sieve import Dropped, Sieve, complaint, strings
from digest.language import Language
from digest.material import Material
from digest.prompting.fit import Note
from digest.prompting.schemas import ABOUT


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
