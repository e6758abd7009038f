"""The table of questions: what answers each kind of intent, and its description for ``help``.

An answer's module is imported when its question is first asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import get_args

from digest.answer.answers import Answer
from digest.chat.chat_intents import Filter, Managing, Mute, Set, Subscribe
from digest.i18n import answer_text, chat_text
from digest.i18n.phrase import Phrase
from digest.question.impact_questions import Affected, Alert, EditProfile, ProfileFrom, ShowProfile
from digest.question.intent import (
    Author,
    CatchUp,
    Changed,
    Compare,
    DigestOf,
    Explain,
    Greet,
    Help,
    Intent,
    PrivacyOf,
    Released,
    Releases,
    Reviewers,
    Risky,
    Search,
    ShowDiff,
    Status,
    Touched,
    Unknown,
    Why,
)
from handlers.context import Context


@dataclass(frozen=True, slots=True)
class Handler:
    """A row of the table: ``place`` is a module below ``handlers`` and its function.

    ``help`` is ``None`` if another row describes it; ``chats`` says that only a chat can ask.
    """

    place: str
    help: Phrase | None = None
    chats: bool = False

    async def answer(self, intent: Intent, ctx: Context) -> Answer:
        """The answer to an intent of the row. Raises ``UserError``."""
        module, _, function = self.place.partition(":")
        found: Answer = await getattr(import_module(f"handlers.{module}"), function)(intent, ctx)
        return found


_MANAGED = Handler("chat.subscribe:manage")

HANDLERS: Mapping[type[Intent], Handler] = {
    Explain: Handler("questions.explain:explain", help=answer_text.HELP_EXPLAIN),
    Changed: Handler("questions.changed:changed", help=answer_text.HELP_CHANGED),
    DigestOf: Handler("questions.digest_of:digest_of", help=answer_text.HELP_DIGEST),
    Search: Handler("questions.search:search", help=answer_text.HELP_SEARCH),
    Touched: Handler("questions.symbol_history:touched", help=answer_text.HELP_TOUCHED),
    Releases: Handler("questions.releases:releases", help=answer_text.HELP_RELEASES),
    Compare: Handler("questions.releases:compare", help=answer_text.HELP_COMPARE),
    CatchUp: Handler("questions.digest_of:catch_up", help=answer_text.HELP_CATCH_UP),
    Affected: Handler("questions.impact:affected", help=chat_text.HELP_AFFECTED),
    EditProfile: Handler("questions.impact:edit_profile", help=chat_text.HELP_PROFILE),
    ShowProfile: Handler("questions.impact:show_profile"),
    ProfileFrom: Handler("questions.impact:profile_from", help=chat_text.HELP_PROFILE_FROM),
    Alert: Handler("questions.impact:alert", help=chat_text.HELP_ALERT, chats=True),
    Why: Handler("questions.about_change:why", help=answer_text.HELP_WHY),
    Risky: Handler("questions.about_change:risky", help=answer_text.HELP_RISKY),
    Reviewers: Handler("questions.about_change:reviewers", help=answer_text.HELP_REVIEWERS),
    Author: Handler("questions.about_change:author", help=answer_text.HELP_AUTHOR),
    Released: Handler("questions.releases:released", help=answer_text.HELP_RELEASED),
    ShowDiff: Handler("questions.about_change:show_diff", help=answer_text.HELP_DIFF),
    **dict.fromkeys(get_args(Managing), _MANAGED),
    Subscribe: Handler("chat.subscribe:manage", help=chat_text.HELP_SUBSCRIBE, chats=True),
    Mute: Handler("chat.subscribe:manage", help=chat_text.HELP_MUTE, chats=True),
    Filter: Handler("chat.subscribe:manage", help=chat_text.HELP_FILTER, chats=True),
    Set: Handler("chat.subscribe:manage", help=chat_text.HELP_SETTINGS, chats=True),
    Status: Handler("questions.status:status", help=answer_text.HELP_STATUS),
    PrivacyOf: Handler("questions.status:privacy_of", help=answer_text.HELP_PRIVACY),
    Help: Handler("questions.help:help_page", help=answer_text.HELP_HELP),
    Greet: Handler("questions.help:greet"),
    Unknown: Handler("questions.help:unknown"),
}
"""One row for each member of the closed set, in the order of ``help``.

Follow-ups have none: each stands for another intent (see ``follow_ups``).
"""
