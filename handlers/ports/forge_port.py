"""What the use cases need of a forge and of its stored data: three protocols.

``bot/forges`` implements :class:`Forge` and :class:`Publishing`, ``bot/store`` implements
:class:`Requests`. A forge is never required: without one, or while it is down, everything from git
still works.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from digest.core.change import Change
from digest.core.grade import Graded, Repository
from digest.core.request import Checks, Issue, Patch, PullRequest, Release
from digest.frozen import frozen


class Forge(Protocol):
    """The forge of one repository.

    All methods may raise ``NotOnForge`` (also for private items), ``ForgeLimited``, ``ForgeDown``
    and ``ForgeUnauthorized``, and nothing else. Texts are cut to a bounded length.
    """

    eager: bool  # whether it may be queried unprompted, and not only to answer a question

    async def request(self, number: int) -> PullRequest:
        """A request with its reviewers and the issues that it closes."""

    async def patch(self, request: PullRequest) -> Patch:
        """The diff of a request against its target branch."""

    async def checks(self, request: PullRequest) -> Checks | None:
        """What CI says about the newest commit of a request; ``None`` if nothing."""

    async def issue(self, number: int) -> Issue:
        """An issue, with what mentions it and what closed it."""

    async def change(self, sha: str) -> Change:
        """A commit that no clone has, by at least 7 digits: its message, files and lines."""

    def recent(self, since: datetime | None) -> AsyncIterator[Sequence[PullRequest]]:
        """The merged requests that changed since, in pages, the last changed first.

        The list does not name reviewers. Stops after a bounded number of pages.
        """


@runtime_checkable
class Publishing(Protocol):
    """A forge's releases; the errors are those of :class:`Forge`."""

    async def releases(self, limit: int = 30) -> Sequence[Release]:
        """The newest published releases, newest first."""


@frozen
class KeptRequest:
    """A request as last seen."""

    request: PullRequest
    seen_at: datetime  # when the forge was queried
    graded: Graded | None = None  # its diff, if it is no change of the branch


class Requests(Protocol):
    """Requests, kept beside the changes of a repository. The labels of merged ones are topics."""

    async def keep(
        self, repository: Repository, requests: Sequence[PullRequest], now: datetime
    ) -> None:
        """Save the forge's data; known reviewers stay if the request is unchanged."""

    async def keep_graded(
        self, repository: Repository, request: PullRequest, graded: Graded, now: datetime
    ) -> None:
        """Save a request with its analysed diff."""

    async def load(
        self, repository: Repository, numbers: Collection[int]
    ) -> Mapping[int, KeptRequest]:
        """The stored requests among ``numbers``."""

    async def read_until(self, repository: Repository) -> datetime | None:
        """The moment up to which the list of requests was read."""

    async def mark(self, repository: Repository, until: datetime) -> None:
        """Save the moment up to which the list was read."""
