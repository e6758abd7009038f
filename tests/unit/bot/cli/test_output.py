"""How far the reading of changes has come, on a terminal and elsewhere."""

from __future__ import annotations

import io
import re

from bot.cli import output
from bot.cli.output import ProgressBar


class Screen(io.StringIO):
    """A terminal, which keeps everything that was ever written to it."""

    def isatty(self) -> bool:
        return True


def test_terminal_has_a_bar_that_counts_and_then_vanishes(monkeypatch):
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    bar = ProgressBar("owner/[engine]")
    bar.start(30)
    bar.advance(10)
    bar.advance(2)
    bar.finish()
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue())
    assert re.search(r"owner/\[engine\] \S+ 12/30 changes", shown)
    assert screen.getvalue().rstrip("\r\n").endswith("\x1b[2K")  # the line of the bar is empty
    end = len(screen.getvalue())
    bar.finish()
    assert len(screen.getvalue()) == end


def test_elsewhere_a_line_is_written_every_few_seconds(monkeypatch):
    log, now = io.StringIO(), [100.0]
    monkeypatch.setattr("sys.stderr", log)
    monkeypatch.setattr(output.time, "monotonic", lambda: now[0])
    bar = ProgressBar("owner/engine")
    now[0] += 60
    bar.start(30)
    for count in (4, 5, 6):
        now[0] += 3
        bar.advance(count)
    bar.finish()
    assert log.getvalue() == "owner/engine: 9 of 30 changes read\n"
