"""The buttons below a digest or an answer in a chat, and the marks that make a change urgent.

An action with its value stays below the 64 bytes that the strictest platform takes, and a press is
meaningful by itself: it has a commit's name, or the mark of a digest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from digest.answer.listing import weightiest_first
from digest.answer.release_notes import met
from digest.core.enums import ChangeKind, Language, TopicPlace
from digest.core.facts import Action
from digest.core.grade import Graded
from digest.core.statement import Analysis, ChangeType
from digest.document import Actions, Button, Document
from digest.i18n.chat_text import EXPLAIN, FULL_REPORT, MUTE, USEFUL, USELESS
from digest.markdown import markdown
from digest.topics.index_terms import bearings
from digest.topics.terms import kinds_of

if TYPE_CHECKING:
    from digest.answer.answers import Answer

EXPLAIN_ACTION, MUTE_ACTION = "explain", "mute"
USEFUL_ACTION, USELESS_ACTION = "useful", "useless"
OF_CHANGE, OF_DIGEST = "c:", "d:"
"""Prefixes of a verdict's subject: a commit by its name, or a digest by its mark."""

MOST_EXPLAINED = 6
"""Changes of a list that get a button; people can ask for the others in words."""

_WEIGHED = frozenset({"changed", "search", "digest", "catch up", "compare"})
"""Intents whose answers list the most important changes first, whatever the order of rows."""

_SHA = 12
_LONGEST_TOPIC = 24


def explaining(changes: Sequence[Graded], language: Language) -> tuple[Actions, ...]:
    """A button for each of the first changes of a list, which explains it."""
    return _rows(_explained(changes, language))


def digest_buttons(mark: str, language: Language, *, where: str = "") -> tuple[Actions, ...]:
    """Buttons for a digest, identified by ``mark``: the full report at ``where``, verdicts."""
    return _rows((*_report(where, language), *_verdicts(f"{OF_DIGEST}{mark}", language)))


def report_link(language: Language, where: str) -> tuple[Actions, ...]:
    """The report button for a digest in a chat where presses are not received."""
    return _rows(_report(where, language))


def without_buttons(document: Document) -> Document:
    """The document without any buttons."""
    blocks = tuple(block for block in document.blocks if not isinstance(block, Actions))
    return replace(document, blocks=blocks)


def answer_buttons(
    answer: Answer, language: Language, *, mutes: bool = False
) -> tuple[Actions, ...]:
    """Verdicts on an explanation, explanations of listed changes, and muting if ``mutes``."""
    changes = [row.graded for row in answer.rows]
    if answer.intent in _WEIGHED:
        changes = weightiest_first(changes)
    if answer.intent == "explain" and changes:
        topic = main_topic(changes[0]) if mutes else ""
        about = f"{OF_CHANGE}{changes[0].sha[:_SHA]}"
        return _rows((), (*_verdicts(about, language), *_mute(topic, language)))
    if answer.error is not None or not changes:
        return ()
    topic = answer.topic if mutes and answer.intent == "changed" else ""
    return _rows(_explained(_shown(changes, answer.document), language), _mute(topic, language))


def _shown(changes: Sequence[Graded], document: Document) -> Sequence[Graded]:
    """The changes on the page that an answer shows, by their numbers; all if it shows none."""
    numbers = {int(number) for number in re.findall(r"[#/](\d{1,9})(?!\w)", markdown(document))}
    return [one for one in changes if one.number in numbers] or changes


def with_buttons(document: Document, buttons: Iterable[Actions]) -> Document:
    """The document with buttons below it."""
    return replace(document, blocks=(*document.blocks, *buttons))


def main_topic(graded: Graded) -> str:
    """The topic that a change itself states; empty if it states none."""
    said = {TopicPlace.TAG: 0, TopicPlace.SCOPE: 1}
    topics = [(said[b.place], name) for name, b in bearings(graded).items() if b.place in said]
    return min(topics)[1] if topics else ""


def _explained(changes: Sequence[Graded], language: Language) -> tuple[Button, ...]:
    return tuple(
        Button(
            EXPLAIN.text(language, change=_name(change)),
            action=EXPLAIN_ACTION,
            value=change.sha[:_SHA],
        )
        for change in changes[:MOST_EXPLAINED]
    )


def _name(graded: Graded) -> str:
    return graded.name if graded.number is not None else graded.sha[:7]


def _report(where: str, language: Language) -> tuple[Button, ...]:
    return (Button(FULL_REPORT.template(language), url=where),) if where else ()


def _verdicts(about: str, language: Language) -> tuple[Button, ...]:
    return (
        Button(USEFUL.template(language), action=USEFUL_ACTION, value=about),
        Button(USELESS.template(language), action=USELESS_ACTION, value=about),
    )


def _mute(topic: str, language: Language) -> tuple[Button, ...]:
    """A mute button; none for a flag or a topic that is too long for a press."""
    if not topic or topic.startswith("-") or len(topic.encode()) > _LONGEST_TOPIC:
        return ()
    return (Button(MUTE.text(language, topic=topic), action=MUTE_ACTION, value=topic),)


def _rows(*rows: tuple[Button, ...]) -> tuple[Actions, ...]:
    return tuple(Actions(row) for row in rows if row)


class Mark(StrEnum):
    """Why a change should be read first, the most urgent first."""

    BREAKING = "breaking"
    SECURITY = "security"
    DEFAULT = "default"
    DEPRECATION = "deprecation"
    REVERT = "revert"


_OF_KIND = {
    ChangeKind.BREAKING: Mark.BREAKING,
    ChangeKind.SECURITY: Mark.SECURITY,
    ChangeKind.DEPRECATIONS: Mark.DEPRECATION,
    ChangeKind.REVERTS: Mark.REVERT,
}

_OF_TYPE = {
    ChangeType.BREAKING: Mark.BREAKING,
    ChangeType.SECURITY: Mark.SECURITY,
    ChangeType.DEPRECATION: Mark.DEPRECATION,
    ChangeType.REVERT: Mark.REVERT,
}

_ORDER = {mark: place for place, mark in enumerate(Mark)}

# A revert is worth a mark, but it is not in itself more important than another change.
_URGENT = len(Mark) - 1


def marks_of(graded: Graded, analysis: Analysis | None = None) -> tuple[Mark, ...]:
    """The marks of a change, the most urgent first; ``analysis`` may add a model's findings."""
    marks = {_OF_KIND[kind] for kind in kinds_of(graded) if kind in _OF_KIND}
    if analysis is not None:
        marks |= {_OF_TYPE[kind] for kind in analysis.change_types if kind in _OF_TYPE}
    if any(item.action is Action.CHANGED for item in met((graded,))):
        marks.add(Mark.DEFAULT)
    return tuple(mark for mark in Mark if mark in marks)


def urgency(marks: tuple[Mark, ...], score: float) -> tuple[int, float]:
    """The sort key within one level: by the most urgent mark, then by score."""
    first = min((_ORDER[mark] for mark in marks), default=_URGENT)
    return min(first, _URGENT), -score
