"""What somebody wants: a closed set of intents, and how each is written down.

Imports ``grade``, ``language``, ``period``, ``reference`` and ``window``.
"""

from __future__ import annotations

from dataclasses import dataclass

from digest.grade import Level
from digest.period import written
from digest.reference import Reference
from digest.window import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Explain:
    """One change, told in full."""

    reference: Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What changed in a topic within a window.

    ``topic`` is the asker's own words, or empty for every topic; ``author`` a part of a name;
    ``path`` the begin of a path; ``level`` the least level. Empty ones do not narrow.
    """

    window: Window
    topic: str = ""
    author: str = ""
    path: str = ""
    level: Level | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Changes whose text holds every term; ``window`` is ``None`` for all that is archived."""

    terms: tuple[str, ...]
    window: Window | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestOf:
    """The digest of a window."""

    window: Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """What can be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Nothing that is understood; ``near`` are questions that would be, the nearest first."""

    near: tuple[str, ...] = ()


Intent = Explain | Changed | Search | DigestOf | Help | Unknown


def format_intent(intent: Intent) -> str:
    """An English question that is read back as the same intent; empty for ``Unknown``."""
    match intent:
        case Explain(reference=reference):
            return f"explain {reference}"
        case Search(terms=terms, window=window):
            quoted = " ".join(f'"{t}"' for t in terms)
            return f"search {quoted} {written(window) if window else ''}".rstrip()
        case DigestOf(window=window):
            return f"digest {written(window)}"
        case Changed():
            return _format_changed(intent)
        case Help():
            return "help"
        case Unknown():
            return ""


def _format_changed(intent: Changed) -> str:
    parts = ["changed"]
    if intent.topic:
        parts.append(intent.topic)
    if intent.path:
        parts.append(f'path "{intent.path}"')
    if intent.author:
        parts.append(f'by "{intent.author}"')
    if intent.level:
        parts.append(f"level {intent.level}")
    return " ".join([*parts, written(intent.window)])
