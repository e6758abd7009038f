"""Buttons and plain text, with Slack's bounds on them.

Lengths are in UTF-16 units, which are never fewer than the characters that Slack may count.
https://docs.slack.dev/reference/block-kit/block-elements/button-element
"""

from __future__ import annotations

from bot.platforms.slack.rich import Json, web_address
from bot.showing.legible import legible
from digest.document import Button

MOST_BUTTONS = 25
"""In a row: https://docs.slack.dev/reference/block-kit/blocks/actions-block"""

LONGEST_LABEL = 75
LONGEST_VALUE = 2000
LONGEST_ACTION = 200
LONGEST_BUTTON_URL = 3000


def units(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def plain_text(text: str) -> Json:
    """A text in which nothing is markup."""
    # With ``emoji`` a colon in a name could become a picture.
    return {"type": "plain_text", "text": text, "emoji": False}


def element(button: Button, number: int) -> Json | None:
    """The button, or ``None`` where it says, or leads to, what Slack takes in no button."""
    label = legible(button.label).strip()
    url = web_address(button.url, LONGEST_BUTTON_URL)
    value = legible(button.value)
    known = bool(button.action) and units(button.action) <= LONGEST_ACTION
    fits = 0 < units(label) <= LONGEST_LABEL and units(value) <= LONGEST_VALUE
    if not fits or not (url or known):
        return None
    # The number keeps two buttons of one action apart, as Slack demands.
    made: Json = {"type": "button", "text": plain_text(label), "action_id": f"{number}/"}
    if url:
        return made | {"url": url}
    made["action_id"] += legible(button.action)
    return made | {"value": value} if value else made
