"""Changes brought into the archive: read if missing, graded and saved; and data of their requests.

Data of merged requests is read from the forge beside everything else and delays nothing: a digest
uses what is known, and what arrives later is in the next answer. Grades do not depend on it. Only
descriptions are waited for, without an account if necessary: a page of a forge's list holds a
hundred of them, so that a day costs one or two calls.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count

from digest.core.authors import OWNER_FILES, CodeOwners
from digest.core.change import Change
from digest.core.facts import FACTS_VERSION
from digest.core.grade import Graded, Repository
from digest.core.request import RequestState
from digest.errors import ForgeFailed, NotOnForge
from digest.frozen import frozen
from digest.grading.policy import Batch, GradedBatch, grade_batch
from digest.window import Window
from handlers.context import Context
from handlers.ports.forge_port import Forge, KeptRequest, Requests
from handlers.ports.storage import Range, Selection, Tip, Watched

log = logging.getLogger(__name__)

_PAGES = 2  # the most pages to request: without an account a client has only 60 calls an hour
_RECENT = timedelta(days=14)
"""The list is sorted by update time: older requests are too far down to look for."""

_PATIENCE = 6.0  # seconds that a digest waits for the forge


async def with_descriptions(changes: Sequence[Graded], ctx: Context) -> list[Graded]:
    """The changes with the descriptions of their requests, where known or readable."""
    numbers = {g.number for g in changes if g.number is not None}
    stored = await _stored_requests(numbers, ctx)
    if await _ask_forge([g for g in changes if g.number not in stored], ctx):
        stored = await _stored_requests(numbers, ctx)
    return [with_description(g, stored.get(g.number or 0)) for g in changes]


async def _stored_requests(numbers: Collection[int], ctx: Context) -> Mapping[int, KeptRequest]:
    if ctx.requests is None or not numbers:
        return {}
    return await ctx.requests.load(ctx.watched.repository, numbers)


def with_description(graded: Graded, known: KeptRequest | None) -> Graded:
    """The change with the description of its request, if that is known."""
    if known is None or known.request.state is not RequestState.MERGED:
        return graded
    from digest.facts.message import read_description

    request = known.request
    described = read_description(request.title, request.body, request.labels)
    return replace(graded, description=described)


async def _ask_forge(lacking: Sequence[Graded], ctx: Context) -> bool:
    """Read the newest pages of merged requests if recent changes lack their descriptions."""
    now = ctx.clock.now()
    recent = [g for g in lacking if g.number and now - g.commit.committed_at < _RECENT]
    forge = ctx.watched.forge
    if not recent or forge is None or ctx.requests is None or not ctx.watched.descriptions:
        return False
    oldest = min(g.commit.committed_at for g in recent)
    try:
        async with asyncio.timeout(_PATIENCE):
            return await _read_requests(forge, {g.number for g in recent}, oldest, ctx)
    except NotOnForge:
        log.info("descriptions.absent: %s", ctx.watched.repository.name)
    except (ForgeFailed, TimeoutError) as error:
        log.info("descriptions.unread: %s: %s", type(error).__name__, error)
    return False


async def _read_requests(
    forge: Forge, wanted: Collection[int | None], since: datetime, ctx: Context
) -> bool:
    """Save page after page until all wanted requests were seen or the page limit is reached."""
    assert ctx.requests is not None
    missing = set(wanted)
    pages = count(1)
    async for page in forge.recent(since):
        await ctx.requests.keep(ctx.watched.repository, page, ctx.clock.now())
        missing -= {request.number for request in page}
        if not missing or next(pages) == _PAGES:
            break
    return missing != set(wanted)


async def tip_of(ctx: Context) -> Tip:
    """The current tip of the watched branch."""
    return await ctx.watched.source.tip(ctx.watched.branch)


_MANY = 2000  # changes from which several processes are worth their memory: a backfill, not a month

_TOGETHER = 1024  # changes that share one search of the trees: a month of a large project
_SAVED = 256  # changes saved in one transaction: their rows are in memory until its end
_OFTEN = timedelta(minutes=1)  # how much the covered time must grow before it is saved again


@frozen
class Ingested:
    """The changes of a selection, newest first, and why some could be read only in part."""

    changes: tuple[Graded, ...]
    failures: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Pending:
    """Changes that were graded by their own lines, with what a search of the trees reads."""

    changes: list[Change] = field(default_factory=list)
    graded: list[Graded] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)

    def add(self, changes: Sequence[Change], batch: GradedBatch) -> None:
        """Add changes that are older than those before."""
        from digest.facts.tree_lookup import without_lines

        self.changes += map(without_lines, changes)
        self.graded += batch.changes
        self.failures.update(batch.failures)

    def take(self) -> _Pending:
        """Return what is pending and clear it."""
        taken = replace(self)
        self.changes, self.graded, self.failures = [], [], {}
        return taken


async def ensure(ctx: Context, selection: Selection, tip: Tip) -> tuple[Graded, ...]:
    """The graded changes of a selection, newest first; what the archive lacks is read."""
    return (await ingest(ctx, selection, tip)).changes


async def ingest(ctx: Context, selection: Selection, tip: Tip) -> Ingested:
    """Like :func:`ensure`, with the failures by full commit name."""
    names, failures = await fill(ctx, selection, tip)
    stored = await ctx.archive.load(ctx.watched.repository, names)
    return Ingested(changes=tuple(stored[s] for s in names if s in stored), failures=failures)


async def fill(
    ctx: Context, selection: Selection, tip: Tip
) -> tuple[Sequence[str], Mapping[str, str]]:
    """Update the archive for a selection without loading what is already there."""
    # In a coarse context, facts of another version count as present. Returns the names of the
    # selection's commits, newest first, and the failures by name.
    names = await ctx.watched.source.names(tip, selection)
    lacking = await _lacking(ctx, names)
    if lacking and ctx.weights is not None:
        # Another process may have taught weights since the context was made.
        local = tuple(await ctx.weights.load(ctx.watched.repository))
        if local != ctx.watched.grading.local:
            grading = replace(ctx.watched.grading, local=local)
            ctx = replace(ctx, watched=replace(ctx.watched, grading=grading))
            lacking = await _lacking(ctx, names)
    failures: dict[str, str] = {}
    if lacking:
        ctx.progress.start(len(names))
        ctx.progress.advance(len(names) - len(lacking))
        regraded = await _regrade(ctx, lacking)
        missing = [sha for sha in lacking if sha not in regraded]
        # If all commits are missing, the selection itself is cheaper for git than a list of names.
        wide = len(missing) == len(names) and not isinstance(selection, Sequence)
        if missing:
            await _read(ctx, selection if wide else missing, tip, failures, len(missing))
        ctx.progress.finish()
    await _cover(ctx, selection, tip)
    return names, failures


async def _lacking(ctx: Context, names: Sequence[str]) -> Sequence[str]:
    """The commits that have to be read or graded."""
    current = await current_of(ctx, names)
    lacking = [sha for sha in names if sha not in current]
    if ctx.coarse and lacking:
        aged = await ctx.archive.aged(ctx.watched.repository, lacking)
        lacking = [sha for sha in lacking if sha not in aged]
    return lacking


async def _cover(ctx: Context, selection: Selection, tip: Tip) -> None:
    """Record the time read by now; a range up to the tip continues where reading ended."""
    repository, branch = ctx.watched.repository, ctx.watched.branch or ""
    now = ctx.clock.now()
    if isinstance(selection, Range):
        read = await ctx.coverage.covered(repository, branch)
        if selection.tip == tip.sha and read and now - read[-1].until >= _OFTEN:
            await fill(ctx, replace(read[-1], since=read[-1].until, until=now), tip)
        return
    # Whole minutes, so that not every question has to write down how late it is.
    now = now.replace(second=0, microsecond=0)
    if isinstance(selection, Window) and selection.since < now:
        await ctx.coverage.cover(
            repository, branch, replace(selection, until=min(selection.until, now))
        )


async def current_of(ctx: Context, names: Sequence[str]) -> frozenset[str]:
    """The commits that need no work: read by today's facts and graded by weights in force."""
    # A change keeps the grade of its time if its repository has taught other weights since.
    current: frozenset[str] = frozenset()
    for by in ctx.watched.grading.versions:
        if lacking := [sha for sha in names if sha not in current]:
            current |= await ctx.archive.current(ctx.watched.repository, lacking, by)
    return current


async def _read(
    ctx: Context, selection: Selection, tip: Tip, failures: dict[str, str], expected: int
) -> None:
    """Read and save a selection; batches are graded while the next ones are being read."""
    pending = _Pending()
    async with aclosing(_graded(ctx, selection, tip, large=expected >= _MANY)) as batches:
        async for changes, batch in batches:
            pending.add(changes, batch)
            if len(pending.changes) >= _TOGETHER:
                await _keep(ctx, pending.take(), failures)
    # The texts of the last batches are gone by now: saving takes memory too.
    await _keep(ctx, pending.take(), failures)


async def _graded(
    ctx: Context, selection: Selection, tip: Tip, *, large: bool
) -> AsyncGenerator[tuple[Sequence[Change], GradedBatch], None]:
    """The changes of a selection with their grades, newest first."""
    under_way: deque[asyncio.Task[GradedBatch]] = deque()
    waiting: deque[Sequence[Change]] = deque()
    work = ctx.workers.many if large else ctx.workers.few
    try:
        async with aclosing(_batches(ctx, selection, tip)) as batches:
            async for batch in batches:
                under_way.append(asyncio.create_task(work(grade_batch, batch)))
                waiting.append(batch.changes)
                while len(under_way) > (ctx.workers.at_once if large else 1):
                    yield waiting.popleft(), await under_way[0]
                    under_way.popleft()
        while under_way:
            yield waiting.popleft(), await under_way[0]
            under_way.popleft()
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


async def _batches(ctx: Context, selection: Selection, tip: Tip) -> AsyncGenerator[Batch, None]:
    from digest.facts.extract import wanted_blobs

    texts: Mapping[str, str] = {}
    async for changes in ctx.watched.source.changes(tip, selection):
        blobs = list(dict.fromkeys(b for change in changes for b in wanted_blobs(change)))
        # What a file was before one change it became by an older one, often of the next batch.
        contents = {blob: texts[blob] for blob in blobs if blob in texts}
        lacking = [blob for blob in blobs if blob not in contents]
        texts = {**contents, **(await ctx.watched.source.texts(lacking))} if lacking else contents
        yield batch_of(changes, texts, ctx)


def batch_of(changes: Sequence[Change], texts: Mapping[str, str], ctx: Context) -> Batch:
    """Changes to be graded by the settings of a context."""
    return Batch(
        changes=tuple(changes),
        texts=texts,
        policy=ctx.watched.grading,
        clock=ctx.cpu_clock,
        forge=ctx.watched.repository.forge,
    )


def warn_unparsed(changes: Iterable[Graded], repository: Repository) -> None:
    """Log the changes whose files were too large or too complex to be parsed."""
    for graded in changes:
        if files := sum(file.unparsed for file in graded.facts.files):
            about = {"repository": repository.name, "sha": graded.sha, "files": files}
            log.warning("change.unparsed", extra=about)


async def _keep(ctx: Context, pending: _Pending, failures: dict[str, str]) -> None:
    # Questions about the archive read no change, and need none of this.

    from handlers.digests.tree_facts import settle  # imports the finders

    facts = await settle(ctx.watched.source, pending.changes, [g.facts for g in pending.graded])
    settled = [
        one if better is one.facts else replace(one, facts=better)
        for one, better in zip(pending.graded, facts, strict=True)
    ]
    labels = await labels_of(ctx.requests, ctx.watched.repository, settled)
    graded = [
        one
        if one is before and one.sha not in labels
        else ctx.watched.grading.regrade(one, labels.get(one.sha, ()))
        for before, one in zip(pending.graded, settled, strict=True)
    ]
    for start in range(0, len(graded), _SAVED):
        await ctx.archive.save(ctx.watched.repository, graded[start : start + _SAVED])
    failures.update(pending.failures)
    warn_unparsed(graded, ctx.watched.repository)
    ctx.progress.advance(len(graded))


async def _regrade(ctx: Context, lacking: Sequence[str]) -> frozenset[str]:
    """Regrade changes that have current facts by the current weights; return their names."""
    stored = await ctx.archive.load(ctx.watched.repository, lacking)
    labels = await labels_of(ctx.requests, ctx.watched.repository, stored.values())
    fresh = [
        ctx.watched.grading.regrade(graded, labels.get(graded.sha, ()))
        for graded in stored.values()
        if graded.facts.version == FACTS_VERSION
    ]
    await ctx.archive.save(ctx.watched.repository, fresh)
    ctx.progress.advance(len(fresh))
    return frozenset(graded.sha for graded in fresh)


Labels = Mapping[str, tuple[str, ...]]
"""The labels of changes by full name; a change without labels is absent."""


async def labels_of(
    requests: Requests | None, repository: Repository, changes: Iterable[Graded]
) -> Labels:
    """The stored labels of changes, equal for all commits of a request; none without a forge."""
    numbered = {change.sha: change.number for change in changes if change.number is not None}
    if requests is None or not numbered:
        return {}
    stored = await requests.load(repository, frozenset(numbered.values()))
    given = {
        number: request.request.labels
        for number, request in stored.items()
        if request.request.state is RequestState.MERGED and request.request.labels
    }
    return {sha: given[number] for sha, number in numbered.items() if number in given}


async def owners_of(watched: Watched, tip: Tip) -> CodeOwners:
    """Who owns which files at a tip; nobody without a CODEOWNERS file that can be read."""
    places = [(tip.sha, path) for path in OWNER_FILES if tip.sha]
    texts = await watched.source.contents(places) if places else {}
    return CodeOwners(text=next((texts[place] for place in places if place in texts), ""))


_OVERLAP = timedelta(minutes=5)
"""Time that is read again on each call: forges sort their lists by their own clocks."""


async def enrich(ctx: Context) -> int:
    """Read the merged requests that changed since the last call; return their number.

    Only for a forge that may be queried unprompted. The number of pages is bounded: after a long
    gap the oldest changed requests stay unread until somebody asks about them. Raises the forge's
    errors; what was read until then is kept.
    """
    forge, requests, repository = ctx.watched.forge, ctx.requests, ctx.watched.repository
    if forge is None or requests is None or not forge.eager:
        return 0
    since = await requests.read_until(repository)
    newest: datetime | None = None
    count = 0
    async for page in forge.recent(since - _OVERLAP if since else None):
        await requests.keep(repository, page, ctx.clock.now())
        count += len(page)
        newest = max(
            [request.updated_at for request in page] + ([newest] if newest else []), default=None
        )
    if newest is not None and (since is None or newest > since):
        await requests.mark(repository, newest)
    return count
