"""From a place that a person names, a folder or an address, to an open repository.

The register stores under which name each place was read, so that no two repositories share a name
in the archive: a second one of that name gets a few digits of its path's hash appended. A question
without a repository means the place used last.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bot.git.address import (
    Address,
    folder_name,
    identify,
    looks_like_address,
    read_address,
    without_credentials,
)
from bot.git.git_process import require_git
from bot.git.git_source import GitSource
from bot.git.repository_layout import BorrowedRepository, layout_of
from bot.util.files import write_whole
from digest.core.grade import Repository
from digest.errors import NotARepository
from digest.frozen import frozen
from handlers.ports.storage import Tip

_FILE = "places.json"


class RepositoryRegistry:
    """The register: one small file in the data folder, always rewritten whole."""

    def __init__(self, data: Path) -> None:
        self._file = data / _FILE
        self._noted: dict[str, Repository] = {}

    def last(self) -> str | None:
        """The place that was used last."""
        return next(iter(self.all()), None)

    def all(self) -> tuple[str, ...]:
        """Every place, the one used last first."""
        entries = self._read()
        return tuple(sorted(entries, key=lambda place: -int(entries[place]["used"])))

    def place_of(self, name: str) -> str | None:
        """The place of a repository by its name, ignoring case."""
        wanted = name.casefold()
        entries = self._read()
        return next((p for p, e in entries.items() if str(e["name"]).casefold() == wanted), None)

    def name_of(self, place: str) -> str | None:
        """The name that a place was last read under."""
        entry = self._read().get(place)
        return str(entry["name"]) if entry else None

    def enter(self, place: str, repository: Repository) -> Repository:
        """Record a use; return the repository under its unique name in the archive."""
        entries = self._read()
        name = repository.name
        taken = any(e["name"] == name for p, e in entries.items() if p != place and not e["web"])
        if taken and not repository.web:
            name = f"{name}-{hashlib.sha256(place.encode()).hexdigest()[:6]}"
        used = 1 + max((int(e["used"]) for e in entries.values()), default=0)
        entries[place] = {"name": name, "web": repository.web, "used": used}
        # A place can be an address with a token.
        write_whole(self._file, f"{json.dumps(entries, ensure_ascii=False, indent=1)}\n", 0o600)
        return replace(repository, name=name)

    def note(self, place: str, repository: Repository) -> None:
        """Record a place once: with hundreds of them, not every question should write."""
        if self._noted.get(place) != repository:
            self.enter(place, repository)
            self._noted[place] = repository

    def _read(self) -> dict[str, dict[str, str | int]]:
        try:
            data = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}  # only a convenience: it is written again
        return data if isinstance(data, dict) else {}


async def open_source(
    place: str, data: Path, *, name: str | None = None, allow_file: bool = False
) -> tuple[Repository, GitSource]:
    """The repository at ``place`` (a folder in or with one, a bundle, an address), and its source.

    The last two are cloned under ``data`` when first opened; after that ``sync`` fetches.
    ``name`` is the ``owner/name`` that a person calls it by. ``allow_file`` allows ``file``
    addresses, for a local command line only. Raises ``NotARepository``, ``SourceUnavailable`` if
    git or the remote fails, ``UnwritableFolder`` and, for the name, ``UsageError``.
    """
    folder = folder_of(place)
    if folder is not None:
        await require_git()
        layout = await layout_of(folder)
        remote = read_address(layout.remote) if layout.remote else None
        top = layout.common_dir
        top = top.parent if top.name == ".git" else top
        repository = identify(remote, folder=folder_name(top), name=name)
        view = BorrowedRepository(layout.common_dir, data, layout.object_format)
        return repository, GitSource(layout.git_dir, view)
    from bot.git.clones import Clone

    address = accepted_address(place, allow_file=allow_file)
    repository = identify(address, folder="", name=name)
    await require_git()
    clone = Clone(address, data)
    await clone.ensure()
    layout = await layout_of(clone.git_dir)
    view = BorrowedRepository(clone.git_dir, data, layout.object_format)
    return repository, GitSource(clone.git_dir, view, remote=clone)


async def tip_of(place: str, data: Path, branch: str | None) -> Tip:
    """The tip of a branch now; an address is asked, and nothing is cloned. Raises as above."""
    if folder_of(place) is not None:
        return await (await open_source(place, data))[1].tip(branch)
    from bot.git.clones import Clone

    address = accepted_address(place)
    await require_git()
    return await Clone(address, data).remote_tip(branch)


def accepted_address(place: str, *, allow_file: bool = False) -> Address:
    """The address that a place, which is no folder, is. Raises ``NotARepository``."""
    if _is_file(place):
        return _bundle(Path(place).expanduser().absolute(), place)
    if not looks_like_address(place):
        raise NotARepository(place, "no such folder")
    address = read_address(place, allow_file=allow_file)
    if address is None:
        raise NotARepository(without_credentials(place), "this kind of address is not accepted")
    return address


def _bundle(file: Path, place: str) -> Address:
    """A file made by ``git bundle``, which git clones and fetches like an address."""
    try:
        with file.open("rb") as opened:
            known = opened.readline(64) in {b"# v2 git bundle\n", b"# v3 git bundle\n"}
    except OSError as error:
        raise NotARepository(place, error.strerror or "") from error
    if not known:
        raise NotARepository(place, "a file, and not one that git bundle made")
    path = str(file).strip("/").removesuffix(".bundle")
    return Address(url=str(file), transport="file", host="", path=path)


def _is_file(place: str) -> bool:
    try:
        return bool(place) and Path(place).expanduser().is_file()
    except (ValueError, RuntimeError):
        return False


def folder_of(place: str) -> Path | None:
    """The folder at a place; ``None`` if there is none."""
    try:
        folder = Path(place).expanduser().absolute()
        return folder if place and folder.is_dir() else None
    except (ValueError, RuntimeError):  # a NUL in the path, or the home of an unknown user
        return None


FRESH = 300.0  # seconds after which a place is checked again: folders move, remotes are renamed


@frozen(kw_only=False)
class _Opened:
    repository: Repository
    source: GitSource
    at: float


class Sources:
    """The open sources of a process, by place. One that fails to open is retried next time."""

    def __init__(self, data: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._data = data
        self._clock = clock
        self._opened: dict[str, _Opened] = {}
        self._opening: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def at_hand(self, place: str) -> bool:
        """Whether a place can be opened without another machine: nothing has to be cloned."""
        if place in self._opened:
            return True
        if looks_like_address(place):
            from bot.git.clones import Clone

            address = read_address(place)
            return address is not None and Clone(address, self._data).git_dir.is_dir()
        return True

    async def open(self, place: str) -> tuple[Repository, GitSource]:
        """See :func:`open_source`; a place is opened by one caller at a time."""
        async with self._opening[place]:
            opened = self._opened.get(place)
            if opened is None or opened.at + FRESH < self._clock():
                repository, source = await open_source(place, self._data)
                if opened is not None and opened.source.reads_as(source):
                    source = opened.source  # it has read the branch already
                source.stay()
                opened = self._opened[place] = _Opened(repository, source, self._clock())
            return opened.repository, opened.source
