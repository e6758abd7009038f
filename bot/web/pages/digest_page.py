"""The page of a digest: exactly what was posted, then every change it covers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from bot.delivery.payload import thaw
from bot.store.browsing import ChangeLine
from bot.store.digests import DigestHeading, KeptDigest
from bot.util.page_links import digest_path, path_of
from bot.web.pages.entries import Article, Told, line_of, loaded, told_of
from bot.web.pages.page_request import PageRequest
from bot.web.pages.rows import OF_DAY, Budget, Row, articles, rows_of
from bot.web.pages.site import Json, NotThere, Page
from digest.answer.answers import window_words
from digest.answer.buttons import without_buttons
from digest.core.grade import Graded, Level
from digest.document import Document
from digest.markdown import markdown
from digest.report.report_json import SCHEMA, window_to_json
from digest.window import span_of
from handlers.ports.storage import State


async def digest_page(asked: PageRequest) -> Page:
    """A digest as it was posted. Raises ``NotThere``, also if its repository is not visible."""
    kept = await asked.shelf.digests.marked(asked.part("digest"))
    if kept is None:
        raise NotThere
    # The parts common to all pages of a repository are built from the name in the path.
    asked.request.path_params["repository"] = kept.heading.repository
    shown = asked.shown()
    frozen = thaw(kept.document)
    posted = without_buttons(frozen.document)
    changes = _Changes(asked, kept)
    heading = kept.heading
    return Page(
        template="digest.html",
        title=f"{posted.title} · digestbot",
        values={
            "shown": shown,
            "heading": heading,
            "posted": posted,
            "details": frozen.details,
            "window": window_words(heading.window, asked.language),
            "around": _around(heading),
            "changes": changes,
        },
        document=lambda: _whole(posted, frozen.details),
        json=lambda: _json(kept, posted),
        ready=changes.read,
    )


class _Changes:
    """The changes of a digest, read while the page's head is being sent."""

    def __init__(self, asked: PageRequest, kept: KeptDigest) -> None:
        self._asked = asked
        self._kept = kept
        self._told: Told = {}
        self._changes: Sequence[Graded] = ()
        self.rows: Sequence[Row] = ()
        self.budget = Budget(OF_DAY)

    async def read(self) -> None:
        """Read the changes in the order of the rows."""
        asked, shown = self._asked, self._asked.shown()
        shas = [outcome.sha for outcome in self._kept.outcomes]
        self._changes = await loaded(asked.shelf, shown, shas)
        lines: Sequence[ChangeLine] = [line_of(graded) for graded in self._changes]
        lines, self._told = await told_of(asked.shelf, shown, lines, asked.language)
        self.rows = await rows_of(asked, lines, self._told, ("digest", self._kept.heading.mark))

    def levels(self) -> Iterator[tuple[Level, Sequence[Row], Iterator[tuple[Row, Article | None]]]]:
        """The rows by level."""
        for level, rows in groupby(self.rows, key=lambda row: row.level):
            of_level = tuple(rows)
            yield level, of_level, articles(self._asked, of_level, self._changes, self._told)


def _around(heading: DigestHeading) -> str:
    """The page of the day or week in which a digest's window begins."""
    day = heading.window.since.astimezone(heading.window.zone).date()
    name = heading.repository
    return path_of(name, week=day) if heading.weekly else path_of(name, day=day)


def _whole(posted: Document, details: Document | None) -> Document:
    blocks = posted.blocks if details is None else (*posted.blocks, *details.blocks)
    return Document(title=posted.title, blocks=blocks, language=posted.language)


def digest_to_json(heading: DigestHeading) -> Json:
    """The digest's subject and the path of its page."""
    return {
        "id": heading.mark,
        "path": digest_path(heading.mark),
        "span": span_of(heading.window),
        "since": heading.window.since.isoformat(),
        "until": heading.window.until.isoformat(),
        "created_at": heading.created_at.isoformat(),
        "weekly": heading.weekly,
        "counts": dict(heading.counts),
    }


def _json(kept: KeptDigest, posted: Document) -> Json:
    heading = kept.heading
    return {
        "schema": SCHEMA,
        "repository": heading.repository,
        "branch": heading.branch,
        "window": window_to_json(heading.window),
        **digest_to_json(heading),
        "title": posted.title,
        "posted": markdown(posted),
        "changes": [
            {"sha": one.sha, "posted": one.state is State.POSTED, "state": str(one.state)}
            for one in kept.outcomes
        ],
    }
