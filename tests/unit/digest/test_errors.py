"""Errors name the thing and the way out."""

from __future__ import annotations

import pytest

from digest.errors import UnwritableFolder


@pytest.mark.parametrize(
    ("why", "cure"),
    [
        ("No space left on device", "free some space"),
        ("Disk quota exceeded", "free some space"),
        ("database or disk is full", "free some space"),
        ("Read-only file system", "make it writable"),
    ],
)
def test_what_cannot_be_written_is_told_with_what_helps(why: str, cure: str) -> None:
    assert f"({why}); {cure} or choose another folder" in str(UnwritableFolder("data", why))
