"""The port to language models: questions, replies, errors, billing and budgets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Generic, Protocol, TypeAlias, TypeVar

from digest.core.enums import Language
from digest.errors import DigestbotError
from digest.frozen import frozen


class CallKind(StrEnum):
    """The purpose of a call: the rows of a cost report."""

    ANALYSIS = "analysis"
    LINES = "lines"
    LEAD = "lead"
    EXPLAIN = "explain"
    QUESTION = "question"
    PROBE = "probe"


@frozen
class BillingAccount:
    """Who a call is charged to (empty: nobody) and, for the ledger only, what it is about."""

    kind: CallKind
    repository: str = ""
    channel: str = ""
    person: str = ""
    subject: str = ""


@frozen
class Usage:
    """The usage of calls. Values add up."""

    calls: int = 0  # requests that were sent
    input_tokens: int = 0  # with the cached ones
    cached_tokens: int = 0
    output_tokens: int = 0  # with the model's reasoning
    cost: Decimal = Decimal(0)  # in the currency of the configuration
    estimated: bool = False  # in part by us, on the high side, so that a cap holds

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost=self.cost + other.cost,
            estimated=self.estimated or other.estimated,
        )


class ModelReason(StrEnum):
    """Why there is no reply. A closed set: metrics, the run's record and tests rely on it."""

    RATE_LIMITED = "rate_limited"  # too many requests or tokens, for longer than the caller waits
    UNAVAILABLE = "unavailable"  # no connection, 5xx, or failed a moment ago and not retried yet
    TIMEOUT = "timeout"  # no answer in time, or no turn in time
    BROKEN = "broken"  # the answer broke off, or does not follow the protocol
    UNAUTHORIZED = "unauthorized"  # the key is wrong or lacks permission
    NO_CREDIT = "no_credit"  # the account has no credit left
    UNKNOWN_MODEL = "unknown_model"  # the server has no such model
    REJECTED = "rejected"  # the server does not accept this request
    CONTEXT_LENGTH = "context_length"  # the request is longer than the model's context
    CUT_OFF = "cut_off"  # the reply stopped at the length limit, every time
    EMPTY = "empty"  # the reply is blank, also when asked again
    NOT_JSON = "not_json"  # no JSON object in the reply, also after a repair request
    WRONG_SHAPE = "wrong_shape"  # JSON of another shape, also after a repair request
    WRONG_LANGUAGE = "wrong_language"  # words in another language, also after a repair request
    REFUSED = "refused"  # the model declines
    FILTERED = "filtered"  # the server's content filter stopped question or reply
    BUDGET = "budget"  # a cap on tokens or money is reached


class ModelError(DigestbotError):
    """There is no reply; ``usage`` was spent anyway."""

    # ``detail`` is one line for logs and the run's record, never for a report. It holds no key; a
    # server's own words in it are cut to 300 characters.

    def __init__(
        self, reason: ModelReason, detail: str = "", *, usage: Usage | None = None
    ) -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason
        self.detail = detail
        self.usage = usage or Usage()


class BudgetSpent(ModelError):
    """A cap would be exceeded. ``cap`` names it, such as ``tokens a day of channel 'team'``."""

    def __init__(self, cap: str) -> None:
        super().__init__(ModelReason.BUDGET, cap)
        self.cap = cap


T = TypeVar("T")


class Speaker(StrEnum):
    """The speaker of a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@frozen
class ModelMessage:
    """One message of a prompt."""

    role: Speaker
    text: str


@frozen
class ModelRequest(Generic[T]):
    """One question to a model."""

    # ``messages`` begin with the part that many requests share, byte for byte, because servers
    # cache by the common prefix. ``schema`` is a JSON schema within the subset that strict servers
    # take: an object at the root, every property required, ``additionalProperties`` false, no
    # defaults. ``read`` converts the parsed object (or the text, without a schema) to the value,
    # and raises ``ValueError`` with words that tell the model what to correct; it is pure and may
    # be called several times.

    messages: tuple[ModelMessage, ...]
    read: Callable[[object], T]
    account: BillingAccount
    schema: Mapping[str, object] | None = None  # ``None`` asks for plain text
    name: str = "reply"  # of the schema: letters, digits, ``-`` and ``_``
    output_tokens: int = 1024  # initial room for the reply, which is requested again with more
    language: Language | None = None  # of the reply's sentences
    patience: float | None = None  # seconds for everything, turns and repeats included, if given


@frozen
class ModelReply(Generic[T]):
    """A whole reply, parsed."""

    value: T
    usage: Usage  # of every call that it took, as ``seconds``
    model: str  # the server's name for the model that answered
    seconds: float
    by: str = ""  # the name in the configuration of that model; empty for the first one


@frozen
class ReplyPiece:
    """A piece of a reply that is not complete yet, as raw text."""

    text: str


@frozen
class Restart:
    """The reply starts over; all pieces so far are void. ``why`` says what was wrong."""

    why: ModelReason


StreamEvent: TypeAlias = ReplyPiece | Restart | ModelReply[T]


@frozen
class ModelProfile:
    """What a caller must know of the model to fit a request to it."""

    name: str
    server: str
    context: int  # tokens that question and reply share
    max_output: int  # the most that a reply may take of them
    currency: str = "USD"
    slots: int = 8  # how many questions it takes at once
    wording: str = "0"  # version of the text that the client adds, part of the prompt's version
    instructions: str = ""  # of the team, added to prompts for analyses
    reserve: str = ""  # the name of the model that answers what this one cannot

    def room(self, output_tokens: int) -> int:
        """Tokens left for the messages beside a reply of ``output_tokens``, at least 0."""
        taken = OVERHEAD + (100 + len(self.instructions.encode()) // 2 if self.instructions else 0)
        return max(0, self.context - min(output_tokens, self.max_output) - taken)


OVERHEAD = 256
"""Tokens kept free for what the client adds to a request: role marks, format, repair words. The
schema's text comes on top if a server needs it in words."""


class Model(Protocol):
    """A language model."""

    @property
    def profile(self) -> ModelProfile:
        """Its name and limits."""

    def count(self, text: str) -> int:
        """An estimate of the tokens in a text, rather too high than too low."""

    async def complete(self, request: ModelRequest[T]) -> ModelReply[T]:
        """Ask, and return the whole reply. Raises ``ModelError``."""

    def stream(self, request: ModelRequest[T]) -> AsyncIterator[StreamEvent[T]]:
        """Ask, and yield the reply while it arrives; the last event is the whole reply.

        Raises ``ModelError``: then there is no reply, and the pieces so far are void. A server that
        cannot stream yields the reply alone. To stop early, close the iterator.
        """


OK = "ok"  # the outcome of a call that was answered


@frozen
class ModelCall:
    """One request to a server."""

    at: datetime  # when it was sent
    account: BillingAccount
    model: str
    rung: str  # how the server was asked to follow a schema
    usage: Usage
    seconds: float  # how long it took
    outcome: str  # :data:`OK`, ``cancelled``, or the value of a :class:`ModelReason`
