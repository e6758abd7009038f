"""``chat``: a conversation at the terminal, through the same services as every chat.

An answer is remembered once it is printed, an error ends only one answer, and charts over days are
drawn. There is no access check: whoever sits here can read the files anyway.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import field, replace
from pathlib import Path

from bot.app import open_workspace
from bot.chat.question_service import DeferredWrites
from bot.chat.reply import ReplyMessage
from bot.chat.responder import AnswerProgress, PlaceholderTiming, Responder
from bot.cli.output import finished, print_document
from bot.cli.run_questions import about, asked_here, choose, context_of
from bot.config.channel_section import Preferences
from bot.delivery.part_sender import Patience
from bot.messaging.receiver import Incoming
from bot.platforms.console import Keyboard, console_of
from bot.scheduler.schedule import next_run
from bot.store.chat_records import SqlChats
from bot.store.replies import MessageKey, Records
from bot.subscriptions.chat_subscriptions import resting, spec_of, timing_of
from bot.telemetry.logs import LOG, into_file
from bot.util.machine import FixedClock
from bot.workspace.workspace import Workspace
from digest.chat.chat_settings import still_muted
from digest.core.enums import Language
from digest.document import Document
from digest.frozen import frozen
from digest.question.intent import Help
from digest.question.lexicon import language_of
from digest.window import parse_moment
from handlers.context import Context
from handlers.ports.chat_port import ChatDigest, ChatKey, Room
from handlers.questions.about_bot import help_page
from handlers.router import ask

_ENDS = frozenset({"exit", "quit", "bye", "退出"})


_CHAT = ChatKey(platform="terminal", chat="terminal")
"""The chat that settings and subscriptions of the terminal are stored for."""


async def room_here(app: Workspace, names: Sequence[str], language: Language) -> Room:
    """The terminal as a chat; whoever sits here may change everything of it."""
    chats, defaults = SqlChats(app.database), app.config.defaults if app.config else Preferences()
    settings = await chats.settings(_CHAT)

    async def runs() -> Sequence[ChatDigest]:
        found = []
        for one in await chats.subscribed(_CHAT):
            timing = one.timing.over(settings.timing).over(timing_of(defaults))
            spec = resting(spec_of(timing, defaults, one.kind), settings)
            now = app.clock.now()
            following = None if settings.paused else next_run(spec, now)
            found.append(
                ChatDigest(
                    repositories=(one.repository,),
                    timing=timing,
                    kind=one.kind,
                    fixed=False,
                    following=following,
                    paused_until=settings.paused_by(now),
                    filters=settings.filters,
                    muted=still_muted(settings.muted, settings.muted_until, now),
                )
            )
        return found

    return Room(
        chat=_CHAT,
        chats=chats,
        repositories=tuple(names),
        defaults=timing_of(defaults),
        zone=settings.timing.zone,
        language=settings.language or language,
        runs=runs,
        here=True,
    )


@frozen
class Terminal:
    """Answers about the repository that a question means; ``ctx`` is that of the default one."""

    ctx: Context
    app: Workspace
    branch: str | None
    zone: str | None
    wanted: Language | None
    several: bool  # whether a question chooses among the configured repositories
    made: dict[str | None, Context] = field(default_factory=dict)

    def language(self, account: str, asked: Incoming) -> Language:
        """The requested language, otherwise that of the question."""
        del account
        return self.wanted or language_of(asked.text) or self.ctx.language

    async def answer(self, account: str, asked: Incoming, watch: AnswerProgress) -> Document | None:
        """The answer; a user's error is one as well."""
        del account
        watch.admit(addressed=asked.addressed)
        question, ctx = await self._meant(asked.text) if self.several else (asked.text, self.ctx)
        configured = self.app.config.repositories if self.app.config else ()
        names = [repository.name for repository in configured] or [ctx.watched.repository.name]
        room = await room_here(self.app, names, ctx.language)
        zone = room.zone if room.zone and not self.zone else ctx.zone
        ctx = replace(ctx, room=room, zone=zone, language=room.language)
        if ctx.conversations is not None:
            ctx = replace(
                ctx, conversations=DeferredWrites(kept=ctx.conversations, after=watch.after)
            )
        found = await ask(question, ctx, self.wanted, conversation=asked_here("chat"))
        return about(found, ctx) if self.several else found.document

    async def _meant(self, question: str) -> tuple[str, Context]:
        """The question, and the context of its repository. Raises ``UserError``."""
        where = self.app.zone(self.zone)
        found = await choose(self.app, question, None, where, asked_here("chat"))
        if found.place not in self.made:
            self.made[found.place] = await context_of(
                self.app, found.place, self.branch, self.zone, self.wanted
            )
        return found.question, self.made[found.place]

    async def owed(self, account: str, asked: Incoming) -> bool:
        """False: the person sees that the program ended."""
        del account, asked
        return False

    async def forget(self, account: str, asked: Incoming) -> None:
        """Do nothing: typed lines cannot be deleted."""


@finished
async def chat(
    *,
    repo: str | None,
    branch: str | None,
    now: str | None,
    zone: str | None,
    language: Language | None,
    config: Path | None,
) -> None:
    """Answer line by line until the end of the input. Raises ``UserError``."""
    async with open_workspace(config) as app, AsyncExitStack() as stack:
        if now:
            app = app.at(FixedClock(parse_moment(now, app.zone(zone))))  # noqa: PLW2901 - the same program at another time
        if app.runtime is None:  # with a model the log is in the file already
            secrets = app.config.secrets() if app.config else ()
            stack.enter_context(into_file(app.data / LOG, secrets))
        ctx = await context_of(app, repo, branch, zone, language)
        if sys.stdin.isatty():
            print_document((await help_page(Help(), ctx)).document)
        sender, records = console_of(sys.stdout), Records()
        several = repo is None and app.config is not None and len(app.config.repositories) > 1
        terminal = Terminal(
            ctx=ctx, app=app, branch=branch, zone=zone, wanted=language, several=several
        )
        telling = Responder(terminal, records, PlaceholderTiming())
        numbers = itertools.count(1)
        async for incoming in Keyboard().listen():
            if incoming.text.casefold() in _ENDS:
                return
            key = MessageKey(account="terminal", chat="", message=str(next(numbers)))
            message = ReplyMessage(sender, key, records, Patience())
            await telling.tell(sender, key, incoming, message)
