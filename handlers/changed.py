"""``changed``: what changed in a topic, by somebody, under a path, within a window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from digest.answer import (
    Answer,
    Row,
    because,
    foot,
    graded_because,
    lines_document,
    listing_document,
    title_of,
)
from digest.document import Code, Spans
from digest.graded import Graded
from digest.intent import Changed
from digest.match import Resolved, bears, candidates, is_general, resolve
from digest.phrases import (
    KNOWN_ELSEWHERE,
    MENTIONED,
    NEAR,
    NO_CHANGE,
    NO_TOPIC,
    NOTHING,
    SEARCH_FOR,
)
from digest.query import Query
from digest.words.phrase import listed
from handlers.context import Context
from handlers.ingest import fill
from handlers.looking import seen, tip_of


async def changed(intent: Changed, ctx: Context, page: int = 1) -> Answer:
    """The changes that meet the intent, after reading what the archive lacks of the window.

    Without any, the answer says so and names near topics.
    """
    tip = await tip_of(ctx)
    await fill(ctx, intent.window, tip)
    resolved = await _resolve(intent.topic, ctx)
    rows = await _rows(intent, resolved, ctx)
    if not (rows or resolved.topics or intent.author) and (by := await _by_name(intent, ctx)):
        intent, rows = by
    at = seen(ctx, tip)
    if rows:
        title = title_of(intent.topic, intent.author, intent.path, intent.level, ctx.language)
        document = listing_document(title, rows, intent.window, at, page)
    else:
        lines = [*await _nothing(intent, resolved, ctx), foot(intent.window, at)]
        document = lines_document(intent.topic, lines, at)
    return Answer(
        intent="changed", document=document, window=intent.window, topic=intent.topic, rows=rows
    )


async def _resolve(topic: str, ctx: Context) -> Resolved:
    """The topic as index terms; all terms are read only where it has none, for near ones."""
    if not topic:
        return Resolved()
    repository, aliases = ctx.watched.repository, ctx.watched.aliases
    known = await ctx.archive.vocabulary(repository, candidates(topic, aliases))
    resolved = resolve(topic, known, aliases)
    if resolved.topics:
        return resolved
    return resolve(topic, await ctx.archive.vocabulary(repository), aliases)


async def _rows(intent: Changed, resolved: Resolved, ctx: Context) -> tuple[Row, ...]:
    if intent.topic and not resolved.topics:
        return ()
    query = Query(
        window=intent.window,
        topics=resolved.topics,
        paths=(intent.path,) if intent.path else (),
        author=intent.author,
        level=intent.level,
    )
    found = await ctx.archive.select(ctx.watched.repository, query)
    return tuple(_judged(found, resolved, ctx))


async def _by_name(intent: Changed, ctx: Context) -> tuple[Changed, tuple[Row, ...]] | None:
    """The changes of somebody whose name was read as a topic, where there are any."""
    meant = replace(intent, topic="", author=intent.topic)
    rows = await _rows(meant, Resolved(), ctx) if intent.topic else ()
    return (meant, rows) if rows else None


def _judged(found: Sequence[Graded], resolved: Resolved, ctx: Context) -> Iterator[Row]:
    """Those that are about the topic, each with why; without a topic all of them."""
    for graded in found:
        if not resolved.topics:
            yield Row(graded=graded, why=graded_because(graded, ctx.language))
        elif bearings := bears(graded, resolved):
            yield Row(graded=graded, why=because(bearings, ctx.language))


async def _nothing(intent: Changed, resolved: Resolved, ctx: Context) -> list[Spans]:
    """That there is nothing, and where else to look."""
    language, repository = ctx.language, ctx.watched.repository
    if not intent.topic:
        return [NO_CHANGE(language)]
    topic = Code(intent.topic)
    if resolved.topics or is_general(intent.topic):
        lines = [NOTHING(language, topic=topic)]
        elsewhere = await ctx.archive.select(repository, Query(topics=resolved.topics))
        count = sum(1 for g in elsewhere if bears(g, resolved))
        if count:
            lines.append(KNOWN_ELSEWHERE(language, n=count))
    else:
        lines = [NO_TOPIC(language, topic=topic, repository=repository.name)]
    if resolved.near:
        near = listed([Code(n) for n in resolved.near], language, limit=len(resolved.near))
        lines.append(NEAR(language, topics=near))
    mentions = await ctx.archive.select(
        repository, Query(window=intent.window, terms=tuple(intent.topic.split()))
    )
    if mentions:
        question = SEARCH_FOR.text(language, terms=intent.topic)
        lines.append(MENTIONED(language, n=len(mentions), question=Code(question)))
    return lines
