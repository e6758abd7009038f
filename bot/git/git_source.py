"""A git repository as a source of changes; :mod:`bot.git.open_source` finds and opens one."""

from __future__ import annotations

import logging
import re
from collections import deque
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing, contextmanager
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches
from itertools import groupby
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bot.git import history_index, patches
from bot.git.address import without_credentials
from bot.git.git_process import Git, GitFailed
from bot.git.history_index import PROGRAM, SETTINGS, FirstParents, NumberIndex
from bot.git.repository_layout import BorrowedRepository
from bot.git.revisions import (
    DETACHED,
    References,
    ReleaseIndex,
    full_name,
    merge_of,
    newest_releases,
    read_backports,
    read_release,
    read_release_index,
    read_released,
    revisions,
    saying,
    seconds,
)
from digest.core.change import Change, Commit, FileChange
from digest.core.release import TaggedRelease
from digest.errors import AmbiguousReference, SourceUnavailable, UnknownBranch
from digest.facts.subject import read_subject, unwrap_message
from digest.window import Window
from handlers.ports.storage import Range, Selection, Tip, TitledCommit

if TYPE_CHECKING:
    from bot.git.clones import Clone

log = logging.getLogger(__name__)

T = TypeVar("T")

_AHEAD = 1000  # commits whose absent blobs are fetched at a time: a few weeks of a large project
_LISTS = 8  # selections whose commit lists are cached: for a given tip they never change
_DESCENTS = 10_000
"""Pairs of commits of which one is known to descend from the other, which never changes."""

_MOST_FETCHED = 50_000
"""The most absent files of a tree fetched to search it: more than large projects have."""

_SHORT_NAME = re.compile(r"[0-9a-f]{4,64}")


_CLOSES = (
    "(close[sd]?|fix(e[sd])?|resolve[sd]?):?[[:blank:]]+(issue )?(#|http[^[:blank:]]*/issues/)"
)


class GitSource:
    """Implements ``handlers.ports.storage.Source`` with the git command line, read only."""

    # References are looked up in ``git_dir``; everything else is read through ``view``. ``remote``
    # is given for our own clones; other repositories are never fetched.

    def __init__(
        self, git_dir: Path, view: BorrowedRepository, *, remote: Clone | None = None
    ) -> None:
        self._place = (git_dir, view.folder, view.boundary())
        self._references = References(git_dir)
        self._view = view
        self._mentions = NumberIndex(view.folder)
        self._remote = remote
        self._line: FirstParents | None = None
        self._releases: ReleaseIndex | None = None
        self._descents: set[tuple[str, str]] = set()
        self._titles: dict[str, Sequence[TitledCommit]] = {}  # of a tip, and after one commit
        self._listed: deque[tuple[str | None, Selection, Sequence[str]]] = deque(maxlen=_LISTS)

    def reads_as(self, other: GitSource) -> bool:
        """Whether the other source reads the same repository, cut off at the same commits."""
        return self._place == other._place

    def stay(self) -> None:
        """Keep what git reads for one question for the next ones."""
        self._line = self._line or FirstParents()

    async def sync(self, since: datetime | None = None) -> None:
        """Fetch what is new into our own clone, unless another process did after ``since``."""
        if self._remote is not None:
            with _git_errors():
                await self._remote.fetch(since)

    async def tip(self, branch: str | None = None) -> Tip:
        """The newest commit of ``branch``, or of the branch that ``HEAD`` is on.

        ``branch`` may also be a remote branch (``origin/main``), a tag or a commit. Raises
        ``UnknownBranch``, and ``AmbiguousReference`` for an abbreviated sha of several commits.
        """
        with _git_errors():
            if branch is None or branch == DETACHED:
                return await self._head()
            if reference := await self._references.named(branch):
                return Tip(branch=reference[0], sha=reference[1])
            if commits := await self._commits_named(branch):
                return Tip(branch=commits[0][:12], sha=commits[0])
            near = get_close_matches(branch, await self._references.branches())
            raise UnknownBranch(branch, near)

    async def branches(self) -> Mapping[str, str]:
        """The commits of all branches by name, local ones first."""
        with _git_errors():
            return await self._references.branches()

    async def resolve(self, reference: str) -> str:
        """The full sha of a name. Raises ``UnknownBranch`` and ``AmbiguousReference``."""
        # Tags come first because they name releases.
        with _git_errors():
            if reference == DETACHED:
                if sha := (await self._references.head())[1]:
                    return sha
            elif sha := await self._references.point(reference):
                return sha
            elif commits := await self._commits_named(reference.lower()):
                return commits[0]
            known = [*await self._references.tags(), *await self._references.branches()]
            raise UnknownBranch(reference, get_close_matches(reference, known))

    async def release(self, name: str) -> TaggedRelease | None:
        """The release of a tag and the one before it; ``None`` if the name is no tag."""
        with _git_errors():
            return await read_release(self._references.git, name)

    async def releases(self) -> Mapping[str, datetime | None]:
        """Tags of final releases and when they were made, newest first."""
        with _git_errors():
            return await newest_releases(self._references.git)

    async def changes(self, branch: Tip, selection: Selection) -> AsyncIterator[Sequence[Change]]:
        """The changes of a selection in batches, newest first along the branch's first parents."""
        # Commits given one by one keep their order, and missing ones are skipped.
        with _git_errors():
            boundary = self._view.boundary()
            names = await self._selected_commits(branch, selection)
            for cut, group in groupby(names, boundary.__contains__):
                if cut:
                    yield await patches.read_commits(self._view.git(), list(group))
                    continue
                async with aclosing(self._read(list(group))) as batches:
                    async for batch in batches:
                        yield batch

    async def _selected_commits(self, branch: Tip, selection: Selection) -> Sequence[str]:
        if isinstance(selection, Window | Range):
            return await self.names(branch, selection)
        return list(dict.fromkeys(full_name(sha) for sha in selection))

    async def names(self, branch: Tip, selection: Selection) -> Sequence[str]:
        """Full shas of the selection's commits, as ``git rev-list`` lists them, newest first."""
        for sha, listed, names in self._listed:
            if (sha, listed) == (branch.sha, selection):
                return names
        with _git_errors():
            names = await self._list(branch, selection)
        self._listed.append((branch.sha, selection, names))
        return names

    async def count(self, branch: Tip, selection: Selection) -> int:
        """How many commits ``git rev-list --count`` finds in the selection."""
        return len(await self.names(branch, selection))

    async def find(
        self,
        branch: Tip,
        number: int | None = None,
        sha: str = "",
        text: str = "",
        issue: int | None = None,
    ) -> Sequence[str]:
        """Full shas of commits with a request number, a short sha or a text, or closing an issue.

        They are newest first. A number and a text are looked up in the messages of the branch's
        first parents, a sha of at least four digits in the whole repository. A text that only
        commits of merged branches have gives their merges. Of many commits with a text, the newest
        ones and the oldest one are given. Raises ``AmbiguousReference``.
        """
        with _git_errors():
            if sha:
                return await self._commits_named(sha.lower())
            said = ("--fixed-strings", f"--grep={text}")
            if issue is not None:
                said = ("--extended-regexp", f"--grep={_CLOSES}{issue}([^0-9]|$)")
            if (text or issue is not None) and branch.sha is not None:
                shas = await saying(self._view.git(), said, branch.sha, "--first-parent")
                if not shas:
                    inner = await saying(self._view.git(), said, branch.sha, "--no-merges")
                    merges = [await merge_of(self._view.git(), sha, branch.sha) for sha in inner]
                return shas or list(dict.fromkeys(filter(None, merges)))
            if number is None or branch.sha is None:
                return ()
            naming = await self._mentions.naming(self._view.git(), branch, number)
            said = ("--fixed-strings", f"--grep=(#{number})")
            # A commit of a merged branch may have a number of its own.
            naming = naming or await saying(self._view.git(), said, branch.sha, "--no-merges")
            commits = await patches.read_commits(self._view.git(), naming) if naming else ()
            return [c.sha for c in commits if request_of(c.commit) == number]

    async def titles(self, branch: Tip, after: str = "") -> Sequence[TitledCommit]:
        """The commits along the first parents with their titles, the newest first."""
        # A merge is titled by its subject and the first line of its message that tells more.
        if branch.sha is None:
            return ()
        span = f"{after}..{branch.sha}" if after else branch.sha
        if span not in self._titles:
            with _git_errors():
                listed = await history_index.read_titles(self._view.git(), span)
            whole = {key: kept for key, kept in self._titles.items() if key == branch.sha}
            self._titles = whole | {span: listed}
        return self._titles[span]

    async def is_ancestor(self, base: str, tip: str) -> bool:
        """Whether ``tip`` descends from ``base``; false if ``base`` is gone."""
        if (base, tip) in self._descents:
            return True
        try:
            ends = (full_name(base), full_name(tip))
            await self._view.git().run("merge-base", "--is-ancestor", *ends)
        except GitFailed as failure:
            if failure.status is None:
                raise _unavailable(failure) from failure
            return False
        if len(self._descents) >= _DESCENTS:
            self._descents.clear()
        self._descents.add((base, tip))
        return True

    async def texts(self, blobs: Sequence[str]) -> Mapping[str, str]:
        """The contents of blobs by name; absent, oversized (1 MiB) and binary ones are left out."""
        with _git_errors():
            return await patches.read_texts(self._view.git(), [full_name(blob) for blob in blobs])

    async def mentions(
        self, commit: str, words: Collection[str], *, settings: bool = False
    ) -> Mapping[str, Collection[str]] | None:
        """Paths of program text by word, or of ``settings``; ``None`` if it cannot be searched."""
        languages = SETTINGS if settings else PROGRAM
        return await self._searched(commit, history_index.find_mentions, words, languages)

    async def lines_with(
        self, commit: str, parts: Collection[str]
    ) -> Mapping[str, Sequence[int]] | None:
        """Lines of program text, from 1, that have all parts in any case, by path; or ``None``."""
        return await self._searched(commit, history_index.find_lines, parts)

    async def _searched(
        self,
        commit: str,
        find: Callable[[Git, str, Collection[str], Collection[str]], Awaitable[T]],
        words: Collection[str],
        languages: Collection[str] = PROGRAM,
    ) -> T | None:
        with _git_errors():
            name = full_name(commit)
            if self._remote is not None and not await self._hold(self._remote, name, languages):
                return None
            try:
                return await find(self._view.git(), name, words, languages)
            except GitFailed as failure:
                if failure.status is None:
                    raise
                log.warning("source.unsearched: %s, %s", name[:12], failure)
                return None

    async def contents(self, places: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
        """The texts of files by commit and path; absent, oversized and binary ones are left out."""
        with _git_errors():
            named = [(full_name(c), p) for c, p in places]
            return await patches.read_places(self._view.git(), named)

    async def difference(self, base: str, tip: str, paths: Collection[str]) -> Sequence[FileChange]:
        """The net changes of files between two commits, with renames among these files."""
        git, ends = self._view.git(), (full_name(base), full_name(tip))
        with _git_errors():
            listed = await patches.read_difference(git, *ends, paths, lines=False)
            if self._remote is not None:
                await self._bring(self._remote, [b for f in listed for b in patches.blobs_in(f)])
            try:
                return await patches.read_difference(git, *ends, paths)
            except GitFailed as failure:
                if failure.status is None:
                    raise
                return [replace(file, omitted=True) for file in listed]

    async def log(
        self, branch: Tip, path: str = "", before: datetime | None = None, *, mainline: bool = False
    ) -> Sequence[tuple[str, str]]:
        """Full names and authors of commits, newest first: of a path, or until a time."""
        if branch.sha is None:
            return ()
        lines = "--first-parent" if mainline else "--no-merges"
        until = [f"--before={before.isoformat()}"] if before else []
        within = [path] if path else []
        with _git_errors():
            listed = await self._view.git().run(
                "log", "--no-patch", "--format=%H %an", lines, *until, branch.sha, "--", *within
            )
        rows = (line.partition(" ") for line in listed.decode("utf-8", "replace").splitlines())
        return [(sha, author) for sha, _, author in rows]

    async def files(self, branch: Tip) -> Mapping[str, str]:
        """The paths of the files at a tip, with the names of their blobs."""
        if branch.sha is None:
            return {}
        with _git_errors():
            return await self._tree(branch.sha)

    async def backported(self, branch: Tip) -> frozenset[str]:
        """Commits and subjects of the branch that are also on release branches or tags."""
        if branch.sha is None:
            return frozenset()
        with _git_errors():
            return await read_backports(self._references.git, branch.sha)

    async def released(self, branch: Tip, sha: str, subject: str) -> tuple[str, Sequence[str]]:
        """The first release that contains a commit, and the releases with a copy of it."""
        with _git_errors():
            git, tip = self._references.git, branch.sha or sha
            self._releases = await read_release_index(git, tip, self._releases)
            return await read_released(git, self._releases, full_name(sha), subject)

    async def _head(self) -> Tip:
        branch, sha = await self._references.head()
        if sha is None and (others := await self._references.branches()):
            raise UnknownBranch(branch, list(others)[:3])
        return Tip(branch=branch, sha=sha)

    async def _list(self, branch: Tip, selection: Selection) -> Sequence[str]:
        asked = revisions(branch, selection)
        if asked is None:
            return ()
        options, stdin = asked
        if isinstance(selection, Window) and branch.sha:
            await self._view.index(branch.sha)
            if self._line is not None:
                since, until = seconds(selection)
                return await self._line.within(self._view.git(), branch.sha, since, until)
            # A single window is fastest by git itself; whoever asks again will go on asking.
            self._line = FirstParents()
        listed = await self._view.git().run("rev-list", *options, "--stdin", "--", stdin=stdin)
        return listed.decode().split()

    async def _read(self, names: Sequence[str]) -> AsyncGenerator[Sequence[Change], None]:
        step = len(names) if self._remote is None else _AHEAD
        for start in range(0, len(names), step):
            ahead = names[start : start + step]
            if self._remote is not None:
                # What the patches need; what cannot be fetched counts as omitted.
                blobs = await patches.blobs_of(self._view.git(), ahead)
                await self._bring(self._remote, blobs)
            async with aclosing(patches.read_changes(self._view.git(), ahead)) as batches:
                async for batch in batches:
                    yield await patches.with_branches(self._view.git(), batch)

    async def _hold(self, remote: Clone, commit: str, languages: Collection[str]) -> bool:
        """Have the text of a tree in some languages in the clone, fetched at once where absent."""
        try:
            files = await self._tree(commit)
        except GitFailed as failure:
            if failure.status is None:
                raise
            return False
        blobs = {blob: path for path, blob in files.items()}
        wanted = [one for one, path in blobs.items() if history_index.is_searched(path, languages)]
        return await self._bring(remote, wanted, _MOST_FETCHED)

    async def _bring(self, remote: Clone, blobs: Sequence[str], most: float = inf) -> bool:
        """Fetch absent blobs at once, up to ``most``; return whether all are there."""
        there = await patches.find_objects(self._view.git(), blobs)
        absent = [blob for blob in blobs if blob not in there]
        if len(absent) > most:
            return False
        try:
            if absent:
                await remote.bring(absent)
        except SourceUnavailable as error:
            log.warning("source.blobs_absent: %d absent, %s", len(absent), error)
            return False
        return True

    async def _tree(self, commit: str) -> dict[str, str]:
        listed = await self._view.git().run("ls-tree", "-r", "-z", "--full-tree", commit)
        entries = listed.decode("utf-8", "surrogateescape").split("\0")
        fields = (entry.partition("\t") for entry in entries)
        return {path: told.rpartition(" ")[2] for told, _, path in fields if " blob " in told}

    async def _commits_named(self, sha: str) -> Sequence[str]:
        if not _SHORT_NAME.fullmatch(sha):
            return ()
        listed = (await self._view.git().run("rev-parse", f"--disambiguate={sha}")).decode().split()
        objects = await patches.find_objects(self._view.git(), listed)
        commits = [name for name in listed if name in objects and objects[name][0] == "commit"]
        if len(commits) > 1:
            raise AmbiguousReference(sha, commits)
        return commits


def request_of(commit: Commit) -> int | None:
    """The request that a message states as its own, as the facts of a change read it."""
    message = unwrap_message(commit)
    return read_subject(message.title, message.body, message.number).number


@contextmanager
def _git_errors() -> Iterator[None]:
    try:
        yield
    except GitFailed as failure:
        raise _unavailable(failure) from failure


def _unavailable(failure: GitFailed) -> SourceUnavailable:
    return SourceUnavailable(
        f"the repository could not be read ({without_credentials(str(failure))}); "
        "run git fsck for details"
    )
