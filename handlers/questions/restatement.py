"""One short line on how a question was read, so that a misreading is visible at once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from digest.answer.answers import refs_words, title_of
from digest.core.facts import FactKind
from digest.document import Spans, Text, plain
from digest.i18n import names_text as names
from digest.i18n import reading_text as words
from digest.i18n.answer_text import EVERYTHING
from digest.i18n.phrase import Phrase
from digest.question.commit_range import Refs, Span
from digest.question.impact_questions import Affected
from digest.question.intent import (
    CatchUp,
    Changed,
    Compare,
    DigestOf,
    Intent,
    OfChange,
    Releases,
    Search,
    ShowDiff,
    Touched,
)
from handlers.context import Context

_TOLD = (
    CatchUp | Changed | Releases | Compare | DigestOf | OfChange | Search | Touched | Affected
)  # fmt: skip


def restated(intent: Intent, ctx: Context, phrase: Phrase = words.READ_AS) -> Spans:
    """The question as understood: subject, filters, period and repository."""
    if not isinstance(intent, _TOLD):
        return ()
    parts = [_what(intent, ctx), _when(intent, ctx), ctx.watched.repository.name]
    text = " · ".join(part for part in parts if part)
    return phrase(ctx.language, reading=Text(text))


def _what(intent: Intent, ctx: Context) -> str:
    language = ctx.language
    match intent:
        case Changed():
            return _listed(intent, ctx)
        case Search():
            found = title_of(intent, language)
            return f"{words.INTENTS['Search'].text(language)} · {found}"
        case Touched(name=name):
            return words.INTENTS["Touched"].text(language, what=name)
        case _ if isinstance(intent, OfChange):
            phrase = words.INTENTS[type(intent).__name__]
            named = phrase.text(language, what=_short(intent))
            part = intent.part if isinstance(intent, ShowDiff) else ""
            return f"{named} · {part}" if part else named
        case _:
            return words.INTENTS[type(intent).__name__].text(language)


def _short(intent: OfChange) -> str:
    reference = intent.reference
    if reference is None:
        return ""
    return str(replace(reference, sha=reference.sha[:10]) if reference.sha else reference)


def _listed(intent: Changed, ctx: Context) -> str:
    """A list question in words: its names, its topic and kinds, and how it is counted."""
    language = ctx.language
    title = title_of(intent, language)
    parts = [] if title == EVERYTHING.text(language) and _counts(intent) else [title]
    kinds = names.gap(language).join(names.KINDS[FactKind(k)].text(language) for k in intent.things)
    done = names.gap(language).join(names.DONE[action].text(language) for action in intent.actions)
    if kinds or done:
        kinds = kinds or names.ANY.text(language)
        parts.insert(0, names.OF_KIND.text(language, kinds=kinds, done=done).strip())
    if intent.defaults:
        parts.append(words.DEFAULTS.text(language))
    flags = (
        (intent.people, words.PER_AUTHOR),
        (intent.daily, words.PER_DAY),
        (intent.files, words.PER_FILE),
    )
    if intent.without:
        parts.append(words.EXCEPT.text(language, what=", ".join(intent.without)))
    parts += [phrase.text(language) for said, phrase in flags if said]
    return " · ".join(parts)


def _counts(intent: Changed) -> bool:
    return bool(intent.things or intent.actions or intent.defaults)


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
