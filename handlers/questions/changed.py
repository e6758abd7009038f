"""``changed``: what changed in a topic, by somebody, under a path, within a window or a range."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from digest.answer.answers import (
    Answer,
    AnswerRow,
    because,
    beside_title,
    foot,
    graded_because,
    lines_document,
    listing_document,
    title_of,
)
from digest.answer.listing import NOTHING_FOUND, line_within
from digest.answer.tallies import by_author, by_day, by_file
from digest.core.enums import Language
from digest.core.grade import Graded
from digest.core.reference import Query
from digest.document import Block, Code, Document, Spans
from digest.i18n.answer_text import (
    KNOWN_ELSEWHERE,
    MENTIONED,
    NEAR,
    NO_CHANGE,
    NO_TOPIC,
    NOTHING,
    PER_DAY,
    SEARCH_FOR,
)
from digest.i18n.phrase import listed
from digest.question.intent import Changed
from digest.topics.matching import (
    Resolved,
    bears,
    candidates,
    is_general,
    narrowed,
    near_topics,
    resolve,
    sought,
)
from handlers.context import Context
from handlers.digests.ingest import tip_of
from handlers.questions.defaults import defaults
from handlers.questions.scope import QueryResult, Reach, count, found, newest, reach, seen


async def changed(intent: Changed, ctx: Context) -> Answer:
    """The changes that meet the intent, after reading what the archive lacks of them.

    Without any, the answer says so and names near topics. Raises as :func:`reach` does.
    """
    tip = await tip_of(ctx)
    reached = await reach(intent.window, ctx, tip)
    resolved = await _resolve(intent, ctx)
    if intent.defaults and (resolved.topics or not intent.topic):
        query = _query(intent, resolved, reached)
        return await defaults(intent, query, reached, ctx, seen(ctx, tip))
    held = await _found(intent, resolved, ctx, reached)
    if not (held.rows or resolved.topics or intent.author) and intent.topic:
        intent, held = await _by_name(intent, held, ctx, reached)
    at = seen(ctx, tip)
    if held.rows:
        title = title_of(intent, ctx.language)
        document = listing_document(title, held.survey, held.why, intent.window, at)
        if intent.daily:
            document = await _charted(document, _query(intent, resolved, reached), reached, ctx)
        if intent.files:
            document = await _filed(document, _query(intent, resolved, reached), ctx)
        if intent.people:
            document = await _peopled(document, _query(intent, resolved, reached), ctx)
    else:
        lines = await _nothing(intent, resolved, ctx, reached)
        lines += [*await newest(intent, ctx, tip), foot(intent.window, at)]
        document = lines_document(intent.topic, lines, at)
    return Answer(
        intent="changed",
        document=document,
        window=reached.window,
        topic=intent.topic,
        total=held.survey.total,
        rows=held.rows,
    )


async def _resolve(intent: Changed, ctx: Context) -> Resolved:
    """The topic with its kinds and label as index terms; where it has none, with near ones."""
    if not intent.topic:
        return narrowed(Resolved(), intent.kinds, intent.label)
    repository, aliases = ctx.watched.repository, ctx.watched.aliases
    known = await ctx.archive.vocabulary(repository, candidates(intent.topic, aliases))
    resolved = resolve(intent.topic, known, aliases)
    if resolved.topics:
        return narrowed(resolved, intent.kinds, intent.label)
    alike = await ctx.archive.alike(repository, sought(intent.topic))
    return Resolved(near=near_topics(intent.topic, alike))


def _query(intent: Changed, resolved: Resolved, reached: Reach) -> Query:
    return replace(
        reached.query,
        topics=resolved.topics,
        about=resolved.alternatives,
        paths=(intent.path,) if intent.path else (),
        author=intent.author,
        level=intent.level,
    )


async def _found(intent: Changed, resolved: Resolved, ctx: Context, reached: Reach) -> QueryResult:
    if intent.topic and not resolved.topics:
        return QueryResult(survey=NOTHING_FOUND, rows=())
    query = _query(intent, resolved, reached)

    def row(graded: Graded, labels: Sequence[str]) -> AnswerRow:
        return _row(graded, resolved, labels, ctx.language)

    held = await found(ctx, query, ctx.page, row)
    return _within(held, intent.path, ctx.language) if intent.path else held


def _row(
    graded: Graded, resolved: Resolved, labels: Sequence[str], language: Language
) -> AnswerRow:
    """A change with why it is about the topic; without a topic, why it was graded so.

    What a period alone selected needs no reason where it is listed.
    """
    if not resolved.topics:
        return AnswerRow(graded=graded, why=graded_because(graded, language), unseen="")
    borne = bears(graded, resolved, labels)
    return AnswerRow(
        graded=graded, why=because(borne, language), unseen=beside_title(borne, language)
    )


def _within(held: QueryResult, path: str, language: Language) -> QueryResult:
    """The same with what each change of the page does under the path that was asked about."""
    page = tuple(
        replace(shown, line=line_within(shown.graded, path, language)) for shown in held.survey.page
    )
    return replace(held, survey=replace(held.survey, page=page))


async def _charted(document: Document, query: Query, reached: Reach, ctx: Context) -> Document:
    """The document with the numbers of all its changes by day below its counts."""
    changes = await ctx.archive.select(ctx.watched.repository, query)
    window = reached.window
    first = window.since if window else changes[-1].commit.committed_at
    last = window.until - timedelta(microseconds=1) if window else changes[0].commit.committed_at
    title = PER_DAY.text(ctx.language)
    chart: Block = await asyncio.to_thread(by_day, changes, title, ctx.zone, first, last)
    counts, rest = document.blocks[:2], document.blocks[2:]
    return replace(document, blocks=(*counts, chart, *rest))


async def _peopled(document: Document, query: Query, ctx: Context) -> Document:
    """The document with the authors of all its changes below its counts."""
    changes = await ctx.archive.select(ctx.watched.repository, query)
    told = await asyncio.to_thread(by_author, changes, ctx.language)
    return replace(document, blocks=(*document.blocks[:2], *told, *document.blocks[2:]))


async def _filed(document: Document, query: Query, ctx: Context) -> Document:
    """The document with the files that most of its changes touched below its counts."""
    changes = await ctx.archive.select(ctx.watched.repository, query)
    told = await asyncio.to_thread(by_file, changes, ctx.language)
    return replace(document, blocks=(*document.blocks[:2], *told, *document.blocks[2:]))


async def _by_name(
    intent: Changed, held: QueryResult, ctx: Context, reached: Reach
) -> tuple[Changed, QueryResult]:
    """The changes of somebody whose name was read as a topic, where there are any."""
    meant = replace(intent, topic="", author=intent.topic)
    nobody = narrowed(Resolved(), intent.kinds, intent.label)
    theirs = await _found(meant, nobody, ctx, reached)
    return (meant, theirs) if theirs.rows else (intent, held)


async def _nothing(
    intent: Changed, resolved: Resolved, ctx: Context, reached: Reach
) -> list[Spans]:
    """That there is nothing, and where else to look."""
    language, repository = ctx.language, ctx.watched.repository
    if not intent.topic:
        return [NO_CHANGE(language)]
    topic = Code(intent.topic)
    if resolved.topics or is_general(intent.topic):
        lines = [NOTHING(language, topic=topic)]
        if elsewhere := await _elsewhere(ctx, resolved):
            lines.append(KNOWN_ELSEWHERE(language, n=elsewhere))
    else:
        lines = [NO_TOPIC(language, topic=topic, repository=repository.name)]
    if resolved.near:
        near = listed([Code(n) for n in resolved.near], language, limit=len(resolved.near))
        lines.append(NEAR(language, topics=near))
    query = replace(reached.query, terms=tuple(intent.topic.split()))
    if mentions := await count(ctx, query):
        question = SEARCH_FOR.text(language, terms=intent.topic)
        lines.append(MENTIONED(language, n=mentions, question=Code(question)))
    return lines


async def _elsewhere(ctx: Context, resolved: Resolved) -> int:
    """How many changes are about the topic, of any period."""
    if not resolved.topics:
        return 0
    return await count(ctx, Query(topics=resolved.topics, about=resolved.alternatives))
