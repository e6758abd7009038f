"""The tables, as the newest migration leaves them, by subject.

Every module of tables is imported here: what is registered in ``metadata`` is then all there is.
"""

from __future__ import annotations

from bot.store.tables.archive import (
    change_lines,
    change_paths,
    change_texts,
    change_topics,
    changes,
    contents,
    known_topics,
    repositories,
)
from bot.store.tables.columns import metadata
from bot.store.tables.digesting import digests, outcomes, reports, tips
from bot.store.tables.forges import forge_marks, forge_pages, requests
from bot.store.tables.ledger import amendments, deliveries, delivery_parts, refusals, slots
from bot.store.tables.models import analyses, leads, model_calls
from bot.store.tables.people import (
    chat_subscriptions,
    chats,
    conversations,
    feedback,
    heard,
    inbox,
    looks,
    profiles,
)

__all__ = [
    "amendments",
    "analyses",
    "change_lines",
    "change_paths",
    "change_texts",
    "change_topics",
    "changes",
    "chat_subscriptions",
    "chats",
    "contents",
    "conversations",
    "deliveries",
    "delivery_parts",
    "digests",
    "feedback",
    "forge_marks",
    "forge_pages",
    "heard",
    "inbox",
    "known_topics",
    "leads",
    "looks",
    "metadata",
    "model_calls",
    "outcomes",
    "profiles",
    "refusals",
    "reports",
    "repositories",
    "requests",
    "slots",
    "tips",
]
