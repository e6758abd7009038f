"""Tests of bot/util/terminal.py."""

from __future__ import annotations

import io

import pytest

from bot.util.terminal import Terminal


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "variables", "styled"),
    [
        (Screen(), {}, True),
        (Screen(), {"NO_COLOR": "1"}, False),
        (Screen(), {"NO_COLOR": ""}, True),
        (Screen(), {"TERM": "dumb"}, False),
        (Screen(), {"FORCE_COLOR": ""}, False),
        (io.StringIO(), {}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
        (io.StringIO(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_a_terminal_has_styles_unless_they_are_refused(
    stream: io.StringIO, variables: dict[str, str], styled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert Terminal.of(stream).styled == styled


@pytest.mark.parametrize(("columns", "width"), [("132", 132), ("0", 80), ("wide", 80)])
def test_the_width_is_the_one_of_the_environment_if_it_is_a_number(
    columns: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("os.get_terminal_size", lambda _: (_ for _ in ()).throw(OSError()))
    assert Terminal.of(Screen()).width == width
    assert Terminal.of(Screen(), 60).width == 60
