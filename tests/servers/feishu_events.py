"""Events as delivered by Feishu, for one app in one organisation."""

from __future__ import annotations

import json
from typing import Any

APP, SECRET, BOT = "cli_a1b2c3", "secret-of-the-app", "ou_bot"
TENANT = "tenant-home"

Json = dict[str, Any]


def says(text: str, *, number: str = "om_in1", direct: bool = False, **fields: Any) -> Json:
    """The event of a message. In a group it mentions the bot, unless ``mentions`` is given."""
    mention = {"key": "@_user_1", "id": {"open_id": BOT}, "name": "Digest", "mentioned_type": "bot"}
    message = {
        "message_id": number,
        "chat_id": "oc_p2p" if direct else "oc_team",
        "chat_type": "p2p" if direct else "group",
        "message_type": "text",
        "create_time": "1790000000123",
        "content": json.dumps({"text": text}),
        "mentions": [] if direct else [mention],
        **fields.pop("message", {}),
    }
    sender = {
        "sender_id": {"open_id": "ou_ann"},
        "sender_type": "user",
        "tenant_key": TENANT,
        **fields.pop("sender", {}),
    }
    return _event("im.message.receive_v1", {"sender": sender, "message": message}, **fields)


def presses(
    action: str, value: str, *, card: str = "om_1", number: str = "ev_1", **event: Any
) -> Json:
    """The event of a pressed button of a card."""
    told = {
        "operator": {"open_id": "ou_ann", "tenant_key": TENANT},
        "token": "c-1",
        "action": {"tag": "button", "value": {"action": action, "value": value}},
        "host": "im_message",
        "context": {"open_message_id": card, "open_chat_id": "oc_team"},
        **event,
    }
    return _event("card.action.trigger", told, number=number, time="1790000000123456")


def recalls(*, number: str, chat: str, **event: Any) -> Json:
    """The event of a recalled message, which has neither its author nor its text."""
    told = {"message_id": number, "chat_id": chat, "recall_time": "1790000000200"}
    return _event("im.message.recalled_v1", told | {"recall_type": "message_owner"}, **event)


def _event(kind: str, event: Json, number: str = "ev_1", time: str = "1790000000123") -> Json:
    header = {
        "event_id": number,
        "event_type": kind,
        "create_time": time,
        "token": "verification",
        "app_id": APP,
        "tenant_key": TENANT,
    }
    return {"schema": "2.0", "header": header, "event": event}
