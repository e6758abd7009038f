"""What a stretch of time amounts to: the lead's sentences and the themes, as blocks.

Imports ``assembly``, ``blocks``, ``words`` and values. Links and numbers are made here, by code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from digest.document import Code, Item, Link, Listing, Span, Spans, Strong, Text
from digest.graded import Graded, Repository
from digest.language import Language
from digest.report.assembly import Report
from digest.words import pages as words
from digest.words.labels import COLON
from digest.words.phrase import Part, between, joined

_CITED = 3
"""The most changes that are linked behind a sentence of the lead."""

_JOINED = 6
"""The most changes that are linked behind a theme; the others are counted."""


def opening(report: Report) -> tuple[Spans, ...]:
    """The paragraphs that a report begins with: a model's two sentences, then what code counts."""
    day = report.day
    if day is None or not day.lead:
        return (report.lead,)
    known = _known(report)
    gap = "" if report.language is Language.ZH else " "
    sentences = [
        joined([*one.spans, *_behind(one.shas, known, report, _CITED)]) for one in day.lead
    ]
    return (between(sentences, gap), report.lead)


def theme_list(report: Report, *, linked: bool = True) -> Listing | None:
    """The themes, each with its changes behind it; ``None`` where there are none.

    A digest for a channel links the changes that it lists, so its themes only name them.
    """
    if report.day is None or not report.day.themes:
        return None
    known = _known(report)
    items = []
    for theme in report.day.themes:
        parts: list[Part] = [Strong(span.text) for span in theme.title]
        if theme.sentence:
            parts += [*COLON(report.language), *theme.sentence.spans]
        behind = _behind(theme.shas, known, report, _JOINED, linked=linked)
        items.append(Item(joined([*parts, *behind])))
    return Listing(tuple(items))


def _known(report: Report) -> dict[str, Graded]:
    return {entry.graded.sha: entry.graded for entry in report.entries}


def _behind(
    shas: Sequence[str],
    known: dict[str, Graded],
    report: Report,
    most: int,
    *,
    linked: bool = True,
) -> Iterator[Span]:
    """The changes that a sentence rests on, in brackets; those that are not listed are let be."""
    listed = [known[sha] for sha in shas if sha in known]
    if not listed:
        return
    repository = report.repository if linked else replace(report.repository, web="")
    named: list[Part] = [_name(graded, repository) for graded in listed[:most]]
    if len(listed) > most:
        named.append(words.MORE.text(report.language, n=len(listed) - most))
    yield from words.CITED(report.language, places=between(named, ", "))


def _name(graded: Graded, repository: Repository) -> Span:
    """A change by its number or name, linked where the repository has pages."""
    if graded.number is not None:
        name, url = f"#{graded.number}", repository.request_url(graded.number)
        return Link(name, url) if url else Text(name)
    name, url = graded.sha[:10], repository.commit_url(graded.sha)
    return Link(name, url) if url else Code(name)
