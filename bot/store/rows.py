"""A graded change as rows and back, exactly."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, Select, select

from bot.store.index import folded, lines_of, paths_of, texts_of
from bot.store.stored import StoredFacts, texts_of_facts
from bot.store.tables import changes, contents
from digest.change import Commit
from digest.grade import Grade, Level, Reason
from digest.graded import Graded
from digest.survey import area_of
from digest.topics import topics_of

_MOST = 2**63 - 1
_LEVELS = tuple(Level)
_text = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode

GRADED: Select[*tuple[Any, ...]] = select(
    changes.c.sha,
    changes.c.committed_at,
    changes.c.score,
    changes.c.level,
    changes.c.graded_by,
    changes.c.facts_version,
    contents.c.authored_at,
    contents.c.author,
    contents.c.email,
    contents.c.parents,
    contents.c.reasons,
    contents.c.subject,
    contents.c.message,
    contents.c.facts,
).join_from(changes, contents, contents.c.change_id == changes.c.id)
"""What :func:`graded` reads; conditions are added to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A change made ready to be written, but for the keys that only the database knows."""

    sha: str
    committed_at: int
    change: dict[str, Any]
    content: dict[str, Any]
    texts: dict[str, str]
    topics: frozenset[str]
    paths: tuple[str, ...]
    lines: dict[str, str]


def seconds(moment: datetime) -> int:
    """A moment as it is stored: whole seconds since 1970 in UTC."""
    return int(moment.timestamp())


def moment(stored: int) -> datetime:
    """The aware moment, in UTC, that :func:`seconds` stored."""
    return datetime.fromtimestamp(stored, UTC)


def entry(graded: Graded) -> Entry:
    """The rows of a change."""
    commit, facts = graded.commit, graded.facts
    subject, rest = texts_of_facts(facts)
    return Entry(
        sha=commit.sha,
        committed_at=seconds(commit.committed_at),
        change={
            "sha": commit.sha,
            "committed_at": seconds(commit.committed_at),
            "number": numbered(graded.number),
            "facts_version": facts.version,
            "omitted": omitted(graded),
            "author_key": folded(commit.author),
            "area": area_of(graded).value,
            **graded_columns(graded.grade),
        },
        content={
            "authored_at": seconds(commit.authored_at),
            "author": storable(commit.author),
            "email": storable(commit.email),
            "parents": " ".join(commit.parents),
            "reasons": reasons_text(graded.grade),
            "message": storable(commit.message),
            "subject": subject,
            "facts": rest,
        },
        texts=texts_of(graded),
        topics=frozenset(map(storable, topics_of(graded))),
        paths=tuple(paths_of(graded)),
        lines=lines_of(graded),
    )


def numbered(number: int | None) -> int | None:
    """A request number as it is stored: one that no database can hold names nothing."""
    return None if number is None or number > _MOST else number


def graded_columns(grade: Grade) -> dict[str, Any]:
    """The columns of ``changes`` that a grade fills."""
    return {"score": grade.score, "level": grade.level.rank, "graded_by": grade.by}


def reasons_text(grade: Grade) -> str:
    """The reasons of a grade as JSON: an array of rule, weight and subject each."""
    listed = [[reason.rule, reason.weight, reason.subject] for reason in grade.reasons]
    return _text(listed)


def omitted(graded: Graded) -> int:
    """How many files of the change could not be read."""
    return sum(file.omitted for file in graded.facts.files)


def graded(row: Row[*tuple[Any, ...]]) -> Graded:
    """The change of a row of :data:`GRADED`; its facts are read when they are asked for."""
    return Graded(
        commit=Commit(
            sha=row.sha,
            parents=tuple(row.parents.split()),
            author=row.author,
            email=row.email,
            authored_at=moment(row.authored_at),
            committed_at=moment(row.committed_at),
            message=row.message,
        ),
        facts=StoredFacts.from_texts(row.facts_version, row.subject, row.facts),
        grade=Grade(
            score=row.score,
            level=_LEVELS[row.level],
            reasons=tuple(
                Reason(rule=rule, weight=weight, subject=subject)
                for rule, weight, subject in json.loads(row.reasons)
            ),
            by=row.graded_by,
        ),
    )


def newest_first(found: Iterable[Graded]) -> Sequence[Graded]:
    """By moment, the newest first; of one moment a child before its parents, then by name."""
    ordered = sorted(found, key=lambda g: (g.commit.committed_at, g.sha), reverse=True)
    start = 0
    for end in range(1, len(ordered) + 1):
        moment_ended = (
            end == len(ordered)
            or ordered[end].commit.committed_at != ordered[start].commit.committed_at
        )
        if moment_ended:
            if end - start > 1:
                ordered[start:end] = _children_first(ordered[start:end])
            start = end
    return ordered


def _children_first(tied: Sequence[Graded]) -> list[Graded]:
    """A depth-first walk from the parents up, turned round: no recursion, any shape of history."""
    by_name = {g.sha: g for g in tied}
    placed: dict[str, None] = {}
    for first in reversed(tied):
        waiting = [first.sha]
        while waiting:
            name = waiting[-1]
            parents = [p for p in by_name[name].commit.parents if p in by_name and p not in placed]
            if parents:
                waiting += parents
            else:
                placed.setdefault(waiting.pop())
    return [by_name[name] for name in reversed(placed)]


def storable(text: str) -> str:
    """The text with a question mark for what a database cannot hold: NUL, and lone surrogates."""
    if "\0" in text:
        text = text.replace("\0", "?")
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
