"""What stands around an answer: yes or no, releases or a reason before it, its reading after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from digest.answer.answers import Answer, refs_words, title_of
from digest.answer.listing import listed_in
from digest.answer.tallies import people_of
from digest.core.authors import code_as_spans
from digest.core.change import printable
from digest.core.enums import ChangeKind
from digest.core.facts import Action, FactKind
from digest.core.grade import Graded
from digest.core.reference import parse_reference
from digest.core.release import latest
from digest.document import Code, Paragraph, Spans, Text, plain
from digest.errors import UserError
from digest.i18n import answer_text as words
from digest.i18n.answer_text import EVERYTHING
from digest.i18n.phrase import Phrase, list_in_words
from digest.i18n.statement_text import AUTHOR_WRITES, COMMA
from digest.question.commit_range import Refs, Span
from digest.question.intent import (
    Changed,
    Explain,
    Intent,
    Lookup,
    OfChange,
    Search,
    Touched,
    Unknown,
)
from digest.question.parser import Reading
from digest.question.periods import Now, began_today
from digest.question.questions import QUESTIONS
from digest.report.blocks import title_link
from digest.topics.matching import topic_words
from digest.topics.synonyms import english_of
from digest.topics.terms import STOP_WORDS, kinds_of, roots
from handlers.context import Context
from handlers.digests.ingest import tip_of
from handlers.ports.storage import Tip


def yes_by(graded: Graded, ctx: Context) -> Spans:
    """Yes, with the change that says it."""
    day = graded.commit.committed_at.astimezone(ctx.zone).date().isoformat()
    return words.YES_BY(ctx.language, change=title_link(graded, ctx.watched.repository), day=day)


def undone_by(graded: Graded, ctx: Context) -> Spans:
    """That something was reverted, with the change that did it, its author and its day."""
    day = graded.commit.committed_at.astimezone(ctx.zone).date().isoformat()
    change = title_link(graded, ctx.watched.repository)
    author = printable(people_of(graded)[0])
    return words.YES_UNDONE_BY(ctx.language, change=change, day=day, author=author)


def reason_of(graded: Graded, ctx: Context) -> Spans:
    """Why a change was made, in its author's words."""
    from digest.analysis import context, quotes

    said = code_as_spans(quotes.stated_reason(context.read(graded, ctx.language)))
    return AUTHOR_WRITES(ctx.language, words=said) if said else words.NO_REASON(ctx.language)


async def proven(found: Answer, reading: Reading, ctx: Context) -> Answer:
    """The answer, preceded by yes or by the releases if its changes prove that."""
    found = await dated(found, ctx) if reading.dated else found
    if not found.rows:
        return found
    from handlers.questions.named_changes import SAYS

    newest = found.rows[0].graded
    # A revert of a fix fixes nothing, and files alone do not show that a change is about the topic.
    undone = ChangeKind.REVERTS in kinds_of(newest)
    undone = undone and ChangeKind.REVERTS not in getattr(reading.intent, "kinds", ())
    undone = undone or _is_removal(newest, reading.intent)
    said = _is_titled(newest.title, found.topic)
    kinds: Sequence[ChangeKind] = getattr(reading.intent, "kinds", ())
    # "Replace the deprecated call" deprecates nothing.
    shows = _SHOWS.get(kinds[0]) if len(kinds) == 1 else None
    only_said = shows is not None and not shows.search(newest.title)
    named = getattr(reading.intent, "things", ())  # the list says it, or that there is none
    if not reading.closed or not said or undone or only_said or named:
        return found
    works = isinstance(reading.intent, Changed) and not reading.intent.kinds
    if works and not SAYS[Action.ADDED].search(newest.title):
        return opened(found, words.UNDECIDED(ctx.language))  # a fix of it does not say that
    return opened(found, yes_by(newest, ctx))


def _is_titled(title: str, topic: str) -> bool:
    """Whether a title has two thirds of the words of a topic, Chinese ones in either language.

    A fix of "slow tests" is no fix of "slow resolution with torch".
    """
    own = roots(title)
    if topic.isascii():
        return len(roots(topic) & own) * 3 >= len(roots(topic)) * 2
    parts = topic_words(topic)
    met = [one for one in parts if one in title or roots(english_of(one) or one) & own]
    return len(met) * 3 >= len(parts) * 2


_SHOWS = {
    ChangeKind.DEPRECATIONS: re.compile(
        r"\bdeprecat(?!ed\b)|^(?:\W*\w+:)? ?deprecated|弃用", re.IGNORECASE
    ),
    ChangeKind.SECURITY: re.compile(
        r"\bCVE-|\bGHSA-|vulnerab|advisor|security (?:fix|patch|issue|update)|漏洞", re.IGNORECASE
    ),
}
"""What the title of a change of a kind says if the change itself is one, not about such changes."""


async def dated(found: Answer, ctx: Context) -> Answer:
    """The answer, preceded by the first releases with its changes."""
    from handlers.questions.name_state import released_in

    for row in reversed(found.rows):
        for told in await released_in(row.graded, await tip_of(ctx), ctx):
            found = opened(found, told)
    return found


async def with_releases(found: Answer, ctx: Context) -> Answer:
    """The answer, preceded by the first release of each change that it shows."""
    repository, tip, source = ctx.watched.repository, await tip_of(ctx), ctx.watched.source
    shown, tags = await _shown(found, ctx, tip), await source.releases()
    if not shown:
        return found
    having: dict[str, list[Graded]] = {}
    for graded in shown if tags else ():
        first, copies = await source.released(tip, graded.sha, graded.commit.subject)
        having.setdefault(first or next(iter(copies), ""), []).append(graded)
    n, newest = len(shown), Code(latest(tags, repository.name) if tags else "")
    lines = []
    if not tags:
        lines = [words.ALL_MERGED(ctx.language, n=n)]
    elif len(having) == 1:
        tag = next(iter(having))
        phrase = words.ALL_RELEASED if tag else words.NONE_RELEASED
        lines = [phrase(ctx.language, n=n, tag=Code(tag) if tag else newest)]
    else:
        for tag, some in sorted(having.items(), key=lambda one: bool(one[0])):
            named = list_in_words([Code(one.name) for one in some], ctx.language, limit=_NAMED)
            phrase = words.RELEASED_OF if tag else words.UNRELEASED_OF
            lines.append(phrase(ctx.language, tag=Code(tag) if tag else newest, changes=named))
    for line in reversed(lines):
        found = opened(found, line)
    return found


async def _shown(found: Answer, ctx: Context, tip: Tip) -> Sequence[Graded]:
    """The changes that an answer shows, also those that a quoted changelog names."""
    from handlers.questions.explain import find

    changes = {row.graded.sha: row.graded for row in found.rows}
    shown: list[Graded] = []
    for row in listed_in(found.document, list(changes.values()), ctx.watched.repository):
        try:
            reference = parse_reference(row.removeprefix("explain "))
            one = changes.get(row) or (await find(reference, ctx, tip))[0]
        except UserError:
            continue  # no change of the branch
        shown.append(one)
    return shown


_NAMED = 5  # the most changes of one release that are named


def _is_removal(graded: Graded, intent: Intent) -> bool:
    """Whether a change removes what a question that asks for no removal is about."""
    if not isinstance(intent, Changed) or intent.kinds or Action.REMOVED in intent.actions:
        return False
    from handlers.questions.named_changes import SAYS

    return SAYS[Action.REMOVED].search(graded.title) is not None


def announced_as(intent: Intent, reading: Reading) -> Sequence[str]:
    """The words of a question that the project's changelog may answer.

    Those about one thing whose state, or first release, is asked for.
    """
    match intent:
        case Touched(window=None, claim=claim) if claim not in {"value", "default", "off"}:
            words = topic_words(intent.name)
        case Changed(anytime=True) if reading.dated or reading.closed:
            words = topic_words(intent.topic)
        case Unknown():
            words = list(reading.content)
        case _:
            return ()
    return [word if word.isascii() else english_of(word) or word for word in words]


def opened(found: Answer, line: Spans) -> Answer:
    """The answer, preceded by the line if there is one."""
    if not line:
        return found
    document = replace(found.document, blocks=(Paragraph(line), *found.document.blocks))
    return replace(found, document=document)


# --- How the question was read --------------------------------------------------------------------


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
