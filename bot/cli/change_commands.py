"""Commands about changes: digest, score, explain, ask, chat."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli import options

change_commands = typer.Typer()


@change_commands.command()
def digest(
    repo: options.Place,
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
    tz: options.Zone = None,
    lang: options.Lang = None,
    form: Annotated[options.DigestFormat, typer.Option("--format", help="Output format.")] = (
        options.DigestFormat.CONDENSED
    ),
    output: options.Output = None,
    config: options.ConfigFile = None,
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
    repo: options.Place,
    *,
    since: options.Since = None,
    until: options.Until = None,
    branch: options.Branch = None,
    tz: options.Zone = None,
    output: options.Output = None,
    config: options.ConfigFile = None,
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
    repo: options.Repo = None,
    branch: options.Branch = None,
    tz: options.Zone = None,
    lang: options.Lang = None,
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
    repo: options.Repo = None,
    branch: options.Branch = None,
    now: options.Now = None,
    tz: options.Zone = None,
    lang: options.Lang = None,
    form: options.Form = options.AnswerFormat.TEXT,
    config: options.ConfigFile = None,
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
    repo: options.Repo = None,
    branch: options.Branch = None,
    now: options.Now = None,
    tz: options.Zone = None,
    lang: options.Lang = None,
    config: options.ConfigFile = None,
) -> None:
    """Ask about changes in this terminal."""
    from bot.cli import terminal_chat

    terminal_chat.chat(repo=repo, branch=branch, now=now, zone=tz, language=lang, config=config)


@change_commands.command(hidden=True)
def demo(repo: options.Place = ".") -> None:
    """Digest the last active day, and suggest what to try next."""
    from bot.cli import run_digest

    run_digest.demo(repo)
