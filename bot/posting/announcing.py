"""The digests that told of changes, with their pages."""

from __future__ import annotations

from datetime import date

from bot.store.digests import Heading, SqlDigests
from bot.times.schedule import Kind
from bot.web.links import page_of
from digest.graded import Graded, Repository
from digest.language import Language
from handlers.announcing import Announced


class KeptAnnouncements:
    """Finds digests among those that are kept; see ``handlers.announcing.Announcements``."""

    def __init__(self, digests: SqlDigests, public_url: str = "") -> None:
        """Without a public address digests have no page."""
        self._digests = digests
        self._public_url = public_url

    async def announced(
        self, repository: Repository, change: Graded, language: Language
    ) -> Announced | None:
        """The first digest that showed a change. Raises ``BrokenArchive``."""
        heading = await self._digests.announced(
            repository.name, change.sha, change.commit.committed_at
        )
        if heading is None:
            return None
        page = page_of_digest(self._public_url, heading, str(language), weekly=is_weekly(heading))
        return Announced(day=day_of(heading), page=page)


def day_of(heading: Heading) -> date:
    """The day that a digest is of: the first of its window."""
    return heading.window.since.astimezone(heading.window.zone).date()


def is_weekly(heading: Heading) -> bool:
    """Whether a digest is of a week, by its name."""
    return heading.name.startswith(f"{Kind.WEEKLY}:")


def page_of_digest(public_url: str, heading: Heading, language: str, *, weekly: bool) -> str:
    """The page of a digest's full report; empty where there are no pages to be found."""
    day = day_of(heading)
    return page_of(
        public_url,
        heading.repository,
        day=None if weekly else day,
        week=day if weekly else None,
        language=language,
    )
