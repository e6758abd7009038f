"""What answers an intent, and what ``help`` says of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from digest.answer import Answer
from digest.words.phrase import Phrase
from handlers.context import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler:
    """A row of the table of handlers.

    ``help`` is ``None`` for what another row tells of; ``chats`` says that only a chat can ask.
    """

    answer: Callable[[Any, Context], Awaitable[Answer]]
    help: Phrase | None = None
    chats: bool = False
