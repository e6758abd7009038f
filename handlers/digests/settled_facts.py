"""Facts of changes settled against the trees before and after them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from digest.core.change import Change
from digest.core.facts import Facts
from digest.facts.tree_lookup import Question, places, questions, runs, settled, unsearched
from handlers.ports.storage import Source


async def settle(source: Source, changes: Sequence[Change], facts: Sequence[Facts]) -> list[Facts]:
    """The facts with names that moved told as moves; one search for each line of commits.

    ``changes`` are newest first. Most change nothing that needs a look.
    """
    result = list(facts)
    for run in runs(changes):
        asked = [questions(changes[n], facts[n]) for n in run]
        if any(asked):
            line = [changes[n] for n in run], [facts[n] for n in run]
            for number, better in zip(run, await _look(source, *line, asked), strict=True):
                result[number] = better
    return result


async def _look(
    source: Source,
    changes: Sequence[Change],
    facts: Sequence[Facts],
    asked: Sequence[Sequence[Question]],
) -> list[Facts]:
    words = {word for those in asked for question in those for word in question.words}
    mentions = await source.mentions(changes[0].sha, words)
    if mentions is None:
        return [unsearched(f, those) for f, those in zip(facts, asked, strict=True)]
    where = places(changes, asked, mentions, _evidence(facts, asked))
    texts = await source.contents({place for those in where.values() for place in those})
    return [
        settled(f, those, {q.index: where[n, q.index] for q in those}, texts)
        for n, (f, those) in enumerate(zip(facts, asked, strict=True))
    ]


def _evidence(
    facts: Sequence[Facts], asked: Sequence[Sequence[Question]]
) -> Mapping[tuple[int, int], str]:
    return {
        (n, q.index): facts[n].items[q.index].evidence.path
        for n, those in enumerate(asked)
        for q in those
    }
