"""Arguments and options that several commands share."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from digest.core.enums import Language

CONTEXT = {"help_option_names": ["-h", "--help"]}


class DigestFormat(StrEnum):
    """The output formats of ``digestbot digest``."""

    CONDENSED = "condensed"
    MARKDOWN = "markdown"
    JSON = "json"


class AnswerFormat(StrEnum):
    """The output formats of ``explain`` and ``ask``."""

    TEXT = "text"
    JSON = "json"


def show_help(context: typer.Context) -> None:
    """Show the help of a group of commands if none of them is named."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def runs(target: str, gathered: str = "") -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a command call ``module.function`` of this package, imported only then."""
    # It gets the command's parameters by name, or one object of the class ``gathered``.
    module, _, name = target.partition(".")

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            work = importlib.import_module(f"bot.cli.{module}")
            if gathered:
                getattr(work, name)(getattr(work, gathered)(**given))
            else:
                getattr(work, name)(**given)

        vars(run).update(target=target, gathered=gathered)
        return run

    return decorate


Place = Annotated[str, typer.Argument(metavar="REPO", help="Path or URL of a repository.")]
Repo = Annotated[
    str | None,
    typer.Option(
        "--repo",
        metavar="REPO",
        help="Path, URL or configured name; default: the configured repository, this folder, "
        "or the one used last.",
    ),
]
Name = Annotated[
    str | None, typer.Option("--name", metavar="OWNER/NAME", help="Name of the repository.")
]
Branch = Annotated[
    str | None,
    typer.Option("--branch", metavar="B", help="Branch, tag or commit; default: the main branch."),
]
Zone = Annotated[
    str | None,
    typer.Option(
        "--tz",
        metavar="ZONE",
        envvar="DIGESTBOT_ZONE",
        help="IANA time zone; default: this machine's.",
    ),
]
Lang = Annotated[
    Language | None, typer.Option("--lang", envvar="DIGESTBOT_LANGUAGE", help="Output language.")
]
Since = Annotated[str | None, typer.Option("--since", metavar="T", help="Start: a date or a time.")]
Until = Annotated[
    str | None, typer.Option("--until", metavar="T", help="End (exclusive): a date or a time.")
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to this file, not to the terminal."),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config",
        "-c",
        metavar="FILE",
        envvar="DIGESTBOT_CONFIG",
        help="Configuration file; default: digestbot.toml here or in the data folder.",
    ),
]
Now = Annotated[
    str | None, typer.Option("--now", metavar="T", help="Answer as if it were this time.")
]
Form = Annotated[AnswerFormat, typer.Option("--format", help="Output format.")]
