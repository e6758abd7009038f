"""Output of the commands: documents, JSON (see ``docs/json.md``) and progress.

Progress is a bar on a terminal and plain lines elsewhere, always on standard error.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from asyncio import AbstractEventLoop
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from bot.util.files import write_whole
from digest.document import Document, Item, Listing, Spans, Table, Text

if TYPE_CHECKING:
    from rich.progress import Progress

    from handlers.ports.analysis_port import AnalysisRun
    from handlers.ports.model_port import Usage

P = ParamSpec("P")
T = TypeVar("T")


def finish(
    work: Coroutine[None, None, T],
    loop: Callable[[], AbstractEventLoop] | None = None,
    *,
    service: bool = False,
) -> T:
    """Run a command's work, or that of a ``service``, in an event loop from ``loop`` if given."""
    # Imports stay, and values are frozen and without cycles: collecting garbage as often as Python
    # does by default costs a tenth of the time of a large digest.
    gc.freeze()
    # A service collects less at once, as its readers wait for that: 5 ms instead of up to 80.
    gc.set_threshold(3_000 if service else 50_000, 20, 50)
    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(work)


def finished(work: Callable[P, Coroutine[None, None, None]]) -> Callable[P, None]:
    """A command that runs its work to its end."""

    @wraps(work)
    def run(*given: P.args, **named: P.kwargs) -> None:
        finish(work(*given, **named))

    return run


def emit(text: str, output: Path | None = None) -> None:
    """Write to standard output, or to a file, completely or not at all."""
    if text and not text.endswith("\n"):
        text += "\n"
    if output is None:
        emit_pieces([text])
    else:
        write_whole(output, text)


def emit_pieces(pieces: Iterable[str], output: Path | None = None) -> None:
    """Like :func:`emit`, for a text in pieces; each is made after the previous ones are written."""
    if output is not None:
        write_whole(output, "".join(pieces))
        return
    for piece in pieces:
        try:
            sys.stdout.write(piece)
        except UnicodeEncodeError:
            encoding = sys.stdout.encoding or "utf-8"
            sys.stdout.write(piece.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def json_lines(head: Mapping[str, Any], key: str, rows: Iterable[Any]) -> Iterator[str]:
    """A JSON object in pieces, its array under ``key`` last, with one element per line."""
    rest = {name: part for name, part in head.items() if name != key}
    yield f'{json.dumps(rest, ensure_ascii=False)[:-1]}, "{key}": [\n'
    for number, row in enumerate(rows):
        yield (",\n" if number else "") + json.dumps(row, ensure_ascii=False)
    yield "\n]}\n"


def print_document(document: Document, output: Path | None = None) -> None:
    """Print a document for the terminal, or write it as plain text to a file."""
    from bot.util.terminal import Terminal

    terminal = Terminal.of(sys.stdout) if output is None else Terminal()
    emit(terminal.texts(document)[1], output)


def table_of(header: Iterable[str], rows: Iterable[Iterable[str]]) -> Table:
    """A table of plain texts."""
    return Table(_cells(header), tuple(map(_cells, rows)))


def _cells(texts: Iterable[str]) -> tuple[Spans, ...]:
    return tuple((Text(text),) for text in texts)


def lines_of(texts: Iterable[str]) -> Listing:
    """A list of plain texts."""
    return Listing(tuple(Item((Text(text),)) for text in texts))


def with_usage(
    report: Mapping[str, Any], judgement: AnalysisRun | None, currency: str
) -> dict[str, Any]:
    """A report's JSON with the usage of each analysis, when it was made, and of this run."""
    spent = judgement.spent if judgement else None
    commits = [commit_with_usage(commit, judgement, currency) for commit in report["commits"]]
    return {**report, "usage": usage_to_json(spent, currency), "commits": commits}


def commit_with_usage(
    commit: Mapping[str, Any], judgement: AnalysisRun | None, currency: str
) -> dict[str, Any]:
    """A commit's JSON with the usage of its analysis, when it was made."""
    made = judgement.made.get(commit["sha"]) if judgement else None
    return {**commit, "usage": usage_to_json(made, currency) if made is not None else None}


def usage_to_json(usage: Usage | None, currency: str) -> dict[str, Any]:
    """A usage by its parts; ``cost`` is in the currency of the configuration."""
    return {
        "calls": usage.calls if usage else 0,
        "input_tokens": usage.input_tokens if usage else 0,
        "cached_tokens": usage.cached_tokens if usage else 0,
        "output_tokens": usage.output_tokens if usage else 0,
        "cost": float(usage.cost) if usage else 0.0,
        "currency": currency,
        "estimated": usage.estimated if usage else False,
    }


_PAUSE = 5.0  # seconds between plain lines; shorter work prints none


class ProgressBar:
    """Progress in changes read; see :class:`handlers.ports.storage.Progress`."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._stream = sys.stderr
        self._total = self._done = 0
        self._told = time.monotonic()
        self._bar: Progress | None = None

    def start(self, total: int) -> None:
        """``total`` changes will be read."""
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
        """Remove the bar."""
        if self._bar:
            self._bar.stop()
            self._bar = None
