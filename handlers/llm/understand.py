"""Interprets questions that the grammar is not sure of, by a model if one may be used.

The model only chooses a question; code reads and answers it. If anything fails, the words keep
the reading that they had.
"""

from __future__ import annotations

import asyncio
import re

from digest.llm.day_summary import mask_lines
from digest.llm.model_input import Privacy
from digest.llm.question_fallback import asking, meaning_reader
from digest.question.intent import Intent, Unknown
from handlers.context import Context
from handlers.ports.analysis_port import Judging
from handlers.ports.model_port import (
    BillingAccount,
    CallKind,
    ModelError,
    ModelMessage,
    ModelRequest,
    Speaker,
)

PATIENCE = 15.0
"""Seconds that an asker waits for the interpretation; the answer takes time as well."""

_WORD = re.compile(r"[^\W\d_]{2}|[\u3400-\u9fff]")


async def meaning(words: str, unread: Intent, ctx: Context) -> Intent | None:
    """A model's reading of the words; ``None`` if none may be used or it does not know.

    Not sent: text that is too long, text without a word, and text that may be meant for others.
    """
    judging = ctx.judging
    if judging is None or ctx.overheard or ctx.watched.privacy is Privacy.NONE:
        return None
    too_long = isinstance(unread, Unknown) and unread.too_long
    if too_long or not _WORD.search(words):
        return None
    try:
        intent = await _ask_for_intent(words, ctx, judging)
    except ModelError:  # the client has logged and booked it
        return None
    return None if isinstance(intent, Unknown) else intent


async def _ask_for_intent(words: str, ctx: Context, judging: Judging) -> Intent:
    if judging.warm is not None:
        await judging.warm()
    (shown,) = await asyncio.to_thread(
        mask_lines, [" ".join(words.split())], ctx.watched.privacy, judging.redactor
    )
    now = ctx.clock.now()
    prompt = asking(shown, now.astimezone(ctx.zone).date().isoformat())
    reply = await judging.model.complete(
        ModelRequest(
            messages=(
                ModelMessage(role=Speaker.SYSTEM, text=prompt.system),
                ModelMessage(role=Speaker.USER, text=prompt.user),
            ),
            read=meaning_reader(shown, now, ctx.zone),
            account=BillingAccount(
                kind=CallKind.QUESTION,
                repository=ctx.watched.repository.name,
                channel=judging.channel,
                person=judging.person,
            ),
            schema=prompt.schema,
            name=prompt.name,
            output_tokens=prompt.output_tokens,
            patience=min(judging.patience, PATIENCE),
        )
    )
    return reply.value
