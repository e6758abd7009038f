"""Signatures are taken once, and remembered for as long as their time is accepted."""

from __future__ import annotations

from bot.messaging.receiver import Replays


def test_signature_is_first_once() -> None:
    replays = Replays(300)
    assert replays.first("a", 0)
    assert not replays.first("a", 1)
    assert replays.first("b", 1)


def test_signature_is_remembered_as_long_as_its_time_may_be_accepted() -> None:
    replays = Replays(300)
    replays.first("a", 0)
    # Signed 300 seconds ahead of our clock, it is accepted until 600 seconds from now.
    assert not replays.first("a", 600)
    assert replays.first("a", 601)


def test_request_that_was_not_taken_may_come_again() -> None:
    replays = Replays(300)
    replays.first("a", 0)
    replays.forget("a")
    assert replays.first("a", 1)
