"""What an archive tells of its digests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.app import open_workspace
from bot.cli import run_archive
from bot.delivery.payload import freeze
from bot.store.analyses import SqlAnalyses
from digest.core.grade import Repository
from digest.document import Document, Paragraph, Text
from handlers.ports.storage import Outcome, State
from tests.integration.bot.store.samples import sha_of
from tests.integration.bot.store.test_analyses import BASIS, kept
from tests.integration.bot.store.test_digests import WINDOW, digest


@pytest.fixture
async def config(tmp_path: Path) -> Path:
    """A configuration whose archive holds a digest of four changes."""
    file = tmp_path / "digestbot.toml"
    file.write_text(f"data = {str(tmp_path / 'data')!r}\n", encoding="utf-8")
    why = ("", "no model: cap", "no model: cap", "not readable")
    outcomes = tuple(
        Outcome(sha=sha_of(n), state=State.FAILED if n == 3 else State.POSTED, why=one)
        for n, one in enumerate(why)
    )
    shown = Document(title="t", blocks=(Paragraph((Text("Four changes."),)),))
    made = replace(digest("daily", WINDOW.until, freeze(shown, ())), outcomes=outcomes)
    async with open_workspace(file) as app:
        await app.digests.keep(made)
        repository = Repository(name=made.heading.repository)
        half = replace(kept().analysis, rejected=0.5)
        said = [kept(sha_of(0)), kept(sha_of(1), analysis=half)]  # a quarter and a half
        await SqlAnalyses(app.database).save(repository, BASIS, said)
    return file


async def test_digests_are_listed_by_name_below_their_heading(config, capsys) -> None:
    await run_archive.show_all.__wrapped__(config)
    listed = capsys.readouterr().out.splitlines()
    assert "• daily 3 changes, 1 high" in listed[listed.index("Digests") :]


async def test_a_digest_is_shown_with_what_the_model_did_not_say(config, capsys) -> None:
    await run_archive.show.__wrapped__("daily", config)
    assert capsys.readouterr().out.splitlines() == [
        "Four changes.",
        "37.5% of model statements were rejected (2 changes)",
        "2 described from facts alone (no model: cap)",
    ]
