"""Sentence by sentence: which of a reply a change bears out, and why the others are dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from digest.evidence.fault import Failed, Fault
from digest.evidence.ground import Ground
from digest.evidence.judge import judge
from digest.language import Language
from digest.material import Material
from digest.statement import Aspect, Statement

_TOLD = 6
"""So many faults are told to a model that is asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A sentence that was not kept, and why. ``section`` is the one that it was meant for."""

    section: str
    text: str
    failed: Failed


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


def complaint(dropped: Sequence[Dropped]) -> str:
    """What to mend in a reply of which nothing could be kept."""
    if not dropped:
        return "it holds no statement"
    faults = "; ".join(f"{d.text[:80]!r} ({d.failed})" for d in dropped[:_TOLD])
    return (
        "no statement in it is borne out by the commit. Use only names, numbers and values that "
        f"stand there, letter for letter, and ids that exist: {faults}"
    )


def faults(dropped: Sequence[Dropped]) -> dict[Fault, int]:
    """How often each fault occurred, for logs and metrics."""
    found: dict[Fault, int] = {}
    for one in dropped:
        found[one.failed.fault] = found.get(one.failed.fault, 0) + 1
    return found


def strings(value: object) -> list[str]:
    """The texts of a list, or of a text that lists them."""
    if isinstance(value, str):
        return [part for part in value.replace(",", " ").split() if part]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _aspect(value: object) -> Aspect:
    return next((aspect for aspect in Aspect if aspect == value), Aspect.NONE)
