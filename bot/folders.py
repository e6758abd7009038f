"""Where things are: what the environment says, else where the platform puts them.

Kept apart from the configuration, whose libraries take longer to import than most commands run.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from digest.errors import InvalidConfig

NAME = "digestbot.toml"

LogFormat = Literal["auto", "human", "json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What the environment may say, each as ``DIGESTBOT_`` and the name in capitals.

    ``data`` wins over the file's ``data`` and ``log_format`` over its ``logs.format``; ``config``
    is the configuration file.
    """

    data: Path | None = None
    config: Path | None = None
    log_format: LogFormat | None = None

    @classmethod
    def read(cls, variables: Mapping[str, str] | None = None) -> Environment:
        """Read the variables; empty ones say nothing. Raises ``InvalidConfig``."""
        said = os.environ if variables is None else variables
        data, config = said.get("DIGESTBOT_DATA"), said.get("DIGESTBOT_CONFIG")
        return cls(
            data=Path(data) if data else None,
            config=Path(config) if config else None,
            log_format=_log_format(said.get("DIGESTBOT_LOG_FORMAT", "")),
        )


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
    """The data folder where no file names one."""
    environment = environment or Environment.read()
    if environment.data:
        return environment.data
    import platformdirs

    return platformdirs.user_data_path("digestbot", appauthor=False)


def config_file(environment: Environment | None = None) -> Path:
    """The file to read where none is named: ``digestbot.toml`` here, or in the data folder.

    It need not exist.
    """
    environment = environment or Environment.read()
    here = Path(NAME)
    if environment.config or here.exists():
        return environment.config or here
    return data_folder(environment) / NAME
