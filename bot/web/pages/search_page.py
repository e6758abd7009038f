"""The pages of a topic, of an author, of a search, and of a question.

Topics, authors and searches list changes page by page, counted by level. A question is answered as
in a chat, but readers are anonymous: only questions that read are answered; nothing is set,
followed or remembered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from urllib.parse import quote

from bot.util.page_links import path_of
from bot.web.pages.calendar_page import extent_of, searched_periods
from bot.web.pages.change_page import found_by
from bot.web.pages.entries import line_of, line_to_json, seen_of, told_of
from bot.web.pages.page_request import Form, PageRequest
from bot.web.pages.page_text import PHRASES
from bot.web.pages.rows import Row, made_rows
from bot.web.pages.site import Json, Moved, NotThere, Page, SiteRepository
from digest.answer.answers import because, beside_title, listing_document
from digest.answer.listing import NOTHING_FOUND, PAGE, Listed, ListedChange
from digest.core.enums import ChangeKind
from digest.core.facts import Area
from digest.core.grade import Level
from digest.core.reference import Query
from digest.document import (
    Block,
    Code,
    Document,
    Heading,
    Item,
    Link,
    Listing,
    Paragraph,
    Spans,
    plain,
)
from digest.errors import InvalidDate, UserError
from digest.i18n.answer_text import KINDS
from digest.markdown import markdown
from digest.question import intent as of
from digest.question.parser import parse
from digest.report.report_json import SCHEMA
from digest.topics.index_terms import Bearing
from digest.topics.matching import Resolved, bears, candidates, near_topics, resolve, sought
from digest.topics.terms import kind_term
from digest.window import YEARS, days_window, parse_date
from handlers.digests.ingest import labels_of

_TERMS = 8  # words of a search; more would find nothing else

READING = (
    *(of.Explain, of.Changed, of.DigestOf, of.Search, of.Touched, of.Lookup, of.Compare, of.Why),
    *(of.Risky, of.Reviewers, of.ShowDiff, of.Help, of.Status, of.PrivacyOf, of.Unknown),
)
"""Questions that set nothing and reach no other machine."""

_PAGED = frozenset({"changed", "search"})  # intents whose answers list a page of the changes
_NAMED = re.compile(r"[#!]?(\d+|[0-9a-f]{7,64})", re.ASCII)


async def topic_page(asked: PageRequest) -> Page:
    """The changes of a topic at any time; similar topics if it is unknown. Raises ``NotThere``."""
    topic = asked.part("topic")
    title = PHRASES["topic"].text(asked.language, topic=topic)
    resolved = await resolved_topic(asked, topic)
    if resolved.topics:
        query = Query(topics=resolved.topics, about=resolved.alternatives)
        return await _page(asked, title, query, resolved=resolved, topic=topic)
    alike = await asked.site.archive.alike(asked.shown().repository, sought(topic))
    return await _page(asked, title, None, near=near_topics(topic, alike), topic=topic)


async def resolved_topic(asked: PageRequest, topic: str) -> Resolved:
    """The topics of the requested repository that a name stands for. Raises ``NotThere``."""
    shown, archive = asked.shown(), asked.site.archive
    aliases = {name: tuple(topics) for name, topics in shown.aliases.items()}
    known = await archive.vocabulary(shown.repository, candidates(topic, aliases))
    return resolve(topic, known, aliases)


async def author_page(asked: PageRequest) -> Page:
    """The changes of an author, by the whole name. Raises ``NotThere``."""
    author = asked.part("author")
    return await _page(asked, author, Query(author=author, whole_author=True))


async def search_page(asked: PageRequest) -> Page:
    """Changes that contain all words, filtered by path, author, kind, area and time.

    Raises ``NotThere``, and ``Moved`` if a change is named or a question is asked.
    """
    terms = tuple(asked.word("q").split())[:_TERMS]
    path, author = asked.word("path"), asked.word("author")
    asked.shown()
    filtered = any(asked.word(name) for name in ("path", "author", *_FACETS))
    if asked.form is Form.HTML and terms and not filtered:
        await _lead_on(asked, asked.word("q"))
    words = " ".join(part for part in (*terms, path, author) if part)
    title = " · ".join(filter(None, (PHRASES["search"].template(asked.language), words)))
    query = Query(terms=terms, paths=(path,) if path else (), author=author, ranked=True)
    return await _page(asked, title, query if words or filtered else None, terms=terms)


_FACETS = ("kind", "area", "since", "until")


def _narrowed(asked: PageRequest, query: Query) -> Query:
    """The query within the requested kind, area and days; unknown ones are ignored."""
    kind, area = asked.word("kind"), asked.word("area")
    if kind in list(ChangeKind):
        term = frozenset({kind_term(ChangeKind(kind))})
        query = replace(query, about=tuple((*way, term) for way in query.about or ((),)))
    first, last = _day(asked, "since"), _day(asked, "until")
    if first or last:
        first, last = first or date(YEARS[0], 1, 1), last or date(YEARS[-1], 1, 1)
        query = replace(query, window=days_window(first, max(first, last), asked.site.zone))
    return replace(query, area=Area(area) if area in list(Area) else None)


def _day(asked: PageRequest, name: str) -> date | None:
    try:
        return parse_date(asked.word(name))
    except InvalidDate:
        return None


async def _lead_on(asked: PageRequest, words: str) -> None:
    """Redirect (``Moved``) to the change that the words name, or to the question's answer."""
    shown = asked.shown()
    if (match := _NAMED.fullmatch(words.lower())) and (found := await found_by(asked, match[1])):
        raise Moved(path_of(shown.repository.name, change=found[0].sha[:12]))
    if asked.may_read and _is_question(asked, words):
        raise Moved(_address(shown, words))


def _is_question(asked: PageRequest, words: str) -> bool:
    """Whether the words are a question and not a text search; a single word never is."""
    if len(words.split()) == 1 and words.isascii():
        return False
    try:
        intent = parse(words, asked.site.clock.now(), asked.site.zone)
    except UserError:
        return False
    other = of.Search | of.Unknown | of.Explain | of.Help
    return isinstance(intent, READING) and not isinstance(intent, other)


async def _survey(asked: PageRequest, query: Query) -> tuple[Listed, Mapping[Level, int]]:
    shown, archive = asked.shown(), asked.site.archive
    repository = shown.repository
    query = replace(_narrowed(asked, query), besides=await asked.strays(shown))
    wanted = replace(query, level=asked.level)
    survey = await archive.survey(repository, wanted, asked.page, asked.language)
    if asked.level in {None, Level.LOW}:
        return survey, survey.levels
    return survey, (await archive.survey(repository, query, 0, asked.language)).levels


async def _page(
    asked: PageRequest,
    title: str,
    query: Query | None,
    *,
    resolved: Resolved | None = None,
    near: Sequence[str] = (),
    topic: str = "",
    terms: Sequence[str] = (),
) -> Page:
    """The changes of a query, page by page; ``None`` finds nothing."""
    shown, resolved = asked.shown(), resolved or Resolved()
    survey, levels = await _survey(asked, query) if query else (NOTHING_FOUND, {})
    why: dict[str, Sequence[Bearing]] = {}
    rows: list[tuple[Row, str]] = []

    async def read() -> None:
        # This examines the facts of ten changes: the reader has the head by then.
        why.update(await _reasons(asked, survey, resolved))
        changes = [one.graded for one in survey.page]
        lines, told = await told_of(asked.site, shown, map(line_of, changes), asked.language)
        made = made_rows(changes, lines, told, asked.language)
        rows.extend((row, beside_title(why[row.line.sha], asked.language)) for row in made)

    def reason(sha: str) -> str:
        return because(why[sha], asked.language)

    page, pages = survey.first // PAGE + 1, max(-(-survey.total // PAGE), 1)
    searching = not (topic or "author" in asked.request.path_params)
    return Page(
        template="finding.html",
        title=f"{title} · {shown.repository.name}",
        values={
            "shown": shown,
            "heading": title,
            "survey": survey,
            "levels_found": levels,
            "rows": rows,
            "page": page,
            "pages": pages,
            "near": near,
            "topic": topic,
            "searching": searching,
            "asked_for": query is not None or topic,
            "words": _pattern(terms),
            "searched": await searched_periods(asked),
            "kinds": [(str(kind), KINDS[kind].template(asked.language)) for kind in ChangeKind],
            "examples": await _examples(asked) if query is None else (),
        },
        document=lambda: listing_document(
            title, survey, {sha: reason(sha) for sha in why}, None, seen_of(asked)
        ),
        json=lambda: {
            "schema": SCHEMA,
            "repository": shown.repository.name,
            "total": survey.total,
            "levels": {str(level): levels.get(level, 0) for level in Level},
            "page": page,
            "pages": pages,
            "near": list(near),
            "changes": [_json(one, reason(one.graded.sha)) for one in survey.page],
        },
        ready=read,
    )


def _pattern(terms: Sequence[str]) -> re.Pattern[str] | None:
    words = sorted(map(re.escape, terms), key=len, reverse=True)
    return re.compile(f"({'|'.join(words)})", re.IGNORECASE) if words else None


async def _reasons(
    asked: PageRequest, survey: Listed, resolved: Resolved
) -> dict[str, Sequence[Bearing]]:
    """Why each change of the page matches the topic, by its full hash; empty without a topic."""
    changes = [one.graded for one in survey.page]
    if not resolved.topics:
        return {one.sha: () for one in changes}
    labels = await labels_of(asked.site.requests, asked.shown().repository, changes)
    return {one.sha: bears(one, resolved, labels.get(one.sha, ())) for one in changes}


def _json(one: ListedChange, why: str) -> Json:
    line = line_to_json(line_of(one.graded))
    return {**line, "area": str(one.area), "line": plain(one.line), "why": why}


EXAMPLES = tuple(
    PHRASES[name] for name in ("ask_changed", "ask_breaking", "ask_daily", "ask_people")
)


async def ask_page(asked: PageRequest) -> Page:
    """The answer to a question. Raises ``NotThere`` if the reader may ask none.

    Raises ``Moved`` to the search, which is also where questions are asked, if there is none.
    """
    shown = asked.shown()
    if not asked.may_read:
        raise NotThere
    question = asked.word("q")
    if not question:
        raise Moved(path_of(shown.repository.name, rest="search"))
    # A link of another site only fills the box.
    document = Document(title=question, blocks=(), language=asked.language)
    reading, pages = False, 1
    if _from_here(asked):
        briefly = asked.form is Form.HTML
        answer = await asked.site.histories.answered(
            shown, question, asked.language, asked.page, briefly=briefly
        )
        reading = answer is None
        if answer is not None:
            document = _with_links(asked, answer.document)
            pages = -(-answer.total // PAGE) if answer.intent in _PAGED else 1
    return Page(
        template="ask.html",
        title=f"{question} · {shown.repository.name}",
        values={
            "shown": shown,
            "searching": True,
            "answer": document,
            "reading": reading,
            "pages": pages,
            "headed": any(isinstance(one, Heading) and one.level == 1 for one in document.blocks),
        },
        document=lambda: document,
        json=lambda: {
            "schema": SCHEMA,
            "repository": shown.repository.name,
            "question": question,
            "title": document.title,
            "answer": markdown(document),
        },
    )


def _with_links(asked: PageRequest, document: Document) -> Document:
    """The document with its questions as links to their answers."""
    shown = asked.shown()

    def linked(spans: Spans) -> Spans:
        return tuple(
            Link(span.text, _address(shown, span.text))
            if isinstance(span, Code) and " " in span.text and _is_question(asked, span.text)
            else span
            for span in spans
        )

    def item(one: Item) -> Item:
        return Item(linked(one.spans), tuple(map(item, one.children)))

    def block(one: Block) -> Block:
        if isinstance(one, Paragraph):
            return replace(one, spans=linked(one.spans))
        if isinstance(one, Listing):
            return replace(one, items=tuple(map(item, one.items)))
        return one

    return replace(document, blocks=tuple(map(block, document.blocks)))


async def _examples(asked: PageRequest) -> list[tuple[str, str]]:
    """Questions that have an answer, about the last archived days, with their pages."""
    shown = asked.shown()
    extent = await extent_of(asked, shown)
    if extent is None or not asked.may_read:
        return []
    last = extent.last.astimezone(asked.site.zone).date()
    days = {"last": last, "week": last - timedelta(days=6), "month": last - timedelta(days=29)}
    said = {name: day.isoformat() for name, day in days.items()}
    questions = (phrase.text(asked.language, **said) for phrase in EXAMPLES)
    return [(one, _address(shown, one)) for one in questions]


def _address(shown: SiteRepository, question: str) -> str:
    return f"{path_of(shown.repository.name, rest='ask')}?q={quote(question)}"


def _from_here(asked: PageRequest) -> bool:
    """Whether no other site led here: it could otherwise have a clone read repeatedly."""
    return asked.request.headers.get("sec-fetch-site", "none") in {"none", "same-origin"}
