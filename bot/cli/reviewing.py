"""Commands that tell how it went: cost, quality, deliveries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import ConfigFile, Form, Until
from bot.showing.forms import AnswerFormat

reviewing = typer.Typer()


@reviewing.command()
def cost(
    *,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="T", help="First day; default: 30 days ago."),
    ] = None,
    until: Until = None,
    form: Form = AnswerFormat.TEXT,
    config: ConfigFile = None,
) -> None:
    """Tell what the model took.

    Calls, tokens and money by day, repository and kind.
    """
    from bot.commands import cost as command

    command.run(since=since, until=until, form=form, config=config)


@reviewing.command()
def quality(
    *,
    place: Annotated[
        str | None,
        typer.Option("--repo", metavar="REPO", help="Folder, address or configured name."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="T", help="Begin; default: 104 days ago."),
    ] = None,
    until: Until = None,
    notes: Annotated[
        list[Path] | None,
        typer.Option(
            "--notes",
            metavar="FILE",
            help="Release notes that name requests (#12), beside those of a configured forge.",
        ),
    ] = None,
    form: Form = AnswerFormat.TEXT,
    config: ConfigFile = None,
) -> None:
    """Tell how past grades did; propose thresholds.

    They are held against what became of the changes since.
    """
    from bot.commands import quality as command

    command.run(place=place, since=since, until=until, notes=notes or (), form=form, config=config)


@reviewing.command()
def deliveries(
    *,
    again: Annotated[
        int | None,
        typer.Option("--again", metavar="NUMBER", help="Post a delivery's parts in doubt again."),
    ] = None,
    unpark: Annotated[
        str | None,
        typer.Option("--unpark", metavar="ACCOUNT:CHAT", help="Post to a parked chat again."),
    ] = None,
    config: ConfigFile = None,
) -> None:
    """List what was not posted, and chats that take nothing.

    What was posted only perhaps is listed, too.
    """
    from bot.commands import deliveries as command

    if again is not None:
        command.again(again, config)
    if unpark is not None:
        command.unpark(unpark, config)
    if again is None and unpark is None:
        command.show(config)
