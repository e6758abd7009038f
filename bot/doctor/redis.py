"""The Redis that processes share: whether it answers. Nothing is written to it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.doctor.finding import Finding, fault, well, worry
from bot.shared.connection import Connection


async def redis(written: str) -> Sequence[Finding]:
    """The Redis at an address."""
    try:
        connection = Connection(written)
    except ValueError as error:
        return [fault("redis", f"its address cannot be read: {error}", "write redis://host:6379/0")]
    try:
        trouble = await connection.look()
        if trouble:
            told = f"{connection.place} does not answer ({trouble}); each process counts alone"
            return [worry("redis", told, "start it, or look at the address and the password")]
        about = await connection.ask(lambda client: client.info("server"))
        version = (about or {}).get("redis_version", "of an unknown version")
        return [well("redis", f"{connection.place}: Redis {version}")]
    finally:
        await connection.aclose()
