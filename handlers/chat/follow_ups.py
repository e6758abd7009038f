"""Follow-up questions: resolving one to a full question, and remembering the conversation."""

from __future__ import annotations

from dataclasses import replace

from digest.answer.answers import Answer
from digest.answer.listing import listed_in
from digest.answer.tallies import people_of
from digest.core.enums import ChangeKind
from digest.core.grade import Level
from digest.core.reference import Reference
from digest.errors import NothingBefore, UserError
from digest.question.commit_range import Refs, Span
from digest.question.intent import (
    Again,
    Changed,
    Compare,
    DigestOf,
    Explain,
    Followup,
    Greet,
    Help,
    Intent,
    More,
    Nth,
    OfChange,
    OfCurrent,
    PrivacyOf,
    Released,
    Releases,
    Retell,
    Search,
    Status,
    Touched,
    Unknown,
)
from digest.question.parser import parse
from digest.question.periods import Now, beside, default_period
from digest.question.questions import QUESTIONS, format_intent
from digest.topics.terms import roots
from digest.window import Window
from handlers.context import Context
from handlers.ports.chat_port import Length, Talk

_LENGTHS = tuple(Length)
_ASPECTS = {one.name: kind for kind, one in QUESTIONS.items() if issubclass(kind, OfCurrent)}
_LEAVE_NO_TRACE = (Help, Greet, Status, PrivacyOf, Unknown)


async def last_talk(ctx: Context) -> Talk | None:
    """The conversation so far, if it was about the repository that is asked about now."""
    if ctx.conversations is None or ctx.conversation is None:
        return None
    talk = await ctx.conversations.talk(ctx.conversation, ctx.clock.now())
    return talk if talk and talk.repository == ctx.watched.repository.name else None


async def complete_follow_up(
    intent: Intent, talk: Talk | None, ctx: Context
) -> tuple[Intent, Context]:
    """The full question that a follow-up stands for, and the context to answer it in.

    Raises ``NothingBefore`` if the conversation holds nothing to continue from.
    """
    if isinstance(intent, Again) and intent.same:
        return await _alike(intent, talk, ctx), ctx
    if isinstance(intent, Again) and intent.earlier == "release":
        return await _release_before(talk, ctx), ctx
    if isinstance(intent, Nth) and intent.about:
        return await _described(intent, talk, ctx), ctx
    if isinstance(intent, More | Retell | Again | Nth):
        return _followed(intent, talk, ctx)
    if isinstance(intent, OfCurrent) and intent.reference is None:
        if talk is None or not talk.subject:
            listed = talk.list_question if talk and isinstance(intent, Released) else ""
            last = _last(listed, ctx) if listed else None
            if isinstance(last, Touched):
                return last, ctx  # "in which release did it come", of a name
            if last and isinstance(_window(last, ctx), Refs):
                return Releases(), ctx  # "when did it come out"
            raise NothingBefore
        return replace(intent, reference=Reference(sha=talk.subject)), ctx
    return intent, ctx


async def _alike(again: Again, talk: Talk | None, ctx: Context) -> Changed:
    """The changes by the author of the current change, or in its file.

    Raises ``NothingBefore`` if there is no such change.
    """
    subject = talk.subject if talk else ""
    held = await ctx.archive.load(ctx.watched.repository, [subject] if subject else [])
    if talk is None or subject not in held:
        raise NothingBefore
    about = _last(talk.list_question, ctx) if talk.list_question else None
    window = again.window or (_window(about, ctx) if about else None)
    span = window or default_period(ctx.clock.now(), ctx.zone)
    if again.same == "file":
        return Changed(window=span, path=next(iter(held[subject].facts.paths), ""))
    kinds = (again.kind,) if again.kind else ()
    return Changed(window=span, author=people_of(held[subject])[0], kinds=kinds)


async def _release_before(talk: Talk | None, ctx: Context) -> Intent:
    """The last list for the release before its own. Raises ``NothingBefore`` if there is none."""
    last = _last(talk.list_question, ctx) if talk and talk.list_question else None
    if not isinstance(last, Changed) or not isinstance(last.window, Refs):
        raise NothingBefore
    release = await ctx.watched.source.release(last.window.base)
    if release is None or not release.before:
        raise NothingBefore
    return replace(last, window=Refs(base=release.before, tip=release.tag))


async def _described(nth: Nth, talk: Talk | None, ctx: Context) -> Intent:
    """The change of the last list that words describe; where none does, a list about them."""
    wanted, last = roots(nth.about), None
    if talk is not None and talk.list_question:
        last = _last(talk.list_question, ctx)
    held = await ctx.archive.load(ctx.watched.repository, talk.listed if talk else ())
    said = {sha: roots(" ".join((g.title, *g.facts.paths))) for sha, g in held.items()}
    fits = [sha for sha in (talk.listed if talk else ()) if wanted <= said.get(sha, frozenset())]
    if wanted and fits:
        return _ASPECTS.get(nth.aspect, Explain)(reference=Reference(sha=fits[0]))
    window = _window(last, ctx) if last else default_period(ctx.clock.now(), ctx.zone)
    whole = last if isinstance(last, Changed) else Changed(window=window)
    return replace(whole, topic=nth.about, top=None)


def _followed(intent: Followup, talk: Talk | None, ctx: Context) -> tuple[Intent, Context]:
    if talk is None:
        return _alone(intent, ctx), ctx
    if isinstance(intent, Nth):
        return _of_list(intent, talk), ctx
    last = _last(talk.question, ctx)
    if isinstance(intent, Again) and intent.back:
        return _back(last, talk, ctx), ctx
    listed = isinstance(intent, Again) and not intent.reference and talk.list_question
    if listed and isinstance(last, OfChange):
        # A filter applies to the last list, even if single changes of it were discussed since.
        last = _last(talk.list_question, ctx)
    ctx = replace(ctx, length=talk.length)
    match intent:
        case More():
            return last, replace(ctx, page=talk.page + 1)
        case Retell(language=language, longer=longer):
            told = replace(ctx, page=talk.page, language=language or ctx.language)
            return last, told if longer is None else replace(told, length=_length(talk, longer))
        case Again():
            return _turned(last, intent, ctx), ctx


def _back(last: Intent, talk: Talk, ctx: Context) -> Intent:
    """The list before a single change of it, or all of a list that was narrowed."""
    if isinstance(last, OfChange):
        return _last(talk.list_question, ctx)
    whole = _last(talk.unfiltered, ctx) if talk.unfiltered else last
    if isinstance(last, Changed | DigestOf) and isinstance(whole, Changed | DigestOf):
        whole = replace(whole, window=last.window)
    if whole != last or not isinstance(last, Changed):
        return whole
    return replace(last, level=None, kinds=(), without=())


def _of_list(nth: Nth, talk: Talk) -> Intent:
    """The change at a position in the last list. Raises ``NothingBefore`` if there is none."""
    if not nth.place:
        if not talk.subject:
            raise NothingBefore
        return Explain(reference=Reference(sha=talk.subject))
    place = nth.place - 1 if nth.place > 0 else nth.place
    if not -len(talk.listed) <= place < len(talk.listed):
        raise NothingBefore
    return _ASPECTS.get(nth.aspect, Explain)(reference=Reference(sha=talk.listed[place]))


def _alone(intent: Followup, ctx: Context) -> Intent:
    """The question that a period or topic stands for by itself. Raises ``NothingBefore``."""
    if isinstance(intent, Again) and intent.reference:
        return Explain(reference=intent.reference)
    if isinstance(intent, Again) and intent.kind:
        window = default_period(ctx.clock.now(), ctx.zone)
        return Changed(window=window, kinds=(intent.kind,))
    if isinstance(intent, Again) and any(getattr(intent, name) for name in _ASKED):
        span = intent.window or default_period(ctx.clock.now(), ctx.zone)
        return _turned(Changed(window=span), intent, ctx)
    if isinstance(intent, Again) and intent.window:
        return DigestOf(window=intent.window)
    raise NothingBefore


def _last(question: str, ctx: Context) -> Intent:
    """The last question. Raises ``NothingBefore`` if this version can no longer parse it."""
    try:
        last = parse(question, ctx.clock.now(), ctx.zone)
    except UserError:
        raise NothingBefore from None
    if isinstance(last, Unknown):
        raise NothingBefore
    return last


_ASKED = (
    "topic",
    "author",
    "path",
    "daily",
    "people",
    "files",
    "folders",
    "top",
    "things",
    "actions",
)
"""Fields of a follow-up that replace those of a list question."""


def _turned(last: Intent, again: Again, ctx: Context) -> Intent:
    """The last question for another period or change, or about another topic in the same period."""
    if again.reference:
        if isinstance(last, OfChange):
            return replace(last, reference=again.reference)
        return Explain(reference=again.reference)
    if again.level or again.kind:
        return _narrowed(last, again.level, (again.kind,) if again.kind else ())
    if unit := again.earlier or again.later:
        now, span = Now(ctx.clock.now(), ctx.zone), _window(last, ctx)
        if not isinstance(span, Window):
            raise NothingBefore
        stepped = beside(span, unit, now, later=bool(again.later))
        return _turned(last, replace(again, window=stepped, earlier="", later=""), ctx)
    if again.without:
        kept = last if isinstance(last, Changed) else Changed(window=_window(last, ctx))
        return replace(kept, without=(*kept.without, *again.without))
    if isinstance(last, Touched) and again == Again(topic=again.topic):
        return Touched(name=again.topic)  # "and what about --slow"
    asks = {name: getattr(again, name) for name in _ASKED if getattr(again, name)}
    if again.things and isinstance(last, Changed) and (last.things or last.actions):
        asks.pop("topic", None)  # "and the variables", of flags
    else:
        asks.pop("things", None)
    if asks:
        if again.topic and isinstance(last, Changed) and last.author and not last.topic:
            asks = {**asks, "topic": "", "author": again.topic}  # "same for Ben"
        elif again.only and isinstance(last, Changed) and last.topic:
            asks["topic"] = f"{last.topic} {again.topic}"
        window = again.window or _window(last, ctx)
        base = last if isinstance(last, Changed) else Changed(window=window)
        return replace(base, window=window, **asks)
    if again.window is None:
        raise NothingBefore
    if isinstance(last, Changed | Search | DigestOf | Touched):
        return replace(last, window=again.window)
    if isinstance(last, Compare) and isinstance(again.window, Refs):
        return Compare(refs=again.window)
    return DigestOf(window=again.window)


def _window(last: Intent, ctx: Context) -> Span:
    """The period of the last question, or the usual one."""
    if isinstance(last, Compare):
        return last.refs
    held = last.window if isinstance(last, Changed | DigestOf | Search) else None
    return held or default_period(ctx.clock.now(), ctx.zone)


def _narrowed(last: Intent, level: Level | None, kinds: tuple[ChangeKind, ...]) -> Intent:
    """The last question limited to changes from a level up, or of one kind.

    Raises ``NothingBefore`` if there was none.
    """
    if isinstance(last, Changed | Search):
        return replace(last, level=level or last.level, kinds=kinds or last.kinds)
    if isinstance(last, DigestOf):
        return Changed(window=last.window, level=level, kinds=kinds)
    if isinstance(last, Compare):
        return Changed(window=last.refs, level=level, kinds=kinds)
    raise NothingBefore


def _length(talk: Talk, longer: bool) -> Length:
    place = _LENGTHS.index(talk.length) + (1 if longer else -1)
    return _LENGTHS[min(max(place, 0), len(_LENGTHS) - 1)]


def _unfiltered(asked: Intent, before: Talk | None, *, one: bool) -> str:
    """The question of the list before filters were added, if it was filtered."""
    if before is None or not (one or isinstance(asked, Followup)):
        return ""
    if isinstance(asked, Again) and asked.same:
        return ""
    if isinstance(asked, Again) and (asked.only or asked.level or asked.kind or asked.without):
        return before.unfiltered or before.list_question
    return "" if isinstance(asked, Again) and asked.back else before.unfiltered


async def remember(
    intent: Intent, answer: Answer, ctx: Context, before: Talk | None, asked: Intent | None = None
) -> None:
    """Save the state of a conversation after an answer.

    ``asked`` is the follow-up that stood for the intent. Intents that are no questions are ignored.
    The last list (``before``) is kept while single changes of it are discussed.
    """
    if ctx.conversations is None or ctx.conversation is None or answer.error is not None:
        return
    if isinstance(intent, _LEAVE_NO_TRACE):
        return
    only = answer.rows[0].graded.sha if answer.total == 1 and answer.rows else ""
    question = format_intent(intent)
    one = isinstance(intent, OfChange)
    changes = [row.graded for row in answer.rows]
    listed = listed_in(answer.document, changes, ctx.watched.repository)
    if one or not answer.total:
        listed = before.listed if before else ()
    await ctx.conversations.keep(
        ctx.conversation,
        Talk(
            question=question,
            repository=ctx.watched.repository.name,
            at=ctx.clock.now(),
            page=ctx.page,
            subject=answer.subject or only,
            language=ctx.language,
            length=ctx.length,
            listed=listed,
            list_question=(before.list_question if before else "") if one else question,
            unfiltered=_unfiltered(asked or intent, before, one=one),
        ),
    )
