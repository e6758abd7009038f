"""Long work, shown: a bar on a terminal, plain lines elsewhere; always on the error stream."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress

_PAUSE = 5.0  # seconds between plain lines; what is done sooner needs no telling


class Bar:
    """Progress in changes read; see :class:`handlers.ports.Progress`."""

    def __init__(self, label: str, stream: TextIO | None = None) -> None:
        self._label = label
        self._stream = stream or sys.stderr
        self._total = self._done = 0
        self._told = time.monotonic()
        self._bar: Progress | None = None

    def start(self, total: int) -> None:
        """``total`` changes are to be read."""
        self._total, self._done, self._told = total, 0, time.monotonic()
        if self._stream.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("changes"),
                console=Console(file=self._stream),
                transient=True,
            )
            self._bar.add_task(self._label, total=total)
            self._bar.start()

    def advance(self, count: int) -> None:
        """``count`` more are done."""
        self._done += count
        if self._bar:
            self._bar.advance(self._bar.task_ids[0], count)
        elif time.monotonic() - self._told > _PAUSE:
            self._told = time.monotonic()
            self._stream.write(f"{self._label}: {self._done} of {self._total} changes read\n")
            self._stream.flush()

    def finish(self) -> None:
        """The work is over: the bar goes away."""
        if self._bar:
            self._bar.stop()
            self._bar = None
