"""The analysis of a change, from its facts and the author's own words alone.

The same change always gives the same analysis. Every statement cites the places in the change that
support it; a section with nothing to say is empty. Each section has its own module.
``analyse`` writes every section, ``gist`` the summary alone, and ``acts`` tells whether users may
have to do something.
"""

from __future__ import annotations

from dataclasses import replace

from digest.analysis.change_types import change_types
from digest.analysis.context import brief, read
from digest.analysis.insights import impact, insights
from digest.analysis.risks import risks, suggestions
from digest.analysis.summary import summary
from digest.analysis.wording import unread
from digest.core.enums import Language
from digest.core.grade import Graded, Level
from digest.core.statement import Analysis, Aspect


def analyse(graded: Graded, language: Language) -> Analysis:
    """Analyse a change: what it does, whom it affects and what to check.

    High changes get every section, medium ones shorter sections, low ones one line.
    """
    reading = read(graded, language)
    types = change_types(reading)
    bounds = reading.bounds
    told, dangers = summary(reading), risks(reading)
    return Analysis(
        language=language,
        change_types=types,
        summary=told,
        impact=impact(reading),
        insights=insights(reading, (*told, *dangers)) if bounds.insights else (),
        risks=dangers,
        suggestions=suggestions(reading),
        partial=unread(reading),
    )


def analyse_whole(graded: Graded, language: Language) -> Analysis:
    """The analysis with at least the depth of a medium change, for questions about one change."""
    if graded.grade.level is not Level.LOW:
        return analyse(graded, language)
    return analyse(replace(graded, grade=replace(graded.grade, level=Level.MEDIUM)), language)


def gist(graded: Graded, language: Language) -> Analysis:
    """The summary alone, for the line of a change in a list."""
    return Analysis(language=language, summary=summary(brief(read(graded, language))))


def acts(analysis: Analysis) -> bool:
    """Whether users may have to act: a contract was removed or changed, or security is affected.

    Only an analysis from facts can tell.
    """
    return any(
        one.aspect in {Aspect.COMPATIBILITY, Aspect.SECURITY} for one in analysis.summary[:1]
    )
