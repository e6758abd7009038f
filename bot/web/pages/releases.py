"""The releases of a repository, each to be compared with the one before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from bot.web.links import path_of
from bot.web.pages.asked import Asked
from bot.web.pages.page import Moved, NotThere, Page
from bot.web.pages.replying import tag_of
from bot.web.pages.shelf import Shown
from bot.web.pages.wording import PHRASES
from digest.document import Block, Document, Heading, Item, Link, Listing, Paragraph, Text
from digest.errors import NotARepository, SourceUnavailable
from digest.release import version_of
from digest.report.form import SCHEMA

_DIGITS = re.compile(r"\d+", re.ASCII)

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
        for tip, base in islice(pairs_of(tags), RELEASES)
    ]


def pairs_of(tags: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each release with the one before it by number: lines of releases may go on side by side.

    Builds of others, such as ``v1.0+local``, are none (PEP 440, local version identifiers).
    """
    numbered = {tag: _number(tag) for tag in tags if "+" not in tag}
    for tag, own in numbered.items():
        older = [one for one, number in numbered.items() if number[0] == own[0] and number < own]
        if older:
            yield tag, max(older, key=numbered.__getitem__)


def _number(tag: str) -> tuple[str, tuple[int, ...]]:
    """What a release is put in order by: the name before its number, and all numbers."""
    version = version_of(tag)
    family = version.family if version else ""
    return family.removesuffix("v"), tuple(map(int, _DIGITS.findall(tag[len(family) :])))


def _listed(asked: Asked, title: str, pairs: list[tuple[str, str, str]]) -> Document:
    items = tuple(Item((Link(f"{base} … {tip}", path),)) for base, tip, path in pairs)
    none = PHRASES["no_releases"].template(asked.language)
    rest: Block = Listing(items) if items else Paragraph((Text(none),))
    blocks = (Heading(1, (Text(title),)), rest)
    return Document(title=title, blocks=blocks, language=asked.language)
