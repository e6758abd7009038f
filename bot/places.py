"""Which places were read under which name, so that no two repositories share one in the archive.

A folder without a remote is named after itself; a second such folder of the same name gets a few
digits of its path behind it. The place used last is what a question without a repository means.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

from bot.files import write_whole
from digest.graded import Repository

_FILE = "places.json"


class Places:
    """The register, one small file in the data folder, rewritten whole."""

    def __init__(self, data: Path) -> None:
        self._file = data / _FILE
        self._noted: dict[str, Repository] = {}

    def last(self) -> str | None:
        """The place that was used last."""
        return next(iter(self.all()), None)

    def all(self) -> tuple[str, ...]:
        """Every place, the one used last first."""
        entries = self._read()
        return tuple(sorted(entries, key=lambda place: -int(entries[place]["used"])))

    def place_of(self, name: str) -> str | None:
        """The place of a repository by its name, whatever the case."""
        wanted = name.casefold()
        entries = self._read()
        return next((p for p, e in entries.items() if str(e["name"]).casefold() == wanted), None)

    def name_of(self, place: str) -> str | None:
        """The name that a place was last read under."""
        entry = self._read().get(place)
        return str(entry["name"]) if entry else None

    def enter(self, place: str, repository: Repository) -> Repository:
        """Note a use; the repository under the name that is its own in the archive."""
        entries = self._read()
        name = repository.name
        taken = any(e["name"] == name for p, e in entries.items() if p != place and not e["web"])
        if taken and not repository.web:
            name = f"{name}-{hashlib.sha256(place.encode()).hexdigest()[:6]}"
        used = 1 + max((int(e["used"]) for e in entries.values()), default=0)
        entries[place] = {"name": name, "web": repository.web, "used": used}
        write_whole(self._file, json.dumps(entries, ensure_ascii=False, indent=1) + "\n")
        return replace(repository, name=name)

    def note(self, place: str, repository: Repository) -> None:
        """Enter it, once: a process that answers about hundreds does not write at each question."""
        if self._noted.get(place) != repository:
            self.enter(place, repository)
            self._noted[place] = repository

    def _read(self) -> dict[str, dict[str, str | int]]:
        try:
            found = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}  # a convenience, not a record: it is made anew
        return found if isinstance(found, dict) else {}
