"""Reads a question as an intent, has its handler answer it, and adds how it was read.

The line makes a misreading visible at once.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import TypeGuard

from digest.answer.answers import Answer, lengthen, shorten, without_lists
from digest.answer.listing import listed_in
from digest.answer.tallies import people_of
from digest.core.enums import ChangeKind, Language
from digest.core.reference import Query, Reference
from digest.core.release import LATEST, asked_release
from digest.document import Code, Document, Paragraph, Spans, Text
from digest.errors import UnknownBranch, UserError
from digest.i18n import answer_text as words
from digest.i18n.answer_text import UNDERSTOOD
from digest.i18n.chat_text import complaint
from digest.question import intent as intents
from digest.question.commit_range import Refs
from digest.question.lexicon import language_of, misspelt, tidy, wants_one_line, without_language
from digest.question.parser import (
    Reading,
    clauses,
    content_words,
    cue_words,
    parse,
    read,
    split,
)
from digest.question.questions import QUESTIONS, format_intent
from digest.question.slot_values import Background
from digest.question.slots import words_of
from digest.topics.matching import candidates
from digest.topics.terms import is_misspelt, kinds_of, term
from handlers.chat import follow_ups
from handlers.context import Context
from handlers.digests.ingest import tip_of
from handlers.ports.chat_port import ConversationKey, Length, Talk
from handlers.ports.storage import names_of
from handlers.questions import answer
from handlers.questions.change_selection import JOINT
from handlers.questions.list_reading import is_general_noun
from handlers.questions.named_history import OPEN
from handlers.questions.openings import (
    announced_as,
    dated,
    opened,
    proven,
    reason_of,
    undone_by,
    with_reading,
)
from handlers.questions.scope import undoings_below


async def ask(
    text: str,
    ctx: Context,
    language: Language | None = None,
    *,
    conversation: ConversationKey | None = None,
    understood: str = "",
    pressed: bool = False,
) -> Answer:
    """Answer a question in ``language``, else in its own, else in the context's.

    ``conversation`` identifies the conversation that follow-ups continue. Facts read by an older
    version are accepted (see ``Context.coarse``). Questions that the grammar cannot read go to the
    model, if there is one; ``understood`` is the model's earlier reading if the same words are
    asked about another repository. ``pressed`` says that the question comes from a button, so the
    answer does not say how it was read. A user's error becomes a short answer with the error as
    ``error``; others are raised.
    """
    told = replace(ctx, conversation=conversation or ctx.conversation, coarse=True)
    talk = await follow_ups.last_talk(told)
    told = replace(told, language=language or _spoken(text, talk) or ctx.language)
    meant: intents.Intent | None = None
    parts: Sequence[str] = ()
    if not (understood or pressed):
        listed = bool(talk and talk.listed[1:])
        parts = split(text, ctx.clock.now(), ctx.zone, _own(told), listed=listed)
    if len(parts) == 1 or (parts and told.conversations and told.conversation):
        return await _both(parts, told)
    try:
        reading, meant = await _read(text, understood, told, talk)
        named = without_language(tidy(text)) != tidy(text)
        asks = language_of(text) is Language.ZH and not isinstance(reading.intent, intents.More)
        named = named or asks
        if not (language or named) and talk and talk.language and _goes_on(reading.intent):
            told = replace(told, language=talk.language)
        intent, there, line, found = await _answered(reading, talk, told)
        if meant is None and (alone := await _alone(text, reading, intent, found, told)):
            of_its_own = await _answered(alone, None, told)
            if of_its_own[-1].total:
                reading, talk, (intent, there, line, found) = alone, None, of_its_own
        if reading.unknown and meant is None:
            # Changes read for the answer may contain words that the index did not know.
            anew, _ = await _read(text, understood, told, talk)
            if anew.intent != reading.intent:
                reading = anew
                intent, there, line, found = await _answered(reading, talk, told)
        if isinstance(reading.other, intents.Unknown) or _is_lost(reading):
            # All changes of a period do not say yes or no to words that are not understood.
            terms = getattr(reading.other, "terms", ()) or (*reading.content, *reading.unknown)
            reading = replace(reading, intent=intents.Unknown(terms=terms), unknown=())
            intent, there, line, found = await _answered(reading, talk, told)
        asked, told = reading.intent, there
        found = opened(found, line)
        pages = isinstance(asked, intents.More) and isinstance(intent, _LISTED)
        ends = talk is not None and pages and _repeats(found, talk, told)
        if ends:
            end = Paragraph(words.NO_MORE(told.language))
            found = replace(found, document=replace(found.document, blocks=(end,)))
        if isinstance(intent, intents.DigestOf) and wants_one_line(text):
            found = replace(found, document=without_lists(found.document))
        if meant is None and not pressed:
            found = with_reading(found, intent, reading, text, told)
    except UserError as error:
        return _as_meant(_refused(error, told.language), meant, told.language)
    paged = replace(told, page=0) if found.cut else told
    if not ends and (talk is None or reading.sure or found.total or found.listed):
        await follow_ups.remember(intent, found, paged, talk, asked)
    return _as_meant(_measured(intent, found, told), meant, told.language)


async def _alone(
    text: str, reading: Reading, intent: intents.Intent, found: Answer, ctx: Context
) -> Reading | None:
    """The reading of a whole question that was taken for one about a list of names, without result.

    *Any fixes for path traversal*, after *which flags were added*, is no question about flags.
    """
    again = reading.intent
    if not isinstance(again, intents.Again) or again.only or not (again.topic and again.kinds):
        return None
    of_names = isinstance(intent, intents.Changed) and (intent.things or intent.actions)
    if not of_names or found.error is not None or (found.total and found.topic == again.topic):
        return None
    alone, _ = await _read(text, "", ctx, None)
    whole = alone.sure and isinstance(alone.intent, intents.Changed) and alone.intent.topic
    return alone if whole else None


def _is_lost(reading: Reading) -> bool:
    """Whether only general nouns of a topic are understood: "system" of *a plugin system*."""
    parts = getattr(reading.intent, "topic", "").split() if reading.unknown else ()
    return bool(parts) and all(map(is_general_noun, parts))


_LISTED = intents.Changed | intents.Search | intents.Touched


def _repeats(found: Answer, talk: Talk, ctx: Context) -> bool:
    """Whether an answer lists the same changes as the one before it, the last page."""
    changes = [row.graded for row in found.rows]
    listed = found.listed or listed_in(found.document, changes, ctx.watched.repository)
    return bool(listed) and listed == talk.listed


async def _answered(
    reading: Reading, talk: Talk | None, ctx: Context
) -> tuple[intents.Intent, Context, Spans, Answer]:
    """The intent of a reading, its context, a line about it, and the answer."""
    intent, ctx = await follow_ups.complete_follow_up(reading.intent, talk, ctx)
    ctx = replace(ctx, length=Length.SHORT) if reading.brief else ctx
    if reading.unknown and isinstance(intent, intents.Touched) and intent.claim not in OPEN:
        intent = replace(intent, claim="")  # without all of its words, it is not for yes or no
    intent, line = await _of_release(intent, ctx)
    try:
        found = await answer(intent, ctx)
    except UnknownBranch as error:
        # What became of a name can be told without the releases that the question mentions.
        if not isinstance(intent, intents.Touched) or intent.window is None:
            raise
        intent = replace(intent, window=None)
        found = opened(
            await answer(intent, ctx), words.NO_SUCH_TAG(ctx.language, tag=Code(error.name))
        )
    whole = not isinstance(intent, intents.Changed) or found.topic == intent.topic
    of_place = isinstance(reading.intent, intents.Nth)  # "is the first one on by default"
    single = reading.single and whole and not of_place
    if single and isinstance(intent, _LISTED) and found.total == 1:
        intent = intents.Explain(reference=Reference(sha=found.rows[0].graded.sha))
        found = await answer(intent, ctx)
    # A change about only some of the words proves nothing.
    whole = whole and not reading.unknown
    whole = whole and not getattr(reading.intent, "same", "")  # the change itself is in the list
    whole = whole and not getattr(intent, "shipped", False)  # of each it is told if it is released
    if isinstance(intent, intents.Changed) and asked_release(intent.topic):
        whole = False  # mentions of a version without a tag do not make it a release
    from handlers.questions.search import with_close_titles

    listed = isinstance(intent, _LISTED_NEAR) and found.intent != "unknown"
    if listed and whole and 0 < found.total <= _PROOF:
        found = await proven(found, reading, ctx)
    single = isinstance(intent, intents.Explain) and bool(found.rows)
    if reading.undone and single:
        # The explanation of a change, after the change that reverts it, if there is one.
        graded = found.rows[0].graded
        reverts, _ = await undoings_below(graded, ctx, await tip_of(ctx))
        if ChangeKind.REVERTS in kinds_of(graded) and reading.intent != intent:
            reverts = reverts or [graded]  # "was the scheduler reverted" found the revert itself
        by = undone_by(reverts[0], ctx) if reverts else words.NOT_REVERTED(ctx.language)
        if reading.reason and reverts:
            found = opened(found, reason_of(reverts[0], ctx))
        found = opened(found, by)
    elif reading.reason and single:
        found = opened(found, reason_of(found.rows[0].graded, ctx))
    if reading.dated and single and reading.intent != intent:
        found = await dated(found, ctx)
    found = await with_close_titles(found, intent, reading, ctx)
    if (about := announced_as(intent, reading)) and found.error is None:
        from handlers.questions.upgrade import with_entries

        found = await with_entries(found, about, intent, ctx)
    return intent, ctx, line, found


_LISTED_NEAR = intents.Changed | intents.Search | intents.Unknown


_PROOF = 5  # if at most this many changes match, the newest one proves a yes


async def _both(parts: Sequence[str], ctx: Context) -> Answer:
    """The answers to two questions of one message; the second may be a follow-up to the first."""
    first = await ask(parts[0], ctx, ctx.language)
    if len(parts) == 1 or first.error is not None:
        return first
    second = await ask(parts[1], ctx, ctx.language)
    if second.error is not None or second.document.blocks[:2] == first.document.blocks[:2]:
        return first  # both parts ask for the same
    blocks = (*first.document.blocks, *second.document.blocks)
    document = replace(first.document, blocks=blocks)
    return replace(first, document=document, rows=(*first.rows, *second.rows))


async def _read(
    text: str, understood: str, ctx: Context, talk: Talk | None
) -> tuple[Reading, intents.Intent | None]:
    """The reading of a question, and its intent where a model chose it. Raises ``UserError``."""
    now = ctx.clock.now()
    if understood:
        intent = parse(understood, now, ctx.zone)
        return Reading(intent), intent
    background = replace(await _background(text, ctx), follows=follow_ups.subject_kind(talk, ctx))
    reading, words = read(text, now, ctx.zone, background), frozenset[str]()
    people = frozenset[str]()
    if reading.words:
        words, people = await _in_index(reading.words, ctx)
        known = words.issuperset(word.lower() for word in reading.words)
        if not known or reading.unknown or isinstance(reading.intent, intents.Unknown):
            reading = read(text, now, ctx.zone, replace(background, words=words))
        lost = reading.unknown
        if isinstance(reading.intent, intents.Unknown):
            lost = tuple(word for word in reading.words if word.lower() not in words)
        if lost and (mended := await _mended(text, lost, ctx)) != text:
            words |= (await _in_index(mended.split(), ctx))[0]
            reading = read(mended, now, ctx.zone, replace(background, words=words))
    if isinstance(reading.intent, intents.Unknown) or reading.unknown:
        known_words = replace(background, words=words) if words else background
        dated = isinstance(reading.intent, intents.Unknown)
        reading = _of_a_clause(text, known_words, ctx, dated=dated) or reading
    reading = _of_people(reading, people)
    if not reading.sure and ctx.judging is not None:
        from handlers.llm.understand import meaning

        if (meant := await meaning(text, reading.intent, ctx)) is not None:
            return Reading(meant), meant
    return reading, None


def _of_a_clause(text: str, known: Background, ctx: Context, *, dated: bool) -> Reading | None:
    """The reading of the one clause of a text that is a question; the rest counts as unknown."""
    # If ``dated``, one that asks for all changes of a period is such a question too.
    for part, rest in clauses(text):
        try:
            found = read(part, ctx.clock.now(), ctx.zone, known)
        except UserError:
            continue
        whole = _is_whole(found.intent) or (dated and not getattr(found.intent, "anytime", True))
        if found.sure and not found.unknown and whole:
            said = cue_words(words_of(tidy(text)))
            found = replace(found, content=content_words(text), said=said)
            if _lacks_subject(found.intent) and (about := content_words(rest)):
                # "it eats the disk on shutdown - fixed?"
                return replace(found, intent=replace(found.intent, topic=" ".join(about)))
            return replace(found, unknown=(rest.strip(" ,.?!"),), single=False)
    return None


def _lacks_subject(intent: intents.Intent) -> TypeGuard[intents.Changed]:
    """Whether a clause asks for a kind of change, of what another clause is about."""
    if not isinstance(intent, intents.Changed) or not (intent.kinds and intent.anytime):
        return False
    return intent == intents.Changed(window=intent.window, anytime=True, kinds=intent.kinds)


def _is_whole(intent: intents.Intent) -> bool:
    """Whether a clause alone is a specific question."""
    if isinstance(intent, intents.Changed):
        return not intents.is_everything(intent)
    return isinstance(
        intent,
        intents.Touched | intents.Explain | intents.Search | intents.Compare | intents.Releases,
    )


async def _background(text: str, ctx: Context) -> Background:
    """The names of the repository, and words that look misspelt but occur in it."""
    doubts = misspelt(text)
    if not doubts:
        return _own(ctx)
    wanted = {term(word): word for word in doubts}
    known = await ctx.archive.vocabulary(ctx.watched.repository, frozenset(wanted))
    spelt = {wanted[name] for name in known if name in wanted}
    pairs = itertools.pairwise(re.findall(r"[\w-]+", tidy(text)))
    for name in (pair for pair in pairs if doubts.intersection(pair) - spelt):
        by = Query(author=" ".join(name))  # "charlie marsh"
        if (await ctx.archive.survey(ctx.watched.repository, by, 0, ctx.language)).total:
            spelt |= doubts.intersection(name)
    return replace(_own(ctx), known=frozenset(spelt))


async def _mended(text: str, unknown: Sequence[str], ctx: Context) -> str:
    """The question with misspelt unknown words corrected by the index."""
    words = [word for word in unknown if word.isascii() and word.isalpha() and len(word) > _SHORT]
    alike = await ctx.archive.alike(ctx.watched.repository, [term(word) for word in words])
    for word in words:
        near = [one for one in alike if is_misspelt(term(word), one)]
        if near and not await _is_titled(word, ctx):
            text = re.sub(rf"\b{word}\b", max(near, key=alike.__getitem__), text)
    return text


async def _is_titled(word: str, ctx: Context) -> bool:
    """Whether a title has the word, which is spelt right then, even if it names nothing."""
    titles = await ctx.watched.source.titles(await tip_of(ctx))
    whole = re.compile(rf"\b{word}\b", re.IGNORECASE)
    return any(whole.search(one.title) for one in titles)


_SHORT = 5  # words up to this length resemble too many others


def _own(ctx: Context) -> Background:
    """The names of the repository in lower case."""
    return Background(own=frozenset(names_of(ctx.watched)))


async def _in_index(words: Sequence[str], ctx: Context) -> tuple[frozenset[str], frozenset[str]]:
    """Which words, in lower case, occur in the index or an author's name, and which only in one."""
    aliases, repository = ctx.watched.aliases, ctx.watched.repository
    wanted = {word.lower(): candidates(word, aliases) for word in words}
    known = await ctx.archive.vocabulary(repository, frozenset().union(*wanted.values()))
    found = {word for word, terms in wanted.items() if not terms.isdisjoint(known)}
    people: set[str] = set()
    for word in wanted.keys() - found:
        if len(word) == 1 and word.isascii():
            continue
        theirs = await ctx.archive.select(repository, Query(author=word, limit=_MOST_NAMESAKES))
        whole = re.compile(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z])", re.IGNORECASE)
        names = [one for graded in theirs for one in (*people_of(graded), graded.commit.email)]
        if word in names or (len(word) > 1 and any(map(whole.search, names))):
            people.add(word)
    return frozenset(found | people), frozenset(people)


def _of_people(reading: Reading, people: frozenset[str]) -> Reading:
    """The reading with a topic of names alone, as *ada and grace*, as (part of) its author."""
    intent = reading.intent
    if not isinstance(intent, intents.Changed | intents.Again):
        return reading
    names = " ".join(JOINT.split(intent.topic)).lower().split()
    if not names or not people.issuperset(names):
        return reading
    intent = replace(intent, topic="", author=f"{intent.author} {intent.topic}".strip())
    intent = replace(intent, only=False) if isinstance(intent, intents.Again) else intent
    return replace(reading, intent=intent)


_MOST_NAMESAKES = 20  # changes of which one must be by somebody with a word as a name


def _as_meant(found: Answer, meant: intents.Intent | None, language: Language) -> Answer:
    """The answer with its question restated in words that can be asked again."""
    if meant is None:
        return found
    question = format_intent(meant)
    line = UNDERSTOOD(language, question=Code(question))
    return replace(opened(found, line), understood=question)


def _measured(intent: intents.Intent, found: Answer, ctx: Context) -> Answer:
    """The answer in the requested length, unless it has a length of its own."""
    if ctx.length is Length.SHORT:
        return replace(found, document=shorten(found.document))
    if ctx.length is Length.LONG and not isinstance(
        intent, intents.DigestOf | intents.CatchUp | intents.Compare
    ):
        return replace(found, document=lengthen(found.document, found.rows))
    return found


def _spoken(text: str, talk: Talk | None) -> Language | None:
    """The language of a question, or that of the previous answer if it has none."""
    return language_of(text) or (talk.language if talk else None)


def _goes_on(intent: intents.Intent) -> bool:
    """Whether a question is too short to have a language, so that the previous answer's is used."""
    return isinstance(intent, intents.Followup) or intents.is_elliptic(intent)


async def _of_release(intent: intents.Intent, ctx: Context) -> tuple[intents.Intent, Spans]:
    """The intent with the range of the release that it names, and a line about it."""
    span = intent.refs if isinstance(intent, intents.Compare) else getattr(intent, "window", None)
    named = isinstance(intent, intents.Changed) and asked_release(intent.topic) is not None
    if not named and not (isinstance(span, Refs) and LATEST in (span.base, span.tip)):
        return intent, ()
    from handlers.questions.releases import of_release

    return await of_release(intent, ctx)


def _refused(error: UserError, language: Language) -> Answer:
    said = complaint(error, language)
    document = Document(title=said, blocks=(Paragraph((Text(said),)),), language=str(language))
    return Answer(intent="unknown", document=document, error=error)


def import_handlers() -> None:
    """Import the handlers of questions, so that the first questions do not wait for it."""
    for kind, question in QUESTIONS.items():
        if not issubclass(kind, intents.Followup):
            import_module(f"handlers.{question.answer.partition(':')[0]}")
