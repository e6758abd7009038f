"""Feishu's long connection: events in several frames, and the pings that keep it up."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import aiohttp
import pytest

from bot.platforms.feishu.connection import (
    BadFrame,
    LongConnection,
    Method,
    Pieces,
    SocketFrame,
    SocketTiming,
)
from tests.support.virtual import run_in_virtual_time


def frame(name: str, total: int, place: int, payload: bytes = b"x") -> SocketFrame:
    headers = {"message_id": name, "sum": str(total), "seq": str(place)}
    return SocketFrame(method=Method.DATA, headers=headers, payload=payload)


@pytest.mark.parametrize("kind", range(8))
def test_fields_that_a_frame_may_get_later_are_passed_over(kind):
    """Their kinds are those of https://protobuf.dev/programming-guides/encoding/#structure."""
    values = {0: b"\x96\x01", 1: b"\x01" * 8, 2: b"\x03abc", 5: b"\x01" * 4}
    data = frame("m", 1, 0)
    unknown = bytes([12 << 3 | kind]) + values.get(kind, b"\x01")
    if kind in values:
        assert SocketFrame.parse(unknown + data.dump()) == data
        with pytest.raises(BadFrame):
            SocketFrame.parse(data.dump() + unknown[:-1])
    else:
        with pytest.raises(BadFrame):
            SocketFrame.parse(unknown + data.dump())


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


class Quiet:
    """The socket of a server that answers pings with pongs, and says nothing else."""

    closed, close_code = False, 1000

    def __init__(self, deaf_after: int) -> None:
        self.deaf_after = deaf_after
        self.pings: list[float] = []
        self._pongs: asyncio.Queue[bytes] = asyncio.Queue()

    async def send_bytes(self, data: bytes) -> None:
        assert SocketFrame.parse(data).type == "ping"
        self.pings.append(asyncio.get_running_loop().time())
        if len(self.pings) <= self.deaf_after:
            pong = SocketFrame(method=Method.CONTROL, headers={"type": "pong"})
            self._pongs.put_nowait(pong.dump())

    async def receive(self, timeout: float) -> SimpleNamespace:  # as in aiohttp
        async with asyncio.timeout(timeout):
            data = await self._pongs.get()
        return SimpleNamespace(type=aiohttp.WSMsgType.BINARY, data=data)

    async def close(self) -> None:
        self.closed = True


def test_pings_keep_a_quiet_connection_until_they_are_no_longer_answered():
    async def endpoint() -> dict[str, str]:
        return {"URL": "wss://feishu.example/ws?service_id=7"}

    async def connect(url: str, **_) -> Quiet:
        return socket

    async def live(loop) -> tuple[str, float]:
        connection = LongConnection(
            SimpleNamespace(endpoint=endpoint),
            SimpleNamespace(session=lambda: SimpleNamespace(ws_connect=connect)),
            take=None,
            timing=SocketTiming(ping=30),
        )
        return await connection._live(), loop.time()

    socket = Quiet(deaf_after=40)
    why, at = run_in_virtual_time(live)
    assert socket.pings[:41] == [30.0 * number for number in range(41)]
    assert (why, at, socket.closed) == ("silence", 39 * 30.0 + 75.0, True)
