"""Probes and figures over HTTP: what is told, to whom, and what a broken part does to it."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace

import pytest
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr

from bot.messaging.receiver import Ear
from bot.store.sqlite import FILE, DatabaseHealth, open_database
from bot.telemetry.metrics import Metrics
from bot.web import server
from bot.web.server import STALE, Health, routes
from digest.errors import UnreachableDatabase

SECRET = "xoxb-0123456789-secret"


class Listening(SimpleNamespace):
    def listen(self):
        raise AssertionError("nobody listens here")


@pytest.fixture
async def database(tmp_path):
    async with await open_database(tmp_path) as one:
        yield one


@pytest.fixture
def heard(database):
    ear = Ear()
    ear.hears()
    return Health(
        database=database,
        fitness=DatabaseHealth(database, patience=60),
        metrics=Metrics("0", process=False),
        receivers={"slack": Listening(ear=ear), "console": SimpleNamespace()},
        secrets=[SECRET],
    )


async def test_a_process_that_can_work_says_so(visit, heard):
    async with visit({"/": routes(heard)}) as client:
        assert (await client.get("/healthz")).json() == {"alive": True}
        answer = await client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {
        "ready": True,
        "reasons": [],
        "checks": {"archive": "ok", "sweep": "ok", "receiver slack": "ok"},
    }


async def test_a_receiver_that_does_not_hear_is_named_without_its_secret(visit, heard):
    heard.receivers["slack"].ear.fails(f"unauthorized: {SECRET} was refused")
    async with visit({"/": routes(heard)}) as client:
        answer = await client.get("/readyz")
        assert (await client.get("/healthz")).status_code == 200
    assert answer.status_code == 503
    assert answer.json()["reasons"] == ["receiver slack: unauthorized: *** was refused"]


async def test_an_archive_of_another_revision_is_not_ready(visit, heard, tmp_path):
    with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    connection.close()
    async with visit({"/": routes(heard)}) as client:
        (reason,) = (await client.get("/readyz")).json()["reasons"]
    assert reason.startswith("archive: its schema is revision 0001")


async def test_an_archive_that_another_process_keeps_to_itself_is_not_ready(
    visit, heard, database, tmp_path
):
    heard = replace(heard, fitness=DatabaseHealth(database, patience=0.2))
    holder = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        async with visit({"/": routes(heard)}) as client:
            reasons = [(await client.get("/readyz")).json()["reasons"] for _ in range(2)]
            holder.execute("ROLLBACK")
            async with asyncio.timeout(60):
                while (await client.get("/readyz")).json()["reasons"]:
                    pass
    finally:
        holder.close()
    assert reasons == [["archive: no write lock within 0.2 s"]] * 2


async def test_sweeps_that_have_stopped_are_not_ready(visit, heard, monkeypatch):
    monkeypatch.setattr(server.time, "monotonic", lambda: heard.began + STALE + 1)
    assert (await heard.looks())["sweep"] == f"the last one ended {STALE + 1:.0f} s ago"
    heard.metrics(None, "debug", {"event": "sweep.done"})
    assert (await heard.looks())["sweep"] == ""


async def test_figures_can_be_read_by_prometheus(visit, heard):
    async with visit({"/": routes(heard)}) as client:
        answer = await client.get("/metrics")
    families = {one.name for one in text_string_to_metric_families(answer.text)}
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert {
        "digestbot_build_info",
        "digestbot_deliveries",
        "digestbot_pending_deliveries",
    } <= families


async def test_figures_are_told_while_the_archive_is_away(visit, heard, monkeypatch):
    # A real server that goes away at the right moment would take a minute to come back.
    async def away(_database):
        raise UnreachableDatabase("postgresql://example/digestbot", "connection refused")

    monkeypatch.setattr(server, "pending", away)
    async with visit({"/": routes(heard)}) as client:
        told = await client.get("/metrics")
        monkeypatch.undo()
        again = await client.get("/metrics")
    assert told.status_code == 200
    assert "digestbot_archive_up 0.0" in told.text
    assert "digestbot_shared_up" in told.text
    assert "digestbot_archive_up 1.0" in again.text


async def test_figures_with_a_token_are_for_who_shows_it(visit, heard):
    token = SecretStr("0123456789abcdef")
    async with visit({"/": routes(heard, token)}) as client:
        for headers in (
            {},
            {"Authorization": "Bearer wrong"},
            {"Authorization": "0123456789abcdef"},
        ):
            answer = await client.get("/metrics", headers=headers)
            assert (answer.status_code, answer.content) == (401, b"")
        shown = {"Authorization": "Bearer 0123456789abcdef"}
        assert (await client.get("/metrics", headers=shown)).status_code == 200
        assert (await client.get("/healthz")).status_code == 200
