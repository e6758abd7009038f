"""Slack: digests as posts, questions in mentions, messages, commands and buttons.

``blocks`` renders (with ``rich_text`` and ``fallback_text``), ``sender`` posts through ``web_api``,
``receiver`` receives through ``socket_mode`` or ``web_events`` and reads with ``bolt_adapter`` and
``events``.
"""

from __future__ import annotations

from bot.platforms.slack.config import Config
from bot.platforms.slack.installations import OneAccount
from bot.platforms.slack.sender import SlackSender
from bot.platforms.slack.web_api import SlackWebApi

__all__ = [
    "Config",
    "app_text",
    "create",
]


def app_text(address: str) -> str:
    """The manifest to create the app from; see :func:`bot.platforms.slack.oauth.manifest`."""
    from bot.platforms.slack.oauth import as_yaml, manifest

    return as_yaml(manifest(address))


def create(config: Config) -> SlackSender:
    """A bot that posts, and listens if the configuration says how."""
    calls = SlackWebApi(config.api)
    if config.bot_token is not None and config.app_token is None and config.events == "socket":
        return SlackSender(calls, OneAccount(calls, config.bot_token.get_secret_value()))
    # Bolt is slow to import, so only a listening bot imports it.
    from bot.platforms.slack.receiver import listening

    return listening(config, calls)
