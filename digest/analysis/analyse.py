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
from digest.analysis.summary import consequences, summary
from digest.analysis.wording import unread
from digest.core.enums import Language
from digest.core.grade import Graded, Level
from digest.core.statement import Analysis, Aspect


def analyse(graded: Graded, language: Language) -> Analysis:
    """Say what a change does, whom it reaches and what to look at, as deep as its level asks.

    High changes get every section, medium ones shorter sections, low ones one line.
    """
    reading = read(graded, language)
    types = change_types(reading)
    bounds = reading.bounds
    found = tuple(concerns(reading)) if bounds.risks or bounds.suggestions else ()
    told, dangers = summary(reading), risks(found, bounds)
    return Analysis(
        language=language,
        change_types=types,
        summary=told,
        impact=impact(reading),
        insights=insights(reading, (*told, *dangers)) if bounds.insights else (),
        risks=dangers,
        suggestions=suggestions(found, bounds),
        partial=unread(reading),
    )


def analyse_whole(graded: Graded, language: Language) -> Analysis:
    """The same with no less said than of a medium change, for somebody who asks about this one."""
    if graded.grade.level is not Level.LOW:
        return analyse(graded, language)
    return analyse(replace(graded, grade=replace(graded.grade, level=Level.MEDIUM)), language)


def gist(graded: Graded, language: Language) -> Analysis:
    """The summary alone: what the line of a change is made of."""
    return Analysis(language=language, summary=summary(brief(read(graded, language))))


def acts(graded: Graded) -> bool:
    """Whether who upgrades may have to act: a contract went or changed, or it is about security."""
    first = next(consequences(read(graded, Language.EN)), None)
    return first is not None and first.aspect in {Aspect.COMPATIBILITY, Aspect.SECURITY}


def typed(graded: Graded, language: Language) -> Analysis:
    """The types of the change alone: what a sentence over many changes counts."""
    return Analysis(language=language, change_types=change_types(read(graded, language)))
