"""What was not read is said to be so, and is read where somebody asks for it."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import date, datetime, timedelta

import httpx
import pytest
from markupsafe import Markup

from bot.util.machine import FixedClock
from bot.util.page_links import week_name
from bot.web.pages.page_text import period_words
from bot.web.pages.routes import routes
from bot.web.pages.site import Memo
from bot.web.server import application
from bot.web.site_factory import alone
from digest.window import Window, day_window, days_window, gaps, merge_windows
from tests.servers.pages import MONDAY, NOW, TOKEN, UTC_ZONE, shelved
from tests.support.fakes import FakeCoverage

OPEN = "/r/owner/open"

FIRST = date(2026, 2, 26)

DAYS = [FIRST + timedelta(days=n) for n in range(9)]

QUIET = ("No changes in this period", "No changes so far")


def stretch(since: datetime, hours: float) -> Window:
    return Window(since=since, until=since + timedelta(hours=hours), zone=UTC_ZONE)


def holes(seed: int) -> tuple[Window, ...]:
    """Some stretches that end by now, with holes of any size between them."""
    chance = random.Random(seed)
    begin = day_window(FIRST, UTC_ZONE).since
    made = [
        stretch(begin + timedelta(hours=chance.randrange(150)), chance.choice([1, 9, 24, 48, 90]))
        for _ in range(chance.randrange(5))
    ]
    return merge_windows(replace(one, until=min(one.until, NOW)) for one in made if one.since < NOW)


@pytest.mark.parametrize("seed", range(12))
async def test_no_page_says_that_nothing_happened_in_time_that_was_not_read(configuration, seed):
    coverage = FakeCoverage(stretches={("owner/open", ""): holes(seed)})
    given = {"coverage": coverage, "memo": Memo()}
    async with shelved(configuration, **given) as (_, site), reader_of(site) as reader:
        overview = (await reader.get(f"{OPEN}.json")).json()
        drawn = {one["day"]: one["read"] for one in overview["days"]}
        for day in DAYS:
            window = day_window(day, UTC_ZONE)
            past = replace(window, until=max(window.since, min(window.until, NOW)))
            lacking = gaps(past, holes(seed))
            path = f"{OPEN}/-/days/{day}"
            page, told = (await reader.get(path)).text, (await reader.get(f"{path}.json")).json()
            assert bool(told["unread"]) == bool(lacking)
            quiet = any(words in page for words in QUIET)
            begun = window.since < NOW
            assert quiet == (not lacking and begun and not told["counts"]["total"])
            assert ("ot read" in page.split("<footer")[0]) == bool(lacking)
            assert drawn.get(day.isoformat(), True) == (not lacking)


def lacks(first: date, days: int, read: tuple[Window, ...]) -> bool:
    """Whether a part of some days has passed and was not read."""
    window = days_window(first, first + timedelta(days=days - 1), UTC_ZONE)
    past = replace(window, until=max(window.since, min(window.until, NOW)))
    return bool(gaps(past, read))


@pytest.mark.parametrize("seed", range(12))
async def test_no_other_page_takes_unread_time_for_quiet_time(configuration, seed):
    read = holes(seed)
    coverage = FakeCoverage(stretches={("owner/open", ""): read})
    given = {"coverage": coverage, "memo": Memo()}
    async with shelved(configuration, **given) as (_, site), reader_of(site) as reader:

        async def main(path: str) -> str:
            page = (await reader.get(path)).text
            return page.split("<main")[1].split("<footer")[0]

        for week in (date(2026, 2, 23), date(2026, 3, 2)):
            page = await main(f"{OPEN}/-/weeks/{week_name(week)}")
            assert ("ot read" in page) == lacks(week, 7, read)
            assert not (any(words in page for words in QUIET) and lacks(week, 7, read))
        last_days = date(2026, 2, 26)
        assert ("Not read in full" in await main("/")) == lacks(last_days, 7, read)
        for path in ("/", OPEN):
            assert ("leads" in await main(path)) != lacks(date(2026, 3, 3), 1, read)
        quiet = "No changes in this period" in await main(OPEN)
        assert not (quiet and lacks(last_days, 7, read))
        for one in (await reader.get(f"{OPEN}/-/calendar.json")).json()["days"]:
            assert one["read"] != lacks(date.fromisoformat(one["day"]), 1, read)
        for path in ("search?q=nosuchword", "topics/nosuchtopic", "authors/Nobody"):
            page = await main(f"{OPEN}/-/{path}")
            assert ("Nothing has been read yet" in page) == (not read)
            for period in read[-3:]:
                assert period_words(period, UTC_ZONE) in Markup(page).striptags()
        missing = (await reader.get(f"{OPEN}/-/nothing")).text
        assert ("Nothing has been read yet" in missing) == (not read)


async def test_last_minutes_are_not_called_unread(configuration):
    today = stretch(NOW - timedelta(hours=9), 9 - 0.2)
    coverage = FakeCoverage(stretches={("owner/open", ""): (today,)})
    async with shelved(configuration, coverage=coverage) as (_, site), reader_of(site) as reader:
        page = (await reader.get(f"{OPEN}/-/days/2026-03-04")).text
        assert "ot read" not in page
        assert "As of 2026-03-04 08:48 UTC" in Markup(page).striptags()
        page = (await reader.get(f"{OPEN}/-/days/2026-03-03")).text
        assert "This period was not read" in page


async def test_unread_parts_are_told_to_the_minute_with_their_zone(configuration):
    read = Window(since=MONDAY, until=MONDAY + timedelta(seconds=3671), zone=UTC_ZONE)
    coverage = FakeCoverage(stretches={("owner/open", ""): (read,)})
    async with shelved(configuration, coverage=coverage) as (_, site), reader_of(site) as reader:
        page = (await reader.get(f"{OPEN}/-/days/2026-03-02")).text
    assert (
        "Not read: 2026-03-02 00:00 UTC – 2026-03-02 09:00 UTC; "
        "2026-03-02 10:01 UTC – 2026-03-03 00:00 UTC."
    ) in page


async def test_week_greys_the_days_that_were_not_read(configuration):
    coverage = FakeCoverage(stretches={("owner/open", ""): (stretch(MONDAY, 24),)})
    async with shelved(configuration, coverage=coverage) as (_, site), reader_of(site) as reader:
        page = (await reader.get(f"{OPEN}/-/weeks/2026-W10")).text
    # Monday from midnight to nine, Tuesday from nine on, Wednesday to the present.
    assert page.count('class="unread"') == 3
    assert "3 days were not read in full" in page


async def test_archive_that_read_nothing_says_so_everywhere(configuration):
    async with (
        shelved(configuration, coverage=FakeCoverage()) as (_, site),
        reader_of(site) as reader,
    ):
        for path in (OPEN, f"{OPEN}/-/days/2026-03-02", f"{OPEN}/-/changes/3"):
            assert "Nothing has been read yet" in (await reader.get(path)).text


async def test_every_page_says_until_when_it_was_read(client):
    for path in (OPEN, f"{OPEN}/-/days/2026-03-02", f"{OPEN}/-/changes/3", f"{OPEN}/-/search"):
        page = Markup((await client.get(path)).text).striptags()
        assert "As of 2026-03-04 09:00 UTC" in page


async def test_pages_say_where_the_last_reading_is_over_a_day_old(configuration, client):
    old = stretch(NOW - timedelta(days=60), 24 * 57)
    coverage = FakeCoverage(stretches={("owner/open", ""): (old,)})
    said = "owner/open was last read 3 days ago (2026-03-01 09:00 UTC)."
    async with shelved(configuration, coverage=coverage) as (_, site), reader_of(site) as reader:
        for path in ("/", OPEN, f"{OPEN}/-/days/2026-03-04"):
            page = (await reader.get(path)).text
            assert said in page
            assert "digestbot serve" in page
            assert "was last read" not in (await client.get(path)).text


async def test_a_clock_that_was_set_back_does_not_make_a_reading_old(configuration):
    ahead = FakeCoverage(stretches={("owner/open", ""): (stretch(NOW - timedelta(days=1), 48),)})
    async with shelved(configuration, coverage=ahead) as (_, site), reader_of(site) as reader:
        assert "was last read" not in (await reader.get("/")).text


async def test_who_sits_at_the_machine_reads_a_day_from_its_page(configuration):
    async with shelved(configuration) as (app, _):
        assert app.config is not None
        watched = await app.watch_configured(app.config.repositories[0])
        empty = replace(watched, repository=replace(watched.repository, name="owner/new"))
        async with reader_of(alone(app, [empty], "UTC")) as reader:
            path = "/r/owner/new/-/days/2026-03-02"
            page = await reader.get(path)
            assert "This period was not read" in page.text
            assert "Read it now" in page.text
            form = {"span": "2026-03-02...2026-03-02"}
            answer = await reader.post("/r/owner/new/-/read", data=form)
            assert (answer.status_code, answer.headers["location"]) == (303, path)
            async with asyncio.timeout(120):
                while "refresh" in (page := await reader.get(path)).headers:
                    assert "etag" not in page.headers
                    await asyncio.sleep(0.05)
            assert "not read" not in page.text
            assert "Add a pool with a limit" in page.text


async def test_a_reading_that_nobody_waits_for_ends_before_the_archive_is_closed(configuration):
    async with shelved(configuration) as (app, _):
        assert app.config is not None
        watched = await app.watch_configured(app.config.repositories[0])
        empty = replace(watched, repository=replace(watched.repository, name="owner/new"))
        async with reader_of(alone(app, [empty], "UTC")) as reader:
            form = {"span": "2026-03-02...2026-03-02"}
            assert (await reader.post("/r/owner/new/-/read", data=form)).status_code == 303
        assert len(asyncio.all_tasks()) > 1, "the reading goes on"
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_page_whose_reading_ends_while_it_is_made_comes_again(configuration, monkeypatch):
    async with shelved(configuration) as (_, site), reader_of(site) as reader:
        read, version = [], type(site.browsing).version

        async def ends(browsing, repository):
            read.append(repository)
            return await version(browsing, repository)

        monkeypatch.setattr(type(site.browsing), "version", ends)
        monkeypatch.setattr(type(site.histories), "reading", lambda *_: None if read else (1, 2))
        page = await reader.get(f"{OPEN}/-/days/2026-03-02")
        assert "refresh" in page.headers
        assert "etag" not in page.headers


async def test_stranger_and_other_sites_have_nothing_read(client):
    form = {"span": "2026-02-01...2026-02-02"}
    page = await client.get(f"{OPEN}/-/days/2026-02-01")
    assert "This period was not read" in page.text
    assert "Read it now" not in page.text
    assert (await client.post(f"{OPEN}/-/read", data=form)).status_code == 404
    await client.post("/admin/sign-in", data={"token": TOKEN})
    assert "Read it now" in (await client.get(f"{OPEN}/-/days/2026-02-01")).text
    evil = {"origin": "https://evil.example"}
    assert (await client.post(f"{OPEN}/-/read", data=form, headers=evil)).status_code == 404
    assert (await client.post(f"{OPEN}/-/read", data={"span": "--all"})).status_code == 404
    assert (await client.post(f"{OPEN}/-/read", data=form)).status_code == 303


@pytest.mark.parametrize("seed", range(6))
async def test_folders_of_a_week_that_was_not_read_in_full_are_not_called_none(configuration, seed):
    """A week after the last change; a seed has one hour that was not read, or none."""
    later = NOW + timedelta(days=8)
    hole = stretch(later - timedelta(hours=1 + 33 * seed), 1 if seed < 5 else 0)
    read = gaps(Window(since=MONDAY, until=later, zone=UTC_ZONE), (hole,))
    coverage = FakeCoverage(stretches={("owner/open", ""): read})
    given = {"coverage": coverage, "memo": Memo(), "clock": FixedClock(later)}
    async with shelved(configuration, **given) as (_, site), reader_of(site) as reader:
        page = (await reader.get(OPEN)).text
        assert ("No changes in this period" in page) == (seed == 5)
        day = (await reader.get(f"{OPEN}/-/days/2026-03-10")).text
        assert ("The latest change here: Wed 4 Mar." in day) == ("No changes in this" in day)


def reader_of(site) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=application({"/": routes(site)}))
    return httpx.AsyncClient(transport=transport, base_url="http://pages")
