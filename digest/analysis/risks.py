"""Risks for users who upgrade, each with advice by rule.

A risk exists only because a named thing was removed, renamed or changed, or because the author
declares one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from digest.analysis.context import (
    CONTRACTS,
    SUBJECT_LINE,
    VALUE,
    VERSIONS,
    Bounds,
    ChangeContext,
    code,
    owner_of,
    said,
)
from digest.analysis.insights import routes, security_code
from digest.analysis.signatures import Differences, differences
from digest.analysis.wording import has_default, is_pin, names, undone, value
from digest.core.change import FileStatus, printable
from digest.core.facts import Action, Evidence, Fact, FactKind, FileFacts
from digest.core.statement import Aspect, Statement
from digest.document import Spans
from digest.i18n import statement_text as words
from digest.i18n.phrase import Part, listed

_ONE_BY_ONE = 3
"""Maximum number of changed defaults, signatures or versions that are listed one by one."""

_PARAMETERS = {"required parameter added", "parameter removed", "parameter renamed"}
"""Details of a changed signature that can break a caller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """A risk and the advice for it; either may be missing, not both."""

    risk: Statement | None = None
    advice: Statement | None = None


def concerns(reading: ChangeContext) -> Iterator[Risk]:
    """The risks of a change: first those for operators, then those for users of its code."""
    yield from _declared(reading)
    yield from _removed(reading)
    yield from _renamed(reading)
    yield from _defaults(reading)
    yield from _versions(reading)
    yield from _schemas(reading)
    yield from _security(reading)
    yield from _undone(reading)
    yield from _deprecated(reading)
    yield from _renamed_symbols(reading)
    yield from _signatures(reading)
    yield from _moved(reading)
    yield from _removed_symbols(reading)


def _concern(
    risk: Spans,
    advice: Spans,
    evidence: list[Fact] | list[Evidence] | list[FileFacts],
    aspect: Aspect = Aspect.COMPATIBILITY,
) -> Risk:
    return Risk(
        risk=said(risk, evidence, aspect) if risk else None,
        advice=said(advice, evidence, aspect) if advice else None,
    )


def _declared(reading: ChangeContext) -> Iterator[Risk]:
    """The author's own declaration of a breaking change."""
    if reading.facts.subject.breaking:
        advice = words.READ_NOTES(reading.language) if reading.facts.paragraphs else ()
        yield _concern(words.BREAKING(reading.language), advice, [SUBJECT_LINE])


def _removed(reading: ChangeContext) -> Iterator[Risk]:
    for kind in CONTRACTS:
        facts = [f for f in reading.told(kind, Action.REMOVED) if not is_pin(f)]
        if facts and kind in words.REMOVED_RISKS:
            yield _concern(
                words.REMOVED_RISKS[kind](reading.language, names=names(facts, reading)), (), facts
            )


def _renamed(reading: ChangeContext) -> Iterator[Risk]:
    for kind in CONTRACTS:
        yield from _new_names(list(reading.told(kind, Action.RENAMED)), reading)


def _renamed_symbols(reading: ChangeContext) -> Iterator[Risk]:
    yield from _new_names(list(reading.named(Action.RENAMED)), reading)


def _new_names(facts: list[Fact], reading: ChangeContext) -> Iterator[Risk]:
    phrase = words.RENAMED_RISKS.get(facts[0].kind) if facts else None
    if phrase is not None:
        yield _concern(
            phrase(reading.language, names=names(facts, reading, values=True)), (), facts
        )


def _defaults(reading: ChangeContext) -> Iterator[Risk]:
    """Changed defaults, each with the way to keep the old one."""
    changed = [
        f for f in reading.contracts if f.action is Action.CHANGED and has_default(f) and f.after
    ]
    for f in changed[:_ONE_BY_ONE]:
        language, name = reading.language, code(f.name)
        before, after = value(f.before, language), value(f.after, language)
        keep = words.KEEP_DEFAULT(language, name=name, before=before) if f.before else ()
        yield _concern(
            words.DEFAULT_RISK(language, name=name, before=before, after=after), keep, [f]
        )


def _signatures(reading: ChangeContext) -> Iterator[Risk]:
    """Parameters that became required, were removed or renamed, or changed their default.

    Methods that changed alike, such as the overrides of one interface, are grouped.
    """
    alike: dict[tuple[str, Differences], list[Fact]] = {}
    for f in reading.named(Action.CHANGED):
        if f.detail in _PARAMETERS:
            key = (f.detail, differences(f.before, f.after))
            alike.setdefault(key, []).append(f)
    for (detail, found), facts in list(alike.items())[:_ONE_BY_ONE]:
        yield from _signature(detail, found, facts, reading)
    defaults = [f for f in reading.named(Action.CHANGED) if f.detail == "default"]
    yield from _required([f for f in defaults if f.before is not None and f.after is None], reading)
    for f in [f for f in defaults if f.after is not None][:_ONE_BY_ONE]:
        yield from _default(f, reading)


def _required(facts: list[Fact], reading: ChangeContext) -> Iterator[Risk]:
    """Parameters that lost their default, grouped by callables that lost the same ones."""
    language = reading.language
    lost: dict[str, list[Fact]] = {}
    for f in facts:
        lost.setdefault(owner_of(f.name)[0], []).append(f)
    alike: dict[tuple[str, ...], list[str]] = {}
    for function, theirs in lost.items():
        if function:
            alike.setdefault(tuple(owner_of(f.name)[1] for f in theirs), []).append(function)
    for parameters, functions in list(alike.items())[:_ONE_BY_ONE]:
        listing, name = _listed(parameters, reading), _listed(tuple(functions), reading)
        yield _concern(
            words.SIGNATURE_REQUIRED(language, name=name, names=listing),
            (),
            [f for function in functions for f in lost[function]],
        )


def _signature(
    detail: str, found: Differences, facts: list[Fact], reading: ChangeContext
) -> Iterator[Risk]:
    language, name = reading.language, names(facts, reading)
    if detail == "parameter renamed" and found.lost and found.added:
        before, after = code(found.lost[0]), code(found.added[0])
        yield _concern(
            words.PARAMETER_RENAMED(language, name=name, before=before, after=after),
            (),
            facts,
        )
        return
    if found.required:
        listing = _listed(found.required, reading)
        yield _concern(
            words.SIGNATURE_REQUIRED(language, name=name, names=listing),
            (),
            facts,
        )
    if found.lost:
        listing = _listed(found.lost, reading)
        yield _concern(
            words.SIGNATURE_LOST(language, name=name, names=listing),
            (),
            facts,
        )


def _default(f: Fact, reading: ChangeContext) -> Iterator[Risk]:
    """``function.parameter`` with its default before and after."""
    language = reading.language
    function, parameter = owner_of(f.name)
    if not function or f.before is None or f.after is None:
        return
    spans = words.PARAMETER_DEFAULT(
        language,
        name=code(function),
        parameter=code(parameter),
        before=code(f.before, VALUE),
        after=code(f.after, VALUE),
    )
    yield _concern(spans, (), [f])


def _listed(parameters: tuple[str, ...], reading: ChangeContext) -> Spans:
    parts: list[Part] = [code(p) for p in parameters]
    return listed(parts, reading.language, limit=reading.bounds.names)


def _moved(reading: ChangeContext) -> Iterator[Risk]:
    """Modules and symbols that can no longer be imported from where they were."""
    language = reading.language
    for before, after, moves in routes(reading.moves)[:_ONE_BY_ONE]:
        named = names(moves, reading)
        yield _concern(
            words.IMPORTS_MOVED(language, names=named, before=code(before), after=code(after)),
            (),
            moves,
        )
    gone = [f for f in reading.core if f.status is FileStatus.RENAMED]
    if gone:
        parts: list[Part] = [code(printable(f.old_path or f.path)) for f in gone]
        listing = listed(parts, language, limit=reading.bounds.names)
        yield _concern(words.MODULE_GONE(language, names=listing), (), gone)


def _removed_symbols(reading: ChangeContext) -> Iterator[Risk]:
    """Symbols that can no longer be imported, and methods, which a base class may still provide."""
    language = reading.language
    facts = [f for f in reading.named(Action.REMOVED) if not owner_of(f.name)[0]]
    if facts:
        named = names(facts, reading)
        yield _concern(
            words.REMOVED_RISKS[FactKind.SYMBOL](language, names=named),
            (),
            facts,
        )
    facts = [f for f in reading.named(Action.REMOVED) if owner_of(f.name)[0]]
    if facts:
        named = names(facts, reading)
        yield _concern(
            words.METHOD_GONE(language, names=named),
            (),
            facts,
        )


def _versions(reading: ChangeContext) -> Iterator[Risk]:
    """Changed versions: one risk for all, advice for the first few that name both versions."""
    language = reading.language
    moved = [f for f in reading.contracts if f.kind in VERSIONS and f.action is Action.CHANGED]
    if not moved:
        return
    named = names(moved, reading, values=True)
    yield _concern(words.VERSIONS_MOVE(language, names=named), (), moved)
    for f in moved[:_ONE_BY_ONE]:
        if f.before and f.after:
            phrase = words.TEST_WITH if f.before[0].isalnum() else words.TEST_WITH_RANGE
            advice = phrase(
                language,
                name=code(f.name),
                before=value(f.before, language),
                after=value(f.after, language),
            )
            yield _concern((), advice, [f])


def _schemas(reading: ChangeContext) -> Iterator[Risk]:
    facts = list(reading.told(FactKind.SCHEMA, Action.CHANGED))
    if facts:
        named = names(facts, reading)
        yield _concern(
            words.SCHEMA_RISK(reading.language, names=named),
            (),
            facts,
        )


def _security(reading: ChangeContext) -> Iterator[Risk]:
    facts = security_code(reading)
    if facts:
        language = reading.language
        parts: list[Part] = [
            words.NAME_AT(language, name=code(f.name), path=code(printable(f.evidence.path)))
            for f in facts
        ]
        listing = listed(parts, language, limit=min(3, reading.bounds.names))
        yield _concern(
            words.SECURITY_RISK(language, names=listing),
            (),
            facts,
            Aspect.SECURITY,
        )


def _undone(reading: ChangeContext) -> Iterator[Risk]:
    if reading.facts.reverts:
        language = reading.language
        what = undone(reading.facts.reverts, language)
        yield _concern(
            words.UNDONE_RISK(language, what=what),
            (),
            [SUBJECT_LINE],
            Aspect.NONE,
        )


def _deprecated(reading: ChangeContext) -> Iterator[Risk]:
    facts = list(reading.facts.of(FactKind.DEPRECATION, Action.ADDED))
    if facts:
        advice = words.LEAVE_DEPRECATED(reading.language, names=names(facts, reading))
        yield _concern((), advice, facts)


def risks(concerns: Iterable[Risk], bounds: Bounds) -> tuple[Statement, ...]:
    """The risks, most certain first, within the bound of the level."""
    return tuple(islice((c.risk for c in concerns if c.risk is not None), bounds.risks))


def suggestions(concerns: Iterable[Risk], bounds: Bounds) -> tuple[Statement, ...]:
    """The advice for the risks, in their order and each once, within the bound."""
    unlike = {c.advice.text: c.advice for c in reversed([*concerns]) if c.advice is not None}
    return tuple(islice(reversed(unlike.values()), bounds.suggestions))
