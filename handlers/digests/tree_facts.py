"""Facts checked against the trees before and after their changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import is_

from digest.core.change import Change
from digest.core.facts import Action, Fact, Facts
from digest.facts import tree_lookup
from digest.facts.exposure import files_around, with_exposure
from handlers.ports.storage import Source

_EXPOSED = 256  # changes whose surrounding files are in memory at a time


async def settle(source: Source, changes: Sequence[Change], facts: Sequence[Facts]) -> list[Facts]:
    """The facts of ``changes``, newest first, with moved names reported as moves."""
    # One search per line of commits; most changes need none.
    result: list[Facts] = []
    for start in range(0, len(changes), _EXPOSED):
        part = slice(start, start + _EXPOSED)
        result += await _expose(source, changes[part], facts[part])
    for run in tree_lookup.runs(changes):
        asked = [tree_lookup.questions(changes[n], result[n]) for n in run]
        if any(asked):
            line = [changes[n] for n in run], [result[n] for n in run]
            for number, better in zip(run, await _look(source, *line, asked), strict=True):
                result[number] = better
    return result


async def _expose(source: Source, changes: Sequence[Change], facts: Sequence[Facts]) -> list[Facts]:
    """The facts, with names that the project offers marked apart from internal ones."""
    places = {
        (_side(change, candidate), path)
        for change, those in zip(changes, facts, strict=True)
        for fact in those.items
        for candidate in (fact, *_former(fact))
        for path in files_around(candidate)
    }
    texts = await source.contents(places) if places else {}
    result = []
    for change, those in zip(changes, facts, strict=True):
        items = []
        for fact in those.items:
            shown, *former = (
                with_exposure(
                    candidate,
                    {p: t for p in files_around(candidate) if (t := texts.get((side, p)))},
                )
                for candidate in (fact, *_former(fact))
                for side in [_side(change, candidate)]
            )
            if shown.public and former and former[0].public is False:
                shown = replace(shown, action=Action.ADDED, before=None, after=None)
            items.append(shown)
        same = all(map(is_, items, those.items))
        result.append(those if same else replace(those, items=tuple(items)))
    return result


def _former(fact: Fact) -> tuple[Fact, ...]:
    """What a renamed symbol was: an internal name that is offered under another one is new."""
    if fact.action is not Action.RENAMED or not fact.before or not fact.name.isidentifier():
        return ()
    return (replace(fact, action=Action.REMOVED, name=fact.before),)


def _side(change: Change, fact: Fact) -> str:
    """The commit whose tree contains a fact's name."""
    parents = change.commit.parents
    return parents[0] if fact.action is Action.REMOVED and parents else change.sha


async def _look(
    source: Source,
    changes: Sequence[Change],
    facts: Sequence[Facts],
    asked: Sequence[Sequence[tree_lookup.Question]],
) -> list[Facts]:
    words = {word for those in asked for question in those for word in question.words}
    mentions = await source.mentions(changes[0].sha, words)
    if mentions is None:
        return [
            tree_lookup.mark_unsearched(f, those) for f, those in zip(facts, asked, strict=True)
        ]
    where = tree_lookup.places(changes, asked, mentions, _evidence(facts, asked))
    texts = await source.contents({place for those in where.values() for place in those})
    return [
        tree_lookup.apply_lookup(f, those, {q.index: where[n, q.index] for q in those}, texts)
        for n, (f, those) in enumerate(zip(facts, asked, strict=True))
    ]


def _evidence(
    facts: Sequence[Facts], asked: Sequence[Sequence[tree_lookup.Question]]
) -> Mapping[tuple[int, int], str]:
    return {
        (n, q.index): facts[n].items[q.index].evidence.path
        for n, those in enumerate(asked)
        for q in those
    }
