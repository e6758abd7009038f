"""Writes ``fresh.sql`` again, after a revision was added: ``python -m bot.store.migrations``."""

from __future__ import annotations

from pathlib import Path

from bot.store.migrations import FRESH, by_revisions

if __name__ == "__main__":
    Path(__file__).with_name(FRESH).write_text(by_revisions(), encoding="utf-8")
