"""Feishu's events, parsed without trusting any field.

Messages: https://open.feishu.cn/document/server-docs/im-v1/message/events/receive Buttons:
https://open.feishu.cn/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/card-callback-communication
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from bot.messaging.receiver import Incoming, MessageEvent
from bot.messaging.sender import Receipt
from digest.frozen import frozen

_PRESSED = "card.action.trigger"

TOAST = {
    "toast": {
        "type": "info",
        "content": "On it",
        "i18n": {"en_us": "On it", "zh_cn": "收到，正在处理", "zh_tw": "收到，正在處理"},
    }
}
"""The message shown at once to the person who pressed a button."""


@frozen
class FeishuMessage:
    """A message that is, or may be, meant for the bot."""

    incoming: Incoming
    thread: str = ""  # its root, if it must be checked that the bot takes part in it
    settled: bool = False  # the event tells whether outsiders read the chat, which may be direct


def is_press(event: Any) -> bool:
    """Whether the event needs more than an acknowledgement."""
    return bool(_path(event, "header", "event_type") == _PRESSED)


def read(event: Any, bot: str, now: datetime) -> FeishuMessage | None:
    """The message in the event; ``None`` if it has none. ``bot`` is the bot's own id."""
    match _path(event, "header", "event_type"):
        case "im.message.receive_v1":
            return _message(event, bot, now)
        case "card.action.trigger":
            return _button_press(event, now)
        case "im.message.recalled_v1":
            return _recall(event, now)
        case _:
            return None


def _message(event: Any, bot: str, now: datetime) -> FeishuMessage | None:
    message = _path(event, "event", "message")
    number, chat = _text(message, "message_id"), _text(message, "chat_id")
    person = _text(event, "event", "sender", "sender_id", "open_id")
    if not number or not chat or _path(event, "event", "sender", "sender_type") != "user":
        return None
    mentions = [one for one in _list(message, "mentions") if isinstance(one, dict)]
    text = _without_mentions(_words(message), mentions, bot)
    direct = _path(message, "chat_type") == "p2p"
    root = _text(message, "root_id") if _text(message, "thread_id") else ""
    named = direct or any(_is_bot(one, bot) for one in mentions)
    if not text or not (named or root):
        return None
    home = _text(event, "header", "tenant_key")
    stranger = _text(event, "event", "sender", "tenant_key") not in {"", home}
    return FeishuMessage(
        incoming=Incoming(
            platform="feishu",
            chat=chat,
            person=person,
            text=text,
            id=number,
            at=_time(_path(message, "create_time"), 1000, now),
            receipt=Receipt(message=number, thread="" if direct else root or number),
            direct=direct,
            addressed=named,
            workspace=home,
            external=stranger,
        ),
        thread="" if named else root,
        settled=stranger or direct,
    )


def _button_press(event: Any, now: datetime) -> FeishuMessage | None:
    value = _path(event, "event", "action", "value")
    number, card = (
        _text(event, "header", "event_id"),
        _text(event, "event", "context", "open_message_id"),
    )
    chat = _text(event, "event", "context", "open_chat_id")
    if not isinstance(value, dict) or not _text(value, "action") or not number or not chat:
        return None
    home = _text(event, "header", "tenant_key")
    stranger = _text(event, "event", "operator", "tenant_key") not in {"", home}
    return FeishuMessage(
        incoming=Incoming(
            platform="feishu",
            chat=chat,
            person=_text(event, "event", "operator", "open_id"),
            text=_text(value, "value"),
            id=number,
            at=_time(_path(event, "header", "create_time"), 1_000_000, now),
            receipt=Receipt(message=card, thread=card) if card else None,
            action=_text(value, "action"),
            workspace=home,
            external=stranger,
        ),
        settled=False,
    )


def _recall(event: Any, now: datetime) -> FeishuMessage | None:
    """A deleted message, of which the event only tells the id."""
    number, chat = _text(event, "event", "message_id"), _text(event, "event", "chat_id")
    if not number or not chat:
        return None
    incoming = Incoming(
        platform="feishu",
        chat=chat,
        person="",
        text="",
        id=number,
        at=now,
        workspace=_text(event, "header", "tenant_key"),
        fate=MessageEvent.DELETED,
    )
    return FeishuMessage(incoming=incoming, settled=True)


def _words(message: Any) -> str:
    """The words of a text message, or of a post, whose lines are lists of nodes."""
    try:
        content = json.loads(_text(message, "content"))
    except (ValueError, RecursionError):
        return ""
    match _path(message, "message_type"):
        case "text":
            return _text(content, "text")
        case "post":
            lines = (
                "".join(_node(node) for node in line)
                for line in _list(content, "content")
                if isinstance(line, list)
            )
            return "\n".join(filter(None, (_text(content, "title"), *lines)))
        case _:
            return ""


def _node(node: Any) -> str:
    # A mention's id is its key in the list of mentions.
    return _text(node, "user_id") if _path(node, "tag") == "at" else _text(node, "text")


def _without_mentions(text: str, mentions: list[dict[str, Any]], bot: str) -> str:
    """The text without mentions of the bot; others are replaced by names."""
    names = {
        _text(mention, "key"): "" if _is_bot(mention, bot) else f"@{_text(mention, 'name')}"
        for mention in mentions
    }
    keys = "|".join(re.escape(key) for key in sorted(names, key=len, reverse=True) if key)
    return re.sub(keys, lambda found: names[found[0]], text).strip() if keys else text.strip()


def _is_bot(mention: Any, bot: str) -> bool:
    return bool(bot) and _path(mention, "id", "open_id") == bot


def _time(value: Any, fraction: int, now: datetime) -> datetime:
    try:
        return datetime.fromtimestamp(int(value) / fraction, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return now


def _path(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _text(value: Any, *names: str) -> str:
    found = _path(value, *names)
    return found if isinstance(found, str) else ""


def _list(value: Any, name: str) -> Iterator[Any]:
    found = _path(value, name)
    return iter(found if isinstance(found, list) else ())
