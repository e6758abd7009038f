"""Rows of repositories and of graded changes, converted both ways without loss.

All other rows refer to a repository's row, which is never removed. Writing anything about a
repository raises its revision in the same transaction, so a reader can tell by one number whether a
result computed earlier is still valid. Facts are parsed when first used: most answers list changes
by their titles alone, and parsing all facts would take longer than finding the changes. For that
reason the subject is stored as a text of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, Self

from sqlalchemy import Row, Select, bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.change_terms import folded, lines_of, paths_of, texts_of
from bot.store.database import Prepared
from bot.store.dialect import insert_into
from bot.store.tables.archive_tables import changes, contents, repositories
from digest.answer.listing import area_of
from digest.core.change import Commit
from digest.core.facts import Facts
from digest.core.grade import Grade, Graded, Level, Reason, Repository
from digest.core.stored_json import READ, facts_to_json
from digest.topics.index_terms import topics_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolled:
    """A repository's row: its key, and the versions its indexes were built by."""

    id: int
    indexed_by: str


_MINE = repositories.c.name == bindparam("named")
_ENROLLED = Prepared(select(repositories.c.id, repositories.c.indexed_by).where(_MINE))
_raised = update(repositories).where(_MINE).values(revision=repositories.c.revision + 1)
_RAISED = Prepared(_raised)


async def enrolled(connection: AsyncConnection, repository: Repository) -> Enrolled | None:
    """The row of a repository, found by its name; ``None`` if nothing is stored of it yet."""
    row = (await _ENROLLED.on(connection, {"named": repository.name})).first
    return Enrolled(id=row.id, indexed_by=row.indexed_by) if row else None


async def enrol(connection: AsyncConnection, repository: Repository, indexed_by: str) -> int:
    """The key of the repository's row, created if missing; within a writing transaction.

    ``indexed_by`` is set on a new row. The revision is raised, because whoever asks for the key is
    about to write under it.
    """
    about = {"web": repository.web, "forge": repository.forge}
    held = await enrolled(connection, repository)
    if held is None:
        made = await connection.execute(
            insert_into(repositories)
            .values(name=repository.name, indexed_by=indexed_by, revision=1, **about)
            .on_conflict_do_nothing()
            .returning(repositories.c.id)
        )
        key: int | None = made.scalar()
        # A writer of another subject may have created the row meanwhile.
        return key if key is not None else await enrol(connection, repository, indexed_by)
    if repository.web:
        await connection.execute(_raised.values(**about), {"named": repository.name})
    else:
        await written(connection, repository.name)
    return held.id


async def written(connection: AsyncConnection, name: str) -> None:
    """Raise the revision of a repository, by name, within a writing transaction."""
    await _RAISED.on(connection, {"named": name})


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
"""The columns that :func:`graded` reads; conditions are added to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """A change ready to be written, except for the keys that only the database knows."""

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


def entry(graded: Graded) -> ChangeRow:
    """The rows of a change."""
    commit, facts = graded.commit, graded.facts
    subject, rest = texts_of_facts(facts)
    return ChangeRow(
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
    """A request number as it is stored; one too large for the database matches nothing."""
    return None if number is None or number > _MOST else number


def graded_columns(grade: Grade) -> dict[str, Any]:
    """The columns of ``changes`` that hold a grade."""
    return {"score": grade.score, "level": grade.level.rank, "graded_by": grade.by}


def reasons_text(grade: Grade) -> str:
    """The reasons of a grade as JSON: an array of rule, weight and subject each."""
    listed = [[reason.rule, reason.weight, reason.subject] for reason in grade.reasons]
    return _text(listed)


def omitted(graded: Graded) -> int:
    """How many files of the change could not be read."""
    return sum(file.omitted for file in graded.facts.files)


def graded(row: Row[*tuple[Any, ...]]) -> Graded:
    """The change in a row of :data:`GRADED`; its facts are parsed when first used."""
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
    """By commit date, newest first; on a tie children come before parents, then by sha."""
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
    """A depth-first walk from the parents up, reversed: no recursion, for any shape of history."""
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
    """The text with a question mark for what a database cannot store: NUL and lone surrogates."""
    if "\0" in text:
        text = text.replace("\0", "?")
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


_put = object.__setattr__  # fields of the frozen dataclass are set later
_FIELDS = tuple(field.name for field in fields(Facts))

# Matches the JSON that ``_text`` writes: files begin with their paths, and only items have a
# ``name`` key. Quotation marks within texts are escaped, so no text looks like a key.
_WORD = r'("[^"\\]*(?:\\.[^"\\]*)*")'
_PATH = re.compile(r'\{"path":' + _WORD + r',"old_path":')
_NAME = re.compile(r'"name":' + _WORD)
_ITEMS = '],"items":['
_PARAGRAPHS = '],"paragraphs":['

# For texts without escapes, which is nearly all of them; several times faster.
_PLAIN_PATH = re.compile(r'\{"path":"([^"]*)"')
_PLAIN_NAME = re.compile(r'"name":"([^"]*)"')


def texts_of_facts(facts: Facts) -> tuple[str, str]:
    """The subject and the rest as JSON, for :meth:`StoredFacts.from_texts`."""
    value = facts_to_json(facts)
    return _text(value.pop("subject")), _text(value)


def _words(pattern: re.Pattern[str], plain: re.Pattern[str], text: str) -> tuple[str, ...]:
    if "\\" not in text:
        return tuple(plain.findall(text))
    return tuple(map(json.loads, pattern.findall(text)))


class StoredFacts(Facts):
    """Facts parsed on first use, equal to those that were stored."""

    __slots__ = ("_late", "_rest", "_subject")
    _late: dict[str, Any]
    _rest: str
    _subject: str

    @classmethod
    def from_texts(cls, version: int, subject: str, rest: str) -> Self:
        """Facts from the texts that :func:`texts_of_facts` made."""
        facts = cls.__new__(cls)
        _put(facts, "version", version)
        _put(facts, "_subject", subject)
        _put(facts, "_rest", rest)
        return facts

    def __getattr__(self, name: str) -> Any:
        # Called for missing attributes: a field that was not parsed yet.
        if name == "_late":
            read: Any = json.loads(self._rest)
        elif name == "subject":
            read = READ[name](json.loads(self._subject))
        elif name in READ:
            # Facts stored by an older version have neither clues nor notes.
            late = self._late.get(name, ()) if name in {"clues", "notes"} else self._late[name]
            read = READ[name](late)
        else:
            raise AttributeError(name)
        _put(self, name, read)
        return read

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the facts, without parsing the files."""
        rest = getattr(self, "_rest", None)
        if rest is None:
            return super().paths
        return _words(_PATH, _PLAIN_PATH, rest[: rest.index(_ITEMS)])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the facts, without parsing the items."""
        rest = getattr(self, "_rest", None)  # a pickled copy has its fields and no text
        if rest is None:
            return super().names
        items = rest[rest.index(_ITEMS) : rest.index(_PARAGRAPHS)]
        return _words(_NAME, _PLAIN_NAME, items)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Facts):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _FIELDS)

    __hash__ = Facts.__hash__
