"""A question in words: read as an intent, handed to what answers it, told in its language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import get_args

from digest.answer.answers import Answer, lengthened, shortened
from digest.chat.chat_intents import Filter, Managing, Mute, Set, Subscribe
from digest.core.enums import Language
from digest.core.reference import Query
from digest.document import Code, Document, Paragraph, Spans, Text
from digest.errors import UserError
from digest.i18n import answer_text, chat_text
from digest.i18n.answer_text import UNDERSTOOD
from digest.i18n.chat_text import complaint
from digest.i18n.phrase import listed
from digest.i18n.reading_text import OR_ELSE, UNKNOWN_WORDS
from digest.question.impact_questions import Affected, Alert, EditProfile, ProfileFrom, ShowProfile
from digest.question.intent import (
    Author,
    CatchUp,
    Changed,
    Compare,
    DigestOf,
    Explain,
    Followup,
    Greet,
    Help,
    Intent,
    OfCurrent,
    PrivacyOf,
    Released,
    Releases,
    Reviewers,
    Risky,
    Search,
    ShowDiff,
    Status,
    Touched,
    Unknown,
    Why,
    format_intent,
)
from digest.question.lexicon import language_of
from digest.question.parser import Reading, misspelt, parse, read
from digest.question.slot_values import Background
from digest.topics.matching import candidates
from digest.topics.terms import term
from handlers.chat.follow_ups import last_talk, remember, resumed
from handlers.chat.subscribe import manage
from handlers.context import Context
from handlers.ports.chat_port import ConversationKey, Length, Talk
from handlers.ports.storage import called
from handlers.questions.about_change import author, reviewers, risky, show_diff, why
from handlers.questions.changed import changed
from handlers.questions.digest_of import catch_up, digest_of
from handlers.questions.explain import explain
from handlers.questions.help import Handler, greet, help_page, unknown
from handlers.questions.impact import affected, alert, edit_profile, profile_from, show_profile
from handlers.questions.releases import compare, of_release, released, releases
from handlers.questions.restatement import restated
from handlers.questions.search import search
from handlers.questions.status import privacy_of, status
from handlers.questions.symbol_history import touched


async def _help(_intent: Help, ctx: Context) -> Answer:
    return help_page(HANDLERS, ctx)


HANDLERS: Mapping[type[Intent], Handler] = {
    Explain: Handler(answer=explain, help=answer_text.HELP_EXPLAIN),
    Changed: Handler(answer=changed, help=answer_text.HELP_CHANGED),
    DigestOf: Handler(answer=digest_of, help=answer_text.HELP_DIGEST),
    Search: Handler(answer=search, help=answer_text.HELP_SEARCH),
    Touched: Handler(answer=touched, help=answer_text.HELP_TOUCHED),
    Releases: Handler(answer=releases, help=answer_text.HELP_RELEASES),
    Compare: Handler(answer=compare, help=answer_text.HELP_COMPARE),
    CatchUp: Handler(answer=catch_up, help=answer_text.HELP_CATCH_UP),
    Affected: Handler(answer=affected, help=chat_text.HELP_AFFECTED),
    EditProfile: Handler(answer=edit_profile, help=chat_text.HELP_PROFILE),
    ShowProfile: Handler(answer=show_profile),
    ProfileFrom: Handler(answer=profile_from, help=chat_text.HELP_PROFILE_FROM),
    Alert: Handler(answer=alert, help=chat_text.HELP_ALERT, chats=True),
    Why: Handler(answer=why, help=answer_text.HELP_WHY),
    Risky: Handler(answer=risky, help=answer_text.HELP_RISKY),
    Reviewers: Handler(answer=reviewers, help=answer_text.HELP_REVIEWERS),
    Author: Handler(answer=author, help=answer_text.HELP_AUTHOR),
    Released: Handler(answer=released, help=answer_text.HELP_RELEASED),
    ShowDiff: Handler(answer=show_diff, help=answer_text.HELP_DIFF),
    **dict.fromkeys(get_args(Managing), Handler(answer=manage)),
    Subscribe: Handler(answer=manage, help=chat_text.HELP_SUBSCRIBE, chats=True),
    Mute: Handler(answer=manage, help=chat_text.HELP_MUTE, chats=True),
    Filter: Handler(answer=manage, help=chat_text.HELP_FILTER, chats=True),
    Set: Handler(answer=manage, help=chat_text.HELP_SETTINGS, chats=True),
    Status: Handler(answer=status, help=answer_text.HELP_STATUS),
    PrivacyOf: Handler(answer=privacy_of, help=answer_text.HELP_PRIVACY),
    Help: Handler(answer=_help, help=answer_text.HELP_HELP),
    Greet: Handler(answer=greet),
    Unknown: Handler(answer=unknown),
}
"""What answers each intent, in the order of ``help``: one handler a member of the closed set, but
for what goes on from an answer, which stands for another intent (see ``resuming``)."""


async def ask(
    text: str,
    ctx: Context,
    language: Language | None = None,
    *,
    conversation: ConversationKey | None = None,
    understood: str = "",
    pressed: bool = False,
) -> Answer:
    """Answer a question in ``language``, else in that of the question, else in the context's.

    ``conversation`` says whose it is, so that what follows need not name anything again.
    Nobody waits until what an older version read is read again (see ``Context.coarse``).
    What the grammar cannot read goes to the model, where there is one; ``understood`` is what came
    of that before, where the same words are asked of another repository. ``pressed`` says that the
    question is a button's, so nobody needs to be told how it was read.

    A user's error becomes a short answer that holds it as ``error``; others are raised.
    """
    told = replace(ctx, conversation=conversation or ctx.conversation, coarse=True)
    talk = await last_talk(told)
    told = replace(told, language=language or _spoken(text, talk) or ctx.language)
    meant: Intent | None = None
    try:
        reading, meant = await _read(text, understood, told)
        intent = reading.intent
        if language is None and talk and talk.language and _goes_on(intent):
            told = replace(told, language=talk.language)
        intent, told = resumed(intent, talk, told)
        intent, line = await of_release(intent, told)
        found = _opened(await answer(intent, told), line)
        if meant is None and not pressed:
            found = _restated(found, intent, reading, told)
    except UserError as error:
        return _as_meant(_refused(error, told.language), meant, told.language)
    await remember(intent, found, told, talk)
    return _as_meant(_measured(intent, found, told), meant, told.language)


async def _read(text: str, understood: str, ctx: Context) -> tuple[Reading, Intent | None]:
    """The reading of a question, and its intent where a model chose it. Raises ``UserError``."""
    now = ctx.clock.now()
    if understood:
        intent = parse(understood, now, ctx.zone)
        return Reading(intent), intent
    background = await _background(text, ctx)
    reading = read(text, now, ctx.zone, background)
    if reading.words:
        words = await _in_index(reading.words, ctx)
        if not words.issuperset(word.lower() for word in reading.words):
            reading = read(text, now, ctx.zone, replace(background, words=words))
    if isinstance(reading.intent, Unknown) and ctx.judging is not None:
        from handlers.llm.understand import meaning

        if (meant := await meaning(text, reading.intent, ctx)) is not None:
            return Reading(meant), meant
    return reading, None


async def _background(text: str, ctx: Context) -> Background:
    """What the repository is called, and which words that look misspelt it knows."""
    own = frozenset(called(ctx.watched))
    doubts = misspelt(text)
    if not doubts:
        return Background(own=own)
    wanted = {term(word): word for word in doubts}
    known = await ctx.archive.vocabulary(ctx.watched.repository, frozenset(wanted))
    return Background(own=own, known=frozenset(wanted[name] for name in known if name in wanted))


async def _in_index(words: Sequence[str], ctx: Context) -> frozenset[str]:
    """Which of the words, in lower case, stand in the repository's index or in an author's name."""
    aliases, repository = ctx.watched.aliases, ctx.watched.repository
    wanted = {word.lower(): candidates(word, aliases) for word in words}
    known = await ctx.archive.vocabulary(repository, frozenset().union(*wanted.values()))
    found = {word for word, terms in wanted.items() if not terms.isdisjoint(known)}
    for word in wanted.keys() - found:
        theirs = Query(author=word, limit=1)
        if len(word) > 1 and await ctx.archive.select(repository, theirs):
            found.add(word)
    return frozenset(found)


def _restated(found: Answer, intent: Intent, reading: Reading, ctx: Context) -> Answer:
    """The answer with how its question was read, and what else could have been meant."""
    line = restated(intent, ctx)
    lines = [Paragraph(line, aside=True)] if line else []
    if reading.unknown and line:
        lost = listed([Code(word) for word in reading.unknown], ctx.language, limit=9)
        lines.append(Paragraph(UNKNOWN_WORDS(ctx.language, words=lost), aside=True))
    other = restated(reading.other, ctx, OR_ELSE) if reading.other and not reading.sure else ()
    if other and line and type(reading.other) is not type(intent):
        lines.append(Paragraph(other, aside=True))
    document = replace(found.document, blocks=(*found.document.blocks, *lines))
    return replace(found, document=document)


def _as_meant(found: Answer, meant: Intent | None, language: Language) -> Answer:
    """The answer with how its question was understood, in words that can be asked again."""
    if meant is None:
        return found
    question = format_intent(meant)
    line = UNDERSTOOD(language, question=Code(question))
    return replace(_opened(found, line), understood=question)


def _opened(found: Answer, line: Spans) -> Answer:
    """The answer with a line before it, if there is one."""
    if not line:
        return found
    document = replace(found.document, blocks=(Paragraph(line), *found.document.blocks))
    return replace(found, document=document)


def _measured(intent: Intent, found: Answer, ctx: Context) -> Answer:
    """The answer in the length that was asked for; some have lengths of their own."""
    if ctx.length is Length.SHORT:
        return replace(found, document=shortened(found.document))
    if ctx.length is Length.LONG and not isinstance(intent, DigestOf | CatchUp | Compare):
        return replace(found, document=lengthened(found.document, found.rows))
    return found


def _spoken(text: str, talk: Talk | None) -> Language | None:
    """The language of a question, or where it has none, of the answer before."""
    return language_of(text) or (talk.language if talk else None)


def _goes_on(intent: Intent) -> bool:
    """Whether a question is so short that the language it goes on in is that of the answer."""
    about = isinstance(intent, OfCurrent) and intent.reference is None
    return about or isinstance(intent, Followup)


def _refused(error: UserError, language: Language) -> Answer:
    said = complaint(error, language)
    document = Document(title=said, blocks=(Paragraph((Text(said),)),), language=str(language))
    return Answer(intent="unknown", document=document, error=error)


async def answer(intent: Intent, ctx: Context) -> Answer:
    """Answer an intent in the context's language. Raises ``UserError``."""
    return await HANDLERS[type(intent)].answer(intent, ctx)
