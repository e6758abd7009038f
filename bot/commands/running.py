"""``digestbot run``: the objects of a process, by its role."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from bot import runner
from bot.access import Gate
from bot.access.configured import policy_of
from bot.aftercare.alerting import Alerting, takes_up
from bot.aftercare.amending import Amending
from bot.aftercare.notices import Desk, Notices, telling
from bot.aftercare.parking import Parking
from bot.aftercare.refreshing import Refreshing
from bot.aftercare.tidying import Tidying
from bot.app import App, opened
from bot.commands import finish
from bot.config.reading import Config, read
from bot.config.sections import ArchiveSettings, RepositoryConfig
from bot.conversation import Answers, Conversation
from bot.conversation.page import offer_pages
from bot.folders import config_file
from bot.forges.arrivals import AtOnce
from bot.forges.hooks import PREFIX, Hooks
from bot.forges.keeping import Keeper
from bot.lease import FileLeases, Leases
from bot.platforms.base import Called, Receiver, Sender, SendError
from bot.posting.delivery import Delivery
from bot.posting.discretion import Discretion
from bot.posting.slots import Slots, name_of
from bot.role import Part, Role
from bot.shared.common import Common, open_common
from bot.store.inbox import SqlShelf
from bot.store.refusals import SqlRefusals
from bot.store.replies import SqlReplies
from bot.subscriptions.roster import Roster
from bot.subscriptions.senders import admin_target, check_called, give_inboxes, open_senders
from bot.subscriptions.subscribing import Subscribing
from bot.watching import logs
from bot.watching.tracing import exporting
from digest.errors import InvalidConfig, UserError

if TYPE_CHECKING:
    from structlog.typing import Processor

    from bot.web.hosting import Hosting

log = structlog.get_logger(__name__)


def run(file: Path | None, role: Role = Role.ALL, listen: str = "") -> None:
    """Work until a signal comes. Raises ``InvalidConfig`` and what opening the archive raises.

    ``listen`` is where the web server of this process listens, instead of what the file says.
    """
    config = read(file or config_file())
    hosting = _hosting(config, role, listen)
    notices = Notices(config.defaults.language, config.secrets()) if config.admin else None
    observers: list[Processor] = [hosting.metrics] if hosting else []
    if notices is not None:
        observers.append(notices)
    logs.configure(
        config.logs.format,
        config.logs.level,
        secrets=config.secrets(),
        observers=observers,
    )
    # Connections cost half as much in it; a command that is over soon does without its import.
    from uvloop import new_event_loop

    with exporting(version("digestbot")):
        finish(_run(config, role, hosting, notices), new_event_loop)


async def warn_of_unreadable(app: App, repositories: Sequence[RepositoryConfig]) -> None:
    """Log a warning of each repository that cannot be read, or has no such branch, as it begins."""
    for settings in repositories:
        try:
            watched = await app.watch_configured(settings)
            await watched.source.tip(settings.branch)
        except UserError as error:
            log.warning("repository.not_ready", repository=settings.name, error=str(error))


def _hosting(config: Config, role: Role, listen: str) -> Hosting | None:
    """What is hosted, where there is a web server; its libraries are not imported elsewhere."""
    if role is Role.WEB and config.web is None:
        raise InvalidConfig(f"{config.file}: the role web needs a section [web]")
    if config.web is None or not (role.hosts or listen):
        return None
    from bot.web.config import listening_at
    from bot.web.hosting import Hosting

    return Hosting(listening_at(config.web, listen) if listen else config.web)


async def _run(
    config: Config, role: Role, hosting: Hosting | None, notices: Notices | None
) -> None:
    async with opened(config.file, logging=True) as app, AsyncExitStack() as stack:
        try:
            senders = open_senders(config)
        except SendError as error:
            raise UserError(f"a platform cannot be used: {error}; see digestbot check") from error
        for sender in senders.values():
            stack.push_async_callback(sender.aclose)
        shelf = SqlShelf(app.database)
        stack.push_async_callback(shelf.aclose)
        give_inboxes(senders, shelf)
        common = await open_common(config.redis_url, senders, stack)
        work = await _work(app, config, senders, await _leases(app, stack), common)
        await stack.enter_async_context(common.hearing())
        stop = asyncio.Event()
        runner.stop_on_signals(stop)
        await stack.enter_async_context(telling(notices, _desk(config, senders, work)))
        follow = [work.alerts.moved] if work.alerts is not None else []
        keeper = Keeper(app, config, follow)
        read = config.repositories if role.reads else ()
        looking = asyncio.create_task(warn_of_unreadable(app, read))
        stack.callback(looking.cancel)
        part = await _part(role, app, work, senders, common, keeper=keeper, stack=stack)
        if hosting is None:
            if role.hosts:
                check_called(config, senders)
            await part.loop(stop)
        elif not role.hosts:
            mounts = hosting.mounts(app, {}, None, common.look, sweeps=role.sweeps)
            await hosting.run(mounts, part.loop, stop)
        else:
            assert part.taking is not None
            hooks = Hooks(config.forges, part.taking)
            stack.push_async_callback(hooks.settle)
            mounts = hosting.mounts(
                app, senders, work.posts, common.look, sweeps=role.sweeps, wake=part.wake
            )
            await hosting.run({**mounts, PREFIX.rstrip("/"): hooks}, part.loop, stop)


async def _part(
    role: Role,
    app: App,
    work: runner.Work,
    senders: Mapping[str, Sender],
    common: Common,
    *,
    keeper: Keeper,
    stack: AsyncExitStack,
) -> Part:
    """What the process does; the engine of jobs is imported where a role needs it."""
    if role is Role.ALL:
        await stack.enter_async_context(keeper.running())
        return Part(
            loop=partial(runner.run, work),
            taking=AtOnce(app.ledger, keeper.arrived),
            wake=work.waking.tell,
        )
    from bot.jobs.parts import part_of

    return await part_of(role, app, work, senders, common, keeper=keeper, stack=stack)


async def _leases(app: App, stack: AsyncExitStack) -> Leases:
    """Leases among all processes that share the archive: of this machine, or of any number."""
    if app.database.dialect == "sqlite":
        return FileLeases(app.data / "leases")
    from bot.store.leases import ServerLeases
    from bot.store.postgresql import PostgresDatabase

    assert isinstance(app.database, PostgresDatabase)
    leases = ServerLeases(app.database)
    stack.push_async_callback(leases.aclose)
    return leases


async def _work(
    app: App,
    config: Config,
    senders: Mapping[str, Sender],
    leases: Leases,
    common: Common,
) -> runner.Work:
    kinds = {name: sender.name for name, sender in senders.items()}
    policy = policy_of(config, kinds)
    subscribing = Subscribing(app, config, policy, kinds)
    await subscribing.adopt()
    gate = Gate(policy, subscribing.trusts, common.asked())
    roster = Roster(senders, [subscribing])
    subscribing.nudge = common.nudging(roster.nudge)
    offer_pages(senders, subscribing, policy, app.clock)
    admin = admin_target(config, senders)
    discretion = Discretion(gate)
    delivery = Delivery(
        app.ledger,
        leases,
        [admin] if admin else [],
        withholds=discretion.withholds,
        elsewhere=partial(takes_up, senders),
    )
    slots = Slots(app, roster.get, Amending(app, delivery, name_of), discretion, leases)
    alerting = Alerting(
        app,
        senders=senders,
        delivery=delivery,
        leases=leases,
        discretion=discretion,
        spoken=subscribing,
    )
    return runner.Work(
        posts=roster,
        build=slots.build,
        finish=slots.finish,
        hearing=Conversation(
            Answers(app, config, gate, rooms=subscribing, served=subscribing),
            common.records(SqlReplies(app.database)),
            leases,
            app.clock,
            senders,
        ),
        delivery=delivery,
        ledger=app.ledger,
        leases=leases,
        clock=app.clock,
        amend=slots.amend,
        alerts=alerting,
        tidy=_tidying(app, config.archive),
        refresh=Refreshing(app, leases, config.repositories),
        parking=Parking(SqlRefusals(app.database), app.clock),
        receivers=[sender for sender in senders.values() if isinstance(sender, Receiver)],
        elected={name: one for name, one in senders.items() if _connects(one)},
    )


def _tidying(app: App, settings: ArchiveSettings) -> Tidying:
    kept = timedelta(days=settings.keep_digests) or None
    return Tidying(app.database, app.clock, timedelta(days=settings.remember), kept)


def _connects(sender: Sender) -> bool:
    """Whether a sender hears by a connection of its own; what is called may be heard by many."""
    called = isinstance(sender, Called) and sender.web is not None
    return isinstance(sender, Receiver) and not called


def _desk(config: Config, senders: Mapping[str, Sender], work: runner.Work) -> Desk | None:
    target = admin_target(config, senders)
    if target is None:
        return None
    return Desk(target=target, delivery=work.delivery, ledger=work.ledger, clock=work.clock)
