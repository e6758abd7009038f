"""Places in a text, found without splitting it: as splitting it would find them."""

from bisect import bisect_right
from itertools import accumulate

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from digest.core.change import Side
from digest.facts.side_text import SideText, same_place

TEXTS = st.one_of(
    st.text(alphabet="a\né\U0001f600", max_size=200),
    # Longer than the stretches whose lines are counted beforehand.
    st.lists(st.sampled_from(["", "x" * 700, "é" * 30, "\n" * 90]), max_size=30).map("\n".join),
)


def starts_of(text):
    """Where each line begins, and behind the last one where a next would."""
    return list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))


def source(text, rows=()):
    return SideText(path="a.py", side=Side.NEW, text=text, rows=tuple(rows), changed_text="")


@given(text=TEXTS)
@example(text="")
@example(text="x" * 511 + "\n" + "y" * 512)
def test_line_at_any_offset(text):
    one, starts = source(text), starts_of(text)
    assert one.height == len(starts) - 1
    for offset in range(-1, len(text) + 3, 1 + len(text) // 400):
        assert one.line_at(offset) == bisect_right(starts, offset)


@given(text=TEXTS, data=st.data())
def test_changed_places_of_any_rows(text, data):
    lines, starts = text.split("\n"), starts_of(text)
    edges = sorted(data.draw(st.lists(st.integers(0, len(lines) + 3), max_size=8)))
    rows = list(zip(edges[::2], edges[1::2], strict=False))
    one, last = source(text, rows), len(lines)
    assert one.spans == [(starts[min(a, last)], starts[min(b, last)]) for a, b in rows]
    told = [(row, lines[row]) for a, b in rows for row in range(a, min(b, last))]
    assert list(one.changed()) == told


def test_windows_that_overlap_are_one():
    text = "line\n" * 4_000
    one = source(text, [(1, 2), (700, 701), (3_000, 3_001)])
    assert [w[:2] for w in one.windows] == [(0, 3_505), (11_000, 15_005)]
    assert all(one.text[first:last] == text for first, last, text in one.windows)


@pytest.mark.parametrize(
    ("old", "new", "near"),
    [
        (6, 20, True),
        (5, 20, False),
        (14, 20, True),
        (15, 20, False),
        (10, 16, True),
        (10, 15, False),
    ],
)
def test_lines_up_to_four_from_a_changed_place_belong_to_it(old, new, near):
    text = "x\n" * 40
    assert same_place(source(text, [(10, 10)]), source(text, [(20, 22)]), old, new) is near
