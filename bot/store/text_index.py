"""The full-text index, as the archive uses it whichever database keeps it.

An index finds the changes whose texts hold all of some terms, whatever their length or script,
character by character; :mod:`bot.store.text_index_sqlite` and
:mod:`bot.store.text_index_postgresql` give the same answers to that. What ranks them is each
database's own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import (
    CTE,
    BindParameter,
    ColumnElement,
    Integer,
    Select,
    Text,
    bindparam,
    func,
    or_,
    select,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.dialect import contains
from bot.store.tables.archive_tables import change_texts, change_topics

GRAM = 3
"""Characters that a term is cut into; a shorter one is looked up in another way, and ranks none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """Terms as an index takes them: ``match`` asks for those of three characters and more.

    ``short`` asks for the others. Each is empty where no term is of its length; together they ask
    for all.
    """

    match: Any
    short: Any


class TextIndex(Protocol):
    """An index of texts and of the letters of topics, in one kind of database."""

    def expression(self, repository: int, terms: Iterable[str]) -> Expression:
        """Put terms, which are not empty, in the words of the index, for one repository.

        An index may still find changes of others, but need not.
        """

    def matching(self, *, match: bool, short: bool, terms: int) -> Select[*tuple[Any, ...]]:
        """The keys, as ``id``, of the changes whose texts meet an expression.

        Parameters: ``match`` and ``short``, of which one may be left out, and :func:`term` of 0
        and so on.
        """

    def candidates(self, *, match: bool, short: bool, terms: int) -> Select[*tuple[Any, ...]]:
        """As :meth:`matching`, but no text is read: perhaps more of them."""

    def __hash__(self) -> int:
        """Statements are kept by the index that they ask."""

    def rank(self, terms: int) -> ColumnElement[float]:
        """How well a row of :meth:`matching` meets the terms; smaller is better."""

    async def enter(
        self, connection: AsyncConnection, repository: int, texts: Mapping[int, Mapping[str, str]]
    ) -> None:
        """Put the texts of a repository's changes into the index, by their keys.

        They were written before.
        """

    async def withdraw(self, connection: AsyncConnection, keys: Sequence[int]) -> None:
        """Take the texts of changes out of the index, before they are removed."""

    async def settle(self, connection: AsyncConnection) -> None:
        """Put the index in order after a batch, where that is due."""

    async def learn(
        self, connection: AsyncConnection, repository: int, topics: Collection[str]
    ) -> None:
        """Take topics down that are not known yet; within a writing transaction."""

    async def alike(
        self, connection: AsyncConnection, repository: int, names: Iterable[str]
    ) -> Mapping[str, int]:
        """Topics that share letters with one of the names, with how many changes bear each."""


def term(number: int) -> BindParameter[str]:
    """The parameter that a term is given by; they are numbered from 0."""
    return bindparam(f"term{number}", type_=Text)


def holding(wanted: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a row of ``change_texts`` holds the term, the short texts first."""
    texts = (change_texts.c.subject, change_texts.c.names, change_texts.c.paths)
    return or_(*(contains(text, wanted) for text in (*texts, change_texts.c.body)))


def bearers(topics: CTE) -> Select[str, int]:
    """How many changes of a repository bear each of some topics; it is named ``repository``."""
    return (
        select(topics.c.topic, func.count())
        .join_from(topics, change_topics, change_topics.c.topic == topics.c.topic)
        .where(change_topics.c.repository_id == bindparam("repository", type_=Integer))
        .group_by(topics.c.topic)
    )
