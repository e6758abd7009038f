"""What is said of a change, from facts and the author's own words alone.

The same change always gives the same analysis. Every statement carries the places in the change
that bear it out; a section with nothing to say is empty. One module a section.
"""

from __future__ import annotations

from dataclasses import replace

from digest.analysis.change_types import change_types
from digest.analysis.context import brief, read
from digest.analysis.insights import impact, insights
from digest.analysis.risks import concerns, risks, suggestions
from digest.analysis.summary import summary
from digest.analysis.wording import unread
from digest.core.enums import Language
from digest.core.grade import Graded, Level
from digest.core.statement import Analysis


def analyse(graded: Graded, language: Language) -> Analysis:
    """Say what a change does, whom it reaches and what to look at, as deep as its level asks.

    High changes get every section, medium ones shorter sections, low ones one line.
    """
    reading = read(graded, language)
    types = change_types(reading)
    bounds = reading.bounds
    found = tuple(concerns(reading)) if bounds.risks or bounds.suggestions else ()
    return Analysis(
        language=language,
        change_types=types,
        summary=summary(reading),
        impact=impact(reading),
        insights=insights(reading, types) if bounds.insights else (),
        risks=risks(found, bounds),
        suggestions=suggestions(found, bounds),
        partial=unread(reading),
    )


def analyse_whole(graded: Graded, language: Language) -> Analysis:
    """The same with no less said than of a medium change, for somebody who asks about this one."""
    if graded.grade.level is not Level.LOW:
        return analyse(graded, language)
    return analyse(replace(graded, grade=replace(graded.grade, level=Level.MEDIUM)), language)


def gist(graded: Graded, language: Language) -> Analysis:
    """The summary and the risks alone: what a line below a title is made of."""
    reading = brief(read(graded, language))
    return Analysis(
        language=language,
        summary=summary(reading),
        risks=risks(concerns(reading), reading.bounds),
    )


def typed(graded: Graded, language: Language) -> Analysis:
    """The types of the change alone: what a sentence over many changes counts."""
    return Analysis(language=language, change_types=change_types(read(graded, language)))
