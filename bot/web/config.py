"""The section ``[web]``: whether the program has a web server, and who may come in."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, field_validator

from bot.config.settings import Settings
from digest.errors import InvalidConfig

SECTION = "web"

LARGEST = 25 * 2**20
"""Bytes of a request's body: the most that GitHub sends to a webhook.
https://docs.github.com/en/webhooks/webhook-events-and-payloads"""

_SHORTEST_TOKEN = 16
_LISTEN = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[A-Za-z0-9.-]*)):(?P<port>\d{1,5})")


class Listen(NamedTuple):
    """Where the server listens. Port 0 is any that is free; an empty host is every interface."""

    host: str
    port: int


def _listen(value: Any) -> Any:
    if isinstance(value, Listen):
        return value
    found = _LISTEN.fullmatch(value) if isinstance(value, str) else None
    if not found or int(found["port"]) > 65_535:
        raise ValueError("write host and port, such as 127.0.0.1:8080 or [::1]:8080")
    return Listen(found["six"] or found["host"] or "", int(found["port"]))


def _network(value: str) -> str:
    try:
        ipaddress.ip_network(value)
    except ValueError as error:
        raise ValueError(f"{error}; write addresses or networks, such as 10.0.0.0/8") from None
    return value


class WebSettings(Settings):
    """The web server; without the section there is none.

    ``public_url`` is the address under which the outside finds it, for links and webhooks.
    ``token`` lets people into the admin pages; without one there are none. ``metrics_token`` is
    what Prometheus has to show for ``/metrics``, which without one is open. ``proxies`` are the
    addresses whose ``X-Forwarded-For`` and ``X-Forwarded-Proto`` are believed. ``max_body`` is in
    bytes, ``max_connections`` a number of connections, and ``body_seconds`` the time that a client
    has for sending a body.
    """

    listen: Annotated[Listen, BeforeValidator(_listen)] = Listen("127.0.0.1", 8080)
    public_url: str = ""
    token: SecretStr | None = None
    metrics_token: SecretStr | None = None
    proxies: tuple[Annotated[str, AfterValidator(_network)], ...] = ("127.0.0.1", "::1")
    max_body: int = Field(default=LARGEST, ge=1024, le=2**30)
    max_connections: int = Field(default=1000, ge=1)
    body_seconds: float = Field(default=30.0, gt=0, le=600)

    @field_validator("public_url")
    @classmethod
    def _an_address(cls, url: str) -> str:
        if url and not re.fullmatch(r"https?://[^\s?#@]+", url):
            raise ValueError("write the address that others use, such as https://digest.example")
        return url.rstrip("/")

    @field_validator("token", "metrics_token")
    @classmethod
    def _not_guessed(cls, token: SecretStr | None) -> SecretStr | None:
        if token is not None and len(token.get_secret_value()) < _SHORTEST_TOKEN:
            raise ValueError(
                f"a token has at least {_SHORTEST_TOKEN} characters; make one with: "
                "openssl rand -base64 24"
            )
        return token


def listening_at(settings: WebSettings, written: str) -> WebSettings:
    """The settings with another address to listen at. Raises ``InvalidConfig``."""
    try:
        return settings.model_copy(update={"listen": _listen(written)})
    except ValueError as error:
        raise InvalidConfig(f"--listen: {error}") from None
