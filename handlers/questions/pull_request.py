"""Requests, issues and commits that only a forge knows: ``explain issue #N`` and the like.

The archive and the clone come first; the forge is queried for what they lack: requests that are not
merged yet, commits that no clone has, reviews, and an issue's state and labels. A request is
analysed by the same facts as any change, and stored as a request.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from digest.analysis.analyse import analyse
from digest.answer.answers import Answer, AnswerRow, as_of, graded_because
from digest.answer.listing import line_of
from digest.core.change import Change
from digest.core.enums import Language
from digest.core.facts import FACTS_VERSION
from digest.core.grade import Graded, Repository
from digest.core.reference import Query, Reference
from digest.core.request import Issue, Patch, PullRequest, RequestState, as_change, closing
from digest.document import (
    Block,
    Code,
    Document,
    Emphasis,
    Heading,
    Link,
    Paragraph,
    Span,
    Spans,
    Strong,
    Text,
    plain,
)
from digest.errors import ForgeDown, ForgeFailed, NotOnForge, UnknownChange
from digest.facts.message import read_paragraphs
from digest.frozen import frozen
from digest.grading.policy import grade_batch
from digest.i18n import statement_text as words
from digest.i18n.phrase import Part, between, list_in_words
from digest.report.blocks import change_blocks, title_link
from digest.window import minute
from handlers.context import Context
from handlers.digests.ingest import batch_of, ensure, tip_of, warn_unparsed
from handlers.ports.forge_port import Forge, KeptRequest
from handlers.questions.scope import viewpoint

_MOST_CHANGES = 50  # changes that are searched for mentions of an issue, the newest
_MOST_TOLD = 10
_MOST_PARAGRAPHS = 3


@frozen
class _Named:
    """Archived changes that close an issue, and others that mention it, newest first."""

    closing: tuple[Graded, ...]
    naming: tuple[Graded, ...]


async def explain_issue(number: int, ctx: Context) -> Answer:
    """Everything known about an issue.

    Raises ``UnknownChange`` if neither the forge nor any change knows it, and the forge's errors if
    no change knows it either.
    """
    issue: Issue | None = None
    failure: ForgeFailed | None = None
    if (forge := ctx.watched.forge) is not None:
        try:
            issue = await forge.issue(number)
        except NotOnForge:
            pass
        except ForgeFailed as error:
            failure = error
    named = await _named(number, issue, ctx)
    if issue is None and not (named.closing or named.naming):
        unknown = UnknownChange(f"issue #{number}", ctx.watched.repository.name)
        raise failure if failure is not None and forge and forge.eager else unknown
    rows = tuple(AnswerRow(graded=one, why="") for one in (*named.closing, *named.naming))
    document = await _document(number, issue, named, ctx)
    return Answer(intent="explain", document=document, total=len(rows), rows=rows)


async def closers_of(number: int, ctx: Context) -> Sequence[Graded]:
    """The changes of the branch that say that they close an issue, the newest first."""
    tip = await tip_of(ctx)
    shas = await ctx.watched.source.find(tip, issue=number)
    found = await ensure(ctx, list(shas), tip) if shas else ()
    return [one for one in found if one.number != number and not _is_elsewhere(number, one, ctx)]


def _is_elsewhere(number: int, graded: Graded, ctx: Context) -> bool:
    """Whether a message has the address of another repository's issue with this number."""
    pages = re.findall(rf"/([\w.-]+/[\w.-]+?)(?:/-)?/issues/{number}\b", graded.commit.message)
    mine = ctx.watched.repository.name.casefold()
    return "/" in mine and bool(pages) and mine not in map(str.casefold, pages)


async def _named(number: int, issue: Issue | None, ctx: Context) -> _Named:
    repository = ctx.watched.repository
    query = Query(terms=(f"#{number}",), limit=_MOST_CHANGES)
    found = await ctx.archive.select(repository, query)
    naming = [one for one in found if number in one.facts.issues and one.number != number]
    closers = [one for one in naming if number in closing(one.commit.message, repository.name)]
    closers += await closers_of(number, ctx)
    if issue is not None and issue.closed_by:
        closers += (await ctx.archive.load(repository, issue.closed_by)).values()
    shas = {one.sha for one in closers}
    return _Named(
        closing=tuple({one.sha: one for one in closers}.values())[:_MOST_TOLD],
        naming=tuple(one for one in naming if one.sha not in shas)[:_MOST_TOLD],
    )


async def _document(number: int, issue: Issue | None, named: _Named, ctx: Context) -> Document:
    language, repository = ctx.language, ctx.watched.repository
    at = viewpoint(ctx, await tip_of(ctx))
    title = issue.title if issue else ""
    title = title or words.ISSUE_TITLE.text(language, number=str(number))
    blocks: list[Block] = [Heading(1, (Text(title),)), Paragraph(_state(number, issue, ctx))]
    if issue is not None:
        if issue.labels:
            labels = list_in_words(
                [Code(label) for label in issue.labels], language, limit=_MOST_TOLD
            )
            blocks.append(Paragraph(words.LABELS(language, labels=labels)))
        paragraphs = read_paragraphs(issue.body, [issue.title])[:_MOST_PARAGRAPHS]
        blocks += [Paragraph((Text(paragraph),)) for paragraph in paragraphs]
    for change in named.closing:
        day = change.commit.committed_at.astimezone(ctx.zone).date().isoformat()
        closed = words.CLOSED_BY(language, change=title_link(change, repository), day=day)
        blocks += [Paragraph(line) for line in (closed, line_of(change, language)) if line]
    for change in named.naming:
        blocks.append(Paragraph(words.NAMED_BY(language, change=title_link(change, repository))))
    if issue is not None and (others := _others(issue, named)):
        links: list[Part] = [request_link(one, repository) for one in others]
        requests = list_in_words(links, language, limit=_MOST_TOLD)
        blocks.append(Paragraph(words.NAMED_BY_REQUESTS(language, requests=requests)))
    if not (named.closing or named.naming):
        blocks.append(Paragraph(words.NOTHING_NAMES_IT(language)))
    blocks.append(Paragraph(as_of(at)))
    return Document(title=title, blocks=tuple(blocks), language=str(language))


def _others(issue: Issue, named: _Named) -> Sequence[int]:
    """Requests that mention it and belong to no listed change."""
    told = {one.number for one in (*named.closing, *named.naming)}
    return [number for number in issue.mentions if number not in told]


def _state(number: int, issue: Issue | None, ctx: Context) -> Spans:
    url = issue_url(ctx.watched.repository, number)
    parts: list[Part] = [Link(f"#{number}", url) if url else Text(f"#{number}")]
    if issue is not None:
        parts.insert(0, Strong(words.ISSUE_STATES[issue.state].template(ctx.language)))
        parts.append(words.BY(ctx.language, name=issue.author))
    return between(parts, " · ")


log = logging.getLogger(__name__)


async def explain_requested(reference: Reference, ctx: Context, unknown: UnknownChange) -> Answer:
    """Explain what neither archive nor clone has as a change, from the forge.

    Without the forge, a number that a change says it closes is an issue's. Otherwise raises
    ``unknown``, or the forge's errors; a guessed forge that is down counts as not having it.
    """
    try:
        return await _explain_by_forge(reference, ctx, unknown)
    except UnknownChange:
        number = reference.number if reference.sign != "!" else None
        if number is None or not await closers_of(number, ctx):
            raise unknown from None
        return await explain_issue(number, ctx)


async def _explain_by_forge(reference: Reference, ctx: Context, unknown: UnknownChange) -> Answer:
    forge = ctx.watched.forge
    if forge is None:
        raise unknown
    try:
        if reference.number is not None:
            return await _explain_number(reference.number, forge, ctx, issues=reference.sign != "!")
        return await _explain_commit(reference.sha, forge, ctx)
    except (NotOnForge, UnknownChange):
        raise unknown from None
    except ForgeDown as error:
        if forge.eager:
            raise
        log.info("forge.silent: %s", error)
        raise unknown from None


async def request_of(number: int, ctx: Context) -> KeptRequest | None:
    """A request with its reviewers, from the forge now or else as it was last seen.

    ``None`` if it is unknown. Raises the forge's errors if nothing is stored either.
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
    """A request as it was last seen, without querying the forge."""
    if number is None or ctx.requests is None:
        return None
    return (await ctx.requests.load(ctx.watched.repository, [number])).get(number)


def lines_about(kept: KeptRequest | None, ctx: Context) -> tuple[Spans, ...]:
    """Lines on a change's request beyond git's data."""
    if kept is None or kept.request.state is not RequestState.MERGED:
        return ()
    return tuple(request_lines(kept.request, ctx.watched.repository, ctx.language))


async def reviews_of(graded: Graded, ctx: Context) -> Spans | None:
    """The reviewers of a change's request; ``None`` if no forge can tell."""
    if graded.number is None:
        return None
    try:
        kept = await request_of(graded.number, ctx)
    except ForgeFailed as error:
        log.info("forge.silent: %s", error)
        return None
    return review_line(kept.request, ctx.language) if kept and kept.request.reviewed else None


@frozen
class _Told:
    """A request or commit that is not a change of the branch, with the remarks around it."""

    graded: Graded
    remark: Spans
    lines: tuple[Spans, ...] = ()
    why: str = ""


async def _explain_number(number: int, forge: Forge, ctx: Context, *, issues: bool) -> Answer:
    kept = await kept_request(number, ctx)
    try:
        request = await forge.request(number)
    except NotOnForge:
        if not issues:
            raise
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
    told = _told(found, ctx, patch=patch)
    return await _answer(replace(told, lines=(*told.lines, *await _checked(request, ctx))), ctx)


async def _checked(request: PullRequest, ctx: Context) -> Sequence[Spans]:
    """What CI says about an open request, if the forge may be queried for it and tells."""
    forge = ctx.watched.forge
    if forge is None or not forge.eager or request.state is not RequestState.OPEN:
        return ()
    try:
        checks = await forge.checks(request)
    except ForgeFailed as error:
        log.info("forge.silent: %s", error)
        return ()
    if checks is None:
        return ()
    names = list_in_words([Code(name) for name in checks.failed], ctx.language, limit=_MOST)
    said = words.CHECKS[checks.state]
    return (said(ctx.language, names=names) if checks.failed else said(ctx.language),)


def _still_good(kept: KeptRequest | None, request: PullRequest) -> Graded | None:
    """The stored analysis, if neither the diff nor its sources have changed."""
    if kept is None or kept.graded is None or kept.graded.facts.version != FACTS_VERSION:
        return None
    had = kept.request
    same = (had.head, had.title, had.body) == (request.head, request.title, request.body)
    return kept.graded if same else None


async def _completed(request: PullRequest, patch: Patch, ctx: Context) -> Patch:
    """The whole diff from the clone, if the forge cut it short and the clone has the commit."""
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
    """The change graded by the same facts as any; missing contents may come from the clone."""
    known = dict(texts or {})
    from digest.facts.extract import wanted_blobs

    if lacking := [blob for blob in wanted_blobs(change) if blob not in known]:
        known.update(await ctx.watched.source.texts(lacking))
    done = await ctx.workers.few(grade_batch, batch_of([change], known, ctx))
    warn_unparsed(done.changes, ctx.watched.repository)
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
        lines.append(words.LAST_SEEN(language, moment=minute(kept.seen_at, ctx.zone)))
    return _Told(
        graded=_numbered(kept.graded, request),
        remark=words.NOT_A_CHANGE(language),
        lines=tuple(lines),
        why=words.STATES[request.state].text(language),
    )


def _numbered(graded: Graded, request: PullRequest) -> Graded:
    """The title as people wrote it, without the number appended to it."""
    subject = replace(graded.facts.subject, title=request.title, number=request.number)
    return replace(graded, facts=replace(graded.facts, subject=subject))


async def _answer(told: _Told, ctx: Context) -> Answer:
    graded, language = told.graded, ctx.language
    at = viewpoint(ctx, await tip_of(ctx))
    heading, *rest = change_blocks(
        graded, analyse(graded, language), at.repository, at.zone, language, level=1
    )
    blocks: list[Block] = [heading, Paragraph((Emphasis(plain(told.remark)),))]
    blocks += [Paragraph(line) for line in told.lines]
    blocks += [*rest, Paragraph(as_of(at))]
    document = Document(
        title=graded.title or graded.sha[:10], blocks=tuple(blocks), language=str(language)
    )
    row = AnswerRow(graded=graded, why=told.why or graded_because(graded, language))
    return Answer(intent="explain", document=document, total=1, rows=(row,))


_MOST = 12  # labels, issues or reviewers that are named; the others are counted


def request_lines(
    request: PullRequest, repository: Repository, language: Language
) -> Iterator[Spans]:
    """State, labels, issues and reviews, a line each; empty ones are left out."""
    yield _request_state(request, repository, language)
    if request.labels:
        labels = list_in_words([Code(label) for label in request.labels], language, limit=_MOST)
        yield words.LABELS(language, labels=labels)
    if request.issues:
        issues = list_in_words(issue_links(request.issues, repository), language, limit=_MOST)
        yield words.CLOSES(language, issues=issues)
    if request.reviewed:
        yield review_line(request, language)


def review_line(request: PullRequest, language: Language) -> Spans:
    """The reviewers and their verdicts."""
    if not request.reviewers:
        return words.NO_REVIEWS(language)
    said = [
        words.VERDICTS[reviewer.verdict](language, name=reviewer.name)
        for reviewer in request.reviewers
    ]
    return words.REVIEWS(language, reviews=list_in_words(said, language, limit=_MOST))


def issue_links(numbers: Sequence[int], repository: Repository) -> list[Part]:
    """Issues by number, linked if the repository has pages."""
    return [_linked(f"#{number}", issue_url(repository, number)) for number in numbers]


def request_link(number: int, repository: Repository) -> Span:
    """A request by number, linked if the repository has pages."""
    return _linked(repository.request_name(number), repository.request_url(number))


def issue_url(repository: Repository, number: int) -> str:
    """The page of an issue, or empty."""
    if not repository.web:
        return ""
    return f"{repository.web}/{'-/' if repository.forge == 'gitlab' else ''}issues/{number}"


def _linked(text: str, url: str) -> Span:
    return Link(text, url) if url else Text(text)


def _request_state(request: PullRequest, repository: Repository, language: Language) -> Spans:
    parts: list[Part] = [
        Strong(words.STATES[request.state].template(language)),
        request_link(request.number, repository),
    ]
    if request.draft and request.state is RequestState.OPEN:
        parts.append(words.DRAFT(language))
    if request.base:
        parts.append(words.FOR_BRANCH(language, branch=Code(request.base)))
    parts.append(words.BY(language, name=request.author))
    return between(parts, " · ")
