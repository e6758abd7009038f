"""Commands about changes: digest, score, explain, ask, chat."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.options import (
    AnswerFormat,
    Branch,
    ConfigFile,
    DigestFormat,
    Form,
    Lang,
    Name,
    Now,
    Output,
    Place,
    Repo,
    Since,
    Until,
    Zone,
)

change_commands = typer.Typer()


@change_commands.command()
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
            help="A day: 2026-01-23, today, yesterday or last (latest with changes).",
        ),
    ] = None,
    since: Since = None,
    until: Until = None,
    tz: Zone = None,
    lang: Lang = None,
    form: Annotated[DigestFormat, typer.Option("--format", help="Output format.")] = (
        DigestFormat.CONDENSED
    ),
    output: Output = None,
    config: ConfigFile = None,
) -> None:
    """Show what changed on a day or in a window.

    The default is the latest day with changes.
    """
    from bot.cli import run_digest

    run_digest.digest(
        run_digest.DigestOptions(
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


@change_commands.command()
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
    """Print the grade of every change in a window as JSON lines."""
    from bot.cli import run_digest

    run_digest.score(
        place=repo, since=since, until=until, branch=branch, zone=tz, output=output, config=config
    )


@change_commands.command()
def explain(
    reference: Annotated[
        str, typer.Argument(metavar="REF", help="#N, N, a commit (7 digits or more) or an address.")
    ],
    *,
    repo: Repo = None,
    branch: Branch = None,
    tz: Zone = None,
    lang: Lang = None,
    form: Form = AnswerFormat.TEXT,
    show_prompt: Annotated[
        bool,
        typer.Option("--show-prompt", help="Print the prompt for the model without sending it."),
    ] = False,
    config: ConfigFile = None,
) -> None:
    """Explain one change.

    What it does, whom it affects, what to watch.
    """
    from bot.cli import run_questions

    run_questions.explain(
        reference,
        repo=repo,
        branch=branch,
        zone=tz,
        language=lang,
        form=form,
        config=config,
        show_prompt=show_prompt,
    )


@change_commands.command(
    context_settings={"ignore_unknown_options": True}
)  # "--some-flag: since when?"
def ask(
    question: Annotated[str, typer.Argument(help='Such as "what changed in MoE this week".')],
    *,
    repo: Repo = None,
    branch: Branch = None,
    now: Now = None,
    tz: Zone = None,
    lang: Lang = None,
    form: Form = AnswerFormat.TEXT,
    config: ConfigFile = None,
) -> None:
    """Answer a question about changes, in English or Chinese."""
    from bot.cli import run_questions

    run_questions.ask(
        question,
        repo=repo,
        branch=branch,
        now=now,
        zone=tz,
        language=lang,
        form=form,
        config=config,
    )


@change_commands.command()
def chat(
    *,
    repo: Repo = None,
    branch: Branch = None,
    now: Now = None,
    tz: Zone = None,
    lang: Lang = None,
    config: ConfigFile = None,
) -> None:
    """Ask about changes in this terminal."""
    from bot.cli import terminal_chat

    terminal_chat.chat(repo=repo, branch=branch, now=now, zone=tz, language=lang, config=config)


@change_commands.command(hidden=True)
def demo(repo: Place = ".") -> None:
    """Digest the last active day, and suggest what to try next."""
    from bot.cli import run_digest

    run_digest.demo(repo)
