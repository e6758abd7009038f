"""Commands about stored data: the archive, model cost, grading quality, deliveries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import AnswerFormat, ConfigFile, Form, Until, show_help

archive = typer.Typer(
    help="Inspect and maintain the archive.",
    callback=show_help,
    invoke_without_command=True,
    rich_markup_mode=None,
)


@archive.command("list")
def archive_list(*, config: ConfigFile = None) -> None:
    """List the stored repositories and digests."""
    from bot.cli import run_archive

    run_archive.show_all(config)


@archive.command("show")
def archive_show(
    name: Annotated[
        str, typer.Argument(help="A digest's name as listed, or a commit or request number.")
    ],
    *,
    config: ConfigFile = None,
) -> None:
    """Show a stored digest, or everything stored about a change."""
    from bot.cli import run_archive

    run_archive.show(name, config)


@archive.command("rebuild")
def archive_rebuild(
    repo: Annotated[
        str | None, typer.Argument(metavar="REPO", help="Only this repository, by its name.")
    ] = None,
    *,
    config: ConfigFile = None,
) -> None:
    """Recompute grades and indexes; read outdated changes again."""
    from bot.cli import run_archive

    run_archive.rebuild(repo, config)


@archive.command("vacuum")
def archive_vacuum(*, config: ConfigFile = None) -> None:
    """Return unused space to the disk."""
    from bot.cli import run_archive

    run_archive.vacuum(config)


CopyFile = Annotated[Path, typer.Argument(metavar="FILE", help="The copy; never overwritten.")]


@archive.command("backup")
def archive_backup(file: CopyFile, *, config: ConfigFile = None) -> None:
    """Copy the archive to a file, also while digestbot runs.

    The copy is checked.
    """
    from bot.cli import run_archive

    run_archive.backup(file, config)


@archive.command("restore")
def archive_restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A copy made by backup.")],
    *,
    config: ConfigFile = None,
) -> None:
    """Restore a copy into a data folder without an archive."""
    from bot.cli import run_archive

    run_archive.restore(file, config)


@archive.command("copy")
def archive_copy(
    *,
    to: Annotated[str, typer.Option(metavar="URL", help="postgresql://user@host/database, empty.")],
    config: ConfigFile = None,
) -> None:
    """Copy the archive of the data folder to PostgreSQL.

    Stop digestbot run first.
    """
    from bot.cli import run_archive

    run_archive.copy(to, config)


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
    """Show model usage and cost.

    Calls, tokens and money by day, repository and kind.
    """
    from bot.cli import run_review

    run_review.cost(since=since, until=until, form=form, config=config)


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
            help="Release notes that name requests (#12), besides those of a configured forge.",
        ),
    ] = None,
    form: Form = AnswerFormat.TEXT,
    config: ConfigFile = None,
) -> None:
    """Show how well past grades did, and propose thresholds.

    Grades are compared with what became of the changes since.
    """
    from bot.cli import run_review

    run_review.quality(
        place=place, since=since, until=until, notes=notes or (), form=form, config=config
    )


@reviewing.command()
def deliveries(
    *,
    again: Annotated[
        int | None,
        typer.Option("--again", metavar="NUMBER", help="Post a delivery's uncertain parts again."),
    ] = None,
    unpark: Annotated[
        str | None,
        typer.Option("--unpark", metavar="ACCOUNT:CHAT", help="Resume posting to a parked chat."),
    ] = None,
    config: ConfigFile = None,
) -> None:
    """List undelivered posts and unreachable chats.

    Posts with an unknown outcome are listed, too.
    """
    from bot.cli import run_review

    if again is not None:
        run_review.again(again, config)
    if unpark is not None:
        run_review.unpark(unpark, config)
    if again is None and unpark is None:
        run_review.show(config)
