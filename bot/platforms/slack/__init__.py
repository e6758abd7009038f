"""Slack: digests as posts, questions in mentions, messages, commands and buttons.

``messages`` renders (``pieces``, ``rich`` and ``spoken`` below it), ``sender`` posts through
``calls``, ``receiver`` hears through ``socket_mode`` or ``web_events`` and reads with ``heard``.
``python -m bot.platforms.slack`` prints the manifest that an app is made of.
"""

from __future__ import annotations

from bot.platforms.slack.config import Config
from bot.platforms.slack.installations import OneAccount
from bot.platforms.slack.sender import SlackSender
from bot.platforms.slack.web_api import SlackWebApi

__all__ = [
    "Config",
    "create",
]


def create(config: Config) -> SlackSender:
    """A bot that posts, and listens where the configuration says how."""
    calls = SlackWebApi(config.api)
    if config.bot_token is not None and config.app_token is None and config.events == "socket":
        return SlackSender(calls, OneAccount(calls, config.bot_token.get_secret_value()))
    # Bolt takes its time to import, so only who listens pays for it.
    from bot.platforms.slack.receiver import listening

    return listening(config, calls)
