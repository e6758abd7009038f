"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import shlex
import tempfile
from pathlib import Path

from digest.errors import UnwritableFolder, UserError


def check_output(file: Path | None) -> None:
    """Check that a named file can be written, before the work that fills it.

    Raises ``UserError`` if its folder is missing, or if it is a folder: creating a folder whose
    name was misspelled would hide the file.
    """
    if file is None:
        return
    try:
        folder, there = file.is_dir(), file.parent.is_dir()
    except OSError as error:
        raise UnwritableFolder(str(file.parent), error.strerror or str(error)) from error
    if folder:
        raise UserError(f"--output {str(file)!r} is a folder; name a file in it")
    if not there:
        raise UserError(
            f"--output {str(file)!r} is not in a folder that is there; "
            f"make one (mkdir -p {shlex.quote(str(file.parent))}), or name a file elsewhere"
        )


def write_whole(file: Path, text: str) -> None:
    """Write to a temporary file beside it that replaces the file at the end.

    Creates the folder if it is missing. Raises ``UnwritableFolder``.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    except OSError as error:
        raise UnwritableFolder(str(file.parent), error.strerror or str(error)) from error
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as handle:
            handle.write(text)
        os.chmod(name, 0o666 & ~_umask())  # noqa: PTH101 - a name, not a path
        os.replace(name, file)  # noqa: PTH105
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise UnwritableFolder(str(file), error.strerror or str(error)) from error
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
