"""Statements that explain a change beyond its title.

They cover new settings, tables, values, errors, tests and versions. Each function reads one source
of facts and clues and yields nothing if that source has nothing to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from digest.analysis.context import (
    REQUEST,
    VERSIONS,
    ChangeContext,
    code,
    owner_of,
    said,
    unsigned,
)
from digest.analysis.headline import Deed
from digest.analysis.wording import value
from digest.core.author_text import authored, sentences
from digest.core.change import Side, printable
from digest.core.enums import Language
from digest.core.facts import Action, Clue, ClueKind, Fact, FactKind
from digest.core.statement import Statement
from digest.document import Spans
from digest.i18n import consequence_text as words
from digest.i18n import statement_text
from digest.i18n.labels import STOP
from digest.i18n.phrase import Part, Phrase, joined, listed

NAMES = 4
"""Maximum number of names in a sentence."""

_NONE = frozenset({"", "none", "null", "nil", "undefined", "unset", "<factory>"})
_HOLE = re.compile(r"\{[^{}]{0,120}\}|%[sdvqrf]\b|%[-+]?\d*\.?\d*[sdvqrf]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})|_+")
_ENTRY = re.compile(r"^(?:\[[A-Z][A-Z/ -]{1,30}\]|[A-Z]{3,12}:)\s*|[\s(]*#\d{1,9}[).]*$")
_CONFIGURES = re.compile(r"(?:^|/)[^/]*(?:config|conf|settings|options|arg|cli)[^/]*(?:/|$)")

_LIMITS = re.compile(
    r"not supported|unsupported|only support|support(?:s|ed) only|not implemented", re.IGNORECASE
)

_ABOUT_USE = re.compile(
    r"--\w|\b(?:must|requires?|cannot|can't|support|supported|invalid|specify)\b"
)

_STATES = re.compile(r" (?:does|do|is|are|not|when|without|only|never|[a-z]{3,12}(?:es|[^s]s)) ")
_LIFTS = (Deed.ADD, Deed.SUPPORT, Deed.ENABLE)
_SHORT = 30
_SENTENCE = 3
"""Minimum number of spaces in the name of a test for it to count as a sentence."""

_NEW = {
    FactKind.FLAG: words.NEW_FLAG,
    FactKind.ENVIRONMENT: words.NEW_ENVIRONMENT,
    FactKind.CONFIG: words.NEW_CONFIG,
    FactKind.ROUTE: words.NEW_ROUTE,
    FactKind.METRIC: words.NEW_METRIC,
    FactKind.SCHEMA: words.NEW_SCHEMA,
}


def stopped(spans: Iterable[Part], reading: ChangeContext) -> Spans:
    """A sentence with its full stop."""
    row = joined(spans)
    end = row[-1].text[-1:] if row else ""
    return row if end and end in ".!?。！？”" else joined([*row, *STOP(reading.language)])


def known(text: str | None) -> bool:
    """Whether a value is known, and not a word for "none"."""
    return (text or "").strip("\"' ").casefold() not in _NONE


def named(facts: Sequence[Fact], language: Language) -> Spans:
    """``--a``, ``--b`` and 2 more, each name once."""
    names = list(dict.fromkeys(f.name for f in facts))
    parts: list[Part] = [code(name) for name in names[:NAMES]]
    return listed(parts, language, limit=NAMES, total=len(names))


def news(reading: ChangeContext) -> Iterator[Statement]:
    """New settings with the words beside them; fields only where such words exist."""
    helps = _helps(reading.facts.clues)
    known: set[str] = set()
    for kind, phrase in _NEW.items():
        for f in reading.told(kind, Action.ADDED)[:NAMES]:
            text = helps.get(f.name) or _shared(f.name, helps)
            inner = kind in {FactKind.CONFIG, FactKind.SCHEMA}
            if inner and (not text or text in known or not exposed(f, reading)):
                continue
            known.add(text)
            yield _new(f, phrase, text, reading)


def _shared(name: str, helps: Mapping[str, str]) -> str:
    """The text beside a field whose name is the end of the flag's name."""
    mine = f"_{unsigned(owner_of(name)[1])}"
    return next((text for one, text in helps.items() if mine.endswith(f"_{one}")), "")


def exposed(fact: Fact, reading: ChangeContext) -> bool:
    """Whether users set a field: its file or class holds settings, or documentation names it."""
    if fact.public is not None:
        return fact.public
    owner, name = owner_of(fact.name)
    if fact.kind is FactKind.SCHEMA or _CONFIGURES.search(fact.evidence.path):
        return True
    if owner.endswith(("Request", "Args", "Params", "Settings")):
        return True
    documented = {c.name for c in reading.facts.clues if c.kind is ClueKind.DOCS}
    return name in documented


def _new(f: Fact, phrase: Phrase, text: str, reading: ChangeContext) -> Statement:
    language = reading.language
    reads = f.kind is FactKind.ENVIRONMENT and f.detail == "read"
    what: Spans = (words.READS if reads else phrase)(language, name=code(f.name))
    if known(f.after) and f.kind in {FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.CONFIG}:
        what = words.WITH_DEFAULT(language, what=what, value=value(f.after, language))
    if text:
        what = words.EXPLAINED(language, what=what, words=authored(_opening(text)))
    return said(stopped(what, reading), [f])


def _helps(clues: Sequence[Clue]) -> dict[str, str]:
    """The texts beside things, by name and by the form that flags and fields share."""
    found: dict[str, str] = {}
    for clue in clues:
        if clue.kind is ClueKind.HELP:
            found.setdefault(clue.name, clue.text)
            found.setdefault(unsigned(owner_of(clue.name)[1]), clue.text)
    return found


def _opening(text: str) -> str:
    """The first sentence of a text, or two if the first is very short."""
    found = sentences(text)
    return " ".join(found[: 2 if found and len(found[0]) < _SHORT else 1])


def quoted_clue(kind: ClueKind, reading: ChangeContext) -> Iterator[Statement]:
    """An entry of a changelog, or a sentence of the documentation about a new name."""
    for clue in reading.facts.clues:
        if clue.kind is not kind or (kind is ClueKind.DOCS and not clue.name):
            continue
        spans = authored(_ENTRY.sub("", clue.text))
        if kind is ClueKind.DOCS:
            spans = words.DOCUMENTED(reading.language, words=spans)
        yield said(stopped(spans, reading), [clue.evidence])
        return


def release_note(reading: ChangeContext) -> Iterator[Statement]:
    """The first line of the author's release note."""
    description = reading.graded.description
    if description and description.note:
        spans = authored(_ENTRY.sub("", _opening(description.note)))
        yield said(stopped(spans, reading), [REQUEST])


def entries(reading: ChangeContext) -> Iterator[Statement]:
    """Keys added to or removed from a table, one sentence per table."""
    tables: dict[tuple[str, bool], list[Clue]] = {}
    for clue in reading.facts.clues:
        if clue.kind is ClueKind.ENTRY:
            new = clue.evidence.side is Side.NEW
            tables.setdefault((clue.text, new), []).append(clue)
    for (table, new), entries in [*tables.items()][:_MOST_TABLES]:
        others = {c.name.casefold() for c in tables.get((table, not new), ())}
        kept = [c for c in entries if c.name.casefold() not in others]
        if not kept:
            continue
        phrases = (
            (words.ENTERS_ONE, words.ENTERS_MANY) if new else (words.LEAVES_ONE, words.LEAVES_MANY)
        )
        parts: list[Part] = [code(c.name) for c in kept[:NAMES]]
        spans = phrases[len(kept) > 1](
            reading.language,
            names=listed(parts, reading.language, limit=NAMES, total=len(kept)),
            table=_spoken(table),
        )
        yield said(stopped(spans, reading), [c.evidence for c in kept])


_CONTAINERS = frozenset(
    "map mapping registry dict list table set tuple to register all".split()  # noqa: SIM905
)
_MOST_TABLES = 2
_MEMBERS = {
    True: (words.ENTERS_ONE, words.ENTERS_MANY),
    False: (words.LEAVES_ONE, words.LEAVES_MANY),
}


def _spoken(name: str) -> str:
    """The name of a table as words: ``_TEXT_MODELS_MAP`` as "text models"."""
    parts = [part for part in _CAMEL.split(name) if part]
    while len(parts) > 1 and parts[-1].casefold() in _CONTAINERS:
        parts.pop()
    upper = name.isupper()
    return " ".join(p.lower() if upper or p.istitle() else p for p in parts)


def values(reading: ChangeContext) -> Iterator[Statement]:
    """A number, a switch or a constant that is the only change on its line."""
    for clue in reading.facts.clues:
        if clue.kind is ClueKind.LITERAL and clue.before and clue.after and _matters(clue):
            spans = words.VALUE(
                reading.language,
                name=code(clue.name),
                before=code(clue.before, 40),
                after=code(clue.after, 40),
            )
            yield said(stopped(spans, reading), [clue.evidence])
            return


def _matters(clue: Clue) -> bool:
    """Whether the value belongs to a constant, or is a number with a descriptive name."""
    constant = clue.name.isupper() and len(clue.name) > 3
    return constant or (len(clue.name) > 3 and (clue.after or "").lstrip("-")[:1].isdigit())


def refusals(reading: ChangeContext, deed: Deed) -> Iterator[Statement]:
    """The text of a new usage error, or of a limit that was removed."""
    for clue in reading.facts.clues:
        new = clue.evidence.side is Side.NEW
        about = _ABOUT_USE if new else _LIMITS
        if clue.kind is not ClueKind.REFUSED or not (new or deed in _LIFTS):
            continue
        if about.search(clue.text):
            phrase = words.REFUSED if new else words.ALLOWED
            text = _HOLE.sub("…", _opening(clue.text)).rstrip(".")
            yield said(phrase(reading.language, words=text), [clue.evidence])
            return


def added_tests(reading: ChangeContext) -> Iterator[Statement]:
    """What the names of added tests say; names that are sentences come first."""
    if not reading.core:
        return
    named = [(_tested(c.name), c) for c in reading.facts.clues if c.kind is ClueKind.TEST]
    named = [(text, c) for text, c in named if text.count(" ") >= _SENTENCE]
    named.sort(key=lambda pair: _STATES.search(pair[0]) is None)
    for text, clue in named[:1]:
        spans = words.TESTED(reading.language, words=text)
        yield said(stopped(spans, reading), [clue.evidence])


def _tested(name: str) -> str:
    """The name of a test in words."""
    parts = [p.lower() if p.istitle() else p for p in _CAMEL.split(name) if p]
    return " ".join(parts).removeprefix("test ")


def scopes(reading: ChangeContext) -> Iterator[Statement]:
    """The functions of the code that change, for titles that say little."""
    found = [c for c in reading.facts.clues if c.kind is ClueKind.SCOPE]
    names = list(dict.fromkeys(c.name for c in found))[:NAMES]
    if names:
        parts: list[Part] = [code(name) for name in names]
        spans = words.INSIDE(
            reading.language,
            names=listed(parts, reading.language, limit=NAMES),
            path=code(printable(found[0].evidence.path)),
        )
        yield said(stopped(spans, reading), [c.evidence for c in found if c.name in names])


def versions(reading: ChangeContext) -> Iterator[Statement]:
    """Changed versions: a single one with old and new value, or their number with the first."""
    language = reading.language
    facts = [f for k in VERSIONS for f in reading.told(k, Action.CHANGED) if f.before and f.after]
    if not facts:
        return
    first = facts[0]
    before, after = value(first.before, language), value(first.after, language)
    if len(facts) == 1:
        spans = words.UPDATED(language, name=code(first.name), before=before, after=after)
    else:
        named = statement_text.VALUE_CHANGED(
            language, name=code(first.name), before=before, after=after
        )
        spans = words.UPDATED_MANY(language, n=len(facts), names=named)
    yield said(stopped(spans, reading), facts)
