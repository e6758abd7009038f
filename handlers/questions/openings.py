"""What stands before an answer: yes or no, the releases with a change, or the reason for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from digest.answer.answers import Answer
from digest.core.authors import code_as_spans
from digest.core.enums import ChangeKind
from digest.core.facts import Action
from digest.core.grade import Graded
from digest.document import Paragraph, Spans
from digest.i18n import answer_text as words
from digest.i18n.statement_text import AUTHOR_WRITES
from digest.question.intent import Changed, Intent, Touched, Unknown
from digest.question.parser import Reading
from digest.report.blocks import title_link
from digest.topics.matching import topic_words
from digest.topics.synonyms import english_of
from digest.topics.terms import kinds_of, roots
from handlers.context import Context
from handlers.digests.ingest import tip_of


def yes_by(graded: Graded, ctx: Context) -> Spans:
    """Yes, with the change that says it."""
    day = graded.commit.committed_at.astimezone(ctx.zone).date().isoformat()
    return words.YES_BY(ctx.language, change=title_link(graded, ctx.watched.repository), day=day)


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
