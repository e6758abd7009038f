"""The full-text index, as the archive uses it on either database.

An index finds the changes whose texts contain all of some terms, of any length or script, character
by character; :mod:`bot.store.text_index_sqlite` and :mod:`bot.store.text_index_postgresql` find the
same changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.dialect import contains
from bot.store.tables.archive_tables import change_texts, change_topics
from digest.frozen import frozen

GRAM = 3  # characters of a gram; shorter terms are looked up differently


@frozen
class Expression:
    """Terms as parameters of an index; both together ask for all of them."""

    match: Any  # those of three characters or more; empty if there is none
    short: Any  # the others; empty if there is none


class TextIndex(Protocol):
    """An index of texts and of the letters of topics, in one kind of database."""

    def expression(self, repository: int, terms: Iterable[str]) -> Expression:
        """Terms as an expression of the index, which may also match other repositories."""

    def matching(self, *, match: bool, short: bool, terms: int) -> sa.Select[*tuple[Any, ...]]:
        """The keys, as ``id``, of the changes whose texts match an expression.

        Parameters: ``repository``, ``match`` and ``short``, one of which may be left out, and
        :func:`term` of 0 and so on.
        """

    def candidates(self, *, match: bool, short: bool, terms: int) -> sa.Select[*tuple[Any, ...]]:
        """As :meth:`matching`, but without reading texts, so it may return too many."""

    def __hash__(self) -> int:
        """Statements are cached by the index that they query."""
        return id(self)

    async def enter(
        self, connection: AsyncConnection, repository: int, texts: Mapping[int, Mapping[str, str]]
    ) -> None:
        """Add the texts of a repository's changes, which are already written, to the index."""

    async def withdraw(self, connection: AsyncConnection, keys: Sequence[int]) -> None:
        """Remove the texts of changes from the index, before the changes are removed."""

    async def settle(self, connection: AsyncConnection) -> None:
        """Tidy the index after a batch if that is due."""

    async def learn(
        self, connection: AsyncConnection, repository: int, topics: Collection[str]
    ) -> None:
        """Store topics that are not known yet; within a writing transaction."""

    async def alike(
        self, connection: AsyncConnection, repository: int, names: Iterable[str]
    ) -> Mapping[str, int]:
        """Topics that share letters with one of the names, with their numbers of changes."""


def term(number: int) -> sa.BindParameter[str]:
    """The parameter for a term; terms are numbered from 0."""
    return sa.bindparam(f"term{number}", type_=sa.Text)


def holding(wanted: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    """Whether a row of ``change_texts`` contains the term; short texts are tested first."""
    texts = (change_texts.c.subject, change_texts.c.names, change_texts.c.paths)
    return sa.or_(*(contains(text, wanted) for text in (*texts, change_texts.c.body)))


def bearers(topics: sa.CTE) -> sa.Select[str, int]:
    """How many changes of the parameter ``repository`` have each of the topics."""
    return (
        sa.select(topics.c.topic, sa.func.count())
        .join_from(topics, change_topics, change_topics.c.topic == topics.c.topic)
        .where(change_topics.c.repository_id == sa.bindparam("repository", type_=sa.Integer))
        .group_by(topics.c.topic)
    )


@cache
def index_of(dialect: str) -> TextIndex:
    """The text index of a database, by SQLAlchemy's name of its dialect."""
    if dialect == "postgresql":
        from bot.store.text_index_postgresql import PostgresIndex

        return PostgresIndex()
    from bot.store.text_index_sqlite import SqliteIndex

    return SqliteIndex()
