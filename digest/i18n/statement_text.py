"""Texts of analyses: statements, what a change means, and names of levels, kinds and areas.

The wording is in ``statement_text.json``. Every phrase states what the diff or the message shows.
One on consequences says what is different now, what was before and what to use instead if the
change shows it, and who should check; it leaves open whether anybody is affected. Users see names
of flags, variables, settings, routes and metrics, but not names of functions and classes.
"""

from __future__ import annotations

from digest.core.enums import Language
from digest.core.facts import Area, FactKind
from digest.core.grade import Level
from digest.core.request import CheckState, IssueState, RequestState, ReviewVerdict
from digest.core.statement import Aspect, ChangeType
from digest.i18n.phrase import Phrase, phrase_in, table_of

LEVEL_MARKS = {Level.HIGH: "🔴", Level.MEDIUM: "🟡", Level.LOW: "🟢"}
LEVELS = table_of(Level, "statement_text", "levels")
LEVEL_TITLES = table_of(Level, "statement_text", "level_titles")
CHANGE_TYPES = table_of(ChangeType, "statement_text", "change_types")
COUNTED_TYPES = table_of(ChangeType, "statement_text", "counted_types")
"""The types with a number of changes."""

AREAS = table_of(Area, "statement_text", "areas")
ASPECTS = table_of(Aspect, "statement_text", "aspects")
KINDS = table_of(FactKind, "statement_text", "kinds")
"""The kinds of facts, in the singular."""

KINDS_MANY = table_of(FactKind, "statement_text", "kinds_many")
STATES = table_of(RequestState, "statement_text", "states")
ISSUE_STATES = table_of(IssueState, "statement_text", "issue_states")
CHECKS = table_of(CheckState, "statement_text", "checks")
VERDICTS = table_of(ReviewVerdict, "statement_text", "verdicts")
REMOVED_RISKS = table_of(FactKind, "statement_text", "removed_risks")
RENAMED_RISKS = table_of(FactKind, "statement_text", "renamed_risks")


def __getattr__(name: str) -> Phrase:
    """The phrase of this name."""
    return phrase_in("statement_text", name)


def level_words(level: Level, language: Language) -> str:
    """A level with its mark."""
    return f"{LEVEL_MARKS[level]} {LEVELS[level].template(language)}"


def _for_one_and_many(name: str) -> tuple[Phrase, Phrase]:
    forms = table_of(str, "statement_text", name)
    return forms["one"], forms["many"]


LISTED = _for_one_and_many("listed")
UNLISTED = _for_one_and_many("unlisted")
DROPPED = _for_one_and_many("dropped")
"""What the tables of a registry gain and lose, for one name and for several."""
