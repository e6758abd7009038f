"""What is made of many changes and asked for often, kept until the archive changes.

What a page is before it takes a form: data for the template, a document, and JSON.

What pages show, and of what they are made.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from zoneinfo import ZoneInfo

from pydantic import SecretStr

from bot.store.browsing import SqlBrowsing
from bot.store.digests import SqlDigests
from digest.core.change import Change
from digest.core.enums import Language
from digest.core.grade import Repository, Thresholds
from digest.document import Document
from digest.question.commit_range import Span
from handlers.ports.forge_port import Requests
from handlers.ports.storage import Archive, Clock, CoveragePort

if TYPE_CHECKING:
    from bot.web.pages.admin import AdminData


_T = TypeVar("_T")
_MOST = 256


class Memo:
    """Values by key, those that were asked for last; a key names all that its value depends on."""

    def __init__(self, most: int = _MOST) -> None:
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._most = most
        self._turn = asyncio.Lock()

    async def of(self, key: Hashable, make: Callable[[], Awaitable[_T]]) -> _T:
        """The value of a key, made where it is not kept."""
        if key in self._kept:
            self._kept.move_to_end(key)
            kept: _T = self._kept[key]
            return kept
        value = await make()
        self._kept[key] = value
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return value

    async def in_turn(self, key: Hashable, make: Callable[[], Awaitable[_T]]) -> _T:
        """As :meth:`of`, for what takes long: one value is made at a time, and none twice."""
        async with self._turn:
            return await self.of(key, make)


Json = dict[str, Any]


class NotThere(Exception):
    """Nothing to show: it does not exist, or this reader may not know of it."""


class Moved(Exception):
    """What is asked for stands at another ``path``."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page in all of its forms; what only one form needs is made when that is asked for.

    ``values`` are the template's. Generators among them are used up once, while the page is sent.
    ``ready`` reads what is not needed for its head: it is awaited once, when that is under way.
    ``rests_on`` names what the page is made of beside the archive: what a reader has is right as
    long as both are the same.
    """

    template: str
    title: str
    values: Mapping[str, Any] = field(default_factory=dict)
    document: Callable[[], Document]
    json: Callable[[], Json]
    ready: Callable[[], Awaitable[None]] | None = None
    rests_on: str = ""
    status: HTTPStatus = HTTPStatus.OK


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRepository:
    """A repository with pages. A ``private`` one is there for those alone who signed in."""

    repository: Repository
    private: bool = True
    branch: str = ""
    thresholds: Thresholds | None = None
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)


_COMPARISONS = 8
"""Comparisons that are kept, each of some thousand lines at most."""

_PATCHES = 16
"""Patches that are kept, each of some megabytes at most."""

_WINDOWS = 64
"""Days and weeks whose rows are kept, each of some hundred rows."""

Ask = Callable[[SiteRepository, str, Language], Awaitable[Document]]
"""Answers a question about a repository; what cannot be answered is a document that says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySpan:
    """What lies within a span of history: full names of its commits, newest first.

    ``head`` is the tip of the watched branch at that time.
    """

    span: Span
    names: tuple[str, ...]
    head: str


class Histories(Protocol):
    """What pages ask of git itself. Methods raise ``UserError`` where it cannot be read."""

    async def stretch(self, shown: SiteRepository, span: Span) -> HistorySpan | None:
        """What lies within a span; ``None`` where the repository is not on this machine.

        Raises ``UnknownBranch``, ``AmbiguousReference``, ``EmptyRange`` and ``RangeTooLarge``.
        """

    async def releases(self, shown: SiteRepository) -> Sequence[str]:
        """Tags of final releases, the newest first; none where the repository is elsewhere."""

    async def change(self, shown: SiteRepository, sha: str) -> Change | None:
        """A change with its lines; ``None`` where it cannot be read without another machine."""

    def read(self, shown: SiteRepository, span: Span) -> None:
        """Begin to read what the archive lacks of a span, where nothing is being read yet."""

    def reading(self, shown: SiteRepository) -> tuple[int, int] | None:
        """How many of how many changes were read by what is under way; ``None`` where nothing is.

        The total is 0 as long as it is not known.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Everything that pages are made of.

    Times are told in ``zone``; ``language`` is that of readers who ask for none. ``public_url`` is
    the address that feeds name, empty where it is that of the request. Without a ``token`` nobody
    signs in, and without an ``office`` there are no admin pages. ``ask`` answers questions, and
    ``histories`` tell what lies between two points; without them there are no pages for that.
    ``strangers_read`` lets everybody have what the archive lacks read from git; else those alone
    who signed in may.
    """

    repositories: Sequence[SiteRepository]
    archive: Archive
    coverage: CoveragePort
    browsing: SqlBrowsing
    digests: SqlDigests
    requests: Requests
    clock: Clock
    zone: ZoneInfo
    language: Language = Language.EN
    public_url: str = ""
    token: SecretStr | None = None
    strangers_read: bool = False
    office: AdminData | None = None
    ask: Ask | None = None
    histories: Histories | None = None
    memo: Memo = field(default_factory=Memo)
    comparisons: Memo = field(default_factory=lambda: Memo(_COMPARISONS))
    patches: Memo = field(default_factory=lambda: Memo(_PATCHES))
    rows: Memo = field(default_factory=lambda: Memo(_WINDOWS))

    def may_read(self, *, signed_in: bool) -> bool:
        """Whether somebody may have what the archive lacks read."""
        return self.histories is not None and (self.strangers_read or signed_in)

    def visible(self, *, signed_in: bool) -> list[SiteRepository]:
        """The repositories that somebody may know of."""
        return [one for one in self.repositories if signed_in or not one.private]

    def find(self, name: str, *, signed_in: bool) -> SiteRepository | None:
        """The repository of a name; ``None`` as well where it may not be known of."""
        visible = self.visible(signed_in=signed_in)
        return next((one for one in visible if one.repository.name == name), None)
