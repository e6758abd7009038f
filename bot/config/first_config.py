"""Writes a first configuration from a few answers, its secrets in files of their own.

The text is read back as ``run`` would read it before the file is put in place, so that the result
of ``init`` works. Existing files are not overwritten.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from pathlib import Path

from bot import platforms
from bot.config.reader import Config, read
from bot.util.section import Settings, near
from digest.errors import InvalidConfig, UnwritableFolder, UsageError, UserError
from digest.frozen import frozen

SECRETS = "secrets"  # the folder of the secrets, beside the configuration


@frozen
class SetupAnswers:
    """The values for the configuration."""

    repositories: Sequence[str]  # folders or addresses
    platform: str = "console"
    chat: str = ""
    zone: str = "UTC"
    time: str = "09:00"  # local to ``zone``
    language: str = "en"
    settings: Mapping[str, str] = field(default_factory=dict)  # the platform's own, by key
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)


def settings_of(platform: str) -> type[Settings]:
    """The settings of a platform. Raises ``UsageError`` if there is no such platform."""
    try:
        model: type[Settings] = platforms.load(platform).Config
    except KeyError:
        known = platforms.kinds()
        raise UsageError(
            f"unknown platform {platform!r}{near(platform, known)}; known: {', '.join(known)}"
        ) from None
    return model


def required_keys(model: type[Settings]) -> tuple[str, ...]:
    """The required keys of the platform, without secrets."""
    secrets = model.secret_fields()
    return tuple(
        name
        for name, info in model.model_fields.items()
        if info.is_required() and name not in secrets
    )


def write(file: Path, answers: SetupAnswers) -> Config:
    """Write the configuration and its secrets, and return the configuration as read back.

    Raises ``UserError`` if a file exists already, ``InvalidConfig`` if the answers are not valid
    together, ``UnwritableFolder``. Nothing is left behind then.
    """
    if file.exists():
        raise UserError(
            f"{str(file)!r} already exists and is not overwritten; name another with --config"
        )
    with _undo_on_error() as made:
        for key, secret in answers.secrets.items():
            _create(file.parent / secret_file(answers.platform, key), f"{secret}\n", made)
        beside = file.with_name(f".{file.name}.new")
        _create(beside, config_text(answers), made)
        try:
            config = read(beside)
        except InvalidConfig as error:
            problem = str(error).removeprefix(f"{beside}: ")
            raise InvalidConfig(f"this configuration is invalid: {problem}") from None
        _take_place(beside, file)
        made.clear()
    return config


def secret_file(platform: str, key: str) -> str:
    """Where a secret is stored, relative to the configuration."""
    return f"{SECRETS}/{platform}-{key.replace('_', '-')}"


def config_text(answers: SetupAnswers) -> str:
    """The configuration as TOML."""
    return "\n".join(_lines(answers)) + "\n"


def _lines(answers: SetupAnswers) -> Iterator[str]:
    yield "# Written by digestbot init; every other key is in deploy/bot.example.toml."
    yield "# digestbot check checks everything named here and posts nothing; digestbot run posts."
    yield 'data = "data"'
    yield ""
    yield "[defaults]"
    yield f"zone = {_toml_string(answers.zone)}"
    yield f"time = {_toml_string(answers.time)}"
    yield f"language = {_toml_string(answers.language)}"
    for place in answers.repositories:
        yield ""
        yield "[[repositories]]"
        yield f"place = {_toml_string(place)}"
    if answers.settings or answers.secrets:
        yield ""
        yield f"[platforms.{answers.platform}]"
        for key, value in answers.settings.items():
            yield f"{key} = {_toml_string(value)}"
        for key in answers.secrets:
            yield f"{key}_file = {_toml_string(secret_file(answers.platform, key))}"
    yield ""
    yield "[[channels]]"
    yield 'name = "team"'
    yield f"platform = {_toml_string(answers.platform)}"
    if answers.chat:
        yield f"chat = {_toml_string(answers.chat)}"


def _toml_string(value: str) -> str:
    """A basic string: JSON's escapes are valid in TOML, except that JSON leaves DEL as it is."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


@contextmanager
def _undo_on_error() -> Iterator[list[Path]]:
    """Collects new files; they and their new folders are removed if the block fails."""
    made: list[Path] = []
    try:
        yield made
    finally:
        for path in reversed(made):
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()


def _create(file: Path, content: str, made: list[Path]) -> None:
    """Create a file that only its owner can read. Raises ``UserError``, ``UnwritableFolder``."""
    try:
        if not file.parent.exists():
            file.parent.mkdir(mode=0o700, parents=True)
            made.append(file.parent)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UserError(
            f"{str(file)!r} already exists and is not overwritten; move it away"
        ) from None
    except OSError as error:
        raise UnwritableFolder(str(file), error.strerror or str(error)) from error
    made.append(file)
    with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
        handle.write(content)


def _take_place(beside: Path, file: Path) -> None:
    try:
        os.link(beside, file)
        beside.unlink()
    except FileExistsError:
        raise UserError(f"{str(file)!r} already exists and is not overwritten") from None
    except OSError:
        beside.rename(file)  # a file system without links; its existence was checked before
