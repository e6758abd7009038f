r"""One question until there is a usable reply: what to send next, and when to give up; no I/O.

Each remedy for a bad reply is used once, so that a question takes at most six answers::

    blank ---------------------> the same again
    stopped at the length limit -> with all available room -> with a request to be shorter
    no JSON, wrong shape, \
    wrong language ------------> with the complaint ("mend it")
    no JSON or wrong shape again -> anew, one rung down, if no reply ever kept to this one
    declined, filtered --------> no remedy

The language of sentences is recognised by script, without code, paths and names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from bot.llm import calls, json_reply
from bot.llm.json_reply import problem
from bot.llm.response_format import Dialect, Rung
from bot.llm.transport_values import Ask, Finish, ModelResponse
from digest.core.enums import Language
from digest.frozen import frozen
from digest.llm import prompt
from handlers.ports.model_port import (
    OVERHEAD,
    CallKind,
    ModelError,
    ModelMessage,
    ModelProfile,
    ModelReason,
    ModelRequest,
    Speaker,
)

_CODE = re.compile(r"`[^`]*`|https?://\S+")

# Words consist of letters only; anything with a digit, underscore, dot, slash or an inner capital
# is a name.
_WORD = re.compile(r"(?<![\w./:-])[A-Za-z][a-z]+(?![\w./:-]*[\w/])")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")

# Kana, Hangul, Cyrillic, Greek, Arabic, Hebrew, Thai, Devanagari.
_OTHER = re.compile(
    r"[\u3040-\u30ff\uac00-\ud7af\u0400-\u04ff\u0370-\u03ff\u0600-\u06ff\u0590-\u05ff\u0e00-\u0e7f\u0900-\u097f]"
)

# Two Han characters make about one word. A text with fewer words than this is too short to judge.
_LEAST = 8
_HAN_A_WORD = 2


def sentences(value: Any) -> Iterator[str]:
    """The texts in a reply that are meant for people: those with more than one word."""
    if isinstance(value, str):
        if " " in value.strip() or _HAN.search(value) or _OTHER.search(value):
            yield value
    elif isinstance(value, list):
        for item in value:
            yield from sentences(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from sentences(item)


def speaks(value: Any, language: Language) -> bool:
    """Whether the sentences in a value are in the language; true if there are too few words."""
    text = _CODE.sub(" ", "\n".join(sentences(value)))
    latin = len(_WORD.findall(text))
    han = len(_HAN.findall(text)) / _HAN_A_WORD
    other = len(_OTHER.findall(text)) / _HAN_A_WORD
    total = latin + han + other
    if total < _LEAST:
        return True
    if other > total / 4:
        return False
    # Chinese about code contains many English words; English contains hardly any Chinese.
    return han >= total / 4 if language is Language.ZH else han <= total / 4


T = TypeVar("T")
_WORTH = 1.2  # a retry asks for more room only if there is at least this many times as much

# The characters of a bad reply that are shown to the model again; the complaint matters more.
_ECHO = 8_000


@frozen
class Whole(Generic[T]):
    """The reply can be used."""

    value: T


@frozen
class AskAgain:
    """The reply cannot be used. The next request says why."""

    why: ModelReason
    unkept: bool = False  # the server broke the schema, so its rung is too high


class _Unusable(Exception):
    """A complete reply with wrong content."""

    def __init__(self, reason: ModelReason, complaint: str, *, rung: Rung | None = None) -> None:
        """``rung`` is the one whose schema was broken."""
        super().__init__(complaint)
        self.reason = reason
        self.complaint = complaint
        self.unkept = rung is Rung.STRICT
        self.shapeless = rung is not None


class Dialogue(Generic[T]):
    """The state of one question. Any method may raise ``ModelError``, which ends it."""

    def __init__(self, request: ModelRequest[T], profile: ModelProfile, factor: float) -> None:
        """``factor`` corrects the estimates of :func:`bot.llm.calls.raw`."""
        self._request = _with_wishes(request, profile.instructions)
        self._profile = profile
        self._factor = factor
        self._weights: dict[str, float] = {}
        self._output = min(request.output_tokens, profile.max_output)
        self._more: tuple[ModelMessage, ...] = ()
        self._ways = {"blank", "wider", "shorter", "mend"}

    def ask(self, dialect: Dialect) -> Ask:
        """The next request. Raises ``CONTEXT_LENGTH`` if it cannot fit."""
        messages = _messages_for(self._request, dialect.rung) + self._more
        room = self._room(messages)
        if self._more and room < self._output:
            # Asking for a correction without showing the bad reply is better than giving up.
            messages = tuple(one for one in messages if one.role is not Speaker.ASSISTANT)
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

    def take(self, ask: Ask, answer: ModelResponse, *, proven: bool = False) -> Whole[T] | AskAgain:
        """Judge an answer. ``proven`` says that the server has kept to a schema on this rung."""
        if answer.refusal:
            raise ModelError(ModelReason.REFUSED, "the model declined")
        if answer.finish is Finish.FILTER:
            raise ModelError(ModelReason.FILTERED, "the server's content filter stopped the reply")
        if answer.finish is Finish.LENGTH:
            return self._longer(ask)
        try:
            return Whole(value=self._read(ask, answer))
        except _Unusable as unusable:
            # Some servers report "stop" although the length limit stopped them.
            if answer.metered and answer.metered.output >= ask.output_tokens:
                return self._longer(ask)
            if unusable.reason is ModelReason.EMPTY:
                return self._once("blank", unusable)
            if unusable.shapeless and not proven and "mend" not in self._ways:
                return self._step_down(ask, unusable)
            return self._ask_for_repair(unusable, answer)

    def _read(self, ask: Ask, answer: ModelResponse) -> T:
        """The value of a complete reply. Raises ``_Unusable``."""
        text = json_reply.without_thoughts(answer.text)
        if not text:
            raise _Unusable(ModelReason.EMPTY, "it is blank")
        schema = self._request.schema
        if schema is None:
            if answer.metered and answer.metered.output >= ask.output_tokens:
                raise _Unusable(ModelReason.CUT_OFF, "it is cut off")
            found: object = json_reply.clean(text)
        else:
            found = self._object(answer.text, ask.dialect.rung)
        try:
            value = self._request.read(found)
        except ValueError as error:
            raise _Unusable(ModelReason.WRONG_SHAPE, str(error)) from error
        wanted = self._request.language
        if wanted is not None and not speaks(found, wanted):
            raise _Unusable(ModelReason.WRONG_LANGUAGE, prompt.other_language(wanted))
        return value

    def _object(self, text: str, rung: Rung) -> Any:
        """The first object in a reply that fits the schema."""
        try:
            values = json_reply.objects(text)
        except ValueError as error:
            raise _Unusable(ModelReason.NOT_JSON, str(error), rung=rung) from error
        schema = self._request.schema or {}
        problems = [problem(value, schema) for value in values]
        for value, wrong in zip(values, problems, strict=True):
            if not wrong:
                return value
        raise _Unusable(ModelReason.WRONG_SHAPE, problems[-1], rung=rung)

    def _longer(self, ask: Ask) -> AskAgain:
        most = min(self._profile.max_output, self._room(ask.messages))
        if "wider" in self._ways and most >= ask.output_tokens * _WORTH:
            self._ways.discard("wider")
            self._output = most
            return AskAgain(why=ModelReason.CUT_OFF)
        if "shorter" in self._ways:
            self._ways -= {"wider", "shorter"}
            words = prompt.shorter(ask.output_tokens)
            self._more = (*self._more, ModelMessage(role=Speaker.USER, text=words))
            return AskAgain(why=ModelReason.CUT_OFF)
        raise ModelError(
            ModelReason.CUT_OFF,
            f"hit the limit of {ask.output_tokens} tokens again after being asked to be shorter",
        )

    def _once(self, way: str, unusable: _Unusable) -> AskAgain:
        if way not in self._ways:
            raise ModelError(unusable.reason, unusable.complaint)
        self._ways.discard(way)
        return AskAgain(why=unusable.reason, unkept=unusable.unkept)

    def _step_down(self, ask: Ask, unusable: _Unusable) -> AskAgain:
        if ask.dialect.rung.below is None:
            raise ModelError(unusable.reason, unusable.complaint)
        self._more = ()
        return AskAgain(why=unusable.reason, unkept=True)

    def _ask_for_repair(self, unusable: _Unusable, answer: ModelResponse) -> AskAgain:
        step = self._once("mend", unusable)
        self._more = (
            *self._more,
            ModelMessage(role=Speaker.ASSISTANT, text=json_reply.clean(answer.text[:_ECHO])),
            ModelMessage(
                role=Speaker.USER, text=prompt.mend(unusable.complaint, self._request.schema)
            ),
        )
        return step

    def _room(self, messages: Sequence[ModelMessage]) -> int:
        """Tokens left for the reply. A schema sent beside the messages may count too."""
        taken = sum(self._weight(message.text) for message in messages)
        if self._request.schema is not None:
            taken += self._weight(prompt.shape(self._request.schema))
        return self._profile.context - OVERHEAD // 2 - int(taken * self._factor)

    def _weight(self, text: str) -> float:
        if text not in self._weights:
            self._weights[text] = calls.raw(text)
        return self._weights[text]


_UNWISHED = frozenset({CallKind.QUESTION, CallKind.PROBE})  # what a team has no wishes about


def _with_wishes(request: ModelRequest[T], instructions: str) -> ModelRequest[T]:
    """The request with the instructions of a team at the end of what all requests share."""
    if not instructions or request.account.kind in _UNWISHED:
        return request
    first, *rest = request.messages
    wished = replace(first, text=f"{first.text}\n\n{prompt.wishes(instructions)}")
    return replace(request, messages=(wished, *rest))


def _messages_for(request: ModelRequest[Any], rung: Rung) -> tuple[ModelMessage, ...]:
    """The messages, with the schema in the first one if the server does not support schemas."""
    if request.schema is None or rung is Rung.STRICT:
        return request.messages
    words = prompt.shape(request.schema)
    first, *rest = request.messages
    if first.role is Speaker.SYSTEM:
        return (replace(first, text=f"{first.text}\n\n{words}"), *rest)
    return (ModelMessage(role=Speaker.SYSTEM, text=words), *request.messages)
