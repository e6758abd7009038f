"""One digest of a range without a model, timed from an open archive to the rendered pages."""

from __future__ import annotations

import io
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.git.open_source import open_source
from bot.platforms.console import Console
from bot.store.archive import SqlArchive, SqlCoverage
from bot.store.sqlite import open_database
from bot.util.machine import Processes, SystemClock
from digest.core.enums import Language
from digest.markdown import markdown
from digest.report.assembly import assemble
from digest.report.condensed import digest_document
from digest.report.full_report import report_document
from digest.window import Window, zone_of
from handlers.context import Context
from handlers.digests.ingest import ingest
from handlers.ports.storage import Range, Tip, Watched


async def digest_once(clone: str, data: Path, base: str | None, tip: str) -> float:
    """Seconds for everything that a digest of the range needs, except the start of Python."""
    workers = Processes()
    async with await open_database(data) as database:
        began = time.perf_counter()
        repository, source = await open_source(clone, data)
        ctx = Context(
            watched=Watched(repository=repository, source=source),
            archive=SqlArchive(database),
            coverage=SqlCoverage(database),
            clock=SystemClock(),
            zone=zone_of("UTC"),
            workers=workers,
        )
        at = Tip(branch="HEAD", sha=tip)
        read = await ingest(ctx, Range(base=base, tip=tip), at)
        until = datetime.now(UTC)
        window = Window(since=until - timedelta(days=1), until=until, zone=ctx.zone)
        report = assemble(repository, at.branch, window, read.changes, Language.EN)
        Console(io.StringIO()).render(digest_document(report, Language.EN))
        markdown(report_document(report, Language.EN))
        taken = time.perf_counter() - began
    workers.close()
    return taken
