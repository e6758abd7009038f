"""Texts beside things, on one line."""

from __future__ import annotations

from digest.facts.help_text import clean


def test_authors_roles_and_links_of_an_entry_are_left_out():
    text = "Fixed :py:class:`~pool.Cards` of the reader -- by :user:`ada` and :user:`bob`."
    assert clean(text) == "Fixed `pool.Cards` of the reader."
    assert clean("Replace it with [the `impl` in traits][RPIT] of all cards.") == (
        "Replace it with the `impl` in traits of all cards."
    )
