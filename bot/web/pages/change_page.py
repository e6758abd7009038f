"""The page of one change, found by its name or by its request's number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from bot.util.page_links import digest_path, path_of
from bot.web.pages.entries import article_of, entry_of, line_of
from bot.web.pages.page_request import PageRequest
from bot.web.pages.site import Json, NotThere, Page
from bot.workspace.workspace import day_of
from digest.core.author_text import unticked
from digest.core.change import FileStatus, printable
from digest.core.facts import FileFacts
from digest.core.grade import Graded
from digest.core.reference import Query
from digest.document import Document, plain
from digest.report.assembly import ReportEntry
from digest.report.blocks import change_blocks, quote_path
from digest.report.report_json import SCHEMA, entry_to_json

_NAME = re.compile(r"[0-9a-f]{7,64}")

_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)

_FILES = 100

_MENTIONS = 10

_LONGEST_MESSAGE = 20_000
"""Characters of a message that are shown; a few merges hold whole logs."""


async def change_page(asked: PageRequest) -> Page:
    """A change in full: what it does, why it matters, its files and its message.

    Of several commits of one request the newest is told of. Raises ``NotThere``.
    """
    shelf, shown, language = asked.shelf, asked.shown(), asked.language
    found = await _found(asked)
    graded = found[0]
    told = await shelf.browsing.told(shown.repository, [graded.sha], language)
    entry = entry_of(graded, told, shown, language)
    title = unticked(graded.title) or graded.sha[:10]
    return Page(
        template="change.html",
        title=f"{title} · {shown.repository.name}",
        values={
            "shown": shown,
            "about": plain(entry.analysis.summary[0].spans) if entry.analysis.summary else title,
            "article": article_of(entry, shown.repository, shelf.zone, language),
            "files": [_file(file, graded, asked) for file in graded.facts.files[:_FILES]],
            "more_files": max(len(graded.facts.files) - _FILES, 0),
            "total_files": len(graded.facts.files),
            "message": graded.commit.message.strip()[:_LONGEST_MESSAGE],
            "day": graded.commit.committed_at.astimezone(shelf.zone).date(),
            "announced": await _announced(asked, graded),
            "others": [line_of(one) for one in found[1:]],
            "mentions": [line_of(one) for one in await _mentions(asked, graded)],
        },
        document=lambda: _document(asked, entry),
        json=lambda: _json(asked, entry),
    )


async def _found(asked: PageRequest) -> Sequence[Graded]:
    """The commits that the path names, newest first, at least one. Raises ``NotThere``."""
    archive, repository = asked.shelf.archive, asked.shown().repository
    name = asked.part("change").lower()
    found: Sequence[Graded] = ()
    if _NUMBER.fullmatch(name):
        found = await archive.find(repository, int(name))
    if not found and _NAME.fullmatch(name):
        found = await archive.find(repository, None, name)
    if not found:
        raise NotThere
    return found


async def _mentions(asked: PageRequest, graded: Graded) -> Sequence[Graded]:
    """Archived changes whose text names this one: reverts among them."""
    name = f"#{graded.number}" if graded.number is not None else graded.sha[:10]
    query = Query(terms=(name,), limit=_MENTIONS + 1)
    found = await asked.shelf.archive.select(asked.shown().repository, query)
    return [one for one in found if one.sha != graded.sha and one.number != graded.number]


async def _announced(asked: PageRequest, graded: Graded) -> tuple[date, str] | None:
    """The day of the digest that showed the change first, and the path of that digest's page."""
    name = asked.shown().repository.name
    digest = await asked.shelf.digests.announced(name, graded.sha, graded.commit.committed_at)
    if digest is None:
        return None
    return day_of(digest), digest_path(digest.mark)


def _file(file: FileFacts, graded: Graded, asked: PageRequest) -> tuple[FileFacts, str, str]:
    """A file with its path as shown and its page, which a deleted one has none of."""
    gone = file.status is FileStatus.DELETED
    url = asked.shown().repository.file_url(graded.sha, quote_path(file.path), 1)
    return file, printable(file.path), "" if gone else url


def _document(asked: PageRequest, entry: ReportEntry) -> Document:
    graded = entry.graded
    blocks = change_blocks(
        graded,
        entry.analysis,
        asked.shown().repository,
        asked.shelf.zone,
        asked.language,
        level=1,
    )
    return Document(
        title=graded.title or graded.sha[:10], blocks=blocks, language=str(asked.language)
    )


def _json(asked: PageRequest, entry: ReportEntry) -> Json:
    name = asked.shown().repository.name
    return {
        "schema": SCHEMA,
        "repository": name,
        "path": path_of(name, change=entry.graded.sha[:12]),
        "change": entry_to_json(entry, asked.shelf.zone, asked.language),
    }
