"""Classifies Telegram's failures. Imported with the library.

No error of the library is kept as a cause: their texts and tracebacks can hold the address that was
called, which contains the token.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import httpx
from telegram import error as tg_error

from bot.messaging.sender import SendError, SendReason
from bot.util.sanitize import legible

# Raised before a byte of the request could have an effect.
_NOT_HANDED_OVER = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
    httpx.WriteTimeout,  # an incomplete request has no effect
)

# Descriptions of status 400, for which Telegram has no codes. Lower case.
_NO_CHANNEL = (
    "chat not found",
    "chat_id is empty",
    "chat_id_invalid",
    "channel_invalid",
    "channel_private",
    "peer_id_invalid",
    "user not found",
    "group chat was deactivated",
    "message thread not found",
    "topic_closed",
    "topic_deleted",
    "topic closed",
)
_NO_RIGHT = (
    "not enough rights",
    "have no rights",
    "need administrator rights",
    "chat_write_forbidden",
    "chat_admin_required",
    "chat_send_plain_forbidden",
    "chat_restricted",
)
_MARKUP = ("entit", "button", "keyboard", "reply markup", "reply_markup", "http url", "parse")


_BARRED = "add the bot again, or have the person press Start"
_UNKNOWN_CHAT = (
    "check the id, which begins with -100 for groups and channels, and add the bot; "
    "a person must press Start first"
)


class ServerFault(tg_error.NetworkError):
    """An HTTP status that is not one of the Bot API's own answers."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP status {status}")
        self.status = status


@contextmanager
def classify_errors() -> Iterator[None]:
    """Let no exception but ``SendError`` out."""
    try:
        yield
    except tg_error.TelegramError as error:
        raise send_error(error) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        # The Bot API accepted the call, in a form that the library does not know: it took effect.
        detail = f"an answer that cannot be read ({type(error).__name__})"
        raise SendError(SendReason.NO_ANSWER, detail) from None


def send_error(error: tg_error.TelegramError) -> SendError:
    """The meaning of a failure for the current message."""
    match error:
        case tg_error.RetryAfter():
            return SendError(
                SendReason.RATE_LIMITED,
                "Telegram asks the bot to wait",
                retry_after=seconds_of(error),
            )
        case tg_error.InvalidToken():
            detail = "Telegram rejected the token; copy it again from @BotFather"
            return SendError(SendReason.UNAUTHORIZED, detail)
        case tg_error.Forbidden():
            return SendError(SendReason.NO_CHANNEL, f"{_error_text(error)}; {_BARRED}")
        case tg_error.ChatMigrated():
            detail = f"the group is now the supergroup {error.new_chat_id}"
            return SendError(SendReason.NO_CHANNEL, detail)
        case tg_error.Conflict():
            return SendError(SendReason.UNAVAILABLE, _error_text(error))
        case tg_error.BadRequest():
            said = error.message.lower()
            remedy = f"; {_UNKNOWN_CHAT}" if "chat not found" in said else ""
            return SendError(_reason_of(said), f"{_error_text(error)}{remedy}")
        case ServerFault():
            return SendError(_reason_of_status(error.status), error.message)
        case tg_error.NetworkError():
            return _network(error)
    return SendError(SendReason.BROKEN, _error_text(error))


def seconds_of(error: tg_error.RetryAfter) -> float:
    """Seconds that Telegram asks the bot to wait."""
    wait = error.retry_after
    return wait.total_seconds() if isinstance(wait, timedelta) else float(wait)


def is_about_markup(error: tg_error.BadRequest) -> bool:
    """Whether the same text without entities and buttons might be accepted."""
    description = error.message.lower()
    return any(words in description for words in _MARKUP)


def _reason_of(description: str) -> SendReason:
    if any(words in description for words in _NO_CHANNEL):
        return SendReason.NO_CHANNEL
    if any(words in description for words in _NO_RIGHT):
        return SendReason.UNAUTHORIZED
    return SendReason.REJECTED


def _reason_of_status(status: int) -> SendReason:
    """502 and 504 come from a gateway: the server behind it may have taken the message."""
    if status in {502, 504}:
        return SendReason.NO_ANSWER
    if status >= 500:
        return SendReason.UNAVAILABLE
    return SendReason.REJECTED if status >= 400 else SendReason.BROKEN


def _network(error: tg_error.NetworkError) -> SendError:
    """No answer: if it is unknown whether the request was complete, it may have arrived."""
    cause = error.__cause__
    kind = type(cause or error).__name__
    if isinstance(cause, _NOT_HANDED_OVER):
        return SendError(SendReason.UNAVAILABLE, f"no connection ({kind})")
    return SendError(SendReason.NO_ANSWER, f"the connection ended without an answer ({kind})")


def _error_text(error: tg_error.TelegramError) -> str:
    return legible(error.message)[:200]
