"""Which commits of a branch were brought to release branches: what was worth the trouble."""

from __future__ import annotations

import re

from bot.sources.process import Git

_RELEASE = re.compile(
    r"refs/(?:heads|remotes/[^/]+)/(?:.*[/_-])?(?:releases?|stable|maint(?:enance)?)[/_-].+"
    r"|refs/(?:heads|remotes/[^/]+)/v?\d+(?:\.(?:\d+|x))+.*"
    r"|refs/tags/.*\d+\.\d+.*"
)
_PICKED = re.compile(r"\(cherry[- ]picked from commit ([0-9a-f]{40,64})\)")
_MOST = 20_000
"""Commits of release branches that are looked at, the newest."""


async def read_backports(git: Git, tip: str) -> frozenset[str]:
    """Commits and subjects of what stands on release branches or tags and not below a tip.

    A pick is known by the note that ``git cherry-pick -x`` leaves, else by its subject.
    """
    listed = await git.run(
        "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes", "refs/tags"
    )
    names = [n for n in listed.decode("utf-8", "replace").splitlines() if _RELEASE.fullmatch(n)]
    if not names:
        return frozenset()
    revisions = "".join(f"{name}\n" for name in (*names, f"^{tip}")).encode()
    told = await git.run(
        "log",
        "--no-color",
        f"--max-count={_MOST}",
        "-z",
        "--format=%s%n%b",
        "--stdin",
        "--",
        stdin=revisions,
    )
    found: set[str] = set()
    for message in told.decode("utf-8", "replace").split("\0"):
        picked = _PICKED.findall(message)
        subject = message.partition("\n")[0].strip()
        found.update(picked or ([subject] if subject else []))
    return frozenset(found)
