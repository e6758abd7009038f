"""Lookups in the history and the tree: dates, numbers and titles of commits, words of files.

git walks all first parents, or reads every message, anew for every question: a fifth of a second
for twenty thousand commits. These indexes read once, and afterwards only what is new on the branch.
Numbers are kept in a text file: a headline with the tip, then a line for each commit that names
numbers, newest first, with a space after every word, so that a number is found by a plain search.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from array import array
from collections.abc import AsyncGenerator, Collection, Iterable, Sequence
from contextlib import aclosing, suppress
from itertools import accumulate
from pathlib import Path

from bot.git.git_process import Git, GitFailed, stdin_lines
from bot.git.patches import read_blobs
from bot.util.files import write_whole
from digest.errors import UnwritableFolder
from digest.facts.languages import endings_of, language_of
from digest.facts.paths import VENDORED
from handlers.ports.storage import Tip, TitledCommit


class FirstParents:
    """The commits along the first parents of a tip, newest first, as git lists them."""

    # Shas are bytes of equal length, dates whole seconds since 1970: about a megabyte for twenty
    # thousand commits.

    def __init__(self) -> None:
        self._tip = ""
        self._names = b""
        self._dates = array("q")
        self._latest = array("q")
        self._turn = asyncio.Lock()

    async def within(self, git: Git, tip: str, since: int, until: int) -> Sequence[str]:
        """Full shas with ``since <= date < until`` (seconds), newest first; or ``GitFailed``."""
        async with self._turn:
            if tip != self._tip:
                await self._move(git, tip)
            return self._between(since, until)

    def _between(self, since: int, until: int) -> Sequence[str]:
        size, found = len(self._tip), []
        for at, date in enumerate(self._dates):
            if self._latest[at] < since:
                break
            if since <= date < until:
                found.append(self._names[at * size : at * size + size].decode())
        return found

    async def _move(self, git: Git, tip: str) -> None:
        new = await _walk(git, tip, f"^{self._tip}") if self._tip else []
        grown = bool(new) and new[-1][2:] == [self._tip.encode()]
        walked = new if grown else await _walk(git, tip)
        names = b"".join(commit[1] for commit in walked)
        dates = array("q", (int(commit[0]) for commit in walked))
        self._names = names + self._names if grown else names
        self._dates = dates + self._dates if grown else dates
        # The latest date from each commit on: if it is too old, so is everything behind it.
        latest = array("q", accumulate(reversed(self._dates), max))
        latest.reverse()
        self._latest = latest
        self._tip = tip


async def _walk(git: Git, *revisions: str) -> list[list[bytes]]:
    """Date, sha and first parent of each commit; a root commit has no parent."""
    asked = ("rev-list", "--first-parent", "--timestamp", "--parents", "--stdin", "--")
    listed = await git.run(*asked, stdin=stdin_lines(revisions))
    return [line.split()[:3] for line in listed.splitlines()]


_HEADLINE = "mentions-1 {}\n"
_KEPT = re.compile(r"mentions-1 ([0-9a-f]{40,64})\n")
_FORMAT = "%H %P%n%B%x00"
_NUMBER = re.compile(rb"(?:[#!/\n-]|PR ?)0*(\d{1,9})(?!\d)")
"""Every form that ``digest.facts`` takes for a request number, and some more."""


class NumberIndex:
    """The numbers that messages along first parents name, stored in ``folder`` if possible."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, str] = {}
        self._turn = asyncio.Lock()

    async def naming(self, git: Git, branch: Tip, number: int) -> Sequence[str]:
        """Full shas of all commits that may name a request, newest first. Raises ``GitFailed``."""
        if branch.sha is None:
            return ()
        async with self._turn:
            text = await self._up_to_date(git, branch.branch, branch.sha)
        shas = []
        word = f" {number} "
        at = text.find(word)
        while at >= 0:
            start = text.rfind("\n", 0, at) + 1
            shas.append(text[start : text.index(" ", start)])
            at = text.find(word, text.index("\n", at))
        return shas

    async def _up_to_date(self, git: Git, branch: str, tip: str) -> str:
        file = self._folder / f"mentions-{hashlib.sha256(branch.encode()).hexdigest()[:16]}"
        index = self._known.get(branch) or _read(file)
        if index.startswith(_HEADLINE.format(tip)):
            self._known[branch] = index
            return index
        text = _HEADLINE.format(tip) + await _lines(git, tip, index)
        self._known[branch] = text
        with suppress(UnwritableFolder):
            write_whole(file, text)
        return text


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii")
    except (OSError, ValueError):
        return ""


async def _lines(git: Git, tip: str, index: str) -> str:
    """The index lines of a branch; existing ones are reused if the branch only moved forward."""
    if headline := _KEPT.match(index):
        # A missing commit means that the history was rewritten and cleaned up since.
        with suppress(GitFailed):
            lines, parent = await _index_lines(git, tip, f"^{headline[1]}")
            if parent == headline[1]:
                return lines + index[headline.end() :]
    return (await _index_lines(git, tip))[0]


async def _index_lines(git: Git, *revisions: str) -> tuple[str, str]:
    """The index lines of the listed commits, and the first parent of the last one."""
    lines: list[str] = []
    parent, rest = "", b""
    listed = ("log", "--no-patch", f"--format={_FORMAT}", "--first-parent", *revisions, "--")
    async with aclosing(git.stream(*listed)) as chunks:
        async for chunk in chunks:
            *messages, rest = (rest + chunk).split(b"\0\n")
            for message in messages:
                head, _, text = message.partition(b"\n")
                name, *parents = head.decode("ascii", "replace").split(" ")
                parent = parents[0] if parents else ""
                if numbers := dict.fromkeys(_NUMBER.findall(b"\n" + text)):
                    lines.append(f"{name} {b' '.join(numbers).decode()} \n")
    return "".join(lines), parent


_AT_ONCE = 400  # words in one search: larger patterns get slow
_FEW = 60  # words up to which git's own search is faster than one through all files
_FILE = b"100"  # how the modes of files begin, unlike those of links and submodules
_LONGEST_LINE = 20_000  # bytes of a line in which words are looked for; longer lines are data
PROGRAM = (
    "python", "rust", "go", "javascript", "typescript", "java", "kotlin", "scala", "groovy", "c",
    "cpp", "cuda", "hip", "opencl", "metal", "objective-c", "swift", "csharp", "fsharp", "ruby",
    "php", "perl", "lua", "r", "julia", "dart", "elixir", "erlang", "haskell", "ocaml", "clojure",
    "zig", "nim", "fortran", "shell", "powershell", "cmake", "protobuf", "vue", "svelte", "astro",
)  # fmt: skip


"""The languages of what programs do."""
SETTINGS = ("yaml", "toml", "ini", "json", "xml", "sql", "graphql", "html", "terraform")
"""The languages of settings, schemas and templates, which may be all of a project."""


def is_searched(path: str, languages: Collection[str] = PROGRAM) -> bool:
    """Whether a file is among those that are searched; what others wrote is not."""
    return language_of(path) in languages and not VENDORED.intersection(path.split("/")[:-1])


async def find_lines(
    git: Git, commit: str, parts: Collection[str], languages: Collection[str] = PROGRAM
) -> dict[str, list[int]]:
    """The numbers of lines that have all parts, in any case. Raises ``GitFailed``."""
    found: dict[str, list[int]] = {}
    if not parts or any(not part or "\n" in part for part in parts):
        return found
    every = [one for part in parts for one in ("--and", "-e", part)][1:]
    given = ("--ignore-case", "--line-number", *every)
    for line in await _grepped(git, commit, given, languages=languages):
        path, number, _ = _NUMBERED.split(line, maxsplit=1)
        found.setdefault(path.decode("utf-8", "surrogateescape"), []).append(int(number))
    return found


_NUMBERED = re.compile(rb"\0(\d+)[\0:]")  # older releases of git end the number with a colon


async def find_mentions(
    git: Git, commit: str, words: Iterable[str], languages: Collection[str] = PROGRAM
) -> dict[str, set[str]]:
    """The files with each word as a whole, in a commit's tree. Raises ``GitFailed``."""
    asked = sorted({w for w in words if w and "\n" not in w})
    mentions: dict[str, set[str]] = {word: set() for word in asked}
    for start in range(0, len(asked), _AT_ONCE):
        await _search(git, commit, asked[start : start + _AT_ONCE], mentions, languages)
    return mentions


def _as_whole(word: str) -> str:
    """The pattern of a word; ``--run`` is not in ``--run-all``, nor ``/run`` in ``/run/all``."""
    return re.escape(word) + (r"(?![/-]\w)" if word.startswith(("-", "/")) else "")


async def _search(
    git: Git,
    commit: str,
    words: Sequence[str],
    mentions: dict[str, set[str]],
    languages: Collection[str],
) -> None:
    # A line with a word has every part of it, so a part stands for the words that contain it.
    parts = [w for w in words if not any(o in w for o in words if o != w)]
    search = _grep if len(parts) <= _FEW else _scan
    # Whole words are told apart here: git takes twice as long for it.
    longest_first = sorted(words, key=len, reverse=True)
    whole = re.compile(rf"(?<!\w)(?:{'|'.join(map(_as_whole, longest_first))})(?!\w)")
    async with aclosing(search(git, commit, parts, languages)) as lines:
        async for path, line in lines:
            for word in whole.findall(line[:_LONGEST_LINE].decode("utf-8", "replace")):
                mentions[word].add(path.decode("utf-8", "surrogateescape"))


_Lines = AsyncGenerator[tuple[bytes, bytes], None]
"""The lines with a word, each after the path of its file."""


async def _grep(git: Git, commit: str, words: Sequence[str], languages: Collection[str]) -> _Lines:
    """The lines that git's own search finds, which takes longer with every word."""
    given = ("--no-line-number", "-f", "-")
    for found in await _grepped(git, commit, given, stdin_lines(words), languages):
        path, _, line = found.partition(b"\0")
        yield path, line


async def _grepped(
    git: Git,
    commit: str,
    given: Sequence[str],
    stdin: bytes = b"",
    languages: Collection[str] = PROGRAM,
) -> list[bytes]:
    """What git's search writes for each line that it finds, from the path on."""
    paths = [f"*.{ending}" for language in languages for ending in endings_of(language)]
    paths += [f":(exclude,glob)**/{folder}/**" for folder in sorted(VENDORED)]
    # Our git processes take paths literally by default; here they are patterns.
    patterned = git.with_environment(GIT_LITERAL_PATHSPECS="0", GIT_GLOB_PATHSPECS="0")
    try:
        out = await patterned.run(
            "grep", "-I", "-F", "--null", "--no-color", "--full-name", *given, commit, "--", *paths,
            stdin=stdin,
        )  # fmt: skip
    except GitFailed as failure:
        if failure.status == 1 and not failure.said:  # nothing mentions
            return []
        raise
    return [line[len(commit) + 1 :] for line in out.split(b"\n") if line]


async def _scan(git: Git, commit: str, words: Sequence[str], languages: Collection[str]) -> _Lines:
    """The lines with a word in the contents of all files, which any number of words may have."""
    import re2  # few commands search for as many words

    options = re2.Options()
    options.log_errors = False
    sought = re2.compile("|".join(map(re2.escape, words)).encode(), options)
    listed = await git.run("ls-tree", "-r", "-z", "--full-tree", commit)
    paths: dict[str, list[bytes]] = {}
    for entry in listed.split(b"\0"):
        fields, _, path = entry.partition(b"\t")
        if fields.startswith(_FILE) and is_searched(
            path.decode("utf-8", "surrogateescape"), languages
        ):
            paths.setdefault(fields.rpartition(b" ")[2].decode(), []).append(path)
    async with aclosing(read_blobs(git, paths)) as blobs:
        async for blob, content in blobs:
            if content is None:
                raise GitFailed("cat-file", 128, f"{blob} is missing")
            done = -1
            for match in sought.finditer(content):
                if match.start() > done:
                    start = content.rfind(b"\n", 0, match.start()) + 1
                    end = content.find(b"\n", match.end())
                    done = len(content) if end < 0 else end
                    for path in paths[blob]:
                        yield path, content[start:done]


async def read_titles(git: Git, span: str) -> list[TitledCommit]:
    """The commits of a range along the first parents, newest first. Raises ``GitFailed``."""
    form = ("--no-patch", "-z", "--format=%H %P%n%s%n%b")
    listed = await git.run("log", "--first-parent", *form, span, "--")
    return [_titled(text) for text in listed.decode("utf-8", "replace").split("\0") if text]


def _titled(text: str) -> TitledCommit:
    """A commit of the log with its title and the beginning of its message."""
    names, _, message = text.partition("\n")
    sha, *parents = names.split()
    lines = [one for one in message.split("\n") if one.strip() and not _TRAILER.match(one)] or [""]
    title = 2 if len(parents) > 1 else 1  # lines of it
    return TitledCommit(sha, " ".join(lines[:title]), "\n".join(lines[title:])[:_MOST_BODY])


_TRAILER = re.compile(r"[A-Z][A-Za-z]*(?:-[A-Za-z]+)+:\s")
_MOST_BODY = 1_000  # characters; the first ones say what a commit does
