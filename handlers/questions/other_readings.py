"""Fallbacks for a question that finds nothing: a longer period, other readings, earlier changes.

The next best readings are tried in turn, and the answer says which it is.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from digest.answer import tallies
from digest.core.enums import ChangeKind, TopicPlace
from digest.core.grade import Graded, Level
from digest.core.reference import Query
from digest.document import Code, Spans
from digest.i18n import answer_text
from digest.i18n.phrase import list_in_words
from digest.question.intent import Changed, is_everything
from digest.question.periods import default_period
from digest.report.blocks import title_link
from digest.topics.matching import Resolved, bears, restrict, topic_parts, topic_words
from digest.topics.terms import STOP_WORDS, pieces, term
from digest.window import Window
from handlers.context import Context
from handlers.digests.ingest import ensure
from handlers.ports.storage import Tip
from handlers.questions.change_selection import of_people
from handlers.questions.list_reading import (
    Meant,
    listed_result,
    query_of,
    read_topic,
    resolved_topic,
    resolved_topics,
    respelt,
    selected,
    with_rows,
)
from handlers.questions.scope import DAYS_BACK, Reach, count, month_back, reach

_FEW = 3  # a topic with fewer changes is searched in a longer period, if the question names none


async def longer(asked: Meant, ctx: Context, tip: Tip) -> Meant:
    """The reading for a longer period that finds more: a month, or the whole archive."""
    intent, most = asked.intent, _FEW if asked.intent.anytime else 1
    few = asked.held.survey.total < (intent.top.count if intent.top else most)
    told = asked.held.rows and not (intent.topic or intent.top or (intent.author and intent.kinds))
    if not is_vague(intent, ctx):
        return asked
    bare = intent.figures and not any(map(tallies.figure_of, await selected(asked, ctx)))
    if not bare and (told or not few):
        return asked
    if intent.level and not asked.held.rows and (lower := await _lower(asked, ctx)) is not None:
        return lower  # a less important recent change fits better than an important old one
    window, reached = await wider_period(ctx, tip)
    wider = replace(asked, intent=replace(asked.intent, window=window), reached=reached, only=None)
    wider = await with_rows(wider if asked.resolved.topics else await read_topic(wider, ctx), ctx)
    if wider.held.survey.total > asked.held.survey.total:
        return wider.noting(answer_text.WIDER(ctx.language, n=DAYS_BACK))
    if asked.held.rows or not asked.resolved.topics or not asked.intent.topic:
        return asked
    for one, note in ((asked, None), (wider, answer_text.WIDER(ctx.language, n=DAYS_BACK))):
        if (said := await _mended(one, ctx)) is not None and said.held.rows:
            return said.noting(note) if note else said
    older = await with_rows(await archived(wider, window.until, ctx, tip), ctx)
    return older.noting(answer_text.OLDER(ctx.language, n=DAYS_BACK)) if older.held.rows else asked


async def archived(asked: Meant, until: datetime, ctx: Context, tip: Tip) -> Meant:
    """The reading for the archived part of the two years before a time, still without changes."""
    window = Window(since=until - _ARCHIVED, until=until, zone=ctx.zone)
    names = tuple(await ctx.watched.source.names(tip, window)) if tip.sha else ()
    intent = replace(asked.intent, window=window)
    return replace(asked, intent=intent, reached=Reach(span=window, names=names), only=None)


_ARCHIVED = timedelta(days=730)


async def last_before(asked: Meant, ctx: Context, tip: Tip) -> list[Spans]:
    """The newest archived change before an empty period."""
    intent, window = asked.intent, asked.reached.window
    if window is None or intent.path or intent.undone or is_everything(intent):
        return []
    if intent.topic and not asked.resolved.topics:
        last = await mentioning(intent, ctx, tip)
    else:
        last = await _newest(await archived(asked, window.since, ctx, tip), ctx)
    if last is None or last.commit.committed_at >= window.since:
        return []
    day = last.commit.committed_at.astimezone(ctx.zone).date().isoformat()
    return [
        answer_text.LAST_BEFORE(
            ctx.language, change=title_link(last, ctx.watched.repository), day=day
        )
    ]


async def mentioning(intent: Changed, ctx: Context, tip: Tip) -> Graded | None:
    """The newest commit of the branch whose message has a topic that the index does not know."""
    filters = intent.author or intent.kinds or intent.label or intent.level
    if filters or len(intent.topic) < _NAMED or tip.sha is None:
        return None
    found = await ctx.watched.source.find(tip, text=intent.topic)
    return next(iter(await ensure(ctx, found[:1], tip)), None) if found else None


_NAMED = 4  # characters from which a text stands for itself


async def _newest(asked: Meant, ctx: Context) -> Graded | None:
    """The newest change of a reading.

    Comparing every change with the commits of two years takes longer than all the rest, and nearly
    always one of the newest changes is on the branch.
    """
    few = 0 if asked.intent.without else _ON_BRANCH
    anywhere = replace(asked, reached=replace(asked.reached, names=None))
    changes = await selected(anywhere, ctx, few)
    names = asked.reached.names or ()
    last = next((one for one in changes if one.sha in names), None)
    if last is None and few and len(changes) == few:
        last = next(iter(await selected(asked, ctx, 1)), None)
    return last


_ON_BRANCH = 8


async def second_reading(asked: Meant, topic: str, ctx: Context, tip: Tip) -> Meant:
    """The first of the next best readings that finds something; the same if none does.

    ``topic`` is the topic as it was asked for. If the question names no period, they are tried for
    a longer one too.
    """
    periods = [asked]
    if is_vague(asked.intent, ctx):
        window, reached = await wider_period(ctx, tip)
        month = replace(asked, intent=replace(asked.intent, window=window), reached=reached)
        periods.append(month.noting(answer_text.WIDER(ctx.language, n=DAYS_BACK)))
    for period in periods:
        for way in (_nothing_to_act, _by_name, _by_topic, _lower, respelt, _troubled, _mended):
            found = await way(period, ctx)
            if found is not None and found.held.rows:
                return found
    for one in periods:
        if (near := await by_words(one, topic, ctx)) is not None:
            return near
    if is_vague(asked.intent, ctx) and (near := await everywhere(asked, topic, ctx, tip)):
        return near
    parts = topic_parts(asked.intent.topic)
    # One word of four is hardly what the question is about.
    least = (len(parts) + 1) // 2 if len(parts) <= _MOST_PARTS else len(parts) - 1
    for size in range(len(parts) - 1, least - 1, -1):
        for one in periods:
            if (part := await _by_part(one, parts, size, ctx)) is not None:
                return part
    return asked


async def by_words(asked: Meant, topic: str, ctx: Context) -> Meant | None:
    """The changes whose texts have at least two of the rare words of a topic, most of them first.

    ``None`` if there are none, or if they have no more than the words of the reading.
    """
    from handlers.questions.search import nearest_changes

    words = topic_words(topic)
    if len(words) < _LEAST_WORDS:
        return None
    kinds = restrict(Resolved(), asked.intent.kinds, asked.intent.label)
    close = await nearest_changes(words, query_of(replace(asked, resolved=kinds)), ctx)
    read = {word for word in asked.intent.topic.split() if asked.resolved.topics}
    if not close.changes or (asked.held.rows and close.words <= read):
        return None
    return await _of_nearest(close.changes, asked, words, ctx)


async def everywhere(asked: Meant, topic: str, ctx: Context, tip: Tip) -> Meant | None:
    """The changes of the whole history whose titles have most of the words of a topic."""
    from handlers.questions.search import nearest_titles

    words = [word for word in topic_words(topic) if term(word) not in STOP_WORDS]
    close = await nearest_titles(words, ctx, tip) if len(words) >= _LEAST_WORDS else None
    if close is None or not close.changes or asked.intent.author:
        return None
    read = {word for word in asked.intent.topic.split() if asked.resolved.topics}
    if asked.held.rows and len(close.changes[0][1]) <= len(read.intersection(words)):
        return None
    whole = replace(asked, intent=replace(asked.intent, window=_since_ever(ctx)))
    return await _of_nearest(close.changes, whole, words, ctx)


def _since_ever(ctx: Context) -> Window:
    now = ctx.clock.now()
    return Window(since=now - _ARCHIVED, until=now, zone=ctx.zone)


async def _of_nearest(
    close: Sequence[tuple[Graded, Sequence[str]]], asked: Meant, words: Sequence[str], ctx: Context
) -> Meant:
    """The reading with the nearest changes to some words, and a note on the words they lack."""
    changes, met = [graded for graded, _ in close], {word for _, had in close for word in had}
    intent = replace(asked.intent, topic=" ".join(word for word in words if word in met))
    held = await listed_result(changes, await resolved_topic(intent, ctx), ctx, ranked=True)
    near = replace(asked, intent=intent, held=held, only=changes, notes=())
    lost = [Code(word) for word in words if word not in met]
    if not lost:
        return near
    return near.noting(
        answer_text.ALL_BUT(ctx.language, words=list_in_words(lost, ctx.language, limit=9))
    )


_LEAST_WORDS = 2


def is_vague(intent: Changed, ctx: Context) -> bool:
    """Whether the period is the one of questions that name none, or only "recently"."""
    return intent.anytime and intent.window == default_period(ctx.clock.now(), ctx.zone)


async def wider_period(ctx: Context, tip: Tip) -> tuple[Window, Reach]:
    """A longer period than the usual one, read into the archive."""
    window = month_back(ctx)
    return window, await reach(window, ctx, tip)


_TROUBLE = (ChangeKind.REVERTS, ChangeKind.FIX, ChangeKind.DEPRECATIONS)
"""Kinds that suggest trouble when nothing is marked as breaking."""


async def _by_part(asked: Meant, words: Sequence[str], size: int, ctx: Context) -> Meant | None:
    """The reading with only some words of its topic, if it finds something."""
    some = (" ".join(part) for part in itertools.combinations(words, size))
    parts = [replace(asked.intent, topic=part) for part in some]
    resolved = zip(parts, await resolved_topics(parts, ctx), strict=True)
    found = [
        await with_rows(replace(asked, intent=part, resolved=one), ctx) for part, one in resolved
    ]
    rows = [one for one in found if one.held.rows]
    if not rows:
        return None
    # What the repository has least of is what the question is about, of what it names parts of
    # itself by: "installable" is rarer than "python", and no part.
    terms = frozenset().union(*(one.resolved.topics for one in rows))
    known = await ctx.archive.vocabulary(ctx.watched.repository, terms)
    named = [row for row in rows if _is_part(row)]
    best = min(named or rows, key=lambda m: sum(known.get(t, 0) for t in m.resolved.topics))
    lost = [Code(w) for w in words if w not in best.intent.topic]
    told = list_in_words(lost, ctx.language, limit=9)
    return best.noting(answer_text.ALL_BUT(ctx.language, words=told))


def _is_part(asked: Meant) -> bool:
    """Whether a listed change has the topic as its tag, its scope, its area or a folder."""
    terms = frozenset(asked.resolved.topics)
    return any(
        any(term(name) in terms for name in (*subject.tags, subject.scope))
        or any(terms.intersection(pieces(part)[-1:]) for part in folders)
        or any(one.place is TopicPlace.AREA for one in bears(graded, asked.resolved))
        for graded in (line.graded for line in asked.held.survey.page)
        for subject in [graded.facts.subject]
        for folders in [{p for path in graded.facts.paths for p in path.split("/")[:-1]}]
    )


_MOST_PARTS = 5


async def _nothing_to_act(asked: Meant, ctx: Context) -> Meant | None:
    """All changes of a period or range, where none of them is to be acted on."""
    if asked.intent.kinds != (ChangeKind.ACTION,) or asked.intent.topic or asked.intent.level:
        return None
    every = replace(asked, intent=replace(asked.intent, kinds=()), resolved=Resolved())
    return (await with_rows(every, ctx)).noting(answer_text.NONE_TO_ACT(ctx.language))


async def _troubled(asked: Meant, ctx: Context) -> Meant | None:
    """Fixes, reverts and deprecations, if nothing is marked as breaking."""
    if asked.intent.kinds != (ChangeKind.BREAKING,) or not asked.resolved.topics:
        return None
    wider = replace(asked.intent, kinds=_TROUBLE)
    about = restrict(await resolved_topic(replace(wider, kinds=()), ctx), wider.kinds, wider.label)
    meant = await with_rows(replace(asked, intent=wider, resolved=about), ctx)
    return meant.noting(answer_text.NONE_BREAKING(ctx.language))


async def _lower(asked: Meant, ctx: Context) -> Meant | None:
    """Changes of medium importance, if there are none of high importance."""
    if asked.intent.level is not Level.HIGH or (asked.intent.topic and not asked.resolved.topics):
        return None
    levels = (Level.MEDIUM, None) if asked.intent.topic or asked.intent.author else (Level.MEDIUM,)
    for level in levels:
        found = await with_rows(replace(asked, intent=replace(asked.intent, level=level)), ctx)
        if found.held.rows:
            return found.noting((answer_text.LOWER if level else answer_text.LOWEST)(ctx.language))
    return None


async def _by_name(asked: Meant, ctx: Context) -> Meant | None:
    """The changes by a person whose name was parsed as a topic, or partly so, if there are any."""
    if not asked.intent.topic or (asked.intent.author and asked.resolved.topics):
        return None
    name = f"{asked.intent.topic} {asked.intent.author}".strip()
    meant = replace(asked.intent, topic="", author=name)
    nobody = restrict(Resolved(), meant.kinds, meant.label)
    theirs = await with_rows(replace(asked, intent=meant, resolved=nobody), ctx)
    handle = " " not in name and name.isascii()  # the rest of an address, or of a name
    if theirs.held.rows or not (handle or any(sign.isupper() for sign in name)):
        return theirs
    return await of_people(theirs, ctx)


async def _by_topic(asked: Meant, ctx: Context) -> Meant | None:
    """The changes about a topic that was parsed as a person's name, if nobody has that name."""
    if not asked.intent.author:
        return None
    if asked.intent.topic and await count(ctx, Query(author=asked.intent.author)):
        return None
    topic = f"{asked.intent.author} {asked.intent.topic}".strip()
    meant = replace(asked.intent, topic=topic, author="")
    about = await resolved_topic(meant, ctx)
    return await with_rows(replace(asked, intent=meant, resolved=about), ctx)


async def _mended(asked: Meant, ctx: Context) -> Meant | None:
    """Changes whose titles say that they avoid something, if none about it is marked as a fix."""
    intent = asked.intent
    if intent.kinds != (ChangeKind.FIX,) or not (intent.topic and asked.resolved.topics):
        return None
    plain = replace(intent, kinds=())
    about = await resolved_topic(plain, ctx)
    found = await with_rows(replace(asked, intent=plain, resolved=about), ctx)
    changes = [g for g in await selected(found, ctx) if _MENDS.search(g.title)]
    held = await listed_result(changes, about, ctx)
    return replace(asked, held=held, only=changes).noting(answer_text.SAID_MENDED(ctx.language))


_MENDS = re.compile(
    r"\b(?:avoid|prevent|mitigat|guard|protect|work(?:s|ed|ing)? around|fix|stop|handl"
    r"|ensur|preserv|respect|correct|restor)\w*"
    r"|避免|防止|修复|解决",
    re.IGNORECASE,
)
"""Words of titles that say that something was fixed, whatever the kind of change."""
