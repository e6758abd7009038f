"""Feedback buttons: saves a verdict on a change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.chat.responder import line
from bot.messaging.receiver import Incoming
from bot.store.feedback import ReaderVerdict, SqlFeedback, graded
from digest.answer.buttons import OF_CHANGE, OF_DIGEST
from digest.core.enums import Language
from digest.core.grade import Repository
from digest.document import Document
from digest.i18n.chat_text import NOT_KNOWN, NOTED_USEFUL, NOTED_USELESS
from handlers.ports.storage import Archive, Clock

_NOTED = {ReaderVerdict.USEFUL: NOTED_USEFUL, ReaderVerdict.USELESS: NOTED_USELESS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """Saves people's verdicts on the repositories that their chat may see."""

    feedback: SqlFeedback
    archive: Archive
    clock: Clock

    async def note(
        self, asked: Incoming, repositories: Sequence[Repository], language: Language
    ) -> Document | None:
        """Save the verdict of a press and return the reply; ``None`` if it is known already."""
        verdict, about = ReaderVerdict(asked.action), asked.text
        opinion: dict[str, Any] = {
            "platform": asked.platform,
            "chat": asked.chat,
            "person": asked.person,
            "verdict": verdict,
            "at": self.clock.now(),
        }
        if about.startswith(OF_DIGEST):
            found = await self.feedback.digest(about.removeprefix(OF_DIGEST))
            if found is None or found[0] not in {one.name for one in repositories}:
                return line(NOT_KNOWN.template(language), language)
            opinion |= {"repository": found[0], "subject": found[1]}
            return await self._keep(opinion, None, verdict, language)
        for repository in repositories:
            sha = about.removeprefix(OF_CHANGE)
            for change in await self.archive.find(repository, None, sha) if sha else ():
                opinion |= {"repository": repository.name, "subject": change.sha}
                return await self._keep(opinion, change, verdict, language)
        return line(NOT_KNOWN.template(language), language)

    async def _keep(
        self, opinion: dict[str, Any], change: Any, verdict: ReaderVerdict, language: Language
    ) -> Document | None:
        kept = graded(opinion, change.grade if change is not None else None)
        if not await self.feedback.keep(kept):
            return None
        return line(_NOTED[verdict].template(language), language)
