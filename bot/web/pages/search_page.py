"""The pages of a topic, of a search, and of a question.

Topics and searches list changes page by page, counted by level. A question is answered as in a
chat, but readers are anonymous: only questions that read are answered; nothing is set, followed or
remembered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from bot.util.page_links import path_of
from bot.web.pages.overview_pages import extent_of
from bot.web.pages.page_request import Form, PageRequest
from bot.web.pages.page_text import PHRASES
from bot.web.pages.site import Json, Moved, NotThere, Page, SiteRepository
from digest.answer.answers import Seen, because, listing_document
from digest.answer.listing import NOTHING_FOUND, PAGE, Listed, ListedChange
from digest.core.grade import Level
from digest.core.reference import Query
from digest.document import Document, Heading, Text, plain
from digest.errors import UserError
from digest.markdown import markdown
from digest.question.intent import Explain, Help, Search, Unknown
from digest.question.parser import parse
from digest.report.report_json import SCHEMA
from digest.topics.matching import Resolved, bears, candidates, near_topics, resolve, sought
from handlers.digests.ingest import labels_of

_TERMS = 8
"""Words of a search; more would find nothing else."""

_NAMED = re.compile(r"[#!]?(\d+)|([0-9a-f]{7,64})", re.ASCII)
_LONGEST_NUMBER = 18
_Found = tuple[Listed, Mapping[Level, int]]


async def topic_page(asked: PageRequest) -> Page:
    """The changes of a topic at any time; similar topics if it is unknown. Raises ``NotThere``."""
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


async def search_page(asked: PageRequest) -> Page:
    """Changes that contain all words, filtered by path and author.

    Raises ``NotThere``, and ``Moved`` if a change is named or a question is asked.
    """
    terms = tuple(asked.word("q").split())[:_TERMS]
    path, author = asked.word("path"), asked.word("author")
    asked.shown()
    if asked.form is Form.HTML and terms and not (path or author):
        await _lead_on(asked, asked.word("q"))
    found: _Found = (NOTHING_FOUND, {})
    if terms or path or author:
        query = Query(terms=terms, paths=(path,) if path else (), author=author)
        found = await _survey(asked, query)
    words = " ".join(part for part in (*terms, path, author) if part)
    title = " · ".join(filter(None, (PHRASES["search"].template(asked.language), words)))
    values = {"near": (), "topic": "", "searching": True, "asked_for": bool(words)}
    return await _page(asked, title, found, Resolved(), values)


async def _lead_on(asked: PageRequest, words: str) -> None:
    """Redirect to the change with this number or commit, or to the answer to a question.

    Raises ``Moved``.
    """
    shown = asked.shown()
    if named := _NAMED.fullmatch(words.lower()):
        number = int(named[1]) if named[1] and len(named[1]) < _LONGEST_NUMBER else None
        found = await asked.shelf.archive.find(shown.repository, number) if number else ()
        if not found and named[2]:
            found = await asked.shelf.archive.find(shown.repository, None, named[2])
        if found:
            raise Moved(path_of(shown.repository.name, change=found[0].sha[:12]))
    if asked.shelf.ask is not None and _is_question(asked, words):
        raise Moved(_address(shown, words))


def _is_question(asked: PageRequest, words: str) -> bool:
    """Whether the words are a question and not a text search; a single word never is."""
    if len(words.split()) == 1 and words.isascii():
        return False
    try:
        intent = parse(words, asked.shelf.clock.now(), asked.shelf.zone)
    except UserError:
        return False
    return not isinstance(intent, Search | Unknown | Explain | Help)


async def _survey(asked: PageRequest, query: Query) -> _Found:
    """The requested page, and the counts of every level."""
    archive, repository = asked.shelf.archive, asked.shown().repository
    wanted = replace(query, level=asked.level)
    survey = await archive.survey(repository, wanted, asked.page, asked.language)
    if asked.level in {None, Level.LOW}:
        return survey, survey.levels
    return survey, (await archive.survey(repository, query, 0, asked.language)).levels


async def _page(
    asked: PageRequest,
    title: str,
    found: _Found,
    resolved: Resolved,
    values: Mapping[str, Any],
) -> Page:
    survey, levels = found
    shown = asked.shown()
    why: dict[str, str] = {}

    async def read() -> None:
        # This examines the facts of ten changes: the reader has the head by then.
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


async def _reasons(asked: PageRequest, survey: Listed, resolved: Resolved) -> dict[str, str]:
    """Why each change of the page matches the topic, by its full hash; empty without a topic."""
    changes = [one.graded for one in survey.page]
    if not resolved.topics:
        return {one.sha: "" for one in changes}
    labels = await labels_of(asked.shelf.requests, asked.shown().repository, changes)
    return {
        one.sha: because(bears(one, resolved, labels.get(one.sha, ())), asked.language)
        for one in changes
    }


def _seen(asked: PageRequest) -> Seen:
    return Seen(
        repository=asked.shown().repository,
        tip=None,
        at=asked.shelf.clock.now(),
        zone=asked.shelf.zone,
        language=asked.language,
    )


def _json(one: ListedChange, why: str) -> Json:
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


EXAMPLES = tuple(
    PHRASES[name] for name in ("ask_changed", "ask_breaking", "ask_daily", "ask_people")
)


async def ask_page(asked: PageRequest) -> Page:
    """The answer to a question. Raises ``NotThere`` if this site answers none."""
    shown, ask = asked.shown(), asked.shelf.ask
    if ask is None:
        raise NotThere
    question, title = asked.word("q"), PHRASES["ask"].template(asked.language)
    found = Document(title=title, blocks=(Heading(1, (Text(title),)),), language=asked.language)
    if question and _from_here(asked):
        found = await ask(shown, question, asked.language)
    return Page(
        template="ask.html",
        title=" · ".join(filter(None, (question or title, shown.repository.name))),
        values={
            "shown": shown,
            "question": question,
            "answer": found if question else None,
            "headed": any(isinstance(one, Heading) and one.level == 1 for one in found.blocks),
            "examples": [(one, _address(shown, one)) for one in await _examples(asked)],
        },
        document=lambda: found,
        json=lambda: _answering_json(shown, question, found),
    )


async def _examples(asked: PageRequest) -> list[str]:
    """Example questions that have an answer, about the last archived days."""
    extent = await extent_of(asked, asked.shown())
    if extent is None:
        return []
    last = extent.last.astimezone(asked.shelf.zone).date()
    days = {"last": last, "week": last - timedelta(days=6), "month": last - timedelta(days=29)}
    said = {name: day.isoformat() for name, day in days.items()}
    return [phrase.text(asked.language, **said) for phrase in EXAMPLES]


def _address(shown: SiteRepository, question: str) -> str:
    return f"{path_of(shown.repository.name, rest='ask')}?q={quote(question)}"


def _from_here(asked: PageRequest) -> bool:
    """Whether no other site led here: it could otherwise have a clone read repeatedly."""
    return asked.request.headers.get("sec-fetch-site", "none") in {"none", "same-origin"}


def _answering_json(shown: SiteRepository, question: str, found: Document) -> Json:
    return {
        "schema": SCHEMA,
        "repository": shown.repository.name,
        "question": question,
        "title": found.title,
        "answer": markdown(found),
    }
