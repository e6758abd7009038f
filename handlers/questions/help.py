"""``help``: what can be asked, with examples that the parser reads."""

from __future__ import annotations

from digest.answer.answers import Answer
from digest.core.enums import Language
from digest.document import Code, Document, Heading, Item, Listing, Paragraph, Text, plain
from digest.i18n.phrase import Phrase
from digest.i18n.reading_text import (
    HELLO,
    HELLO_MORE,
    HELP,
    HELP_PERIODS,
    NOT_READ_TOO_LONG,
    NOT_UNDERSTOOD,
    THANKS,
    TWO_LANGUAGES,
)
from digest.question.intent import Changed, DigestOf, Explain, Greet, Help, Search, Unknown
from digest.question.lexicon import LONGEST
from digest.question.questions import QUESTIONS, Question, example
from handlers.context import Context


async def help_page(_intent: Help, ctx: Context) -> Answer:
    """Every kind of question with its examples."""
    language = ctx.language
    title = HELP.text(language)
    asked = (one for one in QUESTIONS.values() if ctx.room or not one.chats)
    kinds = tuple(_kind(one, one.help, language) for one in asked if one.help)
    periods = HELP_PERIODS(language, zone=ctx.zone.key)
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
    said = HELLO(language, repository=ctx.watched.repository.name)
    examples = Listing(tuple(Item((Code(example(kind, language)),)) for kind in _GREETING))
    more = HELLO_MORE(language, question=Code(example(Help, language)))
    document = Document(
        title=plain(said),
        blocks=(Paragraph(said), examples, Paragraph(more)),
        language=str(language),
    )
    return Answer(intent="unknown" if ctx.overheard else "help", document=document)


async def unknown(intent: Unknown, ctx: Context) -> Answer:
    """A note that the question is not understood, why if known, and the nearest known questions."""
    language = ctx.language
    said = NOT_UNDERSTOOD(language)
    if intent.thanks:
        said = THANKS(language)
    elif intent.too_long:
        said = NOT_READ_TOO_LONG(language, n=LONGEST)
    elif intent.foreign:
        said = TWO_LANGUAGES(language)
    near = Listing(tuple(Item((Code(text),)) for text in intent.near))
    document = Document(title=plain(said), blocks=(Paragraph(said), near), language=str(language))
    return Answer(intent="unknown", document=document)
