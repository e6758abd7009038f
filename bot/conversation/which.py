"""Which of a chat's repositories a question is asked of, and in which order they are tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.config.sections import RepositoryConfig
from digest.answer import ABOUT_NONE, Answer
from digest.document import Block, Code, Document, Heading, Paragraph
from digest.errors import AmbiguousRepository, UnknownChange, UserError
from digest.intent import Author, Followup, Intent, Reviewers, Risky, ShowDiff, Unknown, Why
from digest.language import Language
from digest.managing import Managing
from digest.naming import fitting, named
from digest.question import parse
from digest.words.phrase import listed
from digest.words.talk import ABOUT, NAME_ONE

_SEARCHES = frozenset({"changed", "search", "touched"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Which:
    """What is asked, and of which repositories, the first that is asked first.

    ``of`` are all of the chat.
    """

    question: str
    asked: Sequence[RepositoryConfig]
    of: Sequence[RepositoryConfig]

    def goes_on(self, found: Answer) -> bool:
        """Whether the next repository is asked as well: here is no such change, or nothing."""
        nothing = found.intent in _SEARCHES and found.total == 0 and found.error is None
        return nothing or isinstance(found.error, UnknownChange)

    def told(self, found: Answer, repository: RepositoryConfig, language: Language) -> Document:
        """The answer, with the repository that it is about where there are others."""
        if len(self.of) < 2:
            return found.document
        if found.intent == "help":
            names = [Code(one.name) for one in self.of]
            example = Code(f"{self.of[-1].name}#123")
            line = NAME_ONE(language, names=listed(names, language, limit=10), example=example)
            return replace(found.document, blocks=(*found.document.blocks, Paragraph(line)))
        if found.intent in ABOUT_NONE:
            return found.document
        about = Paragraph(ABOUT(language, repository=Code(repository.name)), aside=True)
        return replace(found.document, blocks=_behind_head(found.document.blocks, about))


def which(
    question: str, of: Sequence[RepositoryConfig], last: str, now: datetime, zone: ZoneInfo
) -> Which:
    """What is asked of which. ``last`` is the repository that the conversation was about.

    Raises ``AmbiguousRepository`` where the question names several, or what several are called.
    """
    if len(of) == 1:
        return Which(question=question, asked=of, of=of)
    by_name = {one.name: one for one in of}
    intent = _meant(question, now, zone)
    found = None if isinstance(intent, Managing) else named(question, [*by_name])
    if found is not None:
        meant = _meant(found.question, now, zone)
        # The name may be part of the question all the same.
        asked = question if isinstance(meant, Unknown) else found.question
        return Which(question=asked, asked=[by_name[found.name]], of=of)
    if not isinstance(intent, Managing) and len(fit := fitting(question, [*by_name])) > 1:
        raise AmbiguousRepository(fit)
    if last in by_name and _goes_on(intent):
        others = [one for one in of if one.name != last]
        return Which(question=question, asked=[by_name[last], *others], of=of)
    return Which(question=question, asked=of, of=of)


def _goes_on(intent: Intent | None) -> bool:
    """Whether a question stands for one that was asked before, or is about its answer."""
    about = (
        isinstance(intent, Why | Risky | Reviewers | Author | ShowDiff) and intent.reference is None
    )
    return about or isinstance(intent, Followup)


def _meant(question: str, now: datetime, zone: ZoneInfo) -> Intent | None:
    try:
        return parse(question, now, zone)
    except UserError:
        return None


def _behind_head(blocks: Sequence[Block], line: Paragraph) -> tuple[Block, ...]:
    head = 1 if blocks and isinstance(blocks[0], Heading) else 0
    return (*blocks[:head], line, *blocks[head:])
