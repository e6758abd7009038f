"""``search``: full text search in the archive, or in a window, which is read first."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import log

from digest.answer import answers
from digest.answer.listing import line_of
from digest.core.change import printable
from digest.core.enums import Language
from digest.core.grade import Graded
from digest.core.reference import Query
from digest.document import Block, Code, Document, Item, Listing, Paragraph, Text, plain
from digest.frozen import frozen
from digest.i18n.answer_text import (
    ALSO_CLOSE,
    CLOSE,
    CLOSER,
    CLOSEST_TO,
    IN_BODY,
    IN_NAME,
    IN_PATH,
    IN_SUBJECT,
    NEAREST,
    NOT_FOUND,
)
from digest.i18n.phrase import Phrase, list_in_words
from digest.question.commit_range import Refs
from digest.question.intent import Changed, Intent, Search, Touched
from digest.question.parser import Reading
from digest.topics.matching import Resolved, restrict
from digest.topics.terms import is_code_name, roots
from digest.topics.title_search import Match, are_enough, has_all, search_titles
from digest.window import Window
from handlers.context import Context
from handlers.digests.ingest import ensure, tip_of
from handlers.ports.storage import Tip, TitledCommit
from handlers.questions.change_selection import is_counted
from handlers.questions.list_reading import listed_result
from handlers.questions.scope import count, newest, reach, run_query, viewpoint


async def search(intent: Search, ctx: Context) -> answers.Answer:
    """The changes whose text contains every term; without a window, all archived ones."""
    tip = await tip_of(ctx)
    reached = await reach(intent.window, ctx, tip)
    narrow = restrict(Resolved(), intent.kinds, intent.label)
    query = replace(
        reached.query,
        terms=intent.terms,
        topics=narrow.topics,
        about=narrow.alternatives,
        author=intent.author,
        paths=(intent.path,) if intent.path else (),
        level=intent.level,
    )

    def row(graded: Graded, _: Sequence[str]) -> answers.AnswerRow:
        return _row(graded, intent.terms, ctx.language)

    held = await run_query(ctx, query, ctx.page, row)
    if not held.rows and intent.window is None and tip.sha:
        # Only commits that were read are archived; the messages of all others are searched too.
        older = await ctx.watched.source.find(tip, text=intent.terms[0])
        told = await ensure(ctx, list(older), tip) if older else ()
        held = await run_query(ctx, query, ctx.page, row) if told else held
        if told and not held.rows and len(intent.terms) == 1 and query == Query(terms=query.terms):
            held = await listed_result(told, Resolved(), ctx)  # commits within a merge say it
    topic = " ".join(intent.terms)
    at = viewpoint(ctx, tip)
    if held.rows:
        document = answers.listing_document(
            answers.title_of(intent, ctx.language), held.survey, held.why, intent.window, at
        )
    else:
        terms = list_in_words(
            [Code(t) for t in intent.terms], ctx.language, limit=len(intent.terms)
        )
        lines = [NOT_FOUND(ctx.language, terms=terms), *await newest(intent, ctx, tip)]
        lines.append(answers.foot(intent.window, at))
        document = answers.lines_document(topic, lines, at)
    return answers.Answer(
        intent="search",
        document=document,
        window=reached.window,
        topic=topic,
        total=held.survey.total,
        rows=held.rows,
    )


async def nearest(
    terms: Sequence[str], ctx: Context, *, understood: bool = True
) -> answers.Answer | None:
    """The changes that have most of some words, rare words first; ``None`` if none has.

    Messages with a name that no title has come before titles of the whole history, and these before
    texts of the archive.
    """
    tip = await tip_of(ctx)
    close = await _with_unusual_name(terms, ctx, tip) or await nearest_titles(terms, ctx, tip)
    if not close.changes:
        # A text has the letters of many words: at least one must stand in the title.
        texts = await nearest_changes(terms, Query(), ctx)
        close = Nearest([one for one in texts.changes if _is_titled(*one)])
    return _nearest(close, ctx, tip, understood=understood) if close.changes else None


async def _with_unusual_name(terms: Sequence[str], ctx: Context, tip: Tip) -> Nearest | None:
    """The changes whose messages have a name that is in no title, those with more words first."""
    names = [term for term in terms if _UNUSUAL.search(term)]
    told = await ctx.watched.source.titles(tip) if names else ()
    titles = "\n".join(one.title for one in told)
    for name in (name for name in names if name.lower() not in titles.lower()):
        shas = await ctx.watched.source.find(tip, text=name)
        changes = await ensure(ctx, list(shas), tip) if 0 < len(shas) <= _MOST_UNUSUAL else ()
        now = ctx.clock.now()
        met = [
            (graded, [term for term in terms if term.lower() in _said(graded)])
            for graded in changes
            if graded.commit.committed_at <= now
        ]
        if met:
            return Nearest(sorted(met, key=lambda one: -len(one[1]))[:_NEAREST])
    return None


def _said(graded: Graded) -> str:
    return f"{graded.title}\n{graded.commit.message}".lower()


_UNUSUAL = re.compile(r"[A-Z]{3}|[a-z][A-Z]|\w_\w")
"""An acronym or a name of code, of which a message says more than an English word would."""
_MOST_UNUSUAL = 12  # changes with such a name, more of which would prove nothing


def _is_titled(graded: Graded, words: Sequence[str]) -> bool:
    """Whether a word of a title begins with one of some words."""
    title = graded.title[:_MOST_TITLE]
    return any(re.search(rf"(?<!\w){re.escape(one)}", title, re.IGNORECASE) for one in words)


_MOST_TITLE = 300


async def nearest_titles(words: Sequence[str], ctx: Context, tip: Tip) -> Nearest:
    """The changes of the whole history whose titles have most of some words, rare words first."""
    titles = await ctx.watched.source.titles(tip)
    matches = await _matching(titles, words, frozenset(), ctx, tip)
    met = {titles[match.place].sha: match.words for match in matches}
    changes = await ensure(ctx, list(met), tip) if met else ()
    now = ctx.clock.now()
    known = {graded.sha: graded for graded in changes if graded.commit.committed_at <= now}
    return Nearest([(known[sha], words) for sha, words in met.items() if sha in known])


async def _matching(
    titles: Sequence[TitledCommit],
    words: Sequence[str],
    listed: frozenset[int],
    ctx: Context,
    tip: Tip,
) -> Sequence[Match]:
    """The titles nearest to some words, by their messages and the project's changelog too."""
    entries = await _announced(ctx, tip)
    texts = [one.title for one in titles]
    bodies = [one.body for one in titles]
    for place, title in enumerate(texts if entries else ()):
        last = max(title.rfind("(#"), 0)
        if (match := _NUMBER.match(title, last)) and (told := entries.get(int(match[1]))):
            bodies[place] = f"{told}\n{bodies[place]}"
    return await asyncio.to_thread(
        search_titles, texts, words, _NEAREST, listed=listed, bodies=bodies
    )


_NUMBER = re.compile(r"(?:\(|Merge pull request )#(\d{1,9})")
"""The number of a request, where a title may have it: at the last bracket, or at its beginning."""


async def with_close_titles(
    found: answers.Answer, intent: Intent, reading: Reading, ctx: Context
) -> answers.Answer:
    """The answer with changes whose titles are as close to the question as those it has.

    A question describes a change in words of its own, of which an answer may have taken the wrong
    ones. An answer with many changes gets only closer ones. What a question counts, ranks or limits
    to a person stays as it is. A range without a match is no reason to tell nothing.
    """
    if found.error is not None or (isinstance(intent, Changed) and not intent.topic):
        return found
    named = found.total and isinstance(intent, Touched)
    if not (named or isinstance(intent, Changed | Search)):
        return found
    partly = isinstance(intent, Touched) and reading.unknown
    lists = {"changed"} if isinstance(intent, Changed) else {"changed", "touched"}
    if found.intent not in lists and not (isinstance(intent, Search) or partly):
        return found
    ranged = isinstance(getattr(intent, "window", None), Refs)
    if ranged and found.total and isinstance(intent, Changed) and intent.kinds:
        return found  # of a release, its changelog tells what is of a kind
    filtered = isinstance(intent, Changed) and (_is_filtered(intent) or _is_counted(intent))
    # What was found without some of the words, or misread, may be anything.
    lax = found.topic != getattr(intent, "topic", "") or not (found.total or reading.sure)
    if lax and isinstance(intent, Changed) and not (_is_counted(intent) or intent.top):
        filtered = "/" in intent.topic and found.total > 0  # by a path, of which titles say nothing
    if filtered or (ranged and found.total > _FEW and not lax):
        return found
    if isinstance(intent, Touched) and is_code_name(intent.name) and reading.sure:
        return found
    if any(has_all(row.graded.title, reading.content) for row in found.rows):
        return found
    dated = not intent.anytime if isinstance(intent, Changed) else isinstance(intent, Search)
    span = found.window or getattr(intent, "window", None) if dated and not ranged else None
    release = reading.dated or getattr(intent, "claim", "") in {"added", "release", "gone"}
    few = found.total <= (_FEW_NAMED if named else _FEW) or bool(reading.unknown)
    own = roots(found.topic)
    wanted = reading.words if isinstance(intent, Touched) else reading.content
    if not few and all(roots(word) <= own for word in wanted):
        return found  # nothing can be closer than what was looked for
    words = [*dict.fromkeys((*reading.content, *reading.said))]
    return await _close_titles(found, words, span, ctx, few=few, release=release, lax=lax)


def _is_filtered(intent: Changed) -> bool:
    """Whether changes were selected by more than the words of the question."""
    by_files = intent.actions and not intent.things
    of_path = intent.path or ("/" in intent.topic and " " not in intent.topic)
    return bool(intent.author or intent.level or intent.top or of_path or by_files)


def _is_counted(intent: Changed) -> bool:
    """Whether numbers are asked for; "who did X" may also ask for one change."""
    listed = replace(intent, people=intent.people and (intent.mergers or intent.reviewers))
    return is_counted(listed) or intent.counted or intent.against is not None


_FEW = 3  # an answer with more changes stands for itself
_FEW_NAMED = 5  # the same for a history, whose name may stand for something else


async def _close_titles(
    found: answers.Answer,
    words: Sequence[str],
    window: Window | None,
    ctx: Context,
    *,
    few: bool,
    release: bool,
    lax: bool,
) -> answers.Answer:
    """The answer with other changes of a window whose titles are as close to the words.

    If it has not ``few`` changes, only with closer ones. These come first; they have the words of
    the topic too, unless it is ``lax``. The ``release`` of the closest ones is told if asked for.
    """
    if not (few and found.rows) and not are_enough(words):
        return found  # without reading the titles of the whole history
    from handlers.questions.name_state import released_in

    listed = {row.graded.sha for row in found.rows}
    tip = await tip_of(ctx)
    titles = await ctx.watched.source.titles(tip)
    if window is not None:
        within = {*await ctx.watched.source.names(tip, window)}
        titles = [one for one in titles if one.sha in within or one.sha in listed]
    known = frozenset(place for place, one in enumerate(titles) if one.sha in listed)
    matches = await _matching(titles, words, known, ctx, tip)
    own = roots(found.topic) if found.total and not lax else frozenset[str]()
    near = [match for match in matches if match.closer and own <= roots(titles[match.place].title)]
    closer = not found.total or bool(listed and near)
    shas = [titles[match.place].sha for match in (near if closer else matches)]
    changes = await ensure(ctx, shas, tip) if shas and (few or closer) else ()
    close = [g for g in changes if g.sha in shas and g.commit.committed_at <= ctx.clock.now()]
    if not close:
        return found
    close.sort(key=lambda graded: shas.index(graded.sha))
    rows = [
        answers.AnswerRow(graded=graded, why=CLOSE.text(ctx.language), unseen="")
        for graded in close
    ]
    lines = tuple(_item(graded, row, ctx) for graded, row in zip(close, rows, strict=True))
    few_close = close[:_MOST_DATED] if release else ()
    dated = [line for one in few_close for line in await released_in(one, tip, ctx)]
    head = (CLOSER if closer else ALSO_CLOSE)(ctx.language)
    more: tuple[Block, ...] = (Paragraph(head), *map(Paragraph, dated), Listing(lines))
    blocks, last = found.document.blocks[:-1], found.document.blocks[-1:]
    told = (*more, *blocks) if closer and found.total else (*blocks, *more)
    document = replace(found.document, blocks=(*told, *last))
    return replace(found, document=document, rows=(*found.rows, *rows))


@frozen(kw_only=False)
class Nearest:
    """The changes nearest to some words, the nearest first, each with the words that it has."""

    changes: Sequence[tuple[Graded, Sequence[str]]] = ()

    @property
    def words(self) -> frozenset[str]:
        """The words that one of the changes has."""
        return frozenset().union(*(words for _, words in self.changes))


async def nearest_changes(terms: Sequence[str], within: Query, ctx: Context) -> Nearest:
    """The changes of a query with most of the words, rare words first.

    A word that most changes have says nothing. At least two words must meet, or a name of code.
    """
    words = {t if _IS_NAME.search(t) else _SUFFIX.sub("", t): t for t in terms}
    every = await count(ctx, Query())
    held = {word: await count(ctx, Query(terms=(word,))) for word in words}
    rare = sorted((w for w in words if 0 < held[w] <= every * _COMMON), key=held.__getitem__)
    rare = rare[:_MOST_WORDS]
    least = 1 if any(_IS_NAME.search(word) for word in rare) else 2

    def weight(one: tuple[Graded, Sequence[str]]) -> float:
        graded, met = one
        said = graded.title.casefold()
        return sum(log(every / held[w]) * (1 if w.casefold() in said else _ASIDE) for w in met)

    best: list[tuple[Graded, Sequence[str]]] = []
    for size in range(len(rare), least - 1, -1):
        some = [some for some in itertools.combinations(rare, size) if size > 1 or _is_name(some)]
        met = [(await _having(one, within, ctx), one) for one in some]
        known = {graded.sha for graded, _ in best}
        more = {g.sha: (g, one) for changes, one in reversed(met) for g in changes}
        best += [one for sha, one in more.items() if sha not in known]
        best.sort(key=lambda one: one[0].commit.committed_at, reverse=True)
        best.sort(key=weight, reverse=True)
        # A change that has fewer of the words can only be nearer by having them in its title.
        if best and weight(best[0]) >= sum(log(every / held[w]) for w in rare[: size - 1]):
            break
    # What has much less of the words than the nearest is about something else.
    close = [one for one in best if weight(one) >= weight(best[0]) / 2]
    return Nearest([(graded, [words[w] for w in had]) for graded, had in close])


_ASIDE = 0.3
"""Weight of a word that stands outside of the title; a long message has every word."""
_SUFFIX = re.compile(r"(?<=\w{4})(?:ing|ed|e?s)$")
_COMMON = 0.2  # share of the changes that have a common word
_MOST_WORDS = 6
_MOST_DATED = 2  # changes whose release is told
_NEAREST = 5  # the most changes to show
_IS_NAME = re.compile(r"\w[_-]\w|^-")


def _is_name(words: Sequence[str]) -> bool:
    return all(_IS_NAME.search(word) for word in words)


async def _having(words: Sequence[str], within: Query, ctx: Context) -> Sequence[Graded]:
    query = replace(within, terms=tuple(words), limit=_NEAREST, ranked=True)
    return await ctx.archive.select(ctx.watched.repository, query)


def _nearest(close: Nearest, ctx: Context, tip: Tip, *, understood: bool) -> answers.Answer:
    had = close.changes[0][1]
    words = list_in_words(list(map(Code, had)), ctx.language, limit=_MOST_WORDS)
    head = (CLOSEST_TO if understood else NEAREST)(ctx.language, words=words)
    rows = [(_row(graded, met, ctx.language), graded) for graded, met in close.changes[:_NEAREST]]
    at = viewpoint(ctx, tip)
    lines = tuple(_item(graded, row, ctx) for row, graded in rows)
    blocks = (Paragraph(head), Listing(lines), Paragraph(answers.foot(None, at), aside=True))
    return answers.Answer(
        intent="search",
        document=Document(title=plain(head), blocks=blocks, language=str(ctx.language)),
        topic=" ".join(had),
        total=len(rows),
        rows=tuple(row for row, _ in rows),
    )


def _item(graded: Graded, row: answers.AnswerRow, ctx: Context) -> Item:
    """A change with its day, why it is here, and what it means for the reader."""
    head = (*answers.entry_of(graded, ctx.watched.repository), Text(_dated(graded, row, ctx)))
    effect = line_of(graded, ctx.language)
    return Item(head, (Item(effect),) if effect else ())


def _dated(graded: Graded, row: answers.AnswerRow, ctx: Context) -> str:
    day = graded.commit.committed_at.astimezone(ctx.zone).date().isoformat()
    return "".join(f" · {one}" for one in (day, row.unseen) if one)


def _row(graded: Graded, terms: Sequence[str], language: Language) -> answers.AnswerRow:
    """A change with the places that match, the strongest first, and the terms it contains."""
    gap = "；" if language is Language.ZH else "; "
    texts = _Texts(graded)
    places: dict[tuple[Phrase, str], list[str]] = {}
    for term in terms:
        places.setdefault(texts.place(term), []).append(term)
    told = [
        (phrase, phrase.text(language, shown=shown or " ".join(held)))
        for (phrase, shown), held in places.items()
    ]
    unseen = gap.join(words for phrase, words in told if phrase is not IN_SUBJECT)
    return answers.AnswerRow(graded=graded, why=gap.join(words for _, words in told), unseen=unseen)


class _Texts:
    """The searchable texts of a change, each prepared once."""

    def __init__(self, graded: Graded) -> None:
        self._facts = graded.facts
        self._subjects = (graded.title.casefold(), graded.commit.subject.casefold())

    @cached_property
    def _paths(self) -> Sequence[str]:
        return self._facts.paths

    @cached_property
    def _names(self) -> Sequence[str]:
        return self._facts.names

    def place(self, term: str) -> tuple[Phrase, str]:
        """The first place of a term, with the path or identifier if it is one."""
        wanted = term.casefold()
        if any(wanted in subject for subject in self._subjects):
            return IN_SUBJECT, ""
        for path in self._paths:
            if wanted in path.casefold():
                return IN_PATH, printable(path)
        for name in self._names:
            if wanted in name.casefold():
                return IN_NAME, name
        return IN_BODY, ""


async def _announced(ctx: Context, tip: Tip) -> Mapping[int, str]:
    """What the project's changelogs say of requests, by number."""
    from handlers.questions.upgrade import LINK, REQUEST, changelogs

    found: dict[int, str] = {}
    for text in (await changelogs(tip.sha or "", ctx, tip)).values():
        for entry in re.split(r"\n(?=[ \t]*[-*+] )|\n\n", text):
            said = LINK.sub(r"\1", entry[:_MOST_ENTRY])
            for number in {int(n) for n in REQUEST.findall(said)}:
                found[number] = f"{found.get(number, '')} {said}".strip()
    return found


_MOST_ENTRY = 600  # characters
