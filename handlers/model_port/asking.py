"""A question to a language model, the reply, and who answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Protocol, TypeAlias, TypeVar

from digest.language import Language
from handlers.model_port.failure import ModelReason
from handlers.model_port.usage import Account, Usage

T = TypeVar("T")


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of what the model is given."""

    role: Role
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

    messages: tuple[Message, ...]
    read: Callable[[object], T]
    account: Account
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
class Piece:
    """Some more of a reply that is not whole yet, as raw text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart:
    """All pieces so far are void: the reply begins again. ``why`` is what was wrong with them."""

    why: ModelReason


StreamEvent: TypeAlias = Piece | Restart | ModelReply[T]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
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
    def profile(self) -> Profile:
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
