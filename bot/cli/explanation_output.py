"""Ways to show ``explain`` on a terminal: statement by statement, or the prompts alone.

While a model writes an explanation, each statement appears once it is checked. ``--show-prompt``
prints what would be sent.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Self, TextIO

from rich.console import Console as from_Console
from rich.live import Live
from rich.text import Text

from bot.cli.output import emit
from bot.util.sanitize import legible
from bot.workspace.workspace import Workspace
from digest.core.enums import Language
from digest.core.statement import Statement
from digest.errors import UserError
from digest.i18n.labels import COLON, IMPACT, INSIGHTS, RISKS, SUGGESTIONS, SUMMARY
from digest.question.intent import Explain
from handlers.context import Context
from handlers.questions.prompt_preview import PromptPreview, Silence, preview_prompt

_LABELS = {
    "summary": SUMMARY,
    "impact": IMPACT,
    "insights": INSIGHTS,
    "risks": RISKS,
    "suggestions": SUGGESTIONS,
}


class LiveExplanation:
    """Implements ``Listener`` on a terminal, as a context manager."""

    def __init__(self, stream: TextIO, language: Language) -> None:
        self._language = language
        self._said: dict[str, list[str]] = {}
        self._live = Live(
            console=from_Console(file=stream),
            transient=True,
            auto_refresh=False,
            redirect_stdout=False,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()

    def hear(self, section: str, statement: Statement) -> None:
        """Show one more statement that the change supports."""
        self._said.setdefault(section, []).append(legible(statement.text))
        self._show()

    def restart(self) -> None:
        """Discard everything so far."""
        self._said.clear()
        self._show()

    def _show(self) -> None:
        lines = Text()
        for section, said in self._said.items():
            colon = COLON.template(self._language).rstrip()
            lines.append(f"{_LABELS[section].template(self._language)}{colon}\n", style="bold")
            for words in said:
                lines.append(f"  {words}\n")
        self._live.update(lines, refresh=True)


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
