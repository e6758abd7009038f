"""The whole program with a forge: configured, looked at, told of a merge."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from structlog.testing import capture_logs

from bot.app import open_workspace
from bot.forges.hooks import Arrived
from bot.ops.check import look_at_forge
from bot.publishing.forge_sync import ForgeSync
from digest.core.reference import Query
from digest.errors import ForgeUnauthorized, NotOnForge
from tests.servers.github import TOKEN, merged, pull
from tests.servers.loopback import Fails
from tests.support.builders import RepositoryBuilder

HOST = "ghe.example.org"


@pytest.fixture
def repository(tmp_path):
    made = RepositoryBuilder(tmp_path / "engine")
    now = datetime.now(UTC).replace(microsecond=0)
    made.commit("Fuse (#11)", {"src/a.py": "x = 1\n"}, at=now - timedelta(minutes=5))
    return made


@pytest.fixture
def file(tmp_path, server, repository):
    written = tmp_path / "digestbot.toml"
    written.write_text(
        f"""
data = "data"
[forges.work]
kind = "github"
host = "{HOST}"
api = "{server.url}"
token = "{TOKEN}"
[[repositories]]
place = "{repository.path}"
name = "octo/engine"
web = "https://{HOST}/octo/engine"
forge = "github"
"""
    )
    written.chmod(0o600)
    return written


async def test_merge_that_is_told_of_is_read_at_once(server, file, repository):
    server.pulls[12] = merged(12, labels=[{"name": "frontend"}])
    seen = []

    async def follow(watched) -> None:
        seen.append(watched.repository.name)

    async with open_workspace(file) as app:
        forge_sync = ForgeSync(app, app.config, [follow])
        sha = repository.commit(
            "Add a page (#12)", {"b.py": "y\n"}, at=datetime.now(UTC).replace(microsecond=0)
        )
        with capture_logs() as logged:
            await forge_sync.arrived(Arrived(host=HOST, repository="Octo/Engine", moved=True))
        watched = await app.watch("octo/engine")
        (found,) = await app.archive.select(watched.repository, Query(topics=("frontend",)))
        assert (found.sha, seen) == (sha, ["octo/engine"])
    (moved,) = [one for one in logged if one["event"] == "repository.moved"]
    assert (moved["repository"], moved["recent"]) == ("octo/engine", 2)


async def test_arrival_at_another_repository_does_nothing(server, file):
    async with open_workspace(file) as app:
        forge_sync = ForgeSync(app, app.config)
        for arrived in (
            Arrived(host=HOST, repository="octo/other", moved=True),
            Arrived(host="github.com", repository="octo/engine", moved=True),
        ):
            await forge_sync.arrived(arrived)
    assert server.sent == []


async def test_lists_are_read_by_themselves_and_a_failure_ends_nothing(server, file):
    server.pulls[11] = merged(11, labels=[{"name": "moe"}])
    server.script.extend([Fails(502), Fails(502)])
    async with open_workspace(file) as app:
        forge_sync = ForgeSync(app, app.config)
        async with forge_sync.running(timedelta(seconds=0.05)):
            watched = await app.watch("octo/engine")
            async with asyncio.timeout(120):
                while not await app.requests.load(watched.repository, [11]):
                    await asyncio.sleep(0.02)


async def test_check_tells_who_asks_and_what_is_left(server, file):
    async with open_workspace(file) as app:
        config = app.config
    told = await look_at_forge("work", config.forges["work"], config.repositories)
    assert "a token; it has 1 of the repositories here" in told
    assert "of 5,000 requests left until" in told
    assert TOKEN not in told


async def test_check_finds_out_a_token_that_is_not_taken_or_may_not_see(server, file):
    async with open_workspace(file) as app:
        config = app.config
    server.tokens.clear()
    with pytest.raises(ForgeUnauthorized):
        await look_at_forge("work", config.forges["work"], config.repositories)
    server.tokens.add(TOKEN)
    other = [config.repositories[0].model_copy(update={"web": f"https://{HOST}/octo/hidden"})]
    with pytest.raises(NotOnForge):
        await look_at_forge("work", config.forges["work"], other)


async def test_request_is_found_by_the_program_with_its_configuration(server, file):
    from handlers.router import ask

    server.pulls[99] = pull(99, "Try something new")
    server.files[99] = []
    async with open_workspace(file) as app:
        watched = await app.watch("octo/engine")
        found = await ask("explain #99", app.context(watched, zone=app.zone("UTC")))
    assert found.document.title == "Try something new"
