"""``explain NAME``: the history of a class, function, flag or variable, and its authors."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from digest.answer.answers import Answer, AnswerRow, entry_of, foot, lines_document, people_words
from digest.answer.listing import PAGE, first_of
from digest.core.change import printable
from digest.core.enums import Language
from digest.core.facts import Action, Fact
from digest.core.grade import Graded
from digest.document import Block, Code, Document, Heading, Item, Listing, Paragraph, Spans, Text
from digest.i18n import answer_text as words
from digest.i18n import names_text
from digest.i18n.answer_text import SHOWN, SHOWN_SO_FAR
from digest.i18n.phrase import Part, Phrase, joined, listed
from digest.question.intent import Changed, Search, Touched
from digest.question.periods import default_period
from digest.report.blocks import title_link
from digest.window import Window
from handlers.context import Context
from handlers.digests.ingest import tip_of
from handlers.ports.storage import Tip
from handlers.questions.changed import changed
from handlers.questions.named_changes import line_of
from handlers.questions.scope import count, reach, seen
from handlers.questions.search import search

_READ = 500
"""The newest changes that contain the name, whose facts are searched for it."""

_SAID = 3
"""The most facts to show of one change."""


async def touched(intent: Touched, ctx: Context) -> Answer:
    """The changes whose facts are about the name, newest first, with the effect of each.

    A name that no facts know is treated as a topic, unless it is in capitals, where the words in it
    prove nothing. If that fails too, the answer says whether it is mentioned. Without a period the
    whole archive is searched, with the last days read.
    """
    tip = await tip_of(ctx)
    await reach(intent.window or default_period(ctx.clock.now(), ctx.zone), ctx, tip)
    reached = await reach(intent.window, ctx, tip)
    query = replace(reached.query, terms=(intent.name,), limit=_READ)
    held = await ctx.archive.select(ctx.watched.repository, query)
    found = await asyncio.to_thread(_told, held, intent.name)
    flag, _, value = intent.name.partition("=")
    if not found and value:
        # Titles mention a value mostly without its flag; if none does, the flag is meant.
        topic = " ".join(re.split(r"[-_]", value))
        about = await changed(Changed(window=intent.window or _back(ctx), topic=topic), ctx)
        if about.rows:
            return about
        texts = await ctx.archive.select(ctx.watched.repository, replace(query, terms=(value,)))
        if texts:
            return await search(Search(terms=(value,), window=intent.window), ctx)
        return await touched(replace(intent, name=flag), ctx)
    if not found and intent.window is None:
        # What happened to a name is mostly longer ago than a period that nobody gave.
        await reach(_back(ctx), ctx, tip)
        held = await ctx.archive.select(ctx.watched.repository, query)
        found = await asyncio.to_thread(_told, held, intent.name)
    state = await _state(intent.name, found, ctx, tip)
    if found:
        return _answer(intent, found, state, ctx, foot(intent.window, seen(ctx, tip)))
    if not intent.name.isupper():
        span = intent.window or default_period(ctx.clock.now(), ctx.zone)
        about = await changed(Changed(window=span, topic=intent.name), ctx)
        if about.rows:
            return about
    language = ctx.language
    lines = [*state, words.UNTOUCHED(language, name=Code(intent.name))]
    if await count(ctx, replace(query, limit=0)):
        said = await search(Search(terms=(intent.name,), window=intent.window), ctx)
        blocks = (*map(Paragraph, lines), *said.document.blocks)
        return replace(said, document=replace(said.document, blocks=blocks))
    lines.append(foot(intent.window, seen(ctx, tip)))
    document = lines_document(intent.name, lines, seen(ctx, tip))
    return Answer(intent="touched", document=document, topic=intent.name)


_DAYS_BACK = 30


def _back(ctx: Context) -> Window:
    """The days that are read for a name that the archive does not know."""
    now = ctx.clock.now()
    return Window(since=now - timedelta(days=_DAYS_BACK), until=now, zone=ctx.zone)


async def _state(
    name: str, found: Sequence[tuple[Graded, list[Fact]]], ctx: Context, tip: Tip
) -> list[Spans]:
    """Whether a name still stands in the branch, what it is now, and what made it so."""
    language, lines = ctx.language, []
    if tip.sha is not None and _WORD.fullmatch(name):
        there = await ctx.watched.source.mentions(tip.sha, [name])
        if there is not None:
            paths = [Code(printable(path)) for path in sorted(there.get(name, ()), key=_program)]
            files = listed(paths, language, limit=3)
            lines.append(
                names_text.STANDS(language, name=Code(name), files=files)
                if paths
                else names_text.STANDS_NOT(language, name=Code(name))
            )
    facts = [(graded, fact) for graded, some in found for fact in some]
    valued = next(((g, f) for g, f in facts if f.after is not None), None)
    if valued is not None and facts[0][1].action is not Action.REMOVED:
        lines.append(_line(names_text.IS_NOW, *valued, ctx, value=Code(valued[1].after or "")))
    for phrase, action in ((names_text.WENT, Action.REMOVED), (names_text.CAME, Action.ADDED)):
        one = next(((g, f) for g, f in facts if f.action is action), None)
        if one is not None:
            lines.append(_line(phrase, *one, ctx))
    return lines


_WORD = re.compile(r"(?:--)?[A-Za-z_][\w-]*", re.ASCII)
"""What can be looked for as a word in a tree."""


def _program(path: str) -> tuple[bool, str]:
    """Tests last."""
    return "test" in path, path


def _line(phrase: Phrase, graded: Graded, fact: Fact, ctx: Context, **more: Part) -> Spans:
    change = title_link(graded, ctx.watched.repository)
    day = graded.commit.committed_at.astimezone(ctx.zone).date().isoformat()
    return phrase(ctx.language, name=Code(fact.name), change=change, day=day, **more)


def _told(held: Sequence[Graded], name: str) -> list[tuple[Graded, list[Fact]]]:
    """The changes with facts about the name, with these facts."""
    bare = name.lstrip("-")
    known = re.compile(rf"(?:^|[.:\s-])_?{re.escape(bare)}(?:$|[.:\s(=])", re.IGNORECASE)
    found = ((g, [i for i in g.facts.items if known.search(i.name)]) for g in held)
    return [(graded, facts) for graded, facts in found if facts]


def _answer(
    intent: Touched,
    found: Sequence[tuple[Graded, list[Fact]]],
    state: Sequence[Spans],
    ctx: Context,
    end: Spans,
) -> Answer:
    language = ctx.language
    first = first_of(ctx.page, len(found))
    page = found[first : first + PAGE]
    title = words.TOUCHED.text(language, name=intent.name, n=len(found))
    people = Counter(" ".join(graded.commit.author.split()) for graded, _ in found)
    shown = str(len(page)) if not first else f"{first + 1}–{first + len(page)}"
    phrase = SHOWN if first + len(page) == len(found) else SHOWN_SO_FAR
    counted = phrase.text(language, shown=shown, total=len(found))
    blocks: list[Block] = [
        Heading(1, (Text(title),)),
        *map(Paragraph, state),
        Paragraph(words.PEOPLE(language, people=people_words(people, language))),
        Listing(tuple(_item(graded, facts, ctx) for graded, facts in page)),
        Paragraph(joined([f"{counted} · ", end]), aside=True),
    ]
    listed = found if ctx.every else page
    return Answer(
        intent="touched",
        document=Document(title=title, blocks=tuple(blocks), language=str(language)),
        topic=intent.name,
        total=len(found),
        rows=tuple(AnswerRow(graded=g, why=_did(facts[0], language)) for g, facts in listed),
    )


def _item(graded: Graded, facts: Sequence[Fact], ctx: Context) -> Item:
    """The change with its effect on the name, each fact with its place."""
    told: dict[Spans, None] = {}
    for fact in facts:
        what = line_of(fact, ctx)
        place = Code(f"{printable(fact.evidence.path)}:{fact.evidence.line}")
        told.setdefault(words.AT(ctx.language, what=what, place=place))
    head = entry_of(graded, ctx.watched.repository)
    return Item(head, tuple(Item(spans) for spans in list(told)[:_SAID]))


def _did(fact: Fact, language: Language) -> str:
    return words.ACTIONS[fact.action].text(language, name=fact.name)
