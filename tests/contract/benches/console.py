"""The console, writing styled text to memory."""

from __future__ import annotations

import io
import re
from pathlib import Path

from bot.platforms.console import Console
from tests.contract.bench import Bench

_OURS = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;[^\x1b\x07]*\x1b\\")


class Full(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def bench(folder: Path) -> Bench:
    stream, closed = io.StringIO(), io.StringIO()
    closed.close()
    return Bench(
        sender=Console(stream, width=60, styled=True),
        chat="",
        seen=lambda: [_OURS.sub("", stream.getvalue())],
        broken=[Console(closed), Console(Full())],
        inert=inert,
    )


def inert(body: str) -> bool:
    left = _OURS.sub("", body)
    return not any((ord(char) < 32 and char != "\n") or 0x7F <= ord(char) < 0xA0 for char in left)
