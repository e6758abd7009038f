"""How far an answer is, in words: what the placeholder shows while it is being made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from digest.document import Document, Paragraph, Text
from digest.language import Language
from digest.statement import Statement
from digest.words.talk import LOOKING, READING, WRITING


class Watch:
    """Told by the use cases (``Progress``) and by the model (``Listener``), asked by the flow.

    ``shown`` says whether anything may be seen of the work. Before the gate has let the message
    pass nothing may; words that nobody addressed to the bot are acknowledged only once they turned
    out to be a question, which is when work on them begins.
    """

    def __init__(self, language: Language) -> None:
        self.language = language
        self.shown = False
        self._total = self._done = self._said = 0
        self._admitted = False
        self.thread = ""
        self._after: list[Callable[[], Awaitable[None]]] = []

    def after(self, effect: Callable[[], Awaitable[None]]) -> None:
        """Something is to be done once the answer stands."""
        self._after.append(effect)

    async def settle(self, thread: str = "") -> None:
        """The answer stands, and its thread has this name: do what waited for that."""
        self.thread = thread
        while self._after:
            await self._after.pop(0)()

    def admit(self, *, addressed: bool) -> None:
        """The gate let the message pass."""
        self._admitted = True
        self.shown = addressed

    def start(self, total: int) -> None:
        """``total`` changes are to be read."""
        self._total, self._done = total, 0
        self.shown = self._admitted

    def advance(self, count: int) -> None:
        """``count`` more are done."""
        self._done += count

    def finish(self) -> None:
        """The reading is over."""
        self._total = 0

    def hear(self, section: str, statement: Statement) -> None:  # noqa: ARG002  # they are counted
        """One more statement of the model that the change bears out."""
        self._said += 1
        self.shown = self._admitted

    def restart(self) -> None:
        """What the model said so far is void."""
        self._said = 0

    def words(self) -> Document:
        """What stands in the place of the answer for now."""
        if self._total:
            done = min(self._done, self._total)
            said = READING.text(self.language, done=done, total=self._total)
        elif self._said:
            said = WRITING.text(self.language, n=self._said)
        else:
            said = LOOKING.text(self.language)
        return line(said, self.language)


def line(text: str, language: Language) -> Document:
    """A document of one line."""
    return Document(title=text, blocks=(Paragraph((Text(text),)),), language=str(language))
