"""A list question as one reading: its topic in the index, the changes found, and notes on both."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache

from digest.answer.answers import AnswerRow, because, beside_title, entry_of, graded_because
from digest.answer.listing import NOTHING_FOUND, line_within, survey_of
from digest.core.enums import ChangeKind, Language
from digest.core.facts import Area
from digest.core.grade import Graded
from digest.core.reference import Query
from digest.document import Block, Code, Document, Item, Listing, Paragraph, Spans
from digest.facts.paths import area_of
from digest.frozen import frozen
from digest.i18n.answer_text import FOR_ALL, MENDED, OF_TOPICS, WITHOUT
from digest.i18n.phrase import list_in_words
from digest.question.intent import Changed
from digest.topics import matching
from digest.topics.synonyms import is_whole, kin
from digest.topics.terms import is_code_name, is_misspelt, term
from handlers.context import Context
from handlers.digests.ingest import labels_of, tip_of
from handlers.ports.status_port import undone_by
from handlers.questions.scope import QueryResult, Reach, left_of, run_query


@frozen
class Meant:
    """One reading of a list question, with what it found and notes on how it was read.

    ``only`` holds the changes if no query selects them; ``alike`` holds known terms that look like
    an unknown topic.
    """

    intent: Changed
    reached: Reach
    resolved: matching.Resolved = field(default_factory=matching.Resolved)
    held: QueryResult = field(default_factory=lambda: QueryResult(survey=NOTHING_FOUND, rows=()))
    notes: tuple[Spans, ...] = ()
    only: Sequence[Graded] | None = None
    alike: Mapping[str, int] | None = None

    def noting(self, note: Spans) -> Meant:
        """The reading with one more note."""
        return replace(self, notes=(*self.notes, note))


async def selected(asked: Meant, ctx: Context, limit: int = 0) -> Sequence[Graded]:
    """The changes of a reading, newest first: all, or the first few of its query."""
    changes = asked.only
    if changes is None and asked.intent.undone and asked.intent.author:
        changes = await _undone(asked, ctx)
    elif changes is None:
        query = replace(query_of(asked), limit=limit)
        changes = await ctx.archive.select(ctx.watched.repository, query)
    if asked.intent.without:
        return await asyncio.to_thread(left_of, changes, asked.intent.without)
    return changes


async def _undone(asked: Meant, ctx: Context) -> Sequence[Graded]:
    """The reverts of changes that the author of a reading wrote."""
    select, repository = ctx.archive.select, ctx.watched.repository
    author = {graded.sha for graded in await select(repository, Query(author=asked.intent.author))}
    return [
        graded
        for graded in await select(repository, replace(query_of(asked), author=""))
        if any(gone.sha in author for gone in await undone_by(ctx.archive, repository, graded))
    ]


async def listed_result(
    changes: Sequence[Graded], resolved: matching.Resolved, ctx: Context, *, ranked: bool = False
) -> QueryResult:
    """The listing of changes that were selected in memory, in the archive's order or their own."""
    labels = await labels_of(ctx.requests, ctx.watched.repository, changes)
    survey = survey_of(changes, ctx.page, ctx.language, ranked=ranked)
    shown = changes if ctx.every else [one.graded for one in survey.page]
    rows = tuple(_row(g, resolved, labels.get(g.sha, ()), ctx.language) for g in shown)
    return QueryResult(survey=survey, rows=rows)


async def read_topic(asked: Meant, ctx: Context) -> Meant:
    """The topic as the index knows it, with notes on corrections and omissions."""
    intent = asked.intent
    resolved = await resolved_topic(intent, ctx)
    if not resolved.topics and await _is_author(intent, ctx):
        return replace(asked, intent=replace(intent, topic="", author=intent.topic))
    if intent.topic and not resolved.topics:
        alike = await ctx.archive.alike(ctx.watched.repository, matching.sought(intent.topic))
        resolved = matching.Resolved(near=matching.near_topics(intent.topic, alike))
        if numbered := matching.numbered(intent.topic, alike):
            resolved = matching.restrict(numbered, intent.kinds, intent.label)
        asked = replace(asked, alike=alike)
    asked = replace(asked, resolved=resolved)
    near = next((one for one in resolved.near if is_misspelt(term(intent.topic), one)), "")
    if near and " " not in intent.topic and not is_code_name(intent.topic):
        return await as_topic(asked, near, ctx)
    words = matching.topic_words(intent.topic)
    if is_whole(term(intent.topic)):
        return asked
    # "docker image" is about docker: a general noun after a name adds nothing.
    special = [_TAIL.sub("", word) for word in words if not is_general_noun(word)] or words
    known = special
    if not resolved.topics and special != [intent.topic]:
        apart = await resolved_topics([replace(intent, topic=word) for word in special], ctx)
        known = [word for word, one in zip(special, apart, strict=True) if one.topics]
    if not known or known == words:
        return asked
    rest = replace(intent, topic=" ".join(known))
    for word in special:
        if word not in known and word[:1].isupper() and not rest.author:
            by = Query(author=word)
            if (await ctx.archive.survey(ctx.watched.repository, by, 0, ctx.language)).total:
                rest, special = replace(rest, author=word), [w for w in special if w != word]
    asked = replace(asked, intent=rest, resolved=await resolved_topic(rest, ctx))
    asked = replace(asked, alike=None)
    if lost := [Code(word) for word in special if word not in known]:
        return asked.noting(WITHOUT(ctx.language, words=list_in_words(lost, ctx.language, limit=9)))
    return asked


async def _is_author(intent: Changed, ctx: Context) -> bool:
    """Whether the words of a topic are the name of somebody who wrote changes."""
    names = intent.topic.split()
    if intent.author or not names or not all(name[:1].isupper() for name in names):
        return False
    by = Query(author=intent.topic)
    return (await ctx.archive.survey(ctx.watched.repository, by, 0, ctx.language)).total > 0


_TAIL = re.compile(r"-(?:related|specific|wise|side|only)$", re.IGNORECASE)
_GENERAL = frozenset(
    re.findall(
        r"\S+",
        "api image images support integration handling backend backends path paths logic system"
        " framework infrastructure implementation code work file files feature stuff users mode"
        " modes setup setups thing things progress related specific area part"
        " adapter adapters widget widgets package packages crate crates module modules library"
        " method methods deployment deployments cluster instance installation workload environments"
        " 方法 后端 支持 镜像 模块 功能 用户",
    )
)
"""General nouns that only classify the name beside them."""


def is_general_noun(word: str) -> bool:
    """Whether a word only classifies the name beside it: *CPU backend*."""
    return word.lower() in _GENERAL


async def as_topic(asked: Meant, topic: str, ctx: Context) -> Meant:
    """The reading with another spelling of its topic."""
    mended = replace(asked.intent, topic=topic)
    note = MENDED(ctx.language, word=Code(asked.intent.topic), topic=Code(topic))
    resolved = await resolved_topic(mended, ctx)
    return replace(asked, intent=mended, resolved=resolved).noting(note)


async def resolved_topic(intent: Changed, ctx: Context) -> matching.Resolved:
    """The topic with its kinds and label as index terms; empty if the index does not know it."""
    return (await resolved_topics([intent], ctx))[0]


async def resolved_topics(intents: Sequence[Changed], ctx: Context) -> Sequence[matching.Resolved]:
    """The topics of several intents, looked up at once."""
    repository, aliases = ctx.watched.repository, ctx.watched.aliases
    wanted = frozenset().union(
        *(matching.candidates(one.topic, aliases) for one in intents if one.topic)
    )
    known = await ctx.archive.vocabulary(repository, wanted) if wanted else {}
    return [_resolved(one, known, aliases) for one in intents]


def _resolved(
    intent: Changed, known: Mapping[str, int], aliases: matching.Aliases
) -> matching.Resolved:
    resolved = (
        matching.resolve(intent.topic, known, aliases) if intent.topic else matching.Resolved()
    )
    if intent.topic and not resolved.topics:
        return matching.Resolved()
    return matching.restrict(resolved, intent.kinds, intent.label)


def query_of(asked: Meant) -> Query:
    """The conditions of a reading."""
    intent, resolved = asked.intent, asked.resolved
    return replace(
        asked.reached.query,
        topics=resolved.topics,
        about=resolved.alternatives,
        paths=(intent.path,) if intent.path else (),
        author=intent.author,
        level=intent.level,
    )


async def with_rows(asked: Meant, ctx: Context) -> Meant:
    """The reading with the changes that it selects."""
    intent, resolved = asked.intent, asked.resolved
    if intent.topic and not resolved.topics:
        return replace(asked, held=QueryResult(survey=NOTHING_FOUND, rows=()))
    query = query_of(asked)
    if intent.undone and intent.author:
        return replace(asked, held=await listed_result(await selected(asked, ctx), resolved, ctx))
    if intent.without:
        changes = await ctx.archive.select(ctx.watched.repository, query)
        rest = await asyncio.to_thread(left_of, changes, intent.without)
        return replace(asked, held=await listed_result(rest, resolved, ctx))

    def row(graded: Graded, labels: Sequence[str]) -> AnswerRow:
        return _row(graded, resolved, labels, ctx.language)

    held = await run_query(ctx, query, ctx.page, row)
    if held.rows and intent.path and not intent.path.endswith("/"):
        # Of "Dockerfile.rocm" and "Dockerfile.rocm_base" only the one that is named is asked about.
        changes = await ctx.archive.select(ctx.watched.repository, query)
        own = [graded for graded in changes if intent.path in graded.facts.paths]
        held = await listed_result(own, resolved, ctx) if 0 < len(own) < len(changes) else held
    if intent.path:
        held = _within(held, intent.path, ctx.language)
    return replace(asked, held=held)


def _row(
    graded: Graded, resolved: matching.Resolved, labels: Sequence[str], language: Language
) -> AnswerRow:
    """A change with why it matches the topic; without a topic, with the reason of its grade.

    Changes that only a period selected need no reason in a list.
    """
    if not resolved.topics:
        return AnswerRow(graded=graded, why=graded_because(graded, language), unseen="")
    borne = matching.bears(graded, resolved, labels)
    return AnswerRow(
        graded=graded, why=because(borne, language), unseen=beside_title(borne, language)
    )


def _within(held: QueryResult, path: str, language: Language) -> QueryResult:
    """The same rows, each with what the change does under the requested path."""
    page = tuple(
        replace(shown, line=line_within(shown.graded, path, language)) for shown in held.survey.page
    )
    return replace(held, survey=replace(held.survey, page=page))


async def with_folders(asked: Meant, ctx: Context) -> Meant:
    """Adds the changes that touch a folder of the topic, which count as work on it.

    It is named after the topic; or after the last of two words where its files say both, not only
    one of many: ``scalers`` is no folder of the Kafka scaler. Unless people are asked for, a good
    part of a change's program files must be in it.
    """
    intent, words = asked.intent, asked.intent.topic.split()
    of_kind = matching.restrict(matching.Resolved(), intent.kinds, intent.label)
    query = replace(query_of(asked), topics=of_kind.topics, about=of_kind.alternatives)
    every = await ctx.archive.select(ctx.watched.repository, query)
    names = kin(term(words[-1])).union(
        *(way[0] for way in asked.resolved.alternatives if len(way) == len(words) == 1)
    )

    coded = {graded.sha: _folders(graded) for graded in every}
    within = {
        sha: [one for one in some if not names.isdisjoint(_terms_of(one))]
        for sha, some in coded.items()
    }
    if len(words) > 1 and any(within.values()):
        commit = (await tip_of(ctx)).sha or ""
        said = await ctx.watched.source.mentions(commit, {intent.topic}) or {}
        saying = Counter(path.rpartition("/")[0] for path in said.get(intent.topic, ()))
        paths = await ctx.watched.source.files(await tip_of(ctx))
        sizes = Counter(path.rpartition("/")[0] for path in paths)
        folders = {one for one, n in saying.items() if n >= sizes[one] * _SAYING}
        within = {sha: [one for one in some if one in folders] for sha, some in within.items()}
    changes = await ctx.archive.select(ctx.watched.repository, query_of(asked))
    about, part = {graded.sha for graded in changes}, 0.0 if intent.people else _PART
    more = [g for g in every if g.sha in about or len(within[g.sha]) > part * len(coded[g.sha])]
    if len(more) == len(changes):
        return asked
    if intent.without:
        more = list(await asyncio.to_thread(left_of, more, intent.without))
    held = await listed_result(more, asked.resolved, ctx)
    return replace(asked, held=held, only=more)


_SAYING = 0.1  # least share of a folder's files that say both words of a topic
_PART = 0.4  # share of a change's program files that are in a folder of the topic


def _folders(graded: Graded) -> list[str]:
    """The folder of each program file, by its path: to parse the facts would take much longer."""
    return [path.rpartition("/")[0] for path in graded.facts.paths if area_of(path) is Area.CORE]


@lru_cache(maxsize=16_384)  # folders; many changes are in the same ones
def _terms_of(folder: str) -> frozenset[str]:
    return frozenset(map(term, folder.split("/")))


async def respelt(asked: Meant, ctx: Context) -> Meant | None:
    """The reading with a corrected topic, although some change contains the misspelling."""
    word = term(asked.intent.topic)
    name = asked.intent.topic
    if " " in name or is_code_name(name) or len(word) <= 4 or not word.isascii():
        return None
    alike = asked.alike
    if alike is None:
        alike = await ctx.archive.alike(ctx.watched.repository, (word,))
    near = [one for one in alike if one != word and is_misspelt(word, one)]
    if not near:
        return None
    return await with_rows(await as_topic(asked, max(near, key=alike.__getitem__), ctx), ctx)


_FOR_ALL = {ChangeKind.BREAKING, ChangeKind.ACTION}
"""Kinds of changes that may affect a topic's users even if they are not about the topic."""


async def with_others(document: Document, intent: Changed, asked: Meant, ctx: Context) -> Document:
    """The answer about a topic; for changes to act on, also the first ones about something else."""
    if not set(intent.kinds) & _FOR_ALL:
        return document
    whole = replace(intent, topic="", window=asked.intent.window)
    kinds = matching.restrict(matching.Resolved(), intent.kinds, intent.label)
    every = await with_rows(replace(asked, intent=whole, resolved=kinds, only=None), ctx)
    own = {row.graded.sha for row in asked.held.rows}
    others = [row.graded for row in every.held.rows if row.graded.sha not in own]
    if not others:
        return document
    line = FOR_ALL(ctx.language, n=len(others), topic=Code(intent.topic))
    few = [Item(entry_of(one, ctx.watched.repository)) for one in others[:_FEW]]
    return replace(document, blocks=(*document.blocks, Paragraph(line), Listing(tuple(few))))


_FEW = 3  # changes beside those about a topic


async def by_topic(asked: Meant, ctx: Context) -> Sequence[Block]:
    """How many of the changes are about each of several topics: *rocm vs tpu*."""
    topics = [replace(asked.intent, topic=one) for one in matching.named_in(asked.intent.topic)]
    apart = await resolved_topics(topics, ctx) if topics[1:] else ()
    if not apart or not all(one.topics for one in apart):
        return ()
    shas = {graded.sha for graded in await selected(asked, ctx)}
    counts: list[str] = []
    for one, resolved in zip(topics, apart, strict=True):
        query = query_of(replace(asked, intent=one, resolved=resolved))
        found = await ctx.archive.select(ctx.watched.repository, query)
        counts.append(f"{one.topic} {sum(graded.sha in shas for graded in found)}")
    return (Paragraph(OF_TOPICS(ctx.language, counted=" · ".join(counts))),)


async def by_path(asked: Meant, ctx: Context) -> Meant | None:
    """The changes of the files that a topic names by their path or its end.

    ``None`` if there are none, unless the path is one of the branch.
    """
    topic = asked.intent.topic
    if not _FILE_NAME.fullmatch(topic):
        return None
    kinds = matching.restrict(matching.Resolved(), asked.intent.kinds, asked.intent.label)
    meant = replace(asked, intent=replace(asked.intent, topic="", path=topic), resolved=kinds)
    meant = await with_rows(meant, ctx)
    if meant.held.rows:
        return meant
    query = replace(query_of(meant), paths=())
    changes = await ctx.archive.select(ctx.watched.repository, query)
    ends = [g for g in changes if any(f"/{p}".endswith(f"/{topic}") for p in g.facts.paths)]
    if ends:
        return replace(meant, held=await listed_result(ends, kinds, ctx))
    there = await ctx.watched.source.files(await tip_of(ctx)) if "/" in topic else ()
    return meant if any(f"{path}/".startswith(f"{topic}/") for path in there) else None


_FILE_NAME = re.compile(r"(?:[\w.+-]+/)*[\w+-]+(?:\.[a-z]{1,5}|/[\w.+-]+)", re.ASCII)
"""A topic that may be the name of a file or folder: ``go.mod``, ``crates/uv-resolver``."""
