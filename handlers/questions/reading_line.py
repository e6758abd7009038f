"""The line that says how a question was read: its subject, filters, period and repository."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from digest.answer.answers import Answer, refs_words, title_of
from digest.core.facts import FactKind
from digest.document import Code, Paragraph, Spans, Text, plain
from digest.i18n import answer_text as words
from digest.i18n.answer_text import EVERYTHING
from digest.i18n.phrase import Phrase, list_in_words
from digest.i18n.statement_text import COMMA
from digest.question.commit_range import Refs, Span
from digest.question.intent import (
    Changed,
    Explain,
    Intent,
    Lookup,
    OfChange,
    Search,
    Touched,
)
from digest.question.parser import Reading
from digest.question.periods import Now, began_today
from digest.question.questions import QUESTIONS
from digest.topics.terms import STOP_WORDS
from handlers.context import Context
from handlers.questions.openings import opened


def with_reading(
    found: Answer, intent: Intent, reading: Reading, text: str, ctx: Context
) -> Answer:
    """The answer with how its question was read, and what else could have been meant."""
    if isinstance(intent, Changed) and found.window is not None:
        intent = replace(intent, window=found.window)  # a longer one where that finds more
    elif isinstance(intent, Changed) and found.intent == "touched":
        intent = Touched(name=found.topic)  # the name that its words mean
    line = restated(intent, ctx)
    lines = [Paragraph(line, aside=True)] if line else []
    now = Now(ctx.clock.now().replace(microsecond=0), ctx.zone)
    if line and began_today(text, getattr(reading.intent, "window", None), now):
        lines.append(Paragraph(words.BEGAN_TODAY(ctx.language), aside=True))
    if line and not (reading.sure or found.total):
        lines.append(Paragraph(words.UNSURE(ctx.language), aside=True))
    named = (word for word in reading.unknown if word.lower() not in STOP_WORDS)
    unknown = [word for word in named if word.isascii() or len(word) > 1]
    if unknown and line:
        lost = list_in_words([Code(word) for word in unknown], ctx.language, limit=9)
        found = opened(found, words.UNKNOWN_WORDS(ctx.language, words=lost))
    other = (
        restated(reading.other, ctx, words.OR_ELSE) if reading.other and not reading.sure else ()
    )
    if other and line and (type(reading.other) is not type(intent) or isinstance(intent, Explain)):
        lines.append(Paragraph(other, aside=True))
    document = replace(found.document, blocks=(*found.document.blocks, *lines))
    return replace(found, document=document)


def restated(intent: Intent, ctx: Context, phrase: Phrase = words.READ_AS) -> Spans:
    """The question as understood: subject, filters, period and repository."""
    read_as = QUESTIONS[type(intent)].read_as
    if read_as is None:
        return ()
    parts = [_what(intent, read_as, ctx), _when(intent, ctx), ctx.watched.repository.name]
    text = " · ".join(part for part in parts if part)
    return phrase(ctx.language, reading=Text(text))


def _what(intent: Intent, phrase: Phrase, ctx: Context) -> str:
    """A question in words, without its period."""
    match intent:
        case Changed():
            what = _listed(intent, ctx)
        case Search():
            what = title_of(intent, ctx.language)
        case Lookup(topic=topic, things=things):
            kinds = (words.FACT_KINDS[kind].text(ctx.language) for kind in things)
            joined = COMMA.template(ctx.language).join(kinds)
            what = words.NAMES_FOR.text(ctx.language, kinds=joined, topic=topic)
        case _ if isinstance(intent, OfChange):
            what = _short(intent)
        case _:
            what = getattr(intent, "name", "") or getattr(intent, "path", "")
    part = getattr(intent, "part", "")
    return phrase.text(ctx.language, what=what) + (f" · {part}" if part else "")


def _short(intent: OfChange) -> str:
    reference = intent.reference
    if reference is None:
        return ""
    return str(replace(reference, sha=reference.sha[:10]) if reference.sha else reference)


def _listed(intent: Changed, ctx: Context) -> str:
    """A list question in words: its names, its topic and kinds, and how it is counted."""
    language = ctx.language
    title = title_of(intent, language)
    facts = intent.things or intent.actions or intent.defaults
    parts = [] if title == EVERYTHING.text(language) and facts else [title]
    kinds = COMMA.template(language).join(
        words.FACT_KINDS[FactKind(k)].text(language) for k in intent.things
    )
    done = COMMA.template(language).join(
        words.DONE[action].text(language) for action in intent.actions
    )
    if kinds or done:
        anything = "" if intent.kinds or intent.topic else words.ANY.text(language)
        kinds = kinds or anything
        parts.insert(0, words.OF_KIND.text(language, kinds=kinds, done=done).strip())
    if intent.defaults:
        parts.append(words.CHANGED_DEFAULTS.text(language))
    if intent.switched:
        parts.append(words.SWITCHED[intent.switched].text(language))
    flags = (
        (intent.people, words.PER_AUTHOR),
        (intent.per == "day", words.PER_DAY),
        (intent.per == "week", words.PER_WEEK),
        (intent.per == "month", words.PER_MONTH),
        (intent.files, words.PER_FILE),
        (intent.folders, words.PER_FOLDER),
    )
    if intent.top:
        parts.append(words.TOP[intent.top.by].text(language, n=intent.top.count))
    if intent.without:
        parts.append(words.EXCEPT.text(language, what=", ".join(intent.without)))
    parts += [phrase.text(language) for said, phrase in flags if said]
    return " · ".join(parts)


def _when(intent: Intent, ctx: Context) -> str:
    span: Span | None = getattr(intent, "window", None) or getattr(intent, "refs", None)
    if span is None:
        return ""
    language = ctx.language
    if isinstance(span, Refs):
        return plain(refs_words(span, language))
    since = span.since.astimezone(span.zone)
    until = (span.until - timedelta(microseconds=1)).astimezone(span.zone)
    today = ctx.clock.now().astimezone(span.zone).date()
    first, last = since.date().isoformat(), until.date().isoformat()
    if until.date() == today and since.date() != today:
        return words.TO_TODAY.text(language, since=first)
    return first if first == last else words.DAYS.text(language, since=first, until=last)
