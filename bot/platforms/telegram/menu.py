"""What Telegram notes in a form of its own: buttons, commands of the menu, and chats.

A press sends ``callback_data`` of at most 64 bytes, so longer data is shown as text for the person
to type: https://core.telegram.org/bots/api#inlinekeyboardbutton

Telegram shows the menu in the language of a person's app, so the question of a command is in that
language, and so is its answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bot.messaging.sender import SendError, SendReason
from bot.platforms.telegram.escaping import is_target
from bot.platforms.telegram.message_parts import ButtonKey, units
from bot.util.sanitize import address, legible
from bot.util.terminal import cells
from digest.core.enums import Language
from digest.document import Button, Code, Link, Spans, Text

# User names: 4 to 32 letters, digits and underscores. Ids: at most 52 significant bits,
# https://core.telegram.org/bots/api#chat
_CHAT = re.compile(r"(@[A-Za-z]\w{3,31}|-?\d{1,16})(?:/(\d{1,10}))?", re.ASCII)


class ChatPlace(NamedTuple):
    """The destination of a message. ``topic`` is the id of a forum's topic; General has none."""

    chat: int | str
    topic: int | None = None

    @property
    def is_group(self) -> bool:
        """Whether the stricter rate of groups and channels applies; their ids are negative."""
        return isinstance(self.chat, str) or self.chat < 0

    def __str__(self) -> str:
        return str(self.chat) if self.topic is None else f"{self.chat}/{self.topic}"


def place_of(chat: str) -> ChatPlace:
    """The configured place. Raises ``SendError``."""
    match = _CHAT.fullmatch(chat.strip())
    if not match:
        raise SendError(
            SendReason.NO_CHANNEL,
            f"{chat[:80]!r} is not a chat; write an id such as -1001234567890 or @channel, "
            "followed by /5 for topic 5",
        )
    name, topic = match.groups()
    return ChatPlace(
        name if name.startswith("@") else int(name),
        int(topic) if topic and int(topic) > 1 else None,  # 1 is General, which takes no id
    )


_MOST_BYTES = 64

# The longest label, and the terminal cells that fit into a row on a phone. All buttons of a row are
# equally wide.
_LABEL, _ROW = 40, 36
_MOST_IN_ROW = 4
_BETWEEN = " "  # separates action and value in the data; actions are our own words without spaces


class Words(NamedTuple):
    """Text in place of a button that is not possible."""

    spans: Spans


def rows(buttons: Sequence[Button]) -> Iterator[tuple[ButtonKey, ...] | Words]:
    """The buttons in rows that fit a phone, in order."""
    row: list[ButtonKey] = []
    for button in buttons:
        key = _key(button)
        if row and not (key and _fits(row, key)):
            yield tuple(row)
            row = []
        if key:
            row.append(key)
        elif button.label or button.action or button.url:
            yield Words(_words(button))
    if row:
        yield tuple(row)


def _fits(row: Sequence[ButtonKey], key: ButtonKey) -> bool:
    widest = max(cells(one.text) for one in (*row, key))
    return len(row) < _MOST_IN_ROW and widest * (len(row) + 1) <= _ROW


def read_press(data: str) -> tuple[str, str]:
    """Action and value of a press. Clients may send anything."""
    action, _, value = data.partition(_BETWEEN)
    return action, value


def _key(button: Button) -> ButtonKey | None:
    label, url = legible(button.label), address(button.url)
    if not label.strip() or units(label) > _LABEL:
        return None
    if is_target(url):
        return ButtonKey(label, url=url)
    data = f"{button.action}{_BETWEEN}{button.value}".rstrip(_BETWEEN)
    fits = data and len(data.encode("utf-8", "surrogatepass")) <= _MOST_BYTES
    acts = button.action and _BETWEEN not in button.action
    return ButtonKey(label, data=data) if fits and acts and data.isprintable() else None


def _words(button: Button) -> Spans:
    """The label, linked to the address, or with what to type."""
    if address(button.url):
        return (Link(button.label, button.url),)
    typed = f"{button.action} {button.value}".strip()
    return (Text(f"{button.label}: "), Code(typed)) if typed else (Text(button.label),)


def question(name: str, rest: str, language: Language) -> str | None:
    """The question of a command, ``None`` if unknown; apps send ``start`` when a chat is opened."""
    name = name.lower()
    if name == "start":
        name, rest = "help", ""
    for command in COMMANDS[language]:
        if command.name == name:
            return command.question.format(rest.strip()).strip()
    return None


class Command(NamedTuple):
    """A command: ``/name``, its description in the menu, and a template of its question."""

    # Name: 1-32 of ``[a-z0-9_]``; description: 1-256 characters.
    # https://core.telegram.org/bots/api#botcommand

    name: str
    description: str
    question: str


COMMANDS: dict[Language, tuple[Command, ...]] = {
    Language.EN: (
        Command("digest", "Digest of a day: /digest yesterday", "digest {}"),
        Command("changed", "What changed: /changed scheduler this week", "changed {}"),
        Command("explain", "Explain a change: /explain 123", "explain {}"),
        Command("search", "Search the changes: /search memory leak", "search {}"),
        Command("help", "What you can ask", "help"),
    ),
    Language.ZH: (
        Command("digest", "某天的要点：/digest 昨天", "{} 摘要"),
        Command("changed", "有什么变化：/changed 本周 调度器", "{} 有什么变化"),
        Command("explain", "详解一个变更：/explain 123", "解释 {}"),
        Command("search", "搜索变更：/search 内存泄漏", "搜索 {}"),
        Command("help", "可以问什么", "帮助"),
    ),
}


def language_of(code: str | None) -> Language:
    """The language of the menu that a person's app shows, by its IETF tag."""
    return Language.ZH if (code or "").lower().startswith("zh") else Language.EN
