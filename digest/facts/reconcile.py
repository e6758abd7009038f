"""What only the whole change can tell: a thing that left one file and came to another moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from digest.facts.model import Action, Fact, FactKind

_CODE = frozenset(
    {
        FactKind.SYMBOL,
        FactKind.FLAG,
        FactKind.ENVIRONMENT,
        FactKind.CONFIG,
        FactKind.ROUTE,
        FactKind.METRIC,
    }
)


def reconcile(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """The facts of all files of a change, in their order, with moves told as moves.

    A symbol that is removed in one file and added in another under the same name is one fact,
    changed and ``moved``, whose ``before`` and ``after`` are the paths; the same is true of config
    fields. Flags, environment variables, routes and metrics do not belong to a file: one that is
    removed here and added there stays, so both facts go, unless the default became another.
    A flag that goes where a field of its name comes is one that is made of fields, and stays. A
    variable that is declared is not told again where it is read. Facts of other kinds are
    returned as they are.
    """
    declared = {f.name for f in facts if f.kind is FactKind.ENVIRONMENT and not f.detail}
    fields = {_identifier(f) for f in facts if f.detail == "field" and f.action is Action.ADDED}
    facts = [
        f
        for f in facts
        if not (f.detail == "read" and f.name in declared)
        and not (
            f.kind is FactKind.FLAG and f.action is Action.REMOVED and _identifier(f) in fields
        )
    ]
    lost: dict[tuple[str, str], list[Fact]] = {}
    for fact in facts:
        if fact.kind in _CODE and fact.action is Action.REMOVED:
            lost.setdefault((fact.kind, fact.name), []).append(fact)
    if not lost:
        return tuple(facts)
    replaced: dict[int, Fact | None] = {}
    for fact in facts:
        if fact.kind not in _CODE or fact.action is not Action.ADDED:
            continue
        waiting = lost.get((fact.kind, fact.name), [])
        other = next((f for f in waiting if f.detail == fact.detail), None)
        if other is not None:
            waiting.remove(other)
            replaced[id(other)] = None
            replaced[id(fact)] = _moved(other, fact)
    return tuple(kept for fact in facts if (kept := replaced.get(id(fact), fact)) is not None)


def _identifier(fact: Fact) -> str:
    """The last part of a name as program text writes it: ``max_len`` for ``--max-len``."""
    return fact.name.rpartition(".")[2].lstrip("-").replace("-", "_")


def _moved(old: Fact, new: Fact) -> Fact | None:
    if new.kind in {FactKind.SYMBOL, FactKind.CONFIG}:
        return replace(
            new,
            action=Action.CHANGED,
            detail="moved",
            before=old.evidence.path,
            after=new.evidence.path,
        )
    if None not in (old.before, new.after) and old.before != new.after:
        return replace(new, action=Action.CHANGED, detail="default", before=old.before)
    return None
