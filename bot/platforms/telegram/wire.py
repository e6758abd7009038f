"""What goes over the wire: the content of a message, and requests that tell who answered."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import structlog
from telegram import InlineKeyboardButton, InlineKeyboardMarkup, MessageEntity, Update
from telegram.request import HTTPXRequest, RequestData

from bot.platforms.telegram.faults import ServerFault
from bot.platforms.telegram.inert import inert_alike

log = structlog.get_logger(__name__)

# The library makes an error of each of these, from what the answer says.
_BOT_API = frozenset({400, 401, 403, 404, 409, 429})


class Me(NamedTuple):
    """The bot's own account; ``name`` is its user name, without the @."""

    id: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a message says, as the Bot API takes it."""

    text: str
    entities: list[MessageEntity] = field(default_factory=list)
    keyboard: InlineKeyboardMarkup | None = None

    @classmethod
    def parse(cls, body: str) -> Content:
        """The content of a part's body."""
        loaded = json.loads(body)
        rows = [[_button(**key) for key in row] for row in loaded["buttons"]]
        return cls(
            text=loaded["text"],
            entities=[MessageEntity(**entity) for entity in loaded["entities"]],
            keyboard=InlineKeyboardMarkup(rows) if rows else None,
        )

    @property
    def plain(self) -> Content:
        """The words alone. Outside code and links some of them would begin to act."""
        return Content(text=inert_alike(self.text))


def _button(text: str, data: str | None = None, url: str | None = None) -> InlineKeyboardButton:
    return InlineKeyboardButton(text, callback_data=data, url=url)


def update_of(content: str) -> Update | None:
    """The update in a text; ``None``, with a word in the log, for what is none."""
    try:
        return Update.de_json(json.loads(content), None)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        log.warning("telegram.not_an_update", error=type(error).__name__)
        return None


class Request(HTTPXRequest):
    """Tells answers of the Bot API from those of whatever stands before it."""

    @classmethod
    def patient(cls, answer: float) -> Self:
        """Requests that wait so many seconds for a step."""
        return cls(
            connect_timeout=answer / 2,
            write_timeout=answer,
            read_timeout=answer,
            pool_timeout=answer,
        )

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        *args: Any,
        **more: Any,
    ) -> tuple[int, bytes]:
        """The answer, where it is the Bot API's. Raises the library's errors."""
        status, payload = await super().do_request(url, method, request_data, *args, **more)
        if not 200 <= status <= 299 and status not in _BOT_API:
            raise ServerFault(status)
        return status, payload
