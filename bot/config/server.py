"""A section whose secrets are addresses of servers, of which only a part is one."""

from __future__ import annotations

from bot.addresses import secrets_in
from bot.config.settings import Settings


class ServerSettings(Settings):
    """Of its addresses the passwords are blotted out, and the rest is told."""

    def secrets(self) -> tuple[str, ...]:
        """Passwords, and whatever else in the addresses nobody may see."""
        values = (getattr(self, name) for name in self.secret_fields())
        return tuple(part for one in values for part in secrets_in(one.get_secret_value()))
