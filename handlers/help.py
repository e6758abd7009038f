"""``help``: what can be asked, with examples that are read as what they stand for."""

from __future__ import annotations

from digest.answer import Answer
from digest.document import Code, Document, Heading, Item, Listing, Paragraph, Text, plain
from digest.examples import EXAMPLES
from digest.intent import (
    CatchUp,
    Changed,
    Compare,
    DigestOf,
    Explain,
    Help,
    Intent,
    More,
    PrivacyOf,
    Retell,
    Risky,
    Search,
    ShowDiff,
    Status,
    Touched,
    Unknown,
    Why,
)
from digest.language import Language
from digest.managing import Filter, Mute, Set, Subscribe
from digest.phrases import (
    HELP,
    HELP_CATCH_UP,
    HELP_CHANGED,
    HELP_COMPARE,
    HELP_DIFF,
    HELP_DIGEST,
    HELP_EXPLAIN,
    HELP_HELP,
    HELP_MORE,
    HELP_PERIODS,
    HELP_PRIVACY,
    HELP_RETELL,
    HELP_RISKY,
    HELP_SEARCH,
    HELP_STATUS,
    HELP_TOUCHED,
    HELP_WHY,
    NOT_READ_TOO_LONG,
    NOT_UNDERSTOOD,
    TWO_LANGUAGES,
)
from digest.question import LONGEST
from digest.words.chats import HELP_FILTER, HELP_MUTE, HELP_SETTINGS, HELP_SUBSCRIBE
from digest.words.phrase import Phrase
from handlers.context import Context

_KINDS: dict[type[Intent], Phrase] = {
    Explain: HELP_EXPLAIN,
    Changed: HELP_CHANGED,
    DigestOf: HELP_DIGEST,
    Search: HELP_SEARCH,
    Touched: HELP_TOUCHED,
    Compare: HELP_COMPARE,
    CatchUp: HELP_CATCH_UP,
    Why: HELP_WHY,
    Risky: HELP_RISKY,
    ShowDiff: HELP_DIFF,
    More: HELP_MORE,
    Retell: HELP_RETELL,
    Status: HELP_STATUS,
    PrivacyOf: HELP_PRIVACY,
    Help: HELP_HELP,
}


_ROOM_KINDS: dict[type[Intent], Phrase] = {
    Subscribe: HELP_SUBSCRIBE,
    Mute: HELP_MUTE,
    Filter: HELP_FILTER,
    Set: HELP_SETTINGS,
}
"""What only a chat can be told."""


async def help_page(_intent: Help, ctx: Context) -> Answer:
    """Every kind of question with its examples, and how periods are read."""
    language = ctx.language
    title = HELP.text(language)
    told = _KINDS if ctx.room is None else {**_KINDS, **_ROOM_KINDS}
    kinds = tuple(_kind(kind, phrase, language) for kind, phrase in told.items())
    periods = HELP_PERIODS(language, zone=ctx.zone.key)
    blocks = (Heading(1, (Text(title),)), Listing(kinds), Paragraph(periods))
    return Answer(
        intent="help", document=Document(title=title, blocks=blocks, language=str(language))
    )


def _kind(kind: type[Intent], phrase: Phrase, language: Language) -> Item:
    examples = tuple(Item((Code(text),)) for of, text in EXAMPLES[language] if of is kind)
    return Item(phrase(language), examples)


async def unknown(intent: Unknown, ctx: Context) -> Answer:
    """That the question is not understood, why if that is known, with the nearest that are."""
    language = ctx.language
    said = NOT_UNDERSTOOD(language)
    if intent.too_long:
        said = NOT_READ_TOO_LONG(language, n=LONGEST)
    elif intent.foreign:
        said = TWO_LANGUAGES(language)
    near = Listing(tuple(Item((Code(text),)) for text in intent.near))
    document = Document(
        title=plain(said),
        blocks=(Paragraph(said), near),
        language=str(language),
    )
    return Answer(intent="unknown", document=document)
