"""A question in words: read as an intent, handed to what answers it, told in its language."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, get_args

from digest.answer import Answer
from digest.complaint import complaint
from digest.document import Document, Paragraph, Text
from digest.errors import UserError
from digest.intent import Changed, DigestOf, Explain, Help, Intent, Search, Unknown
from digest.language import Language
from digest.managing import Managing
from digest.question import language_of, parse
from handlers.changed import changed
from handlers.context import Context
from handlers.conversing import ConversationKey
from handlers.digest_of import digest_of
from handlers.explain import explain
from handlers.help import help_page, unknown
from handlers.search import search
from handlers.subscribing import manage

HANDLERS: Mapping[type[Intent], Callable[[Any, Context], Awaitable[Answer]]] = {
    Explain: explain,
    Changed: changed,
    Search: search,
    DigestOf: digest_of,
    Help: help_page,
    Unknown: unknown,
    **dict.fromkeys(get_args(Managing), manage),
}
"""What answers each intent: one handler a member of the closed set."""


async def ask(
    text: str,
    ctx: Context,
    language: Language | None = None,
    *,
    conversation: ConversationKey | None = None,
) -> Answer:
    """Answer a question in ``language``, else in that of the question, else in the context's.

    ``conversation`` says whose it is, so that what follows need not name anything again.

    A user's error becomes a short answer that holds it as ``error``; others are raised.
    """
    told = replace(
        ctx,
        language=language or language_of(text) or ctx.language,
        conversation=conversation or ctx.conversation,
    )
    try:
        return await answer(parse(text, ctx.clock.now(), ctx.zone), told)
    except UserError as error:
        said = complaint(error, told.language)
        document = Document(
            title=said, blocks=(Paragraph((Text(said),)),), language=str(told.language)
        )
        return Answer(intent="unknown", document=document, error=error)


async def answer(intent: Intent, ctx: Context) -> Answer:
    """Answer an intent in the context's language. Raises ``UserError``."""
    return await HANDLERS[type(intent)](intent, ctx)
