"""What pages show, and of what they are made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol
from zoneinfo import ZoneInfo

from pydantic import SecretStr

from bot.store.browsing import SqlBrowsing
from bot.store.digests import SqlDigests
from bot.web.pages.memo import Memo
from digest.document import Document
from digest.grade import Thresholds
from digest.graded import Repository
from digest.language import Language
from digest.span import Span
from handlers.forge_port import Requests
from handlers.ports import Archive, Clock

if TYPE_CHECKING:
    from bot.web.pages.office import Office


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A repository with pages. A ``private`` one is there for those alone who signed in."""

    repository: Repository
    private: bool = True
    branch: str = ""
    thresholds: Thresholds | None = None
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)


_COMPARISONS = 8
"""Comparisons that are kept, each of some thousand lines at most."""

_WINDOWS = 64
"""Days and weeks whose rows are kept, each of some hundred rows."""

Ask = Callable[[Shown, str, Language], Awaitable[Document]]
"""Answers a question about a repository; what cannot be answered is a document that says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """What lies within a span of history: full names of its commits, newest first.

    ``head`` is the tip of the watched branch at that time.
    """

    span: Span
    names: tuple[str, ...]
    head: str


class Histories(Protocol):
    """What pages ask of git itself. Methods raise ``UserError`` where it cannot be read."""

    async def stretch(self, shown: Shown, span: Span) -> Stretch | None:
        """What lies within a span; ``None`` where the repository is not on this machine.

        Raises ``UnknownBranch``, ``AmbiguousReference``, ``EmptyRange`` and ``RangeTooLarge``.
        """

    async def releases(self, shown: Shown) -> Sequence[str]:
        """Tags of final releases, the newest first; none where the repository is elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Everything that pages are made of.

    Times are told in ``zone``; ``language`` is that of readers who ask for none. ``public_url`` is
    the address that feeds name, empty where it is that of the request. Without a ``token`` nobody
    signs in, and without an ``office`` there are no admin pages. ``ask`` answers questions, and
    ``histories`` tell what lies between two points; without them there are no pages for that.
    """

    repositories: Sequence[Shown]
    archive: Archive
    browsing: SqlBrowsing
    digests: SqlDigests
    requests: Requests
    clock: Clock
    zone: ZoneInfo
    language: Language = Language.EN
    public_url: str = ""
    token: SecretStr | None = None
    office: Office | None = None
    ask: Ask | None = None
    histories: Histories | None = None
    memo: Memo = field(default_factory=Memo)
    comparisons: Memo = field(default_factory=lambda: Memo(_COMPARISONS))
    rows: Memo = field(default_factory=lambda: Memo(_WINDOWS))

    def visible(self, *, signed_in: bool) -> list[Shown]:
        """The repositories that somebody may know of."""
        return [one for one in self.repositories if signed_in or not one.private]

    def find(self, name: str, *, signed_in: bool) -> Shown | None:
        """The repository of a name; ``None`` as well where it may not be known of."""
        visible = self.visible(signed_in=signed_in)
        return next((one for one in visible if one.repository.name == name), None)
