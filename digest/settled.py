"""Whether facts alone say all that matters of a change. Imports ``facts`` and ``grade``."""

from __future__ import annotations

from digest.facts.model import Area
from digest.grade import Level
from digest.graded import Graded

_ALWAYS = frozenset({Area.DOCS, Area.LOCKFILE, Area.GENERATED, Area.VENDORED})
_WHEN_LOW = _ALWAYS | {Area.TESTS, Area.CI, Area.EXAMPLES, Area.BENCHMARKS}


def settled(graded: Graded) -> bool:
    """Whether nobody need read the lines: what it touches settles how much it matters.

    Documents, lock files and what others wrote or a program made are settled at any level; tests
    and the like where the level is low. A change without files, or of which none could be read, has
    no lines to look at.
    """
    areas = set(graded.facts.areas)
    if all(file.omitted or file.binary for file in graded.facts.files):
        return True
    return areas <= (_WHEN_LOW if graded.grade.level is Level.LOW else _ALWAYS)
