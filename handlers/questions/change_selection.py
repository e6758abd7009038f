"""Changes of a list question that no query selects: of a folder, of newcomers, with new files."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from digest.answer.tallies import people_of
from digest.core.change import FileStatus
from digest.core.facts import Action, Area, FileFacts
from digest.core.grade import Graded
from digest.document import Code
from digest.i18n.phrase import listed
from digest.i18n.reading_text import NEW_FILES, REMOVED_FILES
from digest.topics.matching import Resolved, narrowed
from digest.topics.synonyms import kin
from digest.topics.terms import term
from handlers.context import Context
from handlers.ports.storage import Tip
from handlers.questions.list_reading import Meant, listed_result, query_of
from handlers.questions.scope import left_of

_SAYS = {
    Action.ADDED: re.compile(
        r"\b(?:add(?:s|ed|ing)?|support(?:s|ed)?|introduc\w{1,4}|new|implement\w{0,6}|enabl\w{1,4})\b",
        re.IGNORECASE,
    ),
    Action.REMOVED: re.compile(
        r"\b(?:remov\w{1,4}|drop(?:s|ped|ping)?|delet\w{1,4})\b", re.IGNORECASE
    ),
    Action.RENAMED: re.compile(r"\brenam\w{1,4}\b", re.IGNORECASE),
    Action.CHANGED: re.compile(r""),
}


async def acted(asked: Meant, ctx: Context) -> Meant:
    """The changes that added or removed something of a topic, by their titles or their files.

    A file in a folder that is called as the topic is a thing of it: ``models/qwen.py``.
    """
    actions, resolved = asked.intent.actions, asked.resolved
    select, repository = ctx.archive.select, ctx.watched.repository
    patterns = [_SAYS[action] for action in actions]
    changes = await select(repository, query_of(asked))
    said = [g for g in changes if any(one.search(g.title) for one in patterns)]
    terms = frozenset().union(*(terms for way in resolved.alternatives for terms in way))
    phrase, status = _OF_FILES.get(actions[0], _OF_FILES[Action.ADDED])
    names: dict[str, None] = {}
    if actions[0] in _OF_FILES:
        every = await select(repository, replace(query_of(asked), topics=(), about=()))
        with_files = [g for g in every if files_of(g, terms, status)]
        names = dict.fromkeys(name for g in with_files for name in files_of(g, terms, status))
        # Where there are such files, a title counts only with the topic as its tag, or a registry.
        sure = [g for g in said if _is_listed(g, terms)]
        said = [*with_files, *sure] if with_files else said
    if not said:
        return asked
    found = {graded.sha: graded for graded in said}.values()
    newest_first = sorted(found, key=lambda g: (g.commit.committed_at, g.sha), reverse=True)
    asked = replace(asked, held=await listed_result(newest_first, Resolved(), ctx))
    files = listed([Code(name) for name in names], ctx.language, limit=_NAMES)
    return asked.noting(phrase(ctx.language, files=files)) if names else asked


async def touching(asked: Meant, ctx: Context) -> Meant:
    """Also the changes that touch a folder with the topic's name: people work there, too."""
    way = asked.resolved.alternatives[0]
    if len(asked.resolved.alternatives) > 1 or len(way) > 1:
        return asked
    changes = await ctx.archive.select(ctx.watched.repository, query_of(asked))
    every = await ctx.archive.select(
        ctx.watched.repository, replace(query_of(asked), topics=(), about=())
    )
    about = {graded.sha for graded in changes}
    terms = way[0] | kin(term(asked.intent.topic))
    more = [g for g in every if g.sha in about or _is_inside(g, terms)]
    if asked.intent.without:
        more = list(await asyncio.to_thread(left_of, more, asked.intent.without))
    held = await listed_result(more, asked.resolved, ctx)
    return replace(asked, held=held, only=more) if more else asked


async def of_people(asked: Meant, ctx: Context) -> Meant:
    """The changes of people by all their names, where one is asked for by a handle, or several.

    Names with one address are of one person; a handle is what stands before the ``@`` of it. A name
    may be written without its accents.
    """
    intent = asked.intent
    names = [intent.author] if intent.author else intent.topic.split()
    one = intent.author and (_HANDLE.fullmatch(intent.author) or not asked.held.rows)
    if not one and (intent.author or asked.resolved.topics or not 1 < len(names) <= _PEOPLE):
        return asked
    if not asked.resolved.topics:
        asked = replace(asked, resolved=narrowed(Resolved(), intent.kinds, intent.label))
    query = replace(query_of(asked), author="")
    changes = await ctx.archive.select(ctx.watched.repository, query)
    theirs = [_written_by(_folded(name), changes) for name in names]
    if not all(theirs) or (intent.author and len(theirs[0]) <= asked.held.survey.total):
        return asked
    shas = frozenset().union(*theirs)
    found = [g for g in changes if g.sha in shas]
    if intent.without:
        found = list(await asyncio.to_thread(left_of, found, intent.without))
    if not intent.author:
        asked = replace(asked, intent=replace(intent, topic="", author=", ".join(names)))
    return replace(asked, held=await listed_result(found, asked.resolved, ctx), only=found)


_HANDLE = re.compile(r"[a-z\d][a-z\d_-]{2,38}")
_PEOPLE = 5


def _written_by(name: str, changes: Sequence[Graded]) -> frozenset[str]:
    """The changes of the people whose name or handle has this."""
    emails = {
        g.commit.email
        for g in changes
        if name in _folded(g.commit.author)
        or name in re.split(r"[@+]", g.commit.email.lower())[:-1]
    }
    own = {email for email in emails if "@" in email and not _SHARED.match(email)}
    return frozenset(
        g.sha for g in changes if g.commit.email in own or name in _folded(g.commit.author)
    )


_SHARED = re.compile(r"no-?reply@", re.IGNORECASE)
"""An address of people who show none."""


def _folded(name: str) -> str:
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


def _is_inside(graded: Graded, terms: Collection[str]) -> bool:
    folders = (
        folder
        for file in graded.facts.files
        if file.area is Area.CORE
        for folder in file.path.split("/")[:-1]
    )
    return any(term(folder) in terms for folder in folders)


_TAG = re.compile(r"\[([^\]\[]{1,60})\]")


_OF_FILES = {
    Action.ADDED: (NEW_FILES, FileStatus.ADDED),
    Action.REMOVED: (REMOVED_FILES, FileStatus.DELETED),
}

_NAMES = 12
"""Files that are named."""


def files_of(graded: Graded, terms: Collection[str], status: FileStatus) -> Sequence[str]:
    """The names of the program's files that a change adds or removes in a folder of such a name.

    A file that comes to another folder is not removed.
    """
    moved = [_stem(f) for f in graded.facts.files if f.status not in {status, FileStatus.MODIFIED}]
    names = [_stem(f) for f in _inside(graded, terms) if f.status is status]
    return [name for name in names if name not in moved and not name.startswith("_")]


def _inside(graded: Graded, terms: Collection[str]) -> Iterator[FileFacts]:
    """The program's files in a folder of such a name."""
    for file in graded.facts.files:
        folders = file.path.split("/")[:-1]
        if file.area is Area.CORE and any(term(f) in terms for f in folders[-2:]):
            yield file


def _stem(file: FileFacts) -> str:
    return file.path.rpartition("/")[2].partition(".")[0]


def _is_listed(graded: Graded, terms: Collection[str]) -> bool:
    """Whether a change has the topic as its tag, or changes the registry of such things."""
    if any(term(tag) in terms for tag in _TAG.findall(graded.title[:300])):
        return True
    return any(_stem(file) == "registry" for file in _inside(graded, terms))


async def picked(asked: Meant, ctx: Context, tip: Tip) -> Meant:
    """The changes of authors without an earlier commit, or with a figure by their authors."""
    changes = asked.only or await ctx.archive.select(ctx.watched.repository, query_of(asked))
    figures = {g.sha: figure for g in changes if (figure := figure_of(g))}
    if asked.intent.newcomers:
        window = asked.reached.window
        since = window.since if window else changes[-1].commit.committed_at
        known = {author for _, author in await ctx.watched.source.log(tip, before=since)}
        changes = [g for g in changes if not {g.commit.author, people_of(g)[0]} & known]
    if asked.intent.figures:
        changes = [g for g in changes if g.sha in figures]
    held = await listed_result(changes, asked.resolved, ctx)
    if asked.intent.figures:
        rows = tuple(replace(row, unseen=figures[row.graded.sha]) for row in held.rows)
        held = replace(held, rows=rows)
    return replace(asked, held=held, only=changes)


_FIGURE = re.compile(
    r"\d[\d.,]{0,8}(?:[-~–]\d[\d.,]{0,8})? ?(?:%|x\b|×|[mµn]s\b|tok(?:ens)?/s|[GM]B/s)"
)


def figure_of(graded: Graded) -> str:
    """The words around a figure by the author of a change: ``~60% better TTFT``; or empty."""
    for text in (graded.title, *graded.facts.paragraphs):
        if found := _FIGURE.search(text[:_MOST_READ]):
            around = text[max(0, found.start() - 40) : found.end() + 40]
            return " ".join(around.split()[bool(found.start() > 40) :])
    return ""


_MOST_READ = 2_000
