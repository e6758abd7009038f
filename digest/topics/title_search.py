"""The titles of a history that have most of some words, rare words first.

Questions describe changes in words of their own, so that hardly a title has all of them. A title is
weighed by how rare its words are among all titles, as in inverse document frequency.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from digest.topics.synonyms import english_of
from digest.topics.terms import HAN, roots

_MOST_WORDS = 12
_COMMON = 0.1  # share of the titles that have a word which says nothing
_NEAR = 0.7  # share of the greatest weight that a title must reach to be listed
_LEAST = 2  # words that must meet: a single one may be there by chance


@dataclass(frozen=True, slots=True)
class Match:
    """A title with some of the words; ``weight`` is the sum of their rarity."""

    place: int
    weight: float
    words: tuple[str, ...]


def search_titles(titles: Sequence[str], words: Sequence[str], most: int) -> Sequence[Match]:
    """The best matches among titles, newest first among equals if the titles are."""
    # At least two words must meet. A word matches where a word of the title begins with its root; a
    # Chinese word is looked for by its English synonym.
    lowered = [title.lower() for title in titles]
    held: dict[str, tuple[float, frozenset[int]]] = {}
    for word in dict.fromkeys(words[:_MOST_WORDS]):
        places = _places(lowered, word)
        if 0 < len(places) <= max(len(titles) * _COMMON, 1):
            held[word] = log(len(titles) / len(places) + 1), places
    weights: dict[int, float] = {}
    for rarity, places in held.values():
        for place in places:
            weights[place] = weights.get(place, 0.0) + rarity
    found = [
        Match(place, weight, tuple(word for word, (_, places) in held.items() if place in places))
        for place, weight in sorted(weights.items(), key=lambda one: (-one[1], one[0]))[:_READ]
    ]
    found = [match for match in found if len(match.words) >= _LEAST]
    least = found[0].weight * _NEAR if found else 0.0
    return [match for match in found if match.weight >= least][:most]


_READ = 200  # titles that are looked at, the heaviest first


def _places(lowered: Sequence[str], word: str) -> frozenset[int]:
    """The indexes of the titles that have a word, or all parts of it."""
    if HAN.fullmatch(word):
        word = english_of(word) or word
    parts = [root for root in roots(word) if len(root) > 1] or [word.lower()]
    begins = [re.compile(rf"(?<![a-z\d]){re.escape(part)}") for part in parts]
    return frozenset(
        place
        for place, title in enumerate(lowered)
        if all(part in title for part in parts) and all(one.search(title) for one in begins)
    )
