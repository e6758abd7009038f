"""Rows of repositories and of graded changes with their facts, converted both ways without loss.

All other rows refer to a repository's row, which is never removed. Writing anything about a
repository raises its revision in the same transaction, so a reader can tell by one number whether a
result computed earlier is still valid. The indexes store texts without case and with each run of
white space as one space, so that a phrase is found across lines.

The JSON keys of facts are part of the archive: they are added to, never renamed. Defaults are
written too, so that a reader need not know them. Facts are parsed when they are first used: most
answers list changes by their titles alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import groupby
from typing import Any, Self, get_type_hints

from sqlalchemy import Row, ScalarSelect, Select, bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store import dialect
from bot.store.database import Prepared
from bot.store.tables.archive_tables import changes, contents, repositories
from digest.answer.listing import LINES_VERSION, area_of, line_of
from digest.answer.tallies import people_of
from digest.core.change import Commit, printable
from digest.core.enums import Language
from digest.core.facts import TOPICS_VERSION, Facts, Subject
from digest.core.grade import Grade, Graded, Level, Reason, Repository
from digest.core.statement import Analysis, spans_to_json
from digest.frozen import frozen

_put = object.__setattr__  # fields of the frozen dataclass are set later
_TYPES = get_type_hints(Facts)
_NAMES = tuple(field.name for field in fields(Facts))

_JSON_NAMES = (
    *("version", "subject", "files", "items", "paragraphs", "trailers", "co_authors"),
    *("issues", "reverts", "relands", "merge", "clues", "notes"),
)

# Matches the JSON of :func:`texts_of_facts`: files begin with their paths, and only items have a
# ``name`` key. Quotation marks within texts are escaped, so no text looks like a key.
_WORD = r'("[^"\\]*(?:\\.[^"\\]*)*")'
_PATH = re.compile(r'\{"path":' + _WORD + r',"old_path":')
_NAME = re.compile(r'"name":' + _WORD)
_ITEMS = '],"items":['
_PARAGRAPHS = '],"paragraphs":['

# For texts without escapes, which is nearly all of them; several times faster.
_PLAIN_PATH = re.compile(r'\{"path":"([^"]*)"')
_PLAIN_NAME = re.compile(r'"name":"([^"]*)"')


def facts_to_json(facts: Facts) -> dict[str, Any]:
    """A value for ``json.dumps`` with ``ensure_ascii``: undecodable bytes stay lone surrogates."""
    return {
        name: dialect.adapter(_TYPES[name]).dump_python(getattr(facts, name), mode="json")
        for name in _JSON_NAMES
    }


def facts_from_json(value: Mapping[str, Any]) -> Facts:
    """The facts that :func:`facts_to_json` wrote; raises ``ValueError`` for anything else."""
    return dialect.value_from(Facts, value)


def texts_of_facts(facts: Facts) -> tuple[str, str]:
    """The subject and the rest as JSON, for :meth:`StoredFacts.from_texts`."""
    value = facts_to_json(facts)
    return dialect.compact_json(value.pop("subject")), dialect.compact_json(value)


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
            read = dialect.adapter(Subject).validate_python(json.loads(self._subject))
        elif name in _TYPES:
            # Facts stored by an older version have neither clues nor notes.
            late = self._late.get(name, ()) if name in {"clues", "notes"} else self._late[name]
            read = dialect.adapter(_TYPES[name]).validate_python(late)
        else:
            raise AttributeError(name)
        _put(self, name, read)
        return read

    @property
    def content(self) -> int | None:
        """A number that is the same for the same facts; ``None`` without their texts."""
        rest = getattr(self, "_rest", None)
        return None if rest is None else hash((self.version, self._subject, rest))

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
        return all(getattr(self, name) == getattr(other, name) for name in _NAMES)

    __hash__ = Facts.__hash__


_named = repositories.c.name == bindparam("named")
_FIND = Prepared(select(repositories.c.id, repositories.c.indexed_by).where(_named))
_raise = update(repositories).where(_named).values(revision=repositories.c.revision + 1)
RAISE = Prepared(_raise)  # raises the revision of the repository that is named


def key_of(repository: Repository) -> ScalarSelect[int]:
    """The key of a repository as a part of a statement; no row has it if nothing is stored."""
    keys = select(repositories.c.id).where(repositories.c.name == repository.name)
    return keys.scalar_subquery()


async def find_repository(connection: AsyncConnection, name: str) -> Any | None:
    """A repository's key and the versions it is ``indexed_by``; ``None`` if nothing is stored."""
    return (await _FIND.on(connection, {"named": name})).first


async def add_repository(connection: AsyncConnection, repository: Repository) -> int:
    """The key of the repository's row, created if missing; within a writing transaction."""
    # The revision is raised, because whoever asks for the key is about to write under it.
    about = {"web": repository.web, "forge": repository.forge}
    row = await find_repository(connection, repository.name)
    if row is None:
        added = await connection.execute(
            dialect.insert_into(repositories)
            .values(name=repository.name, indexed_by=INDEXED_BY, revision=1, **about)
            .on_conflict_do_nothing()
            .returning(repositories.c.id)
        )
        key: int | None = added.scalar()
        # A writer of another subject may have created the row meanwhile.
        return key if key is not None else await add_repository(connection, repository)
    if repository.web:
        await connection.execute(_raise.values(**about), {"named": repository.name})
    else:
        await raise_revision(connection, repository.name)
    return int(row.id)


async def raise_revision(connection: AsyncConnection, name: str) -> None:
    """Raise the revision of a repository, by name, within a writing transaction."""
    await RAISE.on(connection, {"named": name})


_MOST = 2**63 - 1
_LEVELS = tuple(Level)

GRADED: Select[*tuple[Any, ...]] = select(
    *(changes.c[name] for name in ("sha", "committed_at", "score", "level", "graded_by")),
    changes.c.facts_version,
    *(column for column in contents.columns if column.name != "change_id"),
).join_from(changes, contents, contents.c.change_id == changes.c.id)
"""The columns that :func:`graded_from_row` reads; conditions are added to it."""


@frozen
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


def entry(graded: Graded) -> ChangeRow:
    """The rows of a change."""
    # Reading an archive analyses nothing.
    from digest.analysis.analyse import gist
    from digest.topics.index_terms import topics_of

    commit, facts = graded.commit, graded.facts
    subject, rest = texts_of_facts(facts)
    told = None if graded.grade.level is Level.LOW else gist(graded, Language.EN)
    return ChangeRow(
        sha=commit.sha,
        committed_at=dialect.seconds(commit.committed_at),
        change={
            "sha": commit.sha,
            "committed_at": dialect.seconds(commit.committed_at),
            "number": storable_number(graded.number),
            "facts_version": facts.version,
            "omitted": count_omitted(graded),
            "author_key": fold(people_of(graded)[0]),
            "area": area_of(graded).value,
            **graded_columns(graded.grade),
        },
        content={
            "authored_at": dialect.seconds(commit.authored_at),
            "author": dialect.storable(commit.author),
            "email": dialect.storable(commit.email),
            "parents": " ".join(commit.parents),
            "reasons": reasons_text(graded.grade),
            "message": dialect.storable(commit.message),
            "subject": subject,
            "facts": rest,
        },
        texts=texts_of(graded),
        topics=frozenset(map(dialect.storable, topics_of(graded, told))),
        paths=tuple(paths_of(graded)),
        lines=lines_of(graded, told),
    )


def storable_number(number: int | None) -> int | None:
    """A request number as it is stored; one too large for the database matches nothing."""
    return None if number is None or number > _MOST else number


def graded_columns(grade: Grade) -> dict[str, Any]:
    """The columns of ``changes`` that hold a grade."""
    return {"score": grade.score, "level": grade.level.rank, "graded_by": grade.by}


def reasons_to_json(grade: Grade) -> list[list[Any]]:
    """The reasons of a grade: a list of rule, weight and subject each."""
    return [[reason.rule, reason.weight, reason.subject] for reason in grade.reasons]


def reasons_from_json(value: Iterable[tuple[str, float, str]]) -> tuple[Reason, ...]:
    """The reasons that :func:`reasons_to_json` wrote."""
    return tuple(
        Reason(rule=rule, weight=weight, subject=subject) for rule, weight, subject in value
    )


def reasons_text(grade: Grade) -> str:
    """The reasons of a grade as JSON."""
    return dialect.compact_json(reasons_to_json(grade))


def count_omitted(graded: Graded) -> int:
    """How many files of the change could not be read."""
    return sum(file.omitted for file in graded.facts.files)


def graded_from_row(row: Row[*tuple[Any, ...]]) -> Graded:
    """The change in a row of :data:`GRADED`; its facts are parsed when first used."""
    return Graded(
        commit=Commit(
            sha=row.sha,
            parents=tuple(row.parents.split()),
            author=row.author,
            email=row.email,
            authored_at=dialect.moment(row.authored_at),
            committed_at=dialect.moment(row.committed_at),
            message=row.message,
        ),
        facts=StoredFacts.from_texts(row.facts_version, row.subject, row.facts),
        grade=Grade(
            score=row.score,
            level=_LEVELS[row.level],
            reasons=reasons_from_json(json.loads(row.reasons)),
            by=row.graded_by,
        ),
    )


def newest_first(changes: Iterable[Graded]) -> Sequence[Graded]:
    """By commit date, newest first; on a tie children come before parents, then by sha."""
    ordered = sorted(changes, key=lambda g: (g.commit.committed_at, g.sha), reverse=True)
    result: list[Graded] = []
    for _, same in groupby(ordered, key=lambda g: g.commit.committed_at):
        tied = list(same)
        result += _children_first(tied) if len(tied) > 1 else tied
    return result


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


TEXTS_VERSION = 4  # raised when texts, paths, author or area of a change are computed differently
INDEXED_BY = f"topics {TOPICS_VERSION}, texts {TEXTS_VERSION}, lines {LINES_VERSION}"
"""Versions that a repository's indexes are built by; if its row differs, they are rebuilt."""

_TAIL = "\n\n"  # ends every text, so that its last character also begins a gram of three


def fold(text: str) -> str:
    """A text as it is compared: without case, on one line, of characters that can be stored."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    return " ".join(text.replace("\0", " ").casefold().split())


def texts_of(graded: Graded) -> dict[str, str]:
    """The searched columns of a change; no term spans two lines of a column."""
    commit, facts = graded.commit, graded.facts
    subjects = dict.fromkeys((fold(facts.subject.title), fold(commit.subject)))
    return {
        "subject": _lines(subjects),
        "body": _lines([fold(commit.body)]),
        "paths": _lines(fold(path) for path in paths_of(graded)),
        "names": _lines(dict.fromkeys(fold(item.name) for item in facts.items)),
    }


def paths_of(graded: Graded) -> dict[str, None]:
    """The displayed paths that a change touches, in order; a moved file counts with both paths."""
    files = graded.facts.files
    both = (path for file in files for path in (file.path, file.old_path) if path is not None)
    return dict.fromkeys(printable(path) for path in both)


def lines_of(graded: Graded, told: Analysis | None = None) -> dict[str, str]:
    """The one-line description of a change by language, as spans in JSON; ``told`` is its gist."""
    known = {told.language: told} if told else {}
    lines = ((one.value, line_of(graded, one, known.get(one))) for one in Language)
    return {
        language: dialect.compact_json(spans_to_json(spans)) for language, spans in lines if spans
    }


def _lines(parts: Iterable[str]) -> str:
    text = "\n".join(part for part in parts if part)
    return text and text + _TAIL
