"""Answers: the changes that a question selects, counted, grouped and cited by code.

An answer covers every match; its document shows a page of them, and can be shortened or lengthened.
As JSON it is what ``ask`` and ``explain`` print with ``--format json``: keys never change their
meaning within a schema, but new keys may be added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from digest import document as doc
from digest.answer.listing import PAGE, Listed, ListedChange, first_of
from digest.answer.tallies import people_of
from digest.core.authors import code_as_spans, without_backticks
from digest.core.enums import Language, TopicPlace
from digest.core.facts import Area
from digest.core.grade import Graded, Level, Repository
from digest.core.profile import PatchedFile
from digest.errors import UserError
from digest.frozen import frozen
from digest.i18n import answer_text as wording
from digest.i18n.phrase import Part, between, join, list_in_words
from digest.i18n.statement_text import AREAS, LEVEL_MARKS, LEVELS
from digest.question.commit_range import Refs, Span
from digest.question.intent import Changed, Search
from digest.report.blocks import author_link, grade_reasons, title_link
from digest.topics.index_terms import Bearing
from digest.window import Window, edges, minute

ABOUT_NONE = frozenset({"help", "unknown", "chat", "profile"})
"""Intents whose answers are about no repository."""


@frozen
class AnswerRow:
    """A change that an answer rests on."""

    graded: Graded
    why: str  # what selected it, in words
    unseen: str | None = None  # what of it the title does not show, if not all

    @property
    def beside(self) -> str:
        """Why it is listed, for a line that shows the title."""
        return self.why if self.unseen is None else self.unseen


@frozen
class Seen:
    """Where (``tip``) and when (``at``) an answer was looked up, and its zone and language."""

    repository: Repository
    tip: str | None  # ``None`` for a branch without a commit, empty if nobody looked
    at: datetime
    zone: ZoneInfo
    language: Language


@frozen
class Answer:
    """The reply to a question."""

    intent: str  # explain, changed, search, digest, help or unknown
    document: doc.Document
    window: Window | None = None
    topic: str = ""
    total: int = 0  # the number of changes found
    rows: tuple[AnswerRow, ...] = ()  # what it rests on, newest first: all, or those shown
    understood: str = ""  # the question answered, if only a model could read the words
    subject: str = ""  # the change that follow-ups are about, if several are shown
    listed: tuple[str, ...] = ()  # the questions that shown people or releases stand for
    patched: tuple[PatchedFile, ...] = ()  # files that the asker's fork changes too
    cut: bool = False  # the first page shows fewer changes than those that follow, which begin anew
    error: UserError | None = field(default=None, compare=False)


def title_of(intent: Changed | Search, language: Language) -> str:
    """The subject of the question in a few words: ``MoE, by Ada, in src/``."""
    topic = intent.topic if isinstance(intent, Changed) else " ".join(intent.terms)
    parts = [topic] if topic else []
    parts += [wording.KINDS[kind].text(language) for kind in intent.kinds]
    if intent.label:
        parts.append(wording.LABELLED.text(language, label=intent.label))
    if intent.author:
        merged = isinstance(intent, Changed) and intent.mergers
        undone = isinstance(intent, Changed) and intent.undone
        by = wording.BY_MERGER if merged else wording.BY_AUTHOR
        by = wording.UNDONE_OF if undone else by
        parts.append(by.text(language, author=intent.author))
    if intent.path:
        parts.append(wording.UNDER_PATH.text(language, path=intent.path))
    if intent.level:
        parts.append(wording.FROM_LEVEL[intent.level].text(language))
    gap = "，" if language is Language.ZH else ", "
    return gap.join(parts) or wording.EVERYTHING.text(language)


def because(bearings: Sequence[Bearing], language: Language) -> str:
    """Why a change is about a topic, in words."""
    gap = "；" if language is Language.ZH else "; "
    return gap.join(wording.WHY[b.place].text(language, shown=b.shown) for b in bearings)


_IN_THE_TITLE = frozenset({TopicPlace.TAG, TopicPlace.SCOPE, TopicPlace.TITLE, TopicPlace.KIND})


def beside_title(bearings: Sequence[Bearing], language: Language) -> str:
    """The same without what the title shows, or what the question asked for by name."""
    return because([b for b in bearings if b.place not in _IN_THE_TITLE], language)


def graded_because(graded: Graded, language: Language) -> str:
    """The reasons of a change's grade, for a change that only the period selected."""
    return grade_reasons(graded.grade, language)


def listing_document(
    title: str, survey: Listed, why: Mapping[str, str], window: Span | None, seen: Seen
) -> doc.Document:
    """A listing: counts by level, the page in groups by area, and the footer."""
    # ``why`` says, by a change's full name, what selected it beyond its title.
    language = seen.language
    head = _headed(title, survey.total, language)
    blocks: list[doc.Block] = [
        doc.Heading(1, (doc.Text(head),)),
        doc.Paragraph(_counts(survey, language)),
    ]
    blocks += _groups(survey, why, seen)
    shown = shown_words(survey.first, len(survey.page), survey.total, language)
    blocks.append(doc.Paragraph(foot(window, seen, shown), aside=True))
    return doc.Document(title=head, blocks=tuple(blocks), language=str(language))


def page_document(
    title: str,
    items: Sequence[doc.Item],
    window: Span | None,
    seen: Seen,
    *,
    above: Sequence[doc.Block] = (),
    size: int = PAGE,
    page: int = 1,
) -> doc.Document:
    """A page of a list: a heading, introductory blocks, the items, and their share of the total."""
    first = first_of(page, len(items), size)
    shown = tuple(items[first : first + size])
    counted = shown_words(first, len(shown), len(items), seen.language)
    end = doc.Paragraph(foot(window, seen, counted), aside=True)
    blocks = (doc.Heading(1, (doc.Text(title),)), *above, doc.Listing(shown), end)
    return doc.Document(title=title, blocks=blocks, language=str(seen.language))


def shown_words(first: int, count: int, total: int, language: Language) -> str:
    """How many of a list are shown, and from which position."""
    if not count and total:
        return wording.SHOWN_NEXT.text(language, total=total)
    phrase = wording.SHOWN_SO_FAR if first + count < total else wording.SHOWN
    shown = f"{first + 1}–{first + count}" if first else str(count)
    return phrase.text(language, shown=shown, total=total)


def _headed(title: str, total: int, language: Language) -> str:
    """The subject with its number; a title that already ends with "changes" is not repeated."""
    counted = wording.CHANGES.text(language, n=total)
    if title == wording.EVERYTHING.text(language):
        return counted
    if title.endswith(wording.CHANGES_SAID.template(language)):
        counted = f"{total:,}"
    return wording.IN_TOPIC.text(language, topic=title, counted=counted)


def _counts(survey: Listed, language: Language) -> doc.Spans:
    return between(
        [
            f"{LEVEL_MARKS[level]} {LEVELS[level].template(language)} {survey.levels.get(level, 0)}"
            for level in Level
        ],
        " | ",
    )


def _groups(survey: Listed, why: Mapping[str, str], seen: Seen) -> Iterator[doc.Block]:
    """The page under its areas, in the order of the areas; the counts are of all matches."""
    if not survey.areas:
        items = tuple(_item(one, why[one.graded.sha], seen) for one in survey.page)
        yield from [doc.Listing(items)] if items else []
        return
    groups: dict[Area, list[ListedChange]] = {area: [] for area in Area}
    for shown in survey.page:
        groups[shown.area].append(shown)
    for area, members in groups.items():
        if members:
            name = AREAS[area].template(seen.language)
            total = survey.areas[area]
            yield doc.Paragraph(
                (doc.Strong(wording.GROUP.text(seen.language, name=name, n=total)),)
            )
            yield doc.Listing(tuple(_item(s, why[s.graded.sha], seen) for s in members))


def _item(shown: ListedChange, listed: str, seen: Seen) -> doc.Item:
    """Level, linked title, author and why it is listed; for important changes, also the effect."""
    graded = shown.graded
    parts: list[Part] = list(entry_of(graded, seen.repository))
    if listed:
        parts += [" · ", doc.Emphasis(listed)]
    return doc.Item(join(parts), (doc.Item(shown.line),) if shown.line else ())


def entry_of(graded: Graded, repository: Repository) -> doc.Spans:
    """A change in a list: its level, its title as a link, its author."""
    # The request, or else the commit, is named if the title names none to look it up by.
    parts: list[Part] = [f"{LEVEL_MARKS[graded.grade.level]} ", title_link(graded, repository)]
    if graded.number is None:
        parts += [" · ", doc.Code(graded.sha[:10])]
    elif graded.name not in graded.title:
        parts.append(f" · {graded.name}")
    return join([*parts, " · ", author_link(people_of(graded)[0], repository)])


def window_words(window: Span | None, language: Language) -> doc.Spans:
    """The exact window with its zone; without one, a note that the whole archive was searched."""
    if window is None:
        return wording.ARCHIVED(language)
    if isinstance(window, Refs):
        return refs_words(window, language)
    since, until = edges(window)
    return wording.WINDOW(language, since=since, until=until, zone=window.zone.key)


def refs_words(refs: Refs, language: Language) -> doc.Spans:
    """Two references as they were written."""
    if refs.tip.endswith(".x") and not refs.base:
        return (doc.Text(refs.tip),)
    if not refs.base:
        return wording.UNTIL_REF(language, tip=doc.Code(refs.tip))
    if not refs.tip:
        return wording.SINCE_REF(language, base=doc.Code(refs.base))
    return wording.RANGE(language, base=doc.Code(refs.base), tip=doc.Code(refs.tip))


def people_words(
    people: Mapping[str, int], repository: Repository, language: Language, limit: int = 5
) -> doc.Spans:
    """People with their numbers of changes, those with most first, up to a limit."""
    ranked = sorted(people.items(), key=lambda person: (-person[1], person[0]))
    named = [
        wording.PERSON(language, name=author_link(name, repository), n=n) for name, n in ranked
    ]
    return list_in_words(named, language, limit=limit)


def foot(window: Span | None, seen: Seen, *before: str) -> doc.Spans:
    """The number of items shown, the window, and the branch's state at the time of the answer."""
    return between([*before, window_words(window, seen.language), as_of(seen)], " · ")


def as_of(seen: Seen) -> doc.Spans:
    """The tip of the branch and the time of the answer."""
    if seen.tip is None:
        return wording.EMPTY_BRANCH(seen.language)
    moment = minute(seen.at, seen.zone)
    if not seen.tip:
        return (doc.Text(moment),)
    return wording.AS_OF(seen.language, sha=doc.Code(seen.tip[:10]), moment=moment)


def lines_document(title: str, lines: Sequence[doc.Spans], seen: Seen) -> doc.Document:
    """A short reply in paragraphs, of which the first is the answer itself."""
    blocks = tuple(doc.Paragraph(line) for line in lines)
    return doc.Document(title=title, blocks=blocks, language=str(seen.language))


def answer_to_json(answer: Answer, text: str, zone: ZoneInfo) -> dict[str, Any]:
    """The answer with its rows, newest first; ``text`` is its document as it was shown.

    Every match is listed only if the answer was made with all of them.

    Times are ISO 8601 in ``zone``. ``window`` and ``topic`` are ``null`` if the question has none,
    and ``understood`` if its own words were understood.
    """
    from digest.report.report_json import SCHEMA, window_to_json

    patched = {"patched": [_patched(one) for one in answer.patched]} if answer.patched else {}
    return {
        "schema": SCHEMA,
        "intent": answer.intent,
        "understood": answer.understood or None,
        "window": window_to_json(answer.window) if answer.window else None,
        "topic": answer.topic or None,
        "total": answer.total,
        "changes": [_row(row, zone) for row in answer.rows],
        **patched,
        "text": text,
    }


def _patched(one: PatchedFile) -> dict[str, Any]:
    return {
        "path": one.entry.name,
        "status": str(one.file.status),
        "new_path": one.file.path if one.file.old_path else None,
        "conflict": one.conflict,
        "lines": [list(run) for run in one.lines] if one.known else [],
        "changes": [{"sha": g.sha, "pr": g.number} for g in one.changes],
    }


def _row(row: AnswerRow, zone: ZoneInfo) -> dict[str, Any]:
    graded = row.graded
    return {
        "sha": graded.sha,
        "pr": graded.number,
        "subject": graded.commit.subject,
        "level": str(graded.grade.level),
        "score": graded.grade.score,
        "committed_at": graded.commit.committed_at.astimezone(zone).isoformat(),
        "why": row.why,
    }


_BLOCKS = 5
_ITEMS = 5
_LINES = 12
_QUOTED = 10
_PARAGRAPHS = 4
_CHARACTERS = 600


def shorten(document: doc.Document) -> doc.Document:
    """The first and last blocks and a list; lists and code are cut, items lose their children."""
    blocks = document.blocks
    if len(blocks) > _BLOCKS:
        first, rest = blocks[: _BLOCKS - 1], blocks[_BLOCKS - 1 : -1]
        lists = [block for block in rest if isinstance(block, doc.Listing)]
        if lists and not any(isinstance(block, doc.Listing) for block in first):
            first = (*first[:-1], lists[0])
        blocks = (*first, blocks[-1])
    return replace(document, blocks=tuple(map(_cut, blocks)))


def without_lists(document: doc.Document) -> doc.Document:
    """The heading and the sentences of a document."""
    lists = (b for b in document.blocks if isinstance(b, doc.Listing) or getattr(b, "aside", False))
    left_out = set(map(id, lists))
    return replace(document, blocks=tuple(b for b in document.blocks if id(b) not in left_out))


def _cut(block: doc.Block) -> doc.Block:
    match block:
        case doc.Listing(items=items):
            return replace(block, items=tuple(replace(i, children=()) for i in items[:_ITEMS]))
        case doc.CodeBlock(text=text):
            return replace(block, text="\n".join(text.split("\n")[:_LINES]))
        case _:
            return block


def lengthen(document: doc.Document, rows: Sequence[AnswerRow]) -> doc.Document:
    """The document with the authors' own words on the first few changes that it rests on."""
    return replace(document, blocks=(*document.blocks, *_words(rows[:_QUOTED])))


def _words(rows: Sequence[AnswerRow]) -> Iterator[doc.Block]:
    for row in rows:
        said = [p[:_CHARACTERS] for p in row.graded.facts.paragraphs[:_PARAGRAPHS]]
        if said:
            yield doc.Paragraph(
                (doc.Strong(without_backticks(row.graded.title) or row.graded.sha[:10]),)
            )
            yield doc.Quote(tuple(code_as_spans(paragraph) for paragraph in said))
