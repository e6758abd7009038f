r"""One question until there is a reply that can be used: what to send next, and when to give up.

No I/O here. Each way out of a bad reply is taken once, so that a question takes at most five
answers, and most take one::

    blank ---------------------> the same again
    stopped at the length limit -> with all the room there is -> with the wish to be shorter
    no JSON, wrong shape, \
    wrong language ------------> with the complaint ("mend it")
    declined, filtered --------> no way out
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from bot.models import parsing, tokens, wording
from bot.models.base import Answer, Ask, Finish
from bot.models.ladder import Dialect, Rung
from bot.models.schema import problem
from bot.models.tongue import speaks
from handlers.model_port import (
    OVERHEAD,
    Message,
    ModelError,
    ModelReason,
    ModelRequest,
    Profile,
    Role,
)

T = TypeVar("T")

# More room is asked for only where it is worth a call.
_WORTH = 1.2
# A bad reply is shown to the model again up to this many characters; the complaint matters more.
_ECHO = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole(Generic[T]):
    """The reply can be used."""

    value: T


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """It cannot; the next question says why. ``unkept``: a strict server broke the schema."""

    why: ModelReason
    unkept: bool = False


class _Unusable(Exception):
    """A reply that is whole and wrong."""

    def __init__(self, reason: ModelReason, complaint: str, *, unkept: bool = False) -> None:
        super().__init__(complaint)
        self.reason = reason
        self.complaint = complaint
        self.unkept = unkept


class Dialogue(Generic[T]):
    """The state of one question. Every method may raise ``ModelError``: then it has ended."""

    def __init__(self, request: ModelRequest[T], profile: Profile, factor: float) -> None:
        """``factor`` corrects the estimates of :func:`bot.models.tokens.raw`."""
        self._request = request
        self._profile = profile
        self._factor = factor
        self._weights: dict[str, float] = {}
        self._output = min(request.output_tokens, profile.max_output)
        self._more: tuple[Message, ...] = ()
        self._ways = {"blank", "wider", "shorter", "mend"}

    def ask(self, dialect: Dialect) -> Ask:
        """What to send. Raises ``CONTEXT_LENGTH`` where it cannot fit."""
        messages = _described(self._request, dialect.rung) + self._more
        room = self._room(messages)
        if self._more and room < self._output:
            # Rather mend without sight of the bad reply than not at all.
            messages = tuple(one for one in messages if one.role is not Role.ASSISTANT)
            room = self._room(messages)
        if room < self._output // 2:
            raise ModelError(
                ModelReason.CONTEXT_LENGTH,
                f"the messages leave about {room} tokens of {self._profile.context} for a reply "
                f"of {self._output}",
            )
        return Ask(
            messages=messages,
            output_tokens=min(self._output, room),
            dialect=dialect,
            estimated=sum(self._weight(message.text) for message in messages),
            name=self._request.name,
            schema=self._request.schema,
        )

    def take(self, ask: Ask, answer: Answer) -> Whole[T] | Again:
        """Judge an answer."""
        if answer.refusal:
            raise ModelError(ModelReason.REFUSED, "the model declined")
        if answer.finish is Finish.FILTER:
            raise ModelError(ModelReason.FILTERED, "the server's content filter stopped the reply")
        if answer.finish is Finish.LENGTH:
            return self._longer(ask)
        try:
            return Whole(value=self._read(ask, answer))
        except _Unusable as unusable:
            # Some servers say "stop" where the limit stopped them.
            if answer.metered and answer.metered.output >= ask.output_tokens:
                return self._longer(ask)
            if unusable.reason is ModelReason.EMPTY:
                return self._once("blank", unusable)
            return self._mended(unusable, answer)

    def _read(self, ask: Ask, answer: Answer) -> T:
        """The value of a whole reply. Raises ``_Unusable``."""
        text = parsing.without_thoughts(answer.text)
        if not text:
            raise _Unusable(ModelReason.EMPTY, "it is blank")
        schema = self._request.schema
        if schema is None:
            if answer.metered and answer.metered.output >= ask.output_tokens:
                raise _Unusable(ModelReason.CUT_OFF, "it is cut off")
            found: object = parsing.clean(text)
        else:
            found = self._object(answer.text, ask.dialect.rung)
        try:
            value = self._request.read(found)
        except ValueError as error:
            raise _Unusable(ModelReason.WRONG_SHAPE, str(error)) from error
        wanted = self._request.language
        if wanted is not None and not speaks(found, wanted):
            raise _Unusable(ModelReason.WRONG_LANGUAGE, wording.other_language(wanted))
        return value

    def _object(self, text: str, rung: Rung) -> Any:
        """The first object in a reply that fits the schema."""
        unkept = rung is Rung.STRICT
        try:
            found = parsing.objects(text)
        except ValueError as error:
            raise _Unusable(ModelReason.NOT_JSON, str(error), unkept=unkept) from error
        schema = self._request.schema or {}
        problems = [problem(one, schema) for one in found]
        for one, wrong in zip(found, problems, strict=True):
            if not wrong:
                return one
        raise _Unusable(ModelReason.WRONG_SHAPE, problems[-1], unkept=unkept)

    def _longer(self, ask: Ask) -> Again:
        most = min(self._profile.max_output, self._room(ask.messages))
        if "wider" in self._ways and most >= ask.output_tokens * _WORTH:
            self._ways.discard("wider")
            self._output = most
            return Again(why=ModelReason.CUT_OFF)
        if "shorter" in self._ways:
            self._ways -= {"wider", "shorter"}
            words = wording.shorter(ask.output_tokens)
            self._more = (*self._more, Message(role=Role.USER, text=words))
            return Again(why=ModelReason.CUT_OFF)
        raise ModelError(
            ModelReason.CUT_OFF, f"stopped at {ask.output_tokens} tokens, also when asked for less"
        )

    def _once(self, way: str, unusable: _Unusable) -> Again:
        if way not in self._ways:
            raise ModelError(unusable.reason, unusable.complaint)
        self._ways.discard(way)
        return Again(why=unusable.reason, unkept=unusable.unkept)

    def _mended(self, unusable: _Unusable, answer: Answer) -> Again:
        step = self._once("mend", unusable)
        self._more = (
            *self._more,
            Message(role=Role.ASSISTANT, text=parsing.clean(answer.text[:_ECHO])),
            Message(role=Role.USER, text=wording.mend(unusable.complaint, self._request.schema)),
        )
        return step

    def _room(self, messages: Sequence[Message]) -> int:
        """Tokens left for the reply. A schema that goes beside the messages may count, too."""
        taken = sum(self._weight(message.text) for message in messages)
        if self._request.schema is not None:
            taken += self._weight(wording.shape(self._request.schema))
        return self._profile.context - OVERHEAD // 2 - int(taken * self._factor)

    def _weight(self, text: str) -> float:
        """The uncorrected estimate of a text, made once."""
        if text not in self._weights:
            self._weights[text] = tokens.raw(text)
        return self._weights[text]


def _described(request: ModelRequest[Any], rung: Rung) -> tuple[Message, ...]:
    """The messages, with the schema in the first one where the server does not know it."""
    if request.schema is None or rung is Rung.STRICT:
        return request.messages
    words = wording.shape(request.schema)
    first, *rest = request.messages
    if first.role is Role.SYSTEM:
        return (replace(first, text=f"{first.text}\n\n{words}"), *rest)
    return (Message(role=Role.SYSTEM, text=words), *request.messages)
