"""The page that compares two points of history or two days: upgrade notes, then changes by kind.

A comparison is read from the archive while the head of the page is sent, and kept for later
readers. The page of releases links the comparison of each with the one before it.
"""

from __future__ import annotations

import asyncio
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus
from itertools import chain, groupby
from zoneinfo import ZoneInfo

from bot.store.browsing import ChangeLine
from bot.util.page_links import path_of
from bot.web.pages.charts import Share, shares
from bot.web.pages.entries import line_of, line_to_json, load_changes, seen_of, told_of
from bot.web.pages.page_request import Form, PageRequest
from bot.web.pages.page_text import PHRASES
from bot.web.pages.response import tag_of
from bot.web.pages.rows import Row, rows_of
from bot.web.pages.site import (
    HistorySpan,
    Json,
    Moved,
    NotThere,
    Page,
    SiteRepository,
    with_heading,
)
from digest import errors
from digest.answer.answers import window_words
from digest.answer.listing import area_of
from digest.answer.release_notes import UpgradeItem, met, notes_document, notes_of
from digest.core.authors import is_bot
from digest.core.enums import ChangeKind, Language
from digest.core.facts import Area
from digest.core.grade import Graded, Level
from digest.core.release import version_of
from digest.document import Document, Item, Link, Listing, Paragraph, Text, plain
from digest.frozen import frozen
from digest.i18n.answer_text import KINDS, OTHER_KINDS
from digest.i18n.chat_text import complaint
from digest.i18n.statement_text import AREAS
from digest.i18n.statement_text import KINDS as THINGS
from digest.question.commit_range import Refs, Span, refs_named
from digest.report.report_json import SCHEMA
from digest.window import days_window, parse_date

SIZE = 60  # lines of a page
_OF_GROUP = 25  # changes of a group in Markdown
_NAMED = 12  # the number of authors that are named


@frozen
class Placed:
    """A change in the list with its area and the kind it is listed under."""

    line: ChangeLine
    kind: ChangeKind | None
    area: Area


@frozen
class Compared:
    """A comparison, over all changes. ``missing`` commits are not in the archive."""

    placed: Sequence[Placed]
    upgrade: Sequence[UpgradeItem]
    people: Mapping[str, int]
    missing: int


class Comparing:
    """A page of a comparison, read while its head is being sent."""

    def __init__(self, asked: PageRequest, stretch: HistorySpan, title: str) -> None:
        self._asked, self._shown, self._stretch = asked, asked.shown(), stretch
        self.title = title
        self.all = Compared(placed=(), upgrade=(), people={}, missing=0)
        self.wanted: Sequence[Placed] = ()
        self.page = self.pages = 1
        self._document: Document | None = None
        self._rows: Sequence[Row] = ()

    async def read(self) -> None:
        """Read the changes and summarise their facts; the result is kept for the next pages."""
        asked, stretch = self._asked, self._stretch
        version = await asked.version(self._shown.repository)
        ends = (stretch.names[0], stretch.names[-1], len(stretch.names), str(stretch.span))
        key = (self._shown.repository.name, version, ends, asked.language)
        memo = asked.site.comparisons
        self.all = await memo.in_turn(key, self._compared)
        least = asked.level or Level.LOW
        self.wanted = [one for one in self.all.placed if one.line.level.rank <= least.rank]
        self.pages = max(-(-len(self.wanted) // SIZE), 1)
        self.page = min(asked.page, self.pages)
        if asked.form is Form.MARKDOWN:
            self._document = await memo.in_turn(("md", *key), self._told)
        elif asked.form is Form.HTML:
            lines, told = await told_of(
                asked.site, self._shown, (one.line for one in self.placed), asked.language
            )
            about = ("compared", ends, asked.level, self.page)
            self._rows = await rows_of(asked, lines, told, about)

    async def _compared(self) -> Compared:
        asked, shown = self._asked, self._shown
        changes = await load_changes(asked.site, shown, self._stretch.names)
        lines, _ = await told_of(asked.site, shown, map(line_of, changes), asked.language)
        missing = len(self._stretch.names) - len(changes)
        return await asyncio.to_thread(_compared, changes, lines, missing)

    async def _told(self) -> Document:
        changes = await load_changes(self._asked.site, self._shown, self._stretch.names)
        notes = await asyncio.to_thread(notes_of, changes)
        asked, missing = self._asked, self.all.missing
        seen, upgrade = seen_of(asked, self._stretch.head), self.all.upgrade
        document = notes_document(notes, self._stretch.span, seen, _OF_GROUP, upgrade=upgrade)
        if not missing:
            return document
        unread = Paragraph((Text(PHRASES["upgrade_unknown"].text(asked.language, n=missing)),))
        return replace(document, blocks=(document.blocks[0], unread, *document.blocks[1:]))

    @property
    def levels(self) -> Counter[Level]:
        """The number of changes of each level, whatever filter is set."""
        return Counter(one.line.level for one in self.all.placed)

    @property
    def placed(self) -> Sequence[Placed]:
        """The changes of the current page."""
        return self.wanted[SIZE * (self.page - 1) : SIZE * self.page]

    @property
    def kinds(self) -> list[tuple[str, str, Share]]:
        """The names of the kinds, where each begins, and its number of changes."""
        of = Counter(one.kind for one in self.wanted)
        bars = shares([(self._name(kind), number) for kind, number in of.items()])
        return [(bar.name, self._begin(kind), bar) for kind, bar in zip(of, bars, strict=True)]

    def groups(self) -> Iterator[tuple[str, str, int, list[Row]]]:
        """The rows of the page by kind: anchor, name, number on all pages, rows."""
        of, row = Counter(one.kind for one in self.wanted), {r.line.sha: r for r in self._rows}
        for kind, members in groupby(self.placed, key=lambda one: one.kind):
            rows = [row[one.line.sha] for one in members if one.line.sha in row]
            yield str(kind or "other"), self._name(kind), of[kind], rows

    def _begin(self, kind: ChangeKind | None) -> str:
        at = next(n for n, one in enumerate(self.wanted) if one.kind is kind) // SIZE + 1
        anchor = f"#{kind or 'other'}"
        here = at == self.page
        return anchor if here else self._asked.address(page=at if at > 1 else None) + anchor

    def _name(self, kind: ChangeKind | None) -> str:
        return (KINDS[kind] if kind else OTHER_KINDS).template(self._asked.language)

    @property
    def areas(self) -> list[tuple[str, str, Share]]:
        """The number of changes of each area, the largest first."""
        of = Counter(one.area for one in self.all.placed).most_common()
        words = [(AREAS[area].template(self._asked.language), number) for area, number in of]
        return [(bar.name, "", bar) for bar in shares(words)]

    @property
    def people(self) -> tuple[list[tuple[str, int]], int]:
        """The authors with the most changes, and the number of other authors."""
        ranked = sorted(self.all.people.items(), key=lambda one: (-one[1], one[0]))
        return ranked[:_NAMED], len(ranked[_NAMED:])

    def said(self, one: UpgradeItem) -> tuple[str, str]:
        """The kind of an upgrade item, and the page of the change that caused it."""
        kind = THINGS[one.kind].template(self._asked.language)
        return kind, path_of(self._shown.repository.name, change=one.sha[:12])

    def document(self) -> Document:
        """The comparison as release notes; available once it was read for Markdown."""
        return self._document or Document(title=self.title, blocks=(), language="")

    def json(self) -> Json:
        """The counts of all changes, the upgrade items, and the changes of the page."""
        levels, told = self.levels, self.all
        return {
            "schema": SCHEMA,
            "repository": self._shown.repository.name,
            "title": self.title,
            "total": len(self._stretch.names),
            "missing": told.missing,
            "levels": {str(level): levels[level] for level in Level},
            "areas": Counter(str(one.area) for one in told.placed),
            "people": len(told.people),
            "upgrade": [_met_json(one) for one in told.upgrade],
            "page": self.page,
            "pages": self.pages,
            "changes": [
                {
                    **line_to_json(one.line),
                    "area": str(one.area),
                    "kind": str(one.kind) if one.kind else None,
                }
                for one in self.placed
            ],
        }


def _compared(changes: Sequence[Graded], lines: Sequence[ChangeLine], missing: int) -> Compared:
    """``lines`` are those of the changes in the same order, with levels as adjusted by models."""
    notes = notes_of(changes)
    line = {one.sha: one for one in lines}
    placed = [
        Placed(line=line[graded.sha], kind=kind, area=area_of(graded))
        for kind, members in notes.groups.items()
        for graded in members
    ]
    people = {name: n for name, n in notes.people.items() if not is_bot(name)}
    return Compared(placed=placed, upgrade=met(changes), people=people, missing=missing)


def _met_json(one: UpgradeItem) -> Json:
    return {
        "kind": str(one.kind),
        "action": str(one.action),
        "name": one.name,
        "before": one.before or None,
        "after": one.after or None,
        "sha": one.sha,
        "pr": one.number,
        "path": one.evidence.path,
        "line": one.evidence.line,
    }


_TOLD = (
    *(errors.UnknownBranch, errors.AmbiguousReference, errors.EmptyRange, errors.RangeTooLarge),
    *(errors.NotARepository, errors.SourceUnavailable),
)
"""Why there may be nothing to compare."""


async def compare_page(asked: PageRequest) -> Page:
    """The comparison of two points or two days. Raises ``NotThere``."""
    shown = asked.shown()
    try:
        span = _span(asked.part("span"), asked.site.zone)
        stretch = await asked.site.histories.stretch(shown, span)
    except _TOLD as error:
        return _refused(asked, error)
    if stretch is None:
        raise NotThere
    title = _title(span, asked.language)
    comparing = Comparing(asked, stretch, title)
    return Page(
        template="compare.html",
        title=f"{title} · {shown.repository.name}",
        values={"shown": shown, "comparing": comparing, "title_words": title},
        document=comparing.document,
        json=comparing.json,
        ready=comparing.read,
        rests_on=tag_of(*stretch.names, stretch.head),
    )


def _span(text: str, zone: ZoneInfo) -> Span:
    """Two days, or else two references. Raises ``NotThere`` and ``EmptyRange``."""
    refs = refs_named(text)
    if refs is None:
        raise NotThere
    try:
        first, last = parse_date(refs.base), parse_date(refs.tip)
    except errors.InvalidDate:
        return refs
    if last < first:
        raise errors.EmptyRange(refs.base, refs.tip, reversed_=True)
    return days_window(first, last, zone)


def _title(span: Span, language: Language) -> str:
    if isinstance(span, Refs):
        return plain(window_words(span, language))
    last = span.until.astimezone(span.zone) - timedelta(days=1)
    return f"{span.since.astimezone(span.zone).date()} – {last.date()} ({span.zone.key})"


def _refused(asked: PageRequest, error: errors.UserError) -> Page:
    """A page with one line that explains why there is no comparison."""
    said, status, instead = _refusal(asked, error)
    shown, title = asked.shown(), asked.part("span")
    return Page(
        template="compare.html",
        title=f"{title} · {shown.repository.name}",
        values={"shown": shown, "refused": said, "instead": instead, "title_words": title},
        document=lambda: with_heading(title, asked.language, Paragraph((Text(said),))),
        json=lambda: {"error": said},
        rests_on=said,
        status=status,
    )


def _refusal(asked: PageRequest, error: errors.UserError) -> tuple[str, HTTPStatus, str]:
    """The message, its HTTP status, and the page that may be meant."""
    language = asked.language
    match error:
        case errors.UnknownBranch(name=name):
            return PHRASES["unknown_ref"].text(language, name=name), HTTPStatus.NOT_FOUND, ""
        case errors.EmptyRange(base=base, tip=tip, reversed=turned):
            said = PHRASES["nothing_between"].text(language, base=base, tip=tip)
            name = asked.shown().repository.name
            return said, HTTPStatus.OK, path_of(name, compare=(tip, base)) if turned else ""
        case errors.AmbiguousReference():
            return complaint(error, language), HTTPStatus.NOT_FOUND, ""
        case errors.RangeTooLarge():
            return complaint(error, language), HTTPStatus.UNPROCESSABLE_ENTITY, ""
        case _:
            # It may name folders of this machine, which must not be shown.
            said = PHRASES["not_readable"].template(language)
            return said, HTTPStatus.SERVICE_UNAVAILABLE, ""


_DIGITS = re.compile(r"\d+", re.ASCII)
_LATE_FIXES = 2
RELEASES = 30  # releases of a family that are listed, each compared with the one before it
Release = tuple[str, str, str]
"""A release as the tag before it, its own tag, and the path of their comparison."""


async def releases_page(asked: PageRequest) -> Page:
    """The newest releases, each with a link to its comparison, and a form for any other two.

    Raises ``NotThere``, and ``Moved`` if the form was sent.
    """
    shown = asked.shown()
    base, tip = asked.word("base"), asked.word("tip")
    if base and tip:
        raise Moved(path_of(shown.repository.name, compare=(base, tip)))
    families = await releases_of(asked, shown)
    pairs = list(chain(*families))
    title = PHRASES["compare"].template(asked.language)
    return Page(
        template="releases.html",
        title=f"{title} · {shown.repository.name}",
        values={"shown": shown, "families": families},
        document=lambda: with_heading(
            title,
            asked.language,
            Listing(tuple(Item((Link(f"{base} … {tip}", path),)) for base, tip, path in pairs))
            if pairs
            else Paragraph((Text(PHRASES["no_releases"].template(asked.language)),)),
        ),
        json=lambda: {
            "schema": SCHEMA,
            "repository": shown.repository.name,
            "releases": [{"tag": tip, "before": base, "path": path} for base, tip, path in pairs],
        },
        rests_on=tag_of(*(path for _, _, path in pairs)),
    )


async def releases_of(asked: PageRequest, shown: SiteRepository) -> list[list[Release]]:
    """Consecutive releases, newest first, of each family of tags."""
    try:
        tags = await asked.site.histories.releases(shown)
    except (errors.NotARepository, errors.SourceUnavailable):
        return []  # as for a repository without releases: the page still shows the archive
    name = shown.repository.name
    return [
        [(base, tip, path_of(name, compare=(base, tip))) for tip, base in pairs[:RELEASES]]
        for pairs in families_of(tags)
    ]


def families_of(tags: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Each release with the previous one by number, by family: lines may continue side by side.

    Local versions such as ``v1.0+local`` are left out (PEP 440, local version identifiers).
    """
    numbered = {tag: _number(tag) for tag in tags if "+" not in tag}
    beside = _beside(numbered)
    numbered |= {tag: (f"{numbered[tag][0]} 0", numbered[tag][1]) for tag in beside}
    ordered = sorted(numbered, key=numbered.__getitem__)
    numbers = [numbered[tag] for tag in ordered]
    found: dict[str, list[tuple[str, str]]] = {}
    for tag, own in numbered.items():
        at = bisect_left(numbers, own) - 1
        if at >= 0 and numbers[at][0] == own[0]:
            before = ordered[bisect_left(numbers, numbers[at])]
            found.setdefault(own[0], []).append((tag, before))
    return sorted(found.values(), key=lambda pairs: pairs[0][0] in beside)


def _beside(numbered: Mapping[str, tuple[str, tuple[int, ...]]]) -> Sequence[str]:
    """Tags of a 0.x line that continues beside later ones, as for libraries: v0.305.0, v3.5.0.

    ``numbered`` is ordered newest first.
    """
    beside: list[str] = []
    zero: dict[str, list[str]] = {}
    for tag, (family, number) in numbered.items():
        if number[:1] == (0,):
            zero.setdefault(family, []).append(tag)
        else:
            beside += zero.pop(family, ())
    # One or two are late fixes of an old line.
    return beside if len(beside) > _LATE_FIXES else []


def _number(tag: str) -> tuple[str, tuple[int, ...]]:
    """The sort key of a release: the name before its number, and all numbers."""
    version = version_of(tag)
    family = version.family if version else ""
    return family.removesuffix("v"), tuple(map(int, _DIGITS.findall(tag[len(family) :])))
