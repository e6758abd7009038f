"""Facts checked against the trees before and after their changes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
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
            looked = await _look(source, *line, asked)
            looked = await _released(source, line[0], looked, asked)
            for number, better in zip(run, looked, strict=True):
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


async def _released(
    source: Source,
    changes: Sequence[Change],
    facts: Sequence[Facts],
    asked: Sequence[Sequence[tree_lookup.Question]],
) -> list[Facts]:
    """The facts, with names that went before any release had them marked."""
    result = list(facts)
    lost = [n for n, those in enumerate(facts) if any(map(tree_lookup.is_gone, those.items))]
    if not lost or not (releases := await source.releases()):
        return result
    words: dict[str, set[str]] = {}
    before: dict[int, list[str]] = {}
    for n in lost:
        before[n] = _before(releases, changes[n].commit.committed_at)
        wanted = {word for question in asked[n] for word in question.words}
        for tag in before[n]:
            words.setdefault(tag, set()).update(wanted)
    known = {tag: await source.mentions(await source.resolve(tag), words[tag]) for tag in words}
    for n in lost:
        mentions = [known[tag] for tag in before[n]]
        if mentions and None not in mentions:
            held = frozenset(w for one in mentions for w, paths in (one or {}).items() if paths)
            result[n] = tree_lookup.unreleased(facts[n], asked[n], held)
    return result


_MOST_RELEASES = 3  # the newest before a change; releases of older branches may be among them
_RELEASED_LATELY = timedelta(days=60)
"""Without a release in this time the repository has no more tags, or people run its branch."""


def _before(releases: Mapping[str, datetime | None], at: datetime) -> list[str]:
    """The releases that show what users have: the newest ones, and that of the highest version."""
    made_at = {tag: made for tag, made in releases.items() if made is not None and made <= at}
    older = [*made_at]
    if not older or at - max(made_at.values()) > _RELEASED_LATELY:
        return []
    numbers = {tag: [int(n) for n in re.findall(r"\d{1,9}", tag)] for tag in older}
    highest = sorted(older, key=lambda tag: numbers[tag])[-1:]
    return list(dict.fromkeys((*older[:_MOST_RELEASES], *highest)))


def _evidence(
    facts: Sequence[Facts], asked: Sequence[Sequence[tree_lookup.Question]]
) -> Mapping[tuple[int, int], str]:
    return {
        (n, q.index): facts[n].items[q.index].evidence.path
        for n, those in enumerate(asked)
        for q in those
    }
