"""``explain`` and ``ask`` at the terminal, with the same handlers as on every platform.

The repository is chosen as in chats if no option names one. ``explain --show-prompt`` prints what
would be sent to the model, without sending it. While a model writes an explanation, each checked
statement is shown on the terminal; the complete explanation then replaces them.
"""

from __future__ import annotations

import getpass
import json
import sys
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.app import open_workspace
from bot.cli.commands import AnswerFormat
from bot.cli.output import ProgressBar, emit, finished, print_document
from bot.util.machine import FixedClock
from bot.util.terminal import Terminal
from bot.workspace.workspace import Usages, Workspace, places_of
from digest.answer.answers import ABOUT_NONE, Answer, answer_to_json
from digest.core.enums import Language
from digest.core.reference import parse_reference
from digest.document import Code, Document, Paragraph
from digest.errors import InvalidReference, UnknownChange, UserError
from digest.frozen import frozen
from digest.i18n.chat_text import ABOUT
from digest.question.intent import Explain
from digest.window import parse_moment
from handlers.chat.follow_ups import last_talk, remember
from handlers.context import Context
from handlers.ports.chat_port import ConversationKey
from handlers.questions import answer


@frozen
class Chosen:
    """The question and its repository; ``place`` is ``None`` for the default one."""

    question: str
    place: str | None


async def choose(
    app: Workspace, question: str, repo: str | None, zone: ZoneInfo, conversation: ConversationKey
) -> Chosen:
    """The configured repository that a question names or continues with, or the default.

    An explicit ``repo`` wins. An address or ``owner/name#123`` also finds a repository that was
    read before and is not configured. Raises ``AmbiguousRepository``.
    """
    of = app.config.repositories if app.config else ()
    if repo is not None:
        return Chosen(question=question, place=repo)
    if len(of) > 1:
        from bot.chat.repository_choice import which

        now = app.clock.now()
        talk = await app.conversations.talk(conversation, now)
        choice = which(question, of, talk.repository if talk else "", now, zone)
        if len(choice.asked) == 1 or choice.asked[0] != of[0]:
            return Chosen(question=choice.question, place=choice.asked[0].name)
    return Chosen(question=question, place=_read_before(app, question))


def _read_before(app: Workspace, question: str) -> str | None:
    """The place of the repository that a reference names, if it was read before."""
    try:
        name = parse_reference(question.rsplit(" ", maxsplit=1)[-1]).repository
    except InvalidReference:
        return None
    return app.places.place_of(name) if name else None


CHANNEL = "terminal"  # the channel that model usage is charged to here
_JSON_WIDTH = 100  # columns of the text in JSON, so that it does not depend on a terminal


@finished
async def explain(
    reference: str,
    *,
    repo: str | None,
    branch: str | None,
    zone: str | None,
    language: Language | None,
    form: AnswerFormat,
    config: Path | None,
    show_prompt: bool,
) -> None:
    """Explain one change, or print the prompt for a model. Raises ``UserError``."""
    async with open_workspace(config) as app:
        where = app.zone(zone)
        chosen = await choose(app, reference, repo, where, asked_here("explain"))
        intent = Explain(reference=parse_reference(chosen.question))
        ctx = await context_of(app, chosen.place, branch, zone, language)
        if show_prompt:
            from bot.cli.explanation_output import print_prompt

            await print_prompt(intent, ctx, app)
            return
        try:
            found = await _explain(intent, ctx, form)
        except UnknownChange:
            if repo is not None or (elsewhere := await _elsewhere(app, intent, ctx)) is None:
                raise
            ctx, found = elsewhere
        here = replace(ctx, conversation=asked_here("ask"))
        await remember(intent, found, here, await last_talk(here))
        _show(found, ctx, form, named=repo is not None)


async def _explain(intent: Explain, ctx: Context, form: AnswerFormat) -> Answer:
    """The explanation; on a terminal it is shown while a model writes it."""
    if ctx.judging is None or form is not AnswerFormat.TEXT or not sys.stderr.isatty():
        return await answer(intent, ctx)

    from bot.cli.explanation_output import LiveExplanation

    with LiveExplanation(sys.stderr, ctx.language) as listener:
        return await answer(intent, replace(ctx, judging=replace(ctx.judging, listener=listener)))


async def _elsewhere(
    app: Workspace, intent: Explain, ctx: Context
) -> tuple[Context, Answer] | None:
    """The answer of another repository that was read before, the last used one first."""
    for place in app.places.all():
        try:
            watched = await app.watch(place)
            # Only the forge of the intended repository is queried, not that of every other one.
            other = replace(ctx, watched=replace(watched, forge=None))
            return other, await answer(intent, other)
        except UserError:
            continue
    return None


@finished
async def ask(
    question: str,
    *,
    repo: str | None,
    branch: str | None,
    now: str | None,
    zone: str | None,
    language: Language | None,
    form: AnswerFormat,
    config: Path | None,
) -> None:
    """Answer a question. Raises ``UserError``."""
    # It loads the grammar of questions, which an explanation does not need.
    from handlers.router import ask as ask_handler

    async with open_workspace(config) as app:
        where = app.zone(zone)
        at = app.at(FixedClock(parse_moment(now, where))) if now else app
        here = asked_here("ask")
        chosen = await choose(at, question, repo, where, here)
        ctx = await context_of(at, chosen.place, branch, zone, language)
        ctx = replace(ctx, every=form is AnswerFormat.JSON)
        found = await ask_handler(chosen.question, ctx, language, conversation=here)
        if found.error is not None:
            if form is AnswerFormat.JSON:
                _show(found, ctx, form, named=repo is not None)
            found.error.args = (found.document.title,)  # in the language of the question
            raise found.error
        _show(found, ctx, form, named=repo is not None)


def asked_here(thread: str) -> ConversationKey:
    """The conversation of the terminal's user; later questions continue from earlier ones."""
    try:
        person = getpass.getuser()
    except (OSError, KeyError):  # a container's user without a name
        person = ""
    return ConversationKey(platform="terminal", chat="", thread=thread, person=person)


async def context_of(
    app: Workspace,
    repo: str | None,
    branch: str | None,
    zone: str | None,
    language: Language | None,
) -> Context:
    """The context for the terminal's user, with the repository's current state."""
    watched = await app.watch(repo, branch=branch)
    ctx = app.context(
        watched,
        zone=app.zone(zone),
        language=app.language(language),
        progress=ProgressBar(watched.repository.name),
        judging=app.judging(CHANNEL),
        usage=Usages(app.data, places_of(app), anywhere=True),
    )
    await watched.source.sync()
    return ctx


def about(found: Answer, ctx: Context) -> Document:
    """The answer with the repository it is about, if it is about one."""
    document = found.document
    if found.intent in ABOUT_NONE:
        return document
    language = Language(document.language or ctx.language)
    line = ABOUT(language, repository=Code(ctx.watched.repository.name))
    return replace(document, blocks=(*document.blocks, Paragraph(line, aside=True)))


def _show(found: Answer, ctx: Context, form: AnswerFormat, *, named: bool) -> None:
    """Print the answer, with its repository unless the user named it."""
    if form is AnswerFormat.TEXT:
        print_document(found.document if named else about(found, ctx))
        return
    text, _ = Terminal(width=_JSON_WIDTH).texts(found.document)
    emit(json.dumps(answer_to_json(found, text, ctx.zone), ensure_ascii=False, indent=1))
