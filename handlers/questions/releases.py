"""``releases`` and ``compare``: tagged releases with their dates, and the changes between two.

Questions about one release use the range from the release before it.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from statistics import median
from typing import cast

from digest.answer.answers import Answer, AnswerRow, graded_because, lines_document, window_words
from digest.answer.release_notes import notes_document, notes_of
from digest.core.facts import Action
from digest.core.release import (
    LATEST,
    TaggedRelease,
    asked_release,
    in_series,
    is_next,
    latest,
    version_of,
)
from digest.core.request import Release
from digest.document import Block, Code, Document, Heading, Item, Listing, Paragraph, Spans, Text
from digest.errors import ForgeFailed, NoRelease, NothingNewer, UnknownBranch, UnknownChange
from digest.i18n import answer_text
from digest.i18n import answer_text as words
from digest.i18n.answer_text import AS_MANY_RELEASES, FEWER_RELEASES, MORE_RELEASES
from digest.i18n.phrase import join, list_in_words
from digest.question.commit_range import Refs, release_number
from digest.question.intent import Changed, Compare, Intent, Released, Releases, Touched
from digest.question.periods import default_period
from digest.question.questions import format_intent
from digest.report.blocks import title_link
from digest.window import Window
from handlers.context import Context
from handlers.digests.ingest import ensure, tip_of
from handlers.ports.chat_port import Length
from handlers.ports.forge_port import Publishing
from handlers.ports.storage import Tip
from handlers.questions.about_change import answer_of, one_change
from handlers.questions.explain import find
from handlers.questions.scope import range_of, viewpoint

_MOST = 100  # the newest tags that are examined
_DAY = timedelta(days=1)
_RHYTHM = 2  # times between releases from which their rhythm is told
_PAGE = 15  # the most releases to list


async def releases(intent: Releases, ctx: Context) -> Answer:
    """The final releases, newest first. Raises ``NoRelease`` where there is none at all."""
    source = ctx.watched.source
    tags = list(await source.releases())[:_MOST]
    if not tags:
        raise NoRelease(ctx.watched.repository.name)
    tags = _between(intent.window, tags) if isinstance(intent.window, Refs) else tags
    within = intent.window if isinstance(intent.window, Window) else None
    wanted = tags if intent.window else tags[: 2 * _PAGE]
    read = [one for one in await asyncio.gather(*map(source.release, wanted)) if one]
    every = await _without_twins(read, ctx)
    found = [one for one in every if within is None or (one.at and one.at in within)]
    language, at = ctx.language, viewpoint(ctx, await tip_of(ctx))
    when = window_words(intent.window, language) if within else ()
    if not found:
        line = words.NO_RELEASE_THEN(language, latest=Code(tags[0]))
        return Answer(intent="releases", document=lines_document("", [line, when], at))
    shown = found if intent.window else found[:_PAGE]
    title = words.RELEASES.text(language, n=len(shown))
    items = tuple(_item(one, ctx) for one in found[:_PAGE])
    blocks: list[Block] = [Heading(1, (Text(title),)), Listing(items)]
    if intent.against:
        n = len(found)
        other = sum(one.at is not None and one.at in intent.against for one in every)
        phrase = MORE_RELEASES if n > other else FEWER_RELEASES if n < other else AS_MANY_RELEASES
        blocks.insert(1, Paragraph(phrase(language, n=n, other=other)))
    blocks += [Paragraph(when, aside=True)] if when else []
    days = [(a.at - b.at) / _DAY for a, b in itertools.pairwise(found) if a.at and b.at]
    if intent.window is None and len(days) > _RHYTHM:
        told = words.NEXT_RELEASE(language, days=max(round(median(days)), 1))
        blocks.append(Paragraph(told))
    document = Document(title=title, blocks=tuple(blocks), language=str(language))
    points = [Changed(window=Refs(base=one.before, tip=one.tag)) for one in found[:_PAGE]]
    listed = tuple(format_intent(point) for point in points)
    return Answer(intent="releases", document=document, window=within, listed=listed)


def _between(refs: Refs, tags: Sequence[str]) -> list[str]:
    """The release that ends a range, those after its beginning, or those of a series.

    Raises ``UnknownBranch`` if there is none.
    """
    if refs.base and refs.tip:
        return [refs.tip]
    if refs.base:
        first = release_number(refs.base)
        found = [tag for tag in tags if release_number(tag) > first]
    else:
        ends = release_number(refs.tip)[1]
        found = [tag for tag in tags if release_number(tag)[1][: len(ends)] == ends]
    if not found:
        raise UnknownBranch(refs.base or refs.tip)
    return found


async def _without_twins(found: Sequence[TaggedRelease], ctx: Context) -> Sequence[TaggedRelease]:
    """The releases without tags of the same commit and kind with a lower number.

    Such tags are those of the libraries in a program, as ``v0.314.0`` beside ``v3.14.0``.
    """
    commits = await asyncio.gather(*(ctx.watched.source.resolve(one.tag) for one in found))
    of_commit: dict[tuple[str, str], list[str]] = {}
    for one, commit in zip(found, commits, strict=True):
        family = version.family if (version := version_of(one.tag)) else one.tag
        of_commit.setdefault((commit, family), []).append(one.tag)
    kept = {max(some, key=release_number) for some in of_commit.values()}
    return [one for one in found if one.tag in kept]


async def first_release(intent: Released, ctx: Context) -> Answer:
    """Whether a release contains a change or a copy of it, and the first one that does.

    Raises ``NoRelease``.
    """
    source = ctx.watched.source
    tags, project = await source.releases(), ctx.watched.repository.name
    name = latest(tags, project) if intent.release == LATEST else intent.release
    named = await _release(name, ctx) if name else None
    try:
        graded = await one_change(intent.reference, ctx)
    except UnknownChange:
        if named is None or intent.reference is None:
            raise
        tip = Tip(branch=named.tag, sha=await source.resolve(named.tag))
        graded = (await find(intent.reference, ctx, tip))[0]  # it landed on another branch
    if not tags:
        raise NoRelease(project)
    first, copies = await source.released(await tip_of(ctx), graded.sha, graded.commit.subject)
    change = title_link(graded, ctx.watched.repository)
    day = graded.commit.committed_at.astimezone(ctx.zone).date().isoformat()
    told: list[Spans] = []
    if named is not None:
        holds = await _contains(named.tag, [graded.sha, *copies, *([first] if first else [])], ctx)
        phrase = words.TAG_HAS_IT if holds else words.TAG_LACKS_IT
        told.append(phrase(ctx.language, change=change, day=day, tag=Code(named.tag)))
    elif name:
        told.append(await _untagged(name, ctx))
    having = await source.release(first or next(iter(copies), "")) if first or copies else None
    if not (having and named and having.tag == named.tag):
        phrase = words.RELEASED_IN if having else words.NOT_RELEASED
        tag = Code(having.tag if having else latest(tags, project) or next(iter(tags)))
        told.append(phrase(ctx.language, change=change, day=day, tag=tag))
    if having and having.at:
        day = having.at.astimezone(ctx.zone).date().isoformat()
        told[-1] = join([told[-1], " ", answer_text.TAGGED(ctx.language, day=day)])
    if others := [Code(tag) for tag in copies if having and tag != having.tag]:
        listed = list_in_words(others, ctx.language, limit=_PAGE)
        told.append(words.COPIED_IN(ctx.language, tags=listed))
    return answer_of("released", graded, [Paragraph(line) for line in told if line], ctx)


async def _contains(tag: str, commits: Sequence[str], ctx: Context) -> bool:
    """Whether a release contains one of some commits or of the releases with copies of them."""
    source = ctx.watched.source
    tip = await source.resolve(tag)
    ends = [await source.resolve(one) for one in commits]
    return any([end == tip or await source.is_ancestor(end, tip) for end in ends])


def _item(one: TaggedRelease, ctx: Context) -> Item:
    day = one.at.astimezone(ctx.zone).date().isoformat() if one.at else ""
    if not day:
        return Item((Code(one.tag),))
    return Item(words.RELEASED_ON(ctx.language, tag=Code(one.tag), day=day))


_COMPARE_MOST = {Length.SHORT: 3, Length.NORMAL: 5, Length.LONG: 25}
"""The most changes of a group to list."""

_SOON = 5.0
"""Seconds that notes wait for the forge's data on releases; they are complete without it."""


async def compare(intent: Compare, ctx: Context) -> Answer:
    """The changes that the second reference has and the first lacks, in groups by kind."""
    tip = await tip_of(ctx)
    changes = await ensure(ctx, await range_of(intent.refs, ctx, tip), tip)
    notes = await asyncio.to_thread(notes_of, changes)
    document = notes_document(
        notes,
        intent.refs,
        viewpoint(ctx, tip),
        _COMPARE_MOST[ctx.length],
        page=ctx.page,
        releases=await _releases(intent.refs, ctx),
    )
    rows = tuple(AnswerRow(graded=g, why=graded_because(g, ctx.language)) for g in changes)
    return Answer(intent="compare", document=document, total=len(rows), rows=rows)


async def _releases(refs: Refs, ctx: Context) -> Sequence[Release]:
    """The forge's data on the two references, if it answers in time."""
    forge = ctx.watched.forge
    if not isinstance(forge, Publishing):
        return ()
    try:
        async with asyncio.timeout(_SOON):
            found = await forge.releases()
    except (ForgeFailed, TimeoutError):
        return ()
    named = [one for one in found if one.tag in {refs.base, refs.tip}]
    return sorted(named, key=lambda one: one.published_at)


_NOW = timedelta(minutes=1)
"""A period that ended at most this long ago, and begins where the default does, is the default."""


async def of_release(intent: Intent, ctx: Context) -> tuple[Intent, Spans]:
    """The intent with the range of the release named by its topic, and a line that says so.

    It applies if the topic looks like a version and is a tag of the repository, and the question
    names no period. A question about the latest release, as a topic or as an end of a range, gets
    that release's tag. Every other intent is returned unchanged, without a line. Raises
    ``NoRelease``.
    """
    intent, newest = await _with_latest(intent, ctx)
    if not isinstance(intent, Changed) or not _names_no_period(intent, ctx):
        series = asked_release(intent.topic) if isinstance(intent, Changed) else None
        if isinstance(intent, Changed) and series and series.name.endswith(".x"):
            intent = replace(intent, topic=series.topic)  # "CVEs fixed in 2.x this year"
        return intent, answer_text.LATEST_IS(ctx.language, tag=Code(newest)) if newest else ()
    source, asked = ctx.watched.source, asked_release(intent.topic)
    name = (newest if asked.name.lower() == LATEST else asked.name) if asked else ""
    release = await _release(name, ctx) if name else None
    if name and release is None and not _is_series(name):
        name = f"{name}.x"  # "what is new in 0.41", of which there is no tag
        release = await _release(name, ctx)
    if asked is None or release is None:
        last = latest(await source.releases(), ctx.watched.repository.name)
        if asked and last and is_next(asked.name, last):
            line = words.UNTAGGED(ctx.language, tag=Code(asked.name), latest=Code(last))
            return replace(intent, window=Refs(base=last), topic=asked.topic), line
        if asked and asked.topic:  # "python 3.14.7" of a project with other versions
            about = f"{asked.topic} {asked.name}"
            if intent.actions == (Action.ADDED,) and not intent.things:
                return Touched(name=about, claim="added"), ()
            return replace(intent, topic=about), ()
        topic = intent.topic.removesuffix(".x")  # "v1" may be the name of an engine
        return replace(intent, topic=topic), await _untagged(topic, ctx)
    refs = Refs(base=release.before, tip=release.tag)
    line = _line(release, newest, ctx)
    if _is_series(name) and release.before:
        line = answer_text.OF_SERIES(
            ctx.language, tag=Code(release.tag), before=Code(release.before)
        )
    return replace(intent, window=refs, topic=asked.topic), line


async def _untagged(version: str, ctx: Context) -> Spans:
    """A line that says that no release has a version; a number without a dot may be no version."""
    tags = await ctx.watched.source.releases() if _VERSION.fullmatch(version) else {}
    if not tags:
        return ()
    newest = Code(latest(tags, ctx.watched.repository.name) or next(iter(tags)))
    return words.UNTAGGED(ctx.language, tag=Code(version), latest=newest)


_VERSION = re.compile(r"v?\d+(?:\.\d+)+", re.IGNORECASE)


def _is_series(name: str) -> bool:
    return name.lower().endswith(".x") or name.startswith(f"{LATEST}s-")


async def _release(name: str, ctx: Context) -> TaggedRelease | None:
    """The release with a name; for a series such as ``1.2.x`` its latest, from before its first.

    The last zero of a version may be omitted, and a package's name before it.
    """
    source = ctx.watched.source
    if not _is_series(name):
        found = await source.release(name) or await source.release(f"{name}.0")
        if found is not None or not _VERSION.fullmatch(name):
            return found
        versions = {tag: version_of(tag) for tag in await source.releases()}
        ends = name.lower().removeprefix("v")
        same = [tag for tag, one in versions.items() if one and tag[len(one.family) :] == ends]
        return await source.release(min(same, key=len)) if same else None
    tags = in_series(name, await source.releases(), ctx.watched.repository.name)
    first, last = [await source.release(tag) for tag in tags] or (None, None)
    return replace(last, before=first.before) if first and last else None


async def _with_latest(intent: Intent, ctx: Context) -> tuple[Intent, str]:
    """The intent with "latest" in its range replaced by the latest release's tag, and that tag.

    Raises ``NoRelease``, and ``NothingNewer`` if the range begins with the latest release too.
    """
    span = intent.refs if isinstance(intent, Compare) else getattr(intent, "window", None)
    ends = [end.lower() for end in (span.base, span.tip)] if isinstance(span, Refs) else []
    asked = asked_release(intent.topic) if isinstance(intent, Changed) else None
    if LATEST not in ends and not (asked and asked.name.lower() == LATEST):
        return intent, ""
    newest = latest(await ctx.watched.source.releases(), ctx.watched.repository.name)
    if not newest:
        raise NoRelease(ctx.watched.repository.name)
    if not isinstance(span, Refs) or LATEST not in ends:
        return intent, newest
    base, tip = (
        newest if end == LATEST else old
        for end, old in zip(ends, (span.base, span.tip), strict=True)
    )
    if base.lower().lstrip("v") == tip.lower().lstrip("v"):
        raise NothingNewer(newest)
    refs = replace(span, base=base, tip=tip)
    if isinstance(intent, Compare):
        return replace(intent, refs=refs), newest
    return replace(cast("Changed", intent), window=refs), newest


def _names_no_period(intent: Changed, ctx: Context) -> bool:
    usual = default_period(ctx.clock.now(), ctx.zone)
    if isinstance(intent.window, Refs):
        return False
    return intent.window.since == usual.since and usual.until - intent.window.until < _NOW


def _line(release: TaggedRelease, newest: str, ctx: Context) -> Spans:
    """A description of the release: its date, whether it is the latest, and the range's start."""
    tag, last = Code(release.tag), release.tag == newest
    phrase = answer_text.OF_LATEST if last else answer_text.OF_RELEASE
    said = [answer_text.LATEST_IS(ctx.language, tag=tag)] if last and not release.before else []
    if not release.before:
        phrase = answer_text.OF_FIRST_RELEASE
    said.append(phrase(ctx.language, tag=tag, before=Code(release.before)))
    if release.at is not None:
        day = release.at.astimezone(ctx.zone).date().isoformat()
        said.append(answer_text.TAGGED(ctx.language, day=day))
    return join([part for one in said for part in (one, " ")][:-1])
