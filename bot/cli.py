"""The command line: arguments and exit statuses only. The work is in ``commands``.

Exit status 0 is done, 1 failed, 2 not understood, 130 interrupted. What a person can cause is told
in one line on standard error; anything else gets an id and its traceback goes to the log file.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from typer.exceptions import TyperException

from bot.forms import AnswerFormat, DigestFormat
from bot.role import Role
from bot.secrecy import cleared
from digest.errors import UserError
from digest.language import Language

app = typer.Typer(
    name="digestbot",
    help="Watches git repositories, grades every change and tells which few matter.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # Rich takes longer to import than the help to print
    context_settings={"help_option_names": ["-h", "--help"]},
)
archive = typer.Typer(
    help="Look into the archive and keep it in order.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(archive, name="archive")


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


@app.command()
def digest(
    repo: Place,
    *,
    name: Name = None,
    branch: Branch = None,
    date: Annotated[
        str | None,
        typer.Option(
            "--date",
            metavar="D",
            help="A day: 2026-01-23, today, yesterday or last (with changes).",
        ),
    ] = None,
    since: Since = None,
    until: Until = None,
    tz: Zone = None,
    lang: Lang = None,
    form: Annotated[DigestFormat, typer.Option("--format", help="What to write.")] = (
        DigestFormat.CONDENSED
    ),
    output: Output = None,
    config: ConfigFile = None,
) -> None:
    """Tell what changed on a day or in a window.

    The default is the last day with changes.
    """
    from bot.commands import digest as command

    command.run(
        command.Options(
            place=repo,
            name=name,
            branch=branch,
            date=date,
            since=since,
            until=until,
            zone=tz,
            language=lang,
            form=form,
            output=output,
            config=config,
        )
    )


@app.command()
def score(
    repo: Place,
    *,
    since: Since = None,
    until: Until = None,
    branch: Branch = None,
    tz: Zone = None,
    output: Output = None,
    config: ConfigFile = None,
) -> None:
    """Grade every change of a window, one JSON object a line."""
    from bot.commands import score as command

    command.run(
        place=repo, since=since, until=until, branch=branch, zone=tz, output=output, config=config
    )


@app.command()
def explain(
    reference: Annotated[
        str, typer.Argument(metavar="REF", help="#N, N, a commit (7 digits or more) or an address.")
    ],
    *,
    repo: Repo = None,
    branch: Branch = None,
    tz: Zone = None,
    lang: Lang = None,
    form: Annotated[AnswerFormat, typer.Option("--format", help="What to write.")] = (
        AnswerFormat.TEXT
    ),
    show_prompt: Annotated[
        bool,
        typer.Option("--show-prompt", help="Print what a model would be sent; send nothing."),
    ] = False,
    config: ConfigFile = None,
) -> None:
    """Explain one change.

    What it does, whom it touches, what to watch.
    """
    from bot.commands import asking

    asking.explain(
        reference,
        repo=repo,
        branch=branch,
        zone=tz,
        language=lang,
        form=form,
        config=config,
        show_prompt=show_prompt,
    )


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help='Such as "what changed in MoE this week".')],
    *,
    repo: Repo = None,
    branch: Branch = None,
    now: Now = None,
    tz: Zone = None,
    lang: Lang = None,
    form: Annotated[AnswerFormat, typer.Option("--format", help="What to write.")] = (
        AnswerFormat.TEXT
    ),
    config: ConfigFile = None,
) -> None:
    """Answer a question about changes, in English or Chinese."""
    from bot.commands import asking

    asking.ask(
        question,
        repo=repo,
        branch=branch,
        now=now,
        zone=tz,
        language=lang,
        form=form,
        config=config,
    )


@app.command()
def chat(
    *,
    repo: Repo = None,
    branch: Branch = None,
    tz: Zone = None,
    lang: Lang = None,
    config: ConfigFile = None,
) -> None:
    """Talk about changes in this terminal."""
    from bot.commands import asking

    asking.chat(repo=repo, branch=branch, zone=tz, language=lang, config=config)


@app.command()
def run(
    *,
    config: ConfigFile = None,
    role: Annotated[
        Role,
        typer.Option("--role", help="What this process does; all but 'all' need PostgreSQL."),
    ] = Role.ALL,
    listen: Annotated[
        str,
        typer.Option(
            "--listen",
            metavar="HOST:PORT",
            help="Where its web server listens; workers and schedulers tell how they are there.",
        ),
    ] = "",
) -> None:
    """Post digests at their times, and answer, until stopped."""
    from bot.commands import running

    running.run(config, role, listen)


@app.command()
def serve(
    repo: Annotated[
        str | None,
        typer.Argument(
            metavar="[REPO]",
            help="A folder or an address; default: the configured repository, or this folder.",
        ),
    ] = None,
    *,
    days: Annotated[
        int, typer.Option("--days", min=1, max=3650, help="Days before the newest commit to read.")
    ] = 90,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65_535, help="Where to listen; 0: any free port.")
    ] = 8080,
    name: Name = None,
    branch: Branch = None,
    tz: Zone = None,
    config: ConfigFile = None,
) -> None:
    """Show a repository's web pages on this machine.

    No key, no account; nobody else sees them.
    """
    from bot.commands import serving as command

    command.run(
        command.Options(
            place=repo,
            days=days,
            port=port,
            name=name,
            branch=branch,
            zone=tz,
            config=config,
        )
    )


@app.command()
def check(
    *,
    spend: Annotated[
        bool,
        typer.Option("--spend", help="Ask the model a question, for at most about 600 tokens."),
    ] = False,
    config: ConfigFile = None,
) -> None:
    """Look at the configuration and all it names; post nothing."""
    from bot.commands import running

    running.check(config, spend=spend)


@app.command()
def init(
    *,
    repo: Annotated[
        list[str] | None,
        typer.Option(
            "--repo", metavar="REPO", help="A folder or an address to watch; may be repeated."
        ),
    ] = None,
    platform: Annotated[
        str, typer.Option("--platform", metavar="KIND", help="Where to post; default: console.")
    ] = "",
    chat: Annotated[
        str, typer.Option("--chat", metavar="CHAT", help="The chat, in the platform's words.")
    ] = "",
    tz: Annotated[
        str,
        typer.Option("--tz", metavar="ZONE", envvar="DIGESTBOT_ZONE", help="IANA time zone."),
    ] = "",
    time: Annotated[
        str, typer.Option("--time", metavar="HH:MM", help="When to post; default: 09:00.")
    ] = "",
    lang: Annotated[
        str, typer.Option("--lang", metavar="LANG", help="en or zh; default: en.")
    ] = "",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="A setting of the platform; may be repeated."
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config", "-c", metavar="FILE", help="What to write; default: digestbot.toml here."
        ),
    ] = None,
) -> None:
    """Write a first configuration; overwrite nothing.

    What no option tells is asked for.

    Secrets are asked for, or taken from DIGESTBOT_<PLATFORM>_<KEY>, and kept in files of their own.
    """
    from bot.commands import init as command

    command.run(
        command.Options(
            file=config,
            repositories=repo or (),
            platform=platform,
            chat=chat,
            zone=tz,
            time=time,
            language=lang,
            settings=settings or (),
        )
    )


@app.command()
def doctor(
    *,
    form: Annotated[AnswerFormat, typer.Option("--format", help="What to write.")] = (
        AnswerFormat.TEXT
    ),
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    config: ConfigFile = None,
) -> None:
    """Look at this installation.

    Tells the way out of everything that is wrong with it.
    """
    from bot.commands import doctoring

    doctoring.run(AnswerFormat.JSON if json else form, config)


@app.command()
def cost(
    *,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="T", help="First day; default: 30 days ago."),
    ] = None,
    until: Until = None,
    form: Annotated[AnswerFormat, typer.Option("--format", help="What to write.")] = (
        AnswerFormat.TEXT
    ),
    config: ConfigFile = None,
) -> None:
    """Tell what the model took.

    Calls, tokens and money by day, repository and kind.
    """
    from bot.commands import cost as command

    command.run(since=since, until=until, form=form, config=config)


@app.command()
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
    form: Annotated[AnswerFormat, typer.Option("--format", help="What to write.")] = (
        AnswerFormat.TEXT
    ),
    config: ConfigFile = None,
) -> None:
    """Tell how past grades did; propose thresholds.

    They are held against what became of the changes since.
    """
    from bot.commands import quality as command

    command.run(place=place, since=since, until=until, notes=notes or (), form=form, config=config)


@app.command()
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


@app.command(hidden=True)
def demo(repo: Place = ".") -> None:
    """Digest the last active day, and say what to try next."""
    from bot.commands import demo as command

    command.run(repo)


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
    """Make grades and indexes anew from what is kept, without git."""
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


def main() -> None:
    """The entry point of ``digestbot``."""
    sys.exit(guarded(lambda: app(standalone_mode=False)))


def guarded(work: Callable[[], object]) -> int:
    """The exit status of the work; what went wrong is told in one line."""
    try:
        status = work()
    except UserError as error:
        return _fail(str(error), error.exit_status)
    except TyperException as error:
        hint = "" if error.exit_code != 2 else "; see digestbot --help"
        return _fail(error.format_message().rstrip(".") + hint, error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone; nobody is left to be told
        return 1
    except Exception as error:  # noqa: BLE001 - the last resort: an id for the user, a log for us
        from bot.crash import keep_traceback

        return _fail(keep_traceback(error), 1)
    return status if isinstance(status, int) else 0


def _fail(message: str, status: int) -> int:
    line = cleared(" ".join(message.split()))
    sys.stderr.write(f"digestbot: {line}\n")
    return status


if __name__ == "__main__":
    main()
