"""Pictures, as far as test servers of platforms need them."""

from __future__ import annotations

import struct


def size_of(content: bytes) -> tuple[int, int] | None:
    """Width and height of a PNG (https://www.w3.org/TR/png-3/#11IHDR), ``None`` for anything else."""
    if content[:8] != b"\x89PNG\r\n\x1a\n" or content[12:16] != b"IHDR":
        return None
    width, height = struct.unpack(">II", content[16:24])
    return width, height
