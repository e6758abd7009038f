"""What follows a digest in its thread: of each change that matters, why, and what to do.

Imports ``assembly``, ``blocks``, ``condensed``, ``words`` and values.
"""

from __future__ import annotations

from collections.abc import Iterator

from digest.document import Block, Document, Heading, Item, Listing, Paragraph, Text
from digest.grade import Level
from digest.language import Language
from digest.report.assembly import Entry, Report
from digest.report.blocks import grade_reasons, label, level_words, title_link
from digest.report.condensed import shown
from digest.report.places import Places
from digest.statement import Analysis, Statement
from digest.words.labels import COLON, INSIGHTS, RISKS, SUGGESTIONS
from digest.words.pages import DETAILS

MOST = 5
"""Changes that are told in detail; the full report tells of all."""

_INSIGHTS = 4
"""The most insights of one change: they say on what its grade rests."""


def details_document(
    report: Report, language: Language, *, least: Level = Level.HIGH
) -> Document | None:
    """The high changes of a digest in detail, as it lists them; ``None`` where it lists none."""
    entries = [e for e in shown(report, least) if e.level is Level.HIGH][:MOST]
    if not entries:
        return None
    name = DETAILS.template(language)
    blocks = [block for entry in entries for block in _told(entry, report, language)]
    return Document(title=name, blocks=tuple(blocks), language=str(language))


def _further(analysis: Analysis) -> tuple[Statement, ...]:
    """The suggestions that do more than turn a risk into a request: they rest on other places."""
    known = [set(risk.evidence) for risk in analysis.risks]
    return tuple(
        one
        for one in analysis.suggestions
        if not one.evidence or not any(places.issuperset(one.evidence) for places in known)
    )


def _told(entry: Entry, report: Report, language: Language) -> Iterator[Block]:
    graded, analysis = entry.graded, entry.analysis
    where = Places(graded, report.repository, language)
    yield Heading(3, (title_link(graded, report.repository),))
    reasons = grade_reasons(graded.grade, language)
    colon = COLON(language) if reasons else ()
    yield Paragraph((Text(level_words(entry.level, language)), *colon, Text(reasons)))
    for mark, phrase, statements in (
        ("🔍", INSIGHTS, analysis.insights[:_INSIGHTS]),
        ("⚠️", RISKS, analysis.risks),
        ("💡", SUGGESTIONS, _further(analysis)),
    ):
        if statements:
            yield Paragraph(label(mark, phrase, language))
            yield Listing(tuple(Item(where.cited(one)) for one in statements))
