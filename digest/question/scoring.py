"""Scores every intent for a question; the highest score wins.

A reading gains by the slots and cues that it needs and loses by words that it cannot place. Below a
threshold a question is not understood; slightly above it the reading is not sure.
"""

from __future__ import annotations

from digest.question.asked import Asked, Rule, Weighed
from digest.question.change_rules import about_one, diff, of_it, touched
from digest.question.follow_up_rules import again, of_the_last, short
from digest.question.list_rules import changed, compare, digest, releases, search
from digest.question.periods import Now
from digest.question.slot_values import Stray

LEAST = 1.0
"""Minimum weight of a reading."""

SURE = 2.0
"""Minimum weight of a reading that is sure."""

_RULES: tuple[Rule, ...] = (
    short,
    of_the_last,
    about_one,
    diff,
    of_it,
    touched,
    search,
    releases,
    compare,
    again,
    digest,
    changed,
)


def readings(asked: Asked, now: Now) -> list[Weighed]:
    """The readings of a question with enough weight, the heaviest first."""
    if asked.slots(Stray) or len(asked.spans) > 1 or len(asked.references) > 1:
        return []
    found = [one for rule in _RULES for one in rule(asked, now) if one.weight >= LEAST]
    return sorted(found, key=lambda one: -one.weight)
