"""The work behind the command line, one module a command or two."""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import TypeVar

from bot.files import write_whole
from digest.document import Document

T = TypeVar("T")


def finish(work: Coroutine[None, None, T]) -> T:
    """Run a command's work to its end."""
    return asyncio.run(work)


def emit(text: str, output: Path | None = None) -> None:
    """Write to a file, whole or not at all, or to standard output."""
    if text and not text.endswith("\n"):
        text += "\n"
    if output is not None:
        write_whole(output, text)
        return
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def print_document(document: Document, output: Path | None = None) -> None:
    """Show a document as the terminal does, or write it as plain text to a file."""
    from bot.platforms.console import Console, attached

    sender = attached(sys.stdout) if output is None else Console(io.StringIO())
    emit("\n".join(part.body for part in sender.render(document)), output)
