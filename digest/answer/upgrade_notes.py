"""What an upgrade meets: interfaces that were removed, renamed or have another default.

It compares the start and the end of a stretch of history: what came and went in between does not
matter, and of several steps the first and the last one count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from digest.analysis.context import owner_of, read, unsigned
from digest.core.enums import Language
from digest.core.facts import Action, Evidence, Fact, FactKind
from digest.core.grade import Graded

KINDS = (
    FactKind.FLAG,
    FactKind.ENVIRONMENT,
    FactKind.CONFIG,
    FactKind.ROUTE,
    FactKind.METRIC,
    FactKind.TOOLCHAIN,
)
"""What people name in scripts, deployments and requests, in the order of output."""

_ORDER = (Action.REMOVED, Action.RENAMED, Action.CHANGED)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpgradeItem:
    """One thing that an upgrade meets; ``name`` is the old name.

    ``before`` and ``after`` are values as written; for a renamed thing ``after`` is the new name.
    ``sha`` and ``number`` are of the last change that did it, and ``evidence`` is its proof.
    """

    kind: FactKind
    action: Action
    name: str
    before: str
    after: str
    sha: str
    number: int | None
    evidence: Evidence


def met(changes: Sequence[Graded]) -> tuple[UpgradeItem, ...]:
    """What an upgrade from before ``changes`` (newest first) to after them meets.

    Removals come first, then renames, then changed defaults; each by kind and name.
    """
    steps: dict[tuple[FactKind, str], list[tuple[Graded, Fact]]] = {}
    for change in reversed(changes):
        for fact in _told(change):
            # A renamed thing is listed under its old name, which the reader knows.
            name = fact.before if fact.action is Action.RENAMED and fact.before else fact.name
            steps.setdefault((fact.kind, name), []).append((change, fact))
    found = [one for (_, name), taken in steps.items() if (one := _net(name, taken))]
    flags = {(m.action, unsigned(m.name)) for m in found if m.kind is FactKind.FLAG}
    return tuple(
        sorted(
            # The setting behind a flag would be the same thing listed twice.
            (m for m in found if m.kind is not FactKind.CONFIG or _key(m) not in flags),
            key=lambda m: (_ORDER.index(m.action), KINDS.index(m.kind), m.name),
        )
    )


def _key(one: UpgradeItem) -> tuple[Action, str]:
    return one.action, unsigned(owner_of(one.name)[1])


def _told(change: Graded) -> Iterator[Fact]:
    for fact in read(change, Language.EN).contracts:
        if fact.kind in KINDS and (fact.action is not Action.CHANGED or _is_value(fact)):
            yield fact


def _is_value(fact: Fact) -> bool:
    """Whether the value that applies by default changed; a changed type alone breaks few."""
    return fact.detail == "default" or fact.kind is FactKind.TOOLCHAIN


def _net(name: str, taken: Sequence[tuple[Graded, Fact]]) -> UpgradeItem | None:
    """The net effect of several steps; ``None`` if the end equals the start."""
    first, (change, last) = taken[0][1], taken[-1]
    if Action.ADDED in {first.action, last.action}:
        return None  # it was not there before, or is there again
    if last.action is Action.CHANGED:
        before = (first if first.action is Action.CHANGED else last).before or ""
        after = last.after or ""
        if not _differ(last.kind, before, after):
            return None
    elif last.kind is FactKind.TOOLCHAIN:
        return None  # a file that named it was removed: the requirement is elsewhere, or nowhere
    else:
        renamed = last.action is Action.RENAMED
        # If the old default was no literal, what stood for it means nothing any more.
        value = last.before if _LITERAL.fullmatch(last.before or "") else ""
        before, after = ("", last.name) if renamed else (value or "", "")
    return UpgradeItem(
        kind=last.kind,
        action=last.action,
        name=name,
        before=before,
        after=after,
        sha=change.sha,
        number=change.number,
        evidence=last.evidence,
    )


_LITERAL = re.compile(
    r"[-+]?\d[\w.]*|[Tt]rue|[Ff]alse|None|null|nil|\"[^\"]*\"|'[^']*'|\[\]|\{\}|\(\)", re.ASCII
)


def _differ(kind: FactKind, before: str, after: str) -> bool:
    """Whether two values are known to differ: a name or a call may mean the same as before."""
    if kind is FactKind.TOOLCHAIN:
        return bool(before and after) and before != after
    known = _LITERAL.fullmatch(before) and _LITERAL.fullmatch(after)
    return bool(known) and _bare(before) != _bare(after)


def _bare(value: str) -> str:
    """A value without its quotes."""
    return value.replace("'", '"').lower()
