"""Changes by name: flags, variables, settings, routes, metrics and dependencies."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from digest.answer.answers import Answer, AnswerRow, foot, lines_document, title_of
from digest.core.change import printable
from digest.core.enums import ChangeKind
from digest.core.facts import Action, Area, Fact, FactKind
from digest.core.grade import Graded
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
from digest.i18n import names_text as words
from digest.i18n.answer_text import SHOWN, SHOWN_SO_FAR
from digest.i18n.phrase import join
from digest.question.intent import Changed
from digest.report.blocks import title_link
from digest.topics.terms import pieces
from handlers.context import Context
from handlers.ports.storage import Tip
from handlers.questions.list_reading import Meant, query_of, resolved_topic
from handlers.questions.scope import Reach, viewpoint

PUBLIC = (
    FactKind.FLAG,
    FactKind.ENVIRONMENT,
    FactKind.CONFIG,
    FactKind.ROUTE,
    FactKind.METRIC,
)
"""The kinds that are meant if a question names none."""

_PAGE = 25
"""Names on a page; each is a line."""

_ASIDE = frozenset({Area.TESTS, Area.EXAMPLES, Area.BENCHMARKS, Area.VENDORED, Area.GENERATED})
"""Areas whose names do not concern users."""


@dataclass(frozen=True, slots=True)
class Named:
    """The effect of a change on a name."""

    graded: Graded
    fact: Fact


async def names(intent: Changed, reached: Reach, ctx: Context, tip: Tip) -> Answer | None:
    """The names that an intent asks for, with the changes that added, removed or changed them.

    ``None`` if it names a topic that matches no name: its changes are listed then.
    """
    if ChangeKind.DEPENDENCIES in intent.kinds and not intent.things:
        intent = replace(intent, things=_VERSIONS, kinds=())
    query = replace(
        reached.query,
        author=intent.author,
        level=intent.level,
        paths=(intent.path,) if intent.path else (),
    )
    changes = await ctx.archive.select(ctx.watched.repository, query)
    found = await asyncio.to_thread(lambda: list(_named(changes, intent)))
    if not found and intent.topic:
        # A change about the topic may add a name without it.
        topic = await resolved_topic(intent, ctx)
        if topic.topics:
            query = replace(query, topics=topic.topics, about=topic.alternatives)
            changes = await ctx.archive.select(ctx.watched.repository, query)
            bare = replace(intent, topic="")
            found = await asyncio.to_thread(lambda: list(_named(changes, bare)))
        if not found:
            return None
    at = viewpoint(ctx, tip)
    told = list(dict.fromkeys(one.graded.sha for one in found))
    by_name = {one.graded.sha: one for one in found}
    rows = tuple(AnswerRow(graded=by_name[sha].graded, why=_why(by_name[sha], ctx)) for sha in told)
    if found:
        document = _document(intent, found, len(told), ctx, foot(intent.window, at))
    else:
        line = words.NONE(ctx.language, names=about(intent, ctx))
        document = lines_document(intent.topic, [line, foot(intent.window, at)], at)
    return Answer(
        intent="changed",
        document=document,
        window=reached.window,
        topic=intent.topic,
        total=len(told),
        rows=rows,
    )


def _named(changes: Sequence[Graded], intent: Changed) -> Iterator[Named]:
    """The names of the changes, newest first, once per change and action."""
    kinds = frozenset(intent.things or PUBLIC)
    actions = {*intent.actions, *([Action.RENAMED] if Action.REMOVED in intent.actions else [])}
    asked = pieces(intent.topic)
    for graded in changes:
        if intent.actions == (Action.RENAMED,):
            # A name that goes where another one comes is mostly the same thing.
            both = {Action.ADDED, Action.REMOVED}
            done = {fact.action for fact in graded.facts.items if fact.kind in kinds}
            actions = {Action.RENAMED, *(both if both <= done else ())}
        aside = {file.path for file in graded.facts.files if file.area in _ASIDE}
        told: set[tuple[str, Action]] = set()
        for fact in graded.facts.items:
            fits = fact.kind in kinds and (not actions or fact.action in actions)
            if not fits or fact.evidence.path in aside or (fact.name, fact.action) in told:
                continue
            if asked and not set(asked) <= {*pieces(fact.name), *pieces(fact.name.lower())}:
                continue
            told.add((fact.name, fact.action))
            yield Named(graded, fact)


async def dependency_blocks(asked: Meant, ctx: Context) -> Sequence[Block]:
    """The dependencies of the listed changes, each once, from its first version to its last."""
    changes = asked.only or await ctx.archive.select(ctx.watched.repository, query_of(asked))
    few = [g for g in changes if len(g.facts.of(FactKind.DEPENDENCY)) <= _MANY]
    versions = replace(asked.intent, topic="", things=_VERSIONS, actions=())
    found = await asyncio.to_thread(lambda: list(_named(few, versions)))
    steps: dict[tuple[str, str], list[Named]] = {}
    for one in found:
        # One manifest may require another version than the next; a workflow uses what others do.
        path = one.fact.evidence.path
        if one.fact.action is Action.CHANGED or not path.startswith(".github/"):
            steps.setdefault((one.fact.name, path), []).append(one)
    lines = dict.fromkeys(_line(_whole(some), ctx) for some in steps.values())
    if not lines:
        return ()
    title = words.KINDS[FactKind.DEPENDENCY].text(ctx.language)
    count = len({one.graded.sha for some in steps.values() for one in some})
    head = words.TITLE.text(ctx.language, names=title, n=len(lines), changes=count)
    shown = list(lines)[:_PAGE]
    if len(lines) > _PAGE:
        shown.append((Text(SHOWN.text(ctx.language, shown=str(_PAGE), total=len(lines))),))
    return Paragraph((Strong(head),)), Listing(tuple(map(Item, shown)))


def _whole(steps: Sequence[Named]) -> Named:
    """All steps of one version, newest first, as one; commits are abbreviated."""
    last, first = steps[0].fact, steps[-1].fact
    before = last.before if first.before is None else first.before
    short = [v and (v[:10] if _SHA.fullmatch(v) else v) for v in (before, last.after)]
    return replace(steps[0], fact=replace(last, before=short[0], after=short[1]))


_SHA = re.compile(r"[0-9a-f]{40}")

_VERSIONS = (FactKind.DEPENDENCY, FactKind.TOOLCHAIN)

_MANY = 30
"""A change of more versions releases a workspace."""


def _document(
    intent: Changed, found: Sequence[Named], changes: int, ctx: Context, end: Spans
) -> Document:
    language = ctx.language
    first = _PAGE * (min(ctx.page, -(-len(found) // _PAGE)) - 1)
    page = found[first : first + _PAGE]
    title = words.TITLE.text(language, names=about(intent, ctx), n=len(found), changes=changes)
    phrase = SHOWN if first + len(page) == len(found) else SHOWN_SO_FAR
    shown = f"{first + 1}–{first + len(page)}" if first else str(len(page))
    counted = phrase.text(language, shown=shown, total=len(found))
    blocks: tuple[Block, ...] = (
        Heading(1, (Text(title),)),
        Listing(tuple(_item(one, ctx) for one in page)),
        Paragraph(join([f"{counted} · ", end]), aside=True),
    )
    return Document(title=title, blocks=blocks, language=str(language))


def about(intent: Changed, ctx: Context) -> str:
    """The subject of the question in words: ``flags removed, MoE``."""
    language = ctx.language
    kinds = words.gap(language).join(words.KINDS[kind].text(language) for kind in intent.things)
    kinds = kinds or words.ANY.text(language)
    done = words.gap(language).join(words.DONE[action].text(language) for action in intent.actions)
    named = words.OF_KIND.text(language, kinds=kinds, done=done) if done else kinds
    narrower = replace(intent, things=(), actions=(), window=intent.window)
    more = title_of(narrower, language)
    return (
        named
        if narrower == replace(narrower, topic="", author="", path="", level=None)
        else (f"{named}, {more}")
    )


def line_of(fact: Fact, ctx: Context) -> Spans:
    """The effect on a name, with its values if it has any."""
    language = ctx.language
    name = Code(fact.name)
    if fact.action is Action.RENAMED and fact.before:
        return words.RENAMED(language, before=Code(fact.before), name=name)
    if fact.before is not None and fact.after is not None and fact.before != fact.after:
        return words.MOVED(language, name=name, before=Code(fact.before), after=Code(fact.after))
    if fact.action is Action.ADDED and fact.after:
        return words.ADDED_AS(language, name=name, after=Code(fact.after))
    return words.ACTIONS[fact.action](language, name=name)


def _item(one: Named, ctx: Context) -> Item:
    place = Code(f"{printable(one.fact.evidence.path)}:{one.fact.evidence.line}")
    return Item(_line(one, ctx), (Item((place,)),))


def _line(one: Named, ctx: Context) -> Spans:
    link = title_link(one.graded, ctx.watched.repository)
    return join([line_of(one.fact, ctx), " · ", link])


def _why(one: Named, ctx: Context) -> str:
    return words.ACTIONS[one.fact.action].text(ctx.language, name=one.fact.name)
