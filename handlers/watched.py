"""A repository that is looked at."""

from __future__ import annotations

from dataclasses import dataclass, field

from digest.grade import Thresholds
from digest.graded import Repository
from digest.privacy import Privacy
from handlers.forge_port import Forge
from handlers.ports import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A repository with the settings that belong to it.

    ``aliases`` leads from another name of a topic (lower case, any language) to the topics it
    stands for. ``branch`` is ``None`` for the default branch. ``privacy`` is what a model may see.
    ``forge`` is ``None`` where there is none to ask.
    """

    repository: Repository
    source: Source
    branch: str | None = None
    thresholds: Thresholds | None = None
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    privacy: Privacy = Privacy.REDACTED
    forge: Forge | None = None
