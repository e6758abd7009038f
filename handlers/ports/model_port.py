"""What a call is for, whom it is charged to, and what it took.

Why there is no reply.

A question to a language model, the reply, and who answers.

Whether a call may be paid for, and what was called.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Generic, Protocol, TypeAlias, TypeVar

from digest.core.enums import Language
from digest.errors import DigestbotError


class CallKind(StrEnum):
    """What a call is for: the rows of a cost report."""

    ANALYSIS = "analysis"
    LINES = "lines"
    LEAD = "lead"
    EXPLAIN = "explain"
    QUESTION = "question"
    PROBE = "probe"


@dataclass(frozen=True, slots=True, kw_only=True)
class BillingAccount:
    """What a call is for and whom it is charged to; an empty name is nobody in particular.

    ``subject`` names the thing asked about, such as a commit; it is for the ledger alone.
    """

    kind: CallKind
    repository: str = ""
    channel: str = ""
    person: str = ""
    subject: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What calls took. Values add up.

    ``input_tokens`` includes the ``cached_tokens``, ``output_tokens`` includes what the model
    thought to itself. ``cost`` is in the currency of the configuration. ``calls`` are requests that
    were sent. ``estimated`` says that a server did not report a part, which is then our estimate;
    an estimate is never too low on purpose, so that a cap holds.
    """

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)
    estimated: bool = False

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
    """Why there is no reply. A closed set: metrics, the run's record and tests count on it."""

    RATE_LIMITED = "rate_limited"  # too many requests or tokens, for longer than the caller waits
    UNAVAILABLE = "unavailable"  # no connection, 5xx, or gone a moment ago and not yet tried again
    TIMEOUT = "timeout"  # no answer in time, or no turn in time
    BROKEN = "broken"  # the answer broke off, or is none that the protocol knows
    UNAUTHORIZED = "unauthorized"  # the key is wrong or may not do this
    NO_CREDIT = "no_credit"  # the account has nothing left
    UNKNOWN_MODEL = "unknown_model"  # the server has no such model
    REJECTED = "rejected"  # the server does not take this request
    CONTEXT_LENGTH = "context_length"  # the request is longer than the model's context
    CUT_OFF = "cut_off"  # the reply stopped at the length limit, every time
    EMPTY = "empty"  # the reply is blank, also when asked again
    NOT_JSON = "not_json"  # no JSON object in the reply, also when asked to repair it
    WRONG_SHAPE = "wrong_shape"  # JSON of another shape, also when asked to repair it
    WRONG_LANGUAGE = "wrong_language"  # words in another language, also when asked to repair it
    REFUSED = "refused"  # the model declines
    FILTERED = "filtered"  # the server's content filter stopped question or reply
    BUDGET = "budget"  # a cap on tokens or money is reached


class ModelError(DigestbotError):
    """There is no reply. ``usage`` is what was spent all the same.

    ``detail`` is one line for logs and the run's record, never for a report. It holds no key; a
    server's own words in it are cut to 300 characters.
    """

    def __init__(
        self, reason: ModelReason, detail: str = "", *, usage: Usage | None = None
    ) -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason
        self.detail = detail
        self.usage = usage or Usage()


class BudgetSpent(ModelError):
    """A cap would be passed. ``cap`` names it, such as ``tokens a day of channel 'team'``."""

    def __init__(self, cap: str) -> None:
        super().__init__(ModelReason.BUDGET, cap)
        self.cap = cap


T = TypeVar("T")


class Speaker(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelMessage:
    """One turn of what the model is given."""

    role: Speaker
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest(Generic[T]):
    """One question.

    ``messages`` begin with what is the same for many requests, byte for byte, since servers cache
    by the common prefix. ``schema`` is a JSON schema within the subset that strict servers take:
    an object at the root, every property required, ``additionalProperties`` false, no defaults;
    ``None`` asks for plain text. ``name`` names the schema (letters, digits, ``-`` and ``_``).

    ``read`` turns the parsed object (or the text, where there is no schema) to the value, and
    raises ``ValueError`` with words that tell the model what to mend; it is pure and may be called
    several times. ``output_tokens`` is the room for the reply at first; a reply that does not fit
    is asked for again with more. ``language`` is what the reply's sentences must be in.
    ``patience`` is how long the caller waits for everything, turns and repeats included, in seconds
    from the call; ``None`` leaves it to the configuration.
    """

    messages: tuple[ModelMessage, ...]
    read: Callable[[object], T]
    account: BillingAccount
    schema: Mapping[str, object] | None = None
    name: str = "reply"
    output_tokens: int = 1024
    language: Language | None = None
    patience: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply(Generic[T]):
    """A whole reply, read. ``usage`` covers every call that it took; ``seconds`` likewise.

    ``model`` is what the server calls the model that answered.
    """

    value: T
    usage: Usage
    model: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyPiece:
    """Some more of a reply that is not whole yet, as raw text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart:
    """All pieces so far are void: the reply begins again. ``why`` is what was wrong with them."""

    why: ModelReason


StreamEvent: TypeAlias = ReplyPiece | Restart | ModelReply[T]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProfile:
    """What a caller must know of the model to fit a request to it.

    ``context`` is the tokens that question and reply share; ``max_output`` the most that a reply
    may take of them. ``slots`` is how many questions it takes at once. ``wording`` is the version
    of what the client itself adds to a question: it belongs to that of the prompt.
    """

    name: str
    server: str
    context: int
    max_output: int
    currency: str = "USD"
    slots: int = 8
    wording: int = 0

    def room(self, output_tokens: int) -> int:
        """Tokens left for the messages beside a reply of ``output_tokens``, at least 0."""
        return max(0, self.context - min(output_tokens, self.max_output) - OVERHEAD)


OVERHEAD = 256
"""Tokens kept free for what the client adds to a request: role marks, format, a repair's words.

The schema's text comes on top where a server needs it in words.
"""


class Model(Protocol):
    """A language model."""

    @property
    def profile(self) -> ModelProfile:
        """Its name and its bounds."""

    def count(self, text: str) -> int:
        """An estimate of the tokens in a text, rather too high than too low."""

    async def complete(self, request: ModelRequest[T]) -> ModelReply[T]:
        """Ask, and return the whole reply. Raises ``ModelError``."""

    def stream(self, request: ModelRequest[T]) -> AsyncIterator[StreamEvent[T]]:
        """Ask, and hand on the reply while it comes; the last event is the whole reply.

        Raises ``ModelError``: then there is no reply, and the pieces so far are void. A server that
        cannot stream yields the reply alone. To stop early, close the iterator.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Budget that is set aside for one call while it runs."""

    id: str
    account: BillingAccount
    most: Usage


class BudgetPort(Protocol):
    """The caps on what calls may take: per day, channel and person."""

    async def reserve(self, account: BillingAccount, most: Usage) -> Hold:
        """Set aside the most that a call can take. Raises ``BudgetSpent``."""

    async def settle(self, hold: Hold, usage: Usage) -> None:
        """Give back what was set aside; ``usage`` is what the call took, and the ledger has it."""


OK = "ok"
"""The outcome of a call that was answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One request to a server. ``at`` is when it was sent; ``seconds`` until it was over.

    ``outcome`` is :data:`OK` for an answer (whether or not it could be used), ``cancelled``, or the
    value of a :class:`ModelReason`. ``rung`` is how the server was asked to keep to a schema.
    """

    at: datetime
    account: BillingAccount
    model: str
    rung: str
    usage: Usage
    seconds: float
    outcome: str


class CallLedger(Protocol):
    """Every call to a model, kept."""

    async def add(self, call: ModelCall) -> None:
        """Keep one call."""

    async def spent(
        self, since: datetime, *, channel: str | None = None, person: str | None = None
    ) -> Usage:
        """The sum of the calls from ``since`` on; of one channel or person where given."""


@dataclass(slots=True)
class Unlimited:
    """A purse without caps."""

    _count: int = field(default=0, init=False)

    async def reserve(self, account: BillingAccount, most: Usage) -> Hold:
        """Allow it."""
        self._count += 1
        return Hold(id=str(self._count), account=account, most=most)

    async def settle(self, hold: Hold, usage: Usage) -> None:
        """Nothing was set aside."""
