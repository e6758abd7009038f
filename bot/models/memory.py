"""What a server was found to understand, kept from one run to the next."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from bot.models.ladder import Dialect, Rung
from handlers.ports import Clock

FILE = "model-dialects.json"

# A server that learnt something is asked again after this long.
_KEPT = timedelta(days=30)


class DialectMemory(Protocol):
    """Which dialect a model on a server takes."""

    def recall(self, server: str, model: str) -> Dialect | None:
        """What was found; ``None`` where nothing was, or long ago."""

    def keep(self, server: str, model: str, dialect: Dialect) -> None:
        """Remember it."""


class Forgetful:
    """Remembers nothing: every run finds out anew."""

    def recall(self, server: str, model: str) -> Dialect | None:  # noqa: ARG002 - the port's names
        """Nothing."""
        return None

    def keep(self, server: str, model: str, dialect: Dialect) -> None:
        """Forget it."""


class Anew:
    """Lets everything be found out anew, and keeps it where it is to be kept."""

    def __init__(self, memory: DialectMemory) -> None:
        self._memory = memory

    def recall(self, server: str, model: str) -> Dialect | None:  # noqa: ARG002 - the port's names
        """Nothing."""
        return None

    def keep(self, server: str, model: str, dialect: Dialect) -> None:
        """Remember it."""
        self._memory.keep(server, model, dialect)


class DialectFile:
    """Implements ``DialectMemory`` in a file of the data folder.

    A file that is damaged or cannot be written costs a few refused requests, which are free, so
    neither is an error.
    """

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._file = folder / FILE
        self._clock = clock

    def recall(self, server: str, model: str) -> Dialect | None:
        """What was found in the last 30 days."""
        found: Any = self._read().get(_key(server, model))
        try:
            kept = datetime.fromisoformat(found["at"])
            if self._clock.now() - kept > _KEPT:
                return None
            fields = dict(found["dialect"])
            return Dialect(**{**fields, "rung": Rung(fields["rung"])})
        except (KeyError, TypeError, ValueError):
            return None

    def keep(self, server: str, model: str, dialect: Dialect) -> None:
        """Write it beside what is known of others; the file is whole at every moment."""
        entry = {"at": self._clock.now().isoformat(), "dialect": asdict(dialect)}
        text = json.dumps({**self._read(), _key(server, model): entry}, indent=1, sort_keys=True)
        scratch = self._file.with_suffix(f".{os.getpid()}.tmp")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            scratch.write_text(text, encoding="utf-8")
            scratch.replace(self._file)
        except OSError:
            with suppress(OSError):
                scratch.unlink()

    def _read(self) -> Mapping[str, Any]:
        try:
            data = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return data if isinstance(data, dict) else {}


def _key(server: str, model: str) -> str:
    return f"{server} {model}"
