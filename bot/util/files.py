"""The program's folders and files, and files that are written completely or not at all.

Folders come from the environment, or else from the platform's defaults. Separate from the
configuration, whose libraries take longer to import than most commands run.
"""

from __future__ import annotations

import os
import secrets
import shlex
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Literal

from digest.errors import InvalidConfig, UnwritableFolder, UserError
from digest.frozen import frozen

NAME = "digestbot.toml"
LogFormat = Literal["auto", "human", "json"]


@frozen
class Environment:
    """The settings from the environment, each as ``DIGESTBOT_`` and the name in capitals."""

    # ``database`` and ``redis`` are ``DIGESTBOT_DATABASE_URL`` and ``DIGESTBOT_REDIS_URL``, or else
    # ``DATABASE_URL``, if that is PostgreSQL, since other programs use it as well, and
    # ``REDIS_URL``.

    data: Path | None = None  # overrides the file's ``data``
    config: Path | None = None  # the configuration file
    log_format: LogFormat | None = None  # overrides the file's ``logs.format``
    model: str = ""  # if the file has no section ``[model]``
    model_url: str = ""
    database: str = field(default="", repr=False)  # of the archive, if the file names none
    redis: str = field(default="", repr=False)  # what processes share beside it

    @classmethod
    def read(cls, variables: Mapping[str, str] | None = None) -> Environment:
        """Read the variables; empty ones count as unset. Raises ``InvalidConfig``."""
        said = os.environ if variables is None else variables
        data, config = said.get("DIGESTBOT_DATA"), said.get("DIGESTBOT_CONFIG")
        model, url = said.get("DIGESTBOT_MODEL", ""), said.get("DIGESTBOT_MODEL_URL", "")
        if url and not model:
            raise InvalidConfig(
                "DIGESTBOT_MODEL_URL is set and DIGESTBOT_MODEL is not; name the model"
            )
        return cls(
            data=Path(data).absolute() if data else None,  # git runs in a folder of its own
            config=Path(config) if config else None,
            log_format=_log_format(said.get("DIGESTBOT_LOG_FORMAT", "")),
            model=model,
            model_url=url,
            database=said.get("DIGESTBOT_DATABASE_URL", "") or _postgres(said),
            redis=said.get("DIGESTBOT_REDIS_URL", "") or said.get("REDIS_URL", ""),
        )


def _postgres(said: Mapping[str, str]) -> str:
    url = said.get("DATABASE_URL", "")
    return url if url.startswith(("postgresql:", "postgres:", "postgresql+psycopg:")) else ""


def _log_format(said: str) -> LogFormat | None:
    match said:
        case "":
            return None
        case "auto" | "human" | "json":
            return said
        case _:
            raise InvalidConfig(
                f"DIGESTBOT_LOG_FORMAT is {said!r}; it may be 'auto', 'human' or 'json'"
            )


def data_folder(environment: Environment | None = None) -> Path:
    """The data folder if no file names one."""
    environment = environment or Environment.read()
    if environment.data:
        return environment.data
    import platformdirs

    return platformdirs.user_data_path("digestbot", appauthor=False)


def cache_folder() -> Path:
    """The folder of what can be made again, which need not exist."""
    import platformdirs

    return platformdirs.user_cache_path("digestbot", appauthor=False)


_OF_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def is_private(folder: Path) -> bool:
    """Whether nobody else can write to a folder, which is made if missing, or to one above it."""
    try:
        for path in (folder.parent, folder):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        modes = [path.stat().st_mode for path in (folder, *folder.resolve().parents)]
    except OSError:
        return False
    shared = any(mode & _OF_OTHERS and not mode & stat.S_ISVTX for mode in modes)
    return not shared and os.access(folder, os.W_OK)


def read_expressions() -> bytes:
    """The compiled expressions that a command has kept; nothing where others could have."""
    file = _expressions_file()
    try:
        return file.read_bytes() if file.exists() and is_private(file.parent) else b""
    except OSError:
        return b""


def keep_expressions(compiled: bytes) -> None:
    """Keep compiled expressions for the next command, if there is a place for them."""
    file = _expressions_file()
    # A data folder is made by what it is for.
    if (file.parent.exists() or "DIGESTBOT_DATA" not in os.environ) and is_private(file.parent):
        with suppress(UserError):
            write_whole(file, compiled, mode=0o600)


def _expressions_file() -> Path:
    # Where the environment names a data folder, which may be all that stays of a container, the
    # library for finding folders is not needed.
    data = os.environ.get("DIGESTBOT_DATA")
    return (Path(data) if data else cache_folder()) / "expressions"


def config_file(environment: Environment | None = None) -> Path:
    """The default configuration file, which need not exist: here, or in the data folder."""
    environment = environment or Environment.read()
    here = Path(NAME)
    if environment.config or here.exists():
        return environment.config or here
    return data_folder(environment) / NAME


def check_output(file: Path | None) -> None:
    """Check that a named file can be written, before the work that fills it."""
    # Raises ``UserError`` if its folder is missing: creating a misspelled one would hide it.
    if file is None:
        return
    try:
        folder, there = file.is_dir(), file.parent.is_dir()
    except OSError as error:
        raise UnwritableFolder(str(file.parent), error.strerror or str(error)) from error
    if folder:
        raise UserError(f"--output {str(file)!r} is a folder; give a file name")
    if not there:
        raise UserError(
            f"--output {str(file)!r} is not in a folder that is there; "
            f"make one (mkdir -p {shlex.quote(str(file.parent))}), or name a file elsewhere"
        )


def write_whole(file: Path, text: str | bytes, mode: int = 0o666) -> None:
    """Replace the file at the end by a complete one. Raises ``UnwritableFolder``."""
    # A link stays, and what it leads to is replaced; a device or a pipe is written to.
    content = text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace")
    try:
        file = file.resolve()
        if file.exists() and not file.is_file():
            file.write_bytes(content)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except OSError as error:
        raise UnwritableFolder(str(file.parent), error.strerror or str(error)) from error
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(content)
        part.replace(file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UnwritableFolder(str(file), error.strerror or str(error)) from error
    except BaseException:
        part.unlink(missing_ok=True)
        raise
