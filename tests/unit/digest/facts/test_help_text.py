"""Texts beside things, on one line."""

from __future__ import annotations

from digest.facts.help_text import beside, clean


def test_notes_of_developers_and_code_are_no_text_and_keys_of_tags_are_left_out():
    assert clean("NOTE(ada): These fields are kept in step with Pool.") == ""
    assert clean("if (a < 0) { take all cards; } else if (b) { give them back; }") == ""
    assert clean("description=Takes all cards of a pool.") == "Takes all cards of a pool."


def test_tag_of_the_next_field_of_go_is_no_text_of_the_one_above():
    lines = ['\tAddress string `yaml:"address"`', '\tNames Names `doc:"Names of all the pools."`']
    assert beside(lines, 0) == ""
    assert beside(lines, 1) == "Names of all the pools."


def test_long_comment_is_read_from_its_first_line():
    lines = [
        "// A pool of cards that are read once.",
        *["// More about it."] * 60,
        "type Pool struct {",
    ]
    assert beside(lines, 61).startswith("A pool of cards that are read once.")


def test_authors_roles_and_links_of_an_entry_are_left_out():
    text = "Fixed :py:class:`~pool.Cards` of the reader -- by :user:`ada` and :user:`bob`."
    assert clean(text) == "Fixed `pool.Cards` of the reader."
    assert clean("Replace it with [the `impl` in traits][RPIT] of all cards.") == (
        "Replace it with the `impl` in traits of all cards."
    )
