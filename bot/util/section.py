"""The base of every section of the configuration file, and its handling of secrets.

A field of the type ``SecretStr`` can be given in three ways; the first that is present wins:

- ``bot_token_file = "token"``: a file that holds only the secret, best for systemd and Kubernetes;
  ``"$CREDENTIALS_DIRECTORY/token"`` is a credential passed by systemd;
- ``bot_token = "..."`` in the configuration file;
- the environment variable ``DIGESTBOT_<SECTION>_BOT_TOKEN``, if the section has a name.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    SecretStr,
    ValidationInfo,
    model_validator,
)

from bot.util.secrets import conceal, secrets_in


class Settings(BaseModel):
    """A section: unknown keys are refused, and values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _find_secrets(cls, data: Any, info: ValidationInfo) -> Any:
        reading = info.context
        if not isinstance(data, dict) or not isinstance(reading, SectionContext):
            return data
        found = dict(data)
        for name in cls.secret_fields():
            if (file := found.pop(f"{name}_file", None)) is not None:
                if name in found:
                    raise ValueError(f"both {name} and {name}_file are given; keep one")
                found[name] = read_secret(reading.place(str(file)), reading.warnings)
            elif name not in found and reading.section:
                variable = f"DIGESTBOT_{reading.section}_{name}".upper().replace("-", "_")
                if value := reading.environment.get(variable):
                    found[name] = value
        return found

    @model_validator(mode="after")
    def _conceal(self) -> Self:
        conceal(self.secrets())
        return self

    def secrets(self) -> tuple[str, ...]:
        """The given secrets, to be masked in logs.

        For an address that is a secret, its path is one as well: servers repeat the path without
        the rest.
        """
        values = (getattr(self, name) for name in self.secret_fields())
        given = [v.get_secret_value() for v in values if isinstance(v, SecretStr)]
        return tuple(part for secret in given for part in (secret, *_telling_parts(secret)))

    @classmethod
    def secret_fields(cls) -> tuple[str, ...]:
        """The names of the fields that hold secrets."""
        return tuple(
            name
            for name, info in cls.model_fields.items()
            if info.annotation is SecretStr or SecretStr in get_args(info.annotation)
        )


class ServerSettings(Settings):
    """A section of server addresses: only their passwords are masked."""

    def secrets(self) -> tuple[str, ...]:
        """Passwords and other secret parts of the addresses."""
        values = (getattr(self, name) for name in self.secret_fields())
        return tuple(part for one in values for part in secrets_in(one.get_secret_value()))


_LONG = 12
"""Characters from which a part of an address cannot be a common word."""

_CREDENTIALS = "$CREDENTIALS_DIRECTORY/"


@dataclass(slots=True, kw_only=True)
class SectionContext:
    """What a section is read with: the file's folder, the environment, and a list for warnings."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    section: str = ""
    warnings: list[str] = field(default_factory=list)

    def place(self, written: str) -> Path:
        """The path of a secret's file. Raises ``ValueError`` if systemd passed no folder.

        ``$CREDENTIALS_DIRECTORY/name`` is a credential of systemd, in a folder that differs for
        each unit: https://systemd.io/CREDENTIALS/.
        """
        if not written.startswith(_CREDENTIALS):
            return self.folder / written
        folder = self.environment.get("CREDENTIALS_DIRECTORY")
        if not folder:
            raise ValueError(f"the secret's file {written!r} is there only in a unit of systemd")
        return Path(folder, written.removeprefix(_CREDENTIALS))


def _beside_the_file(path: Path, info: ValidationInfo) -> Path:
    folder = info.context.folder if isinstance(info.context, SectionContext) else Path()
    return folder / path.expanduser()


Place = Annotated[Path, AfterValidator(_beside_the_file)]
"""A path; a relative one starts at the folder of the configuration file."""


def _telling_parts(secret: str) -> tuple[str, ...]:
    """The path of an address and its long segments; empty if it is no address."""
    _, found, rest = secret.partition("://")
    path = rest.partition("/")[2] if found else ""
    long = [part for part in re.split(r"[/?&=]", path) if len(part) >= _LONG]
    return (path, *long) if long else ()


def read_secret(file: Path, warnings: list[str]) -> str:
    """A secret from its file, without the line end. Raises ``ValueError`` with a line to show."""
    try:
        secret = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "not UTF-8"
        raise ValueError(f"the secret's file {str(file)!r} cannot be read ({why})") from error
    if not secret:
        raise ValueError(f"the secret's file {str(file)!r} is empty")
    if open_to_others(file):
        warnings.append(f"{file} can be read by others; chmod 600 it")
    return secret


def open_to_others(file: Path) -> bool:
    """Whether anybody but the owner may read the file."""
    return os.name == "posix" and bool(file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))
