"""``digestbot score``: the grade of every change in a window, a JSON object a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from bot.app import opened
from bot.commands import emit, finish
from bot.commands.windows import between
from bot.files import check_output
from bot.showing.progress import Bar
from digest.errors import InvalidWindow
from digest.graded import Graded
from digest.language import Language
from digest.words.reasons import reason_words
from handlers.ingest import ensure


def run(
    *,
    place: str,
    since: str | None,
    until: str | None,
    branch: str | None,
    zone: str | None,
    output: Path | None,
    config: Path | None,
) -> None:
    """Grade and write, newest first. Raises ``UserError``."""
    if since is None:
        raise InvalidWindow("score needs a window; name --since and --until")
    check_output(output)
    finish(
        _run(
            place,
            since,
            until=until,
            branch=branch,
            zone=zone,
            output=output,
            config=config,
        )
    )


async def _run(
    place: str,
    since: str,
    *,
    until: str | None,
    branch: str | None,
    zone: str | None,
    output: Path | None,
    config: Path | None,
) -> None:
    async with opened(config) as app:
        where = app.zone(zone)
        watched = await app.watch(place, branch=branch)
        ctx = app.context(watched, zone=where, progress=Bar(watched.repository.name))
        window = between(since, until, where, ctx.clock.now())
        await watched.source.sync()
        tip = await watched.source.tip(branch or watched.branch)
        rows = [_row(g, where) for g in await ensure(ctx, window, tip)]
        emit("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), output)


def _row(graded: Graded, zone: ZoneInfo) -> dict[str, Any]:
    return {
        "sha": graded.sha,
        "pr": graded.number,
        "committed_at": graded.commit.committed_at.astimezone(zone).isoformat(),
        "author": graded.commit.author,
        "subject": graded.commit.subject,
        "title": graded.title,
        "score": graded.grade.score,
        "level": graded.grade.level.value,
        "reasons": [reason_words(r, Language.EN) for r in graded.grade.reasons],
    }
