"""What an upgrade from one release to another meets: interfaces that went, and the changelog."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

from digest.answer.answers import Answer, AnswerRow, foot, graded_because
from digest.answer.release_notes import UpgradeItem, met, upgrade_blocks
from digest.core.change import Side, printable
from digest.core.enums import ChangeKind, Language
from digest.core.facts import Action, Note
from digest.document import (
    Block,
    Code,
    Document,
    Heading,
    Item,
    Listing,
    Paragraph,
    Spans,
    Strong,
    Text,
)
from digest.facts.change_notes import entries, is_change_note
from digest.facts.side_text import SideLines
from digest.i18n import answer_text as words
from digest.i18n.answer_text import GROUP
from digest.i18n.phrase import Phrase, joined
from digest.question.commit_range import Refs
from digest.question.intent import Changed
from digest.report.blocks import title_link
from digest.topics.terms import kinds_of
from handlers.context import Context
from handlers.ports.storage import Tip
from handlers.questions.scope import Reach, range_of, seen

_MOST = 25
"""Lines of each group."""

_FILES = 8
"""Changelogs that are read, those nearest to the root first."""

_SAVED = 3
"""Files that still have a name which a change removed somewhere; then it is not gone."""

_WARNING = frozenset({"breaking", "removed", "deprecated"})

_NUMBER = re.compile(r"\d+(?:\.\d+){1,3}")
_LINK = re.compile(r"\[([^\]]{1,200})\]\([^)\s]{1,300}\)")
_REQUEST = re.compile(r"#(\d{1,9})\b")


async def upgrade(intent: Changed, reached: Reach, ctx: Context, tip: Tip) -> Answer:
    """Removed and renamed names, changed defaults, raised requirements, and what is announced.

    What the project announces stands in its own changelog at the later release.
    """
    refs = cast("Refs", intent.window)
    changes = await ctx.archive.select(ctx.watched.repository, reached.query)
    between = await range_of(refs, ctx, tip)
    items = await _gone(await asyncio.to_thread(met, changes), between.tip, ctx)
    announced = await _announced(refs, between.tip, ctx, tip)
    numbers = {int(n) for note in announced for n in _REQUEST.findall(note.text)}
    marked = [g for g in changes if ChangeKind.BREAKING in kinds_of(g) and g.facts.subject.breaking]
    names = {*(one.sha for one in items), *(g.sha for g in marked)}
    told = [g for g in changes if g.sha in names or g.number in numbers]
    blocks = (
        *upgrade_blocks(items, seen(ctx, tip)),
        *_group(words.ANNOUNCED_IN, [_said(note) for note in announced], ctx.language),
        *_group(
            words.KINDS[ChangeKind.BREAKING],
            [(title_link(g, ctx.watched.repository),) for g in marked],
            ctx.language,
        ),
    )
    title = words.UPGRADE_TITLE.text(
        ctx.language, base=refs.base or "…", tip=refs.tip or tip.branch, n=len(changes)
    )
    nothing = Paragraph(words.NO_UPGRADE(ctx.language))
    document = Document(
        title=title,
        blocks=(
            Heading(1, (Text(title),)),
            *(blocks or (nothing,)),
            Paragraph(foot(intent.window, seen(ctx, tip)), aside=True),
        ),
        language=str(ctx.language),
    )
    return Answer(
        intent="changed",
        document=document,
        topic=intent.topic,
        total=len(told),
        rows=tuple(AnswerRow(graded=g, why=graded_because(g, ctx.language)) for g in told),
    )


async def _gone(items: Sequence[UpgradeItem], sha: str, ctx: Context) -> Sequence[UpgradeItem]:
    """Without the names that several files of the later release still have."""
    removed = [one.name for one in items if one.action is Action.REMOVED]
    there = await ctx.watched.source.mentions(sha, removed) if removed else None
    return [
        one
        for one in items
        if one.action is not Action.REMOVED or len((there or {}).get(one.name, ())) < _SAVED
    ]


async def _announced(refs: Refs, sha: str, ctx: Context, tip: Tip) -> Sequence[Note]:
    """The entries of the changelogs that warn, of the releases between two."""
    files = await ctx.watched.source.files(replace(tip, sha=sha))
    paths = sorted((p for p in files if is_change_note(p)), key=lambda p: (p.count("/"), p))[
        :_FILES
    ]
    texts = await ctx.watched.source.contents([(sha, path) for path in paths])
    first, last = _version(refs.base), _version(refs.tip)
    found = [
        note
        for (_, path), text in texts.items()
        for note in _entries(path, text, first, last or (10**6,))
    ]
    return list({note.text: note for note in found}.values())


def _entries(path: str, text: str, first: tuple[int, ...], last: tuple[int, ...]) -> Iterator[Note]:
    lines = text.split("\n")
    part: list[tuple[int, str]] = []
    inside = False
    for number, line in enumerate(lines, 1):
        if line.startswith("#") and (found := _NUMBER.search(line[:80])):
            inside = first < _padded(found[0]) <= last
        if inside:
            part.append((number, line))
    side = SideLines(path=path, side=Side.NEW, changed=tuple(part), text=text)
    for note in entries(side):
        tagged = note.text.upper().startswith("[CHANGE]")
        if tagged or note.mark in _WARNING:
            yield note


def _version(tag: str) -> tuple[int, ...]:
    found = _NUMBER.search(tag)
    return _padded(found[0]) if found else ()


def _padded(number: str) -> tuple[int, ...]:
    return (*(int(n) for n in number.split(".")), 0, 0)[:4]


def _said(note: Note) -> Spans:
    text = _LINK.sub(r"\1", note.text).replace("**", "")
    place = Code(f"{printable(note.evidence.path)}:{note.evidence.line}")
    return joined([text, " · ", place])


def _group(name: Phrase, lines: Sequence[Spans], language: Language) -> Sequence[Block]:
    if not lines:
        return ()
    head = GROUP.text(language, name=name.text(language), n=len(lines))
    items = tuple(Item(line) for line in lines[:_MOST])
    return Paragraph((Strong(head),)), Listing(items)
