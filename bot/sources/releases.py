"""The release that a tag names, and the one before it by ancestry."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from bot.sources.process import Git
from digest.release import Release, eligible, spellings, version_of

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
    before = await _nearest(git, commit, eligible(tag, older)[:_MOST])
    return Release(tag=tag, before=before, at=await _made(git, tag))


async def _made(git: Git, tag: str) -> datetime | None:
    """When a tag was made; of one without a message, when its commit was."""
    told = await git.run("for-each-ref", "--format=%(creatordate:unix)", f"refs/tags/{tag}")
    seconds = told.decode("ascii", "replace").strip()
    return datetime.fromtimestamp(int(seconds), UTC) if seconds.isdecimal() else None


async def newest_releases(git: Git) -> list[str]:
    """Tags of final releases, the newest first. Raises ``GitFailed``."""
    found = await _tags(git, "--sort=-creatordate", f"--count={_MOST}", "refs/tags")
    versions = ((tag, version_of(tag)) for tag in found if _TAG.fullmatch(tag))
    return [tag for tag, version in versions if version and not version.preliminary]


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
