"""The charts of an answer as pictures below it, where the platform shows pictures.

The answer tells each chart in text, so that nothing is missing where a picture fails: it is tried
once, and never again.
"""

from __future__ import annotations

import asyncio

import structlog

from bot.platforms.base import Paced, Pictured, Receipt, Sender, SendError
from bot.showing.pictures import picture_of
from digest.document import Chart, Document

log = structlog.get_logger(__name__)

_MOST = 2
"""Pictures below one answer."""

_LONGEST = 60.0
"""Seconds for one picture: it is a few kilobytes, sent in up to three calls."""


async def show_charts(sender: Sender, chat: str, document: Document, below: Receipt) -> None:
    """Post the charts of an answer that stands. Raises nothing."""
    charts = [block for block in document.blocks if isinstance(block, Chart)]
    if not isinstance(sender, Pictured):
        return
    for chart in charts[:_MOST]:
        try:
            async with asyncio.timeout(_LONGEST):
                picture = await asyncio.to_thread(picture_of, chart)
                if picture is None:
                    continue
                if isinstance(sender, Paced):
                    await sender.ready(chat, answer=True)
                await sender.show(chat, picture, below)
        except (SendError, TimeoutError, OSError, ValueError) as error:
            log.warning("picture.not_shown", platform=sender.name, error=str(error))
