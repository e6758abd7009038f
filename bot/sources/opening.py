"""From a place that a person names, a folder or an address, to the repository there."""

from __future__ import annotations

from pathlib import Path

from bot.sources.address import (
    looks_like_address,
    read_address,
    without_credentials,
)
from bot.sources.clones import Clone
from bot.sources.git import GitSource
from bot.sources.identity import identify
from bot.sources.layout import layout_of
from bot.sources.process import require_git
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
        await require_git()
        layout = await layout_of(folder)
        remote = read_address(layout.remote) if layout.remote else None
        top = layout.common_dir
        top = top.parent if top.name == ".git" else top
        repository = identify(remote, folder=top.name.removesuffix(".git"), name=name)
        view = View(layout.common_dir, data, layout.object_format)
        return repository, GitSource(layout.git_dir, view)
    if not looks_like_address(place):
        raise NotARepository(place, "a file, not a folder" if _is_file(place) else "no such folder")
    address = read_address(place, allow_file=allow_file)
    if address is None:
        raise NotARepository(without_credentials(place), "not an address that is accepted")
    repository = identify(address, folder="", name=name)
    await require_git()
    clone = Clone(address, data)
    await clone.ensure()
    layout = await layout_of(clone.git_dir)
    view = View(clone.git_dir, data, layout.object_format)
    return repository, GitSource(clone.git_dir, view, remote=clone)


def _is_file(place: str) -> bool:
    try:
        return bool(place) and Path(place).expanduser().is_file()
    except (ValueError, RuntimeError):
        return False


def _folder(place: str) -> Path | None:
    try:
        folder = Path(place).expanduser().absolute()
        return folder if place and folder.is_dir() else None
    except (ValueError, RuntimeError):  # a NUL in the path, or the home of nobody
        return None
