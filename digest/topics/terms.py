"""How a name becomes an index term, so that MoE, ``moe`` and ``fused_moe`` match.

A name is split into pieces at capitals, hyphens, underscores, dots and spaces; a piece is lower
case and singular; a term is pieces joined without a separator (``kv_cache``, ``KV cache`` and
``KVCache`` are ``kvcache``). Kinds of change and labels are indexed too, under terms that no name
can produce.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from digest.core.enums import ChangeKind, Language
from digest.core.facts import Action, FactKind
from digest.core.grade import Graded
from digest.core.patterns import lazy, read_table
from digest.core.statement import ChangeType
from digest.grading.outcomes import bare_title

HAN = lazy(r"[㐀-䶿一-鿿]+")  # a run of Chinese characters

_PIECE = lazy(
    # Product names in which a common word is no word of its own.
    r"(?:Deep|Light|Page|Warp)Speed"
    # An acronym with a small letter inside, before a new word or the end: MoE, LoRA, QoS.
    r"|[A-Z][a-z][A-Z]{1,2}s?(?=[A-Z][a-z]|[^A-Za-z]|$)\d*"
    r"|[A-Z]+s(?![a-z])"  # APIs, LLMs
    r"|[A-Z]+(?=[A-Z][a-z])"  # KV in KVCache
    r"|[A-Z]?[a-z]+\d*"
    r"|[A-Z]+\d*"
    r"|\d+[a-z]*"
)
_PIECE_OR_HAN = lazy(rf"{_PIECE.pattern}|{HAN.pattern}")

_SINGULAR_ENDS = ("ss", "us", "is", "os")
_TABLES = read_table("digest.topics", "terms.toml")
_IRREGULAR: dict[str, str] = _TABLES["irregular"]
STOP_WORDS = frozenset(_TABLES["stop_words"].split())
PATH_STOP_WORDS = STOP_WORDS | frozenset(_TABLES["path_stop_words"].split())


def singular(word: str) -> str:
    """The singular of a lower-case English plural; any other word is returned as it is."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(_SINGULAR_ENDS):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y" if len(word) > 4 else word[:-1]
    if word.endswith(("ches", "shes", "xes", "sses", "zes")):
        return word[:-2]
    return word[:-1]


@lru_cache(maxsize=16_384)
def pieces(name: str) -> tuple[str, ...]:
    """The pieces of a name in order; a run of Chinese characters is one piece."""
    if name.isascii():
        return tuple(singular(p.lower()) for p in _PIECE.findall(name))
    matches = _PIECE_OR_HAN.finditer(name)
    return tuple(singular(m[0].lower()) for m in matches)


def term(text: str) -> str:
    """The index term of a name or a phrase; empty if it has no letter or digit."""
    return "".join(pieces(text))


def is_name(piece: str, stop: frozenset[str] = STOP_WORDS) -> bool:
    """Whether a piece can be a term by itself: two letters at least, and no stop word."""
    return len(piece) > 1 and not piece.isdigit() and piece not in stop


def joins(parts: Sequence[str], longest: int) -> Iterator[str]:
    """The terms that 2 to ``longest`` adjacent pieces form."""
    for size in range(2, min(longest, len(parts)) + 1):
        for start in range(len(parts) - size + 1):
            yield "".join(parts[start : start + size])


def stem(piece: str) -> str:
    """A name without its version (``qwen`` of ``qwen3``), or empty if it has none."""
    bare = piece.rstrip("0123456789")
    return bare if bare != piece and len(bare) > 3 else ""


def stems(piece: str) -> tuple[str, ...]:
    """What a word may be without -ing or -ed: ``compil`` or ``compile`` of ``compiling``."""
    for end in ("ing", "ed"):
        bare = piece.removesuffix(end)
        if bare != piece and len(bare) > 3 and bare.isascii():
            return (bare, f"{bare}e", *([bare[:-1]] if bare[-1] == bare[-2] else []))
    return ()


def roots(text: str) -> frozenset[str]:
    """The words of a text that name something, without -ing, -ed and a last *e*."""
    words = (word for part in text.split() for word in pieces(part) if word not in STOP_WORDS)
    return frozenset((stems(word) or (word,))[0].removesuffix("e") for word in words)


def initials(text: str) -> str:
    """The abbreviation of a name of three words or more: ``mrv2`` of "model runner v2"."""
    parts = pieces(text)
    if len(parts) < 3 or not text.isascii():
        return ""
    return "".join(part if re.fullmatch(r"v?\d+", part) else part[0] for part in parts)


MARK = ":"  # occurs in the term of a kind or a label, and in no topic

_SHORTEST = 7  # digits of a commit's name that a message is believed to name it by
_TITLE = 100  # characters of a title in a term

_TYPES = {
    ChangeType.BREAKING: ChangeKind.BREAKING,
    ChangeType.SECURITY: ChangeKind.SECURITY,
    ChangeType.DEPRECATION: ChangeKind.DEPRECATIONS,
    ChangeType.REVERT: ChangeKind.REVERTS,
    ChangeType.FEATURE: ChangeKind.FEATURE,
    ChangeType.PERFORMANCE: ChangeKind.PERFORMANCE,
    ChangeType.FIX: ChangeKind.FIX,
    ChangeType.DEPENDENCY: ChangeKind.DEPENDENCIES,
}
_OUTER = {FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.CONFIG, FactKind.ROUTE, FactKind.METRIC}
_GONE = {Action.REMOVED, Action.RENAMED}


def kind_term(kind: ChangeKind) -> str:
    """The index term of a kind."""
    return f"kind{MARK}{kind}"


def label_term(label: str) -> str:
    """The index term of a label or bracketed tag, normalised like topics; empty without letters."""
    named = term(label)
    return f"label{MARK}{named}" if named else ""


def undoing_terms(sha: str, number: int | None, title: str) -> tuple[str, ...]:
    """The index terms of whatever reverts or re-lands the change that is named; none if empty."""
    names = (sha[:_SHORTEST], "" if number is None else f"#{number}", bare_title(title)[:_TITLE])
    return tuple(f"undoes{MARK}{name}" for name in names if name)


def kinds_of(graded: Graded) -> frozenset[ChangeKind]:
    """The kinds of a change; it may have none."""
    # Imported here, because terms are read from most questions, kinds from few changes.
    from digest.analysis.change_types import change_types
    from digest.analysis.context import read

    reading = read(graded, Language.EN)
    kinds = {_TYPES[t] for t in change_types(reading) if t in _TYPES}
    if any(f.kind in _OUTER and f.action in _GONE for f in reading.contracts):
        kinds.add(ChangeKind.BREAKING)
    return frozenset(kinds)


def labels_of(graded: Graded) -> Iterator[str]:
    """The labels of a change: its bracketed tags, whole and in their parts, and its type."""
    subject = graded.facts.subject
    for tag in (*subject.tags, subject.type):
        yield from filter(None, (tag, *re.split(r"[/,&|+]+", tag)))


_NO_DIGIT = re.compile(r"\D")


def is_misspelt(word: str, known: str) -> bool:
    """Whether a word is a misspelling of a known one: one letter off, or two in a long word.

    The first letter is hardly ever wrong: "mattered" is not a misspelt "gathered". A number is
    never one: "mi355" is not a misspelt "mi325".
    """
    if _NO_DIGIT.sub("", word) != _NO_DIGIT.sub("", known):
        return False
    from rapidfuzz.distance import OSA

    most = 1 if len(word) < 8 else 2
    near = len(word) > 4 and word[0] == known[:1] and abs(len(word) - len(known)) <= most
    return near and OSA.distance(word, known, score_cutoff=most) <= most


_CODE = lazy(r"[\w)][_.-]\w|[a-z][A-Z]|^[-/]")
"""Characters that only code names have; a common word occurs in too many messages."""


def is_code_name(text: str) -> bool:
    """Whether a text can only be a name of the code."""
    return _CODE.search(text) is not None
