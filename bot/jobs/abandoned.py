"""Messages that were heard and that no job is about any more: each was tried, and failed too often.

Nothing of them is lost: the record says how far the answer came. For so long as their askers may
still wait they are put down again, and whoever takes them up finds that it is too late to answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.conversation.flow import STILL_ANSWERED
from bot.conversation.record import Stage

STILL_TOLD = timedelta(hours=2)
"""What is older is given up without a word."""

_BETWEEN = "\x1f"
_MOST = 500

_ABANDONED = text("""
    SELECT account, chat, message FROM heard
    WHERE at < extract(epoch FROM now())::bigint - :answered
        AND at > extract(epoch FROM now())::bigint - :told
        AND state <> :done
        AND NOT EXISTS (
            SELECT 1 FROM procrastinate_jobs AS job
            WHERE job.lock = account || :between || chat || :between || message
                AND job.status IN ('todo', 'doing')
        )
    ORDER BY at LIMIT :most
""")


def lock_of(account: str, chat: str, message: str) -> str:
    """The lock under which the jobs of a message are done one after the other."""
    return _BETWEEN.join((account, chat, message))


async def abandoned(connection: AsyncConnection) -> Sequence[tuple[str, str, str]]:
    """The messages that were not answered in time and that no job is about, oldest first."""
    given = {
        "answered": int(STILL_ANSWERED.total_seconds()),
        "told": int(STILL_TOLD.total_seconds()),
        "done": Stage.TOLD.value,
        "between": _BETWEEN,
        "most": _MOST,
    }
    found = await connection.execute(_ABANDONED, given)
    return [(row.account, row.chat, row.message) for row in found]
