"""What only a forge knows: requests that are no changes yet, commits that no clone has, reviews.

The archive and the clone come first; this is asked where they know nothing, and for what git does
not hold. What is found is analysed by the same facts as any change, and kept marked as a request.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from digest.analysis import analyse
from digest.answer import Answer, Row, as_of, graded_because
from digest.change import Change
from digest.document import Block, Document, Emphasis, Paragraph, Spans, plain
from digest.errors import ForgeDown, ForgeFailed, NotOnForge, UnknownChange
from digest.facts import wanted
from digest.facts.model import FACTS_VERSION
from digest.graded import Graded
from digest.grading import Batch, grade_batch
from digest.reference import Reference
from digest.report import change_blocks
from digest.report.moments import moment
from digest.request import Patch, PullRequest, RequestState, as_change
from digest.request_words import request_lines, review_line
from digest.words import forge as words
from handlers.context import Context
from handlers.forge_port import Forge, KeptRequest
from handlers.issues import explain_issue
from handlers.looking import seen, tip_of

log = logging.getLogger(__name__)


async def explain_requested(reference: Reference, ctx: Context, unknown: UnknownChange) -> Answer:
    """Explain what neither archive nor clone has, as the forge has it.

    Raises ``unknown`` where the forge has it neither, or there is none to ask, and what a forge
    raises. A forge that only might know, because nobody configured it, says nothing when down.
    """
    forge = ctx.watched.forge
    if forge is None:
        raise unknown
    try:
        if reference.number is not None:
            return await _explain_number(reference.number, forge, ctx)
        return await _explain_commit(reference.sha, forge, ctx)
    except NotOnForge:
        raise unknown from None
    except ForgeDown as error:
        if forge.eager:
            raise
        log.info("forge.silent: %s", error)
        raise unknown from None


async def request_of(number: int, ctx: Context) -> KeptRequest | None:
    """A request with its reviewers: as the forge has it now, else as it was last seen.

    ``None`` where nothing is known of it. Raises what a forge raises where nothing is kept either.
    """
    kept = await kept_request(number, ctx)
    forge = ctx.watched.forge
    if forge is None:
        return kept
    try:
        request = await forge.request(number)
    except NotOnForge:
        return kept
    except ForgeFailed:
        if kept is None:
            raise
        return kept
    now = ctx.clock.now()
    if ctx.requests is not None:
        await ctx.requests.keep(ctx.watched.repository, [request], now)
    graded = kept.graded if kept is not None and kept.request.head == request.head else None
    return KeptRequest(request=request, seen_at=now, graded=graded)


async def kept_request(number: int | None, ctx: Context) -> KeptRequest | None:
    """A request as it was last seen, without asking anybody."""
    if number is None or ctx.requests is None:
        return None
    return (await ctx.requests.load(ctx.watched.repository, [number])).get(number)


async def lines_about(graded: Graded, ctx: Context) -> tuple[Spans, ...]:
    """What is known of a change's request beside git, without asking anybody."""
    kept = await kept_request(graded.number, ctx)
    if kept is None or kept.request.state is not RequestState.MERGED:
        return ()
    return tuple(request_lines(kept.request, ctx.watched.repository, ctx.language))


async def reviews_of(graded: Graded, ctx: Context) -> Spans | None:
    """Who reviewed the request of a change; ``None`` where there is nobody to ask who knows."""
    if graded.number is None:
        return None
    try:
        kept = await request_of(graded.number, ctx)
    except ForgeFailed as error:
        log.info("forge.silent: %s", error)
        return None
    return review_line(kept.request, ctx.language) if kept and kept.request.reviewed else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """A request or commit that is no change of the branch, with what is to be said around it."""

    graded: Graded
    remark: Spans
    lines: tuple[Spans, ...] = ()
    why: str = ""


async def _explain_number(number: int, forge: Forge, ctx: Context) -> Answer:
    kept = await kept_request(number, ctx)
    try:
        request = await forge.request(number)
    except NotOnForge:
        # Issues and requests share their numbers on most forges.
        return await explain_issue(number, ctx)
    except ForgeFailed:
        if kept is None or kept.graded is None:
            raise
        return await _answer(_told(kept, ctx, stale=True), ctx)
    patch: Patch | None = None
    graded = _still_good(kept, request)
    if graded is None:
        patch = await _completed(request, await forge.patch(request), ctx)
        graded = await _graded(as_change(request, patch), ctx, patch.texts)
    now = ctx.clock.now()
    if ctx.requests is not None:
        await ctx.requests.keep_graded(ctx.watched.repository, request, graded, now)
    found = KeptRequest(request=request, seen_at=now, graded=graded)
    return await _answer(_told(found, ctx, patch=patch), ctx)


def _still_good(kept: KeptRequest | None, request: PullRequest) -> Graded | None:
    """The analysis that was kept, where neither the diff nor what it was read from changed."""
    if kept is None or kept.graded is None or kept.graded.facts.version != FACTS_VERSION:
        return None
    had = kept.request
    same = (had.head, had.title, had.body) == (request.head, request.title, request.body)
    return kept.graded if same else None


async def _completed(request: PullRequest, patch: Patch, ctx: Context) -> Patch:
    """The whole diff from the clone, where the forge cut it short and the clone has the commit."""
    if not patch.truncated:
        return patch
    source = ctx.watched.source
    tip = await tip_of(ctx)
    for sha in filter(None, (request.merge_commit, request.head)):
        names = await source.find(tip, sha=sha)
        async for batch in source.changes(tip, list(names)):
            for change in batch:
                if len(change.files) >= patch.total:
                    return Patch(files=change.files, total=len(change.files))
    return patch


async def _explain_commit(sha: str, forge: Forge, ctx: Context) -> Answer:
    change = await forge.change(sha)
    graded = await _graded(change, ctx)
    remark = words.NOT_ON_BRANCH(ctx.language)
    return await _answer(_Told(graded=graded, remark=remark), ctx)


async def _graded(change: Change, ctx: Context, texts: Mapping[str, str] | None = None) -> Graded:
    """The change graded by the same facts as any; what contents are missing the clone may have."""
    known = dict(texts or {})
    if lacking := [blob for blob in wanted(change) if blob not in known]:
        known.update(await ctx.watched.source.texts(lacking))
    batch = Batch(changes=(change,), texts=known, thresholds=ctx.watched.thresholds)
    done = await ctx.workers.few(grade_batch, batch)
    for sha, why in done.failures.items():
        log.warning("request.unread: %s, %s", sha, why)
    return done.changes[0]


def _told(
    kept: KeptRequest, ctx: Context, *, patch: Patch | None = None, stale: bool = False
) -> _Told:
    request, language = kept.request, ctx.language
    assert kept.graded is not None
    lines = list(request_lines(request, ctx.watched.repository, language))
    shown, total = len(kept.graded.facts.files), request.files
    if patch is not None:
        shown, total = len(patch.files), patch.total
    if total > shown:
        lines.append(words.CUT_SHORT(language, shown=shown, total=total))
    if stale:
        lines.append(words.LAST_SEEN(language, moment=moment(kept.seen_at, ctx.zone)))
    return _Told(
        graded=_numbered(kept.graded, request),
        remark=words.NOT_A_CHANGE(language),
        lines=tuple(lines),
        why=words.STATES[request.state].text(language),
    )


def _numbered(graded: Graded, request: PullRequest) -> Graded:
    """The title as people wrote it, without the number that was put behind it."""
    subject = replace(graded.facts.subject, title=request.title, number=request.number)
    return replace(graded, facts=replace(graded.facts, subject=subject))


async def _answer(told: _Told, ctx: Context) -> Answer:
    graded, language = told.graded, ctx.language
    at = seen(ctx, await tip_of(ctx))
    heading, *rest = change_blocks(
        graded, analyse(graded, language), at.repository, at.zone, language, level=1
    )
    blocks: list[Block] = [heading, Paragraph((Emphasis(plain(told.remark)),))]
    blocks += [Paragraph(line) for line in told.lines]
    blocks += [*rest, Paragraph(as_of(at))]
    document = Document(
        title=graded.title or graded.sha[:10], blocks=tuple(blocks), language=str(language)
    )
    row = Row(graded=graded, why=told.why or graded_because(graded, language))
    return Answer(intent="explain", document=document, total=1, rows=(row,))
