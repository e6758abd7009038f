"""Which repository is meant at the terminal, where no option names one: as chats tell it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.conversation.which import which
from digest.errors import InvalidReference
from digest.reference import parse_reference
from handlers.conversing import ConversationKey

if TYPE_CHECKING:
    from bot.app import App


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is asked, and where; ``place`` is ``None`` for where questions are asked by default."""

    question: str
    place: str | None


async def choose(
    app: App, question: str, repo: str | None, zone: ZoneInfo, conversation: ConversationKey
) -> Chosen:
    """The configured repository that a question names, goes on with, or else the default.

    What ``repo`` names holds. An address or ``owner/name#123`` also finds what was read before and
    is not configured. Raises ``AmbiguousRepository``.
    """
    of = app.config.repositories if app.config else ()
    if repo is not None:
        return Chosen(question=question, place=repo)
    if len(of) > 1:
        now = app.clock.now()
        talk = await app.conversations.talk(conversation, now)
        found = which(question, of, talk.repository if talk else "", now, zone)
        if len(found.asked) == 1 or found.asked[0] != of[0]:
            return Chosen(question=found.question, place=found.asked[0].name)
    return Chosen(question=question, place=_read_before(app, question))


def _read_before(app: App, question: str) -> str | None:
    """The place of the repository that a reference names, where it was read before."""
    try:
        name = parse_reference(question.rsplit(" ", maxsplit=1)[-1]).repository
    except InvalidReference:
        return None
    return app.places.place_of(name) if name else None
