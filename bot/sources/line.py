"""The first parents of a branch's tip with their dates, held between questions.

``git rev-list --since-as-filter`` walks all of them for every window, and a process has to be
started for it. Who answers many questions walks once, and of a branch that moved on only what is
new.
"""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Sequence
from itertools import accumulate

from bot.sources.process import Git


class Line:
    """The commits along the first parents of a tip, newest first, as git lists them.

    Names are held as bytes of one length each, dates as whole seconds since 1970: about a megabyte
    for twenty thousand commits.
    """

    def __init__(self) -> None:
        self._tip = ""
        self._names = b""
        self._dates = array("q")
        self._latest = array("q")
        self._turn = asyncio.Lock()

    async def within(self, git: Git, tip: str, since: int, until: int) -> Sequence[str]:
        """Full names of the commits with ``since <= date < until`` (seconds), newest first.

        ``tip`` is a full name. Raises ``GitFailed``.
        """
        async with self._turn:
            if tip != self._tip:
                await self._move(git, tip)
            return self._between(since, until)

    def _between(self, since: int, until: int) -> Sequence[str]:
        size, found = len(self._tip), []
        for at, date in enumerate(self._dates):
            if self._latest[at] < since:
                break
            if since <= date < until:
                found.append(self._names[at * size : at * size + size].decode())
        return found

    async def _move(self, git: Git, tip: str) -> None:
        new = await _walk(git, tip, f"^{self._tip}") if self._tip else []
        grown = bool(new) and new[-1][2:] == [self._tip.encode()]
        walked = new if grown else await _walk(git, tip)
        names = b"".join(commit[1] for commit in walked)
        dates = array("q", (int(commit[0]) for commit in walked))
        self._names = names + self._names if grown else names
        self._dates = dates + self._dates if grown else dates
        # The latest date from a commit on: where it is too old, so is everything behind.
        latest = array("q", accumulate(reversed(self._dates), max))
        latest.reverse()
        self._latest = latest
        self._tip = tip


async def _walk(git: Git, *revisions: str) -> list[list[bytes]]:
    """Date, name and first parent of each, in lines that a root commit has no parent in."""
    stdin = "".join(f"{one}\n" for one in revisions).encode()
    listed = await git.run(
        "rev-list", "--first-parent", "--timestamp", "--parents", "--stdin", "--", stdin=stdin
    )
    return [line.split()[:3] for line in listed.splitlines()]
