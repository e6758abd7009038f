"""The table of commands: of each its arguments and options, its help, and the function behind it.

The module of the function is imported only when the command is run, because libraries of one
command would delay all others.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from enum import StrEnum
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

import typer

from bot.jobs.roles import ProcessRole
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


commands = typer.Typer()
archive = typer.Typer(
    help="Inspect and maintain the archive.",
    callback=show_help,
    invoke_without_command=True,
    rich_markup_mode=None,
)


def _command(
    group: typer.Typer,
    target: str,
    parameters: Sequence[Parameter],
    about: str,
    name: str = "",
    **settings: Any,
) -> None:
    """Add a command that calls ``module.function`` of this package, and is named as the function.

    The function gets the parameters by name, or the one object of the class that is ``gathered`` in
    the module.
    """
    module, _, function = target.partition(".")
    function, _, gathered = function.partition(" ")

    def run(**given: Any) -> None:
        work = importlib.import_module(f"bot.cli.{module}")
        if gathered:
            getattr(work, function)(getattr(work, gathered)(**given))
        else:
            getattr(work, function)(**given)

    vars(run).update(__signature__=Signature(parameters), target=target)
    group.command(name or function, help=about, **settings)(run)


def _option(
    written: str, about: str, default: Any = None, *, name: str = "", kind: Any = None, **told: Any
) -> Parameter:
    """An option as it is ``written``, such as ``--tz ZONE``, of the kind of its default."""
    words = written.split()
    names = [word for word in words if word.startswith("-")]
    metavar = words[-1] if len(words) > len(names) else None
    made = typer.Option(default, *names, help=about, metavar=metavar, **told)
    return _parameter(name or names[0].strip("-").replace("-", "_"), made, kind)


def _argument(
    name: str, metavar: str | None, about: str, default: Any = ..., *, kind: Any = None
) -> Parameter:
    return _parameter(name, typer.Argument(default, metavar=metavar, help=about), kind)


def _parameter(name: str, made: Any, kind: Any) -> Parameter:
    kinds = {None: str | None, ...: str}
    kind = kind or kinds.get(made.default) or type(made.default)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=made, annotation=kind)


_FILE, _TEXTS = Path | None, list[str] | None
_PLACE = "REPO", "Path or URL of a repository."

_place = _argument("place", *_PLACE)
_repo = _option(
    "--repo REPO",
    "Path, URL or configured name; default: the configured repository, this folder, "
    "or the one used last.",
)
_name = _option("--name OWNER/NAME", "Name of the repository.")
_branch = _option("--branch B", "Branch, tag or commit; default: the main branch.")
_zone = _option(
    "--tz ZONE",
    "IANA time zone; default: this machine's.",
    name="zone",
    envvar="DIGESTBOT_ZONE",
)
_language = _option(
    "--lang", "Output language.", name="language", kind=Language | None, envvar="DIGESTBOT_LANGUAGE"
)
_since = _option("--since T", "Start: a date or a time.")
_until = _option("--until T", "End (exclusive): a date or a time.")
_now = _option("--now T", "Answer as if it were this time.")
_form = _option("--format", "Output format.", AnswerFormat.TEXT, name="form")
_output = _option("--output -o FILE", "Write to this file, not to the terminal.", kind=_FILE)
_config = _option(
    "--config -c FILE",
    "Configuration file; default: digestbot.toml here or in the data folder.",
    kind=_FILE,
    envvar="DIGESTBOT_CONFIG",
)

_date = _option("--date D", "A day: 2026-01-23, today, yesterday or last (latest with changes).")
_digest_form = _option("--format", "Output format.", DigestFormat.CONDENSED, name="form")
_command(
    commands,
    "run_digest.digest DigestOptions",
    (
        _place,
        _name,
        _branch,
        _date,
        _since,
        _until,
        _zone,
        _language,
        _digest_form,
        _output,
        _config,
    ),
    "Show what changed on a day or in a window.\n\nThe default is the latest day with changes.",
)
_command(
    commands,
    "run_digest.score",
    (_place, _since, _until, _branch, _zone, _output, _config),
    "Print the grade of every change in a window as JSON lines.",
)

_reference = _argument("reference", "REF", "#N, N, a commit (7 digits or more) or an address.")
_prompt = _option("--show-prompt", "Print the prompt for the model without sending it.", False)
_command(
    commands,
    "run_questions.explain",
    (_reference, _repo, _branch, _zone, _language, _form, _prompt, _config),
    "Explain one change.\n\nWhat it does, whom it affects, what to watch.",
)

_question = _argument("question", None, 'Such as "what changed in MoE this week".')
_command(
    commands,
    "run_questions.ask",
    (_question, _repo, _branch, _now, _zone, _language, _form, _config),
    "Answer a question about changes, in English or Chinese.",
    context_settings={"ignore_unknown_options": True},  # "--some-flag: since when?"
)
_command(
    commands,
    "terminal_chat.chat",
    (_repo, _branch, _now, _zone, _language, _config),
    "Ask about changes in this terminal.",
)
_command(
    commands,
    "run_digest.demo",
    (_argument("place", *_PLACE, "."),),
    "Digest the last active day, and suggest what to try next.",
    hidden=True,
)

_role = _option("--role", "Role of this process; all but 'all' need PostgreSQL.", ProcessRole.ALL)
_listen = _option(
    "--listen HOST:PORT",
    "Address of the web server; workers and schedulers report their health there.",
    "",
)
_command(
    commands,
    "run_service.run",
    (_config, _role, _listen),
    "Post scheduled digests and answer questions until stopped.",
)

_served = _argument(
    "place", "[REPO]", "Path or URL; default: the configured repository, or this folder.", None
)
_days = _option("--days", "Days of history to read.", 90, min=1, max=3650)
_port = _option("--port", "Port to listen on; 0 for any.", 8080, min=0, max=65_535)
_command(
    commands,
    "run_setup.serve ServeOptions",
    (_served, _days, _port, _name, _branch, _zone, _config),
    "Show a repository's web pages on this machine.\n\n"
    "Needs no key or account. The pages are reachable from this machine only.",
)

_spend = _option("--spend", "Also send the model a question of at most about 600 tokens.", False)
_command(
    commands,
    "run_setup.check",
    (_spend, _config),
    "Check the configuration and what it names; post nothing.",
)
_command(
    commands,
    "run_setup.init InitOptions",
    (
        _option(
            "--repo REPO",
            "Path or URL of a repository to watch; may be repeated.",
            name="repositories",
            kind=_TEXTS,
        ),
        _option("--platform KIND", "Where to post; default: console.", ""),
        _option("--chat CHAT", "ID of the chat to post to, as given by the platform.", ""),
        _option("--tz ZONE", "IANA time zone.", "", name="zone", envvar="DIGESTBOT_ZONE"),
        _option("--time HH:MM", "When to post; default: 09:00.", ""),
        _option("--lang LANG", "en or zh; default: en.", "", name="language"),
        _option(
            "--set KEY=VALUE",
            "A setting of the platform; may be repeated.",
            name="settings",
            kind=_TEXTS,
        ),
        _option(
            "--config -c FILE",
            "File to write; default: digestbot.toml in this folder.",
            name="file",
            kind=_FILE,
        ),
    ),
    "Write an initial configuration; never overwrite a file.\n\n"
    "Asks for every value that no option sets.\n\n"
    "Secrets are asked for or read from DIGESTBOT_<PLATFORM>_<KEY>, and stored in separate files.",
)

_platform = _argument("platform", "PLATFORM", "slack or feishu.")
_address = _argument(
    "address",
    "[ADDRESS]",
    "URL at which the platform calls the web server: https://HOST/events/slack.",
    "",
)
_command(
    commands,
    "run_setup.app",
    (_platform, _address),
    "Print what a platform asks for when you create an app.\n\n"
    "The manifest for Slack; permissions, events and callbacks for Feishu and Lark.",
)
_command(
    commands,
    "run_setup.doctor",
    (_form, _option("--json", "Same as --format json.", False), _config),
    "Check this installation.\n\nSuggests a remedy for each problem.",
)

_first_day = _option("--since T", "First day; default: 30 days ago.")
_command(
    commands,
    "run_review.cost",
    (_first_day, _until, _form, _config),
    "Show model usage and cost.\n\nCalls, tokens and money by day, repository and kind.",
)

_judged = _option("--repo REPO", "Path, URL or configured name.", name="place")
_start = _option("--since T", "Start; default: 104 days ago.")
_notes = _option(
    "--notes FILE",
    "Release notes that refer to pull requests (#12), in addition to the forge's.",
    kind=list[Path] | None,
)
_command(
    commands,
    "run_review.quality",
    (_judged, _start, _until, _notes, _form, _config),
    "Evaluate past grades and propose thresholds.\n\n"
    "Compares grades with what happened to the changes later.",
)

_again = _option("--again NUMBER", "Post a delivery's uncertain parts again.", kind=int | None)
_unpark = _option("--unpark ACCOUNT:CHAT", "Resume posting to a parked chat.")
_command(
    commands,
    "run_review.deliveries",
    (_again, _unpark, _config),
    "List undelivered posts and unreachable chats.\n\n"
    "Posts with an unknown outcome are listed as well.",
)

_stored = _argument("name", None, "Name of a digest as listed, or a commit or pull request number.")
_recomputed = _argument("name", "REPO", "Only this repository, by its name.", None)
_copy = _argument("file", "FILE", "The copy; never overwritten.", kind=Path)
_made = _argument("file", "FILE", "A copy made by backup.", kind=Path)
_target = _option(
    "--to URL", "URL of an empty database: postgresql://user@host/database.", ..., name="url"
)
_command(
    archive,
    "run_archive.show_all",
    (_config,),
    "List the stored repositories and digests.",
    name="list",
)
_command(
    archive,
    "run_archive.show",
    (_stored, _config),
    "Show a stored digest, or everything stored about a change.",
)
_command(
    archive,
    "run_archive.rebuild",
    (_recomputed, _config),
    "Recompute grades and indexes; read outdated changes again.",
)
_command(archive, "run_archive.vacuum", (_config,), "Return unused space to the disk.")
_command(
    archive,
    "run_archive.backup",
    (_copy, _config),
    "Copy the archive to a file, also while digestbot runs.\n\nThe copy is checked.",
)
_command(
    archive,
    "run_archive.restore",
    (_made, _config),
    "Restore a copy into a data folder without an archive.",
)
_command(
    archive,
    "run_archive.copy",
    (_target, _config),
    "Copy the archive of the data folder to PostgreSQL.\n\nStop digestbot run first.",
)
