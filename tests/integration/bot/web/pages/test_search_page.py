"""Questions on a page: answered where somebody sits at the machine, with charts, and only read."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import httpx
import pytest

from bot.config.reader import read
from bot.web import site_factory
from bot.web.pages.routes import routes
from bot.web.server import application
from bot.web.site_factory import alone
from digest.core.enums import Language
from tests.servers.pages import TOKEN, shelved

ASK = "/r/owner/open/-/ask"
SEARCH = "/r/owner/open/-/search"
AUTHORS = "/r/owner/open/-/authors"
HOSTILE = {"since": "2026-03-04"}
"""The day of commits made to harm, which may be of any kind and area."""


@pytest.fixture
async def reader(configuration):
    async with shelved(configuration) as (app, _):
        watched = await app.watch_configured(read(configuration).repositories[0])
        site = replace(alone(app, [watched], "UTC"), public_url="")
        transport = httpx.ASGITransport(app=application({"/": routes(site)}))
        async with httpx.AsyncClient(transport=transport, base_url="http://pages") as client:
            yield client


async def test_page_asks_and_gives_examples(reader):
    moved = await reader.get(ASK)
    assert (moved.status_code, moved.headers["location"]) == (303, SEARCH)
    page = (await reader.get(SEARCH)).text
    assert 'name="q"' in page
    assert f'href="{ASK}?q=' in page


@pytest.mark.parametrize("language", list(Language))
async def test_examples_have_answers(reader, language):
    page = (await reader.get(f"{SEARCH}?lang={language}")).text
    examples = [html.unescape(one) for one in re.findall(rf'href="({ASK}\?q=[^"]+)"', page)]
    assert len(examples) == 4
    for example in examples:
        answer = (await reader.get(f"{example}&lang={language}")).text
        assert "2026-03-0" in answer
        assert '<article class="answer">' in answer
        assert "<code>explain #123</code>" not in answer  # as help has it


async def test_answer_cites_its_changes(reader):
    page = (await reader.get(ASK, params={"q": "explain #3"})).text
    assert "Remove the wait" in page
    assert re.search(r'href="/r/owner/open/-/changes/[0-9a-f]{12}/diff"', page)
    assert "https://github.com" not in page.split("<main")[1].split("</main>")[0]


async def test_answer_leads_to_pages_of_the_site_and_to_other_answers(reader):
    asked = {"q": "what changed from 2026-03-02 to 2026-03-03"}
    page = (await reader.get(ASK, params=asked)).text.split("<main")[1].split("</main>")[0]
    changes = re.findall(r'href="(/r/owner/open/-/changes/[^"]+)"', page)
    assert len(changes) == 10
    for path in changes:
        assert (await reader.get(path)).status_code == 200
    assert "https://" not in page
    (more,) = re.findall(r'rel="next" href="([^"]+)"', page)
    page = (await reader.get(html.unescape(more))).text
    assert "Page 2 of 4" in page
    assert not set(changes) & set(re.findall(r'href="(/r/owner/open/-/changes/[^"]+)"', page))
    page = (await reader.get(ASK, params={"q": "help"})).text
    assert f'href="{ASK}?q=digest%20yesterday"' in page
    assert "<code>profile from" in page  # which is not for pages


async def test_question_that_needs_much_reading_shows_its_progress(reader, monkeypatch):
    monkeypatch.setattr(site_factory, "_BRIEFLY", 0)
    asked = {"q": "what changed from 2026-03-02 to 2026-03-03"}
    page = await reader.get(ASK, params=asked)
    assert "Reading" in page.text
    assert page.headers["refresh"]
    assert "etag" not in page.headers
    assert "Remove the wait" in (await reader.get(f"{ASK}.md", params=asked)).text
    monkeypatch.setattr(site_factory, "_BRIEFLY", 20)
    page = await reader.get(ASK, params=asked)
    assert "Remove the wait" in page.text
    assert "refresh" not in page.headers


async def test_chart_of_an_answer_is_drawn_with_its_figures(reader):
    asked = {"q": "changes by day from 2026-03-02 to 2026-03-04"}
    page = (await reader.get(ASK, params=asked)).text
    assert page.count('<rect class="bar"') == 2  # nothing came on the other day
    assert '<th scope="row">2026-03-02</th><td>2</td>' in page
    assert "█" not in page
    assert "█" in (await reader.get(f"{ASK}.md", params=asked)).text


@pytest.mark.parametrize(
    "question", ["subscribe", "mute ci", "i use --flag", "profile from https://evil.example/x"]
)
async def test_what_sets_something_is_answered_with_help(reader, question):
    told = (await reader.get(f"{ASK}.json", params={"q": question})).json()
    assert told["title"] == "What you can ask"


async def test_error_is_an_answer(reader):
    answer = await reader.get(ASK, params={"q": "explain #99999"})
    assert answer.status_code == 200
    assert "99999" in answer.text


async def test_flag_is_looked_up(reader):
    answer = await reader.get(ASK, params={"q": "is there a flag for the pool limit"})
    assert "<code>--pool-limit</code>" in answer.text


async def test_question_is_text(reader):
    page = (await reader.get(ASK, params={"q": '"><script>alert(1)</script>'})).text
    assert "<script>alert" not in page


async def test_link_of_another_site_asks_nothing(reader):
    headers = {"sec-fetch-site": "cross-site"}
    page = (await reader.get(ASK, params={"q": "explain #3"}, headers=headers)).text
    assert "Remove the wait" not in page
    assert 'value="explain #3"' in page


async def test_pages_of_a_server_answer_who_signed_in(client):
    question = {"q": "explain #3"}
    assert (await client.get(ASK, params=question)).status_code == 404
    assert "/-/ask" not in (await client.get(SEARCH)).text
    moved = await client.get(SEARCH, params={"q": "what changed on 2026-03-02"})
    assert moved.status_code == 200
    await client.post("/admin/sign-in", data={"token": TOKEN})
    assert "Remove the wait" in (await client.get(ASK, params=question)).text
    assert "/-/ask" in (await client.get(SEARCH)).text
    moved = await client.get(SEARCH, params={"q": "what changed on 2026-03-02"})
    assert (moved.status_code, moved.headers["location"][: len(ASK)]) == (303, ASK)


async def test_authors_in_answers_lead_to_their_pages(reader):
    for question in ("what changed on 2026-03-02", "explain #3", "who changed most 2026-03-02"):
        page = (await reader.get(ASK, params={"q": question})).text
        assert f'<a href="{AUTHORS}/Ada%20Lovelace" rel="noopener nofollow">Ada' in page, question


async def test_authors_have_pages_of_what_they_wrote_by_their_whole_name(client):
    whole = (await client.get(f"{AUTHORS}/Ada Lovelace.json")).json()
    assert whole["total"] > 0
    assert {one["author"] for one in whole["changes"]} == {"Ada Lovelace"}
    assert (await client.get(f"{AUTHORS}/Ada.json")).json()["total"] == 0


@pytest.mark.parametrize(
    ("asked", "number"),
    [
        ({"kind": "breaking"}, 1),
        ({"area": "docs"}, 1),
        ({"since": "2026-03-02", "until": "2026-03-02"}, 2),
        ({"q": "pool", "since": "2026-03-03", "until": "2026-03-03"}, 1),
        ({"kind": "breaking", "area": "docs"}, 0),
        ({"since": "2026-03-03", "until": "2026-03-02", "q": "Tell of pools"}, 0),
    ],
)
async def test_search_is_narrowed_by_kind_area_and_days(client, asked, number):
    told = (await client.get(f"{SEARCH}.json", params=asked)).json()
    if "kind" in asked or "area" in asked:
        told["total"] -= (await client.get(f"{SEARCH}.json", params={**asked, **HOSTILE})).json()[
            "total"
        ]
    assert told["total"] == number
    page = (await client.get(SEARCH, params=asked)).text
    for name, value in asked.items():
        assert f'value="{value}"' in page, name


async def test_words_that_were_found_are_marked(client):
    page = (await client.get(SEARCH, params={"q": "WAIT the"})).text
    rows = page.split('<ul class="rows')[1]
    assert "<mark>wait</mark>" in rows
    assert "<mark>the</mark>" in rows
    hostile = (await client.get(SEARCH, params={"q": "<b> (a+)+$ &amp;"})).text
    assert "<b> (a+)+" not in hostile
