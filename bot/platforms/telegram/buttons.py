"""Buttons under a message, and what a press sends back.

A press sends ``callback_data`` of at most 64 bytes, so what is longer is told in words instead,
for somebody to type: https://core.telegram.org/bots/api#inlinekeyboardbutton
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bot.platforms.telegram.inert import is_target
from bot.platforms.telegram.lines import Key, units
from bot.showing.legible import address, legible
from bot.terminal import cells
from digest.document import Button, Code, Link, Spans, Text

_MOST_BYTES = 64
# The longest label, and the cells of a terminal that a row on a phone has room for. All buttons of
# a row are as wide as each other.
_LABEL, _ROW = 40, 36
_MOST_IN_ROW = 4
# Action and value in the data; actions are our own words and hold no space.
_BETWEEN = " "


class Words(NamedTuple):
    """A button that cannot be one."""

    spans: Spans


def rows(buttons: Sequence[Button]) -> Iterator[tuple[Key, ...] | Words]:
    """The buttons in rows that fit a phone, in order."""
    row: list[Key] = []
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


def _fits(row: Sequence[Key], key: Key) -> bool:
    widest = max(cells(one.text) for one in (*row, key))
    return len(row) < _MOST_IN_ROW and widest * (len(row) + 1) <= _ROW


def pressed(data: str) -> tuple[str, str]:
    """Action and value of a press. Clients are free to send anything."""
    action, _, value = data.partition(_BETWEEN)
    return action, value


def _key(button: Button) -> Key | None:
    label, url = legible(button.label), address(button.url)
    if not label.strip() or units(label) > _LABEL:
        return None
    if is_target(url):
        return Key(label, url=url)
    data = f"{button.action}{_BETWEEN}{button.value}".rstrip(_BETWEEN)
    fits = data and len(data.encode("utf-8", "surrogatepass")) <= _MOST_BYTES
    acts = button.action and _BETWEEN not in button.action
    return Key(label, data=data) if fits and acts and data.isprintable() else None


def _words(button: Button) -> Spans:
    """The label, leading to the address, or with what to type."""
    if address(button.url):
        return (Link(button.label, button.url),)
    typed = f"{button.action} {button.value}".strip()
    return (Text(f"{button.label}: "), Code(typed)) if typed else (Text(button.label),)
