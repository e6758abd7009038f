"""Hostile text, shown as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.util.sanitize import address, legible, legible_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred", "␛[31mred"),
        ("a\nb\tc", "a b c"),
        ("\x9b2J", "�2J"),
        ("\u202egnp.exe", "�gnp.exe"),
        ("\x7f\x00", "␡␀"),
        ("👨‍👩‍👧 中文 é", "👨‍👩‍👧 中文 é"),
        ("\ud800", "�"),
        ("\U000e0041", "�"),
    ],
)
def test_legible_shows_what_would_act(text, shown):
    assert legible(text) == shown


@given(st.text())
def test_legible_is_one_printable_line_of_the_same_length(text):
    shown = legible(text)
    assert len(shown) == len(text)
    assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in shown)
    assert legible(shown) == shown


def test_legible_lines_end_at_every_kind_of_line_end():
    assert legible_lines("a\r\nb\rc\n\x1bd") == ["a", "b", "c", "␛d"]


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://e.org/a?b", "https://e.org/a?b"),
        ("report.md", "report.md"),
        ("a/b:c", "a/b:c"),
        ("#top", "#top"),
        ("javascript:alert(1)", ""),
        ("file:///etc/passwd", ""),
        ("https://e.org/\x1b]8;;\n x", "https://e.org/]8;;x"),
    ],
)
def test_address_lets_only_harmless_targets_through(url, safe):
    assert address(url) == safe
