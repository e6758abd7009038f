"""Use cases of questions, one module per question."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module

from digest.answer.answers import Answer
from digest.errors import UnknownChange
from digest.question.intent import Intent, OfCurrent
from digest.question.questions import QUESTIONS
from handlers.context import Context

Handler = Callable[[Intent, Context], Awaitable[Answer]]
"""What answers a question: a function of a module below ``handlers``."""


async def answer(intent: Intent, ctx: Context) -> Answer:
    """Answer an intent; its module is imported at the first use. Raises ``UserError``."""
    module, _, function = QUESTIONS[type(intent)].answer.partition(":")
    handler: Handler = getattr(import_module(f"handlers.{module}"), function)
    try:
        return await handler(intent, ctx)
    except UnknownChange as unknown:
        if not isinstance(intent, OfCurrent) or intent.reference is None:
            raise
        # It may be a request that is not merged, which only its forge knows.
        from handlers.questions.explain import refuse_elsewhere
        from handlers.questions.pull_request import explain_requested

        refuse_elsewhere(intent.reference, ctx)
        return await explain_requested(intent.reference, ctx, unknown)
