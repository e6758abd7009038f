"""What a look finds: a line on what is there, and the way out where it should not be so."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass

from bot.check.finding import Weight
from digest.errors import DigestbotError

_PATIENCE = 300.0
"""Seconds for one look; an archive of gigabytes is read from one end to the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """``cure`` is what to do, empty where nothing needs doing."""

    weight: Weight
    subject: str
    text: str
    cure: str = ""


def well(subject: str, text: str) -> Finding:
    """Something that is as it should be."""
    return Finding(weight=Weight.OK, subject=subject, text=text)


def worry(subject: str, text: str, cure: str) -> Finding:
    """Something that works, and should not stay."""
    return Finding(weight=Weight.WARNING, subject=subject, text=text, cure=cure)


def fault(subject: str, text: str, cure: str) -> Finding:
    """Something that does not work."""
    return Finding(weight=Weight.ERROR, subject=subject, text=text, cure=cure)


async def guarded(subject: str, look: Awaitable[Sequence[Finding]]) -> Sequence[Finding]:
    """What a look finds; its own failure is a finding too, so that the others are told."""
    try:
        async with asyncio.timeout(_PATIENCE):
            return await look
    except TimeoutError:
        return [fault(subject, f"not told within {_PATIENCE:g} s", "look at the machine's load")]
    except (DigestbotError, OSError) as error:
        return [fault(subject, str(error), "mend what the line says, and run doctor again")]
