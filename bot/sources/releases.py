"""The release that a tag names, and the one before it by ancestry."""

from __future__ import annotations

import re

from bot.sources.process import Git
from digest.release import Release, eligible, spellings

_MOST = 1000
"""Tags that are looked at, the newest: each is an argument of git's."""

_TAG = re.compile(r"[0-9A-Za-z][\w./+@-]{0,99}", re.ASCII)
"""What a tag of a release is made of: nothing that git could take for an option or a pattern."""

_FIELDS = "%(refname:lstrip=2) %(objectname) %(*objectname)"


async def read_release(git: Git, name: str) -> Release | None:
    """The release of a name; ``None`` where it is no tag's. Raises ``GitFailed``."""
    wanted = [f"refs/tags/{tag}" for tag in spellings(name) if _TAG.fullmatch(tag)]
    found = await _tags(git, *wanted) if wanted else {}
    tag = next((one for one in spellings(name) if one in found), None)
    if tag is None:
        return None
    commit = found[tag]
    below = await _tags(git, f"--merged={commit}", "--sort=-creatordate", "refs/tags")
    # Tags of the same commit, as a final release and its last candidate, have nothing between.
    older = [one for one, at in below.items() if at != commit and _TAG.fullmatch(one)]
    return Release(tag=tag, before=await _nearest(git, commit, eligible(tag, older)[:_MOST]))


async def _tags(git: Git, *arguments: str) -> dict[str, str]:
    """Tags with the commits, or whatever else, that they stand for, in git's order."""
    listed = await git.run("for-each-ref", f"--format={_FIELDS}", *arguments)
    fields = (line.split() for line in listed.decode("utf-8", "replace").splitlines())
    return {found[0]: found[-1] for found in fields if len(found) > 1}


async def _nearest(git: Git, commit: str, tags: tuple[str, ...]) -> str:
    """The one with the fewest commits to go (git-describe(1)); empty where there is none."""
    if not tags:
        return ""
    patterns = [f"--match={tag}" for tag in tags]
    told = await git.run("describe", "--tags", "--abbrev=0", *patterns, commit)
    return told.decode("utf-8", "replace").strip()
