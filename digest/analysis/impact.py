"""Where a change reaches: its files by area, and whether tests came along.

Imports ``reading``, ``telling``, ``words`` and values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from digest.analysis.reading import Reading, said
from digest.analysis.telling import places
from digest.document import Strong
from digest.facts.model import Area, FileFacts
from digest.statement import Statement
from digest.words import statements as words
from digest.words.labels import AREAS
from digest.words.phrase import listed

# The order in which a reader asks: what runs, what proves it, what is built, what is written.
_ORDER = (
    Area.CORE,
    Area.CONFIG,
    Area.TESTS,
    Area.BUILD,
    Area.CI,
    Area.DOCS,
    Area.EXAMPLES,
    Area.BENCHMARKS,
    Area.GENERATED,
    Area.VENDORED,
    Area.LOCKFILE,
)


def impact(reading: Reading) -> tuple[Statement, ...]:
    """One statement an area, within the bound of the level; tests are spoken of either way."""
    most = reading.bounds.impact
    if not most:
        return ()
    by_area: dict[Area, list[FileFacts]] = {}
    for file in reading.facts.files:
        by_area.setdefault(file.area, []).append(file)
    found = [_area(area, by_area[area], reading) for area in _ORDER if area in by_area]
    if len(reading.facts.files) == 1:
        found = []  # the summary names the file
    untested = list(_untested(reading))
    return (*found[: most - len(untested)], *untested)


def _area(area: Area, files: Sequence[FileFacts], reading: Reading) -> Statement:
    language, most = reading.language, reading.bounds.names
    found = places(files, most)
    shown = [place.described(language) for place in found[:most]]
    spans = words.AREA_FILES(
        language,
        area=Strong(AREAS[area].template(language)),
        places=listed(shown, language, limit=most, total=len(found)),
    )
    return said(spans, (p.files[0] for p in found))


def _untested(reading: Reading) -> Iterator[Statement]:
    """That no test changes: a fact of a change to the code, told without a reproach."""
    if reading.core and not any(f.area is Area.TESTS for f in reading.facts.files):
        yield said(words.NO_TESTS(reading.language), reading.core)
