"""Slack: digests as posts, questions in mentions, messages, commands and buttons.

``messages`` renders (``pieces``, ``rich`` and ``spoken`` below it), ``sender`` posts through
``calls``, ``receiver`` hears through ``socket_mode`` or ``web_events`` and reads with ``heard``.
``python -m bot.platforms.slack`` prints the manifest that an app is made of.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.platforms.slack.accounts import OneAccount
from bot.platforms.slack.calls import Calls
from bot.platforms.slack.config import Config
from bot.platforms.slack.sender import SlackSender

if TYPE_CHECKING:
    from bot.platforms.slack.intake import Intake

__all__ = ["Config", "create"]


def create(config: Config) -> SlackSender:
    """A bot that posts, and listens where the configuration says how."""
    calls = Calls(config.api)
    accounts = OneAccount(calls, config.bot_token.get_secret_value())
    if config.app_token is None and config.events == "socket":
        return SlackSender(calls, accounts)
    # Bolt takes half a second to import, so only who listens pays for it.
    from bot.platforms.slack.intake import SAYS
    from bot.platforms.slack.receiver import Slack
    from bot.platforms.slack.socket_mode import SocketMode
    from bot.platforms.slack.web_events import WebEvents

    async def connect(intake: Intake) -> None:
        if config.events == "http" or config.app_token is None:
            await asyncio.Event().wait()  # Slack calls us
        else:
            token = config.app_token.get_secret_value()
            await SocketMode(calls, token, intake.hear, SAYS).run()

    slack = Slack(calls, accounts, connect)
    if config.events == "http" and config.signing_secret is not None:
        slack.web = WebEvents(slack.intake, config.signing_secret.get_secret_value())
    return slack
