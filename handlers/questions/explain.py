"""``explain``: one change in full, found in the archive or else in the repository.

Also shows what would be sent to a model about a change, without sending it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from urllib.parse import urlsplit

from digest.analysis.analyse import analyse_whole
from digest.answer.answers import Answer, AnswerRow, Seen, as_of, graded_because
from digest.core.facts import FACTS_VERSION
from digest.core.grade import Graded, Level
from digest.core.patterns import lazy
from digest.core.reference import Query, Reference
from digest.core.statement import Analysis
from digest.document import Code, Document, Paragraph, Spans
from digest.errors import AmbiguousReference, UnknownChange
from digest.frozen import frozen
from digest.grading.outcomes import bare_title, beside
from digest.i18n import answer_text as words
from digest.i18n.phrase import Phrase, list_in_words
from digest.i18n.statement_text import OWNERS
from digest.question.intent import Explain
from digest.report.blocks import change_blocks, title_link
from digest.window import days_window
from handlers.context import Context
from handlers.digests.ingest import ensure, owners_of, tip_of, with_description
from handlers.ports.status_port import Announced, undone_by
from handlers.ports.storage import Tip
from handlers.questions.pull_request import (
    explain_issue,
    explain_requested,
    kept_request,
    lines_about,
)
from handlers.questions.scope import undoings_below, viewpoint

_MOST_NAMED = 6  # owners that are named, and originals


async def explain(intent: Explain, ctx: Context) -> Answer:
    """Explain the change that a reference names.

    Of several commits of one request the newest is explained and the others are named. Raises
    ``UnknownChange`` and ``AmbiguousReference``, and the errors of a forge that was queried.
    """
    refuse_elsewhere(intent.reference, ctx)
    if intent.reference.issue and intent.reference.number is not None:
        with suppress(UnknownChange):  # a request may be called an issue
            return await explain_issue(intent.reference.number, ctx)
    tip = await tip_of(ctx)
    try:
        found, release = await _located(intent.reference, ctx, tip)
    except UnknownChange as unknown:
        return await explain_requested(intent.reference, ctx, unknown)
    request, others = await kept_request(found[0].number, ctx), found[1:]
    undoings = await undoings_below(found[0], ctx, tip)
    undone = bool(undoings[0])
    told = await _explained(with_description(found[0], request), ctx, tip, undone=undone)
    announced = [
        *await _origins(told.graded, ctx),
        *await _announcements(told.graded, undoings[0], ctx),
    ]
    lines = (*lines_about(request, ctx), *await _owned(told.graded, ctx, tip), *announced)
    lines = (*_size(told.graded, ctx), *lines)
    if release is not None:
        place = {"branch": Code(tip.branch), "tag": Code(release.branch)}
        lines = (words.ONLY_IN(ctx.language, **place), *lines)
    document = _document(told, others, undoings, lines, viewpoint(ctx, tip))
    row = AnswerRow(graded=told.graded, why=graded_because(told.graded, ctx.language))
    return Answer(intent="explain", document=document, total=1, rows=(row,))


@frozen
class _Explained:
    """A change with its analysis; ``missed`` if an expected analysis by a model is missing."""

    graded: Graded
    analysis: Analysis
    missed: bool = False


async def _explained(graded: Graded, ctx: Context, tip: Tip, *, undone: bool) -> _Explained:
    if ctx.judging is None:
        graded = await beside_others(graded, ctx, undone=undone)
        return _Explained(graded=graded, analysis=analyse_whole(graded, ctx.language))
    from handlers.llm.analyse import judge_one

    judgement = await judge_one(ctx, graded, tip)
    graded = judgement.graded.get(graded.sha, graded)
    graded = await beside_others(graded, ctx, undone=undone)
    analysis = judgement.analyses.get(graded.sha) or analyse_whole(graded, ctx.language)
    return _Explained(graded=graded, analysis=analysis, missed=graded.sha in judgement.missed)


async def beside_others(graded: Graded, ctx: Context, *, undone: bool) -> Graded:
    """The change with the grade that it has in its digest, or else beside those of its day.

    ``undone``: whether an archived change undoes it. Of its day, only archived changes count.
    """
    repository, level = ctx.watched.repository, graded.grade.level
    pair = undone or graded.facts.reverts is not None
    if level is Level.LOW or (level is Level.MEDIUM and not pair):
        return graded  # only one of a pair, or of many high ones, is lowered
    names: Sequence[str] = ()
    if ctx.announcements is not None:
        names = await ctx.announcements.beside(repository, graded)
    if names:
        others = await ctx.archive.load(repository, names)
    else:
        day = graded.commit.committed_at.astimezone(ctx.zone).date()
        query = Query(window=days_window(day, day, ctx.zone))
        others = {one.sha: one for one in await ctx.archive.select(repository, query)}
        names = list(others)
    return beside(graded, names, others, ctx.watched.thresholds)


def refuse_elsewhere(reference: Reference, ctx: Context) -> None:
    """Refuse a number of another repository; a commit's name is the same everywhere."""
    watched = ctx.watched.repository.name
    asked, page = reference.repository.lower(), urlsplit(ctx.watched.repository.web).path
    # A repository known only by its folder may be anybody's clone.
    if reference.number is None or not asked or "/" not in watched:
        return
    # A repository in a group of groups is called by the last two; its page has all.
    if asked not in {watched.lower(), page.strip("/").lower()}:
        raise UnknownChange(str(reference), watched)


async def find(reference: Reference, ctx: Context, tip: Tip) -> Sequence[Graded]:
    """The commits that a reference names, at least one: those below the tip first, newest first."""
    return (await _located(reference, ctx, tip))[0]


async def _located(
    reference: Reference, ctx: Context, tip: Tip
) -> tuple[Sequence[Graded], Tip | None]:
    """The commits that a reference names, and the release that has a request of other lines."""
    branch: Tip | None = None
    repository = ctx.watched.repository
    kept = await ctx.archive.find(repository, reference.number, reference.sha)
    if not kept:
        kept = await _fetch(reference, ctx, tip)
    elif any(_is_old(graded, ctx) for graded in kept):
        kept = await ensure(replace(ctx, coarse=False), [g.sha for g in kept], tip) or kept
    if reference.number is not None:
        kept = [g for g in kept if g.number == reference.number]
        below = await _below(kept, reference, ctx, tip)
        branch = None if below else await _release_with(reference.number, ctx, tip)
        kept = below or kept or (await _fetch(reference, ctx, branch) if branch else ())
    if not kept:
        raise UnknownChange(_named(reference), repository.name)
    if reference.sha and len(kept) > 1:
        raise AmbiguousReference(reference.sha, [g.sha for g in kept])
    await _read_later(kept[0], ctx, tip)
    return kept, branch


_MOST_LATER = 8


async def _read_later(graded: Graded, ctx: Context, tip: Tip) -> None:
    """Archive the newest changes after one whose messages name it: they may undo it."""
    words = [rf"\b{graded.sha[:_SURE]}"]
    if " " in (quoted := bare_title(graded.title)):
        words.append(rf"^.*{re.escape(quoted)}(?!\w)")
    if graded.number is not None:
        words.append(rf"(?:^.*|\breverts? (?:merge request )?\S*)[#!]{graded.number}(?!\w)")
    names = re.compile("|".join(words), re.IGNORECASE)  # "^" is the title
    later = await ctx.watched.source.titles(tip, after=graded.sha)
    found = [one.sha for one in later if names.search(f"{one.title}\n{one.body}")]
    if found:
        await ensure(ctx, found[:_MOST_LATER], tip)


_SURE = 10  # digits of a hash that stand for one commit


def _is_old(graded: Graded, ctx: Context) -> bool:
    """Whether a change is to be read or graded again."""
    known = graded.grade.by in ctx.watched.grading.versions
    return graded.facts.version != FACTS_VERSION or not known


async def _below(
    kept: Sequence[Graded], reference: Reference, ctx: Context, tip: Tip
) -> Sequence[Graded]:
    """The archived commits with a number that are below the tip; otherwise those found there."""
    if tip.sha is None or not kept:
        return ()
    is_ancestor = ctx.watched.source.is_ancestor
    below = [graded for graded in kept if await is_ancestor(graded.sha, tip.sha)]
    return below or await _fetch(reference, ctx, tip)


async def _release_with(number: int, ctx: Context, tip: Tip) -> Tip | None:
    """The newest release with a request that the branch lacks: one of another line of releases."""
    source = ctx.watched.source
    for tag in list(await source.releases())[:_RELEASES]:
        there = Tip(branch=tag, sha=await source.resolve(tag))
        if there.sha and tip.sha and await source.is_ancestor(there.sha, tip.sha):
            continue
        if await source.find(there, number):
            return there
    return None


_RELEASES = 6  # the newest ones that are searched for a request


async def _fetch(reference: Reference, ctx: Context, tip: Tip) -> Sequence[Graded]:
    shas = await ctx.watched.source.find(tip, reference.number, reference.sha)
    if reference.sha and len(shas) > 1:
        raise AmbiguousReference(reference.sha, shas)
    return await ensure(ctx, shas, tip) if shas else ()


def _named(reference: Reference) -> str:
    return f"{reference.sign}{reference.number}" if reference.number is not None else reference.sha


_PICKED = lazy(r"^\(cherry[ -]picked from commit ([0-9a-f]{40,64})\)$", re.MULTILINE)


async def _origins(graded: Graded, ctx: Context) -> Sequence[Spans]:
    """The changes that a cherry-pick says it copies, if they are archived."""
    repository = ctx.watched.repository
    named = _PICKED.findall(graded.commit.message)[:_MOST_NAMED]
    found = (await ctx.archive.load(repository, named)).values() if named else ()
    return [words.PICKED_FROM(ctx.language, change=title_link(g, repository)) for g in found]


def _size(graded: Graded, ctx: Context) -> Sequence[Spans]:
    """The numbers of files and lines of a change, unless one file says them itself."""
    files = graded.facts.files
    added, deleted = (sum(getattr(file, side) for file in files) for side in ("added", "deleted"))
    if len(files) < 2:
        return ()
    numbers = {"added": f"{added:,}", "deleted": f"{deleted:,}"}
    return [words.SIZE(ctx.language, n=len(files), **numbers)]


async def _owned(graded: Graded, ctx: Context, tip: Tip) -> Sequence[Spans]:
    """The owners of the files of a change, if the repository names any."""
    known = await owners_of(ctx.watched, tip)
    owners = await asyncio.to_thread(known.of, graded.facts.paths)
    named = list_in_words([Code(owner) for owner in owners], ctx.language, limit=_MOST_NAMED)
    return [OWNERS(ctx.language, owners=named)] if owners else []


async def _announcements(
    graded: Graded, reverts: Sequence[Graded], ctx: Context
) -> Sequence[Spans]:
    """The digests that announced a reverted change: this one, or those that it reverts.

    A change that is reverted by its title alone is named in any case.
    """
    repository, language = ctx.watched.repository, ctx.language
    lines: list[Spans] = []
    if reverts and (told := await _announced(graded, ctx)):
        lines.append(words.ANNOUNCED(language, day=told.shown))
    undone = graded.facts.reverts
    for gone in await undone_by(ctx.archive, repository, graded):
        change = title_link(gone, repository)
        if told := await _announced(gone, ctx):
            lines.append(words.UNDOES_ANNOUNCED(language, change=change, day=told.shown))
        elif undone and undone.number is None and not undone.sha:
            lines.append(words.UNDOES_FOUND(language, change=change))
    return lines


async def _announced(graded: Graded, ctx: Context) -> Announced | None:
    if ctx.announcements is None:
        return None
    return await ctx.announcements.announced(ctx.watched.repository, graded, ctx.language)


def _document(
    told: _Explained,
    others: Sequence[Graded],
    undoings: tuple[Sequence[Graded], Sequence[Graded]],
    lines: Sequence[Spans],
    at: Seen,
) -> Document:
    graded = told.graded
    blocks = change_blocks(
        graded,
        told.analysis,
        at.repository,
        at.zone,
        at.language,
        level=1,
        missed=told.missed,
        whole=True,
    )
    reverts, relands = undoings
    notes = (
        *lines,
        *_told(words.UNDONE_BY, reverts, at),
        *_told(words.RELANDED_BY, relands, at),
        *_told(words.ALSO, others, at),
    )
    return Document(
        title=graded.title or graded.sha[:10],
        blocks=(*blocks, *map(Paragraph, notes), Paragraph(as_of(at), aside=True)),
        language=str(at.language),
    )


def _told(phrase: Phrase, changes: Sequence[Graded], at: Seen) -> Iterator[Spans]:
    for change in changes:
        yield phrase(at.language, change=title_link(change, at.repository))
