"""Checks a sentence's claims about before and after.

That a value or name became another needs the old one on a removed and the new one on an added line
of one hunk, a fact that says so, or the author's words; that a name has a value needs both in one
such place; that a thing was added or removed needs a line of that side.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from digest.core.change import FileStatus, Hunk, printable
from digest.llm import claim_patterns as claims
from digest.llm.change_index import ChangeIndex, IndexedHunk, occurs, places
from digest.llm.format_check import Failed, Rejection
from digest.llm.number_check import count_number, has_number
from digest.llm.tokens import Atom, Sort, Wording

_CALLED = re.compile(r"(?<=\w)\(.*\)$", re.DOTALL)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+")
# Between two values, these say that the first is the new one.
_INSTEAD = re.compile(
    r"instead of|rather than|in place of|previously|formerly|\b(?:to replace|replaces|replacing)\b"
    r"|\b(?:was|not)\b\W*$|而不是|而非|代替|取代|原"
)
_LITERAL = re.compile(r"\d|[\"']|\b(?:True|False|None|true|false|null|nil)\b")
_PLACE = re.compile(r"[./]")
_VERSION = re.compile(r"v?\d[\d.,_]*")


def wrong_shift(
    wording: Wording, ground: ChangeIndex, cited: Collection[Hunk] = ()
) -> Failed | None:
    """The first claim of before and after that the change does not show, if any."""
    # A claim that one of the ``cited`` hunks shows in reverse is wrong, even if another place
    # supports it. If no line is known, words and facts must suffice.
    others = [a for a in wording.atoms if a.sort in {Sort.CODE, Sort.NAME}]
    for shift in claims.shifts(wording):
        subjects = [a.text for a in others if a not in {shift.old, shift.new}]
        # Whether a cited hunk shows the reverse: the new one becoming the old one.
        old, new = _both(shift, ground)
        mine = [s for s in ground.stretches if s.hunk in cited] if cited else []
        if any(_direction(new, old, s) > 0 for s in mine) or not _is_shown(shift, subjects, ground):
            about = f"{shift.old.text} -> {shift.new.text}"
            return Failed(fault=Rejection.SHIFT, about=about)
    for move in claims.moves(wording):
        if not _has_moved(move, ground):
            return Failed(fault=Rejection.SHIFT, about=f"{move.old.text} -> {move.new.text}")
    for bond in claims.bonds(wording):
        if not _is_bound(bond, ground):
            return Failed(fault=Rejection.SHIFT, about=f"{bond.name.text} = {bond.value.text}")
    if not ground.stretches:
        return None
    return _wrong_side(wording, ground)


def _is_shown(shift: claims.Shift, subjects: Sequence[str], ground: ChangeIndex) -> bool:
    """Whether something in the change shows the old one becoming the new one."""
    old, new = _both(shift, ground)
    return (
        _by_fact(old, new, subjects, ground)
        or any(_by_hunk(old, new, subjects, stretch, ground) for stretch in ground.stretches)
        or _by_message(old, new, ground)
        or _by_path(shift.old, shift.new, ground)
        or _by_file(old, new, ground)
    )


def _has_moved(move: claims.Shift, ground: ChangeIndex) -> bool:
    """Whether a file moved there, or a name came to a file there."""
    if not _PLACE.search(move.new.text) or _by_path(move.old, move.new, ground):
        return True  # "moves X to async" is no place that code could check
    what = _bare(move.old, ground)
    if any(_in(what, line) and _in(move.new, line) for line in ground.message.splitlines()):
        return True
    return any(
        _in(what, stretch.added) and _is_of(move.new.text, printable(stretch.file.path))
        for stretch in ground.stretches
    )


def _is_bound(bond: claims.Bond, ground: ChangeIndex) -> bool:
    """Whether a hunk, a fact or a line of the message has the name with its value."""
    name, value = _bare(bond.name, ground), _bare(bond.value, ground)
    facts = (
        f"{item.name}\n{item.before}\n{item.after}\n{item.detail}" for item in ground.facts.items
    )
    texts = (*ground.message.splitlines(), *facts)
    if any(_part_of(name.text, text, ground) and _in(value, text) for text in texts):
        return True
    return any(_has_value(name.text, value, stretch, ground) for stretch in ground.stretches)


def _has_value(name: str, value: Atom, stretch: IndexedHunk, ground: ChangeIndex) -> bool:
    """Whether a hunk has a name with a value, and its lines with the name have no other value."""
    path = printable(stretch.file.path)
    if not (_in(value, stretch.text) and _part_of(name, stretch.text, ground, path)):
        return False
    sides = (stretch.hunk.removed, stretch.hunk.added)
    return any(_beside(name, value, side) for side in sides) or all(
        _agrees(name, value, side) for side in sides
    )


def _in(atom: Atom, text: str | None) -> bool:
    """Whether a text contains the atom: a number as a number, code by its words."""
    if not text:
        return False
    if atom.sort is Sort.NUMBER:
        return has_number(atom.text, text)
    if occurs(atom.text, text):
        return True
    return _VERSION.fullmatch(atom.text) is not None and has_number(atom.text, text)


def _bare(atom: Atom, ground: ChangeIndex) -> Atom:
    """The atom as it may occur in code: without call and quotes."""
    # A dotted name is reduced to its last part if the lines contain no more of it and no file of
    # the change has it.
    text = _CALLED.sub("", atom.text.strip("\"'` "))
    last = re.split(r"\.|::", text)[-1] if _DOTTED.fullmatch(text) else text
    whole = occurs(text, ground.added) or occurs(text, ground.removed)
    if last != text and not whole and not _files(text, ground):
        text = last
    return Atom(atom.sort, text)


def _both(shift: claims.Shift, ground: ChangeIndex) -> tuple[Atom, Atom]:
    """The old and the new one, bare; whole if only their last parts are alike."""
    old, new = _bare(shift.old, ground), _bare(shift.new, ground)
    return (shift.old, shift.new) if old.text == new.text else (old, new)


def _by_fact(old: Atom, new: Atom, subjects: Sequence[str], ground: ChangeIndex) -> bool:
    for item in ground.facts.items:
        if _in(old, item.before) and _in(new, item.after):
            path = printable(item.evidence.path)
            if not subjects or any(_same(s, item.name) or _is_of(s, path) for s in subjects):
                return True
    return False


def _same(subject: str, name: str) -> bool:
    """Whether two names are equal, or one is the end of the other: ``step`` of ``Engine.step``."""
    one, other = (re.split(r"\.|::", text) for text in (subject, name))
    shorter = min(len(one), len(other))
    return one[-shorter:] == other[-shorter:]


def _by_hunk(
    old: Atom, new: Atom, subjects: Sequence[str], stretch: IndexedHunk, ground: ChangeIndex
) -> bool:
    """Whether a hunk removes the old one and adds the new one, for one of the subjects."""
    # A subject on the hunk's lines must be beside one of the two values.
    direction = _direction(old, new, stretch)
    if direction < 0:
        return False
    if not subjects:
        return direction > 0
    lost, gained = stretch.hunk.removed, stretch.hunk.added
    on_lines = [s for s in subjects if occurs(s, stretch.removed) or occurs(s, stretch.added)]
    if on_lines:
        beside = any if direction else all
        return any(
            beside((_beside(s, old, lost), _beside(s, new, gained)))
            and _agrees(s, old, lost)
            and _agrees(s, new, gained)
            for s in on_lines
        )
    section, path = stretch.hunk.section, printable(stretch.file.path)
    return direction > 0 and any(_part_of(s, section, ground, path) for s in subjects)


def _direction(old: Atom, new: Atom, stretch: IndexedHunk) -> int:
    """1 if a hunk has less of the old or more of the new one, -1 for the opposite, otherwise 0."""
    # 0 is the result for swapped lines: only the values' surroundings can tell.
    removed, added = stretch.removed, stretch.added
    if not (_in(old, removed) and _in(new, added)):
        return -1
    less = _count(old, removed, new) - _count(old, added, new)
    more = _count(new, added, old) - _count(new, removed, old)
    if less < 0 or more < 0:
        return 1 if less + more > 0 else -1
    return 1 if less or more else 0


def _count(atom: Atom, text: str, other: Atom) -> int:
    """How often a text contains the atom, not as a part of the other one."""
    if atom.text in other.text:
        text = text.replace(other.text, " ")
    if atom.sort is Sort.NUMBER or _VERSION.fullmatch(atom.text):
        return count_number(atom.text, text)
    return sum(1 for _ in places(atom.text, text))


def _beside(subject: str, value: Atom, lines: Sequence[str]) -> bool:
    """Whether a line contains both."""
    return any(occurs(subject, line) and _in(value, line) for line in lines)


def _agrees(subject: str, value: Atom, lines: Sequence[str]) -> bool:
    """Whether the lines with the subject do not give it another value."""
    rows = [line for line in lines if occurs(subject, line)]
    if not rows or any(_in(value, row) for row in rows):
        return True
    literal = value.sort is Sort.NUMBER or _LITERAL.match(value.text) is not None
    return not literal or not any(_LITERAL.search(row) for row in rows)


def _part_of(subject: str, text: str, ground: ChangeIndex, path: str = "") -> bool:
    """Whether a text or the path of its file contains the subject, or one part of a dotted one."""
    # A subject that names files of the change is about those alone.
    if files := _files(subject, ground):
        return path in files or occurs(subject, text)
    around = f"{text}\n{path}"
    return any(part and occurs(part, around) for part in (subject, *re.split(r"\.|::", subject)))


def _files(subject: str, ground: ChangeIndex) -> list[str]:
    """The files of the change, by their new paths, that a subject names."""
    paths = (printable(file.path) for file in ground.change.files)
    return [path for path in paths if _is_of(subject, path)]


def _by_message(old: Atom, new: Atom, ground: ChangeIndex) -> bool:
    """Whether a line of the author names both, the old one first or the new one instead of it."""
    for line in ground.message.splitlines():
        if _in(old, line) and _in(new, line):
            at, end = line.find(old.text), line.rfind(new.text)
            between = line[max(0, min(at, end)) : max(at, end)]
            if (at <= end) is not bool(_INSTEAD.search(between)):
                return True
    return False


def _by_path(old: Atom, new: Atom, ground: ChangeIndex) -> bool:
    """Whether both are files or folders, of which one loses lines and the other gains some."""
    before = any(
        _is_of(old.text, printable(f.old_path or f.path))
        and (f.deleted or f.status in {FileStatus.DELETED, FileStatus.RENAMED})
        for f in ground.change.files
    )
    after = any(
        _is_of(new.text, printable(f.path)) and (f.added or f.status is FileStatus.RENAMED)
        for f in ground.change.files
    )
    return before and after


def _is_of(text: str, path: str) -> bool:
    """Whether a text names the path, its end, a folder of it, or its module."""
    bare = text.strip("\"'` ").strip("/").removeprefix("./")
    if not bare or not _PLACE.search(text):
        return False
    dotted = bare.replace(".", "/")
    return f"/{bare}/" in f"/{path}/" or f"/{dotted}." in f"/{path}"


def _by_file(old: Atom, new: Atom, ground: ChangeIndex) -> bool:
    """Whether one file loses the one name and gains the other, for names that are no values."""
    if Sort.NUMBER in {old.sort, new.sort} or not (_is_name(old.text) and _is_name(new.text)):
        return False
    lost, gained = set(), set()
    if any(_in(new, s.removed) and _in(old, s.added) for s in ground.stretches):
        return False  # a hunk shows the reverse
    for stretch in ground.stretches:
        if _in(old, stretch.removed):
            lost.add(stretch.file.path)
        if _in(new, stretch.added):
            gained.add(stretch.file.path)
    return bool(lost & gained)


def _is_name(text: str) -> bool:
    return len(text) > 3 and not text[:1].isdigit() and any(char.isalpha() for char in text)


def _wrong_side(wording: Wording, ground: ChangeIndex) -> Failed | None:
    """Something claimed as added that is on no added line, or as removed on no removed line."""
    for claimed, text, paths in (
        (claims.names_claimed(wording, claims.ADDED), ground.added, _gaining(ground)),
        (claims.names_claimed(wording, claims.REMOVED), ground.removed, _losing(ground)),
    ):
        for atom in claimed:
            if not _on(atom, text, paths, ground):
                return Failed(fault=Rejection.SIDE, about=atom.text)
    return None


def _on(atom: Atom, text: str, paths: Sequence[str], ground: ChangeIndex) -> bool:
    """Whether a side contains the atom, or its words if it is more than one."""
    bare = _bare(atom, ground).text.strip("@*")
    if occurs(bare, text) or any(_is_of(atom.text, path) for path in paths):
        return True
    if occurs(bare, ground.message):
        return True  # the author says so about something that the hunks show differently
    parts = re.findall(r"\w+", bare)
    return len(parts) > 1 and all(occurs(part, text) for part in parts)


def _gaining(ground: ChangeIndex) -> list[str]:
    return [
        printable(f.path)
        for f in ground.change.files
        if f.added or f.status is not FileStatus.DELETED
    ]


def _losing(ground: ChangeIndex) -> list[str]:
    return [printable(f.old_path or f.path) for f in ground.change.files if f.deleted]
