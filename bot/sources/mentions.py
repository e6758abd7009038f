"""Which commits of a branch name a number in their messages, kept beside the view of a repository.

``git log --grep`` reads every message for every question: a fifth of a second for twenty thousand
commits. Here they are read once, and of a branch that moved on only what is new. The file is text:
below a headline with the tip a line for each commit that names numbers, newest first, with a space
behind every word, so that a number is found in it as it stands.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bot.files import write_whole
from bot.sources.process import Git, GitFailed
from digest.errors import UnwritableFolder
from handlers.ports import Tip

_HEADLINE = "mentions-1 {}\n"
_KEPT = re.compile(r"mentions-1 ([0-9a-f]{40,64})\n")
_FORMAT = "%H %P%n%B%x00"
_NUMBER = re.compile(rb"(?:[#!/\n-]|PR ?)0*(\d{1,9})(?!\d)")
"""Whatever ``digest.facts`` takes for the number of a request is written so, as is more besides."""


class Mentions:
    """The numbers that messages along the first parents of a repository's branches name.

    Kept in ``folder``; where nothing can be written there, for as long as this value lives.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, str] = {}
        self._turn = asyncio.Lock()

    async def naming(self, git: Git, branch: Tip, number: int) -> Sequence[str]:
        """Full names of the commits that may name a request's number, newest first.

        Every one that does is among them. Raises ``GitFailed``.
        """
        if branch.sha is None:
            return ()
        async with self._turn:
            text = await self._up_to_date(git, branch.branch, branch.sha)
        found = []
        word = f" {number} "
        at = text.find(word)
        while at >= 0:
            start = text.rfind("\n", 0, at) + 1
            found.append(text[start : text.index(" ", start)])
            at = text.find(word, text.index("\n", at))
        return found

    async def _up_to_date(self, git: Git, branch: str, tip: str) -> str:
        file = self._folder / f"mentions-{hashlib.sha256(branch.encode()).hexdigest()[:16]}"
        kept = self._known.get(branch) or _read(file)
        if kept.startswith(_HEADLINE.format(tip)):
            self._known[branch] = kept
            return kept
        text = _HEADLINE.format(tip) + await _lines(git, tip, kept)
        self._known[branch] = text
        with suppress(UnwritableFolder):
            write_whole(file, text)
        return text


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii")
    except (OSError, ValueError):
        return ""


async def _lines(git: Git, tip: str, kept: str) -> str:
    """The lines of a branch, those that are kept taken over where it only moved on from there."""
    if headline := _KEPT.match(kept):
        # A name that is gone is a history that was rewritten and cleaned up since.
        with suppress(GitFailed):
            lines, parent = await _told(git, tip, f"^{headline[1]}")
            if parent == headline[1]:
                return lines + kept[headline.end() :]
    return (await _told(git, tip))[0]


async def _told(git: Git, *revisions: str) -> tuple[str, str]:
    """The lines of what is listed, and the first parent of the last commit of it."""
    lines: list[str] = []
    parent, rest = "", b""
    listed = ("log", "--no-patch", f"--format={_FORMAT}", "--first-parent", *revisions, "--")
    async for chunk in git.stream(*listed):
        *messages, rest = (rest + chunk).split(b"\0\n")
        for message in messages:
            head, _, text = message.partition(b"\n")
            name, *parents = head.decode("ascii", "replace").split(" ")
            parent = parents[0] if parents else ""
            if numbers := dict.fromkeys(_NUMBER.findall(b"\n" + text)):
                lines.append(f"{name} {b' '.join(numbers).decode()} \n")
    return "".join(lines), parent
