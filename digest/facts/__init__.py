"""Facts: what a diff and a message say, found by reading and never by guessing."""

from digest.facts.areas import area_of, language_of
from digest.facts.extract import extract, wanted
from digest.facts.form import from_json, to_json
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
    "area_of",
    "extract",
    "from_json",
    "language_of",
    "to_json",
    "wanted",
]
