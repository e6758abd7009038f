"""Slack's deliveries, parsed as messages to the bot: pure, and no field is trusted.

Payloads: https://docs.slack.dev/reference/events/message,
https://docs.slack.dev/interactivity/implementing-slash-commands and
https://docs.slack.dev/reference/interaction-payloads
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bot.messaging.receiver import Incoming, MessageEvent
from bot.messaging.sender import Receipt
from bot.platforms.slack.installations import SlackAccount
from digest.frozen import frozen

COMMAND = "/digest"
EXPLAIN = "explain"  # the callback of the message shortcut, which is the action's name as well
_SAID_BY_PEOPLE = ("", None, "file_share", "thread_broadcast")
_CHANGES = ("message_changed", "message_deleted")
_MARK = re.compile(r"<([^<>|]+)(?:\|([^<>]*))?>")


@frozen
class SlackMessage:
    """A message that may be for the bot."""

    incoming: Incoming
    thread: str = ""  # the bot must take part in it, if nothing else addresses it
    response: str = ""  # the address that answers even where the bot is no member
    known: bool = True  # the payload told whether the chat is external


@frozen
class HomeOpened:
    """A person opened the bot's home page."""

    account: SlackAccount
    person: str


def read(
    body: Mapping[str, Any], account: SlackAccount, now: datetime
) -> SlackMessage | HomeOpened | None:
    """The message in a payload, ``None`` if it has none; ``now`` replaces a missing time."""
    if "command" in body:
        return _command(body, now)
    match body.get("type"):
        case "event_callback":
            return _event(body, account)
        case "block_actions":
            return _button_press(body, now)
        case "message_action":
            return _menu_choice(body, account, now)
    return None


def words(text: str, me: str = "") -> str:
    """Slack's message format decoded: names for people and channels, plain addresses."""
    plain = _MARK.sub(lambda found: _link_text(found[1], found[2] or "", me), text)
    return html.unescape(plain).strip()


def _link_text(target: str, label: str, me: str) -> str:
    if target == f"@{me}":
        return ""
    if target[0] in "@#!":
        named = label or target[1:].partition("^")[2] or target[1:]
        return named if target[0] == "!" and label else target[0].replace("!", "@") + named
    # Clients link what looks like an address; then the label is what was typed.
    typed = not label or target.rstrip("/").endswith(label.rstrip("/"))
    return (label or target) if typed else f"{label} {target}"


def _event(body: Mapping[str, Any], account: SlackAccount) -> SlackMessage | HomeOpened | None:
    event = _inner(body, "event")
    team = str(body.get("team_id") or event.get("team") or "")
    match event.get("type"):
        case "app_home_opened" if event.get("tab") == "home":
            return HomeOpened(account=account, person=str(event.get("user", "")))
        case "app_mention":
            return _message(body, event, account, team)
        case "message" if event.get("subtype") in _CHANGES:
            return _message_change(body, event, account, team)
        case "message":
            mentioned = f"<@{account.user}" in str(event.get("text", ""))
            if event.get("channel_type") == "im":
                return _message(body, event, account, team, direct=True)
            # A mention is delivered as an event of its own as well.
            if not mentioned and event.get("thread_ts", event.get("ts")) != event.get("ts"):
                return _message(body, event, account, team, addressed=False)
    return None


def _message(
    body: Mapping[str, Any],
    event: Mapping[str, Any],
    account: SlackAccount,
    team: str,
    *,
    direct: bool = False,
    addressed: bool = True,
) -> SlackMessage | None:
    person, stamp = str(event.get("user", "")), str(event.get("ts", ""))
    machine = event.get("bot_id") or event.get("subtype", "") not in _SAID_BY_PEOPLE
    if machine or not person or person in {account.user, "USLACKBOT"} or not _time(stamp):
        return None
    thread = str(event.get("thread_ts", "")) or ("" if direct else stamp)
    begun_by_us = event.get("parent_user_id") == account.user
    incoming = Incoming(
        platform="slack",
        chat=str(event.get("channel", "")),
        person=person,
        text=words(str(event.get("text", "")), account.user),
        id=stamp,
        at=datetime.fromtimestamp(_time(stamp), UTC),
        receipt=Receipt(message=stamp, thread=thread),
        direct=direct,
        addressed=addressed,
        workspace=team,
        external=bool(body.get("is_ext_shared_channel")),
    )
    return SlackMessage(incoming=incoming, thread="" if addressed or begun_by_us else thread)


def _message_change(
    body: Mapping[str, Any], event: Mapping[str, Any], account: SlackAccount, team: str
) -> SlackMessage | None:
    """An edited or deleted message."""
    # Slack reports every change in a channel, including link previews; whether the message was a
    # question to the bot is known to the code that answered it.
    before, after = _inner(event, "previous_message"), _inner(event, "message")
    deleted = event.get("subtype") == "message_deleted"
    shown = before if deleted else after
    stamp = str(event.get("deleted_ts", "") if deleted else after.get("ts", ""))
    person, text = str(shown.get("user", "")), str(shown.get("text", ""))
    same = not deleted and text == str(before.get("text", ""))
    if shown.get("bot_id") or person in {"", account.user, "USLACKBOT"} or same or not _time(stamp):
        return None
    direct = event.get("channel_type") == "im"
    thread = str(shown.get("thread_ts", "")) or ("" if direct else stamp)
    incoming = Incoming(
        platform="slack",
        chat=str(event.get("channel", "")),
        person=person,
        text="" if deleted else words(text, account.user),
        id=stamp,
        at=datetime.fromtimestamp(_time(stamp), UTC),
        receipt=Receipt(message=stamp, thread=thread),
        direct=direct,
        workspace=team,
        external=bool(body.get("is_ext_shared_channel")),
        fate=MessageEvent.DELETED if deleted else MessageEvent.EDITED,
    )
    return SlackMessage(incoming=incoming)


def _command(body: Mapping[str, Any], now: datetime) -> SlackMessage:
    trigger, chat = str(body.get("trigger_id", "")), str(body.get("channel_id", ""))
    incoming = Incoming(
        platform="slack",
        chat=chat,
        person=str(body.get("user_id", "")),
        text=html.unescape(str(body.get("text", ""))).strip(),
        id=trigger,
        at=now,
        receipt=Receipt(message=trigger),
        direct=chat.startswith("D"),
        workspace=str(body.get("team_id", "")),
    )
    return SlackMessage(incoming=incoming, response=str(body.get("response_url", "")), known=False)


def _button_press(body: Mapping[str, Any], now: datetime) -> SlackMessage | None:
    """A press of our button; a link button is no message."""
    actions = body.get("actions")
    action = _inner({"first": actions[0]}, "first") if isinstance(actions, list) and actions else {}
    name = str(action.get("action_id", "")).partition("/")[2]
    container = _inner(body, "container")
    person = str(_inner(body, "user").get("id", ""))
    chat = str(_inner(body, "channel").get("id", "")) or person
    stamp = str(container.get("message_ts", ""))
    if not name or not chat:
        return None
    pressed = str(action.get("action_ts", ""))
    incoming = Incoming(
        platform="slack",
        chat=chat,
        person=person,
        text=str(action.get("value", "")),
        id=f"{pressed}:{person}:{name}",
        at=datetime.fromtimestamp(_time(pressed), UTC) if _time(pressed) else now,
        receipt=Receipt(message=stamp, thread=str(container.get("thread_ts", "")) or stamp),
        direct=chat.startswith(("D", "U", "W")),
        action=name,
        workspace=str(_inner(body, "team").get("id", "")),
    )
    return SlackMessage(incoming=incoming, response=str(body.get("response_url", "")), known=False)


def _menu_choice(
    body: Mapping[str, Any], account: SlackAccount, now: datetime
) -> SlackMessage | None:
    message, chat = _inner(body, "message"), str(_inner(body, "channel").get("id", ""))
    stamp = str(message.get("ts", ""))
    if not chat or not stamp:
        return None
    incoming = Incoming(
        platform="slack",
        chat=chat,
        person=str(_inner(body, "user").get("id", "")),
        text=words(str(message.get("text", "")), account.user),
        id=str(body.get("action_ts") or body.get("trigger_id", "")),
        at=now,
        receipt=Receipt(message=stamp, thread=str(message.get("thread_ts", "")) or stamp),
        direct=chat.startswith("D"),
        action=str(body.get("callback_id", "")),
        workspace=str(_inner(body, "team").get("id", "")),
    )
    return SlackMessage(incoming=incoming, response=str(body.get("response_url", "")), known=False)


def _inner(body: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An object within an object; empty if it is none."""
    value = body.get(key)
    return value if isinstance(value, dict) else {}


def _time(stamp: str) -> float:
    """Seconds of Slack's timestamp; 0 if it is invalid."""
    return float(stamp) if re.fullmatch(r"\d{1,12}(\.\d{1,9})?", stamp) else 0.0
