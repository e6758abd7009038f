"""Shows an explanation on a terminal while a model writes it, each statement once it is checked."""

from __future__ import annotations

from types import TracebackType
from typing import Self, TextIO

from rich.console import Console as from_Console
from rich.live import Live
from rich.text import Text

from bot.util.sanitize import legible
from digest.core.enums import Language
from digest.core.statement import Statement
from digest.i18n.labels import COLON, IMPACT, INSIGHTS, RISKS, SUGGESTIONS, SUMMARY

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
