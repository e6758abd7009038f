"""The shapes of replies, as JSON schemas that strict servers take. Imports ``statement`` only.

Within the subset of https://developers.openai.com/api/docs/guides/structured-outputs: objects all
through, every property required, no further ones, no defaults, no bounds. How many statements a
section may hold is said in the prompt and kept by code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from digest.statement import Aspect, ChangeType

Schema = Mapping[str, Any]

RULES = ("contract", "assumption", "decision", "user-visible", "security", "performance")
"""The closed list of rules by which a model may move a level."""

ABOUT = (
    "summary",
    "impact",
    "architecture",
    "performance",
    "security",
    "compatibility",
    "risk",
    "suggestion",
)
"""What a note on a part of a change can be about."""


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _one_of(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


_TEXT = {"type": "string"}
_CITES = _list(_TEXT)
_STATEMENT = _object(text=_TEXT, cites=_CITES)
_INSIGHT = _object(
    aspect=_one_of(*(str(aspect) for aspect in Aspect if aspect)), text=_TEXT, cites=_CITES
)
_IMPORTANCE = _object(
    move=_one_of("none", "raise", "lower"), rule=_one_of("none", *RULES), cites=_CITES
)
_STATEMENTS = _list({"$ref": "#/$defs/statement"})

ANALYSIS: Schema = {
    **_object(
        change_types=_list(_one_of(*map(str, ChangeType))),
        summary=_STATEMENTS,
        impact=_STATEMENTS,
        insights=_list(_INSIGHT),
        risks=_STATEMENTS,
        suggestions=_STATEMENTS,
        importance=_IMPORTANCE,
    ),
    "$defs": {"statement": _STATEMENT},
}
"""The analysis of one change."""

LINES: Schema = _object(
    changes=_list(_object(id=_TEXT, text=_TEXT, cites=_CITES, importance=_IMPORTANCE))
)
"""One line for each of several changes."""

NOTES: Schema = _object(notes=_list(_object(about=_one_of(*ABOUT), text=_TEXT, cites=_CITES)))
"""Notes on a part of a change."""

DAY: Schema = {
    **_object(
        lead=_STATEMENTS,
        themes=_list(_object(title=_TEXT, text=_TEXT, changes=_CITES)),
    ),
    "$defs": {"statement": _STATEMENT},
}
"""The lead and the themes of a stretch of time."""


def meaning(*kinds: str) -> Schema:
    """What somebody's words mean: one of the kinds, and a question of it."""
    return _object(kind=_one_of(*kinds), question=_TEXT)
