"""What Slack is told at once, before anything is done about what it delivered."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs

Json = dict[str, Any]

SAYS: dict[str, Json] = {"slash_commands": {"response_type": "in_channel"}}
"""What the acknowledgement of a kind of delivery says: without it nobody but the asker sees what is
being answered."""


def challenge(text: str) -> str | None:
    """What is asked back to see whether the address is ours, where the body is such a question.

    https://docs.slack.dev/reference/events/url_verification
    """
    # Looking for the word spares events their reading.
    if not text.startswith("{") or '"url_verification"' not in text:
        return None
    try:
        body = json.loads(text)
    except ValueError:
        return None
    asked = body.get("type") == "url_verification"
    return str(body.get("challenge", "")) if asked else None


def is_check(text: str) -> bool:
    """Whether the body only tries out our certificate.

    https://docs.slack.dev/interactivity/implementing-slash-commands
    """
    return "ssl_check=1" in text and parse_qs(text).get("ssl_check") == ["1"]


def said_to(text: str) -> Json | None:
    """What the acknowledgement of a body says, if anything."""
    if text.startswith(("{", "payload=")):
        return None
    return SAYS["slash_commands"] if "command" in parse_qs(text) else None
