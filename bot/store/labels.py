"""Labels of merged requests as topics of their changes, in the index of topics.

The index is made from changes alone; what a forge says comes later, or was there before the change
was read, and is added in either case. A label that is taken off goes when the index is made anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.dialect import insert_into
from bot.store.tables import change_topics, changes, requests
from digest.labels import label_topics
from digest.request import RequestState

_CHUNK = 500


async def label_requests(
    connection: AsyncConnection, repository: int, labels: Mapping[int, Sequence[str]]
) -> None:
    """Add labels, by number of request, to the changes that are archived."""
    for numbers in _chunks([number for number, given in labels.items() if given]):
        wanted = select(changes.c.id, changes.c.number, changes.c.committed_at).where(
            changes.c.repository_id == repository, changes.c.number.in_(numbers)
        )
        rows = (await connection.execute(wanted)).all()
        await _add(connection, repository, [(r.id, r.committed_at, labels[r.number]) for r in rows])


async def label_changes(
    connection: AsyncConnection, repository: int, added: Iterable[tuple[int, int, int | None]]
) -> None:
    """Add the labels that are known to changes, given as key, moment and number."""
    numbered: dict[int, list[tuple[int, int]]] = {}
    for key, at, number in added:
        if number is not None:
            numbered.setdefault(number, []).append((key, at))
    for numbers in _chunks(list(numbered)):
        wanted = select(requests.c.number, requests.c.content).where(
            requests.c.repository_id == repository,
            requests.c.number.in_(numbers),
            requests.c.state == RequestState.MERGED.value,
        )
        rows = (await connection.execute(wanted)).all()
        labels = {row.number: json.loads(row.content)["labels"] for row in rows}
        given = [(*change, labels[n]) for n in labels for change in numbered[n]]
        await _add(connection, repository, given)


async def _add(
    connection: AsyncConnection, repository: int, given: Sequence[tuple[int, int, Sequence[str]]]
) -> None:
    rows = [
        {"repository_id": repository, "topic": topic, "committed_at": at, "change_id": key}
        for key, at, labels in given
        for topic in sorted(label_topics(labels))
    ]
    if rows:
        await connection.execute(insert_into(change_topics).on_conflict_do_nothing(), rows)


def _chunks(numbers: Sequence[int]) -> Iterable[Sequence[int]]:
    return (numbers[at : at + _CHUNK] for at in range(0, len(numbers), _CHUNK))
