"""``digestbot init``: asks for what a first configuration needs, or takes it from options.

Secrets are asked for without an echo, or taken from the environment as ``run`` would; never from
options, which other users of the machine can see.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from bot import platforms
from bot.app import local_zone
from bot.commands import emit
from bot.config.initial import Answers, needed, secret_file, settings_of, write
from bot.config.settings import Settings
from bot.folders import NAME
from digest.errors import UsageError

Ask = Callable[[str, str, bool], str]
"""Asks a person: the question, what an empty answer means, and whether it is a secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was given on the command line; what is empty is asked for, where somebody is there."""

    file: Path | None
    repositories: Sequence[str] = ()
    platform: str = ""
    chat: str = ""
    zone: str = ""
    time: str = ""
    language: str = ""
    settings: Sequence[str] = ()


def run(options: Options, ask: Ask | None = None) -> None:
    """Write a configuration, and say what to do next. Raises ``UserError``."""
    if ask is None and sys.stdin.isatty():
        ask = _at_terminal
    file = options.file or Path(NAME)
    answers = _answers(options, ask, os.environ)
    config = write(file, answers)
    emit(f"{file} is written")
    for key in answers.secrets:
        emit(f"{file.parent / secret_file(answers.platform, key)} holds {key}, for you alone")
    for warning in config.warnings:
        emit(f"warning: {warning}")
    emit(f"next: digestbot check --config {file}, then digestbot run --config {file}")


def _answers(options: Options, ask: Ask | None, environment: Mapping[str, str]) -> Answers:
    def answer(given: str, question: str, default: str) -> str:
        return given or (ask(question, default, False) if ask else default)

    repositories = tuple(options.repositories)
    if not repositories:
        place = answer("", "Repository to watch, a folder or an address", str(Path.cwd()))
        repositories = (place,)
    known = ", ".join(platforms.kinds())
    platform = answer(options.platform, f"Where to post ({known})", "console")
    model = settings_of(platform)
    settings = _settings(platform, model, options.settings, ask)
    secrets = _secrets(platform, model, ask, environment)
    # A platform with secrets has chats; one whose address is the secret has the chat in it.
    chat = options.chat
    if ask and not chat and secrets and not _addressed(secrets):
        chat = ask("Chat to post to, in the platform's words", "", False)
    return Answers(
        repositories=tuple(_whole(place) for place in repositories),
        platform=platform,
        chat=chat,
        zone=answer(options.zone, "Time zone", local_zone().key),
        time=answer(options.time, "Time of the daily digest", "09:00"),
        language=answer(options.language, "Language (en, zh)", "en"),
        settings=settings,
        secrets=secrets,
    )


def _settings(
    platform: str, model: type[Settings], given: Sequence[str], ask: Ask | None
) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in given:
        key, equals, value = one.partition("=")
        if not equals:
            raise UsageError(f"--set {one!r} is not understood; write key=value")
        if key in model.secret_fields():
            raise UsageError(
                f"{key} is a secret, which others could see on a command line; "
                f"give it as {_variable(platform, key)}"
            )
        found[key] = value
    for key in needed(model):
        if key not in found and ask:
            found[key] = ask(f"{platform}: {key}", "", False)
    return found


def _secrets(
    platform: str, model: type[Settings], ask: Ask | None, environment: Mapping[str, str]
) -> dict[str, str]:
    found: dict[str, str] = {}
    for key in model.secret_fields():
        must = model.model_fields[key].is_required()
        value = environment.get(_variable(platform, key), "").strip()
        if not value and ask:
            optional = "" if must else ", empty for none"
            value = ask(f"{platform}: {key}{optional}", "", True).strip()
        if value:
            found[key] = value
        elif must:
            raise UsageError(f"{platform} needs {key}; give it as {_variable(platform, key)}")
    return found


def _variable(platform: str, key: str) -> str:
    return f"DIGESTBOT_{platform}_{key}".upper().replace("-", "_")


def _addressed(secrets: Mapping[str, str]) -> bool:
    return any(value.startswith(("https://", "http://")) for value in secrets.values())


def _whole(place: str) -> str:
    """A folder by its full path, since the configuration may stand elsewhere."""
    folder = Path(place).expanduser()
    return str(folder.resolve()) if folder.is_dir() else place


def _at_terminal(question: str, default: str, secret: bool) -> str:
    said: str = typer.prompt(
        question, default=default, hide_input=secret, show_default=bool(default), err=True
    )
    return said
