"""Feeds of changes and digests with full content: Atom (RFC 4287) and JSON Feed 1.1."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from markupsafe import Markup
from starlette.responses import Response

from bot.delivery.payload import thaw
from bot.store.browsing import KeptPost
from bot.util.page_links import digest_path, path_of
from bot.web.pages.entries import line_of, told_of
from bot.web.pages.page_request import PageRequest
from bot.web.pages.page_text import PHRASES
from bot.web.pages.response import as_json, headers_of
from bot.web.pages.rows import Row, made_rows, rows_of
from bot.web.pages.search_page import resolved_topic
from bot.web.pages.site import Json, NotThere, SiteRepository
from bot.web.pages.templating import fragment, render_pieces, spans_markup
from digest.answer.buttons import without_buttons
from digest.core.grade import Graded, Level
from digest.core.reference import Query
from digest.frozen import frozen
from digest.i18n.statement_text import LEVELS
from digest.markdown import clean

SIZE = 40
OF_TOPIC = 30
"""Entries of a topic's feed, whose changes are looked up and described for each reader anew."""
DIGESTS = 20
ATOM = "application/atom+xml; charset=utf-8"
JSON = "application/feed+json"
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_NAMES = uuid.UUID("b7a0ad5c-9c2f-5b0f-9f0c-3d7a4de0f0a1")
"""A namespace of our own, so that entry ids stay the same if the pages' address changes."""


@frozen
class Item:
    """An entry; ``path`` is its page, ``outside`` its page on the forge, ``html`` its content."""

    id: str
    path: str
    title: str
    html: Markup
    at: datetime
    author: str = "digestbot"
    level: Level | None = None
    outside: str = ""


@frozen
class Feed:
    """A feed; ``home`` is the page with the same contents."""

    id: str
    title: str
    home: str
    items: Sequence[Item]

    @property
    def updated(self) -> datetime:
        """When the feed last changed; the Unix epoch for a feed without entries."""
        return max((item.at for item in self.items), default=datetime(1970, 1, 1, tzinfo=UTC))


Made = Callable[[PageRequest], Awaitable[Feed]]


def name_of(repository: str, sha: str = "") -> str:
    """The permanent id of an entry or of a feed."""
    return f"urn:uuid:{uuid.uuid5(_NAMES, f'{repository} {sha}')}"


async def changes_feed(asked: PageRequest) -> Feed:
    """The newest changes of a repository, a level or a topic. Raises ``NotThere``."""
    shown, topic = asked.shown(), asked.word("topic")
    name = shown.repository.name
    level = LEVELS[asked.level].template(asked.language) if asked.level else ""
    return Feed(
        id=name_of(f"{name} {topic} {asked.level or ''}"),
        title=" · ".join(filter(None, (name, topic, level))),
        home=path_of(name, topic=topic),
        items=await _items(asked, shown, topic),
    )


async def all_feed(asked: PageRequest) -> Feed:
    """The newest changes of every repository that the reader may see."""
    items: list[Item] = []
    for shown in asked.site.visible(signed_in=asked.signed_in):
        name = shown.repository.name
        found = await _items(asked, shown, "")
        items += (replace(item, title=f"{name}: {item.title}") for item in found)
    items.sort(key=lambda item: item.at, reverse=True)
    title = PHRASES["all_repositories"].template(asked.language)
    feed = name_of(f"* {asked.level or ''}")
    return Feed(id=feed, title=f"digestbot · {title}", home="/", items=items[:SIZE])


async def digests_feed(asked: PageRequest) -> Feed:
    """The newest digests of a repository as they were posted. Raises ``NotThere``."""
    shown = asked.shown()
    name = shown.repository.name
    told = await asked.site.browsing.newest_posted(shown.repository, DIGESTS)
    title = PHRASES["digests"].template(asked.language)
    return Feed(
        id=name_of(f"{name} digests"),
        title=f"{name} · {title}",
        home=path_of(name),
        items=[_digest(asked, one) for one in told],
    )


def _digest(asked: PageRequest, told: KeptPost) -> Item:
    posted = without_buttons(thaw(told.document).document)
    return Item(
        id=name_of(told.heading.repository, told.heading.mark),
        path=digest_path(told.heading.mark),
        title=posted.title,
        html=fragment("blocks.html", "blocks", asked.language, posted.blocks[1:]),
        at=told.heading.created_at,
    )


async def _items(asked: PageRequest, shown: SiteRepository, topic: str) -> list[Item]:
    """The newest changes of the requested level and above, and of the topic if one is given."""
    if topic:
        changes = await _about(asked, shown, topic)
        lines, told = await told_of(asked.site, shown, map(line_of, changes), asked.language)
        made = partial(made_rows, changes, lines, told, asked.language, marked=False)
        rows = await asyncio.to_thread(made)
    else:
        level = asked.level or Level.LOW
        newest = await asked.site.browsing.newest(shown.repository, SIZE, level)
        lines, told = await told_of(asked.site, shown, newest, asked.language)
        key = ("feed", str(asked.level or ""))
        rows = list(await rows_of(asked, lines, told, key, shown=shown, marked=False))
    return sorted((_item(row, shown) for row in rows), key=lambda item: item.at, reverse=True)


async def _about(asked: PageRequest, shown: SiteRepository, topic: str) -> Sequence[Graded]:
    resolved = await resolved_topic(asked, topic)
    if not resolved.topics:
        raise NotThere
    query = Query(
        topics=resolved.topics,
        about=resolved.alternatives,
        level=asked.level,
        limit=OF_TOPIC,
        besides=await asked.strays(shown),
    )
    return await asked.site.archive.select(shown.repository, query)


def _item(row: Row, shown: SiteRepository) -> Item:
    line, repository = row.line, shown.repository
    return Item(
        id=name_of(repository.name, line.sha),
        path=path_of(repository.name, change=line.sha[:12]),
        title=clean(line.title) or line.sha[:10],
        html=Markup("<p>{}</p><p>{}</p>").format(
            spans_markup(row.why or row.title),
            f"{clean(line.author)} · +{row.added} −{row.deleted}",
        ),
        at=line.at,
        author=clean(line.author),
        level=line.level,
        outside=repository.commit_url(line.sha),
    )


def atom(make: Made) -> Callable[[PageRequest, str], Awaitable[Response]]:
    """An endpoint that serves a feed as Atom. Raises ``NotThere``."""

    async def answer(asked: PageRequest, tag: str) -> Response:
        feed = await make(asked)
        body = "".join(render_pieces("feed.xml", asked, feed=feed, base=_base(asked)))
        return Response(_legible(body), headers=headers_of(tag), media_type=ATOM)

    return answer


def json_feed(make: Made) -> Callable[[PageRequest, str], Awaitable[Response]]:
    """An endpoint that serves a feed as JSON. Raises ``NotThere``."""

    async def answer(asked: PageRequest, tag: str) -> Response:
        feed, base = await make(asked), _base(asked)
        told = {
            "version": "https://jsonfeed.org/version/1.1",
            "title": feed.title,
            "home_page_url": base + feed.home,
            "feed_url": base + asked.address(),
            "language": str(asked.language),
            "items": list(_json_items(feed, base)),
        }
        return Response(as_json(told), headers=headers_of(tag), media_type=JSON)

    return answer


def _json_items(feed: Feed, base: str) -> Iterator[Json]:
    for item in feed.items:
        yield {
            "id": item.id,
            "url": base + item.path,
            "title": item.title,
            "content_html": str(item.html),
            "date_published": item.at.isoformat(),
            "authors": [{"name": item.author}],
            "tags": [str(item.level)] if item.level else [],
            **({"external_url": item.outside} if item.outside else {}),
        }


def _base(asked: PageRequest) -> str:
    return asked.site.public_url or str(asked.request.base_url).rstrip("/")


def _legible(text: str) -> bytes:
    """The text without the characters that XML forbids (XML 1.0, section 2.2)."""
    return _UNWRITABLE.sub("\ufffd", text).encode("utf-8", "replace")
