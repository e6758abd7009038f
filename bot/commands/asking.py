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
from bot.platforms.console import Console
from bot.showing.forms import AnswerFormat
from bot.showing.progress import Bar
from bot.times.clock import FixedClock
from bot.usage import Usages, places_of
from digest.answer import ABOUT_NONE, Answer
from digest.answer_form import answer_to_json
from digest.document import Code, Paragraph
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
    intent = Explain(reference=parse_reference(reference))

    async def work() -> None:
        async with opened(config) as app:
            ctx = await context_of(app, repo or _clone_of(app, intent), branch, zone, language)
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
            ctx = await context_of(at, repo, branch, zone, language)
            ctx = replace(ctx, every=form is AnswerFormat.JSON)
            found = await ask_handler(question, ctx, language, conversation=asked_here("ask"))
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


def _clone_of(app: App, intent: Explain) -> str | None:
    """The known place of the repository that an address names, where there is one."""
    name = intent.reference.repository
    return app.places.place_of(name) if name else None


def _show(found: Answer, ctx: Context, form: AnswerFormat, *, named: bool) -> None:
    """Print the answer, and which repository it is about where nobody named one."""
    if form is AnswerFormat.TEXT:
        document = found.document
        if not named and found.intent not in ABOUT_NONE:
            language = Language(document.language or ctx.language)
            about = ABOUT(language, repository=Code(ctx.watched.repository.name))
            document = replace(document, blocks=(*document.blocks, Paragraph(about, aside=True)))
        print_document(document)
        return
    text = "\n".join(
        p.text for p in Console(io.StringIO(), width=_JSON_WIDTH).render(found.document)
    )
    emit(json.dumps(answer_to_json(found, text, ctx.zone), ensure_ascii=False, indent=1))
