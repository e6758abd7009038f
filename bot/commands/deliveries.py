"""``digestbot deliveries``: what was not posted, or only perhaps, and chats that are parked."""

from __future__ import annotations

from pathlib import Path

from bot.aftercare.parking import parked
from bot.app import App, opened
from bot.commands import emit, finish, print_document
from bot.store.doubts import Doubt, SqlDoubts
from bot.store.refusals import SqlRefusals
from digest.document import Block, Document, Heading, Spans, Table, Text
from digest.errors import UserError

_MOST = 50


def show(config: Path | None) -> None:
    """Parts in doubt, the newest first, then parked chats."""

    async def work() -> None:
        async with opened(config) as app:
            blocks = [*await _doubts(app), *await _parked(app)]
            if not blocks:
                emit("every delivery arrived, and no chat is parked")
                return
            print_document(Document(title="Deliveries", blocks=tuple(blocks)))

    finish(work())


async def _doubts(app: App) -> list[Block]:
    found = await SqlDoubts(app.database).newest(_MOST)
    if not found:
        return []
    header = _row("number", "channel", "digest", "part", "state", "why")
    rows = tuple(_row(*_doubt(one)) for one in found)
    return [Heading(2, (Text("Not posted, or only perhaps"),)), Table(header, rows)]


def _doubt(one: Doubt) -> tuple[str, ...]:
    channel = f"{one.channel} ({one.platform})"
    return str(one.delivery), channel, one.digest, str(one.part + 1), one.state.value, one.error


async def _parked(app: App) -> list[Block]:
    found = parked(await SqlRefusals(app.database).all())
    if not found:
        return []
    zone = app.zone(None)
    rows = []
    for one, since in found:
        probe = f"{one.next_probe.astimezone(zone):%Y-%m-%d %H:%M}" if one.next_probe else "-"
        why = f"{one.reason}: {one.detail}" if one.detail else one.reason
        where = f"{one.account}:{one.chat}"
        rows.append(_row(where, f"{since.astimezone(zone):%Y-%m-%d %H:%M}", why, probe))
    header = _row("chat", "parked", "why", "next probe")
    return [Heading(2, (Text("Parked chats"),)), Table(header, tuple(rows))]


def _row(*cells: str) -> tuple[Spans, ...]:
    return tuple((Text(cell),) for cell in cells)


def again(number: int, config: Path | None) -> None:
    """Have a delivery's parts in doubt posted at the next sweep. Raises ``UserError``."""

    async def work() -> None:
        async with opened(config) as app:
            count = await SqlDoubts(app.database).again(number)
            if not count:
                raise UserError(
                    f"no part of delivery {number} is in doubt; see digestbot deliveries"
                )
            emit(f"{count} {'part' if count == 1 else 'parts'} will be posted by digestbot run")

    finish(work())


def unpark(where: str, config: Path | None) -> None:
    """Let a chat be posted to again. Raises ``UserError``."""

    async def work() -> None:
        account, colon, chat = where.partition(":")
        async with opened(config) as app:
            if not colon or not await SqlRefusals(app.database).forget(account, chat):
                raise UserError(f"{where!r} is not parked; see digestbot deliveries")
            emit(f"{where} will be posted to again")

    finish(work())
