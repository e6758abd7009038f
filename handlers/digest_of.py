"""``digest``: the condensed digest of any window, for somebody who asks."""

from __future__ import annotations

from digest.answer import Answer, Row, graded_because
from digest.intent import DigestOf
from digest.report import digest_document
from handlers.context import Context
from handlers.daily import look


async def digest_of(intent: DigestOf, ctx: Context) -> Answer:
    """The digest of the window; its rows are all of the window's changes."""
    report = (await look(ctx, intent.window)).report
    rows = tuple(
        Row(graded=entry.graded, why=graded_because(entry.graded, ctx.language))
        for entry in report.entries
    )
    document = digest_document(report, ctx.language)
    return Answer(
        intent="digest", document=document, window=intent.window, total=len(rows), rows=rows
    )
