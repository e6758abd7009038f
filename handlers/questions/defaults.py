"""Changed defaults: the value that applies now if none is given, and the one before."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace

from digest.answer.answers import (
    Answer,
    AnswerRow,
    Seen,
    entry_of,
    foot,
    graded_because,
    lines_document,
    title_of,
)
from digest.answer.release_notes import UpgradeItem, met, met_words
from digest.core.change import printable
from digest.core.facts import Action, Area, FactKind
from digest.core.grade import Graded
from digest.core.reference import Query
from digest.document import Block, Code, Document, Heading, Item, Link, Listing, Paragraph, Text
from digest.i18n import answer_text as words
from digest.i18n.answer_text import EVERYTHING, SHOWN, SHOWN_SO_FAR
from digest.question.intent import Changed
from handlers.context import Context
from handlers.questions.scope import Reach

_PAGE = 20
"""Defaults on a page; each is a line."""


async def defaults(intent: Changed, query: Query, reached: Reach, ctx: Context, at: Seen) -> Answer:
    """The changed defaults of flags, variables and settings, from the changes of a query.

    Of several steps the first value and the last one count; a default that is back at its old value
    has not changed. Values that are no literals are not compared, because they may mean the same as
    before.
    """
    changes = await ctx.archive.select(ctx.watched.repository, query)
    found = [one for one in await asyncio.to_thread(met, changes) if _is_asked(one, intent)]
    by_name = {graded.sha: graded for graded in changes}
    titled = [g for g in changes if _SAID.search(g.title[:_MOST_TITLE]) and _is_code(g)]
    titled = [] if intent.things else titled  # a title does not say of what it is the default
    names = dict.fromkeys([*(one.sha for one in found), *(g.sha for g in titled)])
    told = [by_name[sha] for sha in names]
    told.sort(key=lambda g: (g.commit.committed_at, g.sha), reverse=True)
    return Answer(
        intent="changed",
        document=_with_titles(_document(intent, found, ctx, at), found, titled, ctx),
        window=reached.window,
        topic=intent.topic,
        total=len(told),
        rows=tuple(AnswerRow(graded=g, why=graded_because(g, ctx.language)) for g in told),
    )


_SAID = re.compile(
    r"\b(?:the|its|new|change|raise|lower|increase|decrease|reduce|bump|set|switch)\b.{0,60}"
    r"\bdefaults?\b|\bdefaults?\b(?! to\b)",
    re.IGNORECASE,
)
"""Words of titles about defaults that the code alone does not show."""


_MOST_TITLE = 300


def _is_code(graded: Graded) -> bool:
    return Area.CORE in graded.facts.areas or Area.CONFIG in graded.facts.areas


def _with_titles(
    document: Document, found: Sequence[UpgradeItem], titled: Sequence[Graded], ctx: Context
) -> Document:
    """The document with the changes of which only the title mentions a default."""
    shown = {one.sha for one in found}
    others = [g for g in titled if g.sha not in shown]
    if not others:
        return document
    items = tuple(Item(entry_of(g, ctx.watched.repository)) for g in others[:_PAGE])
    head = Paragraph(words.DEFAULTS_SAID(ctx.language))
    *before, last = document.blocks
    before = before if found else []  # what titles say is no "none"
    return replace(document, blocks=(*before, head, Listing(items), last))


def _is_asked(one: UpgradeItem, intent: Changed) -> bool:
    here = printable(one.evidence.path).startswith(intent.path)
    here = here and (not intent.things or one.kind in intent.things)
    return here and one.action is Action.CHANGED and one.kind is not FactKind.TOOLCHAIN


def _document(intent: Changed, found: Sequence[UpgradeItem], ctx: Context, at: Seen) -> Document:
    language = ctx.language
    about = title_of(intent, language)
    named = "" if about == EVERYTHING.text(language) else about
    if not found:
        topic = Code(named)
        line = words.NO_DEFAULT_OF(language, topic=topic) if named else words.NO_DEFAULT(language)
        return lines_document(intent.topic, [line, foot(intent.window, at)], at)
    first = _PAGE * (min(ctx.page, -(-len(found) // _PAGE)) - 1)
    page = found[first : first + _PAGE]
    head = words.DEFAULTS.text(language, n=len(found))
    title = words.DEFAULTS_OF.text(language, topic=named, counted=head) if named else head
    phrase = SHOWN if first + len(page) == len(found) else SHOWN_SO_FAR
    shown = f"{first + 1}–{first + len(page)}" if first else str(len(page))
    counted = phrase.text(language, shown=shown, total=len(found))
    blocks: tuple[Block, ...] = (
        Heading(1, (Text(title),)),
        Listing(tuple(_item(one, at) for one in page)),
        Paragraph(foot(intent.window, at, counted), aside=True),
    )
    return Document(title=title, blocks=blocks, language=str(language))


def _item(one: UpgradeItem, at: Seen) -> Item:
    """The default, with the change that set it and a link to its line."""
    repository = at.repository
    if one.number is None:
        name, url = one.sha[:10], repository.commit_url(one.sha)
    else:
        name, url = f"#{one.number}", repository.request_url(one.number)
    place = Code(f"{printable(one.evidence.path)}:{one.evidence.line}")
    line = met_words(one, Link(name, url) if url else Code(name), at.language)
    return Item((*line, Text(" · "), place))
