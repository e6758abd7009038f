"""The network: whether the configured hosts can be reached, and what time it is there.

Only a connection is made, and for ``https`` the greeting; a single request without any secret asks
for the time. Whether tokens are right is for ``check`` to find out.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.config.reading import Config
from bot.config.settings import Settings
from bot.doctor.finding import Finding, fault, well, worry
from bot.sources.address import read_address

_PATIENCE = 10.0
_ASTRAY = 60.0
"""Seconds by which clocks may differ; platforms refuse signatures that are off by 300."""

_PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}
_OURS = "webhook"
"""The key of an address at which an account is called: it is the program's own."""

_PROXIES = ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")


class Host(NamedTuple):
    """Somebody whom the program connects to."""

    name: str
    port: int
    secure: bool


async def network(config: Config) -> Sequence[Finding]:
    """Every host once."""
    hosts = sorted(set(_hosts(config)))
    if not hosts:
        return [well("network", "nothing is named that needs it")]
    proxy = next((name for name in _PROXIES if os.environ.get(name)), None)
    if proxy is not None:
        return [well("network", f"through the proxy of {proxy}; digestbot check asks through it")]
    return await asyncio.gather(*map(_reached, hosts))


def _hosts(config: Config) -> Iterator[Host]:
    for repository in config.repositories:
        address = read_address(repository.place)
        if address is not None and address.host:
            port = address.port or _PORTS.get(address.transport, 443)
            yield Host(address.host, port, address.transport == "https")
    sections: list[Settings] = [account.settings for account in config.platforms.values()]
    if config.model is not None:
        sections.append(config.model)
    for section in sections:
        for key, value in dict(section).items():
            if key == _OURS:
                continue
            # The address of a webhook is a secret; its host is none.
            text = value.get_secret_value() if isinstance(value, SecretStr) else value
            if isinstance(text, str) and text.startswith(("https://", "http://")):
                yield from _host(text)


def _host(url: str) -> Iterator[Host]:
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS[parts.scheme]
    except ValueError:
        return
    if parts.hostname:
        yield Host(parts.hostname, port, parts.scheme == "https")


async def _reached(host: Host) -> Finding:
    subject = f"network {host.name}:{host.port}"
    try:
        async with asyncio.timeout(_PATIENCE):
            there = await _time_at(host)
    except TimeoutError:
        cure = "a firewall may drop it: allow it, or set HTTPS_PROXY"
        return fault(subject, f"no answer within {_PATIENCE:g} s", cure)
    except socket.gaierror:
        return fault(subject, "the name is not known", "look at the name, and at DNS")
    except ssl.SSLCertVerificationError as error:
        cure = "look at the clock; behind a proxy that opens TLS, install its certificate"
        return fault(subject, f"its certificate is not believed ({error.verify_message})", cure)
    except OSError as error:
        return fault(
            subject, f"no connection ({error.strerror or error})", "is it up, and allowed?"
        )
    if there is None:
        return well(subject, "can be reached")
    off = (datetime.now(UTC) - there).total_seconds()
    if abs(off) > _ASTRAY:
        told = f"can be reached; this clock is {abs(off):.0f} s {'ahead' if off > 0 else 'behind'}"
        return worry(subject, told, "set the clock, by NTP if you can")
    return well(subject, "can be reached, and has the same time")


async def _time_at(host: Host) -> datetime | None:
    """The time that a host tells; ``None`` for one that does not speak HTTP."""
    context = ssl.create_default_context() if host.secure else None
    reader, writer = await asyncio.open_connection(host.name, host.port, ssl=context)
    try:
        if not host.secure:
            return None
        name = host.name.encode("idna")
        writer.write(b"HEAD / HTTP/1.1\r\nHost: " + name + b"\r\nConnection: close\r\n\r\n")
        await writer.drain()
        head = await reader.read(16_384)
    finally:
        writer.close()
    return _date(head)


def _date(head: bytes) -> datetime | None:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"date":
            try:
                return parsedate_to_datetime(value.decode("latin-1").strip())
            except ValueError:
                return None
    return None
