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
from handlers.ports.model_port import ModelReason
from handlers.ports.storage import Outcome, State
from tests.integration.bot.store.samples import sha_of
from tests.integration.bot.store.test_analyses import BASIS, RAISED, kept
from tests.integration.bot.store.test_digests import WINDOW, digest
from tests.support.fakes import graded


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
        said = [
            kept(sha_of(0)),
            kept(sha_of(1), analysis=half, move=RAISED),
        ]  # a quarter and a half
        store = SqlAnalyses(app.database)
        await store.save(repository, BASIS, said)
        failed = kept(sha_of(1), analysis=None, failure=ModelReason.NOT_JSON)
        await store.save(repository, replace(BASIS, model="other"), [failed])
        await app.archive.save(repository, [graded(sha_of(1), "Hold less (#7)")])
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


async def test_a_change_is_shown_with_its_grade_its_state_and_what_was_asked_about_it(
    config, capsys
) -> None:
    await run_archive.show.__wrapped__("#7", config)
    told = capsys.readouterr().out
    assert "It adds --fast。" in told
    assert [line.lstrip("• ") for line in told[told.index("+0.20") :].splitlines()] == [
        "+0.20 core_added 3",
        "state: in no digest yet",
        "model other (en, 2026-01-23 12:00 UTC): not_json; 980 tokens",
        "model m (en, 2026-01-23 12:00 UTC): 50% of its statements rejected; 980",
        "tokens; moved medium to high (contract); 3 secrets masked",
    ]
