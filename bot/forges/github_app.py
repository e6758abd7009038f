"""A GitHub App as an account: a signed JSON web token buys an access token for an hour.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/
generating-a-json-web-token-jwt-for-a-github-app: RS256, valid for at most ten minutes, issued a
minute in the past because clocks differ.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping
from datetime import datetime, timedelta

from bot.forges import fields
from bot.forges.forge_client import ForgeClient
from bot.forges.forge_transport import odd
from digest.errors import ForgeUnauthorized
from handlers.ports.storage import Clock

_AHEAD = timedelta(minutes=5)
"""A token is renewed this long before it expires, so that none expires during a request."""


class GitHubApp:
    """The installation of an app. ``asking`` reaches the forge without credentials.

    If ``installation`` is 0, it is the one that has the repository ``home`` (``owner/name``).
    """

    known = True

    def __init__(
        self, app: str, key: str, asking: ForgeClient, clock: Clock, *, installation: int, home: str
    ) -> None:
        self.name = f"app {app} {installation or home}"
        self._app = app
        self._key = key
        self._asking = asking
        self._clock = clock
        self._installation = installation
        self._home = home
        self._token = ""
        self._until: datetime | None = None
        self._turn = asyncio.Lock()

    async def headers(self) -> Mapping[str, str]:
        """The installation's token, renewed if it is about to expire."""
        async with self._turn:
            now = self._clock.now()
            if self._until is None or now >= self._until - _AHEAD:
                await self._renew(now)
        return {"authorization": f"Bearer {self._token}"}

    def refused(self) -> bool:
        """A token can be revoked early: fetch a new one next time."""
        had, self._until = self._until, None
        return had is not None

    async def _renew(self, now: datetime) -> None:
        signed = {
            "authorization": f"Bearer {statement(self._app, self._key, now, self._asking.host)}"
        }
        try:
            if not self._installation:
                found = await self._asking.look(
                    f"/repos/{self._home}/installation", f"installation for {self._home}", signed
                )
                self._installation = fields.number(fields.table(found.value), "id")
            path = f"/app/installations/{self._installation}/access_tokens"
            made = await self._asking.post(path, f"installation {self._installation}", signed)
            told = fields.table(made.value)
            self._token = fields.text(told, "token", 1000)
            self._until = fields.moment(told, "expires_at")
        except ValueError as error:
            raise odd(self._asking.host, str(error)) from error


def statement(app: str, key: str, now: datetime, host: str) -> str:
    """The signed JSON web token of the app. Raises ``ForgeUnauthorized``."""
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    seconds = int(now.timestamp())
    claims = {"iat": seconds - 60, "exp": seconds + 540, "iss": app}
    signed = ".".join(_part(json.dumps(one).encode()) for one in ({"alg": "RS256"}, claims))
    try:
        private = load_pem_private_key(key.encode(), password=None)
    except (ValueError, TypeError):
        private = None
    if not isinstance(private, RSAPrivateKey):
        raise ForgeUnauthorized(host, "app_key is not an RSA private key in PEM format") from None
    return f"{signed}.{_part(private.sign(signed.encode(), PKCS1v15(), SHA256()))}"


def _part(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
