"""Finds the files of a commit's tree that contain given words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bot.git.git_process import Git, GitFailed
from digest.facts.paths import endings_of, language_of

_AT_ONCE = 400
"""Words in one search: larger patterns get slow."""

_FEW = 30
"""Words up to which one search for each is faster than one expression for all."""

_LONGEST_LINE = 20_000
"""Bytes of a line in which words are looked for; longer lines are data."""

_SPECIAL = re.compile(r"[.\[\]\\()*+?{}|^$]")
_PROGRAM = (
    "python", "rust", "go", "javascript", "typescript", "java", "c", "cpp", "cuda", "shell",
    "cmake",
)  # fmt: skip


def is_program(path: str) -> bool:
    """Whether a file is among those that are searched."""
    return language_of(path) in _PROGRAM


async def find_mentions(git: Git, commit: str, words: Iterable[str]) -> dict[str, set[str]]:
    """The paths of program text that contain each word as a whole, in the tree of a commit.

    Raises ``GitFailed``.
    """
    asked = sorted({w for w in words if w and "\n" not in w})
    found: dict[str, set[str]] = {word: set() for word in asked}
    for start in range(0, len(asked), _AT_ONCE):
        await _search(git, commit, asked[start : start + _AT_ONCE], found)
    return found


async def _search(git: Git, commit: str, words: Sequence[str], found: dict[str, set[str]]) -> None:
    # A line with a word has every part of it, so a part stands for the words that contain it.
    parts = [w for w in words if not any(o in w for o in words if o != w)]
    few = len(parts) <= _FEW
    patterns = parts if few else ["|".join(_SPECIAL.sub(r"\\\g<0>", part) for part in parts)]
    paths = [f"*.{ending}" for language in _PROGRAM for ending in endings_of(language)]
    # Our git processes take paths literally by default; here they are patterns.
    patterned = git.with_environment(GIT_LITERAL_PATHSPECS="0", GIT_GLOB_PATHSPECS="0")
    try:
        out = await patterned.run(
            "grep", "-I", "-F" if few else "-E", "--null", "--no-color", "--no-line-number",
            "--full-name", "-f", "-", commit, "--", *paths,
            stdin="".join(f"{one}\n" for one in patterns).encode(),
        )  # fmt: skip
    except GitFailed as failure:
        if failure.status == 1 and not failure.said:  # nothing found
            return
        raise
    start = len(commit) + 1
    # Whole words are told apart here: git takes twice as long for it.
    longest_first = sorted(words, key=len, reverse=True)
    whole = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    for line in out.split(b"\n"):
        path, _, match = line.partition(b"\0")
        for word in whole.findall(match[:_LONGEST_LINE].decode("utf-8", "replace")):
            found[word].add(path[start:].decode("utf-8", "surrogateescape"))
