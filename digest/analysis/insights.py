"""Technical insights, and the impact of a change by area.

Insights cover interfaces, architecture, performance and security. Performance is mentioned only in
the author's words or because of the author's mark, security only where a fact names a place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from digest.analysis.context import CONTRACTS, ChangeContext, code, said
from digest.analysis.quotes import measured
from digest.analysis.wording import components, kind_of, lines, names, places, widespread
from digest.core.change import FileStatus, Side, printable
from digest.core.enums import Language
from digest.core.facts import Action, Area, Fact, FactKind, FileFacts
from digest.core.statement import Aspect, Statement
from digest.document import Spans, Strong
from digest.i18n import statement_text as words
from digest.i18n.labels import AREAS
from digest.i18n.phrase import Part, Phrase, listed

# The order of a reader's questions: runtime code, tests, build, documentation.
_ORDER = (
    Area.CORE,
    Area.CONFIG,
    Area.TESTS,
    Area.BUILD,
    Area.CI,
    Area.DOCS,
    Area.EXAMPLES,
    Area.BENCHMARKS,
    Area.GENERATED,
    Area.VENDORED,
    Area.LOCKFILE,
)


def impact(reading: ChangeContext) -> tuple[Statement, ...]:
    """One statement per area, within the bound of the level."""
    most = reading.bounds.impact
    if not most:
        return ()
    by_area: dict[Area, list[FileFacts]] = {}
    for file in reading.facts.files:
        by_area.setdefault(file.area, []).append(file)
    found = [_area(area, by_area[area], reading) for area in _ORDER if area in by_area]
    if len(reading.facts.files) == 1:
        found = []  # the summary names the file
    return tuple(found[:most])


def _area(area: Area, files: Sequence[FileFacts], reading: ChangeContext) -> Statement:
    language, most = reading.language, reading.bounds.names
    found = places(files, most)
    shown = [place.described(language) for place in found[:most]]
    spans = words.AREA_FILES(
        language,
        area=Strong(AREAS[area].template(language)),
        places=listed(shown, language, limit=most, total=len(found)),
    )
    return said(spans, (p.files[0] for p in found))


_TOLD = {
    Action.ADDED: words.NEW_THING,
    Action.REMOVED: words.GONE_THING,
    Action.RENAMED: words.RENAMED_THING,
    Action.CHANGED: words.CHANGED_THING,
}
_WIDE = 3
"""Minimum number of components for a code change to be called spread."""

_FIGURES = 3
"""Maximum number of quoted sentences with figures."""

_MODULES = 3
"""Maximum number of modules whose additions, and whose removals, are listed one by one."""


def insights(reading: ChangeContext, told: Sequence[Statement]) -> tuple[Statement, ...]:
    """The insights in the order compatibility, architecture, performance, security.

    Statements already made in other sections (``told``) are left out. If the bound is tight, every
    aspect gets its first statements before any gets its last.
    """
    aspects = [
        [s for s in found if not any(_covers(one, s) for one in told)]
        for found in (
            interfaces(reading),
            _architecture(reading),
            _performance(reading),
            _security(reading),
        )
    ]
    return _fairly(aspects, reading.bounds.insights)


def _covers(told: Statement, statement: Statement) -> bool:
    """Whether a statement made elsewhere has all evidence of another, or its quote."""
    quote = statement.text.partition("“")[2].rstrip("”。. ")
    return {*told.evidence}.issuperset(statement.evidence) or bool(quote and quote in told.text)


def _fairly(aspects: Sequence[Sequence[Statement]], most: int) -> tuple[Statement, ...]:
    """At most ``most`` statements, taken in turn from each aspect, in the order of the aspects."""
    kept = [0] * len(aspects)
    dealt = True
    while dealt and sum(kept) < most:
        dealt = False
        for at, statements in enumerate(aspects):
            if kept[at] < len(statements) and sum(kept) < most:
                kept[at] += 1
                dealt = True
    return tuple(s for n, statements in zip(kept, aspects, strict=True) for s in statements[:n])


def interfaces(reading: ChangeContext) -> Iterator[Statement]:
    """Additions, removals and changes of what others rely on."""
    for action in (Action.REMOVED, Action.RENAMED, Action.CHANGED, Action.ADDED):
        for kind in CONTRACTS:
            facts = reading.told(kind, action)
            if facts:
                yield _things(_TOLD[action], facts, reading)
    defaults = [f for f in reading.named(Action.CHANGED) if f.detail == "default"]
    if defaults:
        named = names(defaults, reading, values=True)
        spans = words.PARAMETER_DEFAULTS(reading.language, names=named)
        yield said(spans, defaults, Aspect.COMPATIBILITY)
    announced = [
        f for f in reading.facts.of(FactKind.DEPRECATION) if f.action is not Action.REMOVED
    ]
    if announced:
        spans = words.DEPRECATED(reading.language, names=names(announced, reading))
        yield said(spans, announced, Aspect.COMPATIBILITY)


def _things(
    phrase: Phrase,
    facts: Sequence[Fact],
    reading: ChangeContext,
    aspect: Aspect = Aspect.COMPATIBILITY,
) -> Statement:
    spans = phrase(
        reading.language,
        kind=kind_of(facts, reading.language),
        names=names(facts, reading, values=True),
    )
    return said(spans, facts, aspect)


def _architecture(reading: ChangeContext) -> Iterator[Statement]:
    """Changes for readers of the code: modules, then changed, added and removed symbols."""
    yield from _modules(reading)
    yield from _moved_symbols(reading)
    renamed = reading.named(Action.RENAMED)
    if renamed:
        yield _things(words.RENAMED_THING, renamed, reading, Aspect.ARCHITECTURE)
    for changed, phrase in (
        (reading.rebased, words.BASES),
        (reading.resigned, words.SIGNATURES),
    ):
        if changed:
            spans = phrase(reading.language, names=names(changed, reading))
            yield said(spans, changed, Aspect.ARCHITECTURE)
    yield from _symbols(reading)
    yield from _spread(reading)


def _modules(reading: ChangeContext) -> Iterator[Statement]:
    """Code files that were added, removed or moved."""
    language, most = reading.language, reading.bounds.names
    for status, phrase in (
        (FileStatus.ADDED, words.NEW_MODULES),
        (FileStatus.DELETED, words.GONE_MODULES),
        (FileStatus.RENAMED, words.MOVED_MODULES),
    ):
        files = [f for f in reading.core if f.status is status]
        if files:
            parts: list[Part] = [_module(f, language) for f in files[:most]]
            listing = listed(parts, language, limit=most, total=len(files))
            yield said(phrase(language, names=listing), files, Aspect.ARCHITECTURE)


def _module(file: FileFacts, language: Language) -> Spans:
    path = code(printable(file.path))
    if file.status is FileStatus.RENAMED and file.old_path:
        return words.NEW_NAME(language, before=code(printable(file.old_path)), after=path)
    return words.PLACE_LINES(language, place=path, lines=lines(file.added, file.deleted))


def _places(files: Sequence[FileFacts], reading: ChangeContext) -> Spans:
    found = places(files, reading.bounds.names)
    shown: list[Part] = [p.described(reading.language) for p in found[: reading.bounds.names]]
    return listed(shown, reading.language, limit=reading.bounds.names, total=len(found))


def _moved_symbols(reading: ChangeContext) -> Iterator[Statement]:
    for before, after, moves in routes(reading.moves):
        spans = words.SYMBOLS_MOVED(
            reading.language,
            names=names(moves, reading),
            before=code(before),
            after=code(after),
        )
        yield said(spans, moves, Aspect.ARCHITECTURE)


def routes(moves: Sequence[Fact]) -> list[tuple[str, str, list[Fact]]]:
    """The moved symbols grouped by source and target file."""
    found: dict[tuple[str, str], list[Fact]] = {}
    for m in moves:
        found.setdefault((printable(m.before or ""), printable(m.after or "")), []).append(m)
    return [(before, after, ms) for (before, after), ms in found.items()]


def _symbols(reading: ChangeContext) -> Iterator[Statement]:
    """Public symbols added and removed: first methods of many classes, then by module.

    Symbols of a deleted file are left out, since the file itself is mentioned.
    """
    gone = {f.path for f in reading.core if f.status is FileStatus.DELETED}
    for action, module in (
        (Action.ADDED, words.MODULE_GAINS),
        (Action.REMOVED, words.MODULE_LOSES),
    ):
        facts = [f for f in reading.named(action) if f.evidence.path not in gone]
        common = widespread(facts)
        if common:
            yield _things(_TOLD[action], common, reading, Aspect.ARCHITECTURE)
        by_path: dict[str, list[Fact]] = {}
        for f in facts:
            if f not in common:
                by_path.setdefault(f.evidence.path, []).append(f)
        ranked = sorted(by_path.items(), key=lambda item: (-len(item[1]), item[0]))
        for path, found in ranked[:_MODULES]:
            named = names(found, reading)
            spans = module(reading.language, path=code(printable(path)), names=named)
            yield said(spans, found, Aspect.ARCHITECTURE)


def _spread(reading: ChangeContext) -> Iterator[Statement]:
    """The components that the changed code belongs to, those with most files first."""
    found = sorted(components(reading.core).items(), key=lambda item: (-len(item[1]), item[0]))
    if len(found) < _WIDE:
        return
    shown: list[Part] = [code(printable(path)) for path, _ in found[: reading.bounds.names]]
    listing = listed(shown, reading.language, limit=reading.bounds.names, total=len(found))
    spans = words.SPREAD(reading.language, n=len(found), places=listing)
    yield said(spans, (files[0] for _, files in found), Aspect.ARCHITECTURE)


def _performance(reading: ChangeContext) -> Iterator[Statement]:
    """The author's figures, and the benchmarks that change with them."""
    figures = list(measured(reading, _FIGURES))
    yield from figures
    benchmarks = [f for f in reading.facts.files if f.area is Area.BENCHMARKS]
    if benchmarks and figures:
        listing = _places(benchmarks, reading)
        spans = words.BENCHMARKS(reading.language, names=listing)
        yield said(spans, benchmarks, Aspect.PERFORMANCE)


def _security(reading: ChangeContext) -> Iterator[Statement]:
    language, most = reading.language, reading.bounds.names
    facts = reading.facts.of(FactKind.SECURITY)
    spoken = [f for f in facts if f.evidence.side is Side.MESSAGE]
    if spoken:
        spans = words.SECURITY_SAID(language, names=names(spoken, reading))
        yield said(spans, spoken, Aspect.SECURITY)
    for gone, phrase in ((False, words.SECURITY_ADDED), (True, words.SECURITY_GONE)):
        shown = [f for f in security_code(reading) if (f.action is Action.REMOVED) is gone]
        if shown:
            parts: list[Part] = [
                words.NAME_AT(language, name=code(f.name), path=code(printable(f.evidence.path)))
                for f in shown[:most]
            ]
            listing = listed(parts, language, limit=most, total=len(shown))
            yield said(phrase(language, names=listing), shown, Aspect.SECURITY)


def security_code(reading: ChangeContext) -> list[Fact]:
    """The security facts of the diff itself, each name once per file."""
    found: dict[tuple[str, str, Action], Fact] = {}
    for f in reading.facts.of(FactKind.SECURITY):
        if f.evidence.side is not Side.MESSAGE:
            found.setdefault((f.name, f.evidence.path, f.action), f)
    return list(found.values())
