"""The authors of merges: the people who wrote the merged branch, not whoever merged it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.git.git_process import Git, GitFailed
from digest.core.authors import is_bot
from digest.core.change import Change, Commit

_MOST_WRITERS = 20
"""Authors of one branch that are named, those with the most commits first."""

_MOST_COMMITS = 20_000
"""Commits that are read for one batch; a merge whose branch lies behind them keeps its own author.
"""

_FORMAT = "%H%x00%P%x00%an%x00%ae"


@dataclass(frozen=True, slots=True)
class _Node:
    parents: tuple[str, ...]
    author: str
    email: str


async def with_writers(git: Git, batch: Sequence[Change]) -> list[Change]:
    """The changes; merges get the author of most of their branch's commits.

    The other authors of a branch are in ``writers``. If a branch cannot be read, as in a shallow
    clone, the merge is left as it is.
    """
    merges = [change.commit for change in batch if len(change.commit.parents) > 1]
    if not merges:
        return list(batch)
    graph = await _graph(git, merges)
    written = {commit.sha: _written(commit, graph) for commit in merges}
    return [replace(change, commit=written.get(change.sha, change.commit)) for change in batch]


async def _graph(git: Git, merges: Sequence[Commit]) -> Mapping[str, _Node]:
    """The commits between the oldest and the newest of the merges, including their branches."""
    oldest = min(merges, key=lambda commit: commit.committed_at)
    names = [*(commit.sha for commit in merges), f"^{oldest.parents[0]}"]
    stdin = "".join(f"{name}\n" for name in names).encode()
    try:
        listed = await git.run(
            "log", "--no-patch", f"--max-count={_MOST_COMMITS}", f"--format={_FORMAT}",
            "--stdin", "--", stdin=stdin,
        )  # fmt: skip
    except GitFailed as failure:
        if failure.status is None:
            raise
        return {}
    rows = (line.split("\0") for line in listed.decode("utf-8", "replace").splitlines())
    return {row[0]: _Node(tuple(row[1].split()), row[2], row[3]) for row in rows if len(row) == 4}


def _written(merge: Commit, graph: Mapping[str, _Node]) -> Commit:
    """The merge with the authors of its branch; bots count only if there is nobody else."""
    line = _reached(merge.parents[:1], graph)
    branch = _reached(merge.parents[1:], graph) - line
    single = [node for name in branch if (node := graph.get(name)) and len(node.parents) < 2]
    people = Counter((node.author, node.email) for node in single)
    told = [one for one, _ in sorted(people.items(), key=lambda p: (-p[1], p[0]))]
    persons = [one for one in told if not is_bot(*one)] or told
    if not persons:
        return merge
    names = list(dict.fromkeys(name for name, _ in persons))
    author, email = persons[0]
    return replace(merge, author=author, email=email, writers=tuple(names[:_MOST_WRITERS]))


def _reached(begin: Sequence[str], graph: Mapping[str, _Node]) -> set[str]:
    """The commits of the graph that can be reached from ``begin``."""
    found: set[str] = set()
    rest = [name for name in begin if name in graph]
    while rest:
        name = rest.pop()
        if name not in found:
            found.add(name)
            rest += [parent for parent in graph[name].parents if parent in graph]
    return found
