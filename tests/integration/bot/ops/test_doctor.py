"""``doctor`` on installations with one thing wrong each: it is found, and the way out is told."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Text, insert

from bot.config.reader import read
from bot.git.address import read_address
from bot.jobs.job_engine import Engine
from bot.ops import doctor_machine as machine_module
from bot.ops.check import Finding, Weight, has_failures
from bot.ops.doctor import examine
from bot.store.ledger import SqlLedger
from bot.store.postgresql import open_postgres
from bot.store.sqlite import FILE, open_archive, open_database
from bot.store.tables.ledger_tables import digests
from handlers.ports.storage import DeliveryKey, PartRecord, PartState
from tests.e2e.running import free_port
from tests.servers import postgresql
from tests.support.builders import RepositoryBuilder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
async def archive(data: Path) -> Path:
    async with await open_database(data):
        pass
    return data / FILE


async def found(data: Path, config=None) -> dict[str, Finding]:
    return {one.subject: one for one in await examine(data, config)}


def configured(tmp_path: Path, text: str):
    file = tmp_path / "digestbot.toml"
    file.write_text('data = "data"\n' + text)
    file.chmod(0o600)
    return read(file)


async def test_a_fresh_installation_is_well(data):
    findings = await examine(data, None)
    assert [one for one in findings if one.weight is Weight.ERROR] == []
    assert not has_failures(findings)
    assert not data.exists()


async def test_a_whole_archive_is_told_with_its_revision_and_left_as_it_is(data, archive):
    before = archive.read_bytes()
    told = (await found(data))["archive"]
    assert (told.weight, "whole" in told.text) == (Weight.OK, True)
    assert archive.read_bytes() == before


async def test_an_older_archive_is_not_brought_up_to_date(data, archive):
    with closing(sqlite3.connect(archive)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    connection.close()
    told = (await found(data))["archive"]
    assert told.weight is Weight.OK
    assert "revision 0001, will be migrated to" in told.text
    with closing(sqlite3.connect(archive)) as connection, connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [
            ("0001",)
        ]
    connection.close()


async def test_an_archive_of_a_later_program_is_told(data, archive):
    with closing(sqlite3.connect(archive)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    told = (await found(data))["archive"]
    assert (told.weight, "9999" in told.text) == (Weight.ERROR, True)
    assert "newer" in told.cure


async def test_a_damaged_archive_is_told_with_the_way_back(data, archive):
    content = bytearray(archive.read_bytes())
    content[8192:16384] = b"\xff" * 8192
    archive.write_bytes(content)
    told = (await found(data))["archive"]
    assert told.weight is Weight.ERROR
    assert "digestbot archive restore" in told.cure


async def test_an_archive_that_others_can_read_is_told(data, archive):
    archive.chmod(0o644)
    findings = await examine(data, None)
    assert any(one.cure == f"chmod 600 {archive}" for one in findings)


@pytest.mark.parametrize(
    ("state", "error", "cure"),
    [
        (PartState.FAILED, "no_channel: kicked", "invite the bot"),
        (PartState.FAILED, "unauthorized", "a valid token"),
        (PartState.FAILED, "unavailable: 503", "tries again"),
        (PartState.SENDING, "", "finds out whether the message was posted"),
        (PartState.WAITING, "", "first sweep"),
    ],
)
async def test_a_delivery_that_is_stuck_is_told_with_what_helps(data, state, error, cure):
    key = DeliveryKey(platform="slack", channel="team", digest="daily:2026-03-04")
    async with await open_database(data) as database:
        ledger = SqlLedger(database)
        await ledger.claim(key, "{}", 1)
        await ledger.mark(key, PartRecord(part=0, state=state, error=error))
    told = (await found(data))["delivery slack:team"]
    assert told.weight is Weight.WARNING
    assert cure in told.cure


async def test_a_clock_that_went_back_is_told(data, archive):
    later = int((datetime.now(UTC) + timedelta(days=1)).timestamp())
    with closing(sqlite3.connect(archive)) as connection, connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(digests)")]
        row = {"name": "d", "created_at": later, "since": 0, "until": 0, "outcomes": "[]"}
        values = [row.get(column, "") for column in columns]
        marks = ",".join("?" * len(columns))
        connection.execute(f"INSERT INTO digests VALUES ({marks})", values)
    connection.close()
    told = (await found(data))["clock"]
    assert (told.weight, "NTP" in told.cure) == (Weight.ERROR, True)


async def test_a_clock_that_went_back_is_told_by_an_archive_in_postgresql(
    data, tmp_path, monkeypatch
):
    later = int((datetime.now(UTC) + timedelta(days=1)).timestamp())
    with postgresql.running() as server:
        server.run("CREATE DATABASE archive")
        monkeypatch.setenv("DIGESTBOT_DATABASE_URL", server.url("archive"))
        assert (await found(data))["clock"].weight is Weight.OK
        async with (
            await open_archive(tmp_path, server.url("archive")) as database,
            database.writing() as connection,
        ):
            assert (await found(data))["clock"].weight is Weight.OK
            texts = {c.name: "" for c in digests.columns if isinstance(c.type, Text)}
            row = {"name": "d", "created_at": later, "since": 0, "until": 0, "outcomes": "[]"}
            await connection.execute(insert(digests).values({**texts, **row}))
        told = (await found(data))["clock"]
    assert (told.weight, "NTP" in told.cure) == (Weight.ERROR, True)
    assert (await found(data))["clock"].weight is Weight.OK


def test_a_clock_that_is_not_the_servers_is_told():
    there = datetime.now(UTC) - timedelta(minutes=3)
    (told,) = machine_module.compare_clocks(None, there)
    assert (told.weight, "the database says" in told.text) == (Weight.WARNING, True)


@pytest.mark.parametrize(
    ("megabytes", "weight"),
    [(199, Weight.ERROR), (200, Weight.WARNING), (1999, Weight.WARNING), (2000, Weight.OK)],
)
def test_a_disk_that_is_nearly_full_is_told(data, monkeypatch, megabytes, weight):
    usage = shutil.disk_usage("/")._replace(free=megabytes * 1_000_000)
    monkeypatch.setattr(machine_module.shutil, "disk_usage", lambda _: usage)  # no disk to fill
    (told,) = machine_module.disk(data / "not" / "made")
    assert (told.weight, told.text.startswith(f"{megabytes:,} MB free at ")) == (weight, True)
    assert ("free some space" in told.cure) is (weight is not Weight.OK)


@pytest.mark.parametrize(
    ("version", "sqlite", "weight"),
    [
        ((3, 10, 14), (3, 45, 1), Weight.ERROR),
        ((3, 11, 0), (3, 39, 9), Weight.WARNING),
        ((3, 11, 0), (3, 40, 0), Weight.OK),
    ],
)
def test_a_python_that_is_too_old_is_told(monkeypatch, version, sqlite, weight):
    monkeypatch.setattr(machine_module.sys, "version_info", version)
    monkeypatch.setattr(machine_module.sqlite3, "sqlite_version_info", sqlite)
    (told,) = machine_module.python()
    monkeypatch.undo()
    assert told.weight is weight
    assert told.text.startswith("Python 3.")
    assert ("3.1" in told.cure) is (weight is Weight.ERROR)
    assert ("3.40" in told.cure) is (weight is Weight.WARNING)


async def test_git_that_is_missing_is_told(data, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    told = (await found(data))["git"]
    assert (told.weight, "install git" in told.cure) == (Weight.ERROR, True)


async def test_clones_are_told_whole_broken_unfinished_and_no_longer_wanted(data, tmp_path):
    project = RepositoryBuilder(tmp_path / "project")
    project.commit("one", {"a": "1\n"})
    folder = data / "clones"
    folder.mkdir(parents=True)
    for name in ("good", "broken"):
        subprocess.run(["git", "clone", "-q", "--bare", project.path, folder / name], check=True)
    shutil.rmtree(folder / "broken" / "objects")
    (folder / "good.unfinished").mkdir()
    told = await found(data)
    assert told["clone good"].weight is Weight.OK
    assert told["clone broken"].weight is Weight.ERROR
    assert str(folder / "broken") in told["clone broken"].cure
    assert told["clone good.unfinished"].weight is Weight.WARNING
    places = ("https://host.invalid/a/b", str(project.path))
    config = configured(tmp_path, "".join(f'[[repositories]]\nplace = "{p}"\n' for p in places))
    wanted = read_address(places[0]).folder
    (folder / "broken").rename(folder / wanted)
    shutil.copytree(folder / "good", folder / wanted, dirs_exist_ok=True)
    told = await found(data, config)
    assert "no configured repository" in told["clone good"].text
    assert told[f"clone {wanted}"].weight is Weight.OK


async def test_clone_with_a_commit_that_cannot_be_read_or_no_branch_is_told(data, tmp_path):
    project = RepositoryBuilder(tmp_path / "project")
    old = project.commit("one", {"a": "1\n"})
    project.commit("two", {"a": "2\n"})
    folder = data / "clones"
    folder.mkdir(parents=True)
    for name in ("damaged", "renamed"):
        subprocess.run(["git", "clone", "-q", "--bare", project.path, folder / name], check=True)
    git = ["git", f"--git-dir={folder / 'damaged'}"]
    subprocess.run([*git, "commit-graph", "write", "--reachable"], check=True)
    packs = folder / "damaged" / "objects" / "pack"
    for pack in packs.glob("*.pack"):
        away = pack.rename(tmp_path / "pack")
        with away.open("rb") as packed:
            subprocess.run([*git, "unpack-objects", "-q"], stdin=packed, check=True)
    shutil.rmtree(packs)
    (folder / "damaged" / "objects" / old[:2] / old[2:]).unlink()
    (folder / "renamed" / "HEAD").write_text("ref: refs/heads/gone\n")
    told = await found(data)
    assert told["clone damaged"].weight is Weight.ERROR
    assert "remove" in told["clone damaged"].cure
    assert told["clone renamed"].weight is Weight.WARNING
    assert "next fetch" in told["clone renamed"].cure


async def test_a_lease_that_another_process_holds_is_told(data):
    data.mkdir()
    (data / "leases").touch()
    assert (await found(data))["leases"].text == "none is held"
    code = (
        "import fcntl, os, sys\n"
        f"fcntl.lockf(os.open({str(data / 'leases')!r}, os.O_RDWR), fcntl.LOCK_EX, 1, 77)\n"
        "print('held', flush=True)\nsys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout.readline() == "held\n"
        assert "is working on" in (await found(data))["leases"].text
    finally:
        holder.communicate()


async def test_a_database_server_is_told_with_what_waits_in_it(data, tmp_path, monkeypatch):
    key = DeliveryKey(platform="slack", channel="team", digest="daily:2026-03-04")
    with postgresql.running() as server:
        server.run("CREATE DATABASE archive")
        monkeypatch.setenv("DIGESTBOT_DATABASE_URL", server.url("archive"))
        assert "none yet" in (await found(data))["archive"].text
        async with await open_archive(tmp_path, server.url("archive")) as database:
            await SqlLedger(database).claim(key, "{}", 1)
        told = await found(data)
        assert "PostgreSQL" in told["archive"].text
        assert told["archive"].weight is Weight.OK
        assert told["delivery slack:team"].weight is Weight.WARNING
        assert "jobs" not in told
        async with await open_postgres(server.url("archive")) as one, Engine(one) as engine:
            assert (await found(data))["jobs"].text == "none waits"
            await engine.put_channel("team")
            await engine.put_alert("octo/engine")
        waits = (await found(data))["jobs"]
        assert (waits.weight, waits.text[:20]) == (Weight.OK, "1 alert, 1 channel w")
        server.run(
            "UPDATE procrastinate_events SET at = at - interval '1 hour'", database="archive"
        )
        assert (await found(data))["jobs"].weight is Weight.WARNING
    told = (await found(data))["archive"]
    assert (told.weight, "does not answer" in told.text) == (Weight.ERROR, True)


TELEGRAM = """
[[repositories]]
place = "."
[platforms.telegram]
token = "123456:abcdef"
webhook = "https://bot.example/{path}"
api = "http://127.0.0.1:{port}"
[[channels]]
name = "team"
platform = "telegram"
chat = "@news"
"""


async def test_a_platform_that_is_called_and_cannot_be_is_told(data, tmp_path):
    text = TELEGRAM.format(path="events/telegram", port=free_port())
    told = (await found(data, configured(tmp_path, text)))["platform telegram"]
    assert (told.weight, "[web]" in told.cure) == (Weight.ERROR, True)
    web = '[web]\npublic_url = "https://bot.example"\n'
    told = (await found(data, configured(tmp_path, web + text)))["platform telegram"]
    assert (told.weight, told.text) == (
        Weight.OK, "is called at https://bot.example/events/telegram"
    )  # fmt: skip
    text = TELEGRAM.format(path="hook", port=free_port())
    told = (await found(data, configured(tmp_path, web + text)))["platform telegram"]
    assert (told.weight, "/events/telegram" in told.cure) == (Weight.ERROR, True)


async def test_hosts_are_reached_or_told_why_not(data, tmp_path, monkeypatch):
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        config = configured(tmp_path, TELEGRAM.format(path="events/telegram", port=port))
        told = (await found(data, config))[f"network 127.0.0.1:{port}"]
        assert (told.weight, told.text) == (Weight.OK, "is reachable")
    told = (await found(data, config))[f"network 127.0.0.1:{port}"]
    assert (told.weight, "no connection" in told.text) == (Weight.ERROR, True)


async def test_hosts_of_both_models_are_reached(data, tmp_path, monkeypatch):
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    ports = [free_port(), free_port()]
    model, fallback = (f'name = "m"\nbase_url = "http://127.0.0.1:{port}/v1"\n' for port in ports)
    config = configured(tmp_path, f"[model]\n{model}[model.fallback]\n{fallback}")
    told = await found(data, config)
    assert {f"network 127.0.0.1:{port}" for port in ports} <= told.keys()


@pytest.mark.parametrize(("transport", "weight"), [("http", Weight.OK), ("https", Weight.ERROR)])
async def test_hosts_of_repositories_are_reached_as_their_address_says(
    data, tmp_path, monkeypatch, transport, weight
):
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    # It hangs up on everybody, and so on those who would talk in secret before they know it.
    server = await asyncio.start_server(lambda _reader, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        place = f"{transport}://127.0.0.1:{port}/a/b"
        told = await found(data, configured(tmp_path, f'[[repositories]]\nplace = "{place}"\n'))
    assert told[f"network 127.0.0.1:{port}"].weight is weight


async def test_behind_a_proxy_nobody_is_called_directly(data, tmp_path, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    config = configured(tmp_path, '[[repositories]]\nplace = "https://host.invalid/a/b"\n')
    told = (await found(data, config))["network"]
    assert (told.weight, "HTTPS_PROXY" in told.text) == (Weight.OK, True)


def test_the_command_tells_the_way_out_and_fails_where_something_is_broken(
    tmp_path, data, monkeypatch
):
    (tmp_path / "digestbot.toml").write_text("no_such_key = 1\n")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])}
    told = subprocess.run(
        [sys.executable, "-m", "bot.cli", "doctor", "--json"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    findings = json.loads(told.stdout)
    assert (told.returncode, findings["healthy"]) == (1, False)
    (broken,) = [one for one in findings["findings"] if one["weight"] == "error"]
    assert "no_such_key" in broken["text"]
    assert "digestbot init" in broken["cure"]
    assert {"python", "git", "disk", "clock", "archive"} <= {
        one["subject"] for one in findings["findings"]
    }
