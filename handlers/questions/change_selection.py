"""Changes of a list question that no query selects, such as the first few, and their numbers."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache, partial

from digest.answer import tallies
from digest.answer.answers import AnswerRow, window_words
from digest.answer.listing import weightiest_first
from digest.core.change import printable
from digest.core.enums import ChangeKind, Language
from digest.core.facts import Action, Area
from digest.core.grade import Graded, Level
from digest.core.patterns import lazy
from digest.document import Block, Code, Document, Item, Listing, Paragraph, Strong
from digest.i18n import answer_text
from digest.i18n.phrase import Phrase, join, list_in_words
from digest.i18n.statement_text import LEVEL_MARKS
from digest.question.commit_range import Span
from digest.question.intent import Changed
from digest.question.questions import format_intent
from digest.topics.matching import Resolved, is_listed, restrict, things_named
from digest.topics.synonyms import kin
from digest.topics.terms import pieces
from handlers.context import Context
from handlers.digests.ingest import owners_of, tip_of
from handlers.ports.storage import Tip, names_of
from handlers.questions.list_reading import Meant, by_topic, listed_result, query_of, selected
from handlers.questions.named_changes import SAYS
from handlers.questions.scope import QueryResult, count, left_of, reach


async def select_by_action(asked: Meant, ctx: Context) -> Meant:
    """The changes that added or removed something of a topic, or files, by titles or files.

    A file in a folder named after the topic is such a thing: ``models/qwen.py`` for *models*.
    """
    actions, resolved = asked.intent.actions, asked.resolved
    select, repository = ctx.archive.select, ctx.watched.repository
    if asked.intent.files:
        having = [g for g in await selected(asked, ctx) if tallies.files_with(g, actions)]
        return replace(asked, held=await listed_result(having, resolved, ctx), only=having)
    patterns = [SAYS[action] for action in actions]
    changes = await select(repository, query_of(asked))
    said = [g for g in changes if any(pattern.search(g.title) for pattern in patterns)]
    terms = frozenset().union(*(terms for way in resolved.alternatives for terms in way))
    names: dict[str, None] = {}
    phrase = answer_text.NEW_FILES
    if actions[0] in _OF_NAMES and not asked.intent.people:
        every = await select(repository, replace(query_of(asked), topics=(), about=()))
        found, registered = things_named(every, terms, actions[0])
        phrase = _OF_NAMES[actions[0]][0 if registered else 1]
        names = dict.fromkeys(name for several in found.values() for name in several)
        # If there are such names, a title counts only with the topic as its tag or with a registry.
        if found:
            shas = found.keys() | {g.sha for g in said if is_listed(g, terms)}
            said = [g for g in every if g.sha in shas]
    if not said:
        done = answer_text.DONE[actions[0]].text(ctx.language)
        return asked.noting(answer_text.NOT_DONE(ctx.language, done=done))
    newest_first = sorted(said, key=lambda g: (g.commit.committed_at, g.sha), reverse=True)
    held = await listed_result(newest_first, Resolved(), ctx)
    asked = replace(asked, held=held, only=newest_first)
    files = list_in_words([Code(name) for name in names], ctx.language, limit=_NAMES)
    return asked.noting(phrase(ctx.language, files=files)) if names else asked


async def of_people(asked: Meant, ctx: Context) -> Meant:
    """The changes of one person asked for by a handle, or of several people, under all their names.

    Names that share an address belong to one person; a handle is the part of it before ``@``. A
    name may be written without its accents and initials.
    """
    if asked.intent.mergers and asked.intent.author:
        return await _merged_by(asked, ctx)
    intent = asked.intent
    if intent.undone:
        return asked  # by whom is not who reverted them
    listed = [name for name in JOINT.split(intent.topic) if name]
    names = listed if len(listed) > 1 else intent.topic.split()
    names = JOINT.split(intent.author) if intent.author else names
    loose = names[0].split() if len(names) == 1 and intent.author and not asked.held.rows else []
    one = intent.author and (_HANDLE.fullmatch(intent.author) or not asked.held.rows)
    if not one and (intent.author or asked.resolved.topics or not 1 < len(names) <= _PEOPLE):
        return asked
    if not asked.resolved.topics:
        asked = replace(asked, resolved=restrict(Resolved(), intent.kinds, intent.label))
    query = replace(query_of(asked), author="")
    changes = await ctx.archive.select(ctx.watched.repository, query)
    if not intent.author and len(listed) == 1 and _written_by(_folded(intent.topic), changes):
        names = [intent.topic]  # the first and the last name of one person
    if 1 < len(loose) <= _PEOPLE and not _written_by(_folded(intent.author), changes):
        # "ada vs grace" are two people if each of the words is somebody's.
        names = loose if all(_written_by(_folded(name), changes) for name in loose) else names
    theirs = [_written_by(_folded(name), changes) for name in names]
    shas = frozenset().union(*theirs)
    more = len(shas) > asked.held.survey.total if intent.author else all(theirs)
    if not more:
        return asked
    found = [g for g in changes if g.sha in shas]
    if intent.without:
        found = list(await asyncio.to_thread(left_of, found, intent.without))
    if not intent.author:
        intent = replace(intent, topic="")
    asked = replace(asked, intent=replace(intent, author=", ".join(names)))
    if idle := [Code(name) for name, own in zip(names, theirs, strict=True) if not own]:
        listed_names = list_in_words(idle, ctx.language, limit=_PEOPLE)
        asked = asked.noting(answer_text.NONE_BY(ctx.language, names=listed_names))
    return replace(asked, held=await listed_result(found, asked.resolved, ctx), only=found)


async def _merged_by(asked: Meant, ctx: Context) -> Meant:
    """The changes that a person merged; those by the person where no commit says who merged."""
    query = replace(query_of(asked), author="")
    changes = await ctx.archive.select(ctx.watched.repository, query)
    mergers = await _mergers(changes, ctx)
    if not mergers:
        written = await of_people(replace(asked, intent=replace(asked.intent, mergers=False)), ctx)
        return written.noting(answer_text.NOBODY_MERGED(ctx.language))
    name = _folded(asked.intent.author)
    theirs = {sha for sha, who in mergers.items() if name in _INITIAL.sub("", _folded(who))}
    found = [graded for graded in changes if graded.sha in theirs]
    return replace(asked, held=await listed_result(found, asked.resolved, ctx), only=found)


JOINT = lazy(r" ?(?:[,，、&/]|\b(?:and|or|vs)\b|[和与]) ?", re.IGNORECASE)
"""What stands between the names of several people."""

_HANDLE = lazy(r"[a-z\d][a-z\d_-]{2,38}")
_PEOPLE = 5


def _is_handle(text: str, author: str) -> bool:
    """Whether a text may be the handle of a person.

    For Ada Lovelace: *adalovelace*, *adal*, *alovelace*, or with a second initial *aklovelace*.
    """
    first, *others = _folded(author).split() or [""]
    if not others:
        return False
    last = others[-1]
    initials = text.removesuffix(last) if text.endswith(last) else ""
    with_second = len(initials) == 2 and initials[0] == first[0] and len(last) > 2
    return with_second or text in {first + "".join(others), first + last[0], first[0] + last}


def _written_by(name: str, changes: Sequence[Graded]) -> frozenset[str]:
    """The changes of people whose name or handle contains the text."""
    theirs = [
        g.commit
        for g in changes
        if name in (author := _folded(g.commit.author))
        or name in _INITIAL.sub("", author)
        or _is_handle(name, g.commit.author)
        or name in re.split(r"[@+]", g.commit.email.lower())[:-1]
    ]
    names = {one.author for one in theirs}
    own = {one.email for one in theirs if "@" in one.email and not _SHARED.match(one.email)}
    return frozenset(g.sha for g in changes if g.commit.email in own or g.commit.author in names)


_INITIAL = lazy(r" \w(?= )")  # a middle one, which is usually left out
_SHARED = lazy(r"no-?reply@", re.IGNORECASE)  # an address that stands for no real one


@lru_cache(maxsize=4096)  # people; the same ones wrote most changes
def _folded(name: str) -> str:
    apart = unicodedata.normalize("NFKD", re.sub(r"[.,]+", "", name.casefold()))
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


_OF_NAMES = {
    Action.ADDED: (answer_text.NEW_KEYS, answer_text.NEW_FILES),
    Action.REMOVED: (answer_text.GONE_KEYS, answer_text.REMOVED_FILES),
}

_NAMES = 12  # files that are named


async def select_by_mark(asked: Meant, ctx: Context, tip: Tip) -> Meant:
    """The changes by first-time authors, or those whose authors give figures."""
    changes = await selected(asked, ctx)
    figures = {g.sha: figure for g in changes if (figure := tallies.figure_of(g))}
    if asked.intent.newcomers:
        window = asked.reached.window
        since = window.since if window else changes[-1].commit.committed_at
        known = {author for _, author in await ctx.watched.source.log(tip, before=since)}
        changes = [g for g in changes if not {g.commit.author, tallies.people_of(g)[0]} & known]
    if asked.intent.figures and not any(g.sha in figures for g in changes):
        return asked.noting(answer_text.NO_FIGURES(ctx.language))
    if asked.intent.figures:
        changes = sorted(
            (g for g in changes if g.sha in figures), key=tallies.gain_of, reverse=True
        )
        asked = asked.noting(answer_text.BY_FIGURES(ctx.language))
    ranked = asked.intent.figures
    held = await listed_result(changes, asked.resolved, ctx, ranked=ranked)
    if ranked:
        rows = tuple(
            row
            if (figure := figures[row.graded.sha]) in row.graded.title
            else replace(row, unseen=figure)
            for row in held.rows
        )
        held = replace(held, rows=rows)
    return replace(asked, held=held, only=changes)


def with_dates(held: QueryResult, ctx: Context) -> QueryResult:
    """The rows with their dates, for a question without a period."""

    def with_day(row: AnswerRow) -> AnswerRow:
        day = row.graded.commit.committed_at.astimezone(ctx.zone).date().isoformat()
        return replace(row, unseen=" · ".join(filter(None, (day, row.beside))))

    return replace(held, rows=tuple(map(with_day, held.rows)))


async def keep_top(asked: Meant, ctx: Context) -> Meant:
    """The first changes of a list in the requested order, and the number of the rest."""
    changes, top = await selected(asked, ctx), asked.intent.top
    if top is None or len(changes) <= top.count:
        return asked
    orders: dict[str, Callable[[], Sequence[Graded]]] = {
        "latest": lambda: changes,
        "oldest": lambda: changes[::-1],
        "largest": lambda: sorted(changes, key=_size, reverse=True),
        "smallest": lambda: sorted(changes, key=_size),
    }
    ranked = orders.get(top.by, lambda: weightiest_first(changes))()
    if top.by == "top" and asked.intent.kinds == (ChangeKind.PERFORMANCE,):
        ranked = sorted(
            ranked, key=lambda g: (tallies.gain_of(g), bool(tallies.figure_of(g))), reverse=True
        )
    held = await listed_result(ranked[: top.count], asked.resolved, ctx, ranked=True)
    if top.by in {"largest", "smallest"}:
        rows = tuple(replace(row, unseen=f"{_size(row.graded)} ±") for row in held.rows)
        held = replace(held, rows=rows)
    return replace(asked, held=held).noting(answer_text.OF_ALL(ctx.language, n=len(changes)))


def _size(graded: Graded) -> int:
    """The number of lines that a change touches, without generated files."""
    files = (f for f in graded.facts.files if f.area not in {Area.GENERATED, Area.VENDORED})
    return sum(file.added + file.deleted for file in files)


def is_counted(intent: Changed) -> bool:
    """Whether the question asks for numbers as well as changes."""
    return bool(intent.per) or intent.files or intent.folders or intent.people


async def with_counts(document: Document, asked: Meant, ctx: Context) -> Document:
    """The document with the requested numbers below its counts."""
    intent, language = asked.intent, ctx.language
    told: list[Block] = []
    if intent.against:
        told += await _compared(asked, ctx)
    elif intent.counted:
        told += await _share(asked, ctx)
    if len(intent.kinds) > 1 and not intent.people:
        told += await _by_kind(asked, ctx)
    told += await by_topic(asked, ctx)
    if not is_counted(intent):
        return _with_blocks(document, told)
    changes, repository = await selected(asked, ctx), ctx.watched.repository
    most = {"most": intent.top.count} if intent.top else {}
    place = intent.path or (await _place(intent.topic, ctx) if intent.keepers else "")
    if intent.keepers and place:
        told += await _owners(place, ctx)
    if intent.people and intent.path and intent.anytime:
        if changes:
            told += await asyncio.to_thread(tallies.by_author, changes, repository, language)
        written = await ctx.watched.source.log(await tip_of(ctx), intent.path.rstrip("/"))
        told += tallies.by_commits([name for _, name in written], repository, language)
    elif intent.keepers and place:
        told += await _keepers(place, ctx)
    elif intent.mergers:
        merged = list((await _mergers(changes, ctx)).values())
        told += _named(merged, answer_text.MERGED_BY_PEOPLE, answer_text.NOBODY_MERGED, ctx)
    elif intent.reviewers:
        reviewed = [name for graded in changes for name in tallies.reviewers_of(graded)]
        told += _named(reviewed, answer_text.REVIEWED_BY_PEOPLE, answer_text.NOBODY_REVIEWED, ctx)
    elif intent.people:
        told += await asyncio.to_thread(tallies.by_author, changes, repository, language, **most)
    if intent.files:
        named = partial(tallies.by_file, actions=intent.actions, within=intent.path)
        told += await asyncio.to_thread(named, changes, language, **most)
    if intent.folders:
        told += await asyncio.to_thread(tallies.by_folder, changes, language, **most)
    if intent.per:
        window = asked.reached.window
        first = window.since if window else changes[-1].commit.committed_at
        last = changes[0].commit.committed_at
        last = window.until - timedelta(microseconds=1) if window else last
        chart = partial(tallies.by_time, changes, intent.per, first=first, last=last, zone=ctx.zone)
        told.append(await asyncio.to_thread(chart, language=language))
    return _with_blocks(document, told)


def _named(people: Sequence[str], title: Phrase, nobody: Phrase, ctx: Context) -> Sequence[Block]:
    """The people named by commits, or a note that they name none."""
    if not people:
        return (Paragraph(nobody(ctx.language)),)
    return tallies.by_commits(people, ctx.watched.repository, ctx.language, title)


def _with_blocks(document: Document, told: Sequence[Block]) -> Document:
    """The document with further blocks below its title and counts."""
    head, rest = document.blocks[:2], document.blocks[2:]
    if told and rest and isinstance(told[-1], Listing) and isinstance(rest[0], Listing):
        # Two lists in a row would look like one.
        label = answer_text.CHANGES_LISTED.template(Language(document.language))
        told = [*told, Paragraph((Strong(label),))]
    return replace(document, blocks=(*head, *told, *rest))


async def people_listed(asked: Meant, ctx: Context) -> tuple[str, ...]:
    """The follow-up question for each person of an answer, in its order."""
    intent = asked.intent
    others = intent.mergers or intent.reviewers or intent.keepers
    if not intent.people or others or (intent.path and intent.anytime):
        return ()
    changes = await selected(asked, ctx)
    one = replace(intent, people=False, top=None)
    return tuple(
        format_intent(replace(one, author=name)) for name in tallies.ranked_authors(changes)
    )


async def _share(asked: Meant, ctx: Context) -> Sequence[Block]:
    """The share of all changes in the period, unless it is all of them."""
    n, total = asked.held.survey.total, await count(ctx, asked.reached.query)
    if n >= total:
        return ()
    percent = f"{100 * n / total:.0f}"
    return (Paragraph(answer_text.SHARE(ctx.language, n=n, total=total, percent=percent)),)


async def _by_kind(asked: Meant, ctx: Context) -> Sequence[Block]:
    """How many of the changes are of each requested kind; one change may be of several."""
    shas = {graded.sha for graded in await selected(asked, ctx)}
    counts: list[str] = []
    for kind in asked.intent.kinds:
        one = replace(asked, resolved=restrict(asked.resolved, (kind,), ""))
        found = await ctx.archive.select(
            ctx.watched.repository, replace(query_of(one), author="", level=None)
        )
        n = sum(graded.sha in shas for graded in found)
        counts.append(f"{answer_text.KINDS[kind].text(ctx.language)} {n}")
    return (Paragraph(answer_text.OF_KINDS(ctx.language, counted=" · ".join(counts))),)


async def _place(topic: str, ctx: Context) -> str:
    """The file of a name, or the folder whose path consists of the words of a topic, or empty."""
    wanted = frozenset().union(*(kin(word) for word in pieces(topic)))
    paths = await ctx.watched.source.files(await tip_of(ctx))
    files = [path for path in paths if path == topic or path.endswith(f"/{topic}")] if topic else []
    if topic in files or len(files) == 1:
        return min(files, key=len)
    folders = {path.rpartition("/")[0] for path in paths}
    general = _GENERAL | names_of(ctx.watched)
    words = {folder: set(pieces(folder)) - general for folder in folders}
    named = [one for one in folders if words[one] and words[one] <= wanted]
    named.sort(key=lambda one: (-len(words[one]), one.count("/"), one))
    return f"{named[0]}/" if named else ""


_GENERAL = frozenset({"src", "lib", "crate", "pkg", "internal", "package"})
"""Folder names that say nothing about their contents."""


_MOST_FILES, _MOST_OWNERS = 2_000, 6  # files of a folder that are looked up, owners named


async def _owners(path: str, ctx: Context) -> Sequence[Block]:
    """The owners of a file or folder if the repository has a CODEOWNERS file."""
    tip = await tip_of(ctx)
    known = await owners_of(ctx.watched, tip)
    if not known.text:
        return ()
    inside = f"{path.rstrip('/')}/"
    files = [one for one in await ctx.watched.source.files(tip) if one.startswith(inside)]
    owners = await asyncio.to_thread(known.of, files[:_MOST_FILES] or [path])
    named = list_in_words([Code(one) for one in owners], ctx.language, limit=_MOST_OWNERS)
    said = answer_text.OWNED if owners else answer_text.NOT_OWNED
    place = Code(printable(inside if files else path))
    return (Paragraph(said(ctx.language, path=place, owners=named)),)


async def _keepers(path: str, ctx: Context) -> Sequence[Block]:
    """Who wrote the commits to a file or folder in the last year, or ever if there were none."""
    log, tip = ctx.watched.source.log, await tip_of(ctx)
    folder = path.rstrip("/")
    older = {sha for sha, _ in await log(tip, folder, ctx.clock.now() - timedelta(days=365))}
    every = await log(tip, folder)
    recent = [name for sha, name in every if sha not in older]
    title = answer_text.LATELY_BY_AUTHORS if recent else answer_text.EVER_BY_AUTHORS
    names, at = recent or [name for _, name in every], ctx.watched.repository
    return (
        Paragraph((Code(printable(path)),)),
        *tallies.by_commits(names, at, ctx.language, title),
    )


async def _mergers(changes: Sequence[Graded], ctx: Context) -> Mapping[str, str]:
    """The person who merged each change that arrived by a merge commit, by its full hash."""
    mainline = dict(await ctx.watched.source.log(await tip_of(ctx), mainline=True))
    merges = (g.sha for g in changes if len(g.commit.parents) > 1 and g.sha in mainline)
    return {sha: mainline[sha] for sha in merges}


async def _compared(asked: Meant, ctx: Context) -> Sequence[Block]:
    """The numbers of the question's period and of the period to compare it with."""
    language, tip, items, totals = ctx.language, await tip_of(ctx), [], []
    windows: list[Span | None] = [asked.intent.window, asked.intent.against]
    for window in windows:
        query = replace(query_of(asked), window=None, among=None)
        found = (await reach(window, ctx, tip)).query
        query = replace(query, window=found.window, among=found.among)
        changes = await ctx.archive.select(ctx.watched.repository, query)
        levels = Counter(graded.grade.level for graded in changes)
        marks = " ".join(f"{LEVEL_MARKS[level]} {levels[level]}" for level in Level)
        people = len({tallies.people_of(graded)[0] for graded in changes})
        line = answer_text.OF_PERIOD(language, n=len(changes), people=people, levels=marks)
        items.append(Item(join([*window_words(window, language), line])))
        totals.append(len(changes))
    first, second = totals
    phrase = (
        answer_text.BUSIER
        if first > second
        else answer_text.QUIETER
        if first < second
        else answer_text.AS_BUSY
    )
    return Paragraph(phrase(language, n=first, other=second)), Listing(tuple(items))
