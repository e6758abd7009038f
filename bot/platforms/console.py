"""The terminal or a file: the shortest example of a platform, also used by ``chat``."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Literal, TextIO

from pydantic import Field

from bot.messaging.receiver import Incoming
from bot.messaging.sender import Ability, Limit, Part, Receipt, SendError, SendReason, Unit
from bot.messaging.wire import PostsOnly
from bot.util.section import Place, Settings
from bot.util.terminal import Terminal
from digest.document import Document


class Config(Settings):
    """The output file of the posts. Without ``output`` they are printed."""

    kind: Literal["console"] = "console"
    output: Place | None = None
    width: int | None = Field(default=None, ge=20, le=1000)


class Console(PostsOnly):
    """Prints messages. One stream is one chat, so ``chat`` is ignored."""

    name = "console"
    limit = Limit(size=None, unit=Unit.CODE_POINTS, source="a stream has no limit")
    abilities: frozenset[Ability] = frozenset()
    cannot_edit = "printed text cannot be changed"
    cannot_read = "a terminal cannot be read back"

    def __init__(self, stream: TextIO, *, width: int = 80, styled: bool = False) -> None:
        self._stream = stream
        self._terminal = Terminal(width=width, styled=styled)

    def render(self, document: Document) -> tuple[Part, ...]:
        """One part."""
        plain, body = self._terminal.texts(document)
        return (Part(text=plain, body=body),)

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:  # noqa: ARG002  # one chat, no threads
        """Write and flush."""
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        body = part.body.encode(encoding, "replace").decode(encoding)
        try:
            self._stream.write(body + "\n")
            self._stream.flush()
        except (BrokenPipeError, ValueError) as error:
            raise SendError(SendReason.NO_CHANNEL, "the stream is closed") from error
        except OSError as error:
            detail = error.strerror or type(error).__name__
            raise SendError(SendReason.UNAVAILABLE, detail, retry=False) from error
        return Receipt(message=part.identity or "printed")

    async def probe(self, chat: str) -> str:  # noqa: ARG002  # as above
        """Check that the stream is open for writing."""
        if self._stream.closed or not self._stream.writable():
            raise SendError(SendReason.NO_CHANNEL, "the stream is closed")
        colours = ", with colours" if self._terminal.styled else ""
        return f"{self._terminal.width} columns{colours}"

    async def aclose(self) -> None:
        """Close a file; leave the terminal open."""
        if self._stream not in {sys.stdout, sys.stderr}:
            self._stream.close()


def create(config: Config) -> Console:
    """The configured console. Raises ``SendError`` if its file cannot be opened."""
    if config.output is None:
        return console_of(sys.stdout, config.width)
    try:
        config.output.parent.mkdir(parents=True, exist_ok=True)
        stream = config.output.open("a", encoding="utf-8")
    except OSError as error:
        detail = f"{config.output}: {error.strerror or error}"
        raise SendError(SendReason.NO_CHANNEL, detail) from error
    return Console(stream, width=config.width or 80)


def console_of(stream: TextIO, width: int | None = None) -> Console:
    """A console with the width and styles of the stream's terminal."""
    terminal = Terminal.of(stream, width)
    return Console(stream, width=terminal.width, styled=terminal.styled)


class Keyboard:
    """Reads typed lines; each line is read when the previous one is answered."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdin

    async def listen(self) -> AsyncIterator[Incoming]:
        """The non-empty lines, until the end of the input."""
        number = 0
        while line := await _in_thread(self._read):
            number += 1
            if text := line.strip():
                yield Incoming(
                    platform="console",
                    chat="",
                    person="",
                    text=text,
                    id=str(number),
                    at=datetime.now(UTC),
                    direct=True,
                )

    def _read(self) -> str:
        if self._stream is not sys.stdin or not self._stream.isatty():
            return self._stream.readline()
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  # importing it gives ``input`` its history and editing
        try:
            return input("> ") + "\n"
        except EOFError:
            return ""


async def _in_thread(read: Callable[[], str]) -> str:
    """Read in a thread that does not keep the process alive, unlike those of an executor."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[str] = loop.create_future()

    def give(line: str) -> None:
        if not result.done():
            result.set_result(line)

    def run() -> None:
        try:
            line = read()
        except (OSError, ValueError):
            line = ""
        try:
            loop.call_soon_threadsafe(give, line)
        except RuntimeError:
            return  # the loop has ended, nobody waits for the line

    threading.Thread(target=run, name="keyboard", daemon=True).start()
    return await result
