"""Changes of a topic, and what a search finds: counted by level, a page of them in a list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.web.pages.asked import Asked
from bot.web.pages.page import Json, Page
from bot.web.pages.wording import PHRASES
from digest.answer import Seen, because, listing_document
from digest.document import plain
from digest.grade import Level
from digest.match import Resolved, bears, candidates, near_topics, resolve, sought
from digest.query import Query
from digest.report.form import SCHEMA
from digest.survey import NOTHING_FOUND, PAGE, Shown, Survey
from handlers.labelling import labels_of

_TERMS = 8
"""Words of a search; more would find nothing else."""

_Found = tuple[Survey, Mapping[Level, int]]


async def topic_page(asked: Asked) -> Page:
    """The changes of a topic, of any time; near topics where there is none. Raises ``NotThere``."""
    topic = asked.part("topic")
    shown, archive = asked.shown(), asked.shelf.archive
    repository = shown.repository
    aliases = {name: tuple(topics) for name, topics in shown.aliases.items()}
    known = await archive.vocabulary(repository, candidates(topic, aliases))
    resolved = resolve(topic, known, aliases)
    found: _Found = (NOTHING_FOUND, {})
    near: tuple[str, ...] = ()
    if resolved.topics:
        query = Query(topics=resolved.topics, about=resolved.alternatives)
        found = await _survey(asked, query)
    else:
        near = near_topics(topic, await archive.alike(repository, sought(topic)))
    title = PHRASES["topic"].text(asked.language, topic=topic)
    values = {"near": near, "topic": topic, "searching": False, "asked_for": True}
    return await _page(asked, title, found, resolved, values)


async def search_page(asked: Asked) -> Page:
    """What holds all words, under a path, by an author. Raises ``NotThere``."""
    terms = tuple(asked.word("q").split())[:_TERMS]
    path, author = asked.word("path"), asked.word("author")
    asked.shown()
    found: _Found = (NOTHING_FOUND, {})
    if terms or path or author:
        query = Query(terms=terms, paths=(path,) if path else (), author=author)
        found = await _survey(asked, query)
    words = " ".join(part for part in (*terms, path, author) if part)
    title = " · ".join(filter(None, (PHRASES["search"].template(asked.language), words)))
    values = {"near": (), "topic": "", "searching": True, "asked_for": bool(words)}
    return await _page(asked, title, found, Resolved(), values)


async def _survey(asked: Asked, query: Query) -> _Found:
    """The page that is asked for, and the counts of every level."""
    archive, repository = asked.shelf.archive, asked.shown().repository
    wanted = replace(query, level=asked.level)
    survey = await archive.survey(repository, wanted, asked.page, asked.language)
    if asked.level in {None, Level.LOW}:
        return survey, survey.levels
    return survey, (await archive.survey(repository, query, 0, asked.language)).levels


async def _page(
    asked: Asked,
    title: str,
    found: _Found,
    resolved: Resolved,
    values: Mapping[str, Any],
) -> Page:
    survey, levels = found
    shown = asked.shown()
    why: dict[str, str] = {}

    async def read() -> None:
        # The facts of ten changes are gone through for it: the reader has the head by then.
        why.update(await _reasons(asked, survey, resolved))

    pages = max(-(-survey.total // PAGE), 1)
    page = survey.first // PAGE + 1
    return Page(
        template="finding.html",
        title=f"{title} · {shown.repository.name}",
        values={
            "shown": shown,
            "heading": title,
            "survey": survey,
            "levels_found": levels,
            "why": why,
            "page": page,
            "pages": pages,
            **values,
        },
        document=lambda: listing_document(title, survey, why, None, _seen(asked)),
        json=lambda: {
            "schema": SCHEMA,
            "repository": shown.repository.name,
            "total": survey.total,
            "levels": {str(level): levels.get(level, 0) for level in Level},
            "page": page,
            "pages": pages,
            "near": list(values["near"]),
            "changes": [_json(one, why[one.graded.sha]) for one in survey.page],
        },
        ready=read,
    )


async def _reasons(asked: Asked, survey: Survey, resolved: Resolved) -> dict[str, str]:
    """Why each change of the page is about the topic, by its full name; empty without a topic."""
    changes = [one.graded for one in survey.page]
    if not resolved.topics:
        return {one.sha: "" for one in changes}
    labels = await labels_of(asked.shelf.requests, asked.shown().repository, changes)
    return {
        one.sha: because(bears(one, resolved, labels.get(one.sha, ())), asked.language)
        for one in changes
    }


def _seen(asked: Asked) -> Seen:
    return Seen(
        repository=asked.shown().repository,
        tip=None,
        at=asked.shelf.clock.now(),
        zone=asked.shelf.zone,
        language=asked.language,
    )


def _json(one: Shown, why: str) -> Json:
    graded = one.graded
    return {
        "sha": graded.sha,
        "pr": graded.number,
        "title": graded.title,
        "author": graded.commit.author,
        "committed_at": graded.commit.committed_at.isoformat(),
        "level": str(graded.grade.level),
        "score": graded.grade.score,
        "area": str(one.area),
        "line": plain(one.line),
        "why": why,
    }
