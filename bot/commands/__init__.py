"""The work behind the command line, one module a command or two."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import sys
from asyncio import AbstractEventLoop
from collections.abc import Callable, Coroutine, Mapping
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
    if output is not None:
        write_whole(output, text)
        return
    try:
        sys.stdout.write(text)
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding or "utf-8"
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def json_lines(value: Mapping[str, Any], key: str) -> str:
    """A JSON object whose array under ``key`` stands last and has a line for each element."""
    rest = {name: part for name, part in value.items() if name != key}
    head = json.dumps(rest, ensure_ascii=False)[:-1]
    rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in value[key])
    return f'{head}, "{key}": [\n{rows}\n]}}\n'


def print_document(document: Document, output: Path | None = None) -> None:
    """Show a document as the terminal does, or write it as plain text to a file."""
    from bot.platforms.console import Console, attached

    sender = attached(sys.stdout) if output is None else Console(io.StringIO())
    emit("\n".join(part.body for part in sender.render(document)), output)
