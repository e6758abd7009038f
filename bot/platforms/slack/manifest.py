"""The manifest of the Slack app: everything the code needs, and nothing else.

https://docs.slack.dev/reference/app-manifest
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from bot.platforms.slack.events import COMMAND, EXPLAIN

SCOPES = {
    "app_mentions:read": "to hear that it is mentioned",
    "channels:history": "to follow threads it is in, and to find its own post after a crash",
    "channels:read": "to check a channel's name, and whether others share it",
    "chat:write": "to post and to edit",
    "chat:write.public": "to answer a command in a public channel it is not in",
    "commands": f"for {COMMAND} and the shortcut",
    "files:write": "to show charts as pictures",
    "groups:history": "as channels:history, in private channels it was invited to",
    "groups:read": "as channels:read, in private channels",
    "im:history": "to hear direct messages",
    "im:read": "to tell a direct message from a channel",
    "im:write": "to open a direct conversation",
    "mpim:history": "as channels:history, in group messages",
    "mpim:read": "as channels:read, in group messages",
}
"""The bot's scopes, each with its reason."""

EVENTS = (
    "app_home_opened",
    "app_mention",
    "app_uninstalled",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
)

_DESCRIPTION = (
    "Digestbot watches git repositories, grades every change, and posts once a day the few that "
    "matter, with the reason and a link for each. Mention it, write to it directly or use its "
    "command to ask what changed, to have a change explained or to search the archive. It keeps "
    "nothing of what is said in a channel but the questions to it."
)


def manifest(address: str = "") -> dict[str, Any]:
    """The manifest; with the web server's ``address`` for an app that Slack calls over HTTP."""
    return {
        "_metadata": {"major_version": 2, "minor_version": 1},
        "display_information": {
            "name": "Digestbot",
            "description": "Tells which of the day's changes to the code matter, and why.",
            "long_description": _DESCRIPTION,
            "background_color": "#1d3557",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": "digestbot", "always_online": True},
            "shortcuts": [
                {
                    "name": "Explain",
                    "type": "message",
                    "callback_id": EXPLAIN,
                    "description": "Explain the change that a message is about",
                }
            ],
            "slash_commands": [
                {
                    "command": COMMAND,
                    "description": "Ask about changes to the code",
                    "usage_hint": "what changed this week | explain #123 | help",
                    "should_escape": False,
                    **_url(address, "url"),
                }
            ],
        },
        "oauth_config": {
            **({"redirect_urls": [f"{address}/oauth_redirect"]} if address else {}),
            "scopes": {"bot": sorted(SCOPES)},
        },
        "settings": {
            "event_subscriptions": {**_url(address, "request_url"), "bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True, **_url(address, "request_url")},
            "org_deploy_enabled": False,
            "socket_mode_enabled": not address,
            "token_rotation_enabled": False,
        },
    }


def _url(address: str, key: str) -> dict[str, str]:
    return {key: address} if address else {}


def as_yaml(value: Mapping[str, Any]) -> str:
    """A manifest as YAML, with every text in quotes."""
    head = "# What a Slack app is made of; written by: python -m bot.platforms.slack\n"
    return head + "".join(f"{line}\n" for line in _lines(value, 0))


def _lines(value: Mapping[str, Any], depth: int) -> Iterator[str]:
    indent = "  " * depth
    for key, inner in value.items():
        match inner:
            case dict():
                yield f"{indent}{key}:"
                yield from _lines(inner, depth + 1)
            case list():
                yield f"{indent}{key}:"
                yield from _entries(inner, depth + 1)
            case _:
                yield f"{indent}{key}: {json.dumps(inner, ensure_ascii=False)}"


def _entries(values: list[Any], depth: int) -> Iterator[str]:
    indent = "  " * depth
    for value in values:
        if isinstance(value, dict):
            first, *rest = _lines(value, depth + 1)
            yield f"{indent}- {first.lstrip()}"
            yield from rest
        else:
            yield f"{indent}- {json.dumps(value, ensure_ascii=False)}"
