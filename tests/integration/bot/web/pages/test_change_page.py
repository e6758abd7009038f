"""The page of a change: each thing once, with its lines, and what became of it."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import httpx
from jsonschema import Draft202012Validator

from bot.web.pages.page_table import schemas
from bot.web.pages.routes import routes
from bot.web.server import application
from bot.web.site_factory import GitHistories
from tests.servers.pages import shelved

OPEN = "/r/owner/open"

WAIT = f"{OPEN}/-/changes/3"


async def test_names_stand_in_a_table_with_their_lines_below(client):
    page = (await client.get(WAIT)).text
    table = re.search(r'(?s)<table class="stack names">.*?</table>', page)
    assert table
    assert "<code>--pool-size</code>" in table[0]
    assert "removed" in table[0]
    assert 'class="diff"' in table[0]
    assert "pool-size" in re.sub("<[^>]+>", "", table[0].split('class="diff"')[1])


async def test_one_changed_line_stands_between_its_neighbours(client):
    page = (await client.get(WAIT)).text
    lines = re.search(r"(?s)<summary>diff <code>pool.py:2</code>.*?</pre>", page)
    assert lines
    shown = re.sub("<[^>]+>", "", lines[0].split('class="diff"')[1])
    assert re.findall(r"(?m)^.*?(\d)([ +-]) ", shown) == [
        ("1", " "),
        ("2", "-"),
        ("3", "-"),
        *((n, "+") for n in "23"),
    ]


async def test_lines_are_shown_once_and_code_stands_before_tests(client):
    page = (await client.get(WAIT)).text
    advice = page.split('class="risks"')[1].split("</section>")[0]
    assert "cli.py:1" in advice
    assert "<summary>diff" not in advice  # they are below the name in the table
    files = (await client.get(f"{OPEN}/-/changes/1")).text.split('class="files"')[1]
    areas = re.findall(r"</code></td><td>(\w+)</td>", files)
    assert areas == ["Code", "Code", "Tests"]


async def test_what_the_table_of_names_says_is_not_said_above_it(client):
    page = (await client.get(f"{OPEN}/-/changes/1")).text
    summary = re.search(r'<p class="summary">(.*?)</p>', page)
    assert summary
    assert (
        summary[1]
        == "In the author&#39;s words: “A pool keeps engines warm, so that they are no longer started for each call.”"
    )
    names = page.split('<table class="stack names">')[1].split("</table>")[0]
    assert "--pool-size" in names


async def test_no_name_is_left_out_on_the_page_of_its_change(client):
    page = (await client.get(WAIT)).text
    told = (await client.get(f"{WAIT}.json")).json()["change"]
    article = page.split("<article")[1].split("</article>")[0]
    for flag in told["facts"].get("flags", []):
        assert flag["name"] in article


async def test_patch_has_a_page_and_every_file_leads_to_its_place(client):
    page = (await client.get(WAIT)).text
    places = re.findall(r'href="([^"]+/diff)#(f-\d+)"', page)
    assert len(places) == 2
    patch = (await client.get(places[0][0])).text
    for _, anchor in places:
        assert f'id="{anchor}"' in patch
    assert "-" in patch
    told = (await client.get(f"{WAIT}/diff.json")).json()
    schema = {"$ref": "#/components/schemas/Diff", "components": {"schemas": schemas()}}
    Draft202012Validator(schema).validate(told)
    assert {one["path"] for one in told["files"]} == {"engine/cli.py", "engine/pool.py"}
    assert "```diff" in (await client.get(f"{WAIT}/diff.md")).text


async def test_change_whose_clone_is_elsewhere_is_told_without_its_lines(configuration):
    async with shelved(configuration) as (_, site):
        gone = GitHistories(_nothing, asyncio.create_task, reads=False)
        pages = application({"/": routes(replace(site, histories=gone))})
        transport = httpx.ASGITransport(app=pages)
        async with httpx.AsyncClient(transport=transport, base_url="http://pages") as reader:
            page = await reader.get(WAIT)
            assert "--pool-size" in page.text
            assert 'class="diff"' not in page.text
            assert "/diff" not in page.text
            assert (await reader.get(f"{WAIT}/diff")).status_code == 404


async def _nothing(_shown):
    return None


async def test_page_repeats_neither_its_title_nor_its_marks(client):
    page = (await client.get(WAIT)).text
    article = page.split("<article")[1].split("</article>")[0]
    assert article.count("Remove the wait") == 1
    assert article.count(">breaking<") == 1
    assert '<span class="mark breaking act">to do</span>' in article
    assert "What to do" in article
    assert re.search(r"Score 0\.\d\d of 1; high begins at 0\.55, medium at 0\.25\.", article)


async def test_steps_lead_along_the_changes(client):
    page = (await client.get(WAIT)).text
    before = re.search(r'rel="prev" href="([^"]+)"', page)
    assert before
    back = (await client.get(before[1])).text
    after = re.search(r'rel="next" href="([^"]+)"', back)
    assert after
    told = (await client.get(f"{WAIT}.json")).json()
    assert after[1] == told["path"]


async def test_page_tells_the_release_that_has_the_change(client):
    assert "Released in v0.1.0." in (await client.get(f"{OPEN}/-/changes/1")).text
    assert "Released in v0.2.0." in (await client.get(WAIT)).text
    newest = (await client.get(f"{OPEN}/-/changes/12")).text
    assert "Released in" not in newest
    assert "Not in any release known here; the newest is v0.2.0." in newest


async def test_calendar_tells_what_each_day_held_and_what_was_not_read(client):
    told = (await client.get(f"{OPEN}/-/calendar.json")).json()
    schema = {"$ref": "#/components/schemas/Calendar", "components": {"schemas": schemas()}}
    Draft202012Validator(schema).validate(told)
    days = {one["day"]: one for one in told["days"]}
    day = (await client.get(f"{OPEN}/-/days/2026-03-02.json")).json()
    assert {level: days["2026-03-02"][level] for level in ("high", "medium", "low")} == {
        level: day["counts"][level] for level in ("high", "medium", "low")
    }
    assert [one["day"] for one in told["days"]] == [
        "2026-03-01",
        *(f"2026-03-0{n}" for n in (2, 3, 4)),
    ]
    page = (await client.get(f"{OPEN}/-/calendar")).text
    assert f'href="{OPEN}/-/days/2026-03-02"' in page
    assert "/days/2026-03-05" not in page
    assert (await client.get(f"{OPEN}/-/calendar?page=9")).status_code == 200
