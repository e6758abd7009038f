"""What the use cases need of a forge, and of what was kept of it: three protocols.

``bot/forges`` implements :class:`Forge` and :class:`Publishing`, ``bot/store/requests`` implements
:class:`Requests`. A forge is never needed: without one, or while it is down, everything that git
knows is told all the same.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from digest.core.change import Change
from digest.core.grade import Graded, Repository
from digest.core.request import Comparison, Issue, Patch, PullRequest, Release


class Forge(Protocol):
    """The forge of one repository.

    All methods may raise ``NotOnForge`` (what is private is not there), ``ForgeLimited``,
    ``ForgeDown`` and ``ForgeUnauthorized``, and nothing else. Texts are cut to a bounded length.
    """

    eager: bool
    """Whether it may be asked by itself, and not only where somebody wants to know something."""

    async def request(self, number: int) -> PullRequest:
        """A request with its reviewers and the issues that it closes."""

    async def patch(self, request: PullRequest) -> Patch:
        """The files of a request, against what it is to be merged into."""

    async def issue(self, number: int) -> Issue:
        """An issue, with what mentions and what closed it."""

    async def change(self, sha: str) -> Change:
        """A commit that no clone has, by at least 7 digits; its message, files and lines."""

    def recent(self, since: datetime | None) -> AsyncIterator[Sequence[PullRequest]]:
        """The merged requests that changed since, in pages, the one changed last first.

        Reviewers are not among what a list says. Stops by itself after a bounded number of pages.
        """


@runtime_checkable
class Publishing(Protocol):
    """What a forge says of releases and ranges; the errors are those of :class:`Forge`."""

    async def releases(self, limit: int = 30) -> Sequence[Release]:
        """The newest published releases, newest first."""

    async def compare(self, base: str, head: str) -> Comparison:
        """What ``head`` has and ``base`` has not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRequest:
    """A request as it was last seen.

    ``graded`` is its diff analysed, for one that is no change of the branch; ``seen_at`` when the
    forge was asked.
    """

    request: PullRequest
    seen_at: datetime
    graded: Graded | None = None


class Requests(Protocol):
    """Requests, kept beside the changes of a repository. The labels of merged ones are topics."""

    async def keep(
        self, repository: Repository, requests: Sequence[PullRequest], now: datetime
    ) -> None:
        """Keep what the forge said; what is known of reviewers stays where nothing changed."""

    async def keep_graded(
        self, repository: Repository, request: PullRequest, graded: Graded, now: datetime
    ) -> None:
        """Keep a request with its analysed diff."""

    async def load(
        self, repository: Repository, numbers: Collection[int]
    ) -> Mapping[int, KeptRequest]:
        """The kept ones among ``numbers``."""

    async def read_until(self, repository: Repository) -> datetime | None:
        """Up to which moment the list of requests was read."""

    async def mark(self, repository: Repository, until: datetime) -> None:
        """Keep up to which moment the list was read."""
