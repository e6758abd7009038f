"""Events of Feishu's long connection that come in several frames."""

from __future__ import annotations

import pytest

from bot.platforms.feishu.connection import Method, Pieces, SocketFrame


def frame(name: str, total: int, place: int, payload: bytes = b"x") -> SocketFrame:
    headers = {"message_id": name, "sum": str(total), "seq": str(place)}
    return SocketFrame(method=Method.DATA, headers=headers, payload=payload)


def test_pieces_are_joined_in_their_places_whatever_order_they_come_in():
    pieces = Pieces()
    assert pieces.whole(frame("m", 3, 2, b"c"), 0.0) is None
    assert pieces.whole(frame("n", 2, 0, b"other"), 0.0) is None
    assert pieces.whole(frame("m", 3, 0, b"a"), 1.0) is None
    assert pieces.whole(frame("m", 3, 1, b"b"), 2.0) == b"abc"


def test_a_piece_that_comes_again_counts_once():
    pieces = Pieces()
    assert pieces.whole(frame("m", 2, 0, b"a"), 0.0) is None
    assert pieces.whole(frame("m", 2, 0, b"a"), 0.0) is None
    assert pieces.whole(frame("m", 2, 1, b"b"), 0.0) == b"ab"


def test_pieces_that_took_too_long_are_forgotten():
    pieces = Pieces()
    assert pieces.whole(frame("m", 2, 0), 0.0) is None
    assert pieces.whole(frame("m", 2, 1), 60.0) is None


def test_one_name_with_two_numbers_of_pieces_ends_nothing():
    pieces = Pieces()
    assert pieces.whole(frame("m", 5, 4, b"e"), 0.0) is None
    assert pieces.whole(frame("m", 2, 0, b"a"), 0.0) is None
    assert pieces.whole(frame("m", 2, 1, b"b"), 0.0) == b"ab"


@pytest.mark.parametrize(("total", "place"), [(2, 2), (2, 9), (65, 0), (99_999, 1)])
def test_pieces_that_cannot_be_are_passed_over(total, place):
    assert Pieces().whole(frame("m", total, place), 0.0) is None
