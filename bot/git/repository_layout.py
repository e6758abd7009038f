"""Where a repository's folders are, and a view that borrows its objects and nothing else.

The layout, the object format and the remote are read from files, because a process may watch
hundreds of repositories; two git commands, which give the same answers, are run whenever the files
are not of the simplest kind.

Everything but references is read through the view. It has none of the other repository's
configuration, hooks, attributes, grafts, replacements or remotes: nothing there can run a program
or change what is read, and an absent object is simply absent. The view also holds a commit-graph,
with which looking at every commit is some twenty times faster (git-commit-graph(1)).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from bot.git.git_process import Git, GitFailed, finding, reading
from bot.util.files import write_whole
from digest.errors import NotARepository, UnwritableFolder
from digest.frozen import frozen


@frozen
class Layout:
    """The repository's folder, that shared by work trees, the hash, and ``origin``'s address."""

    git_dir: Path
    common_dir: Path
    object_format: str
    remote: str = ""


async def layout_of(folder: Path) -> Layout:
    """The layout of the repository that ``folder`` is in. Raises ``NotARepository``."""
    return plain_layout(folder) or await asked_layout(folder)


def plain_layout(folder: Path) -> Layout | None:
    """The layout according to the files, if they are unambiguous (gitrepository-layout(5))."""
    try:
        whole = folder.resolve(strict=True)
        git_dir = whole / ".git" if os.path.lexists(whole / ".git") else whole
        settings = _plain_settings(git_dir) if _is_plain(git_dir) else None
    except (OSError, ValueError, RuntimeError):
        return None
    object_format = _object_format(settings) if settings is not None else None
    if settings is None or object_format is None or not str(git_dir).isprintable():
        return None
    return Layout(
        git_dir=git_dir,
        common_dir=git_dir,
        object_format=object_format,
        remote=_main_address(
            {key: values[0] for key, values in settings.items() if _URL.match(key)}
        ),
    )


async def asked_layout(folder: Path) -> Layout:
    """The layout according to git. Raises ``NotARepository``."""
    asked = (
        "--show-object-format", "--path-format=absolute", "--absolute-git-dir", "--git-common-dir",
    )  # fmt: skip
    try:
        answer = await finding(folder).run("rev-parse", *asked)
    except GitFailed as failure:
        plain = "not a git repository" in failure.said
        raise NotARepository(str(folder), "" if plain else failure.complaint) from failure
    lines = answer.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n")
    if len(lines) != 3:
        raise NotARepository(str(folder), "its path contains a line break")
    return Layout(
        object_format=lines[0],
        git_dir=Path(lines[1]),
        common_dir=Path(lines[2]),
        remote=await _asked_remote(folder),
    )


async def _asked_remote(folder: Path) -> str:
    asked = ("config", "--local", "--null", "--get-regexp", r"^remote\..*\.url$")
    try:
        answer = await finding(folder).run(*asked)
    except GitFailed:
        return ""
    entries = (e.partition("\n") for e in answer.decode("utf-8", "replace").split("\0") if e)
    return _main_address({key: url for key, _, url in reversed(list(entries))})


def _main_address(urls: Mapping[str, str]) -> str:
    """The address that represents the repository, from the first address of each remote."""
    first = urls.get("remote.origin.url")
    return first or (next(iter(urls.values())) if len(urls) == 1 else "")


def _is_plain(git_dir: Path) -> bool:
    """Whether it is a repository by itself that does not refer to another one."""
    if git_dir.is_symlink() or (git_dir / "HEAD").is_symlink():
        return False
    if any(os.path.lexists(git_dir / name) for name in ("commondir", "gitdir", "config.worktree")):
        return False
    folders = (git_dir / "objects", git_dir / "refs")
    there = all(folder.is_dir() and os.access(folder, os.X_OK) for folder in folders)
    return there and bool(_HEAD.fullmatch((git_dir / "HEAD").read_bytes()))


_HEAD = re.compile(rb"(?:ref: refs/heads/[^\s\0]+|[0-9a-f]{40}|[0-9a-f]{64})\n")
_SECTION = re.compile(r"\[([A-Za-z0-9-]+)(?: \"([^\"\\\n\0]+)\")?\][ \t]*")
_VALUE = re.compile(r"[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*=[ \t]*([^\t\"\\#;]*)")
_URL = re.compile(r"remote\..*\.url\Z", re.DOTALL)
_KNOWN = {"extensions.partialclone", "extensions.objectformat"}


def _plain_settings(git_dir: Path) -> Mapping[str, list[str]] | None:
    """The values of each setting in order; ``None`` if a line is not of the simplest kind."""
    # Accepted from git-config(1) are a section, a name with a value, or a comment on one line.
    text = (git_dir / "config").read_bytes().decode("utf-8")
    settings: dict[str, list[str]] = {}
    for entry in _entries(text):
        if entry is None:
            return None
        settings.setdefault(entry[0], []).append(entry[1])
    return settings


def _entries(text: str) -> Iterator[tuple[str, str] | None]:
    section = ""
    for line in text.split("\n"):
        if not line.strip(" \t") or line.lstrip(" \t").startswith(("#", ";")):
            continue
        if head := _SECTION.fullmatch(line):
            section = ".".join(filter(None, (head[1].lower(), head[2])))
        elif section and line.strip("\t").isprintable() and (value := _VALUE.fullmatch(line)):
            yield f"{section}.{value[1].lower()}", value[2].rstrip(" ")
        else:
            yield None


def _object_format(settings: Mapping[str, list[str]]) -> str | None:
    """Git's name of the hash; ``None`` if other settings affect how the repository is read."""
    version = settings.get("core.repositoryformatversion", [""])
    extensions = {key for key in settings if key.startswith("extensions.")}
    bare = set(settings.get("core.bare", [])) - {"true", "false"}
    strange = extensions - _KNOWN or bare or "core.worktree" in settings
    includes = any(key.startswith(("include.", "includeif.")) for key in settings)
    if version not in (["0"], ["1"]) or strange or includes:
        return None
    named = settings.get("extensions.objectformat", ["sha1"])
    if len(named) > 1 or named[0] not in {"sha1", "sha256"} or (extensions and version != ["1"]):
        return None
    return named[0]


_STALE = 86_400.0
"""Seconds after which a graph is rewritten; until then newer commits are read individually."""


class BorrowedRepository:
    """A view of the repository in ``common_dir``, stored under ``data`` or temporarily."""

    # ``object_format`` is git's name of the hash, ``sha1`` or ``sha256``. If ``data`` cannot be
    # written, the view is temporary and removed with this object.

    def __init__(self, common_dir: Path, data: Path, object_format: str) -> None:
        self._objects = common_dir / "objects"
        self._shallow = common_dir / "shallow"
        self._files = {
            "HEAD": "ref: refs/heads/none\n",
            "config": _CONFIG[object_format],
            "objects/info/alternates": _quote_path(str(self._objects)) + "\n",
        }
        key = hashlib.sha256(str(common_dir).encode("utf-8", "surrogateescape")).hexdigest()
        self.folder = self._make(data / "views" / key[:16])

    def git(self) -> Git:
        """Git for reading objects by their full names; the view has no branches."""
        git = reading(self.folder)
        if self._shallow.exists():
            return git.with_environment(GIT_SHALLOW_FILE=str(self._shallow))
        return git

    def boundary(self) -> frozenset[str]:
        """The commits whose parents a shallow clone lacks (git-shallow(5))."""
        try:
            return frozenset(self._shallow.read_text(encoding="ascii").split())
        except OSError:
            return frozenset()

    async def index(self, tip: str) -> None:
        """Write a commit-graph for ``tip`` if it lacks a recent one; it may fail silently."""
        info = self._objects / "info"
        candidates = (info / "commit-graph", info / "commit-graphs")
        ours = self.folder / "objects" / "info" / "commit-graph"
        # Git uses no graph if the history is shallow.
        if self._shallow.exists() or any(path.exists() for path in candidates) or _fresh(ours):
            return
        with suppress(GitFailed, OSError):
            arguments = ("commit-graph", "write", "--stdin-commits", "--no-progress")
            await self.git().run(*arguments, stdin=f"{tip}\n".encode())
            os.utime(ours)

    def _make(self, folder: Path) -> Path:
        try:
            self._fill(folder)
        except (OSError, UnwritableFolder):
            folder = Path(tempfile.mkdtemp(prefix="digestbot-view-"))
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self._fill(folder)
        return folder

    def _fill(self, folder: Path) -> None:
        (folder / "refs").mkdir(parents=True, exist_ok=True)
        for name, text in self._files.items():
            file = folder / name
            if not file.exists() or file.read_text(encoding="utf-8") != text:
                write_whole(file, text)


_CONFIG = {
    "sha1": "[core]\n\trepositoryFormatVersion = 0\n\tbare = true\n",
    "sha256": (
        "[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n"
        "[extensions]\n\tobjectFormat = sha256\n"
    ),
}


def _fresh(file: Path) -> bool:
    return file.exists() and time.time() - file.stat().st_mtime < _STALE


def _quote_path(path: str) -> str:
    raw = path.encode("utf-8", "surrogateescape")
    return '"' + re.sub(rb"[^A-Za-z0-9._/-]", _escape, raw).decode("ascii") + '"'


def _escape(match: re.Match[bytes]) -> bytes:
    return b"\\%03o" % match[0][0]
