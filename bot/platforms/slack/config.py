"""What an account of Slack needs to be told."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator

from bot.settings import Settings


class Config(Settings):
    """A bot in one workspace.

    With ``app_token`` it listens through Socket Mode, without a public address. With ``events`` as
    ``"http"`` Slack calls the program's own web server instead, and signs with
    ``signing_secret``. With neither the bot posts, and hears nothing.
    """

    kind: Literal["slack"] = "slack"
    bot_token: SecretStr
    app_token: SecretStr | None = None
    signing_secret: SecretStr | None = None
    events: Literal["socket", "http"] = "socket"
    api: str = Field(default="https://slack.com/api/", pattern=r"^https?://[^\s?#]+$")
    """The base address of the Web API; GovSlack has its own."""

    @field_validator("bot_token", "app_token")
    @classmethod
    def _of_the_right_kind(cls, token: SecretStr | None) -> SecretStr | None:
        """Refuse the tokens that are most often taken for each other."""
        if token is None:
            return None
        start = token.get_secret_value().partition("-")[0]
        if start not in {"xoxb", "xapp", "xoxe.xoxb"}:
            raise ValueError("a bot token begins with xoxb-, an app token with xapp-")
        return token

    @model_validator(mode="after")
    def _not_exchanged(self) -> Self:
        app = self.app_token.get_secret_value() if self.app_token else "xapp-"
        if self.bot_token.get_secret_value().startswith("xapp-") or not app.startswith("xapp-"):
            raise ValueError("bot_token (xoxb-) and app_token (xapp-) are exchanged")
        if self.events == "http" and self.signing_secret is None:
            raise ValueError("events over http need the signing_secret of the app")
        return self
