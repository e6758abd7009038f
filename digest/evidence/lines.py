"""A line on each of several changes, read against them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from digest.evidence.reply import Judged, judge_reply
from digest.evidence.sieve import complaint, strings
from digest.grade import Thresholds
from digest.language import Language
from digest.material import Material
from digest.statement import Origin


def lines_reader(
    materials: Sequence[Material], language: Language, *, thresholds: Thresholds | None = None
) -> Callable[[object], dict[str, Judged]]:
    """What reads the reply on several changes, for ``ModelRequest.read``; by full commit name.

    ``materials`` stand in the order of the prompt's ``shas``. A change that the reply says nothing
    kept of is told from its facts. Raises ``ValueError`` where that is so for all of them.
    """

    def read(value: object) -> dict[str, Judged]:
        found = read_lines(value, materials, language, thresholds=thresholds)
        if all(one.analysis.source is not Origin.MODEL for one in found.values()):
            raise ValueError(complaint([d for one in found.values() for d in one.dropped]))
        return found

    return read


def read_lines(
    value: object,
    materials: Sequence[Material],
    language: Language,
    *,
    thresholds: Thresholds | None = None,
) -> dict[str, Judged]:
    """Read a reply of the shape ``schemas.LINES``, whatever it holds, by full commit name."""
    reply: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    entries = reply.get("changes")
    said_of: dict[str, Mapping[str, Any]] = {}
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, Mapping):
            said_of.setdefault(str(entry.get("id")).strip().upper(), entry)
    found = {}
    for at, material in enumerate(materials, 1):
        entry = said_of.get(f"C{at}", {})
        cites = [_own(one, at) for one in strings(entry.get("cites"))]
        importance = entry.get("importance")
        if isinstance(importance, Mapping):
            own = [_own(one, at) for one in strings(importance.get("cites"))]
            importance = {**importance, "cites": own}
        line = {"summary": [{"text": entry.get("text"), "cites": cites}], "importance": importance}
        found[material.sha] = judge_reply(line, material, language, thresholds=thresholds)
    return found


def _own(reference: str, at: int) -> str:
    """``C2.F1.H1`` as ``F1.H1`` where the second change is meant."""
    return reference.strip().upper().removeprefix(f"C{at}.")
