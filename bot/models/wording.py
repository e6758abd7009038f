"""The words that the client itself adds to a conversation.

They belong to the prompt: whoever keeps results by the prompt's version must count ``VERSION`` in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from digest.language import Language

VERSION = 1

_NAMES = {Language.EN: "English", Language.ZH: "Simplified Chinese"}


def shape(schema: Mapping[str, Any]) -> str:
    """How to answer, where the server does not know the schema.

    JSON mode needs the word "JSON" in the messages: DeepSeek loops without it, DashScope refuses.
    The text is the same for the same schema, so that a common prefix stays common.
    """
    written = json.dumps(schema, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return (
        "Answer with one JSON object and nothing else: no code fence, no words before or after it. "
        f"It must fit this JSON schema:\n{written}"
    )


def mend(complaint: str, schema: Mapping[str, Any] | None) -> str:
    """What is said to a reply that cannot be used."""
    wish = "Send the whole reply again, mended."
    return (
        f"That reply cannot be used: {complaint}. {wish}"
        if schema is None
        else f"That reply cannot be used: {complaint}. {wish}\n{shape(schema)}"
    )


def other_language(language: Language) -> str:
    """The complaint on a reply in another language."""
    return (
        f"its sentences are not in {_NAMES[language]}; write them in {_NAMES[language]}, and leave "
        "code, paths and names as they are"
    )


def shorter(tokens: int) -> str:
    """What is asked where a reply did not fit and there is no more room."""
    # A word takes about one token and a third; some room is left for the form.
    return (
        f"Keep the whole reply under {max(20, tokens // 2)} words. "
        "Say the most important first and leave the rest out; every sentence must be complete."
    )
