"""Commands that set up and operate the bot, and commands about its stored data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli import options
from bot.jobs.roles import ProcessRole

service_commands = typer.Typer()


@service_commands.command()
@options.runs("run_service.run")
def run(
    *,
    file: options.ConfigFile = None,
    role: Annotated[
        ProcessRole,
        typer.Option("--role", help="Role of this process; all but 'all' need PostgreSQL."),
    ] = ProcessRole.ALL,
    listen: Annotated[
        str,
        typer.Option(
            "--listen",
            metavar="HOST:PORT",
            help="Address of the web server; workers and schedulers report their health there.",
        ),
    ] = "",
) -> None:
    """Post scheduled digests and answer questions until stopped."""


@service_commands.command()
@options.runs("run_setup.serve", "ServeOptions")
def serve(
    place: Annotated[
        str | None,
        typer.Argument(
            metavar="[REPO]",
            help="Path or URL; default: the configured repository, or this folder.",
        ),
    ] = None,
    *,
    days: Annotated[
        int, typer.Option("--days", min=1, max=3650, help="Days of history to read.")
    ] = 90,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65_535, help="Port to listen on; 0 for any.")
    ] = 8080,
    name: options.Name = None,
    branch: options.Branch = None,
    zone: options.Zone = None,
    config: options.ConfigFile = None,
) -> None:
    """Show a repository's web pages on this machine.

    Needs no key or account. The pages are reachable from this machine only.
    """


@service_commands.command()
@options.runs("run_setup.check")
def check(
    *,
    spend: Annotated[
        bool,
        typer.Option("--spend", help="Also send the model a question of at most about 600 tokens."),
    ] = False,
    file: options.ConfigFile = None,
) -> None:
    """Check the configuration and what it names; post nothing."""


@service_commands.command()
@options.runs("run_setup.init", "InitOptions")
def init(
    *,
    repositories: Annotated[
        list[str] | None,
        typer.Option(
            "--repo", metavar="REPO", help="Path or URL of a repository to watch; may be repeated."
        ),
    ] = None,
    platform: Annotated[
        str, typer.Option("--platform", metavar="KIND", help="Where to post; default: console.")
    ] = "",
    chat: Annotated[
        str,
        typer.Option(
            "--chat", metavar="CHAT", help="ID of the chat to post to, as given by the platform."
        ),
    ] = "",
    zone: Annotated[
        str, typer.Option("--tz", metavar="ZONE", envvar="DIGESTBOT_ZONE", help="IANA time zone.")
    ] = "",
    time: Annotated[
        str, typer.Option("--time", metavar="HH:MM", help="When to post; default: 09:00.")
    ] = "",
    language: Annotated[
        str, typer.Option("--lang", metavar="LANG", help="en or zh; default: en.")
    ] = "",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="A setting of the platform; may be repeated."
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--config",
            "-c",
            metavar="FILE",
            help="File to write; default: digestbot.toml in this folder.",
        ),
    ] = None,
) -> None:
    """Write an initial configuration; never overwrite a file.

    Asks for every value that no option sets.

    Secrets are asked for or read from DIGESTBOT_<PLATFORM>_<KEY>, and stored in separate files.
    """


@service_commands.command()
@options.runs("run_setup.app")
def app(
    platform: Annotated[str, typer.Argument(metavar="PLATFORM", help="slack or feishu.")],
    address: Annotated[
        str,
        typer.Argument(
            metavar="[ADDRESS]",
            help="URL at which Slack calls the web server: https://HOST/events/slack.",
        ),
    ] = "",
) -> None:
    """Print what a platform asks for when you create an app.

    The manifest for Slack; permissions, events and callbacks for Feishu and Lark.
    """


@service_commands.command()
def doctor(
    *,
    form: options.Form = options.AnswerFormat.TEXT,
    json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False,
    config: options.ConfigFile = None,
) -> None:
    """Check this installation.

    Suggests a remedy for each problem.
    """
    from bot.cli import run_setup

    run_setup.doctor(options.AnswerFormat.JSON if json else form, config)


archive = typer.Typer(
    help="Inspect and maintain the archive.",
    callback=options.show_help,
    invoke_without_command=True,
    rich_markup_mode=None,
)


@archive.command("list")
@options.runs("run_archive.show_all")
def archive_list(*, config: options.ConfigFile = None) -> None:
    """List the stored repositories and digests."""


@archive.command("show")
@options.runs("run_archive.show")
def archive_show(
    name: Annotated[
        str, typer.Argument(help="Name of a digest as listed, or a commit or pull request number.")
    ],
    *,
    config: options.ConfigFile = None,
) -> None:
    """Show a stored digest, or everything stored about a change."""


@archive.command("rebuild")
@options.runs("run_archive.rebuild")
def archive_rebuild(
    name: Annotated[
        str | None, typer.Argument(metavar="REPO", help="Only this repository, by its name.")
    ] = None,
    *,
    config: options.ConfigFile = None,
) -> None:
    """Recompute grades and indexes; read outdated changes again."""


@archive.command("vacuum")
@options.runs("run_archive.vacuum")
def archive_vacuum(*, config: options.ConfigFile = None) -> None:
    """Return unused space to the disk."""


CopyFile = Annotated[Path, typer.Argument(metavar="FILE", help="The copy; never overwritten.")]


@archive.command("backup")
@options.runs("run_archive.backup")
def archive_backup(file: CopyFile, *, config: options.ConfigFile = None) -> None:
    """Copy the archive to a file, also while digestbot runs.

    The copy is checked.
    """


@archive.command("restore")
@options.runs("run_archive.restore")
def archive_restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A copy made by backup.")],
    *,
    config: options.ConfigFile = None,
) -> None:
    """Restore a copy into a data folder without an archive."""


@archive.command("copy")
@options.runs("run_archive.copy")
def archive_copy(
    *,
    url: Annotated[
        str,
        typer.Option(
            "--to", metavar="URL", help="URL of an empty database: postgresql://user@host/database."
        ),
    ],
    config: options.ConfigFile = None,
) -> None:
    """Copy the archive of the data folder to PostgreSQL.

    Stop digestbot run first.
    """


review_commands = typer.Typer()


@review_commands.command()
@options.runs("run_review.cost")
def cost(
    *,
    since: Annotated[
        str | None, typer.Option("--since", metavar="T", help="First day; default: 30 days ago.")
    ] = None,
    until: options.Until = None,
    form: options.Form = options.AnswerFormat.TEXT,
    config: options.ConfigFile = None,
) -> None:
    """Show model usage and cost.

    Calls, tokens and money by day, repository and kind.
    """


@review_commands.command()
@options.runs("run_review.quality")
def quality(
    *,
    place: Annotated[
        str | None,
        typer.Option("--repo", metavar="REPO", help="Path, URL or configured name."),
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="T", help="Start; default: 104 days ago.")
    ] = None,
    until: options.Until = None,
    notes: Annotated[
        list[Path] | None,
        typer.Option(
            "--notes",
            metavar="FILE",
            help="Release notes that refer to pull requests (#12), in addition to the forge's.",
        ),
    ] = None,
    form: options.Form = options.AnswerFormat.TEXT,
    config: options.ConfigFile = None,
) -> None:
    """Evaluate past grades and propose thresholds.

    Compares grades with what happened to the changes later.
    """


@review_commands.command()
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
    config: options.ConfigFile = None,
) -> None:
    """List undelivered posts and unreachable chats.

    Posts with an unknown outcome are listed as well.
    """
    from bot.cli import run_review

    if again is not None:
        run_review.again(again, config)
    if unpark is not None:
        run_review.unpark(unpark, config)
    if again is None and unpark is None:
        run_review.show(config)
