"""Signals of every change in a window of a clone, for the fits."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.git.open_source import open_source
from digest.facts.extract import extract, wanted_blobs
from digest.grading.signals import signals
from digest.window import Window
from handlers.digests.tree_facts import settle


async def read_signals(clone: str, window: Window) -> list[dict[str, Any]]:
    """Number, subject, time and signals of each change, newest first."""

    with TemporaryDirectory() as folder:
        return await _read(clone, window, Path(folder))


async def _read(clone: str, window: Window, data: Path) -> list[dict[str, Any]]:
    _, source = await open_source(clone, data)
    tip = await source.tip()
    rows = []
    async for batch in source.changes(tip, window):
        blobs = list(dict.fromkeys(b for change in batch for b in wanted_blobs(change)))
        texts = await source.texts(blobs) if blobs else {}
        read = [extract(change, texts) for change in batch]
        for change, facts in zip(batch, await settle(source, batch, read), strict=True):
            rows.append(
                {
                    "number": facts.subject.number,
                    "subject": facts.subject.title,
                    "at": change.commit.committed_at.isoformat(),
                    "signals": {s.name: s.value for s in signals(facts, change.commit)},
                }
            )
    return rows
