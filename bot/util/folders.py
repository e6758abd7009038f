"""Folders and files: from the environment, or else the platform's defaults.

Separate from the configuration, whose libraries take longer to import than most commands run.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from digest.errors import InvalidConfig

NAME = "digestbot.toml"

LogFormat = Literal["auto", "human", "json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The settings from the environment, each as ``DIGESTBOT_`` and the name in capitals.

    ``data`` overrides the file's ``data`` and ``log_format`` its ``logs.format``; ``config`` is the
    configuration file. ``model`` and ``model_url`` name a model if the file has no section
    ``[model]``; the key is read with the other secrets. ``database`` is the address of the archive
    if the file names none: ``DIGESTBOT_DATABASE_URL``, or ``DATABASE_URL`` if that is PostgreSQL,
    since other programs use that variable as well. ``redis`` is what processes share beside it, by
    ``DIGESTBOT_REDIS_URL`` or ``REDIS_URL``.
    """

    data: Path | None = None
    config: Path | None = None
    log_format: LogFormat | None = None
    model: str = ""
    model_url: str = ""
    database: str = field(default="", repr=False)
    redis: str = field(default="", repr=False)

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
            data=Path(data) if data else None,
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
    """The default configuration file: ``digestbot.toml`` here, or in the data folder.

    It need not exist.
    """
    environment = environment or Environment.read()
    here = Path(NAME)
    if environment.config or here.exists():
        return environment.config or here
    return data_folder(environment) / NAME
