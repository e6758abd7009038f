"""The section ``[database]``: where the archive is kept, if not in a file of the data folder."""

from __future__ import annotations

from pydantic import SecretStr

from bot.config.server import ServerSettings

SECTION = "database"


class DatabaseSettings(ServerSettings):
    """The address of a PostgreSQL database; it may hold a password, which is a secret."""

    url: SecretStr
