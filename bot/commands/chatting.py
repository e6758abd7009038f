"""``chat``: a conversation at the terminal, told the way every chat is.

What is remembered of an answer is so once it stands, an error within one answer is told and ends
nothing, and numbers over days are drawn. There is no gate: who sits here reads the files anyway.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from bot.app import App, opened
from bot.commands import finish, print_document
from bot.commands.asking import about, asked_here, context_of
from bot.commands.choosing import choose
from bot.conversation.afterwards import Afterwards
from bot.conversation.message import Message
from bot.conversation.record import Key, Record, Stage
from bot.conversation.telling import Rhythm, Telling
from bot.conversation.watch import Watch
from bot.platforms.base import Incoming, Receipt
from bot.platforms.console import Keyboard, attached
from bot.posting.courier import Patience
from bot.times.clock import FixedClock
from bot.watching.crash import LOG
from bot.watching.logs import into_file
from digest.document import Document
from digest.language import Language
from digest.question import language_of
from digest.window import parse_moment
from handlers.ask import HANDLERS, ask
from handlers.context import Context
from handlers.help import help_page

_ENDS = frozenset({"exit", "quit", "bye", "退出"})


class Choosing:
    """The contexts of the configured repositories, each made when it is first asked about."""

    def __init__(
        self, app: App, branch: str | None, zone: str | None, language: Language | None
    ) -> None:
        self._app = app
        self._named = (branch, zone, language)
        self._made: dict[str | None, Context] = {}

    async def chosen(self, question: str) -> tuple[str, Context]:
        """What is asked, and of which repository. Raises ``UserError``."""
        branch, zone, language = self._named
        where = self._app.zone(zone)
        found = await choose(self._app, question, None, where, asked_here("chat"))
        if found.place not in self._made:
            made = await context_of(self._app, found.place, branch, zone, language)
            self._made[found.place] = made
        return found.question, self._made[found.place]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """Answers, about the repository that a question means where there are several.

    ``ctx`` is that of the default one, ``wanted`` the language that was asked for, if any.
    """

    ctx: Context
    wanted: Language | None = None
    choosing: Choosing | None = None

    def language(self, account: str, asked: Incoming) -> Language:
        """The language asked for, else that of the question."""
        del account
        return self.wanted or language_of(asked.text) or self.ctx.language

    async def answer(self, account: str, asked: Incoming, watch: Watch) -> Document | None:
        """The answer; a user's error is one as well."""
        del account
        watch.admit(addressed=asked.addressed)
        question, ctx = asked.text, self.ctx
        if self.choosing is not None:
            question, ctx = await self.choosing.chosen(question)
        if ctx.conversations is not None:
            ctx = replace(ctx, conversations=Afterwards(kept=ctx.conversations, after=watch.after))
        found = await ask(question, ctx, self.wanted, conversation=asked_here("chat"))
        return found.document if self.choosing is None else about(found, ctx)

    async def owed(self, account: str, asked: Incoming) -> bool:
        """Nobody: who types sees that the program ended."""
        del account, asked
        return False

    async def forget(self, account: str, asked: Incoming) -> None:
        """Nothing that was typed can be taken back."""


class Unrecorded:
    """Records of a place where nothing is delivered twice and nothing is taken up again."""

    async def claim(self, key: Key, asked: Incoming, now: datetime) -> bool:
        """Every message is a new one."""
        del key, asked, now
        return True

    async def get(self, key: Key) -> Record | None:
        """None is kept."""
        del key
        return None

    async def mark(self, key: Key, stage: Stage, receipt: Receipt | None = None) -> None:
        """What is printed stands."""

    async def ask_again(self, key: Key, asked: Incoming) -> None:
        """What was typed stays."""

    async def left(self, account: str) -> Sequence[Record]:
        """None is kept."""
        del account
        return ()


def chat(
    *,
    repo: str | None,
    branch: str | None,
    now: str | None,
    zone: str | None,
    language: Language | None,
    config: Path | None,
) -> None:
    """Answer line by line until the end of the input. Raises ``UserError``."""

    async def work() -> None:
        async with opened(config) as app, AsyncExitStack() as stack:
            if now:
                app = app.at(FixedClock(parse_moment(now, app.zone(zone))))  # noqa: PLW2901 - the same program at another time
            if app.mind is None:  # with a model the log is in the file already
                secrets = app.config.secrets() if app.config else ()
                stack.enter_context(into_file(app.data / LOG, secrets))
            ctx = await context_of(app, repo, branch, zone, language)
            if sys.stdin.isatty():
                print_document(help_page(HANDLERS, ctx).document)
            sender, records = attached(sys.stdout), Unrecorded()
            several = repo is None and app.config is not None and len(app.config.repositories) > 1
            choosing = Choosing(app, branch, zone, language) if several else None
            terminal = Terminal(ctx=ctx, wanted=language, choosing=choosing)
            telling = Telling(terminal, records, Rhythm())
            numbers = itertools.count(1)
            async for incoming in Keyboard().listen():
                if incoming.text.casefold() in _ENDS:
                    return
                key = Key(account="terminal", chat="", message=str(next(numbers)))
                message = Message(sender, key, records, Patience())
                await telling.tell(sender, key, incoming, message)

    finish(work())
