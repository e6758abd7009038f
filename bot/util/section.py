"""The base of every section of the configuration file: its secrets and its errors.

A field of the type ``SecretStr`` can be given in three ways; the first that is present wins:

- ``bot_token_file = "token"``: a file that holds only the secret, such as a credential of systemd,
  ``"$CREDENTIALS_DIRECTORY/token"``;
- ``bot_token = "..."`` in the configuration file;
- the environment variable ``DIGESTBOT_<SECTION>_BOT_TOKEN``, if the section has a name.
"""

from __future__ import annotations

import difflib
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    SecretStr,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from bot.util.sanitize import conceal, legible, secrets_in
from digest.errors import InvalidConfig


def must(fits: Callable[[str], object], complaint: str) -> AfterValidator:
    """Refuses a text or secret that does not fit; ``complaint`` says what to write instead."""

    def check(value: str | SecretStr | None) -> str | SecretStr | None:
        text = value.get_secret_value() if isinstance(value, SecretStr) else value
        if text is not None and not fits(text):
            raise ValueError(complaint)
        return value

    return AfterValidator(check)


class Settings(BaseModel):
    """A section: unknown keys are refused, and values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)
    within: ClassVar[str] = ""  # the name of a section inside another one, in the environment

    @model_validator(mode="before")
    @classmethod
    def _find_secrets(cls, data: Any, info: ValidationInfo) -> Any:
        reading = info.context
        if not isinstance(data, dict) or not isinstance(reading, SectionContext):
            return data
        values = dict(data)
        for name in cls.secret_fields():
            if (file := values.pop(f"{name}_file", None)) is not None:
                if name in values:
                    raise ValueError(f"both {name} and {name}_file are given; keep one")
                values[name] = read_secret(reading.place(str(file)), reading.warnings)
            elif name not in values and reading.section:
                parts = filter(None, ("DIGESTBOT", reading.section, cls.within, name))
                variable = "_".join(parts).upper().replace("-", "_")
                if value := reading.environment.get(variable):
                    values[name] = value
        return values

    @model_validator(mode="after")
    def _conceal(self) -> Self:
        conceal(self.secrets())
        return self

    def secrets(self) -> tuple[str, ...]:
        """The given secrets, to be masked in logs, with the paths of addresses that are secrets."""
        # Servers repeat the path without the rest.
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
        return tuple(part for value in values for part in secrets_in(value.get_secret_value()))


_LONG = 12  # characters from which a part of an address cannot be a common word
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
            raise ValueError(f"the secret's file {written!r} exists only inside a systemd unit")
        return Path(folder, written.removeprefix(_CREDENTIALS))


def _beside_the_file(path: Path, info: ValidationInfo) -> Path:
    folder = info.context.folder if isinstance(info.context, SectionContext) else Path()
    return folder / path.expanduser()


Place = Annotated[Path, AfterValidator(_beside_the_file)]
"""A path; a relative one starts at the folder of the configuration file."""


def _telling_parts(secret: str) -> tuple[str, ...]:
    """The path of an address and its long segments; empty if it is no address."""
    _, separator, rest = secret.partition("://")
    path = rest.partition("/")[2] if separator else ""
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
        warnings.append(f"{file} can be read by others; run chmod 600 on it")
    return secret


def open_to_others(file: Path) -> bool:
    """Whether anybody but the owner may read the file."""
    return os.name == "posix" and bool(file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))


S = TypeVar("S", bound=Settings)
Location = tuple[int | str, ...]


def complain(
    file: Path, error: ValidationError, model: type[Settings], data: Any, section: str = ""
) -> InvalidConfig:
    """The first error that pydantic found, in words, with the number of others."""
    # An unknown key comes before a missing one: it is mostly that one, misspelled.
    found = sorted(error.errors(include_url=False), key=lambda one: one["type"] == "missing")
    first = found[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    location: Location = first["loc"]
    where = ".".join(filter(None, [section, spell(location, data)])) or "the file"
    match first["type"]:
        case "extra_forbidden":
            key = str(location[-1])
            known = _keys(_model_at(model, location[:-1]))
            guess = near(key, known) or f"; known here: {', '.join(sorted(known))}"
            words = f"unknown key {where}{guess}"
        case "missing":
            words = f"{where} is missing"
        case _:
            words = f"{where}{_value(model, location, data)}: {_reason(first['msg'])}"
    return InvalidConfig(legible(f"{file}: {words}{more}"))


def read_section(
    model: type[S], table: Any, file: Path, reading: SectionContext, section: str, *, name: str = ""
) -> S:
    """A section of the file as its model. Raises ``InvalidConfig``."""
    # ``name`` is the section's in the environment, if it differs from ``section``.
    try:
        return model.model_validate(table, context=replace(reading, section=name or section))
    except ValidationError as error:
        raise complain(file, error, model, table, section) from None


def near(word: str, known: Iterable[str]) -> str:
    """A suggestion of the most similar known word; empty if none is similar."""
    names = {name.casefold(): name for name in known}
    matches = difflib.get_close_matches(word.casefold(), names, n=1, cutoff=0.6)
    return f"; did you mean {names[matches[0]]!r}?" if matches else ""


def spell(location: Location, data: Any) -> str:
    """A location in the file, such as ``channels['team'].zone``, or ``#1`` without a name."""
    words = ""
    for step in location:
        data = _step(data, step)
        if isinstance(step, int):
            name = data.get("name") if isinstance(data, dict) else None
            words += f"[{name!r}]" if isinstance(name, str) else f"[#{step + 1}]"
        else:
            words += f".{step}" if words else step
    return words


def _step(data: Any, step: int | str) -> Any:
    try:
        return data[step]
    except (KeyError, IndexError, TypeError):
        return None


def _keys(model: type[BaseModel] | None) -> Sequence[str]:
    if model is None:
        return ()
    secrets = model.secret_fields() if issubclass(model, Settings) else ()
    return [*model.model_fields, *(f"{name}_file" for name in secrets)]


def _model_at(model: type[BaseModel] | None, location: Location) -> type[BaseModel] | None:
    for step in location:
        if isinstance(step, str) and model is not None and step in model.model_fields:
            model = _inner(model.model_fields[step].annotation)
    return model


def _inner(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for arg in get_args(annotation) if (found := _inner(arg))), None)


def _value(model: type[BaseModel], location: Location, data: Any) -> str:
    """The value as written, unless it is a section or a secret."""
    owner = _model_at(model, location[:-1])
    if not location or owner is None or not issubclass(owner, Settings):
        return ""
    for step in location:
        data = _step(data, step)
    secret = location[-1] in owner.secret_fields()
    if secret or data is None or isinstance(data, dict):
        return ""
    text = str(data) if not isinstance(data, str) else repr(data)
    return f" = {text if len(text) <= 60 else text[:57] + '...'}"


def _reason(message: str) -> str:
    words = message.removeprefix("Value error, ")
    if words.startswith("Input should be"):
        return words.replace("Input should be", "it should be", 1)
    return words
