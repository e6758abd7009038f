"""The section ``[shared]``: what the processes of one installation share beside the archive."""

from __future__ import annotations

from typing import Self

from pydantic import SecretStr, model_validator

from bot.config.server import ServerSettings

SECTION = "shared"
_SCHEMES = ("redis://", "rediss://", "unix://")


class SharedSettings(ServerSettings):
    """The address of a Redis; it may hold a password, which is a secret."""

    redis_url: SecretStr

    @model_validator(mode="after")
    def _is_an_address(self) -> Self:
        if not self.redis_url.get_secret_value().startswith(_SCHEMES):
            raise ValueError("redis_url is redis://host:6379/0, rediss:// or unix:///path")
        return self
