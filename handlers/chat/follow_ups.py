"""Follow-up questions: resolving one to a full question, and remembering the conversation.

A conversation has subjects, from the widest to the narrowest: a list, that list narrowed, one
change of it. A follow-up is about the narrowest one that it fits. If it fits one of a list only,
the answer asks which.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from digest.answer.answers import Answer
from digest.answer.listing import listed_in
from digest.answer.tallies import people_of
from digest.core.authors import without_backticks
from digest.core.facts import Area
from digest.core.grade import Graded
from digest.core.reference import Query, Reference
from digest.core.release import asked_release
from digest.errors import NothingBefore, UserError
from digest.question.commit_range import Refs
from digest.question.continuation import (
    COUNTED,
    applied,
    back_to,
    list_of,
    looked_at,
    names_in_title,
    names_meant,
    turned,
    window_of,
)
from digest.question.intent import (
    OF_NAME,
    SUBJECT,
    Again,
    CatchUp,
    Changed,
    DigestOf,
    Explain,
    Intent,
    Lookup,
    More,
    Nth,
    OfChange,
    OfCurrent,
    Released,
    Retell,
    Risky,
    ShowDiff,
    Touched,
    Unknown,
    Why,
    is_elliptic,
    span_of,
)
from digest.question.periods import Now
from digest.question.questions import QUESTIONS, format_intent
from digest.topics.terms import roots
from digest.window import Window
from handlers.context import Context
from handlers.digests.ingest import tip_of
from handlers.ports.chat_port import Length, Talk

_DAY, _MONTH = timedelta(days=1), 30 * 24  # hours
_LENGTHS = tuple(Length)
_ASPECTS = {one.name: kind for kind, one in QUESTIONS.items() if issubclass(kind, OfCurrent)}
_ROW = re.compile(r"(?P<sha>[0-9a-f]{40})(?: (?P<name>.+))?")


async def last_talk(ctx: Context) -> Talk | None:
    """The conversation so far, if it was about the repository that is asked about now."""
    if ctx.conversations is None or ctx.conversation is None:
        return None
    talk = await ctx.conversations.talk(ctx.conversation, ctx.clock.now())
    return talk if talk and talk.repository == ctx.watched.repository.name else None


def subject_kind(talk: Talk | None, ctx: Context) -> str:
    """A ``change``, ``name``, ``release`` or ``list``; ``row``: a list of one change."""
    subjects = _subjects(talk, ctx)
    if not subjects:
        return ""
    if any(isinstance(subject, Touched) for subject in subjects[:2]):
        return "name"
    if isinstance(subjects[0], OfChange):
        # A list up to now cannot be read where an earlier time is taken for now.
        listed = talk is not None and talk.subjects[-2:-1] == (talk.question,) and subjects[1:]
        return "row" if listed and not isinstance(span_of(subjects[1]), Refs) else "change"
    return "release" if isinstance(span_of(subjects[0]), Refs) else "list"


def _subjects(talk: Talk | None, ctx: Context) -> list[Intent]:
    """The subjects of the conversation, the narrowest first."""
    asked = (talk.subjects or (talk.question,)) if talk else ()
    intents = [_read(question, ctx) for question in reversed(asked)]
    return [intent for intent in intents if intent is not None]


def _now(ctx: Context) -> Now:
    return Now(ctx.clock.now().replace(microsecond=0), ctx.zone)


def _read(question: str, ctx: Context) -> Intent | None:
    """A stored question; ``None`` if this version can no longer parse it."""
    try:
        from digest.question.parser import parse

        intent = parse(question, ctx.clock.now(), ctx.zone)
    except UserError:
        return None
    return None if isinstance(intent, Unknown) else intent


async def complete_follow_up(
    intent: Intent, talk: Talk | None, ctx: Context
) -> tuple[Intent, Context]:
    """The full question that a follow-up stands for, and the context to answer it in."""
    # Raises ``NothingBefore`` if nothing was said before, or if several may be meant.
    subjects = _subjects(talk, ctx)
    if is_elliptic(intent):
        return await _fitting(intent, subjects, talk, ctx), ctx
    match intent:
        case Again(same=same) if same:
            return await _alike(intent, talk, subjects, ctx), ctx
        case Again(earlier="release"):
            return await _release_before(subjects, ctx), ctx
        case Nth(about=about) if about:
            return await _described(intent, talk, subjects, ctx), ctx
        case Nth():
            return await _of_list(intent, talk, ctx), ctx
        case More() | Retell():
            return _told_again(intent, talk, ctx)
        case Again(topic=words):
            if words and await _is_person(words, subjects, ctx):
                intent = replace(intent, topic="", author=words)  # "same for Ben"
            again = _again(intent, talk, subjects, ctx)
            return again, replace(ctx, length=talk.length) if talk else ctx
    return intent, ctx


async def _fitting(
    intent: Intent, subjects: Sequence[Intent], talk: Talk | None, ctx: Context
) -> Intent:
    """The question about the narrowest subject that it fits. Raises ``NothingBefore``."""
    name = next((subject for subject in subjects[:2] if isinstance(subject, Touched)), None)
    if isinstance(intent, Why) and name and len(subjects) > 1:
        intent, subjects = Nth(place=0), subjects[:1]  # "why was it removed"
    if isinstance(intent, Touched) and name:
        return replace(name, claim=intent.claim)
    if isinstance(intent, Touched) and subjects and isinstance(subjects[0], Explain):
        return await _of_its_name(intent, subjects[0], talk, ctx)
    if isinstance(intent, ShowDiff) and intent.part == SUBJECT:
        intent = replace(intent, part=name.name if name else "")
    for subject in subjects:
        if full := applied(intent, subject):
            return full
    raise NothingBefore(await _rows(talk, ctx))


async def _of_its_name(intent: Touched, change: Explain, talk: Talk | None, ctx: Context) -> Intent:
    """The question about the one name of a change. Raises ``NothingBefore`` if it has several."""
    sha = change.reference.sha or ""
    found = await _listed((sha,), ctx)
    graded = found.get(sha)
    names = names_meant(graded.facts.items, intent) if graded else ()
    names = names or (names_in_title(graded.title) if graded else ())
    if len(names) == 1:
        return Touched(name=names[0], claim=intent.claim)
    if not names:
        about = Risky if intent.claim == "instead" else Explain
        return about(reference=change.reference)
    if talk and ctx.conversations is not None and ctx.conversation is not None:
        rows = tuple(format_intent(Touched(name=name)) for name in names)
        await ctx.conversations.keep(ctx.conversation, replace(talk, listed=rows))
    raise NothingBefore(names[:_SHOWN])


_SHOWN = 3  # changes that are named where it is not clear which is meant


async def _rows(talk: Talk | None, ctx: Context) -> tuple[str, ...]:
    """What the last list shows, in words."""
    changes = await _listed(rows := talk.listed[:_SHOWN] if talk else (), ctx)
    named = (_titled(row, changes) for row in rows)
    return tuple(map(without_backticks, named)) if changes else ()


def _titled(row: str, changes: Mapping[str, Graded]) -> str:
    """A row of a list in words."""
    sha, name = _parts(row)
    return name or (changes[sha].title if sha in changes else row.removeprefix("explain "))


def _parts(row: str) -> tuple[str, str]:
    """The full name of the change of a row, and the name in its code; empty if it has none."""
    found = _ROW.fullmatch(row)
    return (found["sha"], found["name"] or "") if found else ("", "")


async def _listed(rows: Iterable[str], ctx: Context) -> Mapping[str, Graded]:
    """The changes of a list by their full hashes; some rows are none."""
    shas = dict.fromkeys(sha for sha, _ in map(_parts, rows) if sha)
    return await ctx.archive.load(ctx.watched.repository, list(shas))


async def _alike(
    again: Again, talk: Talk | None, subjects: Sequence[Intent], ctx: Context
) -> Intent:
    """Changes by the author of the current one, of its day or file. Raises ``NothingBefore``."""
    change = next((subject for subject in subjects if isinstance(subject, Explain)), None)
    sha = change.reference.sha if change else ""
    changes = await _listed((sha,) if sha else talk.listed if talk else (), ctx)
    about = next((subject for subject in subjects if not isinstance(subject, OfChange)), None)
    if not sha and again.same == "author" and isinstance(about, Changed):
        people = talk.listed[:1] if talk and about.people else ()
        theirs = next((_read(question, ctx) for question in people), None) or about
        if getattr(theirs, "author", ""):  # "their fixes", of the first of several people
            narrowed = replace(again, same="")
            return theirs if narrowed == Again() else turned(theirs, narrowed, _now(ctx))
    now = _now(ctx)
    span = again.window or window_of(about, now)
    days = {one.commit.committed_at.astimezone(ctx.zone).date() for one in changes.values()}
    if again.same == "day" and len(days) == 1:
        return Changed(window=now.days(*days, *days), kinds=again.kinds)
    if sha not in changes or not changes[sha].facts.files:
        raise NothingBefore(await _rows(talk, ctx))
    if again.same == "release":
        tip = await tip_of(ctx)
        tag, _ = await ctx.watched.source.released(tip, sha, changes[sha].commit.subject)
        return Changed(window=span, topic=tag) if tag else Released(reference=Reference(sha=sha))
    if again.same == "file":
        files = changes[sha].facts.files
        main = max(files, key=lambda file: (file.area is Area.CORE, file.added + file.deleted))
        return Changed(window=again.window or now.hours(_MONTH), path=main.path, kinds=again.kinds)
    if again.window is None and isinstance(span, Window) and span.until - span.since <= _DAY:
        span = now.usual  # of a day's list, nobody did much else
    return Changed(window=span, author=people_of(changes[sha])[0], kinds=again.kinds)


async def _is_person(words: str, subjects: Sequence[Intent], ctx: Context) -> bool:
    """Whether words after a person's list are the name of somebody else."""
    last = next((subject for subject in subjects if isinstance(subject, Changed)), None)
    if last is None or not last.author or last.topic:
        return False
    return bool(await ctx.archive.select(ctx.watched.repository, Query(author=words, limit=1)))


async def _release_before(subjects: Sequence[Intent], ctx: Context) -> Intent:
    """The last list for the release before its own. Raises ``NothingBefore`` if there is none."""
    last = next((subject for subject in subjects if isinstance(subject, Changed)), None)
    refs = last.window if last and isinstance(last.window, Refs) else None
    release = await ctx.watched.source.release(refs.base) if refs else None
    if last is None or release is None or not release.before:
        raise NothingBefore
    return replace(last, window=Refs(base=release.before, tip=release.tag))


async def _described(
    nth: Nth, talk: Talk | None, subjects: Sequence[Intent], ctx: Context
) -> Intent:
    """The change of the last list that words describe; where none does, a list about them."""
    wanted, listed = roots(nth.about), talk.listed if talk else ()
    shas = [sha for sha, _ in map(_parts, listed)]
    rows = (await _listed(listed, ctx)).items()
    said = {sha: roots(" ".join((g.title, *g.facts.paths))) for sha, g in rows}
    fits = [sha for sha in shas if wanted <= said.get(sha, frozenset())]
    if wanted and fits:
        return _ASPECTS.get(nth.aspect, Explain)(reference=Reference(sha=fits[0]))
    last = next((subject for subject in subjects if not isinstance(subject, OfChange)), None)
    return replace(list_of(last, _now(ctx)), topic=nth.about, top=None)


async def _of_list(nth: Nth, talk: Talk | None, ctx: Context) -> Intent:
    """What is at a position in the last list. Raises ``NothingBefore`` if nothing is."""
    listed = talk.listed if talk else ()
    place = nth.place - 1 if nth.place > 0 else nth.place
    if nth.step and talk:
        at = [n for n, row in enumerate(listed) if _is_row(row, talk.subjects)]
        place = at[0] + nth.step if at else len(listed)
        place = place if place >= 0 else len(listed)
    if not -len(listed) <= place < len(listed):
        raise NothingBefore(await _rows(talk, ctx))
    row, aspect = listed[place], _ASPECTS.get(nth.aspect)
    sha, name = _parts(row)
    if name and aspect is None:
        return Touched(name=name, claim=OF_NAME.get(nth.aspect, ""))
    if sha and (claim := OF_NAME.get(nth.aspect)):
        explained = Explain(reference=Reference(sha=sha))
        return await _of_its_name(Touched(name="", claim=claim), explained, talk, ctx)
    if sha:
        return (aspect or Explain)(reference=Reference(sha=sha))
    subject = _read(row, ctx)
    if subject is None:
        raise NothingBefore
    return (applied(aspect(), subject) if aspect else None) or subject


def _is_row(row: str, subjects: Sequence[str]) -> bool:
    """Whether a row of a list is what the conversation is about now."""
    sha, name = _parts(row)
    named = not name or format_intent(Touched(name=name)) in subjects
    return subjects[-1:] == (f"explain {sha}",) and named


def _told_again(intent: More | Retell, talk: Talk | None, ctx: Context) -> tuple[Intent, Context]:
    """The last question with its next page, or in another language or length."""
    last = _read(talk.question, ctx) if talk else None
    if talk is None or last is None:
        raise NothingBefore
    ctx = replace(ctx, length=talk.length)
    if isinstance(intent, More):
        lists = [one for one in _subjects(talk, ctx) if not isinstance(one, OfChange)]
        of_change = isinstance(last, OfChange) and not isinstance(last, ShowDiff)
        return lists[0] if of_change and lists else last, replace(ctx, page=talk.page + 1)
    retold = replace(ctx, page=talk.page, language=intent.language or ctx.language)
    if intent.longer is None:
        return last, retold
    place = _LENGTHS.index(talk.length) + (1 if intent.longer else -1)
    return last, replace(retold, length=_LENGTHS[min(max(place, 0), len(_LENGTHS) - 1)])


def _again(again: Again, talk: Talk | None, subjects: Sequence[Intent], ctx: Context) -> Intent:
    """The question about the last list, narrowed or turned. Raises ``NothingBefore``."""
    last, now = _read(talk.question, ctx) if talk else None, _now(ctx)
    of_change = last if isinstance(last, OfChange) else None
    if again.reference:
        return replace(of_change or Explain(reference=again.reference), reference=again.reference)
    lists = [one for one in subjects if not isinstance(one, OfChange)]
    if again.topic and asked_release(again.topic):
        if isinstance(last, Released):
            return last  # "and in 1.2": the answer names the first release
        whole = list_of(lists[0] if lists else None, now)
        about = f"{whole.topic} in {again.topic}" if whole.topic else again.topic
        return replace(whole, window=window_of(None, now), topic=about)
    if again.back and lists:
        behind = [one for one in lists if not isinstance(one, Touched)] or lists
        return behind[0] if isinstance(last, OfChange | Touched) else back_to(lists)
    if not lists and (again.level or again.back or again.without):
        raise NothingBefore
    return turned(looked_at(again, lists, now), again, now)


def _kept_subjects(
    intent: Intent, asked: Intent, answer: Answer, before: Talk | None, ctx: Context
) -> tuple[str, ...]:
    """The subjects after an answer, the widest first."""
    if is_elliptic(asked) and not isinstance(intent, OfChange | Touched):
        return before.subjects if before else ()  # "when was it released", of a release
    single = (answer.total == 1 and not answer.listed) or isinstance(intent, OfChange)
    sha = answer.subject or (answer.rows[0].graded.sha if single and answer.rows else "")
    one: Intent | None = Explain(reference=Reference(sha=sha)) if sha else None
    one = Touched(name=answer.topic) if isinstance(intent, Lookup) and answer.total else one
    change = (format_intent(one),) if one else ()
    held = tuple(q for q in before.subjects if not _OF_CHANGE.match(q)) if before else ()
    if isinstance(intent, OfChange):
        goes_on = asked is not intent and not getattr(asked, "reference", None)
        return (*(q for q in held if goes_on or not _OF_NAME.match(q)), *change)
    window = answer.window if isinstance(intent, CatchUp) else None
    question = _stored(DigestOf(window=window) if window else intent, ctx)
    if isinstance(asked, Again):
        narrowing = ("only", "level", "kinds", "without", "switched", "same", *COUNTED)
        narrows = any(getattr(asked, one) for one in narrowing)
        held = held if narrows else () if asked.back else held[:-1]
        held = before.subjects if before and asked.same else held  # with the change
    elif _is_of_name(intent, asked):
        return (*(q for q in held if not _OF_NAME.match(q)), question, *change)
    else:
        held = ()
    return (*(q for q in held[-_MOST_SUBJECTS:] if q != question), question, *change)


def _stored(intent: Intent, ctx: Context) -> str:
    """The text of a question, with its topic in quotes where its words mean something else."""
    question, topic = format_intent(intent), getattr(intent, "topic", "")
    if not topic or not isinstance(intent, Changed):
        return question
    quoted = format_intent(replace(intent, topic=f'"{topic}"'))
    kept = (getattr(_read(text, ctx), "topic", "") == topic for text in (question, quoted))
    return quoted if [*kept] == [False, True] else question


def _is_of_name(intent: Intent, asked: Intent) -> bool:
    """Whether a follow-up is about one name of a list or of a change."""
    return isinstance(intent, Touched) and (isinstance(asked, Nth) or is_elliptic(asked))


_MOST_SUBJECTS = 6
_OF_CHANGE = re.compile(r"explain [0-9a-f]{40}$")
_OF_NAME = re.compile(r"explain symbol ")


async def remember(
    intent: Intent, answer: Answer, ctx: Context, before: Talk | None, asked: Intent | None = None
) -> None:
    """Save the state of a conversation after an answer.

    ``asked`` is the follow-up that stood for the intent. Intents that are no questions are ignored.
    The last list (``before``) is kept while single changes of it are discussed.
    """
    ignored = answer.error is not None or QUESTIONS[type(intent)].read_as is None
    if ctx.conversations is None or ctx.conversation is None or ignored:
        return
    changes = [row.graded for row in answer.rows]
    listed = answer.listed or listed_in(answer.document, changes, ctx.watched.repository)
    one = isinstance(intent, OfChange) or _is_of_name(intent, asked or intent)
    if one or not (answer.total or answer.listed):
        listed = before.listed if before else ()
    await ctx.conversations.keep(
        ctx.conversation,
        Talk(
            question=_stored(intent, ctx),
            repository=ctx.watched.repository.name,
            at=ctx.clock.now(),
            page=ctx.page,
            language=ctx.language,
            length=ctx.length,
            listed=listed,
            subjects=_kept_subjects(intent, asked or intent, answer, before, ctx),
        ),
    )
