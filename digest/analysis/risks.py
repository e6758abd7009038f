"""Risks for users who upgrade, and what they can do about them.

A risk exists only because a named thing that others rely on was removed, renamed or changed. Names
of functions and classes count only where the project exposes them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from digest.analysis import wording
from digest.analysis.context import (
    CONTRACTS,
    VALUE,
    VERSIONS,
    WHOLE_FILES,
    ChangeContext,
    brief,
    code,
    deprecated,
    make_statement,
    owner_of,
    read,
    replacement_of,
    shown_name,
    without_dashes,
    without_members,
)
from digest.analysis.explanations import help_of, is_known, refused_flags
from digest.analysis.headline import secures
from digest.analysis.quotes import marked_notes
from digest.analysis.signatures import Differences, differences
from digest.analysis.summary import bare
from digest.core.change import printable
from digest.core.enums import Language
from digest.core.facts import (
    OVERLOAD,
    Action,
    Area,
    Fact,
    FactKind,
    is_branch_merge,
    unregistered,
)
from digest.core.grade import Graded
from digest.core.patterns import lazy
from digest.core.statement import Aspect, Statement
from digest.document import Spans
from digest.facts.call_arguments import breaks_code
from digest.facts.manifests_python import raised_minimums
from digest.facts.paths import removed_programs
from digest.i18n import statement_text as words
from digest.i18n.phrase import Part, Phrase, list_in_words

_ONE_BY_ONE = 3
"""Maximum number of changed defaults, signatures or versions that are listed one by one."""

_LITERAL = lazy(
    r"([\"'`]).*\1|[-+]?\.?\d[\w.]*(?:[eE]-\d+)?%?|[a-z][a-z\d-]*|True|False", re.DOTALL
)
"""A value as users write it, unlike the name of a constant or an expression."""

_NUMBER = lazy(r"[-+]?\.?\d[\w.]*(?:[eE]-\d+)?%?|True|False|true|false")
_SHARED = frozenset({"pip", "npm", "composer", "bundler"})
"""Package managers whose dependencies are installed beside the packages of users."""

_RANGES = tuple("<>=~^!")
"""How a required version begins; others are those that the project is built with."""

_PARAMETERS = {"required parameter added", "parameter removed", "parameter renamed"}
"""Details of a changed signature that names of parameters explain."""

_Found = Iterator[tuple[Spans, Sequence[Fact]]]


def risks(reading: ChangeContext) -> tuple[Statement, ...]:
    """The risks for operators, then those for users of the code, within the bound."""
    return _statements((*_for_operators(reading), *_for_callers(reading)), reading.bounds.risks)


def suggestions(reading: ChangeContext) -> tuple[Statement, ...]:
    """Suggestions beyond what the risks already say, each once, within the bound."""
    return _statements(_advice(reading), reading.bounds.suggestions)


def _statements(
    found: _Found | tuple[tuple[Spans, Sequence[Fact]], ...], most: int
) -> tuple[Statement, ...]:
    statements = (make_statement(spans, facts, Aspect.COMPATIBILITY) for spans, facts in found)
    unlike = {statement.text: statement for statement in statements}
    return tuple(islice(unlike.values(), most))


def _for_operators(reading: ChangeContext) -> _Found:
    language = reading.language
    for kind in CONTRACTS:
        gone = [f for f in reading.told(kind, Action.REMOVED) if _reaches_users(f)]
        if gone and kind in words.REMOVED_RISKS:
            yield words.REMOVED_RISKS[kind](language, names=wording.names(gone, reading)), gone
    for kind in CONTRACTS:
        yield from _renamed(reading.told(kind, Action.RENAMED), reading)
    for f in _changed_defaults(reading):
        before, after = (
            wording.value(wording.typed(f, one), language) for one in (f.before, f.after)
        )
        yield (
            words.DEFAULT_RISK(language, name=code(shown_name(f)), before=before, after=after),
            [f],
        )
    if moved := _versions(reading):
        yield words.VERSIONS_MOVE(language, names=wording.names(moved, reading, values=True)), moved
    fields = reading.told(FactKind.SCHEMA, Action.CHANGED)
    if changed := [f for f in fields if f.detail not in WHOLE_FILES]:
        phrase = words.REMOVED_RISKS[FactKind.SCHEMA]
        yield phrase(language, names=wording.names(changed, reading)), changed


def _advice(reading: ChangeContext) -> _Found:
    language = reading.language
    for f in _restorable(reading):
        before = wording.value(wording.typed(f, f.before), language)
        yield _keeping(f)(language, name=code(shown_name(f)), before=before), [f]
    secured = secures(reading.facts)  # nobody should stay on the old version
    moved = [f for f in _versions(reading) if f.before and f.after and not secured]
    for f in moved if len(moved) <= _ONE_BY_ONE else ():
        after = wording.value(f.after, language)
        yield words.TEST_WITH(language, name=code(shown_name(f)), after=after), [f]
    yield from _replacements(deprecated(reading), reading)
    if alone := [f for f in deprecated(reading) if not f.replacement]:
        yield words.LEAVE_DEPRECATED(language, names=wording.names(alone, reading)), alone


def to_do(graded: Graded, language: Language) -> Spans:
    """What users must do or check, as one short sentence; empty if no fact says it.

    A title alone says too little: whether what it removes or rejects was ever used, it leaves open.
    """
    return next(_duties(brief(read(graded, language))), ())


def _duties(reading: ChangeContext) -> Iterator[Spans]:
    """What the facts ask for, the most certain first."""
    language = reading.language
    removals = [f for f in reading.contracts if f.action is Action.REMOVED and f.detail != "read"]
    removed = without_members([f for f in removals if f.kind not in VERSIONS])
    yield from (spans for spans, _ in _replacements(removed, reading))
    if kinds := {f.kind for f in removed}:
        phrase = words.REMOVED_RISKS.get(removed[0].kind) if len(kinds) == 1 else None
        yield (phrase or words.CHECK_USE)(language, names=wording.names(removed, reading))
    renamed = [f for f in reading.contracts if f.action is Action.RENAMED and f.before]
    if any(both := wording.shared_rename(renamed)):
        yield words.REPLACE(language, before=code(both[0]), after=code(both[1]))
    for f in renamed:
        if f.before:
            owned = bool(owner_of(f.before)[0])
            after = code(f.name if owned else owner_of(f.name)[1])
            yield words.REPLACE(language, before=code(f.before), after=after)
    for f in _restorable(reading):
        before = wording.value(wording.typed(f, f.before), language)
        yield _keeping(f)(language, name=code(shown_name(f)), before=before)
    for f in reading.contracts:
        if f.action is Action.CHANGED and (f.detail == "choices" or wording.has_default(f)):
            lost, gained = wording.choices_of(f)
            if lost:
                values = list_in_words([code(one) for one in lost], language, limit=_ONE_BY_ONE)
                yield words.CHOOSE_OTHER(language, name=code(shown_name(f)), values=values)
            elif not gained:
                phrase = words.CHECK_CHOICES if f.detail == "choices" else words.CHECK_DEFAULT
                yield phrase(language, names=code(shown_name(f)))
    announced = deprecated(reading)
    if any(both := wording.shared_start([(f.name, f.replacement or "") for f in announced])):
        yield words.REPLACE(language, before=code(both[0]), after=code(both[1]))
    if len({f.replacement for f in announced}) > 1:
        yield words.LEAVE_DEPRECATED(language, names=wording.names(announced, reading))
    yield from (spans for spans, _ in _replacements(announced, reading))
    if announced:
        yield words.LEAVE_DEPRECATED(language, names=wording.names(announced, reading))
    for name, facts in raised_minimums(reading.facts).items():
        yield words.RAISE(language, name=name, version=bare(facts[0].after))
    yield from (spans for spans, those in _signatures(reading) if any(map(breaks_code, those)))
    if programs := removed_programs(reading.facts.files):
        names = list_in_words([code(name) for name in programs], language, limit=_ONE_BY_ONE)
        yield words.CHECK_USE(language, names=names)
    if keys := unregistered(reading.facts):
        names = list_in_words([code(name) for name in keys], language, limit=_ONE_BY_ONE)
        yield words.CHECK_USE(language, names=names)
    if refused := refused_flags(reading):
        flags = list_in_words([code(name) for name in refused[1]], language, limit=_ONE_BY_ONE)
        yield words.CHECK_USE(language, names=flags)
    if _is_security_fix(reading):
        yield words.TAKE_FIX(language)


_ORDINARY = lazy(r"overflow|bounds|use.after.free|double.free", re.IGNORECASE)
"""Weaknesses of which most are ordinary bugs."""

_OPENS = lazy(
    r"(?:allow|bypass|disabl|drop|exempt|ignor|loosen|relax|remov|skip|turn(?:ed|s)? off)",
    re.IGNORECASE,
)
"""Beginnings of titles that open a weakness on purpose, or leave it."""

_CALLED = frozenset({"advisory", "label_security", "note_security"})
"""Rules for changes that their authors call security fixes."""

_PATCHED = frozenset({Area.CORE, Area.BUILD, Area.LOCKFILE, Area.VENDORED})


def _is_security_fix(reading: ChangeContext) -> bool:
    """Whether the author calls it a security fix, or its title names a weakness.

    A title about security is about code or dependencies only where the change has some of them.
    """
    facts, rules = reading.facts, {reason.rule for reason in reading.graded.grade.reasons}
    said = [f for f in facts.of(FactKind.SECURITY) if f.detail == "words"]
    titled = any(f.evidence.line == 1 and not _ORDINARY.search(f.name) for f in said)
    titled = (titled or "says_security" in rules) and not _OPENS.match(facts.subject.words)
    patched = any(f.area in _PATCHED for f in facts.files)
    told = not is_branch_merge(facts) or marked_notes(reading, "security")
    called = bool(rules & _CALLED and told)
    return secures(facts) or called or (titled and patched)


def _replacements(facts: Sequence[Fact], reading: ChangeContext) -> _Found:
    for f in facts:
        if f.replacement:
            after = code(replacement_of(f, reading))
            yield words.REPLACE(reading.language, before=code(f.name), after=after), [f]


def _changed_defaults(reading: ChangeContext) -> list[Fact]:
    """Changed defaults whose new value is known and holds everywhere."""
    changed = [f for f in reading.contracts if f.action is Action.CHANGED and f.after]
    whole = [f for f in changed if wording.has_default(f) and not f.condition]
    known = [
        f for f in whole if not (wording.is_computed(f.before) or wording.is_computed(f.after))
    ]
    return known[:_ONE_BY_ONE]


def _keeping(fact: Fact) -> Phrase:
    """How to keep an old default; a number is still accepted, a word may have been removed."""
    plain = _NUMBER.fullmatch(wording.typed(fact, fact.before) or "")
    return words.KEEP_DEFAULT if plain else words.KEEP_CHOICE


def _restorable(reading: ChangeContext) -> list[Fact]:
    """Changed defaults whose old value a user can set, except of what moved or is deprecated."""
    carried = {
        without_dashes(owner_of(f.name)[1])
        for f in reading.facts.items
        if f.action is Action.RENAMED or f.detail == "moved" or f.kind is FactKind.DEPRECATION
    }
    return [
        f
        for f in _changed_defaults(reading)
        if f.detail == "default"
        and _LITERAL.fullmatch(f.before or "")
        and is_known(f.before)
        and not f.evidence.path.endswith("Cargo.toml")  # features are chosen, not set
        and not _is_replaced(f, reading)
        and without_dashes(owner_of(f.name)[1]) not in carried
    ]


def _is_replaced(fact: Fact, reading: ChangeContext) -> bool:
    """Whether the old default is no value any more: a mark for "none", or a word that is gone."""
    before, after = ((one or "").strip("\"'") for one in (fact.before, fact.after))
    said = help_of(fact, reading)
    gone = before.isalpha() and after in said and before not in said
    own = owner_of(fact.name)[1]
    types = (o for o in reading.facts.items if o.detail == "type" and owner_of(o.name)[1] == own)
    value = re.compile(rf"[\"']{re.escape(before)}[\"']")
    gone |= any(value.search(o.before or "") and not value.search(o.after or "") for o in types)
    return gone or (before in {"0", "-1"} and not is_known(fact.after))


def _versions(reading: ChangeContext) -> list[Fact]:
    """Changed versions that users choose together with this project."""
    moved = [f for f in reading.contracts if f.kind in VERSIONS and f.action is Action.CHANGED]
    return [f for f in moved if _reaches_users(f)]


def _reaches_users(fact: Fact) -> bool:
    """Whether a fact concerns users; most languages compile dependencies into what they get."""
    if fact.kind is FactKind.TOOLCHAIN:
        return (fact.after or "")[:1] in _RANGES
    return fact.kind is not FactKind.DEPENDENCY or (
        fact.detail in _SHARED
        and not wording.is_pin(fact)
        and not _DEVELOPED_WITH.search(fact.evidence.path)
    )


_DEVELOPED_WITH = lazy(r"(?:^|/)(?:Gemfile|[\w.-]{1,80}\.gemfile)$")
"""What developers of a gem install; its users get what the gemspec requires."""


def _renamed(facts: Sequence[Fact], reading: ChangeContext) -> _Found:
    phrase = words.RENAMED_RISKS.get(facts[0].kind) if facts else None
    if phrase is not None:
        yield phrase(reading.language, names=wording.names(facts, reading, values=True)), facts


def _for_callers(reading: ChangeContext) -> _Found:
    """What breaks callers of the project's code."""
    language = reading.language
    yield from _renamed(_public(reading.named(Action.RENAMED)), reading)
    yield from _signatures(reading)
    for before, after, moves in _routes(_public(reading.moves))[:_ONE_BY_ONE]:
        where = {"before": code(before), "after": code(after)}
        yield words.IMPORTS_MOVED(language, names=wording.names(moves, reading), **where), moves
    gone = without_members(_public(reading.named(Action.REMOVED)))
    said = re.split(r"\W+", reading.facts.subject.words)
    announced = {f.name for f in reading.facts.of(FactKind.DEPRECATION, Action.REMOVED)}
    if lost := [f for f in gone if not _is_inner(f, said) or _is_missed(f, announced)]:
        phrase = words.REMOVED_RISKS[FactKind.SYMBOL]
        yield phrase(language, names=wording.names(lost, reading)), lost


def _is_missed(fact: Fact, announced: Collection[str]) -> bool:
    """Whether a member went that callers were told to leave, and nothing of its name stays."""
    return fact.name in announced and fact.detail not in {"constructor", OVERLOAD}


def _is_inner(fact: Fact, said: Sequence[str]) -> bool:
    """Whether it is a member in Java, where most are public, that the title does not name."""
    owner, member = owner_of(fact.name)
    told = member in said and fact.detail not in {"constructor", OVERLOAD}
    java = fact.evidence.path.endswith(".java")
    return bool(owner) and ((java and not told) or member == "constructor")  # which has a default


def _public(facts: Sequence[Fact]) -> list[Fact]:
    return [f for f in facts if f.public]


def _routes(moves: Sequence[Fact]) -> list[tuple[str, str, list[Fact]]]:
    """The moved symbols grouped by source and target file."""
    found: dict[tuple[str, str], list[Fact]] = {}
    for m in moves:
        found.setdefault((printable(m.before or ""), printable(m.after or "")), []).append(m)
    return [(before, after, ms) for (before, after), ms in found.items()]


def _signatures(reading: ChangeContext) -> _Found:
    """Parameters that became required, were removed or renamed, or changed their default.

    Methods that changed alike, such as the overrides of one interface, are grouped.
    """
    alike: dict[tuple[str, Differences], list[Fact]] = {}
    changed = [f for f in _public(reading.named(Action.CHANGED)) if f.name != "main"]
    for f in changed:
        if f.detail in _PARAMETERS:
            key = (f.detail, differences(f.before, f.after))
            alike.setdefault(key, []).append(f)
    for (detail, found), facts in list(alike.items())[:_ONE_BY_ONE]:
        yield from _signature(detail, found, facts, reading)
    if other := [f for f in changed if breaks_code(f) and f.detail not in _PARAMETERS]:
        yield words.CHECK_CALLS(reading.language, names=wording.names(other, reading)), other
    defaults = [f for f in changed if f.detail == "default"]
    yield from _lost_defaults(
        [f for f in defaults if f.before is not None and f.after is None], reading
    )
    both = [(f, f.before, f.after) for f in defaults if owner_of(f.name)[0]]
    known = [(f, old, new) for f, old, new in both if old is not None and new is not None]
    for f, old, new in known[:_ONE_BY_ONE]:
        function, parameter = map(code, owner_of(f.name))
        values = {"before": code(old, VALUE), "after": code(new, VALUE)}
        named = {"name": function, "parameter": parameter}
        yield words.PARAMETER_DEFAULT(reading.language, **named, **values), [f]


def _lost_defaults(facts: Sequence[Fact], reading: ChangeContext) -> _Found:
    """Parameters that lost their default, grouped by callables that lost the same ones."""
    lost: dict[str, list[Fact]] = {}
    for f in facts:
        lost.setdefault(owner_of(f.name)[0], []).append(f)
    alike: dict[tuple[str, ...], list[str]] = {}
    for function, theirs in lost.items():
        if function:
            alike.setdefault(tuple(owner_of(f.name)[1] for f in theirs), []).append(function)
    for parameters, functions in list(alike.items())[:_ONE_BY_ONE]:
        listing, name = (
            _parameter_list(parameters, reading),
            _parameter_list(tuple(functions), reading),
        )
        spans = words.SIGNATURE_REQUIRED(reading.language, name=name, names=listing)
        yield spans, [f for function in functions for f in lost[function]]


def _signature(
    detail: str, found: Differences, facts: Sequence[Fact], reading: ChangeContext
) -> _Found:
    language, name = reading.language, wording.names(facts, reading)
    if detail == "parameter renamed" and found.lost and found.added:
        before, after = code(found.lost[0]), code(found.added[0])
        yield words.PARAMETER_RENAMED(language, name=name, before=before, after=after), facts
        return
    if found.required:
        listing = _parameter_list(found.required, reading)
        yield words.SIGNATURE_REQUIRED(language, name=name, names=listing), facts
    if found.lost:
        yield (
            words.SIGNATURE_LOST(language, name=name, names=_parameter_list(found.lost, reading)),
            facts,
        )


def _parameter_list(parameters: tuple[str, ...], reading: ChangeContext) -> Spans:
    parts: list[Part] = [code(p) for p in parameters]
    return list_in_words(parts, reading.language, limit=reading.bounds.names)
