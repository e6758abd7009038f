"""Commands of the archive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import ConfigFile

archive = typer.Typer(
    help="Look into the archive and keep it in order.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@archive.command("list")
def archive_list(*, config: ConfigFile = None) -> None:
    """List the repositories and digests that are kept."""
    from bot.commands import archive as command

    command.show_all(config)


@archive.command("show")
def archive_show(
    name: Annotated[
        str, typer.Argument(help="A digest's name as listed, or a commit or request number.")
    ],
    *,
    config: ConfigFile = None,
) -> None:
    """Show a kept digest, or all that is kept of a change."""
    from bot.commands import archive as command

    command.show(name, config)


@archive.command("rebuild")
def archive_rebuild(
    repo: Annotated[
        str | None, typer.Argument(metavar="REPO", help="Only this repository, by its name.")
    ] = None,
    *,
    config: ConfigFile = None,
) -> None:
    """Make grades and indexes anew; read what is outdated again."""
    from bot.commands import archive as command

    command.rebuild(repo, config)


@archive.command("vacuum")
def archive_vacuum(*, config: ConfigFile = None) -> None:
    """Give unused space back to the disk."""
    from bot.commands import archive as command

    command.vacuum(config)


CopyFile = Annotated[Path, typer.Argument(metavar="FILE", help="The copy; never overwritten.")]


@archive.command("backup")
def archive_backup(file: CopyFile, *, config: ConfigFile = None) -> None:
    """Copy the archive to a file, also while digestbot runs.

    The copy is looked through.
    """
    from bot.commands import keeping

    keeping.backup(file, config)


@archive.command("restore")
def archive_restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A copy made by backup.")],
    *,
    config: ConfigFile = None,
) -> None:
    """Put a copy back into a data folder without an archive."""
    from bot.commands import keeping

    keeping.restore(file, config)


@archive.command("copy")
def archive_copy(
    *,
    to: Annotated[str, typer.Option(metavar="URL", help="postgresql://user@host/database, empty.")],
    config: ConfigFile = None,
) -> None:
    """Copy the archive of the data folder to PostgreSQL.

    Stop digestbot run before.
    """
    from bot.commands import keeping

    keeping.copy(to, config)
