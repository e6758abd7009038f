"""Parts that answers share: the scope of a question, and running its query on the archive.

A scope is a window or references, read into the archive first. There is also a note for a period
that begins after everything in the clone.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple
from weakref import WeakKeyDictionary

from digest.answer.answers import AnswerRow, Seen
from digest.answer.listing import Listed, area_of, survey_of
from digest.core.enums import TopicPlace
from digest.core.facts import Area
from digest.core.grade import Graded
from digest.core.profile import Profile
from digest.core.reference import Query
from digest.core.release import version_of
from digest.document import Code, Spans
from digest.errors import EmptyRange, UnknownBranch, UnknownChange
from digest.frozen import frozen
from digest.i18n.answer_text import NEWEST
from digest.question.commit_range import Refs, Span
from digest.question.intent import Changed, DigestOf, Search
from digest.question.periods import format_window
from digest.question.questions import format_intent
from digest.topics.index_terms import topics_of
from digest.topics.matching import Resolved, bears
from digest.topics.synonyms import kin
from digest.topics.terms import kind_term, term
from digest.window import Window, days_window, monday
from handlers.context import Context
from handlers.digests.ingest import Labels, ensure, fill, labels_of
from handlers.ports import chat_port
from handlers.ports.status_port import undoings_of
from handlers.ports.storage import Archive, Range, Source, Tip


@frozen
class QueryResult:
    """The count of matches of a query, and rows of them, newest first.

    The rows are all matches if the asker wants all, otherwise one page.
    """

    survey: Listed
    rows: tuple[AnswerRow, ...]

    @property
    def why(self) -> dict[str, str]:
        """Why each row is listed beside its title, by the full name of its change."""
        return {row.graded.sha: row.beside for row in self.rows}


def viewpoint(ctx: Context, tip: Tip) -> Seen:
    """The place and time of an answer, in the asker's language and zone."""
    return Seen(
        repository=ctx.watched.repository,
        tip=tip.sha,
        at=ctx.clock.now(),
        zone=ctx.zone,
        language=ctx.language,
    )


async def run_query(
    ctx: Context, query: Query, page: int, row: Callable[[Graded, Sequence[str]], AnswerRow]
) -> QueryResult:
    """The archived matches of a query; ``row`` describes why a change was selected."""
    repository = ctx.watched.repository
    if ctx.every:
        changes = await ctx.archive.select(repository, query)
        survey = survey_of(changes, page, ctx.language)
    else:
        survey = await ctx.archive.survey(repository, query, page, ctx.language)
        shown = (s.graded for s in survey.page)
        changes = sorted(shown, key=lambda g: (g.commit.committed_at, g.sha), reverse=True)
    labels: Labels = {}
    if query.about:
        labels = await labels_of(ctx.requests, repository, changes)
    rows = tuple(row(g, labels.get(g.sha, ())) for g in changes)
    return QueryResult(survey=survey, rows=rows)


def left_of(changes: Sequence[Graded], without: Sequence[str]) -> Sequence[Graded]:
    """The changes to which no word applies: a kind, a part of the project, a path, a topic."""
    tests = [_excluding(word) for word in without]
    return [change for change in changes if not any(test(change) for test in tests)]


_BOTS = frozenset({"bot", "bots", "机器人"})


def _excluding(word: str) -> Callable[[Graded], bool]:
    """Whether a word applies to a change."""
    name = word.casefold()
    if name in _BOTS:
        return lambda graded: graded.commit.author.casefold().endswith("[bot]")
    if "/" in name:
        return lambda graded: all(path.startswith(word) for path in graded.facts.paths)
    from digest.question.slot_values import kind_named  # imports the words of questions

    terms = kin(term(word))
    areas = {area for area in Area if area in terms or term(area) in terms or kin(area) & terms}
    kind = kind_named(word)
    wanted = Resolved(alternatives=((terms,),))

    def fits(graded: Graded) -> bool:
        code = any(f.area is Area.CORE for f in graded.facts.files)
        if area_of(graded) in areas and (Area.CORE in areas or not code):
            return True  # a change of code is not a test, even if most of its lines are tests
        if name in graded.commit.author.casefold():
            return True
        if kind is not None and kind_term(kind) in topics_of(graded):
            return True
        return any(one.place in _SAID for one in bears(graded, wanted))

    return fits


_SAID = frozenset({TopicPlace.TAG, TopicPlace.SCOPE, TopicPlace.TITLE})
"""Tags and scopes by which a change names its subject."""


async def count(ctx: Context, query: Query) -> int:
    """The number of archived changes that match a query."""
    return (await ctx.archive.survey(ctx.watched.repository, query, 0, ctx.language)).total


@frozen
class Reach:
    """The scope of a question: a ``window``, or commits ``names`` of a range; neither is all.

    A window, or no span, has names as well if the archive has changes of other branches in it.
    """

    span: Span | None
    names: tuple[str, ...] | None = None

    @property
    def window(self) -> Window | None:
        """The window, if the scope is one."""
        return self.span if isinstance(self.span, Window) else None

    @property
    def query(self) -> Query:
        """The query conditions of the scope."""
        return Query(window=self.window, among=self.names)


DAYS_BACK = 30  # the days to search if the default period is empty


def month_back(ctx: Context) -> Window:
    """The last ``DAYS_BACK`` days."""
    now = ctx.clock.now()
    return Window(since=now - timedelta(days=DAYS_BACK), until=now, zone=ctx.zone)


async def reach(span: Span | None, ctx: Context, tip: Tip) -> Reach:
    """Read what the archive lacks of a span; without one nothing is read.

    Raises ``UnknownBranch``, ``AmbiguousReference`` and ``EmptyRange``.
    """
    if span is None:
        return Reach(span=None, names=await _own(ctx, tip, tip.sha) if tip.sha else None)
    _forget_others(ctx, tip)
    if isinstance(span, Window):
        names, _ = await fill(ctx, span, tip)
        # Other branches may have been read into the archive as well.
        mixed = await count(ctx, Query(window=span)) > len(names)
        return Reach(span=span, names=tuple(names) if mixed else None)
    names, _ = await fill(ctx, await range_of(span, ctx, tip), tip)
    return Reach(span=span, names=tuple(names))


async def _own(ctx: Context, tip: Tip, sha: str) -> tuple[str, ...] | None:
    """The commits of a branch, or ``None`` if the archive has no others.

    Counting them takes longer than most answers, so that the result is kept for some minutes.
    """
    kept, name, now = _OWN.setdefault(ctx.archive, {}), ctx.watched.repository.name, ctx.clock.now()
    last = kept.get(name)
    if last is None or last.sha != sha or now - last.at > _KEPT:
        names = tuple(await ctx.watched.source.names(tip, Range(base=None, tip=sha)))
        mixed = await count(ctx, Query()) > await count(ctx, Query(among=names))
        last = kept[name] = _Own(sha, now, names if mixed else None)
    return last.names


def _forget_others(ctx: Context, tip: Tip) -> None:
    """Count anew for another branch, from which changes are about to be read."""
    kept, name = _OWN.get(ctx.archive, {}), ctx.watched.repository.name
    if name in kept and kept[name].sha != tip.sha:
        del kept[name]


class _Own(NamedTuple):
    sha: str
    at: datetime
    names: tuple[str, ...] | None


_KEPT = timedelta(minutes=10)
_OWN: WeakKeyDictionary[Archive, dict[str, _Own]] = WeakKeyDictionary()


async def range_of(refs: Refs, ctx: Context, tip: Tip) -> Range:
    """The range between two references, of which the second defaults to the branch's tip.

    Raises as :func:`reach`, and ``UnknownChange`` for references of another repository.
    """
    watched = ctx.watched.repository.name
    if refs.repository and "/" in watched and refs.repository.lower() != watched.lower():
        raise UnknownChange(str(refs), watched)
    source = ctx.watched.source
    named = [name for name in (refs.base, refs.tip) if name]
    found = dict(zip(named, await _each([commit_of(name, source) for name in named]), strict=True))
    base, end = found.get(refs.base), found.get(refs.tip, tip.sha)
    between = None if end is None or base == end else Range(base=base, tip=end)
    # If neither contains the other, the range has at least its own tip. The list is needed later
    # anyway, and cached.
    if between is None or not await source.names(tip, between):
        name = refs.tip or tip.branch
        raise EmptyRange(refs.base, name, reversed_=between is not None)
    return between


async def commit_of(name: str, source: Source) -> str:
    """The commit of a reference, or of an abbreviated version. Raises ``UnknownBranch``."""
    try:
        return await source.resolve(name)
    except UnknownBranch:
        for written in (name, f"{name}.0"):
            if _VERSION.fullmatch(written) and (release := await source.release(written)):
                return await source.resolve(release.tag)
        if (only := await _of_one_package(name, source)) is not None:
            return await source.resolve(only)
        raise


async def _of_one_package(name: str, source: Source) -> str | None:
    """The tag of a version that only one package of a repository has: *since 80.0*."""
    if not _VERSION.fullmatch(name):
        return None
    numbers = {name.lstrip("vV"), f"{name.lstrip('vV')}.0"}
    tags = ((tag, version_of(tag)) for tag in await source.releases())
    found = [tag for tag, one in tags if one and tag[len(one.family) :] in numbers]
    return found[0] if len(found) == 1 else None


_VERSION = re.compile(r"[vV]?\d+(?:\.\d+){1,3}", re.ASCII)


async def _each(ends: Sequence[Awaitable[str]]) -> list[str]:
    """Run all at once; of several failures the first in order is raised."""
    found = await asyncio.gather(*ends, return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return [one for one in found if isinstance(one, str)]


async def newest(intent: Changed | DigestOf | Search, ctx: Context, tip: Tip) -> tuple[Spans, ...]:
    """The date of the last change, with the same question for that week; empty if it is recent.

    A clone that is not fetched becomes old, and quiet projects have quiet weeks.
    """
    if not isinstance(intent.window, Window) or tip.sha is None:
        return ()
    if await ctx.watched.source.names(tip, intent.window):
        return ()
    last = await ensure(ctx, [tip.sha], tip)
    if not last or last[0].commit.committed_at >= intent.window.since:
        return ()
    day = last[0].commit.committed_at.astimezone(ctx.zone).date()
    first = monday(day)
    week = days_window(first, first + timedelta(days=6), ctx.zone)
    asked = format_intent(replace(intent, window=week))
    dates = f"{first}..{first + timedelta(days=6)}"
    question = Code(asked.replace(format_window(week), dates))
    return (NEWEST(ctx.language, sha=Code(tip.sha[:10]), day=str(day), question=question),)


async def undoings_below(
    graded: Graded, ctx: Context, tip: Tip
) -> tuple[Sequence[Graded], Sequence[Graded]]:
    """The changes of the branch that revert a change, and those that land it again."""
    found = await undoings_of(ctx.archive, ctx.watched.repository, graded)
    is_ancestor, end = ctx.watched.source.is_ancestor, tip.sha or graded.sha
    reverts, relands = [[g for g in some if await is_ancestor(g.sha, end)] for some in found]
    return reverts, relands


async def profile_here(ctx: Context) -> Profile:
    """What the asker and their chat use; empty where no profiles are kept."""
    profile = Profile()
    if ctx.profiles is not None and (key := ctx.conversation) is not None:
        for owner in (chat_port.chat_owner(key), chat_port.person_owner(key)):
            stored = await ctx.profiles.load(owner, ctx.watched.repository)
            profile = profile.with_(stored.profile.entries)
    return profile
