"""Reads commits into changes and blobs into texts, many in one child process of git.

Reading continues past absent or damaged objects. A merge is told by the branch it brings: its
author is who wrote the branch, not whoever merged it, and its text is that of the branch's commit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncGenerator, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace

from bot.git.git_process import Git, GitFailed, stdin_lines
from digest.core.authors import is_bot
from digest.core.change import Change, Commit, FileChange, FileStatus
from digest.diff.git_log import FORMAT, PatchReader
from digest.facts.subject import unwrap_message
from digest.frozen import frozen

TEXT_LIMIT = 1 << 20
"""The size in bytes above which texts are not read: hand-written source is never as large."""

_BINARY_PROBE = 8000  # bytes in which a NUL makes a text binary; git's own rule (buffer_is_binary)


async def find_objects(git: Git, names: Iterable[str]) -> Mapping[str, tuple[str, int]]:
    """Type and size in bytes of each existing object, by full name."""
    asked = list(dict.fromkeys(names))
    if not asked:
        return {}
    answers = await git.run("cat-file", "--batch-check", "--buffer", stdin=stdin_lines(asked))
    objects = {}
    for line in answers.decode().splitlines():
        name, kind, *size = line.split(" ")
        if size:
            objects[name] = (kind, int(size[0]))
    return objects


async def read_texts(git: Git, names: Iterable[str]) -> Mapping[str, str]:
    """The texts of blobs by name, without absent and binary ones and those over ``TEXT_LIMIT``."""
    async with aclosing(read_blobs(git, names)) as blobs:
        return {
            name: content.decode("utf-8", "replace")
            async for name, content in blobs
            if content is not None
        }


async def read_places(git: Git, places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The texts of files by commit and path, without absent ones and those that are not text."""
    asked = [place for place in dict.fromkeys(places) if "\n" not in place[1]]
    if not asked:
        return {}
    spelled = [f"{commit}:{path}".encode("utf-8", "surrogateescape") for commit, path in asked]
    answers = await git.run(
        "cat-file", "--batch-check", "--buffer", stdin=b"".join(s + b"\n" for s in spelled)
    )
    blobs = {
        place: line.split(b" ")[0].decode()
        for place, line in zip(asked, answers.splitlines(), strict=True)
        if not line.endswith(b" missing")
    }
    texts = await read_texts(git, blobs.values())
    return {place: texts[blob] for place, blob in blobs.items() if blob in texts}


async def read_blobs(
    git: Git, names: Iterable[str]
) -> AsyncGenerator[tuple[str, bytes | None], None]:
    """The contents of blobs by name, one after the other; ``None`` if a blob is absent.

    Binary ones and those over ``TEXT_LIMIT`` are left out.
    """
    # Git learns the size of an object only when it is asked for it. Large ones are so few that a
    # new child after each costs less than a child that lists all sizes first.
    asked = list(dict.fromkeys(names))
    while asked:
        rest, done, large = b"", 0, False
        listed = stdin_lines(asked)
        async with aclosing(git.stream("cat-file", "--batch", "--buffer", stdin=listed)) as out:
            async for chunk in out:
                rest += chunk
                at = 0
                # Each answer is "<name> <type> <size>\n<content>\n", or "<name> missing\n".
                while (end := rest.find(b"\n", at)) >= 0:
                    name, kind, *size = rest[at:end].decode().split(" ")
                    after = end + (1 + int(size[0]) if size else 0)
                    large = after - end > TEXT_LIMIT + 1
                    if large or len(rest) <= after:
                        break
                    content = rest[end + 1 : after]
                    at, done = after + 1, done + 1
                    if not size:
                        yield name, None
                    elif kind == "blob" and b"\0" not in content[:_BINARY_PROBE]:
                        yield name, content
                if large:
                    break
                rest = rest[at:]
        asked = asked[done + 1 :] if large else []


Batch = list[Change]
SLICE = 32  # changes in a batch, and commits that are read carefully after one could not be read
_BATCH_BYTES = 1 << 20
"""Bytes of patch after which a batch is handed over, however few changes it has."""

_SUBMODULE = "160000"
_ARGUMENT_BYTES = 64 << 10
"""Bytes of paths for one child; Linux allows 2 MiB of arguments, other systems less."""

# git applies --ignore-missing only to names that follow it.
_COMMITS = ("log", "--no-walk=unsorted", "--ignore-missing", "--stdin", f"--format={FORMAT}")
_FILES = (
    "--diff-merges=first-parent", "--no-abbrev", "--full-index", "--no-color", "--no-ext-diff",
    "--no-textconv", "--raw",
)  # fmt: skip
_PATCHES = ("-p", "-U0", "-M")
_EXACT = "-M100%"  # only equal blobs make a rename here: comparing contents would need absent ones


async def read_changes(git: Git, names: Sequence[str]) -> AsyncGenerator[Batch, None]:
    """The changes of commits in the given order, normally from a single child process.

    A file whose content is absent is listed with ``omitted``; a commit whose trees are absent is a
    change with ``omitted``. Raises ``GitFailed`` if not even the commit can be read.
    """
    rest = list(names)
    while rest:
        last = ""
        try:
            async with aclosing(_stream(git, rest)) as batches:
                async for batch in batches:
                    last = batch[-1].sha
                    yield batch
        except GitFailed as failure:
            if failure.status is None:
                raise
            rest = rest[rest.index(last) + 1 :] if last else rest
            yield await _around_gaps(git, rest[:SLICE])
            rest = rest[SLICE:]
        else:
            return


async def read_commits(git: Git, names: Sequence[str]) -> Batch:
    """The changes without their files, for commits that cannot be compared with a parent."""
    changes = await _collect(git, names, ("--no-patch",))
    return [replace(change, files=(), omitted=True) for change in changes]


async def blobs_of(git: Git, names: Sequence[str]) -> list[str]:
    """The blobs that the patches of the commits are made from, each once."""
    files = (
        f for change in await _collect(git, names, (*_FILES, "--no-renames")) for f in change.files
    )
    return list(dict.fromkeys(b for f in files for b in blobs_in(f)))


async def read_difference(
    git: Git, base: str, tip: str, paths: Collection[str], *, lines: bool = True
) -> tuple[FileChange, ...]:
    """The net changes of files between two commits, with renames among them if ``lines``."""
    reader, found = PatchReader(), []
    for some in _arguments([FileChange(path=p, status=FileStatus.MODIFIED) for p in paths]):
        reader.feed(_NO_COMMIT)
        options = _PATCHES if lines else ("--no-renames",)
        out = git.stream("diff-tree", "-r", *_FILES, *options, base, tip, "--", *some)
        async with aclosing(out) as chunks:
            async for chunk in chunks:
                reader.feed(chunk)
        found += [file for change in reader.finish() for file in change.files]
    return tuple(found)


_NO_COMMIT = b"\0" * FORMAT.count("%x00") + b"\n"
"""The header of a record that belongs to no commit."""


async def _stream(
    git: Git,
    names: Sequence[str],
    options: Sequence[str] = (*_FILES, *_PATCHES),
    paths: Sequence[bytes] = (),
) -> AsyncGenerator[Batch, None]:
    """The changes that git lists; what it listed before it failed comes before ``GitFailed``."""
    reader = PatchReader()
    batch: Batch = []
    size = 0
    failure = None
    out = git.stream(*_COMMITS, *options, "--", *paths, stdin=stdin_lines(names))
    try:
        async with aclosing(out) as chunks:
            async for chunk in chunks:
                batch += reader.feed(chunk)
                size += len(chunk)
                if len(batch) >= SLICE or (batch and size >= _BATCH_BYTES):
                    yield batch
                    batch, size = [], 0
        batch += reader.finish()
    except GitFailed as error:
        failure = error
    if batch:
        yield batch
    if failure:
        raise failure


async def _collect(
    git: Git, names: Sequence[str], options: Sequence[str], paths: Sequence[bytes] = ()
) -> Batch:
    if not names:
        return []
    async with aclosing(_stream(git, names, options, paths)) as batches:
        return [change async for batch in batches for change in batch]


async def _around_gaps(git: Git, names: Sequence[str]) -> Batch:
    """Read commits of which at least one lacks objects."""
    changes = await _listing(git, names)
    there = await find_objects(git, (b for c in changes for f in c.files for b in blobs_in(f)))
    whole = [
        c.sha
        for c in changes
        if not c.omitted and all(b in there for f in c.files for b in blobs_in(f))
    ]
    read = {change.sha: change for change in await _tolerant(git, whole)}
    return [read[c.sha] if c.sha in read else await _partly(git, c, there.keys()) for c in changes]


async def _listing(git: Git, names: Sequence[str]) -> Batch:
    """The changes with their files but without patches; without files if trees are absent."""
    try:
        return await _collect(git, names, (*_FILES, _EXACT))
    except GitFailed:
        if len(names) > 1:
            return [change for name in names for change in await _listing(git, [name])]
        return await read_commits(git, names)


async def _tolerant(git: Git, names: Sequence[str]) -> Batch:
    """The changes that can be read; a damaged blob is only found by reading it."""
    try:
        return await _collect(git, names, (*_FILES, *_PATCHES))
    except GitFailed:
        if len(names) > 1:
            return [change for name in names for change in await _tolerant(git, [name])]
        return []


async def _partly(git: Git, change: Change, there: Collection[str]) -> Change:
    """The listed change with the patches of the files whose content exists."""
    clear = [f for f in change.files if all(b in there for b in blobs_in(f))]
    read: dict[str, FileChange] = {}
    options = (*_FILES, "-p", "-U0", _EXACT)
    for paths in _arguments(clear):
        try:
            changes = await _collect(git, [change.sha], options, paths)
        except GitFailed:
            continue
        read.update((f.path, f) for c in changes for f in c.files)
    return replace(change, files=tuple(read.get(f.path) or _unread(f) for f in change.files))


def _unread(file: FileChange) -> FileChange:
    # A file that was only renamed or made executable has no lines to read.
    return file if file.old_id == file.new_id else replace(file, omitted=True)


def blobs_in(file: FileChange) -> list[str]:
    """The blobs that the file's patch is made from; a submodule's commit is no blob."""
    sides = ((file.old_id, file.old_mode), (file.new_id, file.new_mode))
    return [name for name, mode in sides if name and mode != _SUBMODULE]


def _arguments(files: Sequence[FileChange]) -> Iterator[list[bytes]]:
    """The paths of the files in groups that fit a command line; those of one file stay together."""
    group: list[bytes] = []
    size = 0
    for file in files:
        named = (path for path in (file.old_path, file.path) if path is not None)
        paths = [path.encode("utf-8", "surrogateescape") for path in named]
        size += sum(len(p) + 1 for p in paths)
        if group and size > _ARGUMENT_BYTES:
            yield group
            group, size = [], sum(len(p) + 1 for p in paths)
        group += paths
    if group:
        yield group


_MOST_WRITERS = 20  # authors of one branch that are named, those with the most commits first
_MOST_COMMITS = 20_000
"""Commits that are read for one batch; a merge whose branch lies behind them keeps its own author.
"""

_BRANCH_FORMAT = "%H%x00%P%x00%an%x00%ae%x00%s%x00%b"


@frozen(kw_only=False)
class _Node:
    parents: tuple[str, ...]
    author: str
    email: str
    title: str
    body: str


async def with_branches(git: Git, batch: Sequence[Change]) -> list[Change]:
    """The changes; merges get the author of most of their branch's commits, and the text of one.

    That is the only commit, or the one with the title of the merged request: several texts would
    tell of steps that later ones took back. A merge without a title gets that of the commit with
    which its branch begins. The other authors of a branch are in ``writers``. If a
    branch cannot be read, as in a shallow clone, the merge is left as it is.
    """
    merges = [change.commit for change in batch if len(change.commit.parents) > 1]
    if not merges:
        return list(batch)
    graph = await _graph(git, merges)
    written = {commit.sha: _told_by_branch(commit, graph) for commit in merges}
    return [replace(change, commit=written.get(change.sha, change.commit)) for change in batch]


async def _graph(git: Git, merges: Sequence[Commit]) -> Mapping[str, _Node]:
    """The commits between the oldest and the newest of the merges, including their branches."""
    oldest = min(merges, key=lambda commit: commit.committed_at)
    names = [*(commit.sha for commit in merges), f"^{oldest.parents[0]}"]
    try:
        listed = await git.run(
            "log", "--no-patch", "-z", f"--max-count={_MOST_COMMITS}",
            f"--format=tformat:{_BRANCH_FORMAT}", "--stdin", "--", stdin=stdin_lines(names),
        )  # fmt: skip
    except GitFailed as failure:
        if failure.status is None:
            raise
        return {}
    fields = iter(listed.decode("utf-8", "replace").split("\0"))
    rows = zip(fields, fields, fields, fields, fields, fields, strict=False)
    return {sha: _Node(tuple(parents.split()), *rest) for sha, parents, *rest in rows}


def _told_by_branch(merge: Commit, graph: Mapping[str, _Node]) -> Commit:
    """The merge with the authors of its branch; bots count only if there is nobody else."""
    line = _reachable(merge.parents[:1], graph)
    branch = _reachable(merge.parents[1:], graph) - line
    single = [node for name in branch if (node := graph.get(name)) and len(node.parents) < 2]
    people = Counter((node.author, node.email) for node in single)
    ranked = [person for person, _ in sorted(people.items(), key=lambda p: (-p[1], p[0]))]
    persons = [person for person in ranked if not is_bot(*person)] or ranked
    if not persons:
        return merge
    names = list(dict.fromkeys(name for name, _ in persons))
    author, email = persons[0]
    lines = merge.message.splitlines()
    texts = [n.body.strip() for n in single if len(single) == 1 or n.title in lines]
    if len(single) == 1 and not merge.body.strip():  # the request's title was left out
        texts = [f"{single[0].title}\n\n{texts[0]}".strip()]
    message = merge.message
    begun = [n for n in single if branch.isdisjoint(n.parents)]
    if len(single) > 1 and len(begun) == 1 and _is_untitled(merge):
        message = f"{merge.subject}\n\n{begun[0].title}\n"
    if len(texts) == 1 and texts[0] and texts[0] not in message:
        message = f"{message.rstrip()}\n\n{texts[0]}\n"
    writers = tuple(names[:_MOST_WRITERS])
    return replace(merge, author=author, email=email, writers=writers, message=message)


def _is_untitled(merge: Commit) -> bool:
    """Whether a merged request has no title, or the one that a forge makes of its branch.

    The name of a branch that has the number of an issue is no sentence that somebody wrote.
    """
    read = unwrap_message(merge)
    words = re.findall(r"[^\W_]+", read.title.casefold())
    branch = re.findall(r"[^\W_]+", merge.subject.partition("/")[2].casefold())
    made = words == branch and any(map(str.isdigit, words))
    without = read.title == merge.subject and not merge.body.strip()
    return read.number is not None and (made or without)


def _reachable(begin: Sequence[str], graph: Mapping[str, _Node]) -> set[str]:
    """The commits of the graph that can be reached from ``begin``."""
    reachable: set[str] = set()
    rest = [name for name in begin if name in graph]
    while rest:
        name = rest.pop()
        if name not in reachable:
            reachable.add(name)
            rest += [parent for parent in graph[name].parents if parent in graph]
    return reachable
