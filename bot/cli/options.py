"""Arguments and options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

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


Place = Annotated[
    str, typer.Argument(metavar="REPO", help="A folder with a repository, or an address to clone.")
]
Repo = Annotated[
    str | None,
    typer.Option(
        "--repo",
        metavar="REPO",
        help="A folder or an address; without it the configured repository, this folder, "
        "or the one used last.",
    ),
]
Name = Annotated[
    str | None,
    typer.Option("--name", metavar="OWNER/NAME", help="What the repository is called."),
]
Branch = Annotated[
    str | None,
    typer.Option("--branch", metavar="B", help="A branch, tag or commit; default: the main one."),
]
Zone = Annotated[
    str | None,
    typer.Option(
        "--tz",
        metavar="ZONE",
        envvar="DIGESTBOT_ZONE",
        help="IANA time zone of days and times; default: this machine's.",
    ),
]
Lang = Annotated[
    Language | None,
    typer.Option("--lang", envvar="DIGESTBOT_LANGUAGE", help="Language of what is written."),
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="T", help="First instant: a date or a time.")
]
Until = Annotated[
    str | None, typer.Option("--until", metavar="T", help="First instant after the window.")
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to a file, whole or not at all."),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config",
        "-c",
        metavar="FILE",
        envvar="DIGESTBOT_CONFIG",
        help="The configuration; default: digestbot.toml here or in the data folder.",
    ),
]
Now = Annotated[
    str | None,
    typer.Option("--now", metavar="T", help="Answer as if it were this time."),
]
Form = Annotated[AnswerFormat, typer.Option("--format", help="What to write.")]
