"""The author's own words as statements, marked as theirs. Imports ``reading`` and ``authored``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from digest.analysis.reading import Reading, said
from digest.authored import STOPS, authored, excerpt, sentences
from digest.change import Side
from digest.facts.model import Evidence
from digest.graded import Graded
from digest.statement import Aspect, Statement
from digest.words import statements as words
from digest.words.labels import STOP

_FIGURE = re.compile(
    r"(?<![\d.,])\d[\d.,]{0,30}\s{0,4}(?:%|x\b|×|ms\b|us\b|µs\b|ns\b|s\b|sec|min\b|tok|token|req|it/s|qps|rps|[KMGT]i?B|fps"
    r"|倍|毫秒|秒|个百分点)|[x×]\s*\d",
    re.IGNORECASE,
)
_SPEED = re.compile(
    r"perf|fast|slow|speed|latenc|throughput|memory|overhead|tok(?:en)?s?/s|ttft|tpot|qps"
    r"|regress|improv|reduc|\bsav(?:e|es|ing)\b|optimi|bench|性能|延迟|吞吐|内存|加速|提升|降低",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_ENOUGH = 24
"""Characters by which a paragraph is known again in its message."""

_ADDRESS = re.compile(r"(?:[\w-]+:? ){0,3}https?://\S+", re.IGNORECASE)
_POINTER = re.compile(
    r"(?:(?:this|it) (?:(?:pr|change|commit|patch) )?(?:is|was) )?(?:an? )?"
    r"(?:part of|part \d{1,3} of|follow[- ]?up (?:of|to|for|on)|based on|related to|relates to"
    r"|see|split (?:out )?(?:from|of)|cc|ref(?:s|erences)?|tracked (?:in|by)|closes|fix(?:es)?"
    r"|resolves):? (?:pr |issue )?[\w./-]{0,80}#\d{1,9}\.?",
    re.IGNORECASE,
)
_SAME = 0.75
"""Share of a paragraph's words from which on it repeats the title."""

_LEAST = 12
"""Shorter paragraphs ("cc someone", "WIP", "see below") say nothing by themselves, characters."""


def quoted(reading: Reading) -> Iterator[Statement]:
    """The beginning of the message's body in whole sentences, or nothing."""
    for paragraph in reading.facts.paragraphs:
        if len(paragraph) < _LEAST or _says_nothing(paragraph, reading):
            continue
        text, whole = excerpt(paragraph, reading.bounds.quote)
        if text:
            yield _quote(reading, paragraph, text, whole=whole)
            return


def _says_nothing(paragraph: str, reading: Reading) -> bool:
    """Whether a paragraph is a mere pointer, the title again, or a subject that was squashed."""
    return (
        _ADDRESS.match(paragraph) is not None
        or _POINTER.fullmatch(paragraph.strip()) is not None
        or _repeats(paragraph, reading.graded.title)
        or _is_squashed(paragraph, reading.graded)
    )


def _is_squashed(paragraph: str, graded: Graded) -> bool:
    """Whether a paragraph is the subject of one of the commits that a request was squashed from.

    GitHub writes each of them as an entry of a list: between empty lines, or beside the one that
    became the title.
    """
    begin = f"* {paragraph[:_ENOUGH]}"
    lines = ["", *graded.commit.body.splitlines(), ""]
    found = next((at for at, line in enumerate(lines) if line.startswith(begin)), 0)
    if not found:
        return False
    apart = not lines[found - 1].strip() and not lines[found + 1].strip()
    return apart or any(line.startswith("* ") and _repeats(line, graded.title) for line in lines)


def _repeats(paragraph: str, title: str) -> bool:
    """Whether a paragraph says little but the title once more, as squashed subjects do."""
    said, known = ({*_WORD.findall(text.casefold())} for text in (paragraph, title))
    return len(said & known) >= _SAME * len(said)


def measured(reading: Reading, most: int) -> Iterator[Statement]:
    """Sentences of the author that speak of performance and bring figures."""
    found = 0
    for paragraph in reading.facts.paragraphs:
        for sentence in sentences(paragraph):
            fits = len(sentence) <= reading.bounds.quote
            if fits and _FIGURE.search(sentence) and _SPEED.search(sentence):
                yield _quote(reading, paragraph, sentence, aspect=Aspect.PERFORMANCE)
                found += 1
            if found == most:
                return


def _quote(
    reading: Reading,
    paragraph: str,
    text: str,
    *,
    whole: bool = True,
    aspect: Aspect = Aspect.NONE,
) -> Statement:
    spans = authored(text)
    if not whole:
        spans += words.OMISSION(reading.language)
    quote = words.AUTHOR_WRITES(reading.language, words=spans)
    if whole and text[-1] not in STOPS:
        quote += STOP(reading.language)
    return said(
        quote,
        [Evidence(path="", line=_line(reading, paragraph, text), side=Side.MESSAGE)],
        aspect,
    )


def _line(reading: Reading, paragraph: str, text: str) -> int:
    """The line of the message, counted from the subject, where the words begin."""
    lines = reading.graded.commit.message.lstrip("\n").splitlines()
    for start in (text[:24], paragraph.strip().splitlines()[0][:24]):
        for at, line in enumerate(lines, 1):
            if start and start in line:
                return at
    return 1
