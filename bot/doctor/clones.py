"""The clones: whether git can read them, what is left of a clone that broke off, what they take."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from bot.config.sections import RepositoryConfig
from bot.doctor.finding import Finding, fault, well, worry
from bot.sources.address import read_address
from bot.sources.process import Git, GitFailed, reading

_UNFINISHED = ".unfinished"


async def clones(data: Path, repositories: Sequence[RepositoryConfig]) -> Sequence[Finding]:
    """Every clone in the data folder."""
    folder = data / "clones"
    there = sorted(one for one in folder.iterdir() if one.is_dir()) if folder.is_dir() else []
    if not there:
        return [well("clones", "none yet")]
    addresses = [read_address(one.place) for one in repositories]
    wanted = {address.folder for address in addresses if address is not None}
    return [await _clone(one, wanted=one.name in wanted or not repositories) for one in there]


async def _clone(folder: Path, *, wanted: bool) -> Finding:
    subject = f"clone {folder.name}"
    if folder.name.endswith(_UNFINISHED):
        cure = f"nothing while digestbot clones; else remove it: {folder}"
        return worry(subject, "was not finished", cure)
    size = await asyncio.to_thread(_size, folder)
    try:
        tip = await _tip(reading(folder))
    except GitFailed as failure:
        cure = f"remove {folder}; it is cloned anew when it is next needed"
        return fault(subject, f"git cannot read it ({failure.complaint})", cure)
    if tip is None:
        cure = "nothing, if nobody has pushed to it yet; else it is mended with the next fetch"
        return worry(subject, "has no commit where its HEAD is", cure)
    told = f"at {tip[:12]}, {size / 1e6:.1f} MB"
    if not wanted:
        return worry(subject, f"{told}, of no configured repository", f"remove it: {folder}")
    return well(subject, told)


async def _tip(git: Git) -> str | None:
    """The commit of ``HEAD``, every commit below it read; ``None`` where no branch is there.

    Raises ``GitFailed`` where something is damaged. A graph of commits would hide that.
    """
    head = (await git.run("symbolic-ref", "HEAD")).decode().strip()
    if not await git.run("for-each-ref", head):
        return None
    tip = (await git.run("rev-parse", "--verify", "HEAD^{commit}")).decode()
    await git.run("-c", "core.commitGraph=false", "rev-list", "--count", "HEAD")
    return tip


def _size(folder: Path) -> int:
    """The bytes of its files."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())
