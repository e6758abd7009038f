"""Structured logs on standard error, and tracebacks in a file, all without secrets.

``configure`` is called once, by the composition root. Modules use ``structlog.get_logger`` and name
events ``subject.happened`` (``delivery.sent``); tests assert these names. For an internal error the
user sees only an id; the traceback is in the file.
"""

from __future__ import annotations

import logging
import re
import sys
import traceback
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TextIO

import stamina.instrumentation
import structlog
from pydantic import SecretStr
from structlog.typing import EventDict, Processor, WrappedLogger

from bot.util.files import data_folder
from bot.util.sanitize import known_secrets, legible_lines

LOG = "digestbot.log"


def keep_traceback(error: BaseException) -> str:
    """Append the traceback to the log file; return the line to show, with its id."""
    number = uuid.uuid4().hex[:8]
    summary = f"internal error {number}: {type(error).__name__}"
    text = Redaction(known_secrets()).text("".join(traceback.format_exception(error)))
    file = data_folder() / LOG
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8", errors="backslashreplace") as handle:
            handle.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} {number}\n{text}\n")
    except OSError:
        return summary
    return f"{summary}; the traceback is in {file}"


Format = Literal["auto", "human", "json"]
HIDDEN = "***"
_SECRET_NAME = re.compile(r"secret|token|passw|api_?key|authorization|signature", re.IGNORECASE)

# https://user:password@host: RFC 3986, section 3.2.1
_USER_INFO = re.compile(r"(?<=://)[^/\s@]+(?=@)")


def configure(
    form: Format = "auto",
    level: str = "info",
    secrets: Iterable[str] = (),
    stream: TextIO | None = None,
    observers: Sequence[Processor] = (),
) -> None:
    """Set up logging for the process: lines for people on a terminal, JSON elsewhere.

    ``secrets`` are masked wherever they occur. Libraries' own logs pass the same way, from warnings
    up. ``observers`` see every event of ours, whatever its level.
    """
    target = stream or sys.stderr
    human = form == "human" or (form == "auto" and target.isatty())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    render: Processor = (
        structlog.dev.ConsoleRenderer(colors=target.isatty())
        if human
        else structlog.processors.JSONRenderer(ensure_ascii=False)
    )
    last: list[Processor] = [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        structlog.processors.format_exc_info,  # as text, tracebacks pass the redaction too
        Redaction(secrets),
        render,
    ]
    handler = logging.StreamHandler(target)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=last, foreign_pre_chain=[structlog.stdlib.ExtraAdder(), *observers, *shared]
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for ours in ("bot", "handlers"):
        logging.getLogger(ours).setLevel(level.upper())
    structlog.configure(
        processors=[
            *observers,
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    # The delivery logs its own retries, with the channel's name.
    stamina.instrumentation.set_on_retry_hooks([])


@contextmanager
def into_file(file: Path, secrets: Iterable[str] = ()) -> Iterator[None]:
    """Append logs to a file, as JSON, for commands that print only their answer."""
    before, handlers = structlog.get_config(), logging.getLogger().handlers[:]
    with file.open("a", encoding="utf-8", errors="backslashreplace") as stream:
        configure("json", "info", secrets, stream)
        try:
            yield
        finally:
            structlog.configure(**before)
            logging.getLogger().handlers[:] = handlers


class Redaction:
    """A structlog processor that masks secrets."""

    # Masked are values of fields whose names suggest secrets, ``SecretStr`` values, user names and
    # passwords in addresses, and every known secret inside any text.

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        # The longest first, so that a secret which contains another is masked whole.
        known = sorted({secret for secret in secrets if secret}, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        """The event without secrets."""
        return {name: self._field(name, value) for name, value in event.items()}

    def _field(self, name: str, value: Any) -> Any:
        hidden = _SECRET_NAME.search(name) and not isinstance(value, int | float | None)
        return HIDDEN if hidden else self._value(value)

    def _value(self, value: Any) -> Any:
        match value:
            case SecretStr():
                return HIDDEN
            case str():
                return self.text(value)
            case dict():
                return {key: self._field(str(key), inner) for key, inner in value.items()}
            case list() | tuple():
                return [self._value(inner) for inner in value]
            case bool() | int() | float() | None:
                return value
            case _:
                return self.text(str(value))

    def text(self, text: str) -> str:
        """A text without secrets, and without characters that control a terminal."""
        text = "\n".join(legible_lines(text))
        text = _USER_INFO.sub(HIDDEN, text)
        return self._known.sub(HIDDEN, text) if self._known else text
