"""The program's folders and files, and files that are written completely or not at all.

Folders come from the environment, or else from the platform's defaults. Separate from the
configuration, whose libraries take longer to import than most commands run.
"""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Mapping
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


def write_whole(file: Path, text: str, mode: int = 0o666) -> None:
    """Replace the file at the end by a complete one. Raises ``UnwritableFolder``."""
    # A link stays, and what it leads to is replaced; a device or a pipe is written to.
    try:
        file = file.resolve()
        if file.exists() and not file.is_file():
            file.write_text(text, encoding="utf-8", errors="backslashreplace")
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except OSError as error:
        raise UnwritableFolder(str(file.parent), error.strerror or str(error)) from error
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as handle:
            handle.write(text)
        part.replace(file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UnwritableFolder(str(file), error.strerror or str(error)) from error
    except BaseException:
        part.unlink(missing_ok=True)
        raise
