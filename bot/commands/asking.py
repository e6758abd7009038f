"""``explain`` and ``ask``: the same handlers as on every platform."""

from __future__ import annotations

import getpass
import io
import json
import sys
from dataclasses import replace
from pathlib import Path

from bot.app import App, opened
from bot.commands import emit, finish, print_document
from bot.commands.choosing import choose
from bot.platforms.console import Console
from bot.showing.forms import AnswerFormat
from bot.showing.progress import Bar
from bot.times.clock import FixedClock
from bot.usage import Usages, places_of
from digest.answer import ABOUT_NONE, Answer
from digest.answer_form import answer_to_json
from digest.document import Code, Document, Paragraph
from digest.errors import UnknownChange, UserError
from digest.intent import Explain
from digest.language import Language
from digest.reference import parse_reference
from digest.window import parse_moment
from digest.words.talk import ABOUT
from handlers.ask import answer
from handlers.ask import ask as ask_handler
from handlers.context import Context
from handlers.conversing import ConversationKey

CHANNEL = "terminal"
"""The channel on whose account a model is asked here."""

_JSON_WIDTH = 100  # columns of the text in JSON, so that it does not depend on a terminal


def explain(
    reference: str,
    *,
    repo: str | None,
    branch: str | None,
    zone: str | None,
    language: Language | None,
    form: AnswerFormat,
    config: Path | None,
    show_prompt: bool = False,
) -> None:
    """Explain one change, or print what a model would be sent about it. Raises ``UserError``."""

    async def work() -> None:
        async with opened(config) as app:
            where = app.zone(zone)
            chosen = await choose(app, reference, repo, where, asked_here("explain"))
            intent = Explain(reference=parse_reference(chosen.question))
            ctx = await context_of(app, chosen.place, branch, zone, language)
            if show_prompt:
                from bot.commands.showing import show_prompt as show

                await show(intent, ctx, app)
                return
            try:
                found = await _explained(intent, ctx, form)
            except UnknownChange:
                if repo is not None or (elsewhere := await _elsewhere(app, intent, ctx)) is None:
                    raise
                ctx, found = elsewhere
            _show(found, ctx, form, named=repo is not None)

    finish(work())


async def _explained(intent: Explain, ctx: Context, form: AnswerFormat) -> Answer:
    """The explanation; on a terminal it is shown while a model writes it."""
    if ctx.judging is None or form is not AnswerFormat.TEXT or not sys.stderr.isatty():
        return await answer(intent, ctx)
    from bot.showing.following import Following

    with Following(sys.stderr, ctx.language) as listener:
        return await answer(intent, replace(ctx, judging=replace(ctx.judging, listener=listener)))


async def _elsewhere(app: App, intent: Explain, ctx: Context) -> tuple[Context, Answer] | None:
    """The answer of another repository that was read before, the one used last first."""
    for place in app.places.all():
        try:
            watched = await app.watch(place)
            # A forge is asked about the repository that was meant, not about every other one.
            other = replace(ctx, watched=replace(watched, forge=None))
            return other, await answer(intent, other)
        except UserError:
            continue
    return None


def ask(
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

    async def work() -> None:
        async with opened(config) as app:
            where = app.zone(zone)
            at = app.at(FixedClock(parse_moment(now, where))) if now else app
            here = asked_here("ask")
            chosen = await choose(at, question, repo, where, here)
            ctx = await context_of(at, chosen.place, branch, zone, language)
            ctx = replace(ctx, every=form is AnswerFormat.JSON)
            found = await ask_handler(chosen.question, ctx, language, conversation=here)
            if found.error is not None:
                raise found.error
            _show(found, ctx, form, named=repo is not None)

    finish(work())


def asked_here(thread: str) -> ConversationKey:
    """The conversation of whoever sits here; a second question goes on from the first."""
    try:
        person = getpass.getuser()
    except (OSError, KeyError):  # a container's user without a name
        person = ""
    return ConversationKey(platform="terminal", chat="", thread=thread, person=person)


async def context_of(
    app: App, repo: str | None, branch: str | None, zone: str | None, language: Language | None
) -> Context:
    """The context of whoever sits at the terminal, with the repository as it is now."""
    watched = await app.watch(repo, branch=branch)
    ctx = app.context(
        watched,
        zone=app.zone(zone),
        language=app.language(language),
        progress=Bar(watched.repository.name),
        judging=app.judging(CHANNEL),
        usage=Usages(app.data, places_of(app), anywhere=True),
    )
    await watched.source.sync()
    return ctx


def about(found: Answer, ctx: Context) -> Document:
    """The answer with which repository it is about, where it is about one."""
    document = found.document
    if found.intent in ABOUT_NONE:
        return document
    language = Language(document.language or ctx.language)
    line = ABOUT(language, repository=Code(ctx.watched.repository.name))
    return replace(document, blocks=(*document.blocks, Paragraph(line, aside=True)))


def _show(found: Answer, ctx: Context, form: AnswerFormat, *, named: bool) -> None:
    """Print the answer, and which repository it is about where nobody named one."""
    if form is AnswerFormat.TEXT:
        print_document(found.document if named else about(found, ctx))
        return
    text = "\n".join(
        p.text for p in Console(io.StringIO(), width=_JSON_WIDTH).render(found.document)
    )
    emit(json.dumps(answer_to_json(found, text, ctx.zone), ensure_ascii=False, indent=1))
