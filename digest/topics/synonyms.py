"""Synonyms in software, in English and Chinese, from ``synonyms.toml``."""

from __future__ import annotations

from digest.core.patterns import read_table
from digest.topics.terms import HAN, term


def _rows(table: str) -> tuple[tuple[str, ...], ...]:
    """The names in each row of a table; an indented line continues the row above it."""
    rows = table.strip().replace("\n    ", " ").splitlines()
    return tuple(tuple(name.strip() for name in row.split(",")) for row in rows)


_TABLES = read_table("digest.topics", "synonyms.toml")
FAMILIES, NARROWER = _rows(_TABLES["families"]), _rows(_TABLES["narrower"])

SHORTENED = {term("kv cache"): term("KV")}
"""Names that are shortened next to another: "KV offload" means offloading the KV cache."""


def _kin() -> tuple[dict[str, frozenset[str]], dict[str, tuple[str, ...]]]:
    kin: dict[str, frozenset[str]] = {}
    names: dict[str, tuple[str, ...]] = {}
    for family in FAMILIES:
        terms = frozenset(term(name) for name in family)
        for name in terms:
            kin[name] = kin.get(name, frozenset()) | terms
            names[name] = (*names.get(name, ()), *family)
    return kin, names


_KIN, _NAMES = _kin()
CHINESE = tuple(sorted((t for t in _KIN if HAN.fullmatch(t)), key=len, reverse=True))
"""The Chinese names, longest first, so that 单元测试 is found before 测试."""


def english_of(name: str) -> str:
    """The English name of a Chinese one; empty if it is in no family."""
    return next((family[0] for family in FAMILIES if name in family), "")


def synonyms(name: str) -> tuple[str, ...]:
    """All names of the things that a name may mean; none if it is in no family."""
    return _NAMES.get(term(name), ())


def kin(name: str) -> frozenset[str]:
    """The synonyms of a term, including itself."""
    return _KIN.get(name, frozenset()) | {name}


_PARTS = {term(whole): frozenset(map(term, parts)) for whole, *parts in NARROWER}


def terms_meant(name: str) -> frozenset[str]:
    """The terms meant by a term: its synonyms, and the parts of a whole."""
    same = kin(name)
    parts = frozenset().union(*(_PARTS.get(one, frozenset()) for one in same))
    return same.union(*(kin(part) for part in parts))


def is_whole(name: str) -> bool:
    """Whether a term is the name of a whole."""
    return name in _PARTS
