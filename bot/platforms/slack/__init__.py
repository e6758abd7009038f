"""Slack: digests as posts, questions in mentions, messages, commands and buttons.

``blocks`` renders (with ``rich_text``), ``sender`` posts through ``web_api``, ``receiver`` receives
through ``socket_mode`` or ``web_events`` and reads with ``events``.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator

from bot.platforms.slack.installations import OneAccount
from bot.platforms.slack.sender import SlackSender
from bot.platforms.slack.web_api import SlackWebApi
from bot.util.section import Place, Settings


class Config(Settings):
    """A bot in one workspace, or with ``installations`` in every one that installs it."""

    # With ``app_token`` it listens through Socket Mode, without a public address. With ``events``
    # as ``"http"`` Slack calls the program's own web server instead, and signs with
    # ``signing_secret``. With neither the bot only posts.

    kind: Literal["slack"] = "slack"
    bot_token: SecretStr | None = None
    app_token: SecretStr | None = None
    signing_secret: SecretStr | None = None
    events: Literal["socket", "http"] = "socket"
    api: str = Field(default="https://slack.com/api/", pattern=r"^https?://[^\s?#]+$")
    """The base address of the Web API; GovSlack has its own."""
    installations: Place | None = None
    """A folder for the tokens of many workspaces; it replaces bot_token."""
    client_id: str = ""
    client_secret: SecretStr | None = None
    redirect_url: str = Field(default="", pattern=r"^(https://[^\s?#]+)?$")
    """Where Slack redirects a browser to, as seen from outside; empty for the app's first address.
    It cannot be derived from what a proxy passes on."""
    workspaces: tuple[str, ...] = ()
    """The workspaces that may install the bot, by Slack's ids; empty for all."""

    @field_validator("bot_token", "app_token")
    @classmethod
    def _of_the_right_kind(cls, token: SecretStr | None) -> SecretStr | None:
        """Reject tokens of the kinds that are most often confused."""
        if token is None:
            return None
        start = token.get_secret_value().partition("-")[0]
        if start not in {"xoxb", "xapp", "xoxe.xoxb"}:
            raise ValueError("a bot token begins with xoxb-, an app token with xapp-")
        return token

    @model_validator(mode="after")
    def _not_exchanged(self) -> Self:
        app = self.app_token.get_secret_value() if self.app_token else "xapp-"
        own = self.bot_token.get_secret_value() if self.bot_token else "xoxb-"
        if own.startswith("xapp-") or not app.startswith("xapp-"):
            raise ValueError("bot_token (xoxb-) and app_token (xapp-) are exchanged")
        if self.events == "http" and self.signing_secret is None:
            raise ValueError("events over HTTP need the signing_secret of the app")
        return self

    @model_validator(mode="after")
    def _one_or_many(self) -> Self:
        if (self.bot_token is None) == (self.installations is None):
            raise ValueError("set the bot_token of one workspace, or a folder for installations")
        many = self.installations is not None
        if many and not (self.client_id and self.client_secret and self.events == "http"):
            raise ValueError(
                'installations need client_id, client_secret and events = "http": '
                "Slack redirects people to a URL"
            )
        return self


def app_text(address: str) -> str:
    """The manifest to create the app from; see :func:`bot.platforms.slack.oauth.manifest`."""
    from bot.platforms.slack.oauth import as_yaml, manifest

    return as_yaml(manifest(address))


def create(config: Config) -> SlackSender:
    """A bot that posts, and listens if the configuration says how."""
    calls = SlackWebApi(config.api)
    if config.bot_token is not None and config.app_token is None and config.events == "socket":
        return SlackSender(calls, OneAccount(calls, config.bot_token.get_secret_value()))
    # Only a listening bot imports what it listens with.
    from bot.platforms.slack.receiver import listening

    return listening(config, calls)
