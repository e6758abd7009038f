"""A graded change as rows and back, exactly."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, Select, select

from bot.store.index import folded, paths_of, texts_of
from bot.store.stored import StoredFacts, texts_of_facts
from bot.store.tables import changes, contents
from digest.change import Commit
from digest.grade import Grade, Level, Reason
from digest.graded import Graded
from digest.topics import topics_of

_LEVELS = tuple(Level)
_text = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode

GRADED: Select[*tuple[Any, ...]] = select(
    changes.c.sha,
    changes.c.committed_at,
    changes.c.score,
    changes.c.level,
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
            "number": graded.number,
            "facts_version": facts.version,
            "omitted": omitted(graded),
            "author_key": folded(commit.author),
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
        topics=topics_of(graded),
        paths=tuple(paths_of(graded)),
    )


def graded_columns(grade: Grade) -> dict[str, Any]:
    """The columns of ``changes`` that a grade fills."""
    return {"score": grade.score, "level": grade.level.rank}


def reasons_text(grade: Grade) -> str:
    """The reasons of a grade as JSON: an array of rule, weight and subject each."""
    listed = [[reason.rule, reason.weight, reason.subject] for reason in grade.reasons]
    return _text(listed)


def omitted(graded: Graded) -> int:
    """How many files of the change could not be read."""
    return sum(file.omitted for file in graded.facts.files)


def graded(row: Row[*tuple[Any, ...]]) -> Graded:
    """The change of a row of :data:`GRADED`; its facts are read when they are asked for."""
    sha, committed_at, score, level, version, authored_at, author, email, *texts = row
    parents, reasons, subject, message, facts = texts
    return Graded(
        commit=Commit(
            sha=sha,
            parents=tuple(parents.split()),
            author=author,
            email=email,
            authored_at=moment(authored_at),
            committed_at=moment(committed_at),
            message=message,
        ),
        facts=StoredFacts.from_texts(version, subject, facts),
        grade=Grade(
            score=score,
            level=_LEVELS[level],
            reasons=tuple(
                Reason(rule=rule, weight=weight, subject=thing)
                for rule, weight, thing in json.loads(reasons)
            ),
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
    """The text with what no UTF-8 can hold (a lone surrogate) replaced by a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
