"""What the labels of a request are found by. Imports ``kind`` and ``terms``."""

from __future__ import annotations

from collections.abc import Iterable

from digest.kind import label_term
from digest.terms import STOP_WORDS, is_name, joins, pieces, stem


def label_topics(labels: Iterable[str]) -> frozenset[str]:
    """The index terms of labels: each as a label, and the words in it as topics."""
    found: set[str] = set()
    for label in labels:
        parts = pieces(label)
        singles = [part for part in parts if is_name(part, STOP_WORDS)]
        found.update(singles, joins(parts, 4), filter(None, map(stem, singles)))
        found.add(label_term(label))
    return frozenset(found - {""})
