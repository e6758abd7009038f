"""What the labels of a request are found by. Imports ``kind``, ``terms`` and ``topics``."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from digest.kind import label_term
from digest.terms import STOP_WORDS, is_name, joins, pieces, stem
from digest.topics import Bearing, Place


def label_topics(labels: Iterable[str]) -> frozenset[str]:
    """The index terms of labels: each as a label, and the words in it as topics."""
    return frozenset().union(*map(_terms, labels))


def label_bearings(labels: Iterable[str], among: Collection[str]) -> dict[str, Bearing]:
    """Those of the given terms that labels bear, each with the first label that does."""
    found: dict[str, Bearing] = {}
    for label in labels:
        bearing = Bearing(place=Place.LABEL, strength=1, shown=label)
        for name in _terms(label).intersection(among):
            found.setdefault(name, bearing)
    return found


def _terms(label: str) -> frozenset[str]:
    parts = pieces(label)
    singles = [part for part in parts if is_name(part, STOP_WORDS)]
    stems = filter(None, map(stem, singles))
    return frozenset({*singles, *joins(parts, 4), *stems, label_term(label)} - {""})
