"""An index of a change's texts, to look up what a sentence says about it.

Everything is made on first use: most statements name little, and most changes are small.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cached_property

from digest.core.change import Change, Commit, FileChange, Hunk, Side, printable
from digest.core.facts import Evidence, Facts, Subject
from digest.frozen import frozen

# Han characters are letters, too, but they end the word of code that they are next to.
_LETTER = r"[^\W\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]"
_WORD = re.compile(f"{_LETTER}+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
_HUMPED = re.compile(r"[a-z][A-Z]")
_EDGE = re.compile(_LETTER)


@frozen
class IndexedHunk:
    """One hunk with its sides as texts, one line each; ``file`` is its file."""

    file: FileChange
    hunk: Hunk
    removed: str
    added: str

    @property
    def text(self) -> str:
        """Both sides and the line that encloses them."""
        return f"{self.hunk.section}\n{self.removed}\n{self.added}"


class ChangeIndex:
    """The texts of a change by whole words: ``max_len`` is not found in ``max_length``."""

    def __init__(self, change: Change, facts: Facts) -> None:
        self.change = change
        self.facts = facts

    @classmethod
    def of_texts(cls, texts: Iterable[str]) -> ChangeIndex:
        """The index of something that is no change: each text counts as a line of its message."""
        commit = Commit(
            sha="",
            parents=(),
            author="",
            email="",
            authored_at=_NEVER,
            committed_at=_NEVER,
            message="\n".join(" ".join(text.split()) for text in texts),
        )
        return cls(
            Change(commit=commit, files=()), Facts(subject=Subject(title="", words=""), files=())
        )

    @cached_property
    def stretches(self) -> tuple[IndexedHunk, ...]:
        """The hunks in git's order."""
        return tuple(
            IndexedHunk(
                file=file, hunk=hunk, removed="\n".join(hunk.removed), added="\n".join(hunk.added)
            )
            for file in self.change.files
            for hunk in file.hunks
        )

    @cached_property
    def removed(self) -> str:
        """All removed lines."""
        return "\n".join(stretch.removed for stretch in self.stretches)

    @cached_property
    def added(self) -> str:
        """All added lines."""
        return "\n".join(stretch.added for stretch in self.stretches)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths before and after the change."""
        paths_by_name = {file.path: None for file in self.change.files}
        paths_by_name.update((file.old_path, None) for file in self.change.files if file.old_path)
        return tuple(printable(path) for path in paths_by_name)

    @cached_property
    def said(self) -> str:
        """Message, paths, enclosing lines and facts: everything but the diff's lines."""
        values = [
            value
            for item in self.facts.items
            for value in (item.name, item.before, item.after)
            if value
        ]
        sections = dict.fromkeys(stretch.hunk.section for stretch in self.stretches)
        texts = (self.message, *self.paths, *sections, *values)
        return "\n".join(texts)

    @property
    def message(self) -> str:
        """The author's message."""
        return self.change.commit.message

    @cached_property
    def text(self) -> str:
        """Everything, one line each."""
        return f"{self.said}\n{self.removed}\n{self.added}"

    @cached_property
    def folded(self) -> str:
        """Everything, case-folded."""
        return self.text.casefold()

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word as written; identifiers are words, dotted names are several."""
        return frozenset(_WORD.findall(self.text))

    @cached_property
    def humps(self) -> frozenset[str]:
        """Every word and the parts of compound ones, case-folded: ``fused_moe`` has ``moe``."""
        found: set[str] = set()
        for word in self.words:
            folded = word.casefold()
            found.add(folded)
            found.update(folded.split("_"))
            if folded != word:
                found.update(part.casefold() for part in _HUMP.findall(word))
        return frozenset(found)

    @cached_property
    def spelled(self) -> dict[str, str]:
        """The words with inner capitals, such as ``LoRAConfig``, by their case-folded forms."""
        return {word.casefold(): word for word in self.words if _HUMPED.search(word)}

    def holds(self, literal: str) -> bool:
        """Whether the change contains the text, not as a part of a longer word."""
        return occurs(literal, self.text)

    def rows(self, literal: str) -> Iterator[str]:
        """The lines that contain the text as in :meth:`holds`."""
        seen = 0
        for at in places(literal, self.text):
            if at < seen:
                continue
            start = self.text.rfind("\n", 0, at) + 1
            end = self.text.find("\n", at)
            seen = end if end >= 0 else len(self.text)
            yield self.text[start:seen]

    def files_with(self, word: str) -> Iterator[int]:
        """The indexes of the files whose path, enclosing lines or lines contain the word."""
        for at, text in enumerate(self._file_texts):
            if occurs(word, text):
                yield at

    @cached_property
    def _file_texts(self) -> tuple[str, ...]:
        texts = []
        for file in self.change.files:
            parts = [printable(file.path)]
            for hunk in file.hunks:
                parts += [hunk.section, *hunk.removed, *hunk.added]
            texts.append("\n".join(parts))
        return tuple(texts)

    def locate(self, names: Iterable[str], file: FileChange, hunk: Hunk) -> Evidence:
        """The line of a hunk that contains one of the names, otherwise its first line."""
        wanted = [name for name in names if name]
        for side, start, lines in (
            (Side.NEW, hunk.new_start, hunk.added),
            (Side.OLD, hunk.old_start, hunk.removed),
        ):
            path = file.old_path or file.path if side is Side.OLD else file.path
            for offset, line in enumerate(lines):
                if any(name in line and occurs(name, line) for name in wanted):
                    return Evidence(path=path, line=start + offset, side=side)
        if hunk.added:
            return Evidence(path=file.path, line=hunk.new_start, side=Side.NEW)
        return Evidence(path=file.old_path or file.path, line=hunk.old_start, side=Side.OLD)


def occurs(literal: str, text: str) -> bool:
    """Whether a text contains another, not as a part of a longer word."""
    return next(places(literal, text), -1) >= 0


def places(literal: str, text: str) -> Iterator[int]:
    """Where a text contains another, not as a part of a longer word or flag."""
    if not literal:
        return
    head = bool(_EDGE.match(literal))
    tail = bool(_EDGE.match(literal[-1]))
    dash = literal[0] == "-"
    at = text.find(literal)
    size = len(literal)
    while at >= 0:
        before = text[at - 1 : at] if at else ""
        after = text[at + size : at + size + 1]
        whole = not (
            (head and before and _EDGE.match(before))
            or (dash and before and (before == "-" or _EDGE.match(before)))
            or (tail and after and _EDGE.match(after))
            or (dash and after == "-")
        )
        if whole:
            yield at
        at = text.find(literal, at + 1)
