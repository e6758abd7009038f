"""Pages that were asked for before their first reader."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from structlog.testing import capture_logs

from bot.store.browsing import SqlBrowsing
from bot.web.pages.routes import warm
from digest.core.grade import Level
from digest.window import Window, day_window, days_window
from tests.servers.pages import shelved


async def test_warm_keeps_what_the_first_reader_of_a_repository_needs(configuration: Path):
    async with shelved(configuration) as (_, site):
        assert not site.memo._kept
        with capture_logs() as logs:
            await warm(site)
        assert {key[0] for key in site.memo._kept} >= {"extent", "pulse", "places"}
        looked_at = {key[1] for key in site.memo._kept if key[0] == "strays"}
        assert looked_at == {"owner/open", "owner/closed"}
    assert not [one for one in logs if one["event"] == "web.not_warm"]


async def test_warm_of_an_archive_that_cannot_be_read_says_so_and_goes_on(configuration: Path):
    async with shelved(configuration) as (app, site):
        path = Path(app.database.place)
        await app.database.aclose()
        for file in path.parent.glob(f"{path.name}*"):
            file.unlink()
        path.write_bytes(b"no database " * 1000)
        with capture_logs() as logs:
            await warm(site)
    assert [one["event"] for one in logs if one["log_level"] == "warning"] == ["web.not_warm"]


async def test_pulse_counts_days_as_lines_do_where_clocks_change(configuration: Path):
    async with shelved(configuration) as (app, site):
        shown = site.repositories[0].repository
        browsing = SqlBrowsing(app.database)
        extent = await browsing.extent(shown)
        assert extent is not None
        first = extent.first.astimezone(site.zone).date() - timedelta(days=1)
        days = [first + timedelta(days=n) for n in range(400)]
        edges = [day_window(day, site.zone).since for day in days]
        pulse = await browsing.pulse(shown, edges)
        window = days_window(days[0], days[-2], site.zone)
        lines = await browsing.lines(shown, window)
    at = [line.at.astimezone(site.zone).date() for line in lines]
    assert sum(map(sum, pulse)) == len(lines) > 0
    for day, counts in zip(days, pulse, strict=False):
        assert sum(counts) == at.count(day)


async def test_pulse_of_uneven_stretches_counts_each_by_itself(configuration: Path):
    async with shelved(configuration) as (app, site):
        shown = site.repositories[0].repository
        browsing = SqlBrowsing(app.database)
        every = await browsing.lines(
            shown,
            Window(
                since=datetime(1990, 1, 1, tzinfo=UTC),
                until=datetime(2090, 1, 1, tzinfo=UTC),
                zone=site.zone,
            ),
        )
        at = sorted(line.at for line in every)
        second = timedelta(seconds=1)
        edges = [at[0], at[0] + second, at[0] + 5 * second, at[-1], at[-1] + second]
        edges = sorted(set(edges))
        pulse = await browsing.pulse(shown, edges)
    for (since, until), counts in zip(pairwise(edges), pulse, strict=True):
        of_it = [one for one in every if since <= one.at < until]
        assert counts == tuple(sum(one.level is level for one in of_it) for level in Level)


async def test_newest_of_a_level_are_the_newest_lines_of_it(configuration: Path):
    async with shelved(configuration) as (app, site):
        shown = site.repositories[0].repository
        browsing = SqlBrowsing(app.database)
        far = days_window(date(1990, 1, 1), date(2089, 1, 1), site.zone)
        every = await browsing.lines(shown, far)
        for level in Level:
            wanted = [one for one in every if one.level.rank <= level.rank][:3]
            assert await browsing.newest(shown, 3, level) == wanted
