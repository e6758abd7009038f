"""``digestbot init``, ``app``, ``check``, ``doctor`` and ``serve``.

Secrets are typed without an echo, or taken from the environment as ``run`` would; never from
options, which other users of the machine can see.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import structlog
import typer
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import Router

from bot import platforms
from bot.app import configuration, open_workspace
from bot.cli.commands import AnswerFormat
from bot.cli.output import ProgressBar, emit, finish
from bot.cli.run_digest import day_of
from bot.config.file_model import Listen, WebSettings
from bot.config.first_config import SetupAnswers, required_keys, secret_file, settings_of, write
from bot.config.reader import read
from bot.git.open_source import accepted_address, folder_of
from bot.git.repository_layout import layout_of
from bot.jobs.loop import stop_on_signals
from bot.ops.check import Finding, Weight, fault, has_failures
from bot.ops.check import check as check_check
from bot.ops.doctor import examine
from bot.telemetry import logs
from bot.util.files import NAME, config_file, data_folder
from bot.util.machine import SystemClock
from bot.util.sanitize import legible, mask_secrets
from bot.util.section import Settings
from bot.web.pages.page_request import RECENT
from bot.web.pages.routes import routes, warm
from bot.web.server import application, serving
from bot.web.site_factory import alone
from bot.workspace.workspace import Workspace, local_zone
from digest.errors import InvalidConfig, UsageError, UserError
from digest.frozen import frozen
from digest.window import Window
from handlers.digests.ingest import fill, tip_of
from handlers.ports.storage import Watched

Ask = Callable[[str, str, bool], str]
"""Asks a person: the question, the meaning of an empty answer, and whether it is a secret."""


@frozen
class InitOptions:
    """Answers from the command line; missing ones are asked for on a terminal."""

    file: Path | None
    repositories: Sequence[str] | None = None
    platform: str = ""
    chat: str = ""
    zone: str = ""
    time: str = ""
    language: str = ""
    settings: Sequence[str] | None = None


def init(options: InitOptions, ask: Ask | None = None) -> None:
    """Write a configuration, and print the next steps. Raises ``UserError``."""
    if ask is None and sys.stdin.isatty():
        ask = _at_terminal
    file = options.file or Path(NAME)
    answers = _answers(options, ask, os.environ)
    config = write(file, answers)
    emit(f"wrote {file}")
    for key in answers.secrets:
        emit(
            f"{file.parent / secret_file(answers.platform, key)} holds {key}, readable only by you"
        )
    for warning in config.warnings:
        emit(f"warning: {warning}")
    emit(f"next: digestbot check --config {file}, then digestbot run --config {file}")


def _answers(options: InitOptions, ask: Ask | None, environment: Mapping[str, str]) -> SetupAnswers:
    def answer(given: str, question: str, default: str) -> str:
        return given or (ask(question, default, False) if ask else default)

    repositories = tuple(options.repositories or ())
    if not repositories:
        place = answer("", "Repository to watch (path or URL)", str(Path.cwd()))
        repositories = (place,)
    known = ", ".join(platforms.kinds())
    platform = answer(options.platform, f"Where to post ({known})", "console")
    model = settings_of(platform)
    settings = _settings(platform, model, options.settings or (), ask)
    secrets = _secrets(platform, model, ask, environment)
    # A platform whose address is a secret has the chat in it; other platforms need a chat.
    chat = options.chat
    addressed = any(one.startswith(("https://", "http://")) for one in secrets.values())
    if ask and not chat and secrets and not addressed:
        chat = ask("Chat to post to, as the platform names it", "", False)
    return SetupAnswers(
        repositories=tuple(_whole(place) for place in repositories),
        platform=platform,
        chat=chat,
        zone=answer(options.zone, "Time zone", local_zone().key),
        time=answer(options.time, "Time of the daily digest", "09:00"),
        language=answer(options.language, "Language (en, zh)", "en"),
        settings=settings,
        secrets=secrets,
    )


def _settings(
    platform: str, model: type[Settings], given: Sequence[str], ask: Ask | None
) -> dict[str, str]:
    settings: dict[str, str] = {}
    for written in given:
        key, equals, value = written.partition("=")
        if not equals:
            raise UsageError(f"--set {written!r} is not valid; write key=value")
        if key in model.secret_fields():
            raise UsageError(
                f"{key} is a secret, and command lines are visible to others; set it as "
                f"{_variable(platform, key)}"
            )
        settings[key] = value
    for key in required_keys(model):
        if key not in settings and ask:
            settings[key] = ask(f"{platform}: {key}", "", False)
    return settings


def _secrets(
    platform: str, model: type[Settings], ask: Ask | None, environment: Mapping[str, str]
) -> dict[str, str]:
    secrets: dict[str, str] = {}
    for key in model.secret_fields():
        must = model.model_fields[key].is_required()
        value = environment.get(_variable(platform, key), "").strip()
        if not value and ask:
            optional = "" if must else ", empty for none"
            value = ask(f"{platform}: {key}{optional}", "", True).strip()
        if value:
            secrets[key] = value
        elif must:
            raise UsageError(f"{platform} needs {key}; give it as {_variable(platform, key)}")
    return secrets


def _variable(platform: str, key: str) -> str:
    return f"DIGESTBOT_{platform}_{key}".upper().replace("-", "_")


def _whole(place: str) -> str:
    """A folder or bundle by its full path; no address is contacted. Raises ``NotARepository``."""
    folder = folder_of(place)
    if folder is None:
        address = accepted_address(place)
        return address.url if address.transport == "file" else place
    finish(layout_of(folder))
    return str(folder.resolve())


def _at_terminal(question: str, default: str, secret: bool) -> str:
    said: str = typer.prompt(
        question, default=default, hide_input=secret, show_default=bool(default), err=True
    )
    return said


def app(platform: str, address: str) -> None:
    """Print what a platform's console asks for. Raises ``UsageError``."""
    settings_of(platform)
    text = getattr(platforms.load(platform), "app_text", None)
    if text is None:
        raise UsageError(f"{platform} needs no app; continue with digestbot init")
    if address and not address.startswith("https://"):
        raise UsageError(
            f"{address!r} is no public address; write https://your.address/events/{platform}"
        )
    sys.stdout.write(text(address))


def check(config: Path | None, *, spend: bool) -> None:
    """Print the findings; ``spend`` asks the model. Raises ``UserError`` if ``run`` would fail."""
    settings = read(config or config_file())
    findings = finish(check_check(settings, SystemClock(), spend=spend))
    for finding in findings:
        line = f"{_MARKS[finding.weight]} {finding.subject}: {finding.text}"
        sys.stdout.write(f"{mask_secrets(line)}\n")
    if has_failures(findings):
        raise UserError(f"{settings.file}: not ready to run; see the lines marked ERROR")


_MARKS = {Weight.OK: "ok     ", Weight.WARNING: "warning", Weight.ERROR: "ERROR  "}


def doctor(form: AnswerFormat, config: Path | None, *, json: bool) -> None:
    """Print the findings. Raises ``UserError`` if something is broken."""
    broken: list[Finding] = []
    try:
        settings = configuration(config)
    except InvalidConfig as error:
        # The rest can still be checked if the data folder is the default finding.
        settings = None
        broken.append(fault("configuration", str(error), "correct the file, or run digestbot init"))
    looked = finish(examine(settings.data if settings else data_folder(), settings))
    findings = [
        *broken,
        *(finding for finding in looked if not broken or finding.subject != "configuration"),
    ]
    emit(_json(findings) if json or form is AnswerFormat.JSON else _lines(findings))
    if has_failures(findings):
        raise UserError("some checks failed; see the findings above")


def _lines(findings: Sequence[Finding]) -> str:
    lines = []
    for finding in findings:
        lines.append(f"{_MARKS[finding.weight]} {finding.subject}: {finding.text}")
        if finding.cure:
            lines.append(f"        -> {finding.cure}")
    return "\n".join(map(legible, lines))


def _json(findings: Sequence[Finding]) -> str:
    told = [
        {
            "weight": finding.weight,
            "subject": finding.subject,
            "text": finding.text,
            "cure": finding.cure,
        }
        for finding in findings
    ]
    return json.dumps(
        {"schema": 1, "healthy": not has_failures(findings), "findings": told},
        ensure_ascii=False,
        indent=1,
    )


log = structlog.get_logger(__name__)

_HERE = "127.0.0.1"
_OTHER_PORT = "choose another port with --port, or 0 for any free one"
_FOLLOWED = 30.0  # seconds between two looks for new commits
_COVERED = RECENT / 2  # after which a look that found nothing new is stored as time that was read
_CAUGHT_UP = 2  # days before a new tip that are read again: a merge brings commits that are older


@frozen
class ServeOptions:
    """The arguments as typed."""

    place: str | None
    days: int
    port: int
    name: str | None = None
    branch: str | None = None
    zone: str | None = None
    config: Path | None = None


def serve(options: ServeOptions) -> None:
    """Read what the archive lacks of the last days, then serve. Raises ``UserError``."""
    # On a terminal only the address is printed, and warnings beside it.
    logs.configure(level="warning")
    finish(_run(options), service=True)


async def _run(options: ServeOptions) -> None:
    async with open_workspace(options.config) as app:
        watched = await _chosen_repositories(app, options)
        for repository in watched:
            await _read(app, repository, options)
        stop = asyncio.Event()
        stop_on_signals(stop)
        settings = WebSettings(listen=Listen(_HERE, options.port))
        site = alone(app, watched, options.zone)
        await warm(site)
        pages = Router(routes(site))
        # Other sites may not reach this server under a name of their own (DNS rebinding).
        guarded = TrustedHostMiddleware(pages, [_HERE, "localhost"])
        asgi = application({"/": guarded})
        async with serving(asgi, settings, otherwise=_OTHER_PORT) as address:
            names = ", ".join(repository.repository.name for repository in watched)
            sys.stdout.write(f"serving {names} at {address} (stop with Ctrl-C)\n")
            sys.stdout.flush()
            following = asyncio.create_task(_follow(app, watched, options))
            await stop.wait()
            following.cancel()
            await asyncio.wait({following})


async def _chosen_repositories(app: Workspace, options: ServeOptions) -> list[Watched]:
    """The repository that is named, or every configured one."""
    configured = app.config.repositories if app.config else ()
    if options.place is None and options.name is None and len(configured) > 1:
        return [
            await app.watch_configured(repository, branch=options.branch)
            for repository in configured
        ]
    return [await app.watch(options.place, name=options.name, branch=options.branch)]


async def _follow(app: Workspace, watched: Sequence[Watched], options: ServeOptions) -> None:
    tips = {repository.repository.name: await _tip(repository) for repository in watched}
    while True:
        await asyncio.sleep(_FOLLOWED)
        for repository in watched:
            name = repository.repository.name
            try:
                await repository.source.sync()
                now, tip = app.clock.now(), await _tip(repository)
                read = await app.coverage.covered(repository.repository, repository.branch or "")
                if tip == tips[name] and read and now - read[-1].until < _COVERED:
                    continue
                ctx = app.context(repository, zone=app.zone(options.zone))
                since = min([now - timedelta(days=_CAUGHT_UP), *(w.until for w in read[-1:])])
                await fill(ctx, Window(since=since, until=now, zone=ctx.zone), await tip_of(ctx))
                tips[name] = tip
            except UserError as error:
                log.warning("serve.not_followed", repository=name, error=str(error))


async def _tip(watched: Watched) -> str | None:
    return (await watched.source.tip(watched.branch)).sha


async def _read(app: Workspace, watched: Watched, options: ServeOptions) -> None:
    await watched.source.sync()
    ctx = app.context(
        watched, zone=app.zone(options.zone), progress=ProgressBar(watched.repository.name)
    )
    last = await day_of(ctx, "last")
    await fill(
        ctx, replace(last, since=last.until - timedelta(days=options.days)), await tip_of(ctx)
    )
