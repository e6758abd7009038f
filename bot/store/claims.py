"""Claims are let go once nobody can come with the same name again.

Three kinds of claims stand in ``slots``, told apart by what stands before a colon:

- events that pass (:data:`PASSING`): the delivery of a forge, a line for the admin of a day, how
  far an alert reaches. They are let go when they are old, but for the alert that a profile stands
  at: it is asked after again, however long nobody looked.
- channels with the loop's notes on them, a claim a day. The newest says where the channel stands,
  and is kept for ever; what is older than it is never asked after.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, and_, delete, exists, func, literal, not_, or_

from bot.store.database import Database
from bot.store.rows import seconds
from bot.store.tables import profiles, slots

HOOK, NOTICE, ALERT = PASSING = "hook:", "notice:", "alert:"
"""What claims of passing events begin with."""


def stretch(repository: str, owner: str, tip: str) -> str:
    """What is claimed of an alert: for whom it is, and from which commit on it looks."""
    return f"{ALERT}{repository}:{owner}:{tip}"


async def let_go(database: Database, before: datetime) -> int:
    """Remove claims that were made before a moment and are of no use; how many there were.

    Raises ``UnwritableFolder`` and ``BrokenArchive``.
    """
    # A claim without a moment is of a program that did not tell: its age is not known.
    old = and_(slots.c.at > 0, slots.c.at < seconds(before))
    passed = and_(_passing(), not_(_stood_at()))
    async with database.writing() as connection:
        done = await connection.execute(delete(slots).where(old, or_(passed, _overtaken())))
        return int(done.rowcount)


def _passing() -> ColumnElement[bool]:
    named = slots.c.subscription
    return or_(*(func.substr(named, 1, len(kind)) == kind for kind in PASSING))


def _stood_at() -> ColumnElement[bool]:
    """Whether a profile stands where the alert begins."""
    of = profiles.c
    named = literal(ALERT) + of.repository + ":" + of.owner + ":" + of.tip
    return exists().where(named == slots.c.subscription)


def _overtaken() -> ColumnElement[bool]:
    """Whether a newer slot of a channel was claimed: passing events have no order."""
    newer = slots.alias()
    overtaken = exists().where(
        newer.c.subscription == slots.c.subscription, newer.c.slot > slots.c.slot
    )
    return and_(not_(_passing()), overtaken)
