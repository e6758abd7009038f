"""References, releases and backports of a repository, and selections as arguments of git.

Which commits were backported to release branches shows what was considered worth the trouble.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bot.git.git_process import Git, GitFailed, reading, stdin_lines
from digest.core.patterns import lazy
from digest.core.release import TaggedRelease, eligible, skipped, spellings, version_of
from digest.frozen import frozen
from digest.window import Window
from handlers.ports.storage import Range, Selection, Tip

_FULL_NAME = lazy(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
Revisions = tuple[tuple[str, ...], bytes]
"""Options of ``git rev-list`` and the revisions for its standard input."""


def revisions(branch: Tip, selection: Selection) -> Revisions | None:
    """The input of ``git rev-list --stdin`` that lists the selection; ``None`` if it is empty."""
    # A window is cut with ``--since-as-filter``: ``--since`` ends the walk at the first commit that
    # is too old, and would lose those behind one with a skewed clock.
    if isinstance(selection, Window):
        since, until = seconds(selection)
        if branch.sha is None or until <= since:
            return None
        # The end belongs to git's range.
        dates = (f"--since-as-filter=@{since} +0000", f"--until=@{until - 1} +0000")
        return ("--first-parent", *dates), stdin_lines([branch.sha])
    if isinstance(selection, Range):
        excluded = [] if selection.base is None else [f"^{full_name(selection.base)}"]
        return ("--first-parent",), stdin_lines([full_name(selection.tip), *excluded])
    names = dict.fromkeys(full_name(sha) for sha in selection)
    return (("--no-walk=unsorted", "--ignore-missing"), stdin_lines(list(names))) if names else None


def seconds(window: Window) -> tuple[int, int]:
    """The bounds of a window in whole seconds; commits without a date are of 1970 in git."""
    return max(math.ceil(window.since.timestamp()), 0), math.ceil(window.until.timestamp())


def full_name(text: str) -> str:
    """The text, which must be a full sha: nothing else may reach a command line."""
    if not _FULL_NAME.fullmatch(text):
        raise ValueError(f"{text!r} is not a full commit hash")
    return text


DETACHED = "HEAD"  # the branch's name if HEAD is detached: one name for every checkout by commit
_NAME = lazy(r"[^\s~^:?*\[\\\x00-\x1f\x7f-]((?!\.\.|@\{)[^\s~^:?*\[\\\x00-\x1f\x7f])*")
"""Valid names of references (git-check-ref-format(1)); revision syntax is excluded."""

_COMMIT = lazy(r"([0-9a-f]{40,64}) commit \d+")
_PLACES = ("refs/heads", "refs/remotes", "refs/remotes/origin", "refs/tags")
_Stamps = tuple[str, str, tuple[int, int, int] | None]


class References:
    """The references of the repository in ``git_dir``. All methods may raise ``GitFailed``."""

    def __init__(self, git_dir: Path) -> None:
        self.git = reading(git_dir)  # in the repository itself
        self._git_dir = git_dir
        self._head: tuple[_Stamps, tuple[str, str | None]] | None = None

    async def head(self) -> tuple[str, str | None]:
        """The branch that ``HEAD`` is on, or ``DETACHED``, and its commit, if there is one."""
        # Every question needs it: git is run again only if a file that determines it has changed.
        stamps = self._stamps()
        if self._head is not None and stamps is not None and self._head[0] == stamps:
            return self._head[1]
        found = await self._asked_head()
        self._head = (stamps, found) if stamps is not None else None
        return found

    def _stamps(self) -> _Stamps | None:
        """The state of the files that determine the head, taken before they are read.

        Git replaces files with new ones, so inode, size and time show a change. ``None`` if other
        files may matter too: a linked work tree, references in tables
        (https://git-scm.com/docs/reftable), a symbolic branch.
        """
        elsewhere = (self._git_dir / "commondir", self._git_dir / "reftable")
        if any(place.exists() for place in elsewhere):
            return None
        head = _text(self._git_dir / "HEAD").strip()
        name = head.removeprefix("ref: ")
        inside = name.startswith("refs/heads/") and ".." not in name
        branch = _text(self._git_dir / name) if inside else ""
        if not head or branch.startswith("ref:"):
            return None
        return head, branch, _stamp(self._git_dir / "packed-refs")

    async def _asked_head(self) -> tuple[str, str | None]:
        try:
            output = await self.git.run(
                "rev-parse", f"{DETACHED}^{{commit}}", "--symbolic-full-name", DETACHED
            )
        except GitFailed:  # a branch without a commit, or a dangling HEAD
            branch, sha = await asyncio.gather(
                self._answer("symbolic-ref", "--quiet", "--short", DETACHED), self._commit(DETACHED)
            )
            return branch or DETACHED, sha
        sha, _, name = output.decode("utf-8", "replace").strip().partition("\n")
        return name.removeprefix("refs/heads/"), sha

    async def named(self, name: str) -> tuple[str, str] | None:
        """The short name and commit of a branch, remote branch or tag, tried in this order."""
        short = name.removeprefix("refs/heads/")
        reference = await self._first(name, [f"{place}/{short}" for place in _PLACES])
        return (short, reference) if reference else None

    async def point(self, name: str) -> str | None:
        """The commit of a tag, branch or remote branch, in this order, or of a full sha."""
        short = name.removeprefix("refs/heads/")
        places = [f"refs/tags/{name}", *(f"{place}/{short}" for place in _PLACES)]
        return await self._first(name, [*places, name] if _FULL_NAME.fullmatch(name) else places)

    async def _first(self, name: str, candidates: Sequence[str]) -> str | None:
        """The commit of the first candidate that has one; all are resolved in one child process."""
        if not _NAME.fullmatch(name):
            return None
        asked = "".join(f"{candidate}^{{commit}}\n" for candidate in candidates)
        answers = await self.git.run("cat-file", "--batch-check", stdin=asked.encode())
        for line in answers.decode("utf-8", "replace").splitlines():
            if match := _COMMIT.fullmatch(line):
                return match[1]
        return None

    async def tags(self) -> list[str]:
        """The names of all tags."""
        listed = await self.git.run("for-each-ref", "--format=%(refname:short)", "refs/tags")
        return listed.decode("utf-8", "replace").split()

    async def branches(self) -> dict[str, str]:
        """The commits of all branches by short name, local ones first."""
        form = "--format=%(refname:short) %(objectname)"
        listed = await self.git.run("for-each-ref", form, "refs/heads", "refs/remotes")
        lines = listed.decode("utf-8", "replace").removesuffix("\n").split("\n")
        return {name: sha for name, _, sha in (line.partition(" ") for line in lines) if sha}

    async def _commit(self, reference: str) -> str | None:
        name = f"{reference}^{{commit}}"
        return await self._answer("rev-parse", "--verify", "--quiet", "--end-of-options", name)

    async def _answer(self, *arguments: str) -> str | None:
        """The output of a command, or ``None`` if its status says that there is nothing."""
        try:
            return (await self.git.run(*arguments)).decode("utf-8", "replace").strip()
        except GitFailed as failure:
            if failure.status == 1:
                return None
            raise


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


_MOST = 1000  # the most tags that are compared, the newest: each is an argument of git
_TAG = lazy(r"@?[0-9A-Za-z][\w./+@-]{0,98}", re.ASCII)
"""Characters of a release tag: nothing that git could take for an option or a pattern."""

_FIELDS = "%(refname:lstrip=2) %(objectname) %(*objectname)"


async def read_release(git: Git, name: str) -> TaggedRelease | None:
    """The release of a name; ``None`` if it is no tag. Raises ``GitFailed``."""
    wanted = [f"refs/tags/{tag}" for tag in spellings(name) if _TAG.fullmatch(tag)]
    found = await _tags(git, *wanted) if wanted else {}
    tag = next((tag_name for tag_name in spellings(name) if tag_name in found), None)
    if tag is None:
        return None
    commit = found[tag]
    below = await _tags(git, f"--merged={commit}", "--sort=-creatordate", "refs/tags")
    # Tags of the same commit, such as a final release and its last candidate, have no changes
    # between them.
    older = [
        tag_name for tag_name, at in below.items() if at != commit and _TAG.fullmatch(tag_name)
    ]
    before = await _nearest(git, commit, eligible(tag, older)[:_MOST])
    family = tag[: len(version.family)] if (version := version_of(tag)) else tag
    dates = await _dates(git, "--sort=creatordate", f"refs/tags/{family}*")
    earlier = [one for one in [*dates][: [*dates].index(tag)] if _TAG.fullmatch(one)]
    return TaggedRelease(tag=tag, before=skipped(tag, before, earlier) or before, at=dates.get(tag))


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
    dates = await _dates(git, "--sort=-creatordate", f"--count={_MOST}", "refs/tags")
    return {tag: dates[tag] for tag in _final(dates)}


def _final(tags: Iterable[str]) -> Iterator[str]:
    for tag in tags:
        version = version_of(tag) if _TAG.fullmatch(tag) else None
        if version and not version.preliminary:
            yield tag


async def _tags(git: Git, *arguments: str) -> dict[str, str]:
    """Tags with the commits or other objects that they point to, in git's order."""
    listed = await git.run("for-each-ref", f"--format={_FIELDS}", *arguments)
    fields = (line.split() for line in listed.decode("utf-8", "replace").splitlines())
    return {parts[0]: parts[-1] for parts in fields}


async def _nearest(git: Git, commit: str, tags: tuple[str, ...]) -> str:
    if not tags:
        return ""
    patterns = [f"--match={tag}" for tag in tags]
    output = await git.run("describe", "--tags", "--abbrev=0", *patterns, commit)
    return output.decode("utf-8", "replace").strip()


_RELEASE = lazy(
    r"refs/(?:heads|remotes/[^/]+)/(?:.*[/_-])?(?:releases?|stable|maint(?:enance)?)[/_-].+"
    r"|refs/(?:heads|remotes/[^/]+)/v?\d+(?:\.(?:\d+|x))+.*"
    r"|refs/tags/.*\d+\.\d+.*"
)

_PICKED = lazy(r"\(cherry[- ]picked from commit ([0-9a-f]{40,64})\)")
_BACKPORTS_MOST = 20_000  # the most commits of release branches that are read, the newest


async def read_backports(git: Git, tip: str) -> frozenset[str]:
    """Commits on release branches or tags but not below a tip: noted picks, or by subject."""
    backports: set[str] = set()
    for _, subject, picked in await _on_releases(git, tip, await _references(git)):
        backports.update(picked or ([subject] if subject else []))
    return frozenset(backports)


_UNRELEASED_MOST = 50_000  # commits that no release has that are named at once, the newest
_TAGS = "refs/tags/"
_PICKS = 5  # copies of a commit whose releases are looked up


@frozen
class ReleaseIndex:
    """What releases have of other commits: one walk serves every commit until a reference moves."""

    key: tuple[str, bytes]
    """The tip of the branch, and all references."""
    copies: Mapping[str, Sequence[str]]
    """Commits on release branches or tags but not on the branch, by what they are copies of: by the
    commit that they say they pick, and by their title."""
    unreleased: frozenset[str]
    """Commits of the branch that no final release has, the newest."""


async def read_release_index(git: Git, tip: str, known: ReleaseIndex | None = None) -> ReleaseIndex:
    """The index of a branch by its tip; ``known`` if it still holds."""
    refs = await _references(git)
    if known and known.key == (tip, refs):
        return known
    names = [line.partition(" ")[2] for line in refs.decode("utf-8", "replace").splitlines()]
    tags = [name for name in names if name.startswith(_TAGS)]
    final = [f"^{_TAGS}{tag}" for tag in _final(tag.removeprefix(_TAGS) for tag in tags)]
    near, lacking = await asyncio.gather(_on_releases(git, tip, refs), _lacking(git, tip, final))
    copies: dict[str, list[str]] = {}
    for sha, subject, picked in near:
        for name in {*picked, _title(subject)} - {""}:
            copies.setdefault(name, []).append(sha)
    return ReleaseIndex(key=(tip, refs), copies=copies, unreleased=lacking)


async def _lacking(git: Git, tip: str, final: Sequence[str]) -> frozenset[str]:
    if not final:
        return frozenset()
    limit = f"--max-count={_UNRELEASED_MOST}"
    return frozenset((await git.run("rev-list", limit, tip, *final, "--")).decode().split())


async def read_released(
    git: Git, index: ReleaseIndex, commit: str, subject: str
) -> tuple[str, list[str]]:
    """The first release with a commit or a copy of it, and the first ones of other lines with it.

    The first is empty if only copies are released.
    """
    first = "" if commit in index.unreleased else await _first_with(git, commit)
    releases: set[str] | None = None
    for sha, title in await _merged(git, commit, subject):
        named = [*index.copies.get(sha, ()), *index.copies.get(_title(title), ())]
        copies = [copy for copy in dict.fromkeys(named) if copy != sha]
        having = {await _first_with(git, copy) for copy in copies[:_PICKS]} - {""}
        releases = having if releases is None else releases & having
        if not releases:
            break
    every = sorted({*(releases or ()), first} - {""})
    if first and len(every) > 1:  # a release branch may have had it before
        made = await _dates(git, *(_TAGS + tag for tag in every))
        first = min(
            [first, *every], key=lambda tag: made.get(tag) or datetime.max.replace(tzinfo=UTC)
        )
    return first, [tag for tag in every if tag != first]


async def _merged(git: Git, commit: str, subject: str) -> list[tuple[str, str]]:
    """The commit with its subject; of a merge, the commits that it brought."""
    try:
        told = await git.run(
            "log", "--no-merges", f"--max-count={_INNER + 1}", "--format=%H %s",
            f"{commit}~1..{commit}", "--",
        )  # fmt: skip
    except GitFailed as failure:
        if failure.status is None:
            raise
        return [(commit, subject)]  # it has no parent here
    rows = (line.partition(" ") for line in told.decode("utf-8", "replace").splitlines())
    brought = [(sha, title) for sha, _, title in rows]
    return brought if 0 < len(brought) <= _INNER else [(commit, subject)]


_INNER = 20  # commits of a merged branch, of more than which no copies are looked for
_LEAST_WORDS = 4  # a shorter title may be that of another change
_NUMBER_BEHIND = lazy(r"(?:\s*\(#\d{1,9}\))+$")
_LINE_BEFORE = lazy(
    r"^(?:\[?(?:release|back-?port|cherry-?pick)[^\]:\s]*(?: to [^\]:\s]+)?[\]:]\s*"
    r"|\[v?\d+(?:\.[\dx]+)+\]\s*)+",
    re.IGNORECASE,
)
"""What a backport's title begins with: *[release-1.4]*, *Backport:*."""


def _title(subject: str) -> str:
    """What the titles of a change and of its copies have in common, whatever their numbers."""
    bare = _LINE_BEFORE.sub("", _NUMBER_BEHIND.sub("", subject)).strip()
    return bare.casefold() if bare.count(" ") + 1 >= _LEAST_WORDS else subject


async def _references(git: Git) -> bytes:
    """The branches and tags, each after the object that it points to."""
    form = "--format=%(objectname) %(refname)"
    return await git.run("for-each-ref", form, "refs/heads", "refs/remotes", "refs/tags")


async def _on_releases(git: Git, tip: str, refs: bytes) -> list[tuple[str, str, list[str]]]:
    """Commits on release branches or tags but not on a tip's line, with subject and noted picks.

    Those of a release branch that was merged back are among them.
    """
    listed = (line.partition(" ")[2] for line in refs.decode("utf-8", "replace").splitlines())
    names = [name for name in listed if _RELEASE.fullmatch(name)]
    if not names:
        return []
    output = await git.run(
        *("log", "--no-color", f"--max-count={_BACKPORTS_MOST}", "-z", "--format=%H%n%s%n%b"),
        *("--exclude-first-parent-only", "--stdin", "--"),
        stdin=stdin_lines([*names, f"^{tip}"]),
    )
    messages = filter(None, output.decode("utf-8", "replace").split("\0"))
    parts = (message.partition("\n") for message in messages)
    return [
        (sha, message.partition("\n")[0].strip(), _PICKED.findall(message))
        for sha, _, message in parts
    ]


async def _first_with(git: Git, commit: str) -> str:
    """The oldest tag of a final release that contains a commit; empty if there is none.

    Of several packages, it is of the whole or of one whose folder the commit changes.
    """
    made = await _dates(git, "--sort=creatordate", f"--contains={commit}", "refs/tags")
    package = {tag: _package(tag) for tag in _final(made)}
    if len({*package.values()}) > 1:
        told = await git.run(
            "show", "--first-parent", "--name-only", "--format=", "-z", commit, "--"
        )
        paths = told.decode("utf-8", "replace").lower().split("\0")
        folders = {folder for path in paths for folder in path.split("/")[:-1]}
        folders |= {folder.rpartition("-")[2] for folder in folders}
        package = {t: one for t, one in package.items() if not one or one in folders} or package
    whole = {made[tag] for tag, one in package.items() if not one}
    # Where the whole is tagged together with its packages, it is meant.
    return next((tag for tag, one in package.items() if not one or made[tag] not in whole), "")


def _package(tag: str) -> str:
    """The package that a tag is of; empty for the whole of a repository."""
    version = version_of(tag)
    return version.family.removesuffix("v").strip("-_@/").rpartition("/")[2] if version else ""


async def saying(git: Git, said: Sequence[str], tip: str, among: str) -> list[str]:
    """The commits whose messages say something: the newest ones and the oldest one."""
    form = ("--no-patch", "--format=%H", "--regexp-ignore-case")
    shas = (await git.run("log", among, *form, *said, tip, "--")).decode().split()
    return [*shas[:_MOST_WITH_TEXT], *shas[_MOST_WITH_TEXT:][-1:]]


_MOST_WITH_TEXT = 8  # the newest commits with a text that are given


async def merge_of(git: Git, sha: str, tip: str) -> str:
    """The commit along the first parents of ``tip`` that brought a commit of a branch."""
    between = (f"{sha}..{tip}", "--")
    line = (await git.run("rev-list", "--first-parent", *between)).decode().split()
    after = {*(await git.run("rev-list", "--ancestry-path", *between)).decode().split()}
    return next((commit for commit in reversed(line) if commit in after), "")
