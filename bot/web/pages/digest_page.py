"""The page of a digest: exactly what was posted, then every change it covers."""

from __future__ import annotations

from bot.delivery.payload import thaw
from bot.store.digests import DigestHeading, KeptDigest
from bot.util.page_links import digest_path, path_of
from bot.web.pages.entries import line_of, load_changes, told_of
from bot.web.pages.page_request import PageRequest
from bot.web.pages.rows import WrittenRows, rows_of
from bot.web.pages.site import Json, NotThere, Page
from digest.answer.answers import window_words
from digest.answer.buttons import without_buttons
from digest.core.enums import Frequency
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
    heading, written = kept.heading, WrittenRows(asked)
    begun = heading.window.since.astimezone(heading.window.zone).date()
    daily = heading.kind is Frequency.DAILY

    async def read() -> None:
        shas = [outcome.sha for outcome in kept.outcomes]
        written.changes = await load_changes(asked.shelf, shown, shas)
        lines = [line_of(graded) for graded in written.changes]
        moved, written.told = await told_of(asked.shelf, shown, lines, asked.language)
        rows = await rows_of(asked, moved, written.told, ("digest", heading.mark))
        written.show(rows, 3 * len(markdown(_whole(posted, frozen.details)).encode()))

    return Page(
        template="digest.html",
        title=f"{posted.title} · digestbot",
        values={
            "shown": shown,
            "heading": heading,
            "posted": posted,
            "details": frozen.details,
            "window": window_words(heading.window, asked.language),
            "around": path_of(
                heading.repository, day=begun if daily else None, week=None if daily else begun
            ),
            "changes": written,
        },
        document=lambda: _whole(posted, frozen.details),
        json=lambda: _json(kept, posted),
        ready=read,
    )


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
        "kind": str(heading.kind),
        "weekly": heading.kind is Frequency.WEEKLY,
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
