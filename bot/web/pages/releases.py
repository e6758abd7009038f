"""The releases of a repository, each to be compared with the one before it."""

from __future__ import annotations

from itertools import pairwise

from bot.web.links import path_of
from bot.web.pages.asked import Asked
from bot.web.pages.page import Moved, NotThere, Page
from bot.web.pages.replying import tag_of
from bot.web.pages.shelf import Shown
from bot.web.pages.wording import PHRASES
from digest.document import Block, Document, Heading, Item, Link, Listing, Paragraph, Text
from digest.errors import NotARepository, SourceUnavailable
from digest.report.form import SCHEMA

RELEASES = 30
"""Releases that are listed, each against the one before it."""


async def releases_page(asked: Asked) -> Page:
    """The newest releases, each to be compared with the one before, and a form for any other two.

    Raises ``NotThere``, and ``Moved`` where the form was sent.
    """
    shown, histories = asked.shown(), asked.shelf.histories
    if histories is None:
        raise NotThere
    base, tip = asked.word("base"), asked.word("tip")
    if base and tip:
        raise Moved(path_of(shown.repository.name, compare=(base, tip)))
    pairs = await releases_of(asked, shown)
    title = PHRASES["compare"].template(asked.language)
    return Page(
        template="releases.html",
        title=f"{title} · {shown.repository.name}",
        values={"shown": shown, "pairs": pairs},
        document=lambda: _listed(asked, title, pairs),
        json=lambda: {
            "schema": SCHEMA,
            "repository": shown.repository.name,
            "releases": [{"tag": tip, "before": base, "path": path} for base, tip, path in pairs],
        },
        rests_on=tag_of(*(path for _, _, path in pairs)),
    )


async def releases_of(asked: Asked, shown: Shown) -> list[tuple[str, str, str]]:
    """Releases that follow one another as ``(before, tag, path)``, the newest first."""
    if asked.shelf.histories is None:
        return []
    try:
        tags = await asked.shelf.histories.releases(shown)
    except (NotARepository, SourceUnavailable):
        return []  # as where it has none: the page tells of the archive
    name = shown.repository.name
    return [
        (base, tip, path_of(name, compare=(base, tip)))
        for tip, base in pairwise(tags[: RELEASES + 1])
    ]


def _listed(asked: Asked, title: str, pairs: list[tuple[str, str, str]]) -> Document:
    items = tuple(Item((Link(f"{base} … {tip}", path),)) for base, tip, path in pairs)
    none = PHRASES["no_releases"].template(asked.language)
    rest: Block = Listing(items) if items else Paragraph((Text(none),))
    blocks = (Heading(1, (Text(title),)), rest)
    return Document(title=title, blocks=blocks, language=asked.language)
