"""``changed``: changes by topic, person or path, within a window or a range."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from rapidfuzz.distance import OSA

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
from digest.answer.listing import NOTHING_FOUND, line_within, survey_of
from digest.answer.tallies import by_author, by_day, by_file
from digest.core.enums import ChangeKind, Language
from digest.core.facts import Action
from digest.core.grade import Graded, Level
from digest.core.reference import Query
from digest.document import Block, Code, Document, Paragraph, Spans
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
from digest.i18n.reading_text import LOWER, MENDED, NONE_BREAKING, WITHOUT
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
from digest.topics.terms import term
from handlers.context import Context
from handlers.digests.ingest import labels_of, tip_of
from handlers.questions.defaults import defaults
from handlers.questions.named_changes import names
from handlers.questions.scope import QueryResult, Reach, count, found, newest, reach, seen


async def changed(intent: Changed, ctx: Context) -> Answer:
    """The changes that match the intent, after reading those that the archive lacks.

    If there are none, the answer says so and suggests similar topics. Raises as :func:`reach` does.
    """
    tip = await tip_of(ctx)
    reached = await reach(intent.window, ctx, tip)
    if (intent.things or (intent.actions and not intent.topic)) and not intent.defaults:
        by_name = await names(intent, reached, ctx, tip)
        if by_name is not None:
            return by_name
    intent, resolved, notes = await _meant(intent, ctx)
    if intent.defaults and (resolved.topics or not intent.topic):
        query = _query(intent, resolved, reached)
        return await defaults(intent, query, reached, ctx, seen(ctx, tip))
    held = await _found(intent, resolved, ctx, reached)
    if not (held.rows or resolved.topics or intent.author) and intent.topic:
        intent, held = await _by_name(intent, held, ctx, reached)
    elif intent.author and not held.rows and not intent.topic:
        intent, resolved, held = await _by_topic(intent, resolved, held, ctx, reached)
    if intent.topic and _FILE_NAME.fullmatch(intent.topic):
        by_path = await _by_path(intent, ctx, reached)
        if by_path is not None:
            intent, resolved, held = by_path
    if intent.actions and intent.topic and held.rows:
        held = await _acted(intent, resolved, held, ctx, reached)
    if intent.kinds == (ChangeKind.BREAKING,) and not held.rows and resolved.topics:
        wider = replace(intent, kinds=_TROUBLE)
        about = narrowed(await _resolve(replace(wider, kinds=()), ctx), wider.kinds, wider.label)
        if (found_wider := await _found(wider, about, ctx, reached)).rows:
            intent, resolved, held = wider, about, found_wider
            notes = [*notes, NONE_BREAKING(ctx.language)]
    if intent.level is Level.HIGH and not held.rows and (resolved.topics or not intent.topic):
        lower = replace(intent, level=Level.MEDIUM)
        if (found_lower := await _found(lower, resolved, ctx, reached)).rows:
            intent, held, notes = lower, found_lower, [*notes, LOWER(ctx.language)]
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
        noted = (document.blocks[0], *map(Paragraph, notes), *document.blocks[1:])
        document = replace(document, blocks=noted)
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


_TROUBLE = (ChangeKind.REVERTS, ChangeKind.FIX, ChangeKind.DEPRECATIONS)
"""Kinds that suggest trouble when nothing is marked as breaking."""

_SAYS = {
    Action.ADDED: re.compile(
        r"\b(?:add(?:s|ed|ing)?|support(?:s|ed)?|introduc\w{1,4}|new|implement\w{0,6}|enabl\w{1,4})\b",
        re.IGNORECASE,
    ),
    Action.REMOVED: re.compile(
        r"\b(?:remov\w{1,4}|drop(?:s|ped|ping)?|delet\w{1,4})\b", re.IGNORECASE
    ),
    Action.RENAMED: re.compile(r"\brenam\w{1,4}\b", re.IGNORECASE),
    Action.CHANGED: re.compile(r""),
}


_FILE_NAME = re.compile(r"(?:[\w.+-]+/)*[\w+-]+(?:\.[a-z]{1,5}|/[\w.+-]+)", re.ASCII)
"""A topic that may be the name of a file or folder: ``go.mod``, ``crates/uv-resolver``."""


async def _by_path(
    intent: Changed, ctx: Context, reached: Reach
) -> tuple[Changed, Resolved, QueryResult] | None:
    """The changes of the files that a topic names by their path or its end, if there are any."""
    kinds = narrowed(Resolved(), intent.kinds, intent.label)
    meant = replace(intent, topic="", path=intent.topic)
    held = await _found(meant, kinds, ctx, reached)
    if held.rows:
        return meant, kinds, held
    named = f"/{intent.topic}"
    changes = await ctx.archive.select(
        ctx.watched.repository, _query(replace(meant, path=""), kinds, reached)
    )
    ends = [g for g in changes if any(f"/{path}".endswith(named) for path in g.facts.paths)]
    if not ends:
        return None
    return meant, kinds, await _listed_result(ends, kinds, ctx)


async def _listed_result(
    changes: Sequence[Graded], resolved: Resolved, ctx: Context
) -> QueryResult:
    """Changes that were selected here, as the archive lists them."""
    labels = await labels_of(ctx.requests, ctx.watched.repository, changes)
    survey = survey_of(changes, ctx.page, ctx.language)
    shown = changes if ctx.every else [one.graded for one in survey.page]
    rows = tuple(_row(g, resolved, labels.get(g.sha, ()), ctx.language) for g in shown)
    return QueryResult(survey=survey, rows=rows)


async def _acted(
    intent: Changed, resolved: Resolved, held: QueryResult, ctx: Context, reached: Reach
) -> QueryResult:
    """The changes about a topic whose titles say that something was added or removed."""
    changes = await ctx.archive.select(ctx.watched.repository, _query(intent, resolved, reached))
    said = [g for g in changes if any(_SAYS[one].search(g.title) for one in intent.actions)]
    if not said:
        return held
    return await _listed_result(said, resolved, ctx)


async def _meant(intent: Changed, ctx: Context) -> tuple[Changed, Resolved, list[Spans]]:
    """The topic as the index knows it, with notes on corrections and omissions."""
    resolved = await _resolve(intent, ctx)
    if not intent.topic or resolved.topics:
        return intent, resolved, []
    near = next((one for one in resolved.near if _is_misspelt(term(intent.topic), one)), "")
    if near:
        mended = replace(intent, topic=near)
        told = MENDED(ctx.language, word=Code(intent.topic), topic=Code(near))
        return mended, await _resolve(mended, ctx), [told]
    words = intent.topic.split()
    known = [word for word in words if (await _resolve(replace(intent, topic=word), ctx)).topics]
    if not known or len(known) == len(words):
        return intent, resolved, []
    rest = replace(intent, topic=" ".join(known))
    lost = listed([Code(word) for word in words if word not in known], ctx.language, limit=9)
    return rest, await _resolve(rest, ctx), [WITHOUT(ctx.language, words=lost)]


def _is_misspelt(word: str, known: str) -> bool:
    """Whether a word is a misspelling of a known one: one letter off, or two in a long word."""
    most = 1 if len(word) < 8 else 2
    return len(word) > 4 and OSA.distance(word, known, score_cutoff=most) <= most


async def _resolve(intent: Changed, ctx: Context) -> Resolved:
    """The topic with its kinds and label as index terms, or with similar ones if it has none."""
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
    """A change with why it matches the topic; without a topic, with the reason of its grade.

    Changes that only a period selected need no reason in a list.
    """
    if not resolved.topics:
        return AnswerRow(graded=graded, why=graded_because(graded, language), unseen="")
    borne = bears(graded, resolved, labels)
    return AnswerRow(
        graded=graded, why=because(borne, language), unseen=beside_title(borne, language)
    )


def _within(held: QueryResult, path: str, language: Language) -> QueryResult:
    """The same rows, each with what the change does under the requested path."""
    page = tuple(
        replace(shown, line=line_within(shown.graded, path, language)) for shown in held.survey.page
    )
    return replace(held, survey=replace(held.survey, page=page))


async def _charted(document: Document, query: Query, reached: Reach, ctx: Context) -> Document:
    """The document with a chart of all its changes by day below its counts."""
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
    """The changes by a person whose name was parsed as a topic, if there are any."""
    meant = replace(intent, topic="", author=intent.topic)
    nobody = narrowed(Resolved(), intent.kinds, intent.label)
    theirs = await _found(meant, nobody, ctx, reached)
    return (meant, theirs) if theirs.rows else (intent, held)


async def _by_topic(
    intent: Changed, resolved: Resolved, held: QueryResult, ctx: Context, reached: Reach
) -> tuple[Changed, Resolved, QueryResult]:
    """The changes about a topic that was parsed as a person's name, if nobody has that name."""
    meant = replace(intent, topic=intent.author, author="")
    about = await _resolve(meant, ctx)
    if not about.topics:
        return intent, resolved, held
    return meant, about, await _found(meant, about, ctx, reached)


async def _nothing(
    intent: Changed, resolved: Resolved, ctx: Context, reached: Reach
) -> list[Spans]:
    """A note that nothing matches, and suggestions where else to look."""
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
    """The number of changes about the topic in any period."""
    if not resolved.topics:
        return 0
    return await count(ctx, Query(topics=resolved.topics, about=resolved.alternatives))
