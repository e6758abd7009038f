"""What a model said of a day or a week, on its page: found by the digest, or by what it names."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import httpx
import pytest

from bot.delivery.payload import freeze
from bot.store.analyses import SqlAnalyses
from bot.store.digests import DigestHeading, KeptDigest
from bot.util.machine import FixedClock
from bot.web.pages.routes import routes
from bot.web.server import application
from digest.core.enums import Language
from digest.core.grade import Repository
from digest.core.reference import Query
from digest.core.statement import Analysis, ChangeType, Origin, Statement
from digest.document import Code, Document, Paragraph, Text, plain
from digest.document import Heading as Title
from digest.report.themes import DaySummary, Sentence, Theme
from digest.window import Window, day_window
from handlers.ports.analysis_port import Basis, StoredAnalysis, StoredDay
from tests.servers.pages import MONDAY, shelved

REPOSITORY = Repository(name="owner/open", web="https://github.com/owner/open", forge="github")
BASIS = Basis(prompt="day", model="m", language=Language.EN)
DAY = "/r/owner/open/-/days/2026-03-02"
WEEK = "/r/owner/open/-/weeks/2026-W10"
UTC_ZONE = ZoneInfo("UTC")


class Site:
    """The pages with what a model said put into their archive."""

    def __init__(self, app, reader: httpx.AsyncClient) -> None:
        self.app = app
        self.reader = reader
        self.analyses = SqlAnalyses(app.database)

    async def shas(self) -> dict[int, str]:
        changes = await self.app.archive.select(REPOSITORY, Query())
        return {one.number: one.sha for one in changes if one.number is not None}

    async def say(self, name: str, text: str, *shas: str, basis: Basis = BASIS) -> DaySummary:
        spans = (Text(f"{text} "), Code("<pool>"), Text("."))
        day = DaySummary(
            lead=(Sentence(spans=spans, shas=shas),),
            themes=(Theme(title=(Text(f"Theme of {text}"),), shas=shas, source=Origin.MODEL),),
            source=Origin.MODEL,
        )
        kept = StoredDay(at=MONDAY + timedelta(days=2), day=day)
        await self.analyses.keep_day(REPOSITORY, name, basis, kept)
        return day

    async def post(self, name: str, window: Window, day: DaySummary) -> None:
        said = Paragraph((*day.lead[0].spans, Text(" (#1)")))
        document = Document(title="t", blocks=(Title(1, (Text("t"),)), said), language="en")
        heading = DigestHeading(
            name=name,
            repository=REPOSITORY.name,
            branch="main",
            window=window,
            created_at=window.until,
            counts={"total": 1},
        )
        digest = KeptDigest(heading=heading, document=freeze(document, ()), markdown=name)
        await self.app.digests.keep(digest)

    async def page(self, path: str) -> str:
        return (await self.reader.get(path)).text


@pytest.fixture
async def site(configuration):
    async with shelved(configuration) as (app, site):
        transport = httpx.ASGITransport(app=application({"/": routes(site)}))
        async with httpx.AsyncClient(transport=transport, base_url="http://pages") as reader:
            yield Site(app, reader)


async def test_lead_and_themes_name_their_changes(site):
    shas = await site.shas()
    await site.say("a", "Pools keep engines warm", shas[1], shas[2])
    page = await site.page(DAY)
    assert 'warm <span class="pointed"><code>&lt;pool&gt;</code>.</span>' in page
    assert f'<a href="/r/owner/open/-/changes/{shas[1][:12]}">#1</a>, <a' in page
    assert "<strong>Theme of Pools keep engines warm</strong>" in page
    assert "Written by a model" in page


async def test_other_forms_tell_them_too(site):
    shas = await site.shas()
    await site.say("a", "Pools keep engines warm", shas[1], shas[2])
    found = (await site.reader.get(f"{DAY}.json")).json()
    assert found["lead"].startswith("Pools keep engines warm")
    assert [theme["title"] for theme in found["themes"]] == ["Theme of Pools keep engines warm"]
    assert "Pools keep engines warm" in await site.page(f"{DAY}.md")


async def test_what_names_changes_of_other_days_is_not_of_the_day(site):
    shas = await site.shas()
    await site.say("a", "Of both days", shas[1], shas[3])
    assert "Of both days" not in await site.page(DAY)
    assert "Of both days" in await site.page(WEEK)


async def test_what_names_one_day_is_not_of_the_week(site):
    shas = await site.shas()
    await site.say("a", "Of Monday", shas[1], shas[2])
    assert "Of Monday" in await site.page(DAY)
    assert "Of Monday" not in await site.page(WEEK)


async def test_digest_from_nine_to_nine_leads_to_the_day_that_it_begins_on(site):
    shas = await site.shas()
    day = await site.say("a", "From nine to nine", shas[1], shas[3])
    window = Window(since=MONDAY, until=MONDAY + timedelta(days=1), zone=UTC_ZONE)
    await site.post("daily:owner/open:main:2026-03-03:team", window, day)
    page = await site.page(DAY)
    assert "From nine to nine" in page
    assert "From the digest of 2026-03-02 09:00" in page
    assert "From nine to nine" not in await site.page("/r/owner/open/-/days/2026-03-03")


async def test_what_was_posted_goes_before_what_was_only_made(site):
    shas = await site.shas()
    posted = await site.say("a", "Posted", shas[1], shas[2])
    await site.say("b", "Made later", shas[1], shas[2])
    window = day_window(date(2026, 3, 2), UTC_ZONE)
    await site.post("daily:owner/open:main:2026-03-02:team", window, posted)
    page = await site.page(DAY)
    assert "Posted <span" in page
    assert "Made later" not in page
    assert "From the digest of" not in page


async def test_digest_of_a_week_is_of_no_day(site):
    shas = await site.shas()
    day = await site.say("a", "Weekly words", shas[1], shas[3])
    window = Window(since=MONDAY, until=MONDAY + timedelta(days=7), zone=UTC_ZONE)
    await site.post("weekly:owner/open:main:2026-03-09:team", window, day)
    assert "Weekly words" not in await site.page(DAY)
    assert "Weekly words" in await site.page(WEEK)


async def test_readers_of_another_language_and_of_a_part_see_none(site):
    shas = await site.shas()
    await site.say("a", "English words", shas[1], shas[2])
    for asked in ("?lang=zh", "?level=high", "?page=2"):
        assert "English words" not in await site.page(f"{WEEK}{asked}")
    assert "English words" not in await site.page(f"{DAY}?lang=zh")
    assert "English words" not in await site.page(f"{DAY}?level=high")


async def test_change_tells_that_a_model_wrote_of_it(site):
    shas = await site.shas()
    assert 'class="tag model"' not in await site.page(DAY)
    said = Statement(spans=(Text("It keeps pools warm."),), evidence=())
    analysis = Analysis(
        language=Language.EN,
        source=Origin.MODEL,
        change_types=(ChangeType.FEATURE,),
        summary=(said,),
    )
    kept = StoredAnalysis(sha=shas[1], diff="d", at=MONDAY, analysis=analysis)
    await site.analyses.save(REPOSITORY, replace(BASIS, prompt="high"), [kept])
    page = await site.page(DAY)
    assert plain(said.spans) in page
    assert 'class="tag model"' in page


async def test_page_begins_with_what_users_have_to_act_on_as_the_digest_does(client):
    page = (await client.get("/r/owner/open/-/days/2026-03-03")).text
    assert "to act on" not in page.split('<p class="lead">')[1].split("</p>")[0]
    acts, others = page.split('id="act">')[1].split("</section>", 1)
    assert acts.startswith('To act on <span class="dim">1</span>')
    assert page.count(">to do<") == acts.count(">to do<") == 1
    assert "Remove the wait" in acts
    assert "Remove the wait" not in others
    assert "30</span>" in others.split('id="low">')[1]
    calm = (await client.get("/r/owner/open/-/days/2026-03-02")).text
    assert 'id="act"' not in calm
    assert "nothing found to act on" in calm


async def test_what_a_model_wrote_stands_behind_what_to_act_on(site):
    shas = await site.shas()
    await site.say("a", "The wait is gone", shas[3], shas[10])
    page = await site.page("/r/owner/open/-/days/2026-03-03")
    assert page.index('id="act"') < page.index("The wait is gone") < page.index('id="low"')


@pytest.mark.parametrize(("days", "running"), [(0, [DAY, WEEK]), (1, [WEEK]), (7, [])])
async def test_period_that_is_not_over_says_so(configuration, days, running):
    clock = FixedClock(MONDAY + timedelta(days=days))
    async with shelved(configuration, clock=clock) as (_, site):
        transport = httpx.ASGITransport(app=application({"/": routes(site)}))
        async with httpx.AsyncClient(transport=transport, base_url="http://pages") as reader:
            for path in (DAY, WEEK):
                page = (await reader.get(path)).text
                assert (", so far</h1>" in page) is (path in running)


@pytest.mark.parametrize(
    ("asked", "before"),
    [
        ("days/2027-01-05", "Wed 4 Mar 2026"),
        ("weeks/2027-W02", "Week 10 2026"),
        ("days/2027-01-05?lang=zh", "2026年3月4日 周三"),
        ("days/2026-05-05", "Wed 4 Mar"),
    ],
)
async def test_neighbour_in_another_year_bears_its_year(client, asked, before):
    page = (await client.get(f"/r/owner/open/-/{asked}")).text
    assert f">← {before}</a>" in page
