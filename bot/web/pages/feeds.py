"""Feeds of a repository, of a topic in it, or of a level: Atom (RFC 4287) and JSON Feed 1.1."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime

from starlette.responses import Response

from bot.store.browsing import ChangeLine
from bot.util.page_links import path_of
from bot.web.pages.entries import line_of
from bot.web.pages.page_request import PageRequest
from bot.web.pages.response import as_json, headers_of
from bot.web.pages.site import Json, NotThere
from bot.web.pages.templating import rendered
from digest.core.grade import Level, Repository
from digest.core.reference import Query
from digest.i18n.labels import LEVELS
from digest.markdown import clean
from digest.topics.matching import candidates, resolve

SIZE = 40

ATOM = "application/atom+xml; charset=utf-8"

JSON = "application/feed+json"

_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")

_NAMES = uuid.UUID("b7a0ad5c-9c2f-5b0f-9f0c-3d7a4de0f0a1")
"""Ours alone, so that entries keep their names whatever the address of the pages becomes."""


def name_of(repository: str, sha: str = "") -> str:
    """The name of an entry, or of a feed, for ever."""
    return f"urn:uuid:{uuid.uuid5(_NAMES, f'{repository} {sha}')}"


async def atom(asked: PageRequest, tag: str) -> Response:
    """The Atom feed. Raises ``NotThere``."""
    lines = await _lines(asked)
    body = "".join(
        rendered(
            "feed.xml",
            asked,
            title=_title(asked),
            base=_base(asked),
            shown=asked.shown(),
            lines=lines,
            updated=_updated(lines),
            name_of=name_of,
        )
    )
    return Response(_legible(body), headers=headers_of(tag), media_type=ATOM)


async def json_feed(asked: PageRequest, tag: str) -> Response:
    """The JSON Feed. Raises ``NotThere``."""
    lines, base = await _lines(asked), _base(asked)
    repository = asked.shown().repository
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": _title(asked),
        "home_page_url": base + path_of(repository.name),
        "feed_url": base + asked.address(),
        "language": str(asked.language),
        "items": [_item(line, repository, base) for line in lines],
    }
    return Response(as_json(feed), headers=headers_of(tag), media_type=JSON)


async def _lines(asked: PageRequest) -> Sequence[ChangeLine]:
    """The newest changes, of the level and above, of the topic where one is named."""
    shown, level, topic = asked.shown(), asked.level or Level.LOW, asked.word("topic")
    if not topic:
        return await asked.shelf.browsing.newest(shown.repository, SIZE, level)
    archive = asked.shelf.archive
    aliases = {name: tuple(topics) for name, topics in shown.aliases.items()}
    known = await archive.vocabulary(shown.repository, candidates(topic, aliases))
    resolved = resolve(topic, known, aliases)
    if not resolved.topics:
        raise NotThere
    query = Query(
        topics=resolved.topics, about=resolved.alternatives, level=asked.level, limit=SIZE
    )
    return [line_of(one) for one in await archive.select(shown.repository, query)]


def _item(line: ChangeLine, repository: Repository, base: str) -> Json:
    outside = repository.commit_url(line.sha)
    title = clean(line.title) or line.sha[:10]
    return {
        "id": name_of(repository.name, line.sha),
        "url": base + path_of(repository.name, change=line.sha[:12]),
        "title": title,
        "content_text": title,
        "date_published": line.at.isoformat(),
        "authors": [{"name": clean(line.author)}],
        "tags": [str(line.level)],
        **({"external_url": outside} if outside else {}),
    }


def _title(asked: PageRequest) -> str:
    parts = [asked.shown().repository.name, asked.word("topic")]
    if asked.level:
        parts.append(LEVELS[asked.level].template(asked.language))
    return " · ".join(filter(None, parts))


def _base(asked: PageRequest) -> str:
    return asked.shelf.public_url or str(asked.request.base_url).rstrip("/")


def _updated(lines: Sequence[ChangeLine]) -> datetime:
    """When the feed last changed; a feed without entries never did."""
    return max((line.at for line in lines), default=datetime(1970, 1, 1, tzinfo=UTC))


def _legible(text: str) -> bytes:
    """Without the characters that no XML may hold (XML 1.0, section 2.2)."""
    return _UNWRITABLE.sub("\ufffd", text).encode("utf-8", "replace")
