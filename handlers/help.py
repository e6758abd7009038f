"""``help``: what can be asked, with examples that are read as what they stand for."""

from __future__ import annotations

from digest.answer import Answer
from digest.document import Code, Document, Heading, Item, Listing, Paragraph, Text
from digest.examples import EXAMPLES
from digest.intent import Changed, DigestOf, Explain, Help, Intent, Search, Unknown
from digest.language import Language
from digest.phrases import (
    HELP,
    HELP_CHANGED,
    HELP_DIGEST,
    HELP_EXPLAIN,
    HELP_HELP,
    HELP_PERIODS,
    HELP_SEARCH,
    NOT_UNDERSTOOD,
)
from digest.words.phrase import Phrase
from handlers.context import Context

_KINDS: dict[type[Intent], Phrase] = {
    Explain: HELP_EXPLAIN,
    Changed: HELP_CHANGED,
    DigestOf: HELP_DIGEST,
    Search: HELP_SEARCH,
    Help: HELP_HELP,
}


async def help_page(_intent: Help, ctx: Context) -> Answer:
    """Every kind of question with its examples, and how periods are read."""
    language = ctx.language
    title = HELP.text(language)
    kinds = tuple(_kind(kind, phrase, language) for kind, phrase in _KINDS.items())
    periods = HELP_PERIODS(language, zone=ctx.zone.key)
    blocks = (Heading(1, (Text(title),)), Listing(kinds), Paragraph(periods))
    return Answer(
        intent="help", document=Document(title=title, blocks=blocks, language=str(language))
    )


def _kind(kind: type[Intent], phrase: Phrase, language: Language) -> Item:
    examples = tuple(Item((Code(text),)) for of, text in EXAMPLES[language] if of is kind)
    return Item(phrase(language), examples)


async def unknown(intent: Unknown, ctx: Context) -> Answer:
    """That the question is not understood, with the nearest ones that are."""
    language = ctx.language
    said = NOT_UNDERSTOOD(language)
    near = Listing(tuple(Item((Code(text),)) for text in intent.near))
    document = Document(
        title=NOT_UNDERSTOOD.text(language),
        blocks=(Paragraph(said), near),
        language=str(language),
    )
    return Answer(intent="unknown", document=document)
