"""``digestbot cost``: what models took, by day, repository and kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bot.app import opened
from bot.commands import emit, finish, print_document
from bot.showing.forms import AnswerFormat
from bot.showing.usage_form import usage_to_json
from bot.store.calls import Cost, SqlCalls
from digest.document import Block, Document, Heading, Paragraph, Table, Text
from digest.errors import InvalidWindow
from digest.window import parse_moment
from handlers.model_port import Usage

_DAYS = 30
"""Days that are told of where no window is named, today included."""

_HEADER = ("calls", "failed", "tokens in", "cached", "tokens out", "cost")


def run(*, since: str | None, until: str | None, form: AnswerFormat, config: Path | None) -> None:
    """Print the calls of a window. Days are those of UTC, as the caps are. Raises ``UserError``."""

    async def work() -> None:
        async with opened(config) as app:
            now = app.clock.now()
            midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
            zone = app.zone("UTC")
            start = parse_moment(since, zone) if since else midnight - timedelta(days=_DAYS - 1)
            end = parse_moment(until, zone) if until else now + timedelta(seconds=1)
            if start > end:
                raise InvalidWindow("--since is after --until; exchange them")
            costs = await SqlCalls(app.database).costs(start, end)
            if form is AnswerFormat.JSON:
                emit(json.dumps(_json(costs, start, end), indent=1))
            else:
                print_document(_document(costs, start, end))

    finish(work())


def _json(costs: Sequence[Cost], since: datetime, until: datetime) -> dict[str, Any]:
    return {
        "schema": 1,
        "since": since.isoformat(),
        "until": until.isoformat(),
        "rows": [
            {
                "day": f"{one.day:%Y-%m-%d}",
                "repo": one.repository,
                "kind": one.kind.value,
                "failed": one.failed,
                **usage_to_json(one.usage, one.currency),
            }
            for one in costs
        ],
    }


def _document(costs: Sequence[Cost], since: datetime, until: datetime) -> Document:
    window = f"{since:%Y-%m-%d} to {until:%Y-%m-%d}, UTC"
    if not costs:
        title = f"No calls to a model ({window})"
        return Document(title=title, blocks=(Paragraph((Text(title),)),))
    title = f"Calls to models ({window})"
    blocks: list[Block] = [Heading(1, (Text(title),))]
    for name, key in _VIEWS:
        blocks += [Heading(2, (Text(f"By {name}"),)), _table(name, costs, key)]
    blocks.append(_table("all", costs, lambda _: ""))
    return Document(title=title, blocks=tuple(blocks))


_VIEWS: tuple[tuple[str, Callable[[Cost], str]], ...] = (
    ("day", lambda one: f"{one.day:%Y-%m-%d}"),
    ("repository", lambda one: one.repository or "-"),
    ("kind", lambda one: one.kind.value),
)


def _table(name: str, costs: Sequence[Cost], key: Callable[[Cost], str]) -> Table:
    """A row for each group and currency, in the order of their names."""
    groups: dict[tuple[str, str], list[Cost]] = {}
    for one in costs:
        groups.setdefault((key(one), one.currency), []).append(one)
    rows = [_row(group, currency, groups[group, currency]) for group, currency in sorted(groups)]
    header = tuple((Text(cell),) for cell in (name, *_HEADER))
    return Table(header, tuple(tuple((Text(cell),) for cell in row) for row in rows))


def _row(name: str, currency: str, group: Sequence[Cost]) -> tuple[str, ...]:
    usage = sum((one.usage for one in group), Usage())
    about = "~" if usage.estimated else ""
    return (
        name,
        f"{usage.calls:,}",
        f"{sum(one.failed for one in group):,}",
        f"{about}{usage.input_tokens:,}",
        f"{usage.cached_tokens:,}",
        f"{about}{usage.output_tokens:,}",
        f"{about}{usage.cost:.4f} {currency}",
    )
