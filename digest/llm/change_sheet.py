"""Lays out a change for a model: every line marked, ids at the head, within a token limit.

The layout is part of the prompt: :data:`LAYOUT` is increased whenever it changes. The diff is cut
into pieces that can be shown or left out one by one, the most important first. A piece is a hunk,
or a stretch of a hunk that is too long for one piece; all stretches of a hunk have its id.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from digest.core.change import Change, FileChange, FileStatus, Hunk, Side, printable
from digest.core.facts import Action, Area, Evidence, Fact, FileFacts
from digest.frozen import frozen
from digest.llm.model_input import MESSAGE, Material, file_id, hunk_id
from digest.llm.prompt_text import Cause, Omission, merge_omissions, notes, visible, visible_lines


class HunkIds:
    """The hunks of a change by path, side and line."""

    def __init__(self, change: Change) -> None:
        self._change = change
        self._files = {file.path: at for at, file in enumerate(change.files)}
        self._old = {file.old_path or file.path: at for at, file in enumerate(change.files)}
        self._starts: dict[tuple[int, bool], list[int]] = {}

    def indexes(self, place: Evidence) -> tuple[int, int | None] | None:
        """The index of the file, and of the hunk if the place is one of its changed lines."""
        new = place.side is not Side.OLD
        at = (self._files if new else self._old).get(place.path)
        if at is None:
            return None
        hunks = self._change.files[at].hunks
        if (at, new) not in self._starts:
            self._starts[at, new] = [h.new_start if new else h.old_start for h in hunks]
        starts = self._starts[at, new]
        number = bisect_right(starts, place.line) - 1
        if number < 0 or not place.line:
            return at, None
        lines = hunks[number].added if new else hunks[number].removed
        return at, number if place.line < starts[number] + len(lines) else None

    def id_of(self, place: Evidence) -> str:
        """The id of the hunk, of the file if no hunk contains the place, or of the message."""
        if place.side in {Side.MESSAGE, Side.REQUEST}:
            return MESSAGE
        places = self.indexes(place)
        if places is None:
            return MESSAGE
        at, number = places
        return file_id(at) if number is None else hunk_id(at, number)


LONG_LINE = 400  # characters after which a line is cut: minified code, data, base64
REMOVED = 24
"""Removed lines of a hunk that are shown; its beginning and its facts say what was removed."""

REMOVED_FILE = 12  # removed lines that are shown of a file that was deleted

_CLOSED = {
    Area.GENERATED: Cause.GENERATED,
    Area.VENDORED: Cause.VENDORED,
    Area.LOCKFILE: Cause.LOCKFILE,
}

# Code that runs, its configuration, what builds and checks it, its tests, its documentation.
_ORDER = (
    Area.CORE,
    Area.CONFIG,
    Area.BUILD,
    Area.CI,
    Area.TESTS,
    Area.BENCHMARKS,
    Area.EXAMPLES,
    Area.DOCS,
)
_RANKS = {area: rank for rank, area in enumerate(_ORDER)}
_TOLD = {Area.CORE, Area.CONFIG, Area.BUILD, Area.CI}
"""Areas whose facts raise a hunk's rank; those of tests and examples do not."""


@frozen(kw_only=False)
class DiffPiece:
    """Some lines of a hunk, ready to be shown."""

    rank: tuple[int, int, int, int, int]  # by importance, lowest first
    file: int
    hunk: int
    text: str
    lines: int  # the number of changed lines that it shows


@frozen
class DiffPieces:
    """A change in pieces, the most important first, and what is in none of them."""

    pieces: tuple[DiffPiece, ...]
    omitted: tuple[Omission, ...]


def cut_into_pieces(material: Material, longest: int) -> DiffPieces:
    """Cut a change into pieces of at most about ``longest`` characters."""
    pieces: list[DiffPiece] = []
    omitted: list[Omission] = []
    bearing = _bearing(material)
    for at, (_, file, facts) in enumerate(material.files()):
        if cause := _cause_of_omission(file, facts):
            lines = file.added + file.deleted
            omitted.append(Omission(cause=cause, paths=(file.path,), lines=lines))
            continue
        if unread := _unread(file):
            cause = Cause.PRIVATE if material.bare else Cause.LARGE
            omitted.append(Omission(cause=cause, paths=(file.path,), lines=unread))
        told = facts.area in _TOLD
        for number, hunk in enumerate(file.hunks):
            rank = (0 if told and (at, number) in bearing else 1, _RANKS[facts.area], at, number)
            shown = _Shown(hunk, whole=file.status is FileStatus.DELETED)
            pieces += _pieces(hunk_id(at, number), shown, rank, longest)
            if shown.left:
                omitted.append(Omission(cause=Cause.LONG, paths=(file.path,), lines=shown.left))
    pieces.sort(key=lambda piece: piece.rank)
    return DiffPieces(pieces=tuple(pieces), omitted=merge_omissions(omitted))


def _cause_of_omission(file: FileChange, facts: FileFacts) -> Cause | None:
    """Why nothing of a file is shown, if so."""
    if facts.area in _CLOSED:
        return _CLOSED[facts.area]
    if file.omitted:
        return Cause.ABSENT
    if file.binary:
        return Cause.BINARY
    return None


def _unread(file: FileChange) -> int:
    """Changed lines that git counts but no hunk has."""
    lines = sum(len(hunk.removed) + len(hunk.added) for hunk in file.hunks)
    return max(0, file.added + file.deleted - lines)


def _bearing(material: Material) -> set[tuple[int, int | None]]:
    """The hunks with facts, by the indexes of their file and of themselves."""
    places = HunkIds(material.change)
    found = (places.indexes(item.evidence) for item in material.facts.items)
    return {indexes for indexes in found if indexes}


class _Shown:
    """The lines of a hunk that are shown, marked; ``left`` counts those that are not."""

    def __init__(self, hunk: Hunk, *, whole: bool) -> None:
        kept = REMOVED_FILE if whole else REMOVED
        self.section = visible(hunk.section.replace("\t", " ")).strip()[:LONG_LINE]
        self.left = 0
        self.rows = self._with_mark("-", hunk.removed[:kept])
        self.changed = len(self.rows) + len(hunk.added)
        if len(hunk.removed) > kept:
            rest = len(hunk.removed) - kept
            self.left += rest
            self.rows.append(f"~ and {rest} more removed lines")
        self.rows += self._with_mark("+", hunk.added)

    def _with_mark(self, mark: str, lines: Sequence[str]) -> list[str]:
        """The lines after their mark, all at once: nearly all lines need no escaping."""
        if not lines:
            return []
        text = "\n".join(lines)
        if (shown := visible_lines(text)) is not text:
            lines = shown.split("\n")
        return [mark + (line if len(line) <= LONG_LINE else self._clip(line)) for line in lines]

    def _clip(self, line: str) -> str:
        self.left += 1
        return f"{line[:LONG_LINE]} [and {len(line) - LONG_LINE} more characters]"


def _pieces(
    name: str, shown: _Shown, rank: tuple[int, int, int, int], longest: int
) -> Iterator[DiffPiece]:
    """The hunk whole, or in stretches, the first of which has the rank of the hunk."""
    left = shown.changed
    for number, rows in enumerate(_groups(shown.rows, longest)):
        head = f"@ {name}"
        if number:
            head += " (continued)"
        if shown.section:
            head += f" in {shown.section}"
        lines = min(left, len(rows))
        left -= lines
        yield DiffPiece((*rank, number), rank[2], rank[3], "\n".join((head, *rows)), lines)


def _groups(rows: Sequence[str], longest: int) -> Iterator[Sequence[str]]:
    """The rows in stretches of at most ``longest`` characters, or of one row."""
    start, size = 0, 0
    for at, row in enumerate(rows):
        size += len(row) + 1
        if size > longest and at > start:
            yield rows[start:at]
            start, size = at, len(row) + 1
    yield rows[start:]


LAYOUT = 1
Count = Callable[[str], int]
_VALUE = 80  # characters of a fact's value that are shown; the hunk has the rest
_MESSAGE_SHARE, _FILES_SHARE, _FACTS_SHARE = 0.2, 0.15, 0.15
"""The largest shares of the room for the author's words, the list of files and the facts."""


def head(material: Material, count: Count, room: int, *, name: str = "") -> str:
    """Everything but the diff, in about half of ``room`` tokens; ``name`` is the change's id."""
    level = material.graded.grade.level
    rows = [f"# Commit{f' {name}' if name else ''}, importance {level}"]
    rows += _within(_message(material), count, room * _MESSAGE_SHARE, "more lines of the message")
    rows.append("# Files")
    rows += _within(_files(material), count, room * _FILES_SHARE, "more files")
    facts = list(_facts(material))
    if facts:
        rows.append("# Facts")
        rows += _within(facts, count, room * _FACTS_SHARE, "more facts")
    return "\n".join(rows)


def body(pieces: Iterable[DiffPiece]) -> str:
    """The pieces in the order of the diff: by file, hunk and stretch, whatever their rank."""
    ordered = sorted(pieces, key=lambda piece: piece.rank[2:])
    return "\n".join(["# Diff", *(piece.text for piece in ordered)]) if ordered else ""


def foot(omitted: Sequence[Omission]) -> str:
    """What is left out."""
    rows = [f"~ {visible(note)}" for note in notes(omitted)]
    return "\n".join(["# Not shown", *rows]) if rows else ""


def together(*parts: str) -> str:
    """The non-empty parts, one below the other."""
    return "\n".join(part for part in parts if part)


def _within(rows: Sequence[str], count: Count, room: float, rest: str) -> list[str]:
    """As many rows as fit, at least one, with the number of the others."""
    shown: list[str] = []
    taken = 0.0
    for row in rows:
        taken += count(row) + 1
        if shown and taken > room:
            return [*shown, f"~ and {len(rows) - len(shown)} {rest}"]
        shown.append(row)
    return shown


def _message(material: Material) -> list[str]:
    """The title and the author's paragraphs, each line after a mark."""
    facts = material.facts
    rows = [f"> {_short(facts.subject.title, 400)}"]
    for paragraph in facts.paragraphs:
        rows.append(">")
        rows += [f"> {_short(line, 400)}" for line in paragraph.split("\n")]
    return rows


def _files(material: Material) -> list[str]:
    return [f"# {name} {_file(facts)}" for name, _, facts in material.files()]


def _file(facts: FileFacts) -> str:
    row = (
        f"{printable(facts.path)} | {facts.status} | {facts.area} | +{facts.added} -{facts.deleted}"
    )
    return f"{row} | was {printable(facts.old_path)}" if facts.old_path else row


def _facts(material: Material) -> Iterator[str]:
    places = HunkIds(material.change)
    for fact in dict.fromkeys(material.facts.items):
        yield f"* {fact.kind} {fact.action}: {_fact(fact)} [{places.id_of(fact.evidence)}]"


def _fact(fact: Fact) -> str:
    words = _short(fact.name, _VALUE)
    if fact.detail:
        words += f", {_short(fact.detail, _VALUE)}"
    if fact.action is Action.CHANGED or fact.action is Action.RENAMED:
        if fact.before is not None:
            words += f", from {_short(fact.before, _VALUE)}"
        if fact.after is not None:
            words += f", to {_short(fact.after, _VALUE)}"
        return words
    value = fact.after if fact.action is Action.ADDED else fact.before
    return f"{words}, {_short(value, _VALUE)}" if value and value != fact.name else words


def _short(text: str, limit: int) -> str:
    text = " ".join(visible(text.replace("\t", " ")).split())
    return text if len(text) <= limit else text[:limit] + " [...]"
