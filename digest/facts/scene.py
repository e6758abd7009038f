"""What a finder of facts is shown: one file of a change, with its texts where they were wanted."""

from __future__ import annotations

from dataclasses import dataclass

from digest.change import FileChange
from digest.facts.model import Area


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One file. ``old`` and ``new`` are whole contents, or ``None`` where not wanted or absent."""

    file: FileChange
    area: Area
    language: str
    old: str | None = None
    new: str | None = None
