"""Interprets questions that the grammar is not sure of, by a model if one may be used.

The model answers with a kind of a closed list, which has nothing that changes anything, and a
question in the grammar's own words. It is accepted if the grammar reads the question as that kind
and formats it the same way again, and if what it names (numbers, commits, tags, paths, people,
symbols) occurs in the asker's words. If anything fails, the words keep the reading that they had.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from digest.core.enums import Privacy
from digest.core.reference import Reference
from digest.core.release import LATEST
from digest.errors import UserError
from digest.frozen import frozen
from digest.llm.day_summary import mask_lines
from digest.llm.prompt import Schema, fill_template, texts
from digest.llm.prompt import meaning as prompt_meaning
from digest.llm.prompt_text import fence_content, visible
from digest.question import intent as intents
from digest.question.commit_range import Refs
from digest.question.lexicon import tidy
from digest.question.parser import parse
from digest.question.questions import QUESTIONS, format_intent
from handlers.context import Context
from handlers.ports import model_port
from handlers.ports.analysis_port import Judging

PATIENCE = 15.0  # seconds that an asker waits for the interpretation; the answer takes time as well
_WORD = re.compile(r"[^\W\d_]{2}|[\u3400-\u9fff]")


async def meaning(words: str, unread: intents.Intent, ctx: Context) -> intents.Intent | None:
    """A model's reading of the words; ``None`` if none may be used or it does not know."""
    # Not sent: text that is too long or without a word, or that may be meant for others.
    judging = ctx.judging
    if judging is None or ctx.overheard or ctx.watched.privacy is Privacy.NONE:
        return None
    too_long = isinstance(unread, intents.Unknown) and unread.too_long
    if too_long or not _WORD.search(words):
        return None
    try:
        intent = await _ask_for_intent(words, ctx, judging)
    except model_port.ModelError:  # the client has logged and booked it
        return None
    return None if isinstance(intent, intents.Unknown) else intent


async def _ask_for_intent(words: str, ctx: Context, judging: Judging) -> intents.Intent:
    if judging.warm is not None:
        await judging.warm()
    (shown,) = await asyncio.to_thread(
        mask_lines, [" ".join(words.split())], ctx.watched.privacy, judging.redactor
    )
    now = ctx.clock.now()
    prompt = asking(shown, now.astimezone(ctx.zone).date().isoformat())
    reply = await judging.model.complete(
        model_port.ModelRequest(
            messages=(
                model_port.ModelMessage(role=model_port.Speaker.SYSTEM, text=prompt.system),
                model_port.ModelMessage(role=model_port.Speaker.USER, text=prompt.user),
            ),
            read=meaning_reader(shown, now, ctx.zone),
            account=model_port.BillingAccount(
                kind=model_port.CallKind.QUESTION,
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


UNKNOWN = "unknown"  # the kind of words without a meaning

CHOICES: Mapping[str, type[intents.Intent]] = {
    one.name: intent for intent, one in QUESTIONS.items() if one.model
}
"""What a model may choose. Each only reads."""

_OUTPUT = 160  # tokens of a reply


@frozen
class MeaningRequest:
    """The prompt for an asker's meaning; ``output_tokens`` is the room for a reply."""

    system: str
    user: str
    schema: Schema
    name: str = "meaning"
    output_tokens: int = _OUTPUT


def asking(words: str, today: str) -> MeaningRequest:
    """The prompt about somebody's words, which are fenced here; ``today`` is the asker's date."""
    said = texts("question")
    shown = fence_content(f"> {visible(' '.join(words.split()))}")
    return MeaningRequest(
        system=said.system.strip(),
        user=fill_template(said.user, today=today, question=shown).strip(),
        schema=prompt_meaning(*CHOICES, UNKNOWN),
    )


def meaning_reader(words: str, now: datetime, zone: ZoneInfo) -> Callable[[object], intents.Intent]:
    """The reader of the reply, for ``ModelRequest.read``: an intent of the list, or ``Unknown``.

    It raises ``ValueError``, in words for the model, if the question is not of its kind, or names
    something that the asker did not.
    """
    asked = tidy(words).casefold()

    def read(value: object) -> intents.Intent:
        reply = value if isinstance(value, Mapping) else {}
        kind, question = reply.get("kind"), reply.get("question")
        if kind == UNKNOWN:
            return intents.Unknown()
        choice = CHOICES.get(str(kind))
        if choice is None or not isinstance(question, str):
            raise ValueError("give a kind of the list and a question in its form")
        # The intent of a question in the grammar's words, which must format to the same question.
        try:
            intent = parse(question, now, zone)
            again = parse(format_intent(intent), now, zone)
        except UserError as error:
            raise ValueError(str(error)) from error
        if intent != again:
            raise ValueError("the question says more than its form holds; write it more plainly")
        if type(intent) is not choice:
            raise ValueError(f"the question is not read as {kind}; keep to the form of that kind")
        for name in _names(intent):
            if not _stands(name.casefold(), asked):
                raise ValueError(f"{name!r} does not stand in the asker's words; do not make it up")
        return intent

    return read


def _stands(name: str, asked: str) -> bool:
    """Whether a name occurs in the words; a number not as a part of another."""
    if name.isdigit():
        return re.search(rf"(?<!\d){name}(?!\d)", asked) is not None
    return name in asked


def _names(intent: intents.Intent) -> Iterator[str]:
    """The parts of an intent that only the asker can know; topics and words may be translated."""
    match intent:
        case _ if isinstance(intent, intents.OfChange | intents.Again):
            yield from _reference(intent.reference)
        case intents.Touched(name=name):
            yield name
        case intents.Changed() | intents.Search():
            yield from filter(None, (intent.path, intent.author, intent.label))
        case _:
            pass
    span = intent.refs if isinstance(intent, intents.Compare) else getattr(intent, "window", None)
    if isinstance(span, Refs):
        ends = (end for end in (span.base, span.tip) if end != LATEST)
        yield from filter(None, (*ends, span.repository))


def _reference(reference: Reference | None) -> Iterator[str]:
    if reference is not None:
        yield str(reference.number) if reference.number is not None else reference.sha
        if reference.repository:
            yield reference.repository
