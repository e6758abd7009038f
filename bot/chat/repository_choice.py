"""Finds a chat's configuration, and which of its repositories a question is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from digest.answer.answers import ABOUT_NONE, Answer
from digest.chat.chat_intents import Managing
from digest.core.enums import Language
from digest.document import Block, Code, Document, Heading, Paragraph
from digest.errors import AmbiguousRepository, UnknownChange, UserError
from digest.frozen import frozen
from digest.i18n.chat_text import ABOUT, NAME_ONE
from digest.i18n.phrase import list_in_words
from digest.question.intent import Followup, Intent, OfCurrent, Unknown
from digest.question.parser import parse
from digest.question.repository_names import find_repository, fitting

if TYPE_CHECKING:
    from bot.config.channel_section import ChannelConfig
    from bot.config.repository_section import RepositoryConfig
    from bot.messaging.receiver import Incoming


class ChannelsByChat:
    """Channels by account and chat: two accounts of one platform do not share theirs."""

    def __init__(self, channels: Iterable[ChannelConfig]) -> None:
        self._channels: dict[tuple[str, str], ChannelConfig] = {}
        for channel in channels:
            self._channels.setdefault((channel.platform, _fold(channel.chat)), channel)

    def channel(self, account: str, asked: Incoming) -> ChannelConfig | None:
        """The channel of a chat by its most specific name: a topic's before its group's."""
        for name in (asked.chat, *asked.also):
            if found := self._channels.get((account, _fold(name))):
                return found
        return None


def _fold(chat: str) -> str:
    """Public names are the same in any case; ids are not."""
    return chat.casefold() if chat.startswith("@") else chat


_SEARCHES = frozenset({"changed", "search", "touched"})


@frozen
class RepositoryChoice:
    """The question, and the repositories to ask, the first one first, out of all in ``of``."""

    question: str
    asked: Sequence[RepositoryConfig]
    of: Sequence[RepositoryConfig]

    def goes_on(self, answer: Answer) -> bool:
        """Whether to try the next repository too: this one lacks the change, or has no matches."""
        nothing = answer.intent in _SEARCHES and answer.total == 0 and answer.error is None
        return nothing or isinstance(answer.error, UnknownChange)

    def told(self, answer: Answer, repository: RepositoryConfig, language: Language) -> Document:
        """The answer, naming its repository if there are others."""
        if len(self.of) < 2:
            return answer.document
        if answer.intent == "help":
            names = [Code(one.name) for one in self.of]
            example = Code(f"{self.of[-1].name}#123")
            line = NAME_ONE(
                language, names=list_in_words(names, language, limit=10), example=example
            )
            return replace(answer.document, blocks=(*answer.document.blocks, Paragraph(line)))
        if answer.intent in ABOUT_NONE:
            return answer.document
        about = Paragraph(ABOUT(language, repository=Code(repository.name)), aside=True)
        return replace(answer.document, blocks=_behind_head(answer.document.blocks, about))


def which(
    question: str, of: Sequence[RepositoryConfig], last: str, now: datetime, zone: ZoneInfo
) -> RepositoryChoice:
    """The repositories a question is about, ``last`` by default. Raises ``AmbiguousRepository``."""
    if len(of) == 1:
        return RepositoryChoice(question=question, asked=of, of=of)
    by_name = {repository.name: repository for repository in of}
    intent = _intent_of(question, now, zone)
    named = None if isinstance(intent, Managing) else find_repository(question, [*by_name])
    if named is not None:
        meant = _intent_of(named.question, now, zone)
        # The name may also be part of the question itself.
        asked = question if isinstance(meant, Unknown) else named.question
        return RepositoryChoice(question=asked, asked=[by_name[named.name]], of=of)
    if not isinstance(intent, Managing) and len(fit := fitting(question, [*by_name])) > 1:
        raise AmbiguousRepository(fit)
    if last in by_name and _goes_on(intent):
        others = [repository for repository in of if repository.name != last]
        return RepositoryChoice(question=question, asked=[by_name[last], *others], of=of)
    return RepositoryChoice(question=question, asked=of, of=of)


def _goes_on(intent: Intent | None) -> bool:
    """Whether a question continues an earlier one, or is about its answer."""
    about = isinstance(intent, OfCurrent) and intent.reference is None
    return about or isinstance(intent, Followup)


def _intent_of(question: str, now: datetime, zone: ZoneInfo) -> Intent | None:
    try:
        return parse(question, now, zone)
    except UserError:
        return None


def _behind_head(blocks: Sequence[Block], line: Paragraph) -> tuple[Block, ...]:
    head = 1 if blocks and isinstance(blocks[0], Heading) else 0
    return (*blocks[:head], line, *blocks[head:])
