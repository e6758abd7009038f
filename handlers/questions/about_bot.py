"""Answers about the bot itself: what you can ask, its state, what it stores and sends."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from digest.answer.answers import Answer, as_of
from digest.core.enums import Language, Privacy
from digest.document import (
    Block,
    Code,
    Document,
    Heading,
    Item,
    Listing,
    Paragraph,
    Spans,
    Text,
    plain,
)
from digest.i18n import answer_text
from digest.i18n import answer_text as words
from digest.i18n.phrase import Phrase, list_in_words
from digest.question.intent import (
    Changed,
    DigestOf,
    Explain,
    Greet,
    Help,
    PrivacyOf,
    Search,
    Status,
    Unknown,
)
from digest.question.lexicon import LONGEST
from digest.question.questions import QUESTIONS, Question, example
from digest.window import Window, edge
from handlers.context import Context
from handlers.digests.ingest import current_of, tip_of
from handlers.ports.chat_port import LIFETIME
from handlers.ports.status_port import BotStatus, Budget
from handlers.questions.scope import viewpoint
from handlers.questions.search import nearest


async def help_page(_intent: Help, ctx: Context) -> Answer:
    """Every kind of question with its examples."""
    language = ctx.language
    title = answer_text.HELP.text(language)
    asked = (one for one in QUESTIONS.values() if ctx.room or not one.chats)
    kinds = tuple(_kind(one, one.help, language) for one in asked if one.help)
    periods = answer_text.HELP_PERIODS(language, zone=ctx.zone.key)
    blocks = (Heading(1, (Text(title),)), Listing(kinds), Paragraph(periods))
    return Answer(
        intent="help", document=Document(title=title, blocks=blocks, language=str(language))
    )


def _kind(question: Question, phrase: Phrase, language: Language) -> Item:
    examples = tuple(Item((Code(text),)) for text in question.examples[language])
    return Item(phrase(language), examples)


_GREETING = (Changed, DigestOf, Explain, Search)  # the questions that a greeting shows examples of


async def greet(_intent: Greet, ctx: Context) -> Answer:
    """A greeting with a few questions; talk between people is not meant for the bot."""
    language = ctx.language
    said = answer_text.HELLO(language, repository=ctx.watched.repository.name)
    examples = Listing(tuple(Item((Code(example(kind, language)),)) for kind in _GREETING))
    more = answer_text.HELLO_MORE(language, question=Code(example(Help, language)))
    document = Document(
        title=plain(said),
        blocks=(Paragraph(said), examples, Paragraph(more)),
        language=str(language),
    )
    return Answer(intent="unknown" if ctx.overheard else "help", document=document)


async def unknown(intent: Unknown, ctx: Context) -> Answer:
    """A note that the question is not understood, why if known, and the nearest known questions."""
    language = ctx.language
    if (
        intent.terms
        and not ctx.overheard
        and (found := await nearest(intent.terms, ctx, understood=False))
    ):
        return found
    said = answer_text.NOT_UNDERSTOOD(language)
    if intent.thanks:
        said = answer_text.THANKS(language)
    elif intent.too_long:
        said = answer_text.NOT_READ_TOO_LONG(language, n=LONGEST)
    elif intent.foreign:
        said = answer_text.TWO_LANGUAGES(language)
    near = Listing(tuple(Item((Code(text),)) for text in intent.near))
    document = Document(title=plain(said), blocks=(Paragraph(said), near), language=str(language))
    return Answer(intent="unknown", document=document)


_DAYS = 7


async def status(_intent: Status, ctx: Context) -> Answer:
    """The branch's tip, how much of the last week is read, the runs and the budget."""
    tip, language, repository = await tip_of(ctx), ctx.language, ctx.watched.repository
    now = ctx.clock.now()
    window = Window(since=now - timedelta(days=_DAYS), until=now, zone=ctx.zone)
    names = await ctx.watched.source.names(tip, window)
    read = await current_of(ctx, names)
    standing = await ctx.standing.standing() if ctx.standing else None
    there = words.STATUS_TIP(
        language, name=repository.name, branch=tip.branch, tip=as_of(viewpoint(ctx, tip))
    )
    lines = [there, words.STATUS_READ(language, read=len(read), total=len(names))]
    # If the runs are unknown, as in the terminal, they are not mentioned.
    if standing is not None:
        lines += [*_runs(standing, ctx), _budget(standing.budget, ctx)]
    return _answer("status", words.STATUS.text(language), lines, ctx)


def _runs(standing: BotStatus, ctx: Context) -> list[Spans]:
    language = ctx.language
    if not standing.runs:
        return [words.NO_RUNS(language)]
    told = [
        words.LAST_RUN(
            language,
            channel=run.channel,
            last=run.last or words.NEVER.text(language),
            next=edge(run.next, ctx.zone) if run.next else words.NEVER.text(language),
        )
        for run in standing.runs
    ]
    return [*told, words.WAITING(language, n=standing.waiting)]


def _budget(budget: Budget | None, ctx: Context) -> Spans:
    if budget is None:
        return words.NO_MODEL(ctx.language)
    spent = f"{budget.spent:.4f}"
    if budget.most is None:
        return words.SPENT(ctx.language, spent=spent, currency=budget.currency)
    most = f"{budget.most:.2f}"
    return words.BUDGET(ctx.language, spent=spent, currency=budget.currency, most=most)


async def privacy_of(_intent: PrivacyOf, ctx: Context) -> Answer:
    """What is stored, and what leaves the machine, for the repository asked about."""
    language, watched = ctx.language, ctx.watched
    lines = [words.KEPT_HERE(language, days=LIFETIME.days), words.NOT_KEPT(language)]
    if ctx.judging is None:
        lines.append(words.LEAVES_NOTHING(language))
    else:
        model = ctx.judging.model.profile
        names = [name for name in (model.name, model.reserve) if name]
        named = list_in_words(names, language, limit=len(names))
        lines.append(words.LEAVES(language, model=named))
        lines.append(words.OF_PRIVACY[watched.privacy](language, name=watched.repository.name))
        if watched.privacy is not Privacy.NONE:
            lines.append(words.LEAVES_QUESTIONS(language))
    return _answer("privacy", words.PRIVACY.text(language), lines, ctx)


def _answer(intent: str, title: str, lines: Sequence[Spans], ctx: Context) -> Answer:
    blocks: tuple[Block, ...] = (
        Heading(1, (Text(title),)),
        Paragraph(lines[0]),
        Listing(tuple(Item(line) for line in lines[1:])),
    )
    document = Document(title=title, blocks=blocks, language=str(ctx.language))
    return Answer(intent=intent, document=document)
