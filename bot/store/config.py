"""The section ``[database]``: where the archive is kept, if not in a file of the data folder."""

from __future__ import annotations

from pydantic import SecretStr

from bot.config.settings import Settings

SECTION = "database"


class DatabaseSettings(Settings):
    """The address of a PostgreSQL database; it may hold a password, so it is a secret."""

    url: SecretStr
