"""A prompt ready to be sent. Imports ``templates``, ``schemas`` and values.

The system text comes first and is the same, byte for byte, for every prompt of a kind, and its
beginning for all kinds, so that servers can keep it; the change comes last.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from digest.grade import Level
from digest.language import Language
from digest.prompting.fence import fenced
from digest.prompting.omission import Omission
from digest.prompting.schemas import ANALYSIS, DAY, LINES, NOTES, Schema
from digest.prompting.sheet import LAYOUT, Count
from digest.prompting.templates import filled, texts


class Kind(StrEnum):
    """What is asked for."""

    HIGH = "high"  # a full analysis of one change
    MEDIUM = "medium"  # a shorter one
    LINES = "lines"  # a line for each of several low changes
    PART = "part"  # notes on a part of a change that does not fit
    MERGE = "merge"  # a full analysis out of notes on its parts
    DAY = "day"  # the lead and the themes of a stretch of time


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """The files that a kind's system text is made of, in order, and what it answers with.

    The last file with a user text has it. ``output`` is the room for the reply in tokens.
    """

    files: tuple[str, ...]
    schema: Schema
    name: str
    output: int


_PLANS = {
    Kind.HIGH: _Plan(
        files=("system", "importance", "high"), schema=ANALYSIS, name="analysis", output=3000
    ),
    Kind.MEDIUM: _Plan(
        files=("system", "importance", "medium"), schema=ANALYSIS, name="analysis", output=1400
    ),
    Kind.LINES: _Plan(
        files=("system", "importance", "lines"), schema=LINES, name="lines", output=200
    ),
    Kind.PART: _Plan(files=("system", "part"), schema=NOTES, name="notes", output=1600),
    Kind.MERGE: _Plan(
        files=("system", "importance", "high", "merge"),
        schema=ANALYSIS,
        name="analysis",
        output=3000,
    ),
    Kind.DAY: _Plan(files=("system", "day"), schema=DAY, name="day", output=1200),
}

_NAMES = {Language.EN: "English", Language.ZH: "Simplified Chinese (简体中文)"}

_MARGIN = 16
"""Tokens for what counting text by text may miss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What is sent, and what it is about.

    ``version`` changes whenever the same material may be asked about otherwise. ``name`` names the
    schema. ``omitted`` is what of the material is not shown; ``shas`` are the changes that are, in
    the order of their ids. ``output_tokens`` is the room for the reply at first.
    """

    kind: Kind
    language: Language
    version: str
    system: str
    user: str
    schema: Schema
    name: str
    output_tokens: int
    omitted: tuple[Omission, ...] = ()
    shas: tuple[str, ...] = ()


def kind_of(level: Level) -> Kind:
    """How deep a change of a level is looked at."""
    return {Level.HIGH: Kind.HIGH, Level.MEDIUM: Kind.MEDIUM, Level.LOW: Kind.LINES}[level]


@cache
def version_of(kind: Kind) -> str:
    """The versions of everything that a prompt of the kind is made of, such as ``high-1.1.2-1``.

    A result that is kept under it is stale as soon as any of them changes.
    """
    versions = ".".join(str(texts(name).version) for name in _PLANS[kind].files)
    return f"{kind}-{versions}-{LAYOUT}"


@cache
def system_of(kind: Kind) -> str:
    """The system text of a kind."""
    return "".join(texts(name).system for name in _PLANS[kind].files).strip()


def room_for_material(kind: Kind, count: Count, budget: int) -> int:
    """Tokens that are left for the material of a prompt, in ``budget`` for all of it; at least 0.

    The schema counts in, since a server that does not know it is told it in words.
    """
    plan = _PLANS[kind]
    schema = json.dumps(plan.schema, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    frame = fenced("") + "".join(texts(name).user for name in plan.files)
    taken = count(system_of(kind)) + count(schema) + count(frame) + _MARGIN
    return max(0, budget - taken)


def prompt(
    kind: Kind,
    language: Language,
    material: str,
    *,
    omitted: tuple[Omission, ...] = (),
    shas: tuple[str, ...] = (),
    **values: str,
) -> Prompt:
    """The prompt of a kind about a material, which is fenced here.

    ``values`` are the further variables of the kind's text. Raises ``KeyError`` and ``ValueError``
    where they are not exactly those.
    """
    plan = _PLANS[kind]
    user = next(text for name in reversed(plan.files) if (text := texts(name).user))
    return Prompt(
        kind=kind,
        language=language,
        version=version_of(kind),
        system=system_of(kind),
        user=filled(user, language=_NAMES[language], material=fenced(material), **values).strip(),
        schema=plan.schema,
        name=plan.name,
        output_tokens=plan.output * (len(shas) if kind is Kind.LINES else 1),
        omitted=omitted,
        shas=shas,
    )
