"""From a role to what its process does, for every role but that of a process that does it all."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial

from bot.app import App
from bot.conversation import Conversation
from bot.forges.keeping import Keeper
from bot.jobs.claims import DeferringArrivals, DeferringLedger, DeferringReplies
from bot.jobs.engine import Engine
from bot.jobs.receiving import Intake, receive
from bot.jobs.scheduling import schedule
from bot.jobs.working import Worker, labour
from bot.platforms.base import Sender
from bot.role import Part, Role
from bot.runner import Work
from bot.shared.common import Common
from bot.store.postgresql import PostgresDatabase
from digest.errors import InvalidConfig


async def part_of(
    role: Role,
    app: App,
    work: Work,
    senders: Mapping[str, Sender],
    common: Common,
    *,
    keeper: Keeper,
    stack: AsyncExitStack,
) -> Part:
    """What a process of the role does, its engine closed with ``stack``.

    Raises ``InvalidConfig`` where the archive is in a file, and ``UnreachableDatabase``.
    """
    if not isinstance(app.database, PostgresDatabase):
        raise InvalidConfig(
            f"the role {role} needs an archive in PostgreSQL, which DATABASE_URL names; "
            "with one in a file a single process does it all"
        )
    engine = await stack.enter_async_context(Engine(app.database))
    match role:
        case Role.SCHEDULER:
            ledger = DeferringLedger(app.database, engine)
            return Part(loop=partial(schedule, replace(work, ledger=ledger), engine))
        case Role.WORKER:
            assert isinstance(work.hearing, Conversation)
            model = app.mind is not None
            worker = Worker(work, work.hearing, senders, keeper, asks_model=model)
            return Part(loop=partial(labour, worker, engine))
        case _:
            records = common.records(DeferringReplies(app.database, engine))
            intake = Intake(records, engine, app.clock, senders)
            return Part(
                loop=partial(receive, replace(work, hearing=intake)),
                taking=DeferringArrivals(app.database, engine),
                wake=engine.put_left,
            )
