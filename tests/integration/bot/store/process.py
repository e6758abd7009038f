"""What another process does to an archive, for ``test_processes``: a folder or an address, and a task by name.

It waits for a line on its standard input before it begins, so that several begin at once.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from bot.store import writer
from bot.store.archive import SqlArchive
from bot.store.database import Database
from bot.store.ledger import SqlLedger
from bot.store.sqlite import open_archive
from handlers.ports.storage import DeliveryKey
from tests.integration.bot.store.samples import REPOSITORY, made

BATCH = 50


async def claim(database: Database) -> list[bool]:
    """Claim forty deliveries and forty slots; tell which were fresh."""
    ledger = SqlLedger(database)
    fresh = []
    for n in range(40):
        key = DeliveryKey(platform="p", channel="c", digest=f"{n}")
        fresh.append((await ledger.claim(key, f"{os.getpid()}", 2)).fresh)
        fresh.append(await ledger.claim_slot("s", f"{n:02}"))
    return fresh


async def save(database: Database) -> int:
    """Save the same ten batches as everybody else."""
    archive = SqlArchive(database)
    for start in range(0, 10 * BATCH, BATCH):
        await archive.save(REPOSITORY, [made(n) for n in range(start, start + BATCH)])
    return os.getpid()


async def die(database: Database) -> None:
    """Save two batches, and be killed in the middle of the third."""
    archive = SqlArchive(database)
    for start in (0, BATCH):
        await archive.save(REPOSITORY, [made(n) for n in range(start, start + BATCH)])

    async def killed(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    # The changes of the batch are written by then, and their indexes are not.
    writer.write_indexes = killed
    await archive.save(REPOSITORY, [made(n) for n in range(2 * BATCH, 3 * BATCH)])


async def main(place: str, task: str) -> None:
    sys.stdin.readline()
    url = place if "://" in place else ""
    async with await open_archive(Path(place), url) as database:
        print(json.dumps(await {"claim": claim, "save": save, "die": die}[task](database)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
