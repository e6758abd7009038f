"""Telegram, as a bot: groups, forum topics, channels and private chats.

``layout`` renders a document with the modules that it imports. ``sender`` posts and receives; it
loads the library when it first needs it.
"""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Literal

from pydantic import SecretStr, field_validator

from bot.platforms.telegram.sender import Telegram, TelegramAccount
from bot.util.section import Settings, must

_PUBLIC = re.compile(r"\Z|https://")
_TOKEN = re.compile(r"\d{1,20}:[A-Za-z0-9_-]{1,100}")


class Config(Settings):
    """A bot of https://t.me/BotFather. See ``docs/telegram.md``."""

    # Only one process may receive with a token. Without ``webhook``, the public address at which
    # Telegram reaches the program's web server, the bot polls.

    posts_silently: ClassVar[bool] = True
    kind: Literal["telegram"] = "telegram"
    token: Annotated[
        SecretStr,
        must(_TOKEN.fullmatch, "write the full token from BotFather, such as 123456:ABC-DEF..."),
    ]
    listen: bool = True  # false for a process that only posts
    webhook: Annotated[
        str, must(_PUBLIC.match, "write an address that Telegram can call, https://...")
    ] = ""
    api: str = "https://api.telegram.org"  # another server, such as your own Bot API server

    @field_validator("api")
    @classmethod
    def _an_address(cls, api: str) -> str:
        if not api.startswith(("https://", "http://")):
            raise ValueError("write the address of a Bot API server, https://...")
        return api.rstrip("/")


def create(config: Config) -> Telegram:
    """The configured account; makes no call yet."""
    return Telegram(
        TelegramAccount(
            token=config.token.get_secret_value(),
            api=config.api,
            listens=config.listen,
            webhook=config.webhook,
        )
    )
