"""Commands about changes: digest, score, explain, ask, chat."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli import options

change_commands = typer.Typer()


@change_commands.command()
@options.runs("run_digest.digest", "DigestOptions")
def digest(
    place: options.Place,
    *,
    name: options.Name = None,
    branch: options.Branch = None,
    date: Annotated[
        str | None,
        typer.Option(
            "--date",
            metavar="D",
            help="A day: 2026-01-23, today, yesterday or last (latest with changes).",
        ),
    ] = None,
    since: options.Since = None,
    until: options.Until = None,
    zone: options.Zone = None,
    language: options.Lang = None,
    form: Annotated[options.DigestFormat, typer.Option("--format", help="Output format.")] = (
        options.DigestFormat.CONDENSED
    ),
    output: options.Output = None,
    config: options.ConfigFile = None,
) -> None:
    """Show what changed on a day or in a window.

    The default is the latest day with changes.
    """


@change_commands.command()
@options.runs("run_digest.score")
def score(
    place: options.Place,
    *,
    since: options.Since = None,
    until: options.Until = None,
    branch: options.Branch = None,
    zone: options.Zone = None,
    output: options.Output = None,
    config: options.ConfigFile = None,
) -> None:
    """Print the grade of every change in a window as JSON lines."""


@change_commands.command()
@options.runs("run_questions.explain")
def explain(
    reference: Annotated[
        str, typer.Argument(metavar="REF", help="#N, N, a commit (7 digits or more) or an address.")
    ],
    *,
    repo: options.Repo = None,
    branch: options.Branch = None,
    zone: options.Zone = None,
    language: options.Lang = None,
    form: options.Form = options.AnswerFormat.TEXT,
    show_prompt: Annotated[
        bool,
        typer.Option("--show-prompt", help="Print the prompt for the model without sending it."),
    ] = False,
    config: options.ConfigFile = None,
) -> None:
    """Explain one change.

    What it does, whom it affects, what to watch.
    """


@change_commands.command(
    context_settings={"ignore_unknown_options": True}
)  # "--some-flag: since when?"
@options.runs("run_questions.ask")
def ask(
    question: Annotated[str, typer.Argument(help='Such as "what changed in MoE this week".')],
    *,
    repo: options.Repo = None,
    branch: options.Branch = None,
    now: options.Now = None,
    zone: options.Zone = None,
    language: options.Lang = None,
    form: options.Form = options.AnswerFormat.TEXT,
    config: options.ConfigFile = None,
) -> None:
    """Answer a question about changes, in English or Chinese."""


@change_commands.command()
@options.runs("terminal_chat.chat")
def chat(
    *,
    repo: options.Repo = None,
    branch: options.Branch = None,
    now: options.Now = None,
    zone: options.Zone = None,
    language: options.Lang = None,
    config: options.ConfigFile = None,
) -> None:
    """Ask about changes in this terminal."""


@change_commands.command(hidden=True)
@options.runs("run_digest.demo")
def demo(place: options.Place = ".") -> None:
    """Digest the last active day, and suggest what to try next."""
