"""What passes between the conversation and the wire: one question, one answer, one fault.

The conversation decides what to ask; a :class:`Transport` carries it once, without repeating, and
classifies what goes wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from bot.models.ladder import Dialect
from handlers.model_port import Message, ModelReason


class Finish(StrEnum):
    """Why the server stopped writing."""

    STOP = "stop"
    LENGTH = "length"
    FILTER = "content_filter"
    NONE = ""  # the server does not say


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request, ready to be sent.

    ``output_tokens`` is the most that the reply may take; ``estimated`` the uncorrected estimate
    (see :mod:`bot.models.tokens`) of what the messages take.
    """

    messages: tuple[Message, ...]
    output_tokens: int
    dialect: Dialect
    estimated: float
    name: str = "reply"
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metered:
    """The tokens that a server reports. ``output`` includes thinking, ``input`` the cached."""

    input: int
    output: int
    cached: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back, whole as far as the protocol can tell. ``metered`` ``None``: not reported."""

    text: str
    finish: Finish
    model: str = ""
    refusal: str = ""
    metered: Metered | None = None


@dataclass(slots=True)
class Fault(Exception):
    """A request that got no answer.

    ``charged`` says that the server may have worked for it, and so may ask money. ``retry_after``
    is in seconds, where the server names a time. ``parameter`` is the field that the server objects
    to, where it names one. ``detail`` is one line without the key. ``final`` says that nothing was
    sent and repeating is no use for now.
    """

    reason: ModelReason
    detail: str = ""
    status: int | None = None
    retry_after: float | None = None
    parameter: str = ""
    charged: bool = False
    final: bool = False

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}"


Hear = Callable[[str], None]
"""Who is told each piece of text as it comes."""


class Transport(Protocol):
    """A connection to one server. Every method raises :class:`Fault` and nothing else."""

    async def warm(self) -> None:
        """Have ready what takes long to load."""

    def body(self, ask: Ask) -> Mapping[str, Any]:
        """What :meth:`send` sends, but for what makes it a stream; nothing is sent."""

    async def send(self, ask: Ask, hear: Hear | None = None) -> Answer:
        """Ask once. With ``hear``, and where the dialect streams, pieces are told as they come."""

    async def models(self) -> Sequence[str]:
        """The names of the models that the server lists; this costs no tokens."""

    async def aclose(self) -> None:
        """Let go of connections."""
