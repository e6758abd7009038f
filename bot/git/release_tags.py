"""Releases: the one that a tag names, the one before it by ancestry, and backported commits.

Which commits were backported to release branches shows what was considered worth the trouble.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from bot.git.git_process import Git, stdin_lines
from digest.core.release import TaggedRelease, eligible, spellings, version_of

_MOST = 1000
"""The most tags that are compared, the newest: each is an argument of git."""

_TAG = re.compile(r"[0-9A-Za-z][\w./+@-]{0,99}", re.ASCII)
"""Characters of a release tag: nothing that git could take for an option or a pattern."""

_FIELDS = "%(refname:lstrip=2) %(objectname) %(*objectname)"


async def read_release(git: Git, name: str) -> TaggedRelease | None:
    """The release of a name; ``None`` if it is no tag. Raises ``GitFailed``."""
    wanted = [f"refs/tags/{tag}" for tag in spellings(name) if _TAG.fullmatch(tag)]
    found = await _tags(git, *wanted) if wanted else {}
    tag = next((one for one in spellings(name) if one in found), None)
    if tag is None:
        return None
    commit = found[tag]
    below = await _tags(git, f"--merged={commit}", "--sort=-creatordate", "refs/tags")
    # Tags of the same commit, such as a final release and its last candidate, have no changes
    # between them.
    older = [one for one, at in below.items() if at != commit and _TAG.fullmatch(one)]
    before = await _nearest(git, commit, eligible(tag, older)[:_MOST])
    return TaggedRelease(tag=tag, before=before, at=await _tag_date(git, tag))


async def _tag_date(git: Git, tag: str) -> datetime | None:
    """When a tag was made; for a lightweight tag, the date of its commit."""
    return (await _dates(git, f"refs/tags/{tag}")).get(tag)


async def _dates(git: Git, *arguments: str) -> dict[str, datetime | None]:
    """Tags with the times at which they were made, in git's order."""
    listed = await git.run(
        "for-each-ref", "--format=%(creatordate:unix) %(refname:lstrip=2)", *arguments
    )
    lines = (line.partition(" ") for line in listed.decode("utf-8", "replace").splitlines())
    return {
        tag: datetime.fromtimestamp(int(seconds), UTC) if seconds.isdecimal() else None
        for seconds, _, tag in lines
    }


async def newest_releases(git: Git) -> dict[str, datetime | None]:
    """Tags of final releases and when they were made, newest first. Raises ``GitFailed``."""
    found = await _dates(git, "--sort=-creatordate", f"--count={_MOST}", "refs/tags")
    return {tag: found[tag] for tag in _final(found)}


def _final(tags: Iterable[str]) -> Iterator[str]:
    """The tags of final releases, in their order."""
    for tag in tags:
        version = version_of(tag) if _TAG.fullmatch(tag) else None
        if version and not version.preliminary:
            yield tag


async def _tags(git: Git, *arguments: str) -> dict[str, str]:
    """Tags with the commits or other objects that they point to, in git's order."""
    listed = await git.run("for-each-ref", f"--format={_FIELDS}", *arguments)
    fields = (line.split() for line in listed.decode("utf-8", "replace").splitlines())
    return {found[0]: found[-1] for found in fields if len(found) > 1}


async def _nearest(git: Git, commit: str, tags: tuple[str, ...]) -> str:
    """The tag with the fewest commits in between (git-describe(1)); empty if there is none."""
    if not tags:
        return ""
    patterns = [f"--match={tag}" for tag in tags]
    told = await git.run("describe", "--tags", "--abbrev=0", *patterns, commit)
    return told.decode("utf-8", "replace").strip()


_RELEASE = re.compile(
    r"refs/(?:heads|remotes/[^/]+)/(?:.*[/_-])?(?:releases?|stable|maint(?:enance)?)[/_-].+"
    r"|refs/(?:heads|remotes/[^/]+)/v?\d+(?:\.(?:\d+|x))+.*"
    r"|refs/tags/.*\d+\.\d+.*"
)
_PICKED = re.compile(r"\(cherry[- ]picked from commit ([0-9a-f]{40,64})\)")
_BACKPORTS_MOST = 20_000
"""The most commits of release branches that are read, the newest."""


async def read_backports(git: Git, tip: str) -> frozenset[str]:
    """Commits and subjects that are on release branches or tags but not below a tip.

    A pick is recognised by the note of ``git cherry-pick -x``, otherwise by its subject.
    """
    found: set[str] = set()
    for _, subject, picked in await _on_releases(git, tip):
        found.update(picked or ([subject] if subject else []))
    return frozenset(found)


_PICKS = 5
"""Copies of a commit whose releases are looked up."""


async def read_released(git: Git, tip: str, commit: str, subject: str) -> tuple[str, list[str]]:
    """The first release with a commit, empty if none has it, and the releases with a copy of it.

    Copies are recognised as in :func:`read_backports`.
    """
    grep = f"--grep={subject or commit}"
    near = await _on_releases(git, tip, "--fixed-strings", f"--grep={commit}", grep)
    copies = [
        sha for sha, said, picked in near if commit in picked or (subject and said == subject)
    ]
    releases = {await _first_with(git, copy) for copy in copies[:_PICKS]}
    return await _first_with(git, commit), sorted(releases - {""})


async def _on_releases(git: Git, tip: str, *which: str) -> list[tuple[str, str, list[str]]]:
    """Commits on release branches or tags but not below a tip, with subject and noted picks."""
    listed = await git.run(
        "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes", "refs/tags"
    )
    names = [n for n in listed.decode("utf-8", "replace").splitlines() if _RELEASE.fullmatch(n)]
    if not names:
        return []
    told = await git.run(
        *("log", "--no-color", f"--max-count={_BACKPORTS_MOST}", "-z", "--format=%H%n%s%n%b"),
        *(*which, "--stdin", "--"),
        stdin=stdin_lines([*names, f"^{tip}"]),
    )
    messages = filter(None, told.decode("utf-8", "replace").split("\0"))
    parts = (message.partition("\n") for message in messages)
    return [
        (sha, message.partition("\n")[0].strip(), _PICKED.findall(message))
        for sha, _, message in parts
    ]


async def _first_with(git: Git, commit: str) -> str:
    """The oldest tag of a final release that contains a commit; empty if there is none."""
    found = await _tags(git, "--sort=creatordate", f"--contains={commit}", "refs/tags")
    return next(iter(_final(found)), "")
