"""``digestbot run``: builds the objects of a process by its role."""

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

from bot.access.gate import AccessGate, policy_of
from bot.app import open_workspace
from bot.chat.message_service import Conversation
from bot.chat.question_service import QuestionService
from bot.cli.output import finish
from bot.config.file_model import ArchiveSettings
from bot.config.reader import Config, read
from bot.config.repository_section import RepositoryConfig
from bot.delivery.delivery import Delivery, Visibility
from bot.delivery.quarantine import Quarantine
from bot.forges.hooks import PREFIX, AtOnce, Hooks
from bot.jobs.loop import run as loop_run
from bot.jobs.loop import stop_on_signals
from bot.jobs.roles import ProcessRole, RoleDuties
from bot.jobs.services import LoopServices
from bot.messaging.receiver import Called, Receiver
from bot.messaging.sender import Sender, SendError
from bot.ops.admin_alerts import AdminAlerts, AdminChannel, telling
from bot.ops.retention import Reanalysis, Retention
from bot.publishing.alerts import ImmediateAlerts, takes_up
from bot.publishing.forge_sync import ForgeSync
from bot.publishing.revert_notes import RevertNotes
from bot.publishing.slots import Slots, name_of
from bot.shared_state.shared_parts import SharedParts, open_common
from bot.store.deliveries import SqlRefusals
from bot.store.replies import SqlInbox, SqlReplies
from bot.subscriptions import channel_registry
from bot.subscriptions.chat_subscriptions import Subscribing
from bot.telemetry import logs
from bot.util.files import config_file
from bot.util.locks import FileLeases, Leases
from bot.util.tracing import exporting
from bot.workspace.workspace import Workspace
from digest.errors import InvalidConfig, UserError
from handlers.router import import_handlers

if TYPE_CHECKING:
    from structlog.typing import Processor

    from bot.web.server import Hosting

log = structlog.get_logger(__name__)


def run(config: Path | None, role: ProcessRole, listen: str) -> None:
    """Run until a signal arrives; ``listen`` overrides the web server's address from the file."""
    # Raises ``InvalidConfig`` and the errors of opening the archive.
    settings = read(config or config_file())
    hosting = _hosting(settings, role, listen)
    secrets = settings.secrets()
    notices = AdminAlerts(settings.defaults.language, secrets) if settings.admin else None
    observers: list[Processor] = [hosting.metrics] if hosting else []
    if notices is not None:
        observers.append(notices)
    logs.configure(settings.logs.format, settings.logs.level, secrets=secrets, observers=observers)
    if role.reads:
        import_handlers()
    # Connections cost half as much in it; short commands run without importing it.
    from uvloop import new_event_loop

    with exporting(version("digestbot")):
        finish(_run(settings, role, hosting, notices), new_event_loop, service=True)


async def warn_of_unreadable(app: Workspace, repositories: Sequence[RepositoryConfig]) -> None:
    """Log a warning at start for each repository that is unreadable or lacks its branch."""
    for settings in repositories:
        try:
            watched = await app.watch_configured(settings)
            await watched.source.tip(settings.branch)
        except UserError as error:
            log.warning("repository.not_ready", repository=settings.name, error=str(error))


def _hosting(config: Config, role: ProcessRole, listen: str) -> Hosting | None:
    """The web server's parts, if there is one; its libraries are not imported otherwise."""
    if role is ProcessRole.WEB and config.web is None:
        raise InvalidConfig(f"{config.file}: the role web needs a section [web]")
    if config.web is None or not (role.hosts or listen):
        return None
    from bot.config.file_model import listening_at
    from bot.web.server import Hosting

    return Hosting(listening_at(config.web, listen) if listen else config.web)


async def _run(
    config: Config, role: ProcessRole, hosting: Hosting | None, notices: AdminAlerts | None
) -> None:
    async with open_workspace(config.file, logging=True) as app, AsyncExitStack() as stack:
        try:
            senders = channel_registry.open_senders(config)
        except SendError as error:
            raise UserError(f"a platform cannot be used: {error}; see digestbot check") from error
        for sender in senders.values():
            stack.push_async_callback(sender.aclose)
        store = SqlInbox(app.database)
        stack.push_async_callback(store.aclose)
        channel_registry.give_inboxes(senders, store)
        common = await open_common(config.redis_url, senders, stack)
        work = await _work(app, config, senders, await _leases(app, stack), common)
        await stack.enter_async_context(common.hearing())
        stop = asyncio.Event()
        stop_on_signals(stop)
        await stack.enter_async_context(telling(notices, _desk(config, senders, work)))
        follow = [work.alerts.moved] if work.alerts is not None else []
        forge_sync = ForgeSync(app, config, follow)
        read = config.repositories if role.reads else ()
        looking = asyncio.create_task(warn_of_unreadable(app, read))
        stack.callback(looking.cancel)
        part = await _part(role, app, work, senders, common, forge_sync=forge_sync, stack=stack)
        if hosting is None:
            if role.hosts:
                channel_registry.check_called(config, senders)
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
    role: ProcessRole,
    app: Workspace,
    work: LoopServices,
    senders: Mapping[str, Sender],
    common: SharedParts,
    *,
    forge_sync: ForgeSync,
    stack: AsyncExitStack,
) -> RoleDuties:
    """The duties of the process; the job engine is imported only if a role needs it."""
    if role is ProcessRole.ALL:
        await stack.enter_async_context(forge_sync.running())
        return RoleDuties(
            loop=partial(loop_run, work),
            taking=AtOnce(app.ledger, forge_sync.arrived),
            wake=work.waking.tell,
        )
    from bot.jobs.role_duties import duties_of

    return await duties_of(role, app, work, senders, common, forge_sync=forge_sync, stack=stack)


async def _leases(app: Workspace, stack: AsyncExitStack) -> Leases:
    """Leases among all processes that share the archive: of this machine, or of any number."""
    if app.database.dialect == "sqlite":
        return FileLeases(app.data / "leases")
    from bot.store.postgresql import PostgresDatabase, ServerLeases

    assert isinstance(app.database, PostgresDatabase)
    leases = ServerLeases(app.database)
    stack.push_async_callback(leases.aclose)
    return leases


async def _work(
    app: Workspace,
    config: Config,
    senders: Mapping[str, Sender],
    leases: Leases,
    common: SharedParts,
) -> LoopServices:
    kinds = {name: sender.name for name, sender in senders.items()}
    policy = policy_of(config, kinds)
    subscribing = Subscribing(app, config, policy, kinds)
    await subscribing.adopt()
    gate = AccessGate(policy, subscribing.trusts, common.asked())
    registry = channel_registry.ChannelRegistry(senders, subscribing)
    subscribing.nudge = common.nudging(registry.nudge)
    channel_registry.offer_pages(senders, subscribing, policy, app.clock)
    admin = channel_registry.admin_target(config, senders)
    visibility = Visibility(gate)
    delivery = Delivery(
        app.ledger,
        leases,
        [admin] if admin else [],
        withholds=visibility.withholds,
        elsewhere=partial(takes_up, senders),
    )
    slots = Slots(app, RevertNotes(app, delivery, name_of), visibility, leases)
    alerting = ImmediateAlerts(
        app,
        senders=senders,
        delivery=delivery,
        leases=leases,
        withholds=visibility.withholds,
        language_of=subscribing.language,
        rests=subscribing.rests,
    )
    return LoopServices(
        posts=registry,
        build=slots.build,
        finish=slots.finish,
        hearing=Conversation(
            QuestionService(app, config, gate, subscribing),
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
        refresh=Reanalysis(app, leases, config.repositories),
        parking=Quarantine(SqlRefusals(app.database), app.clock),
        receivers=[sender for sender in senders.values() if isinstance(sender, Receiver)],
        elected={name: one for name, one in senders.items() if _connects(one)},
    )


def _tidying(app: Workspace, settings: ArchiveSettings) -> Retention:
    period = timedelta(days=settings.keep_digests) or None
    return Retention(app.database, app.clock, timedelta(days=settings.remember), period)


def _connects(sender: Sender) -> bool:
    """Whether a sender receives through its own connection; web calls may go to any process."""
    called = isinstance(sender, Called) and sender.web is not None
    return isinstance(sender, Receiver) and not called


def _desk(config: Config, senders: Mapping[str, Sender], work: LoopServices) -> AdminChannel | None:
    target = channel_registry.admin_target(config, senders)
    if target is None:
        return None
    return AdminChannel(target=target, delivery=work.delivery, ledger=work.ledger, clock=work.clock)
