"""The first page, and that of a repository: its pulse, where a week's changes are, its digests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from bot.store.browsing import Extent, Line
from bot.store.digests import Heading as DigestHeading
from bot.web.links import path_of
from bot.web.pages.asked import Asked
from bot.web.pages.charts import Pulse, pulse, shares
from bot.web.pages.page import Json, Page
from bot.web.pages.releases import releases_of
from bot.web.pages.shelf import Shown
from bot.web.pages.wording import PHRASES
from digest.days import monday
from digest.document import Block, Document, Heading, Item, Link, Listing, Paragraph, Table, Text
from digest.grade import Level
from digest.report.form import SCHEMA
from digest.report.moments import span_of
from digest.window import Window, day_window, days_window
from digest.words.labels import LEVELS

DAYS = 90
"""Days of a pulse."""
_PLACES = 10
_NEWEST = 8
_DIGESTS = 8
_WEEKS = 13
_RELEASES = 6


async def index_page(asked: Asked) -> Page:
    """Every repository that the reader may know of."""
    rows = []
    for shown in asked.shelf.visible(signed_in=asked.signed_in):
        extent = await extent_of(asked, shown)
        rows.append((shown, extent, await _pulse(asked, shown, extent) if extent else None))
    title = PHRASES["repositories"].template(asked.language)
    return Page(
        template="index.html",
        title=title,
        values={"rows": rows, "hidden": len(rows) < len(asked.shelf.repositories)},
        document=lambda: Document(
            title=title,
            blocks=(
                Heading(1, (Text(title),)),
                Listing(tuple(Item((_link(shown),)) for shown, _, _ in rows)),
            ),
            language=asked.language,
        ),
        json=lambda: {
            "schema": SCHEMA,
            "repositories": [_about(shown, extent) for shown, extent, _ in rows],
        },
    )


async def repository_page(asked: Asked) -> Page:
    """What happens in a repository. Raises ``NotThere``."""
    shown, browsing = asked.shown(), asked.shelf.browsing
    repository = shown.repository
    extent = await extent_of(asked, shown)
    drawn = await _pulse(asked, shown, extent)
    last = drawn.bars[-1].day
    days = days_window(last - timedelta(days=6), last, asked.shelf.zone)
    places = shares(await places_of(asked, shown, days))
    week = monday(last)
    newest = await browsing.newest(repository, _NEWEST, Level.HIGH)
    digests = await browsing.digests(repository, _DIGESTS)
    releases: list[tuple[str, str, str]] = []

    async def read() -> None:
        # Git is asked for its tags: the reader has the head by then.
        releases.extend((await releases_of(asked, shown))[:_RELEASES])

    return Page(
        template="repository.html",
        title=repository.name,
        values={
            "shown": shown,
            "extent": extent,
            "pulse": drawn,
            "places": places,
            "newest": newest,
            "digests": [(span_of(one.window), one, _day_of(one)) for one in digests],
            "week": week,
            "releases": releases,
            "weeks": [week - timedelta(days=7 * n) for n in range(_WEEKS)],
        },
        document=lambda: _document(asked, shown, drawn, newest),
        json=lambda: {
            "schema": SCHEMA,
            **_about(shown, extent),
            "days": [_day(bar.day, bar.counts) for bar in drawn.bars],
            "places": [{"path": one.name, "changes": one.number} for one in places],
            "newest": [line_to_json(line) for line in newest],
            "digests": [_digest(one) for one in digests],
        },
        ready=read,
    )


async def places_of(asked: Asked, shown: Shown, window: Window) -> Sequence[tuple[str, int]]:
    """The folders that most changes of a window touch, most first."""
    key = ("places", shown.repository.name, await asked.version(shown.repository), window)
    found = asked.shelf.browsing.places
    return await asked.shelf.memo.of(key, lambda: found(shown.repository, window, _PLACES))


async def extent_of(asked: Asked, shown: Shown) -> Extent | None:
    """What is archived of a repository, counted once for every version of it."""
    key = ("extent", shown.repository.name, await asked.version(shown.repository))
    return await asked.shelf.memo.of(key, lambda: asked.shelf.browsing.extent(shown.repository))


async def _pulse(asked: Asked, shown: Shown, extent: Extent | None) -> Pulse:
    """The last days up to today, or up to the last change where that is long ago."""
    zone = asked.shelf.zone
    today = asked.shelf.clock.now().astimezone(zone).date()
    last = today
    if extent is not None:
        newest = extent.last.astimezone(zone).date()
        # A clone that nobody fetches any more shows its own last days, not an empty quarter.
        last = newest if not newest <= today < newest + timedelta(days=DAYS // 3) else today
    first = last - timedelta(days=DAYS - 1)
    days = [first + timedelta(days=n) for n in range(DAYS + 1)]

    async def draw() -> Pulse:
        edges = [day_window(day, zone).since for day in days]
        return pulse(await asked.shelf.browsing.pulse(shown.repository, edges), first)

    version = await asked.version(shown.repository)
    return await asked.shelf.memo.of(("pulse", shown.repository.name, version, first), draw)


def _link(shown: Shown) -> Link:
    name = shown.repository.name
    return Link(name, path_of(name))


def _about(shown: Shown, extent: Extent | None) -> Json:
    repository = shown.repository
    return {
        "repository": repository.name,
        "web": repository.web,
        "path": path_of(repository.name),
        "changes": extent.total if extent else 0,
        "first": extent.first.isoformat() if extent else None,
        "last": extent.last.isoformat() if extent else None,
    }


def _day(day: date, counts: tuple[int, int, int]) -> Json:
    high, medium, low = counts
    return {"day": day.isoformat(), "high": high, "medium": medium, "low": low}


def line_to_json(line: Line) -> Json:
    """A change in a list."""
    return {
        "sha": line.sha,
        "pr": line.number,
        "title": line.title,
        "author": line.author,
        "committed_at": line.at.isoformat(),
        "level": str(line.level),
        "score": line.score,
    }


def _digest(heading: DigestHeading) -> Json:
    return {
        "since": heading.window.since.isoformat(),
        "until": heading.window.until.isoformat(),
        "counts": dict(heading.counts),
    }


def _day_of(heading: DigestHeading) -> date:
    return heading.window.since.astimezone(heading.window.zone).date()


def _document(asked: Asked, shown: Shown, drawn: Pulse, newest: Sequence[Line]) -> Document:
    language, name = asked.language, shown.repository.name
    head = (PHRASES["day"], *LEVELS.values())
    blocks: list[Block] = [
        Heading(1, (Text(name),)),
        Heading(2, (Text(PHRASES["pulse"].template(language)),)),
        Table(
            header=tuple((Text(phrase.template(language)),) for phrase in head),
            rows=tuple(
                (
                    (Link(bar.day.isoformat(), path_of(name, day=bar.day)),),
                    *((Text(str(count)),) for count in bar.counts),
                )
                for bar in reversed(drawn.bars)
                if bar.total
            ),
        ),
        Heading(2, (Text(PHRASES["newest"].template(language)),)),
    ]
    blocks.append(
        Listing(
            tuple(Item((Link(one.title, path_of(name, change=one.sha[:12])),)) for one in newest)
        )
        if newest
        else Paragraph((Text(PHRASES["nothing_found"].template(language)),))
    )
    return Document(title=name, blocks=tuple(blocks), language=language)
