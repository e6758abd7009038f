"""``changed``: what changed in a topic, by somebody, under a path, within a window."""

from __future__ import annotations

from dataclasses import replace

from digest.answer import (
    Answer,
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
from digest.language import Language
from digest.match import Resolved, bears, candidates, is_general, near_topics, resolve, sought
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
from digest.survey import NOTHING_FOUND
from digest.words.phrase import listed
from handlers.context import Context
from handlers.ingest import fill
from handlers.looking import Found, count, found, seen, tip_of


async def changed(intent: Changed, ctx: Context, page: int = 1) -> Answer:
    """The changes that meet the intent, after reading what the archive lacks of the window.

    Without any, the answer says so and names near topics.
    """
    tip = await tip_of(ctx)
    await fill(ctx, intent.window, tip)
    resolved = await _resolve(intent.topic, ctx)
    held = await _found(intent, resolved, ctx, page)
    if not (held.rows or resolved.topics or intent.author) and intent.topic:
        intent, held = await _by_name(intent, held, ctx, page)
    at = seen(ctx, tip)
    if held.rows:
        title = title_of(intent.topic, intent.author, intent.path, intent.level, ctx.language)
        document = listing_document(title, held.survey, held.why, intent.window, at)
    else:
        lines = [*await _nothing(intent, resolved, ctx), foot(intent.window, at)]
        document = lines_document(intent.topic, lines, at)
    return Answer(
        intent="changed",
        document=document,
        window=intent.window,
        topic=intent.topic,
        total=held.survey.total,
        rows=held.rows,
    )


async def _resolve(topic: str, ctx: Context) -> Resolved:
    """The topic as index terms; where it has none, with near ones."""
    if not topic:
        return Resolved()
    repository, aliases = ctx.watched.repository, ctx.watched.aliases
    known = await ctx.archive.vocabulary(repository, candidates(topic, aliases))
    resolved = resolve(topic, known, aliases)
    if resolved.topics:
        return resolved
    return Resolved(near=near_topics(topic, await ctx.archive.alike(repository, sought(topic))))


async def _found(intent: Changed, resolved: Resolved, ctx: Context, page: int) -> Found:
    if intent.topic and not resolved.topics:
        return Found(survey=NOTHING_FOUND, rows=())
    query = Query(
        window=intent.window,
        topics=resolved.topics,
        about=resolved.alternatives,
        paths=(intent.path,) if intent.path else (),
        author=intent.author,
        level=intent.level,
    )
    return await found(ctx, query, page, lambda graded: _why(graded, resolved, ctx.language))


def _why(graded: Graded, resolved: Resolved, language: Language) -> str:
    """Why a change is about the topic; without a topic, why it was graded so."""
    if resolved.topics:
        return because(bears(graded, resolved), language)
    return graded_because(graded, language)


async def _by_name(intent: Changed, held: Found, ctx: Context, page: int) -> tuple[Changed, Found]:
    """The changes of somebody whose name was read as a topic, where there are any."""
    meant = replace(intent, topic="", author=intent.topic)
    theirs = await _found(meant, Resolved(), ctx, page)
    return (meant, theirs) if theirs.rows else (intent, held)


async def _nothing(intent: Changed, resolved: Resolved, ctx: Context) -> list[Spans]:
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
    query = Query(window=intent.window, terms=tuple(intent.topic.split()))
    if mentions := await count(ctx, query):
        question = SEARCH_FOR.text(language, terms=intent.topic)
        lines.append(MENTIONED(language, n=mentions, question=Code(question)))
    return lines


async def _elsewhere(ctx: Context, resolved: Resolved) -> int:
    """How many changes are about the topic, of any period."""
    if not resolved.topics:
        return 0
    return await count(ctx, Query(topics=resolved.topics, about=resolved.alternatives))
