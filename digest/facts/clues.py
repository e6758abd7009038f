"""Clues in a diff besides its facts: help texts, errors, tables, values, tests.

Clues are collected once, when a change is read, because its lines are not stored. Each cites a line
where it can be checked. They are not judgements: the analysis chooses which to use.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from digest.core.authors import sentences
from digest.core.change import FileStatus, Side
from digest.core.facts import Action, Area, Clue, ClueKind, Fact, FactKind
from digest.facts.help_text import LONGEST, beside, cleaned, literals
from digest.facts.side_text import FileContext, SideLines

_MOST = 24
"""Maximum clues of a change; a quarter of them for each kind."""

_NAMED = {
    FactKind.FLAG,
    FactKind.ENVIRONMENT,
    FactKind.CONFIG,
    FactKind.ROUTE,
    FactKind.METRIC,
    FactKind.SCHEMA,
}

_CHANGELOG = re.compile(
    r"(?:^|/)(?:changelog|changes|news|history|release[-_]?notes)(?:\.(?:md|rst|txt))?$",
    re.IGNORECASE,
)

_BULLET = re.compile(r"\s{0,8}[*+-]\s+(.{8,600})$")
_MOST_ENTRIES = 6
"""Added changelog lines from which on the commit prepares a release."""

_PARAGRAPH = 8
"""Lines around a name that are searched for its sentence."""

_RAISED = re.compile(
    r"\b(?:raise\s+\w[\w.]{0,60}\(|throw\s+new\s+\w[\w.]{0,60}\(|errors\.New\(|fmt\.Errorf\("
    r"|errors\.Errorf\(|bail!\(|anyhow!\(|panic!\(|TORCH_CHECK\(|panic\()"
)

_QUOTE = re.compile(r"[\"'`]")
_REACH = 6
"""Lines after the start of an error that may hold its text."""

_KEY = re.compile(r"\s+[\"']([A-Za-z][\w./-]{2,60})[\"']\s*(?::\s*[^\s].{0,200}|,.{0,40})?,?\s*$")

_TABLE = re.compile(
    r"\s*(?:export\s+|pub\s+|static\s+|const\s+|let\s+|var\s+){0,3}([A-Za-z_]\w{2,60})"
    r"\s{0,4}(?::[^=]{0,80})?(?:=|:=)\s{0,4}(?:[\w.]{0,40})?[\[{(]"
)

_TABLE_NAME = re.compile(
    r"^_?[A-Z][A-Z0-9_]+$|registry|supported|models|methods|parsers|backends|formats|dtypes"
    r"|architectures|kernels|platforms|plugins|providers|Methods|Models|Backends|Types|Dtype",
)

_VALUE = re.compile(
    r"\"(?:[^\"\\]|\\.){0,80}\"|'(?:[^'\\]|\\.){0,80}'|(?<![\w.])-?\d[\d_]{0,20}(?:\.\d{1,10})?"
    r"(?:e[+-]?\d{1,3})?(?![\w.])|\b(?:True|False|true|false|None|nil|null)\b"
)

_ASSIGNED = re.compile(r"([A-Za-z_][\w.]{1,60})\"?'?\s{0,4}(?::[^=,]{0,40})?(?:=|:=|:)\s{0,4}$")

_TEST = re.compile(
    r"\s*(?:async\s+)?def\s+(test_\w{3,120})\(|\s*func\s+(Test\w{3,120})\("
    r"|\s*(?:it|test)\(\s*[\"'`]([^\"'`]{8,160})[\"'`]|\s*(?:async\s+)?fn\s+(\w{4,120})\(\)"
)

_FUNCTION = re.compile(
    r"\b(?:def|func|fn|function|class|struct|impl)\s+(?:\([^()]{0,80}\)\s*)?([A-Za-z_]\w{1,80})"
)

_QUIET = {Area.TESTS, Area.DOCS, Area.EXAMPLES, Area.BENCHMARKS, Area.CI, Area.LOCKFILE}


def clues(scenes: Sequence[FileContext], facts: Sequence[Fact]) -> tuple[Clue, ...]:
    """The clues of a change, a few of each kind, by kind and file."""
    found: dict[Clue, None] = {}
    for find in (_helps(facts), _changelogs, _docs(facts), _refusals, _entries, _values, _tests):
        of_kind = (clue for scene in scenes for clue in find(scene))
        found |= dict.fromkeys(islice(of_kind, _MOST // 4))
    found |= dict.fromkeys(islice((c for s in scenes for c in _scopes(s)), _MOST // 4))
    return tuple(found)


Find = Callable[[FileContext], Iterable[Clue]]


def _helps(facts: Sequence[Fact]) -> Find:
    """The texts beside things that are added or changed."""
    wanted: dict[str, list[Fact]] = {}
    for fact in facts:
        if fact.kind in _NAMED and fact.action is not Action.REMOVED and fact.evidence.line:
            wanted.setdefault(fact.evidence.path, []).append(fact)

    def find(scene: FileContext) -> Iterator[Clue]:
        for fact in wanted.get(scene.file.path, ()):
            _, new = scene.lines
            first = 1 if new.whole else new.changed[0][0] if new.changed else 0
            lines = new.whole or _contiguous(new, fact.evidence.line)
            if not new.whole and lines:
                first = fact.evidence.line - _begin(new, fact.evidence.line)
            if text := beside(lines, fact.evidence.line - first):
                yield Clue(kind=ClueKind.HELP, name=fact.name, text=text, evidence=fact.evidence)

    return find


def _begin(sheet: SideLines, line: int) -> int:
    """The number of changed lines directly above a line."""
    numbers = {n for n, _ in sheet.changed}
    count = 0
    while line - count - 1 in numbers:
        count += 1
    return count


def _contiguous(sheet: SideLines, line: int) -> tuple[str, ...]:
    """The run of changed lines that contains a line."""
    texts = dict(sheet.changed)
    at = line - _begin(sheet, line)
    run: list[str] = []
    while at in texts:
        run.append(texts[at])
        at += 1
    return tuple(run)


def _changelogs(scene: FileContext) -> Iterator[Clue]:
    """The entries that a changelog gains, if they are few."""
    if not _CHANGELOG.search(scene.file.path) or scene.file.added > _MOST_ENTRIES:
        return
    _, new = scene.lines
    for number, line in new.changed:
        found = _BULLET.match(line)
        if found and (text := cleaned(found[1])):
            yield Clue(kind=ClueKind.CHANGELOG, text=text, evidence=new.evidence(number))


def _docs(facts: Sequence[Fact]) -> Find:
    """Sentences about new names, and headings, that documentation gains."""
    names = [f.name for f in facts if f.kind in _NAMED and f.action is not Action.REMOVED]
    plain = tuple(dict.fromkeys(name.rpartition(".")[2] for name in names))

    def find(scene: FileContext) -> Iterator[Clue]:
        if scene.area is not Area.DOCS or _CHANGELOG.search(scene.file.path):
            return
        _, new = scene.lines
        for number, line in new.changed:
            name = next((n for n in plain if len(n) > 3 and n in line), "")
            text = _sentence_about(name, number, new) if name else ""
            if text and "|" not in text:
                yield Clue(kind=ClueKind.DOCS, text=text, name=name, evidence=new.evidence(number))

    return find


def _sentence_about(name: str, number: int, sheet: SideLines) -> str:
    """The whole sentence that names a thing, from the added lines of a paragraph."""
    lines = dict(sheet.changed)
    first = last = number
    while lines.get(first - 1, "").strip() and first > number - _PARAGRAPH:
        first -= 1
    while lines.get(last + 1, "").strip() and last < number + _PARAGRAPH:
        last += 1
    paragraph = " ".join(lines[n].strip(" *-+>") for n in range(first, last + 1))
    about = (one for one in sentences(paragraph) if name in one and one.rstrip("`*)").endswith("."))
    return cleaned(next(about, ""))


def _refusals(scene: FileContext) -> Iterator[Clue]:
    """Errors that are added and removed; those on both sides are neither."""
    if scene.area is not Area.CORE:
        return
    sides = [(sheet, dict(_errors(sheet))) for sheet in scene.lines]
    if all(texts for _, texts in sides):
        return  # reworded, or split into finer cases
    for sheet, texts in sides:
        known = set().union(*(t.values() for s, t in sides if s is not sheet))
        for number, text in texts.items():
            if text not in known:
                yield Clue(kind=ClueKind.REFUSED, text=text, evidence=sheet.evidence(number))


def _errors(sheet: SideLines) -> Iterator[tuple[int, str]]:
    lines = [text for _, text in sheet.changed]
    for at, (number, line) in enumerate(sheet.changed):
        found = _RAISED.search(line)
        if not found or "NotImplementedError(" in line:
            continue
        tail = "\n".join([line[found.end() :], *lines[at + 1 : at + _REACH]])
        quote = _QUOTE.search(tail)
        text = cleaned(literals(tail, _before_prefix(tail, quote.start()))) if quote else ""
        if text and quote and quote.start() < 40:
            yield number, text


def _before_prefix(text: str, at: int) -> int:
    while at and text[at - 1] in "rbufRBUF":
        at -= 1
    return at


def _entries(scene: FileContext) -> Iterator[Clue]:
    """Keys added to or removed from a table that existed before."""
    if scene.area is not Area.CORE or scene.file.status is not FileStatus.MODIFIED:
        return
    both = scene.lines
    keys = [
        {found[1]: number for number, line in s.changed if (found := _KEY.match(line))}
        for s in both
    ]
    for sheet, mine, theirs in ((both[1], keys[1], keys[0]), (both[0], keys[0], keys[1])):
        for key, number in mine.items():
            if key not in theirs and (table := _table(sheet, number)):
                yield Clue(
                    kind=ClueKind.ENTRY, name=key, text=table, evidence=sheet.evidence(number)
                )


def _table(sheet: SideLines, number: int) -> str:
    """The name of the table around a line, if the table itself is not new."""
    if not sheet.whole or number > len(sheet.whole):
        return ""
    indent = _indent(sheet.whole[number - 1])
    changed = {n for n, _ in sheet.changed}
    for back, line in enumerate(sheet.above(number, 600), 1):
        if line.strip() and _indent(line) < indent:
            found = _TABLE.match(line)
            new = number - back in changed
            return found[1] if found and not new and _TABLE_NAME.search(found[1]) else ""
    return ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _values(scene: FileContext) -> Iterator[Clue]:
    """Named values that are the only change on their line."""
    if scene.area is not Area.CORE or not scene.language:
        return
    for hunk in scene.file.hunks:
        if not 0 < len(hunk.removed) == len(hunk.added) <= 2:
            continue
        for offset, (old, new) in enumerate(zip(hunk.removed, hunk.added, strict=True)):
            if len(old) > LONGEST or len(new) > LONGEST or (found := _differs(old, new)) is None:
                continue
            name, before, after = found
            sheet = scene.lines[1]
            yield Clue(
                kind=ClueKind.LITERAL,
                name=name,
                before=before,
                after=after,
                evidence=sheet.evidence(hunk.new_start + offset),
            )


def _differs(old: str, new: str) -> tuple[str, str, str] | None:
    """Name, old and new value of the only literal in which two lines differ."""
    ours, theirs = [*_VALUE.finditer(old)], [*_VALUE.finditer(new)]
    if len(ours) != len(theirs) or _VALUE.sub("0", old) != _VALUE.sub("0", new):
        return None
    pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if a[0] != b[0]]
    if len(pairs) != 1:
        return None
    before, after = pairs[0]
    named = _ASSIGNED.search(old[: before.start()])
    return (named[1], before[0], after[0]) if named else None


def _tests(scene: FileContext) -> Iterator[Clue]:
    """Tests that are new in their file."""
    if scene.area is not Area.TESTS and not scene.file.path.endswith(".rs"):
        return
    old, new = scene.lines
    gone = Counter(name for _, name in _tested(old))
    rust = scene.file.path.endswith(".rs")
    marked = not rust or any("#[test" in line or "::test" in line for _, line in new.changed)
    for number, name in _tested(new) if marked else ():
        if name not in gone:
            yield Clue(kind=ClueKind.TEST, name=name, evidence=new.evidence(number))


def _tested(sheet: SideLines) -> Iterator[tuple[int, str]]:
    for number, line in sheet.changed:
        if found := _TEST.match(line):
            yield number, next(filter(None, found.groups()))


def _scopes(scene: FileContext) -> Iterator[Clue]:
    """The functions that git names above the hunks of the code."""
    if scene.area in _QUIET:
        return
    for hunk in scene.file.hunks:
        if found := _FUNCTION.search(hunk.section[:LONGEST]):
            side = Side.NEW if hunk.added else Side.OLD
            new, old = scene.lines[1], scene.lines[0]
            sheet = new if side is Side.NEW else old
            line = hunk.new_start if side is Side.NEW else hunk.old_start
            yield Clue(kind=ClueKind.SCOPE, name=found[1], evidence=sheet.evidence(line))
