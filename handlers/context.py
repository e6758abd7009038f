"""What a use case is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from digest.grade import Thresholds
from digest.graded import Repository
from digest.language import Language
from handlers.ports import Archive, Clock, Coverage, Progress, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A repository with the settings that belong to it.

    ``aliases`` leads from another name of a topic (lower case, any language) to the topics it
    stands for. ``branch`` is ``None`` for the default branch.
    """

    repository: Repository
    source: Source
    branch: str | None = None
    thresholds: Thresholds | None = None
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)


class Silent:
    """Progress that nobody watches."""

    def start(self, total: int) -> None:
        """Say nothing."""

    def advance(self, count: int) -> None:
        """Say nothing."""

    def finish(self) -> None:
        """Say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The ports and the asker's settings for one request."""

    watched: Watched
    archive: Archive
    coverage: Coverage
    clock: Clock
    zone: ZoneInfo
    language: Language = Language.EN
    progress: Progress = field(default_factory=Silent)
