"""Commands that set up and operate the bot: run, serve, check, init, doctor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import AnswerFormat, Branch, ConfigFile, Form, Name, Zone
from bot.jobs.roles import ProcessRole

working = typer.Typer()


@working.command()
def run(
    *,
    config: ConfigFile = None,
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
    from bot.cli import run_service

    run_service.run(config, role, listen)


@working.command()
def serve(
    repo: Annotated[
        str | None,
        typer.Argument(
            metavar="[REPO]",
            help="Path or URL; default: the configured repository, or this folder.",
        ),
    ] = None,
    *,
    days: Annotated[
        int,
        typer.Option("--days", min=1, max=3650, help="Days of history to read."),
    ] = 90,
    port: Annotated[
        int,
        typer.Option("--port", min=0, max=65_535, help="Port to listen on; 0 for any."),
    ] = 8080,
    name: Name = None,
    branch: Branch = None,
    tz: Zone = None,
    config: ConfigFile = None,
) -> None:
    """Show a repository's web pages on this machine.

    Needs no key and no account; only this machine can see the pages.
    """
    from bot.cli import run_setup

    run_setup.serve(
        run_setup.ServeOptions(
            place=repo,
            days=days,
            port=port,
            name=name,
            branch=branch,
            zone=tz,
            config=config,
        )
    )


@working.command()
def check(
    *,
    spend: Annotated[
        bool,
        typer.Option("--spend", help="Also send the model a question of at most about 600 tokens."),
    ] = False,
    config: ConfigFile = None,
) -> None:
    """Check the configuration and all it names; post nothing."""
    from bot.cli import run_setup

    run_setup.check(config, spend=spend)


@working.command()
def init(
    *,
    repo: Annotated[
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
        typer.Option("--chat", metavar="CHAT", help="Chat to post to, as its platform names it"),
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
    """Write a first configuration; never overwrite a file.

    Asks for whatever no option gives.

    Secrets are asked for, or taken from DIGESTBOT_<PLATFORM>_<KEY>, and kept in files of their own.
    """
    from bot.cli import run_setup

    run_setup.init(
        run_setup.InitOptions(
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


@working.command()
def app(
    platform: Annotated[str, typer.Argument(metavar="PLATFORM", help="slack or feishu.")],
    address: Annotated[
        str,
        typer.Argument(
            metavar="[ADDRESS]",
            help="Where Slack is to call the web server: https://HOST/events/slack.",
        ),
    ] = "",
) -> None:
    """Print what a platform asks for when an app is created.

    The manifest for Slack; permissions, events and callbacks for Feishu and Lark.
    """
    from bot.cli import run_setup

    run_setup.app(platform, address)


@working.command()
def doctor(
    *,
    form: Form = AnswerFormat.TEXT,
    json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False,
    config: ConfigFile = None,
) -> None:
    """Check this installation.

    Suggests a remedy for each problem.
    """
    from bot.cli import run_setup

    run_setup.doctor(AnswerFormat.JSON if json else form, config)
