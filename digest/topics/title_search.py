"""The titles of a history that have most of some words, rare words first.

Questions describe changes in words of their own, so that hardly a title has all of them. A title is
weighed by how rare its words are among all titles, as in inverse document frequency. What else is
known about a change, such as its message, counts for less; newer changes are asked about more.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import exp, log
from string import ascii_lowercase, digits

from digest.frozen import frozen
from digest.topics.matching import topic_words
from digest.topics.synonyms import synonyms
from digest.topics.terms import HAN, is_misspelt, roots

_MOST_WORDS = 12
_COMMON = 0.1  # share of the titles that have a word which says nothing
_NEAR = 0.7  # share of the greatest weight that a title must reach to be listed
_LEAST = 2  # words that must meet: a single one may be there by chance
_ASIDE = 0.5  # weight of a word that is not in the title
_MORE_IF_NEW = 0.6  # what the newest change gains, which fades over the young ones
_YOUNG, _LEAST_YOUNG = 0.1, 500  # share of the titles, but at least so many


@frozen(kw_only=False)
class Match:
    """A title with some of the words."""

    place: int
    weight: float  # the sum of their rarity
    words: tuple[str, ...]
    closer: bool = False  # it clearly has more of them than any title in the answer


def search_titles(
    titles: Sequence[str],
    words: Sequence[str],
    most: int,
    *,
    listed: frozenset[int] = frozenset(),
    bodies: Sequence[str] = (),
) -> Sequence[Match]:
    """The best matches among titles, which are given newest first.

    ``place`` is the index of the title. At least two words must meet. A word matches where a word
    of the title begins with its root or with that of a synonym, such as the English name of a
    Chinese word. A word of no title is read as the most frequent one of which it is a misspelling.
    The places in ``listed`` are left out, but the others must be as near as they are; if one of
    these has a single word, another title with that word will do. ``bodies`` are further texts, one
    for each title, in which a word counts for less.
    """
    text, aside = _Titles(titles), _Titles(bodies)
    held: dict[str, tuple[float, frozenset[int], frozenset[int]]] = {}
    for word in dict.fromkeys(_phrases(words)):
        places, read = _places(text, word), word
        beside = _places(aside, word) - places
        if not (places or beside) and (meant := text.near(word)):
            places, read = _places(text, meant), meant
            beside = _places(aside, meant) - places
        number = len(places) + len(beside)
        if 0 < number <= max(len(titles) * _COMMON, 1):
            held[read] = log(len(titles) / number + 1), places, beside
    weights: dict[int, float] = {}
    for rarity, places, beside in held.values():
        for place in places:
            weights[place] = weights.get(place, 0.0) + rarity
        for place in beside:
            weights[place] = weights.get(place, 0.0) + rarity * _ASIDE
    young = max(len(titles) * _YOUNG, _LEAST_YOUNG)
    for place in weights:
        weights[place] *= 1 + _MORE_IF_NEW * exp(-place / young)
    heaviest = sorted(weights.items(), key=lambda one: (-one[1], one[0]))[:_READ]
    known = sorted(place for place in listed if place in weights)
    texts = {word: places | beside for word, (_, places, beside) in held.items()}
    found = [
        Match(place, weight, tuple(word for word, places in texts.items() if place in places))
        for place, weight in [*heaviest, *((place, weights[place]) for place in known)]
    ]
    titled = {
        place: tuple(w for w, (_, some, _) in held.items() if place in some) for place in known
    }
    alone = {words for words in titled.values() if len(words) == 1}
    found = [match for match in found if len(match.words) >= _LEAST or match.words in alone]
    least = max((match.weight for match in found), default=0.0) * _NEAR
    known_weight = max((weights[place] for place in known), default=0.0)
    return [
        replace(match, closer=known_weight < match.weight * _NEAR)
        for match in found
        if match.place not in listed and (match.weight >= least or match.words in alone)
    ][:most]


def are_enough(words: Sequence[str]) -> bool:
    """Whether a title can have more of the words than those listed: a single one is no more."""
    return len([*itertools.islice(_phrases(words), _LEAST)]) == _LEAST


def has_all(title: str, words: Sequence[str]) -> bool:
    """Whether a title has all of the words, or their synonyms."""
    text = _Titles([title])
    return all(_places(text, word) for word in _phrases(words))


_READ = 200  # titles that are looked at, the heaviest first


def _phrases(words: Sequence[str]) -> Iterator[str]:
    """The words, with two that name one thing together as one: *environment variables*."""
    rest = topic_words(" ".join(words).replace("/", " "))[:_MOST_WORDS]
    while rest:
        pair = " ".join(rest[:2])
        size = 2 if len(rest) > 1 and synonyms(pair) else 1
        yield " ".join(rest[:size])
        del rest[:size]


_INSIDE = frozenset(ascii_lowercase + digits)  # after one of them, no word begins


class _Titles:
    """Titles as one lower-case text, in which a word is found faster than in each of them."""

    def __init__(self, titles: Sequence[str]) -> None:
        self._text = "\n".join(titles).lower()
        self._ends = [*itertools.accumulate(len(title) + 1 for title in titles)]

    def having(self, part: str) -> frozenset[int]:
        """The indexes of the titles in which a word begins with a part."""
        found: set[int] = set()
        text, at = self._text, self._text.find(part)
        while at >= 0:
            place = bisect_right(self._ends, at)
            if text[at - 1 : at] not in _INSIDE:
                found.add(place)
                at = self._ends[place] - 1  # on to the next title
            at = text.find(part, at + 1)
        return frozenset(found)

    def near(self, word: str) -> str:
        """The most frequent word of the titles of which a word is a misspelling, or nothing."""
        if not (word.isascii() and word.isalpha()):
            return ""
        first = re.escape(word[0].lower())
        known = Counter(re.findall(rf"(?<![a-z0-9]){first}[a-z]{{3,20}}", self._text))
        meant = [one for one in known if is_misspelt(word.lower(), one)]
        return max(meant, key=known.__getitem__, default="")


def _places(titles: _Titles, word: str) -> frozenset[int]:
    """The indexes of the titles that have a word, or all parts of it, or a synonym."""
    names = [word, *synonyms(word)]
    ways = {_parts(name) for name in names if len(names) == 1 or not HAN.search(name)}
    with_all = (frozenset.intersection(*map(titles.having, parts)) for parts in ways)
    return frozenset().union(*with_all)


def _parts(name: str) -> tuple[str, ...]:
    """The roots of the words of a name; a version is one."""
    some = () if _VERSION.fullmatch(name) else roots(name)
    return tuple(sorted(root for root in some if len(root) > 1)) or (name.lower(),)


_VERSION = re.compile(r"v?\d+(?:\.\d+)+")
