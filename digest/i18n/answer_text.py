"""Texts of answers, reports and digests: on changes, ranges, names, reasons of grades, and the bot.

The wording is in ``answer_text.json``, that of reasons in ``reasons.json``.
"""

from __future__ import annotations

import re

from digest.core.enums import ChangeKind, Language, TopicPlace
from digest.core.facts import Action, FactKind
from digest.core.grade import Grade, Level, Reason, Thresholds
from digest.document import Spans
from digest.i18n.phrase import Phrase, phrase_in, phrases_of, table_of

KINDS = table_of(ChangeKind, "answer_text", "kinds")
FACT_KINDS = table_of(FactKind, "answer_text", "fact_kinds")
ACTIONS = table_of(Action, "answer_text", "actions")
NAME_ACTIONS = table_of(Action, "answer_text", "name_actions")
DONE = table_of(Action, "answer_text", "done")
SWITCHED = table_of(str, "answer_text", "switched")
ENDED = table_of(str, "answer_text", "ended")
OF_PRIVACY = table_of(str, "answer_text", "of_privacy")
FILES_DONE = table_of(str, "answer_text", "files_done")
PER_TIME = table_of(str, "answer_text", "per_time")
TOP = table_of(str, "answer_text", "top")
FROM_LEVEL = table_of(Level, "answer_text", "from_level")
WHY = table_of(TopicPlace, "answer_text", "why")


def __getattr__(name: str) -> Phrase:
    """The phrase of this name."""
    return phrase_in("answer_text", name)


def score_words(grade: Grade, thresholds: Thresholds | None, language: Language) -> Spans:
    """A score with its scale."""
    least = thresholds or Thresholds()
    high, medium = f"{least.high:.2f}", f"{least.medium:.2f}"
    phrase = phrase_in("answer_text", "SCORE")
    return phrase(language, score=f"{grade.score:.2f}", high=high, medium=medium)


REASONS = phrases_of("digest.i18n", "reasons.json")
"""By rule name. ``{subject}`` is what the rule matched; a phrase without the slot omits it."""

_OTHERS = re.compile(r"(.+) \+([0-9]{1,9})", re.DOTALL)
_COUNT = re.compile(r"[0-9]{1,9}")
_EMPTY = re.compile(r"\s*(?:[(（][“”]*[)）]|“”|[:：])\s*$")

FAINT = frozenset(
    {
        "co_authors",
        "core",
        "core_files",
        "docs_added",
        "explained",
        "files",
        "note",
        "tests_added",
        "tests_with_core",
        "title_length",
    }
)
"""Rules that explain little to a reader, however high they rank."""


def _with_others(subject: str, language: Language) -> str:
    """``name +6`` as a name and the number of others."""
    match = _OTHERS.fullmatch(subject)
    if match is None:
        return subject
    return phrase_in("answer_text", "AND_OTHERS").text(language, name=match[1], n=int(match[2]))


def reason_words(reason: Reason, language: Language) -> str:
    """A reason as a short phrase without a full stop.

    A rule without a text here is shown by its name, so that a new rule in the weights never hides a
    reason.
    """
    subject = " ".join(reason.subject.split())
    phrase = REASONS.get(reason.rule)
    if phrase is not None:
        seen = int(subject) if _COUNT.fullmatch(subject) else _with_others(subject, language)
        return _EMPTY.sub("", phrase.text(language, subject=seen)).strip()
    rule = re.sub(r"[_.\-]+", " ", reason.rule).strip()
    other = phrase_in("answer_text", "OTHER_WITH_SUBJECT" if subject else "OTHER")
    return other.text(language, rule=rule, subject=subject)
