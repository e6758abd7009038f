"""Words that the grammar cannot read: what they mean, by a model, where one may be asked.

Nothing else comes of it: the model chooses a question, code reads and answers it. Whatever goes
wrong, the words stay unknown.
"""

from __future__ import annotations

import asyncio
import re

from digest.llm.day_summary import masked
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
"""Seconds that somebody waits to be understood; what else they asked for takes time, too."""

_WORD = re.compile(r"[^\W\d_]{2}|[\u3400-\u9fff]")


async def meaning(words: str, unread: Unknown, ctx: Context) -> Intent | None:
    """What a model takes the words for; ``None`` where none is asked, or it does not know.

    What is too long is not sent, nor what has no word, nor what may have been said to others.
    """
    judging = ctx.judging
    if judging is None or ctx.overheard or ctx.watched.privacy is Privacy.NONE:
        return None
    if unread.too_long or not _WORD.search(words):
        return None
    try:
        intent = await _meant(words, ctx, judging)
    except ModelError:  # the client has logged it and put it on the books
        return None
    return None if isinstance(intent, Unknown) else intent


async def _meant(words: str, ctx: Context, judging: Judging) -> Intent:
    if judging.warm is not None:
        await judging.warm()
    (shown,) = await asyncio.to_thread(
        masked, [" ".join(words.split())], ctx.watched.privacy, judging.redactor
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
