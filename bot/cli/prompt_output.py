"""Prints the prompts of ``digestbot explain --show-prompt``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from bot.cli.output import emit
from bot.workspace.workspace import Workspace
from digest.errors import UserError
from digest.question.intent import Explain
from handlers.context import Context
from handlers.questions.prompt_preview import PromptPreview, Silence, preview_prompt

_WHY_NOT = {
    Silence.PRIVATE: "nothing would be sent: the repository's privacy is none",
    Silence.SETTLED: "this would not be sent: facts settle the change",
    Silence.KEPT: "this would not be sent again: the answer is kept",
}
_NO_MODEL = (
    "no model is configured, so nothing is ever sent; to see what would be, name any model with "
    "DIGESTBOT_MODEL: nobody is asked"
)


async def print_prompt(intent: Explain, ctx: Context, app: Workspace) -> None:
    """Print the requests word for word; what is not part of them goes to the error stream.

    Raises ``UserError``.
    """
    shown = await preview_prompt(intent, ctx)
    if app.mind is None:
        raise UserError(_NO_MODEL)
    bodies = [app.mind.model.body(request) for request in shown.requests]
    address = f"{app.mind.config.base_url}/chat/completions"
    emit("\n".join(line for at, body in enumerate(bodies, 1) for line in _lines(at, body, address)))
    for note in _notes(shown):
        sys.stderr.write(f"digestbot: {note}\n")


def _lines(number: int, body: Mapping[str, Any], address: str) -> Iterator[str]:
    """The messages as they are, the other fields as JSON."""
    yield f"=== request {number}: POST {address}"
    for name, value in body.items():
        if name != "messages":
            yield f"{name}: {json.dumps(value, ensure_ascii=False)}"
    for message in body["messages"]:
        yield f"--- {message['role']}"
        yield message["content"]


def _notes(shown: PromptPreview) -> Iterator[str]:
    if shown.why_not in _WHY_NOT:
        yield _WHY_NOT[shown.why_not]
    if len(shown.requests) > 1:
        yield "the checked notes that come back are then joined by one more request"
    if shown.secrets:
        yield f"{shown.secrets} {'secret was' if shown.secrets == 1 else 'secrets were'} masked"
