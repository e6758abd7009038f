"""What a repository's code uses of other packages, read at its tip, file by file."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from bot.git.open_source import open_source
from digest.core.profile import ProfileEntry
from digest.errors import UserError

if TYPE_CHECKING:
    from bot.workspace.workspace import Workspace


_CODE = frozenset({".py", ".pyi", ".rs", ".go", ".js", ".mjs", ".ts", ".tsx", ".java", ".tf"})
_SETTINGS = frozenset({".sh", ".bash", ".yaml", ".yml", ".toml", ".cfg", ".ini", ".env"})
_NAMED = ("Dockerfile", "Containerfile", "Makefile", "Procfile")
_MOST_FILES = 5_000
_AT_ONCE = 200


def places_of(app: Workspace, names: Collection[str] | None = None) -> dict[str, str]:
    """The places of the configured repositories, all or those named."""
    configured = app.config.repositories if app.config else ()
    return {one.name: one.place for one in configured if names is None or one.name in names}


class Usages:
    """Reads usages for profiles. Implements ``handlers.ports.chat_port.Usage``.

    For people in chats only configured names are read: otherwise they could make this machine fetch
    whatever they name. ``anywhere`` is for the terminal.
    """

    def __init__(self, data: Path, known: dict[str, str], *, anywhere: bool = False) -> None:
        """``known`` are the places of configured repositories, by name."""
        self._data = data
        self._known = known
        self._anywhere = anywhere

    async def __call__(self, place: str, packages: frozenset[str]) -> frozenset[ProfileEntry]:
        """What the code at a place uses of packages.

        Raises ``UserError`` for a place that is not configured, and what opening it raises.
        """
        if place not in self._known and not self._anywhere:
            names = ", ".join(sorted(self._known)) or "none"
            raise UserError(f"{place} is not configured; configured repositories: {names}")
        _, source = await open_source(self._known.get(place, place), self._data)
        await source.sync()
        files = await source.files(await source.tip(None))
        chosen = [blob for path, blob in files.items() if _is_code(path)][:_MOST_FILES]
        found: set[ProfileEntry] = set()
        for some in _groups(chosen):
            texts = await source.texts(some)
            found |= await asyncio.to_thread(_used, texts.values(), packages)
        return frozenset(found)


def _groups(blobs: list[str]) -> Iterable[list[str]]:
    return (blobs[start : start + _AT_ONCE] for start in range(0, len(blobs), _AT_ONCE))


def _is_code(path: str) -> bool:
    name = PurePosixPath(path).name
    return PurePosixPath(path).suffix.lower() in _CODE | _SETTINGS or name.startswith(_NAMED)


def _used(texts: Collection[str], packages: frozenset[str]) -> set[ProfileEntry]:
    from digest.impact.impact_rules import used

    return {entry for text in texts for entry in used(text, packages)}
