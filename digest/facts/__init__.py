"""Facts: what a diff and a message say, found by reading and never by guessing."""

from digest.facts.model import (
    FACTS_VERSION,
    Action,
    Area,
    Evidence,
    Fact,
    FactKind,
    Facts,
    FileFacts,
    Series,
    Subject,
    Undone,
)

__all__ = [
    "FACTS_VERSION",
    "Action",
    "Area",
    "Evidence",
    "Fact",
    "FactKind",
    "Facts",
    "FileFacts",
    "Series",
    "Subject",
    "Undone",
]
