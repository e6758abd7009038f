"""The work behind the command line, one module a command or two."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import sys
from asyncio import AbstractEventLoop
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from bot.files import write_whole
from digest.document import Document

T = TypeVar("T")


def finish(
    work: Coroutine[None, None, T], loop: Callable[[], AbstractEventLoop] | None = None
) -> T:
    """Run a command's work to its end, in a loop of its own kind where that is given."""
    # What is imported stays, and values are frozen and without cycles: looking for garbage as often
    # as Python does by default costs a tenth of the time of a large digest.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(work)


def emit(text: str, output: Path | None = None) -> None:
    """Write to a file, whole or not at all, or to standard output."""
    if text and not text.endswith("\n"):
        text += "\n"
    if output is None:
        emit_pieces([text])
    else:
        write_whole(output, text)


def emit_pieces(pieces: Iterable[str], output: Path | None = None) -> None:
    """As :func:`emit`, of a text in pieces, each made when those before it are on their way."""
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
    """A JSON object, in pieces, whose array under ``key`` stands last, a line for each element."""
    rest = {name: part for name, part in head.items() if name != key}
    yield f'{json.dumps(rest, ensure_ascii=False)[:-1]}, "{key}": [\n'
    for number, row in enumerate(rows):
        yield (",\n" if number else "") + json.dumps(row, ensure_ascii=False)
    yield "\n]}\n"


def print_document(document: Document, output: Path | None = None) -> None:
    """Show a document as the terminal does, or write it as plain text to a file."""
    from bot.platforms.console import Console, attached

    sender = attached(sys.stdout) if output is None else Console(io.StringIO())
    emit("\n".join(part.body for part in sender.render(document)), output)
