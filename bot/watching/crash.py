"""What a user sees of our own mistakes: an id. The traceback goes to a file, without secrets."""

from __future__ import annotations

import traceback
import uuid
from datetime import UTC, datetime

from bot.folders import data_folder
from bot.secrecy import known
from bot.watching.logs import Redaction

LOG = "digestbot.log"


def keep_traceback(error: BaseException) -> str:
    """Append the traceback to the log file; the line to show, with the id to look for."""
    number = uuid.uuid4().hex[:8]
    told = f"internal error {number}: {type(error).__name__}"
    text = Redaction(known()).text("".join(traceback.format_exception(error)))
    file = data_folder() / LOG
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8", errors="backslashreplace") as handle:
            handle.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} {number}\n{text}\n")
    except OSError:
        return told
    return f"{told}; the traceback is in {file}"
