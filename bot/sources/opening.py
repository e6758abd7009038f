"""From a place that a person names, a folder or an address, to the repository there."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from bot.sources.address import (
    Address,
    looks_like_address,
    read_address,
    without_credentials,
)
from bot.sources.clones import Clone
from bot.sources.git import GitSource
from bot.sources.identity import identify
from bot.sources.process import GitFailed, finding, require_git
from bot.sources.view import View
from digest.errors import NotARepository
from digest.graded import Repository


async def open_source(
    place: str, data: Path, *, name: str | None = None, allow_file: bool = False
) -> tuple[Repository, GitSource]:
    """The repository at ``place``, a folder in or with one or an address, and how to read it.

    An address is cloned under ``data`` when it is first opened; ``sync`` fetches after that.
    ``name`` is the ``owner/name`` that a person calls it by. ``allow_file`` admits ``file``
    addresses, for a local command line only. Raises ``NotARepository``, ``SourceUnavailable``
    where git or the remote does not answer, ``UnwritableFolder`` and, for the name, ``UsageError``.
    """
    folder = _folder(place)
    if folder is not None:
        _, layout, remote = await asyncio.gather(require_git(), _layout(folder), _remote(folder))
        top = layout.common_dir
        top = top.parent if top.name == ".git" else top
        repository = identify(remote, folder=top.name.removesuffix(".git"), name=name)
        view = View(layout.common_dir, data, layout.object_format)
        return repository, GitSource(layout.git_dir, view)
    if not looks_like_address(place):
        raise NotARepository(place, "no such folder")
    address = read_address(place, allow_file=allow_file)
    if address is None:
        raise NotARepository(without_credentials(place), "not an address that is accepted")
    repository = identify(address, folder="", name=name)
    await require_git()
    clone = Clone(address, data)
    await clone.ensure()
    layout = await _layout(clone.git_dir)
    view = View(clone.git_dir, data, layout.object_format)
    return repository, GitSource(clone.git_dir, view, remote=clone)


def _folder(place: str) -> Path | None:
    try:
        folder = Path(place).expanduser().absolute()
        return folder if place and folder.is_dir() else None
    except (ValueError, RuntimeError):  # a NUL in the path, or the home of nobody
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """The folder of a repository, the one its work trees share, and git's name of the hash."""

    git_dir: Path
    common_dir: Path
    object_format: str


async def _layout(folder: Path) -> _Layout:
    """Of the repository that ``folder`` is in."""
    asked = (
        "--show-object-format", "--path-format=absolute", "--absolute-git-dir", "--git-common-dir",
    )  # fmt: skip
    try:
        answer = await finding(folder).run("rev-parse", *asked)
    except GitFailed as failure:
        raise NotARepository(str(folder), failure.complaint) from failure
    lines = answer.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n")
    if len(lines) != 3:
        raise NotARepository(str(folder), "there is a line end in its path")
    return _Layout(object_format=lines[0], git_dir=Path(lines[1]), common_dir=Path(lines[2]))


async def _remote(folder: Path) -> Address | None:
    """The address of ``origin``, or of the only other remote."""
    asked = ("config", "--local", "--null", "--get-regexp", r"^remote\..*\.url$")
    try:
        answer = await finding(folder).run(*asked)
    except GitFailed:
        return None
    entries = (e.partition("\n") for e in answer.decode("utf-8", "replace").split("\0") if e)
    urls = {key: url for key, _, url in reversed(list(entries))}
    chosen = urls.get("remote.origin.url") or (next(iter(urls.values())) if len(urls) == 1 else "")
    return read_address(chosen) if chosen else None
