"""The labels that a forge gave to changes: what only it knows, beside what git says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from digest.graded import Graded, Repository
from digest.request import RequestState
from handlers.forge_port import Requests

Labels = Mapping[str, tuple[str, ...]]
"""The labels of changes by full name; one without any is not there."""


async def labels_of(
    requests: Requests | None, repository: Repository, changes: Iterable[Graded]
) -> Labels:
    """What is kept of the labels of changes; nothing where no forge was ever asked.

    A label is the merged request's: every commit of it has the same.
    """
    numbered = {one.sha: one.number for one in changes if one.number is not None}
    if requests is None or not numbered:
        return {}
    kept = await requests.load(repository, frozenset(numbered.values()))
    given = {
        number: one.request.labels
        for number, one in kept.items()
        if one.request.state is RequestState.MERGED and one.request.labels
    }
    return {sha: given[number] for sha, number in numbered.items() if number in given}
