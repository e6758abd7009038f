"""Comparisons: what lies between two points of a real repository, told to strangers."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import httpx
import pytest

from bot.config.reader import read
from bot.web import site_factory
from bot.web.pages.routes import routes
from bot.web.server import application
from bot.web.site_factory import alone
from tests.servers.pages import CONFIG, MONDAY, SECRET, TOKEN, shelved
from tests.support.builders import RepositoryBuilder

OPEN = "/r/owner/open"
COMPARE = OPEN + "/-/compare"


async def told(client, span, **asked):
    answer = await client.get(f"{COMPARE}/{span}.json", params=asked)
    assert answer.status_code == 200
    return answer.json()


async def test_upgrade_meets_what_is_gone(client):
    found = await told(client, "v0.1.0...v0.2.0")
    (flag,) = found["upgrade"]
    assert (flag["kind"], flag["action"], flag["name"]) == ("flag", "removed", "--pool-size")
    assert (flag["pr"], flag["path"]) == (3, "engine/cli.py")
    page = (await client.get(f"{COMPARE}/v0.1.0...v0.2.0")).text
    assert "<code>--pool-size</code>" in page
    assert f'href="{OPEN}/-/changes/{flag["sha"][:12]}">#3</a>' in page


async def test_changes_are_counted_and_placed_by_kind(client):
    found = await told(client, "v0.1.0...v0.2.0")
    assert (found["total"], found["missing"], found["people"]) == (1, 0, 1)
    assert [(one["pr"], one["kind"]) for one in found["changes"]] == [(3, "breaking")]
    assert sum(found["areas"].values()) == sum(found["levels"].values()) == 1


async def test_markdown_is_the_answer_of_chats(client):
    answer = (await client.get(f"{COMPARE}/v0.1.0...v0.2.0.md")).text
    assert "# owner/open: v0.1.0 to v0.2.0" in answer
    assert "Command-line flag `--pool-size` was removed" in answer
    assert "**Breaking changes (1 change)**" in answer


async def test_chinese_is_told_in_chinese(client):
    page = (await client.get(f"{COMPARE}/v0.1.0...v0.2.0?lang=zh")).text
    assert "升级须知" in page
    assert "不兼容变更" in page


@pytest.mark.parametrize("span", ["v0.1.0..v0.2.0", "v0.1.0...main", "v0.1.0"])
async def test_other_ways_to_write_it(client, span):
    assert (await told(client, span))["total"] >= 1


async def test_two_days_are_told_with_both(client):
    found = await told(client, "2026-03-02...2026-03-03")
    assert found["title"] == "2026-03-02 – 2026-03-03 (UTC)"
    assert {one["pr"] for one in found["changes"]} == {1, 2, 3, *range(10, 40)}


async def test_levels_and_pages(client):
    every = await told(client, "2026-03-02...2026-03-03", page=99)
    assert every["page"] == every["pages"]
    least = await told(client, "2026-03-02...2026-03-03", level="medium")
    assert least["levels"] == every["levels"]
    assert {one["level"] for one in least["changes"]} <= {"high", "medium"}


@pytest.mark.parametrize(
    ("span", "status", "words"),
    [
        ("nowhere...v0.2.0", 404, "There is no tag, branch or commit called nowhere."),
        ("v0.2.0...v0.1.0", 200, "v0.1.0 contains no change that is not in v0.2.0."),
        ("2026-03-03...2026-03-02", 200, "contains no change"),
        ("--upload-pack=x...v0.2.0", 404, "There is nothing here"),
    ],
)
async def test_what_cannot_be_compared_is_one_line(client, span, status, words):
    answer = await client.get(f"{COMPARE}/{span}")
    assert (answer.status_code, words in answer.text) == (status, True)
    said = (await client.get(f"{COMPARE}/{span}.json")).json()
    assert set(said) == {"error"}


async def test_other_way_round_is_offered(client):
    page = (await client.get(f"{COMPARE}/v0.2.0...v0.1.0")).text
    assert f'href="{COMPARE}/v0.1.0...v0.2.0"' in page


async def test_too_much_is_not_read(client, monkeypatch):
    monkeypatch.setattr(site_factory, "MOST", 10)
    answer = await client.get(f"{COMPARE}/v0.1.0...main")
    assert answer.status_code == 422
    assert "10 can be compared" in answer.text


async def test_what_is_not_archived_is_counted_and_not_read(configuration, client, archived):
    made = RepositoryBuilder(archived / "other")
    made.commit("First (#1)", {"a.py": "a = 1\n"}, at=MONDAY)
    made.git("tag", "v1.0", "main")
    made.commit("Second (#2)", {"a.py": "a = 2\n"}, at=MONDAY)
    file = archived / "other.toml"
    given = {"token": TOKEN, "public": "", "secret": SECRET}
    file.write_text(CONFIG.format(place=made.path, **given).replace("owner/open", "owner/other"))
    file.chmod(0o600)
    async with shelved(file) as (_, site):
        transport = httpx.ASGITransport(app=application({"/": routes(site)}))
        async with httpx.AsyncClient(transport=transport, base_url="http://pages") as reader:
            path = "/r/owner/other/-/compare/v1.0...main"
            found = (await reader.get(path + ".json")).json()
            page = (await reader.get(path)).text
            notes = (await reader.get(path + ".md")).text
    assert "No verdict: 1 commit was not read" in notes
    assert "No changes in this period" not in page
    assert "0 changes" not in page
    assert (found["total"], found["missing"], found["changes"]) == (1, 1, [])
    assert "Not read: 1 commit of this range." in page
    assert "No verdict: 1 commit was not read" in page


async def test_who_sits_at_the_machine_has_it_read(configuration):
    async with shelved(configuration) as (app, _):
        config = read(configuration)
        watched = await app.watch_configured(config.repositories[0])
        renamed = replace(watched, repository=replace(watched.repository, name="owner/new"))
        transport = httpx.ASGITransport(
            app=application({"/": routes(alone(app, [renamed], "UTC"))})
        )
        async with httpx.AsyncClient(transport=transport, base_url="http://pages") as reader:
            found = (await reader.get("/r/owner/new/-/compare/v0.1.0...v0.2.0.json")).json()
    assert (found["total"], found["missing"]) == (1, 0)


async def test_tag_that_moved_is_another_answer(archived, client):
    made = RepositoryBuilder.__new__(RepositoryBuilder)
    made.path = archived / "project"
    made.git("tag", "moving", "v0.1.0")
    path = f"{COMPARE}/moving...v0.2.0"
    first = await client.get(path)
    made.git("tag", "--force", "moving", "main")
    again = await client.get(path, headers={"if-none-match": first.headers["etag"]})
    made.git("tag", "--delete", "moving")
    assert again.status_code == 200
    assert again.headers["etag"] != first.headers["etag"]


async def test_repository_that_is_elsewhere_is_not_fetched_for_strangers(configuration):
    async with shelved(configuration) as (app, site):
        assert not app.sources.at_hand("https://git.example/owner/open")
        gone = replace(
            site, histories=site_factory.GitHistories(_nothing, asyncio.create_task, reads=False)
        )
        transport = httpx.ASGITransport(app=application({"/": routes(gone)}))
        async with httpx.AsyncClient(transport=transport, base_url="http://pages") as reader:
            assert (await reader.get(f"{COMPARE}/v0.1.0...v0.2.0")).status_code == 404
            assert "/-/compare" not in (await reader.get(OPEN)).text


async def _nothing(_shown):
    return None


async def test_form_leads_to_the_comparison(client):
    answer = await client.get(COMPARE, params={"base": "v0.1.0", "tip": "a/b c"})
    assert answer.status_code == 303
    assert answer.headers["location"] == f"{COMPARE}/v0.1.0...a/b%20c"


async def test_releases_are_listed_and_led_to(client):
    found = (await client.get(f"{COMPARE}.json")).json()["releases"]
    assert [(one["before"], one["tag"]) for one in found] == [("v0.1.0", "v0.2.0")]
    assert (await client.get(found[0]["path"])).status_code == 200
    assert f'href="{found[0]["path"]}"' in (await client.get(OPEN)).text
