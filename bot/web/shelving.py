"""What the pages of this program show: its repositories, its archive, its office."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from bot.app import App
from bot.config.reading import Config
from bot.config.sections import RepositoryConfig
from bot.runner.waking import Wake
from bot.sources.address import read_address
from bot.sources.identity import identify
from bot.store.browsing import SqlBrowsing
from bot.store.calls import SqlCalls
from bot.store.deliveries import SqlDeliveries
from bot.store.doubts import SqlDoubts
from bot.subscriptions.roster import Channels
from bot.times.clock import SystemClock
from bot.web.config import WebSettings
from bot.web.histories import GitHistories
from bot.web.pages.office import Office
from bot.web.pages.shelf import Shelf, Shown
from digest.document import Document
from digest.errors import UserError
from digest.graded import Repository
from digest.intent import (
    Changed,
    Compare,
    DigestOf,
    Explain,
    Help,
    PrivacyOf,
    Reviewers,
    Risky,
    Search,
    ShowDiff,
    Status,
    Touched,
    Unknown,
    Why,
)
from digest.language import Language
from digest.question import parse
from handlers.ask import ask
from handlers.context import Context
from handlers.watched import Watched

_READING = (
    *(Explain, Changed, DigestOf, Search, Touched, Compare),
    *(Why, Risky, Reviewers, ShowDiff, Help, Status, PrivacyOf, Unknown),
)
"""Questions that set nothing and reach no other machine."""


def configured(
    app: App,
    config: Config,
    settings: WebSettings,
    channels: Channels,
    wake: Wake | None = None,
) -> Shelf:
    """The pages of ``digestbot run``: every configured repository, and an office for admins."""
    by_name = {one.name: one for one in config.repositories}

    async def opened(shown: Shown) -> Context | None:
        settings = by_name.get(shown.repository.name)
        if settings is None or not app.sources.at_hand(settings.place):
            return None
        return app.context(await app.watch_configured(settings), zone=config.defaults.zone)

    return Shelf(
        repositories=[shown_of(one) for one in config.repositories],
        archive=app.archive,
        browsing=SqlBrowsing(app.database),
        digests=app.digests,
        requests=app.requests,
        clock=app.clock,
        zone=config.defaults.zone,
        language=config.defaults.language,
        public_url=settings.public_url,
        token=settings.token,
        histories=GitHistories(opened, reads=False),
        office=Office(
            channels=channels,
            deliveries=SqlDeliveries(app.database),
            doubts=SqlDoubts(app.database),
            calls=SqlCalls(app.database),
            clock=SystemClock(),
            config=config,
            wake=wake,
        ),
    )


def alone(app: App, watched: Sequence[Watched], zone: str | None = None) -> Shelf:
    """The pages of repositories on this machine, for whoever sits at it.

    Nothing is private, and questions are answered, without a model.
    """
    by_name = {one.repository.name: one for one in watched}

    async def answered(shown: Shown, question: str, language: Language) -> Document:
        asked_of = by_name[shown.repository.name]
        ctx = app.context(asked_of, zone=app.zone(zone), language=language)
        return (await ask(_read_only(question, ctx), ctx, language)).document

    async def opened(shown: Shown) -> Context:
        return app.context(by_name[shown.repository.name], zone=app.zone(zone))

    return Shelf(
        repositories=[
            Shown(
                repository=one.repository,
                private=False,
                thresholds=one.thresholds,
                aliases=one.aliases,
            )
            for one in watched
        ],
        archive=app.archive,
        browsing=SqlBrowsing(app.database),
        digests=app.digests,
        requests=app.requests,
        clock=app.clock,
        zone=app.zone(zone),
        language=app.language(None),
        ask=answered,
        histories=GitHistories(opened, reads=True),
    )


def _read_only(question: str, ctx: Context) -> str:
    """The question, or one for help where it is not one that only reads."""
    try:
        intent = parse(question, ctx.clock.now(), ctx.zone)
    except UserError:
        return question  # and the answer says what is wrong with it
    return question if isinstance(intent, _READING) else "help"


def shown_of(settings: RepositoryConfig) -> Shown:
    """A configured repository as pages show it. Its addresses are known where its remote's is."""
    found = Repository(name=settings.name)
    if urlsplit(settings.place).scheme or "@" in settings.place:
        found = identify(read_address(settings.place), folder=settings.name)
    return Shown(
        repository=Repository(
            name=settings.name,
            web=settings.web or found.web,
            forge=settings.forge or found.forge,
        ),
        private=settings.private,
        thresholds=settings.levels,
        aliases=settings.aliases,
    )
