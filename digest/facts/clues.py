"""Clues in a diff besides its facts: help texts, documentation, errors, values.

Clues are collected once, when a change is read, because its lines are not stored. Each cites a line
where it can be checked. They are not judgements: the analysis chooses which to use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from digest.core.authors import sentences
from digest.core.change import FileChange, Side
from digest.core.facts import Action, Area, Clue, ClueKind, Fact, FactKind
from digest.facts.exposure import is_sent
from digest.facts.help_text import COMMENT, LONGEST, beside, clean, literals
from digest.facts.side_text import FileContext, SideLines

_MOST = 6  # maximum clues of each kind
_MOST_KEYS = 60  # maximum keys of registries, of which those that moved are found in pairs
_MOST_ASKED = 400  # maximum number of things in a file whose texts are searched for

_NAMED = {
    FactKind.FLAG,
    FactKind.ENVIRONMENT,
    FactKind.CONFIG,
    FactKind.ROUTE,
    FactKind.METRIC,
    FactKind.SCHEMA,
}

_CHANGELOG = re.compile(
    r"(?:^|/)(?:changelog|changes|news|history|release[-_]?notes)(?:\.(?:md|rst|txt))?$"
    r"|(?:^|/)openspec/",  # plans, which also tell what was before
    re.IGNORECASE,
)

_PARAGRAPH = 8  # lines around a name that are searched for its sentence

_RAISED = re.compile(
    r"\b(?:raise\s+\w[\w.]{0,60}\(|throw\s+new\s+\w[\w.]{0,60}\(|errors\.New\(|fmt\.Errorf\("
    r"|errors\.Errorf\(|bail!\(|anyhow!\(|panic!\(|TORCH_CHECK\(|panic\()"
)

_RAISERS = ("raise", "throw", "errors.", "Errorf", "bail!", "anyhow!", "panic", "TORCH_CHECK")
"""Every match contains one of these, and few changes do."""

_QUOTE = re.compile(r"[rbufRBUF]*[\"'`]")
_REACH = 6  # lines after the start of an error that may contain its text

_VALUE = re.compile(
    r"\"(?:[^\"\\]|\\.){0,80}\"|'(?:[^'\\]|\\.){0,80}'|(?<![\w.])-?\d[\d_]{0,20}(?:\.\d{1,10})?"
    r"(?:e[+-]?\d{1,3})?(?![\w.])|\b(?:True|False|true|false|None|nil|null)\b"
)

_ASSIGNED = re.compile(r"([A-Za-z_][\w.]{1,60})\"?'?\s{0,4}(?::[^=,]{0,40})?(?:=|:=|:)\s{0,4}$")

_SHARED = 2  # words that a sentence shares with the title, at least, to be about it
_BEGINNING = 30
_NO_REMARKS = re.compile(
    rf"{_CHANGELOG.pattern}|test|fixture|/blog/|locale|/(?:zh|ja|ko|fr|de)/", re.IGNORECASE
)
_MARKUP = ("```", "|", "#", "<", "!!!", "---", ":::", "..", "@")
_TITLES = ("!!!", ":::", "???")  # how boxes with a title of their own begin
_DATA = (".yml", ".yaml", ".json", ".toml")  # files among documents that only programs read
_STEM = 5
_CONTENT = re.compile(r"[^\W_]{4,40}")
_COMMON = frozenset(
    word[:_STEM]
    for word in """
    added adding removed fixes support using update enable allow with from when that this into make
    more should have models tests features bugfix refactor instead default option values change
    config files
    """.split()  # noqa: SIM905 - a list a word a line would take a page
)
_REMARK = re.compile(r"^(?:NOTE|Note|IMPORTANT|WARNING)\b(?:\([^()]{1,40}\))?:?\*{0,2}:?\s+")
_TELLING = re.compile(
    r"(?!(?:Please|This|It|Its|These|Those|They|That|Here|Later|Also|However|Then|And|But|So|See|Same|Such"
    r"|Both|Otherwise|Similarly|Example|Returns?|Determines?|Checks?|Initiali[sz]e|Retain|As"
    r"|Register|Ensure|Create|Get|Set)\b)"
    r"[A-Z`][^{}=;|<>\"]{58,260}[.)]$"
)
"""A complete sentence that makes sense alone and is not a label of the next line."""

_WHY = re.compile(
    r"\b(?:because|since|otherwise|so that|to avoid|to prevent|must|cannot|can't|only|instead"
    r"|unless|requires?|supported|does not|doesn't|is not|isn't|may|would|if|when|without)\b",
    re.IGNORECASE,
)
"""Words of a comment that says why or when, and not what the next line does."""


def clues(
    scenes: Sequence[FileContext], facts: Sequence[Fact], title: str = ""
) -> tuple[Clue, ...]:
    """The clues of a change, a few of each kind, by kind and file."""
    found: dict[Clue, None] = {}
    finders = (
        _helps(f for f in facts if f.kind in _NAMED or is_sent(f) or is_titled(f, title)),
        _docs(facts),
        _refusals,
        _values,
        _registered,
        _comments(title),
        _helps(_of_code(facts, title)),
    )
    for find in finders:
        of_kind = (clue for scene in scenes for clue in find(scene))
        most = _MOST_KEYS if find is _registered else _MOST
        found |= dict.fromkeys(islice(of_kind, most))
    return tuple(found)


Find = Callable[[FileContext], Iterable[Clue]]


def _of_code(facts: Sequence[Fact], title: str) -> list[Fact]:
    """New functions, methods and classes, if many those whose names share words with the title."""
    made = [f for f in facts if _is_new_code(f) and "._" not in f".{f.name}"]
    few = len({f.name.rpartition(".")[2] for f in made}) <= _FEW
    words = _stems(title)
    return [
        f
        for f in made
        if not is_titled(f, title)
        and (few or len(_stems(" ".join(_WORDS.findall(f.name))) & words) >= _SHARED)
    ]


def _is_new_code(fact: Fact) -> bool:
    made = fact.kind is FactKind.SYMBOL and fact.action is Action.ADDED
    return made and fact.detail in _CODE


def is_titled(fact: Fact, title: str) -> bool:
    """Whether a new function, method, class or field is one that the title names."""
    field = fact.kind is FactKind.SYMBOL and fact.action is Action.ADDED and fact.detail == "field"
    if not field and not _is_new_code(fact):
        return False
    last = fact.name.rpartition(".")[2]
    if last not in title:  # most are not, and expressions of names are compiled for one search each
        return False
    own = re.escape(last)
    if re.search(rf"`{own}`|\b{own}\(\)", title):
        return True
    if "." in fact.name and re.search(rf"(?<![\w.]){re.escape(fact.name)}(?![\w.]?\w)", title):
        return True
    # One capital tells a name from other words only where none begins a sentence.
    begins = "" if _CODED.search(own) else r"\w[ ,]\s*" if own[:1].isupper() else r"(?!)"
    return re.search(rf"{begins}(?<![\w.]){own}\b", title) is not None


_CODED = re.compile(r"[a-z\d][A-Z]|[A-Z]{2}[a-z]|\w_[^\W_]")
"""What words of a sentence do not have."""

_FEW = 3  # new functions and classes of a change that are all what it is about
_CODE = frozenset({"class", "function", "method", "interface", "trait", "struct"})
_WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def _helps(facts: Iterable[Fact]) -> Find:
    """The texts beside things that are added or changed."""
    wanted: dict[str, list[Fact]] = {}
    for fact in facts:
        if fact.evidence.side is Side.NEW and fact.evidence.line:
            wanted.setdefault(fact.evidence.path, []).append(fact)

    def find(scene: FileContext) -> Iterator[Clue]:
        for fact in wanted.get(scene.file.path, [])[:_MOST_ASKED]:
            _, new = scene.lines
            first = 1 if new.whole else new.changed[0][0] if new.changed else 0
            lines = new.whole or _contiguous(new, fact.evidence.line)
            if not new.whole and lines:
                first = fact.evidence.line - _begin(new, fact.evidence.line)
            rows = _inserted(scene, fact.evidence.line) if fact.action is Action.ADDED else None
            fresh = range(rows.start - first, rows.stop - first) if rows else None
            row, code = fact.evidence.line - first, _is_new_code(fact)
            if text := beside(lines, row, fresh, code=code):
                yield Clue(kind=ClueKind.HELP, name=fact.name, text=text, evidence=fact.evidence)

    return find


def _inserted(scene: FileContext, line: int) -> range | None:
    """The lines that were inserted together with a line; ``None`` if they replace others."""
    for hunk in scene.file.hunks:
        lines = range(hunk.new_start, hunk.new_start + len(hunk.added))
        if line in lines and not hunk.removed:
            return lines
    return None


def _begin(sheet: SideLines, line: int) -> int:
    """The number of changed lines directly above a line."""
    count = 0
    while line - count - 1 in sheet.texts:
        count += 1
    return count


def _contiguous(sheet: SideLines, line: int) -> tuple[str, ...]:
    """The run of changed lines that contains a line."""
    texts = sheet.texts
    at = line - _begin(sheet, line)
    run: list[str] = []
    while at in texts:
        run.append(texts[at])
        at += 1
    return tuple(run)


def _docs(facts: Sequence[Fact]) -> Find:
    """Sentences about new names, and headings, that documentation gains."""
    names = [f.name for f in facts if f.kind in _NAMED and f.action is not Action.REMOVED]
    plain = tuple(dict.fromkeys(name.rpartition(".")[2] for name in names))

    def find(scene: FileContext) -> Iterator[Clue]:
        data = scene.file.path.endswith(_DATA)
        if scene.area is not Area.DOCS or data or _CHANGELOG.search(scene.file.path):
            return
        _, new = scene.lines
        for number, line in new.changed:
            name = next((n for n in plain if len(n) > 3 and _has(line, n)), "")
            text = _sentence_about(name, number, new) if name else ""
            if text and "|" not in text:
                yield Clue(kind=ClueKind.DOCS, text=text, name=name, evidence=new.evidence(number))

    return find


def _sentence_about(name: str, number: int, sheet: SideLines) -> str:
    """The whole sentence that names a thing, from the added lines of a paragraph."""
    lines = sheet.texts
    first = last = number
    while _goes_on(lines.get(first - 1, "")) and first > number - _PARAGRAPH:
        first -= 1
    while _goes_on(lines.get(last + 1, "")) and last < number + _PARAGRAPH:
        last += 1
    paragraph = " ".join(lines[n].strip(" *-+>#") for n in range(first, last + 1))
    about = (
        sentence
        for sentence in sentences(paragraph)
        if _has(sentence, name) and sentence.rstrip("`*)").endswith(".")
    )
    return clean(next(about, ""))


def _has(text: str, name: str) -> bool:
    """Whether a text has a name as a whole word."""
    return name in text and bool(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text))


def _goes_on(line: str) -> bool:
    """Whether a line of documentation belongs to the paragraph beside it."""
    return bool(line.strip()) and not line.lstrip().startswith(_TITLES)


def _refusals(scene: FileContext) -> Iterator[Clue]:
    """Errors that are added and removed; those on both sides are neither."""
    if scene.area is not Area.CORE or not any(word in scene.changed_text for word in _RAISERS):
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
        match = _RAISED.search(line) if any(map(line.__contains__, _RAISERS)) else None
        if not match or "NotImplementedError(" in line or "AssertionError(" in line:
            continue
        tail = "\n".join([line[match.end() :], *lines[at + 1 : at + _REACH]])
        quote = _QUOTE.search(tail)
        text = clean(literals(tail, quote.start())) if quote else ""
        if text and quote and quote.start() < 40:
            yield number, text


_BOTH = 2  # places of a value that changes once: before and after


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
            if len(re.findall(rf"\b{re.escape(name)}\b\s*[:=]", scene.changed_text)) > _BOTH:
                continue  # a member of several things
            sheet = scene.lines[1]
            yield Clue(
                kind=ClueKind.LITERAL,
                name=name,
                before=before,
                after=after,
                evidence=sheet.evidence(hunk.new_start + offset),
            )


_REGISTRY = re.compile(r"(?:^|/)\w{0,40}registry\.\w{1,4}$")
_TABLE = re.compile(
    r"(?:(?:export|const|var|let|static|pub) ){0,3}(?P<name>[A-Za-z_]\w{3,80})\b[^=({]{0,80}"
    r"= ?[{(\[]"
)
_KEY_OF_TABLE = re.compile(r"\s{1,12}[\"'](?P<key>[A-Z]\w{3,80})[\"']\s?:\s?\S")
_LONGEST_TABLE = 900  # lines


def wants(file: FileChange, area: Area, language: str) -> bool:  # noqa: ARG001 - the finders' protocol
    """Whether the lines above a key are needed, which name its table."""
    return area is Area.CORE and _REGISTRY.search(file.path) is not None


def _registered(scene: FileContext) -> Iterator[Clue]:
    """Keys that the tables of a registry gain and lose."""
    if not wants(scene.file, scene.area, scene.language):
        return
    sides = [dict(_keys(sheet)) for sheet in scene.lines]
    for sheet, found, other in zip(scene.lines, sides, sides[::-1], strict=True):
        for (table, key), number in found.items():
            if (table, key) not in other:
                yield Clue(
                    kind=ClueKind.REGISTERED, name=key, text=table, evidence=sheet.evidence(number)
                )


def _keys(sheet: SideLines) -> Iterator[tuple[tuple[str, str], int]]:
    for number, line in sheet.changed[:_MOST_ASKED]:
        if match := _KEY_OF_TABLE.match(line):
            above = (
                line for line in sheet.above(number, _LONGEST_TABLE) if line[:1].strip(" \t}])")
            )
            table = _TABLE.match(next(above, ""))
            if table:
                yield (table["name"], match["key"]), number


def _differs(old: str, new: str) -> tuple[str, str, str] | None:
    """Name, old and new value of the only literal in which two lines differ."""
    ours, theirs = [*_VALUE.finditer(old)], [*_VALUE.finditer(new)]
    if len(ours) != len(theirs) or _VALUE.sub("0", old) != _VALUE.sub("0", new):
        return None
    pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if a[0] != b[0]]
    if len(pairs) != 1:
        return None
    before, after = pairs[0]
    match = _ASSIGNED.search(old[: before.start()])
    return (match[1], before[0], after[0]) if match else None


def _comments(title: str) -> Find:
    """Sentences about what the title names: in new comments that say why, and in documents."""
    wanted = _stems(title)
    least = min(_SHARED, len(wanted))

    def find(scene: FileContext) -> Iterator[Clue]:
        if scene.area not in {Area.CORE, Area.DOCS} or _NO_REMARKS.search(scene.file.path):
            return
        low = scene.changed_text.casefold() if least else ""
        if not least or sum(map(low.__contains__, wanted)) < least:
            return
        old, new = scene.lines
        documents = scene.area is Area.DOCS
        gone = " ".join(" ".join(text.split()) for _, text in old.changed)
        for number, paragraph in _prose(new, documents=documents):
            if len(wanted & _stems(paragraph)) < least:
                continue
            for sentence in sentences(paragraph):
                text = clean(_REMARK.sub("", sentence))
                about = len(wanted & _stems(text)) >= least and (documents or _WHY.search(text))
                if about and _TELLING.match(text) and text[:_BEGINNING] not in gone:
                    yield Clue(kind=ClueKind.REMARK, text=text, evidence=new.evidence(number))

    return find


_MARGINS = frozenset("/#-*")


def _prose(sheet: SideLines, *, documents: bool) -> Iterator[tuple[int, str]]:
    """Runs of new lines of a comment, or of a paragraph, with the number of their first line."""
    begin, last, kept = 0, -1, list[str]()
    for number, line in sheet.changed:
        match = COMMENT.match(line) if not documents and line.lstrip()[:1] in _MARGINS else None
        if not (match or documents or kept):
            last = number
            continue
        text = line.replace("**", "") if documents else match[1] if match else ""
        text = text.strip(" *>/")
        text = "" if text.startswith(_MARKUP) else text
        if kept and (number != last + 1 or not text):
            yield begin, " ".join(kept)
            kept = []
        if text and len(kept) < _PARAGRAPH:
            begin, kept = begin if kept else number, [*kept, text]
        last = number
    if kept:
        yield begin, " ".join(kept)


def _stems(text: str) -> set[str]:
    """The first letters of the words of content, so that plurals and tenses are one."""
    return {word.casefold()[:_STEM] for word in _CONTENT.findall(text)} - _COMMON
