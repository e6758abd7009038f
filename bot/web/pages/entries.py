"""Changes with their analyses, and how a page or an open row describes one."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import takewhile

from bot.store.browsing import ChangeLine
from bot.web.pages.diffs import MARKUP, Colours, Excerpt, Texts, excerpt
from bot.web.pages.page_request import PageRequest
from bot.web.pages.page_text import PHRASES
from bot.web.pages.site import Json, Site, SiteRepository
from digest.analysis.analyse import descriptions, is_told_by_values
from digest.analysis.context import deprecated, read
from digest.analysis.quotes import restates
from digest.answer.answers import Seen
from digest.answer.buttons import Mark, marks_of
from digest.core.change import Change, printable
from digest.core.enums import Language
from digest.core.facts import Action, Area, Evidence, Fact, FactKind
from digest.core.grade import Graded, Level, Reason
from digest.core.statement import Origin, Statement
from digest.document import Code, Spans, Text, plain
from digest.frozen import frozen
from digest.grading.importance import PREFIX, laid_over
from digest.i18n.answer_text import DONE, reason_words, score_words
from digest.i18n.phrase import list_in_words
from digest.i18n.statement_text import CHANGE_TYPES, KINDS, TAKE_FIX
from digest.report.assembly import Counts, ReportEntry, lead
from digest.report.assembly import entry_of as report_entry
from digest.report.blocks import Citations, advice, run
from digest.window import Window
from handlers.ports.analysis_port import StoredAnalysis

Told = Mapping[str, StoredAnalysis]  # stored model analyses by full commit hash


async def told_of(
    site: Site, shown: SiteRepository, lines: Iterable[ChangeLine], language: Language
) -> tuple[Sequence[ChangeLine], Told]:
    """The lines with levels as adjusted by models, and the models' analyses."""
    lines = list(lines)
    told = await site.browsing.told(shown.repository, [line.sha for line in lines], language)
    moved = []
    for line in lines:
        kept = told.get(line.sha)
        move = kept.move if kept else None
        stands = move is not None and move.of is line.level
        moved.append(replace(line, level=move.to) if move and stands else line)
    return moved, told


async def load_changes(site: Site, shown: SiteRepository, shas: Sequence[str]) -> list[Graded]:
    """The archived changes in the order of ``shas``."""
    found = await site.archive.load(shown.repository, shas)
    return [found[sha] for sha in shas if sha in found]


def line_of(graded: Graded) -> ChangeLine:
    """A change as lists show it."""
    return ChangeLine(
        sha=graded.sha,
        at=graded.commit.committed_at,
        level=graded.grade.level,
        score=graded.grade.score,
        title=graded.title,
        author=graded.commit.author,
        number=graded.number,
        sign=graded.facts.subject.sign,
    )


def line_to_json(line: ChangeLine) -> Json:
    """A change in a list."""
    return {
        "sha": line.sha,
        "pr": line.number,
        "title": line.title,
        "author": line.author,
        "committed_at": line.at.isoformat(),
        "level": str(line.level),
        "score": line.score,
    }


def entry_of(graded: Graded, told: Told, shown: SiteRepository, language: Language) -> ReportEntry:
    """A change with its analysis: a stored one of a model, else the one from facts."""
    kept = told.get(graded.sha)
    if kept is None or kept.analysis is None:
        return report_entry(graded, None, language)
    grade = laid_over(graded.grade, kept.move, shown.thresholds)
    return report_entry(replace(graded, grade=grade), kept.analysis, language)


def seen_of(asked: PageRequest, tip: str | None = "") -> Seen:
    """What an answer is made from: the requested repository as it is now.

    ``tip`` is the branch's commit, ``None`` if it has none; pages about the archive alone do not
    look it up.
    """
    return Seen(
        repository=asked.shown().repository,
        tip=tip,
        at=asked.site.clock.now(),
        zone=asked.site.zone,
        language=asked.language,
    )


def counts_of(lines: Iterable[ChangeLine]) -> Counts:
    """The number of changes by level."""
    levels = Counter(line.level for line in lines)
    high, medium, low = (levels[level] for level in Level)
    return Counts(total=levels.total(), high=high, medium=medium, low=low)


_MOST_LED = 200  # the most changes that a lead sentence is made of; for more, it would say nothing


async def lead_of(
    asked: PageRequest,
    shown: SiteRepository,
    window: Window,
    lines: Sequence[ChangeLine],
    told: Told,
    *,
    counted: bool = False,
) -> Spans:
    """What matters first in a window and whether to act, cached; empty for too many.

    With ``counted`` the numbers of changes alone.
    """
    counts, language, site = counts_of(lines), asked.language, asked.site
    least = Level.MEDIUM if counts.high else Level.LOW
    about = [one.sha for one in lines if one.level.rank <= least.rank]

    async def made() -> Spans:
        found = await load_changes(site, shown, about)
        analysed = partial(entry_of, told=told, shown=shown, language=language)
        entries = await asyncio.to_thread(lambda: list(map(analysed, found)))
        return lead(entries, counts, language, counted=counted) if entries else ()

    if not 0 < len(about) <= _MOST_LED:
        return ()
    version = await asked.version(shown.repository)
    about_it = (shown.repository.name, version, window, language, counted)
    return await site.memo.of(("lead", *about_it), made)


async def released_of(
    asked: PageRequest, shown: SiteRepository, graded: Graded
) -> tuple[str, str, str]:
    """The first release with a change, those with a copy of it, and the newest one.

    Each is empty if there is none.
    """
    histories, memo, name = asked.site.histories, asked.site.memo, shown.repository.name
    version = await asked.version(shown.repository)
    listed = await memo.of(("releases", name, version), partial(histories.releases, shown))
    tags = tuple(listed)
    find = partial(histories.released, shown, graded)
    first, copies = await memo.of(("released", name, graded.sha, tags), find)
    return first, ", ".join(copies), "" if first or copies else next(iter(tags), "")


_AFFECTED = 2  # files of code that are named as affected by a security fix, the most changed


async def fix_of(
    asked: PageRequest, shown: SiteRepository, graded: Graded, todo: Spans, *, named: bool = True
) -> Spans | None:
    """What to do about a security fix: the releases with it, and the code that it is about.

    ``None`` if ``todo`` asks for something else. Releases are ``named`` unless they stand above.
    """
    language = asked.language
    if todo != TAKE_FIX(language):
        return None
    first, copies, newest = await released_of(asked, shown, graded) if named else ("", "", "")
    if with_it := ", ".join(filter(None, (copies, first))):
        todo = PHRASES["fix_released"](language, releases=with_it)
    elif newest:
        todo = PHRASES["fix_unreleased"](language, release=newest)
    files = [one for one in graded.facts.files if one.area is Area.CORE]
    files.sort(key=lambda one: -one.added - one.deleted)
    if not files:
        return todo
    paths = [Code(printable(one.path)) for one in files]
    told = PHRASES["affected"](language, paths=list_in_words(paths, language, limit=_AFFECTED))
    return (*todo, *told)


_NAME = re.compile(r"[\w./:-]+")


def _reason(reason: Reason, language: Language) -> Spans:
    """A reason in words, with the name that it gives as code; the table of names has the others."""
    name = reason.subject.split(" +")[0]
    words = reason_words(replace(reason, subject=name), language).replace("`", "")
    if not _NAME.fullmatch(name) or name not in words or not {*"_./-"}.intersection(name):
        return (Text(words),)
    before, _, after = words.partition(name)
    return (Text(before), Code(name), Text(after))


PARTS = 84_000
"""Bytes of the names, files, message and lines of a change, about: with all around them, its page
has at most 100 KB. Names that have no room in the table follow it."""

_NAMED, _OTHER, _SHOWN = 300, 80, 200
"""Bytes of the markup of a name in the table, of one behind it, and of shown lines."""

_MOST_OTHERS = 800

_FIRST = (Action.REMOVED, Action.RENAMED, Action.CHANGED, Action.ADDED)
"""Names by what happened to them; those that break something come first."""


@frozen
class Said:
    """A statement with the changed lines that support it."""

    spans: Spans
    diff: Excerpt | None


@frozen
class Named:
    """A name that a change adds, removes or changes."""

    kind: str
    action: str
    name: str
    before: str
    after: str
    place: str
    url: str
    note: Spans
    diff: Excerpt | None


class ChangeView:
    """A change with its analysis: what to check, what changed, and why it has its grade.

    Statements show the lines that support them once ``change``, which has them, is set, between
    lines of ``texts``.
    """

    def __init__(self, entry: ReportEntry, shown: SiteRepository, language: Language) -> None:
        self.graded, self.analysis, self.level = entry.graded, entry.analysis, entry.level
        self.acts = entry.acts and entry.level is not Level.LOW
        self.todo = entry.todo if self.acts else ()
        self.fixes = False
        """Whether ``todo`` tells of a security fix, which the advice does not."""
        self.repository, self._language = shown.repository, language
        self._thresholds = shown.thresholds
        self.change: Change | None = None
        self.texts: Texts = {}
        self.left = PARTS
        """Bytes that names and lines may still take."""
        self._colours = Colours()
        self._places = Citations(entry.graded, shown.repository, language)

    def take_fix(self, fix: Spans | None) -> None:
        """Set what to do about a security fix, if the change is one."""
        self.todo, self.fixes = fix or self.todo, fix is not None

    @property
    def marks(self) -> tuple[Mark, ...]:
        """What makes the change urgent, as in its row."""
        return marks_of(self.graded, self.analysis if self.by_model else None)

    @property
    def types(self) -> list[str]:
        """The types of the change that are none of its marks."""
        kinds = (kind for kind in self.analysis.change_types if str(kind) not in self.marks)
        return [CHANGE_TYPES[kind].template(self._language) for kind in kinds]

    @property
    def by_model(self) -> bool:
        """Whether a model wrote the analysis."""
        return self.analysis.source is Origin.MODEL

    @property
    def topics(self) -> list[str]:
        """The tags and the scope of the title, each of which is a topic, without its marks."""
        subject = self.graded.facts.subject
        named = dict.fromkeys(filter(None, (*subject.tags, subject.scope)))
        return [topic for topic in named if topic.casefold() not in self.marks]

    @property
    def reasons(self) -> list[Spans]:
        """What raised the grade, and whether a model moved it; nothing for a low change."""
        reasons = self.graded.grade.reasons if self.level is not Level.LOW else ()
        raised = [r for r in reasons if r.weight > 0 or r.rule.startswith(PREFIX)]
        return list(dict.fromkeys(_reason(one, self._language) for one in raised))

    @property
    def score(self) -> Spans:
        """The score with its scale."""
        return score_words(self.graded.grade, self._thresholds, self._language)

    @property
    def paths(self) -> set[str]:
        """The files in which evidence is."""
        told = (one for _, _, statements in advice(self.analysis) for one in statements)
        places = [place for one in (*told, *self.analysis.insights) for place in one.evidence]
        return {place.path for place in (*places, *(fact.evidence for fact in self._facts))}

    @property
    def gist(self) -> Spans:
        """What the change does, without what only restates its title."""
        return run(self._fresh, self._language)

    @property
    def _fresh(self) -> Sequence[Statement]:
        told = self.analysis.summary
        return told if self.by_model else [one for one in told if not restates(one, self.graded)]

    def summary(self, most: int | None = None) -> Spans:
        """The gist without what the table of names says, of which ``most`` are shown."""
        shown = [] if self.by_model else self._facts[: len(self.names)][:most]
        told = {fact.evidence for fact in shown if is_told_by_values(fact, self.graded.facts)}
        fresh = [one for one in self._fresh if not told.issuperset(one.evidence)]
        return run(fresh, self._language)

    @property
    def advice(self) -> list[Said]:
        """What readers must do or check: the risks, then the suggestions.

        The lines of what the table of names shows are below its row alone.
        """
        sections = advice(self.analysis)
        below = {fact.evidence for fact in self._facts[: len(self.names)]}
        told = (one for _, _, statements in sections for one in statements)
        return [self._said(one, lines=below.isdisjoint(one.evidence)) for one in told]

    @property
    def insights(self) -> list[Said]:
        """Other statements, without those that the table of names already shows."""
        analysis = self.analysis
        if self.by_model:
            return [self._said(one) for one in (*analysis.impact, *analysis.insights)]
        named = {fact.evidence for fact in self._facts}
        found = (one for one in analysis.insights if not named.issuperset(one.evidence))
        return [self._said(one) for one in found]

    @cached_property
    def names(self) -> list[Named]:
        """The interface names that the change touches, those that users rely on first."""
        behind = range(len(self._facts), 0, -1)
        notes = descriptions(self._facts, read(self.graded, self._language))
        return [
            self._name(fact, note)
            for fact, note, count in zip(self._facts, notes, behind, strict=True)
            if self.left > _OTHER * min(count, _MOST_OTHERS)
        ]

    @property
    def others(self) -> tuple[list[str], int]:
        """Names that the table has no room for, and how many more there are."""
        names = list(dict.fromkeys(fact.name for fact in self._facts[len(self.names) :]))
        return names[:_MOST_OTHERS], len(names[_MOST_OTHERS:])

    @cached_property
    def _facts(self) -> list[Fact]:
        reading = read(self.graded, self._language)
        old = [f for f in deprecated(reading) if f not in reading.contracts]
        symbols = [fact for fact in reading.symbols if fact.detail != "moved"]
        return [
            fact
            for facts in (reading.contracts, old, symbols)
            for fact in sorted(facts, key=lambda fact: _FIRST.index(fact.action))
        ]

    def _name(self, fact: Fact, note: Spans) -> Named:
        at = fact.evidence
        old = fact.kind is FactKind.DEPRECATION
        before, after = differing(
            fact.before or "", (fact.replacement if old else fact.after) or ""
        )
        url = self._places.address_of(at)
        texts = (fact.name, fact.name, before[:80], after[:80], url, plain(note))
        self.left -= _NAMED + sum(len(text.encode("utf-8", "replace")) for text in texts)
        return Named(
            kind="" if old else KINDS[fact.kind].template(self._language),
            action=(PHRASES["deprecated"] if old else DONE[fact.action]).template(self._language),
            name=fact.name,
            before=before,
            after=after,
            place=f"{printable(at.path).rpartition('/')[2]}:{at.line}" if at.line else "",
            url=url,
            note=note,
            diff=self._lines([at]),
        )

    def _said(self, statement: Statement, *, lines: bool = True) -> Said:
        diff = self._lines(statement.evidence) if lines else None
        return Said(spans=self._places.cited(statement), diff=diff)

    def _lines(self, evidence: Sequence[Evidence]) -> Excerpt | None:
        found = excerpt(self.change, evidence, self._colours, self.texts)
        size = _SHOWN + sum(len(one.html) + MARKUP for one in found.lines) if found else 0
        # Names stand before lines: those of a name with many others are in the patch alone.
        if size > self.left - _NAMED * len(self._facts):
            return None
        self.left -= size
        return found


_SHORT = 40  # characters of a value that is shown in full


def differing(before: str, after: str) -> tuple[str, str]:
    """Two values from the first word on in which they differ, if one of them is long."""
    if max(len(before), len(after)) <= _SHORT:
        return before, after
    old, new = before.split(" "), after.split(" ")
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    if not same:
        return before, after
    return f"… {' '.join(old[same:])}", f"… {' '.join(new[same:])}"
