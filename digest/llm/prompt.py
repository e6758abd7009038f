"""Prompts ready to be sent, their text files, and the JSON schemas of replies.

A prompt file begins with ``version: N``; below it ``=== system`` and ``=== user`` head its two
texts, either of which may be missing. Variables are those of :class:`string.Template`. The system
text comes first and is the same, byte for byte, for every prompt of a kind, and its beginning for
all kinds, so that servers can cache it. Words that the client adds are part of the prompt:
``VERSION`` is their version. Schemas are within the subset of
https://developers.openai.com/api/docs/guides/structured-outputs, without defaults and bounds.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any

from digest.core.enums import Language
from digest.core.grade import Level
from digest.core.patterns import read_file
from digest.core.statement import Aspect, ChangeType
from digest.frozen import frozen
from digest.llm.change_sheet import LAYOUT, Count
from digest.llm.prompt_text import Omission, fence_content, visible

VERSION = 1
_NAMES = {Language.EN: "English", Language.ZH: "Simplified Chinese"}


def shape(schema: Mapping[str, Any]) -> str:
    """How to answer, for a server that does not know the schema."""
    # JSON mode needs the word "JSON" in the messages: DeepSeek loops without it, DashScope refuses.
    # The text is the same for a schema: a common prefix stays common.
    written = json.dumps(schema, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return (
        "Answer with one JSON object and nothing else: no code fence, no words before or after it. "
        f"It must fit this JSON schema:\n{written}"
    )


def mend(complaint: str, schema: Mapping[str, Any] | None) -> str:
    """The request to correct a reply that cannot be used."""
    wish = "Send the whole reply again, mended."
    return (
        f"That reply cannot be used: {complaint}. {wish}"
        if schema is None
        else f"That reply cannot be used: {complaint}. {wish}\n{shape(schema)}"
    )


def wishes(instructions: str) -> str:
    """The instructions of a team, as the end of a system text."""
    lines = "\n".join(f"> {visible(line)}" for line in instructions.strip().splitlines())
    return (
        "# The readers' wishes\n"
        "The team that reads your reply wishes what stands between the two lines below. Keep to it "
        "in the choice of words and in what you stress. It never allows a sentence that the "
        "material does not bear out, another form, language or importance than said above, or what "
        f"is forbidden there.\n{fence_content(lines, 'WISHES')}"
    )


def other_language(language: Language) -> str:
    """The complaint on a reply in another language."""
    return (
        f"its sentences are not in {_NAMES[language]}; write them in {_NAMES[language]}, and leave "
        "code, paths and names as they are"
    )


def shorter(tokens: int) -> str:
    """The request for a shorter reply when one did not fit and there is no more room."""
    # A word takes about one token and a third; some room is left for the form.
    return (
        f"Keep the whole reply under {max(20, tokens // 2)} words. "
        "Say the most important first and leave the rest out; every sentence must be complete."
    )


_HEAD = re.compile(r"version: ([1-9]\d*)\n((?:=== (?:system|user)\n).*)", re.DOTALL)
_SECTION = re.compile(r"^=== (system|user)\n", re.MULTILINE)


@frozen
class Texts:
    """The texts of one prompt file, with unfilled variables."""

    version: int
    system: str = ""
    user: str = ""


@cache
def texts(name: str) -> Texts:
    """The texts of a prompt file by its name. Raises ``FileNotFoundError`` and ``ValueError``."""
    return read(read_file("digest.llm.prompts", f"{name}.md"))


def read(source: str) -> Texts:
    """The texts of a prompt file's content. Raises ``ValueError`` for a malformed one."""
    head = _HEAD.fullmatch(source)
    if head is None:
        raise ValueError("a prompt file begins with 'version: N' and '=== system' or '=== user'")
    _, *parts = _SECTION.split(head[2])
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    if 2 * len(sections) != len(parts):
        raise ValueError("a prompt file has each section once")
    return Texts(version=int(head[1]), **sections)


def fill_template(text: str, **values: str) -> str:
    """The text with its variables filled in, unchanged. Raises ``KeyError``, ``ValueError``."""
    template = string.Template(text)
    unknown = values.keys() - set(template.get_identifiers())
    if unknown:
        raise ValueError(f"the prompt has no variable {', '.join(sorted(unknown))}")
    return template.substitute(values)


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
    **_object(lead=_STATEMENTS, themes=_list(_object(title=_TEXT, text=_TEXT, changes=_CITES))),
    "$defs": {"statement": _STATEMENT},
}
"""The lead and the themes of a period."""


def meaning(*kinds: str) -> Schema:
    """The meaning of an asker's words: one of the kinds, and a question of it."""
    return _object(kind=_one_of(*kinds), question=_TEXT)


class PromptKind(StrEnum):
    """What a prompt asks for."""

    HIGH = "high"  # a full analysis of one change
    MEDIUM = "medium"  # a shorter one
    LINES = "lines"  # a line for each of several low changes
    PART = "part"  # notes on a part of a change that does not fit
    MERGE = "merge"  # a full analysis out of notes on its parts
    DAY = "day"  # the lead and the themes of a period


@frozen
class _Plan:
    """The files of a kind's system text, the last giving the user's, its schema, and its room."""

    files: tuple[str, ...]
    schema: Schema
    name: str
    output: int


_PLANS = {
    PromptKind.HIGH: _Plan(
        files=("system", "importance", "high"), schema=ANALYSIS, name="analysis", output=3000
    ),
    PromptKind.MEDIUM: _Plan(
        files=("system", "importance", "medium"), schema=ANALYSIS, name="analysis", output=1400
    ),
    PromptKind.LINES: _Plan(
        files=("system", "importance", "lines"), schema=LINES, name="lines", output=200
    ),
    PromptKind.PART: _Plan(files=("system", "part"), schema=NOTES, name="notes", output=1600),
    PromptKind.MERGE: _Plan(
        files=("system", "importance", "high", "merge"),
        schema=ANALYSIS,
        name="analysis",
        output=3000,
    ),
    PromptKind.DAY: _Plan(files=("system", "day"), schema=DAY, name="day", output=1200),
}

_PROMPT_NAMES = {Language.EN: "English", Language.ZH: "Simplified Chinese (简体中文)"}
_MARGIN = 16  # tokens that counting text by text may miss


@frozen
class Prompt:
    """The content of a request, and what it is about."""

    kind: PromptKind
    language: Language
    version: str  # changes whenever the prompt for the same material may differ
    system: str
    user: str
    schema: Schema
    name: str  # of the schema
    output_tokens: int  # the initial room for the reply
    omitted: tuple[Omission, ...] = ()  # what of the material is not shown
    shas: tuple[str, ...] = ()  # the shown changes in the order of their ids


def kind_of(level: Level) -> PromptKind:
    """The kind of prompt for a change of a level."""
    return {
        Level.HIGH: PromptKind.HIGH,
        Level.MEDIUM: PromptKind.MEDIUM,
        Level.LOW: PromptKind.LINES,
    }[level]


@cache
def version_of(kind: PromptKind) -> str:
    """The versions of all that a prompt of the kind is made of, such as ``high-1.1.2-1``."""
    # A result stored under it is stale as soon as any of them changes.
    versions = ".".join(str(texts(name).version) for name in _PLANS[kind].files)
    return f"{kind}-{versions}-{LAYOUT}"


@cache
def system_of(kind: PromptKind) -> str:
    """The system text of a kind."""
    return "".join(texts(name).system for name in _PLANS[kind].files).strip()


def room_for_material(kind: PromptKind, count: Count, budget: int) -> int:
    """Tokens of ``budget`` left for the material beside the texts and the schema; at least 0."""
    plan = _PLANS[kind]
    schema = json.dumps(plan.schema, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    frame = fence_content("") + "".join(texts(name).user for name in plan.files)
    taken = count(system_of(kind)) + count(schema) + count(frame) + _MARGIN
    return max(0, budget - taken)


def prompt(
    kind: PromptKind,
    language: Language,
    material: str,
    *,
    omitted: tuple[Omission, ...] = (),
    shas: tuple[str, ...] = (),
    **values: str,
) -> Prompt:
    """The prompt of a kind about a material, which is fenced here.

    ``values`` are the further variables of the kind's text. Raises ``KeyError`` and ``ValueError``
    if they are not exactly those.
    """
    plan = _PLANS[kind]
    user = next(text for name in reversed(plan.files) if (text := texts(name).user))
    return Prompt(
        kind=kind,
        language=language,
        version=version_of(kind),
        system=system_of(kind),
        user=fill_template(
            user, language=_PROMPT_NAMES[language], material=fence_content(material), **values
        ).strip(),
        schema=plan.schema,
        name=plan.name,
        output_tokens=plan.output * (len(shas) if kind is PromptKind.LINES else 1),
        omitted=omitted,
        shas=shas,
    )
