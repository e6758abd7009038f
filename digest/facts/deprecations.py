"""Deprecations, and removals of deprecated things.

The marks are those of the languages: ``@deprecated`` (PEP 702, Java, JSDoc), ``#[deprecated]``,
``// Deprecated:`` (Go), ``[[deprecated]]``, ``DeprecationWarning``, and sentences. A fact needs a
name: a mark whose target cannot be determined yields none.

``detail`` is ``mark``, ``option`` (an argument of its declaration), ``warning``, ``docstring`` (of
the thing itself), ``notice`` or ``message``;
``after`` (``before`` if the mark was removed) is the version that the text gives for the removal.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice, takewhile

from digest.core.change import FileChange, FileStatus
from digest.core.facts import Action, Area, Fact, FactKind
from digest.core.patterns import read_patterns
from digest.facts.deprecated_names import (
    CALLED,
    MARKED_AS,
    OWNER,
    SAID_SO,
    deprecated_names,
    given,
    owner_of,
)
from digest.facts.languages import language_of
from digest.facts.side_text import COMMENT, FileContext, SideLines, block, changed_text, indent_of
from digest.facts.similarity import last
from digest.frozen import frozen

_HINTS = ("eprecat", "DEPRECAT", "be removed", "bsolete", "FutureWarning")

_PHRASES = read_patterns("digest.facts", "words.toml", "deprecations")
_MARK = _PHRASES["mark"]
_WARNING = re.compile(r"\b(?:Pending)?DeprecationWarning\b|\bFutureWarning\b")
_WARNS = frozenset({"cython", "javascript", "python", "typescript"})
"""Languages whose programs give such warnings; elsewhere a type may have the name."""

_NOTICE = _PHRASES["notice"]
_DOCSTRING = re.compile(r"\s*r?(?:\"\"\"|''')D(?:eprecated|EPRECATED)[:.]")
_NOT_A_MARK = _PHRASES["not_a_mark"]

_PERHAPS = _PHRASES["perhaps"]

_REPLACEMENT = re.compile(
    r"\b(?:[Uu]se|[Pp]refer|in favou?r of|[Rr]eplaced (?:by|with)|[Rr]enamed (?:as|to)"
    r"|[Ss]witch to|[Mm]igrate to|is (?:an?|the) (?:now )?deprecated alias (?:of|for))\s+"
    r"(?:(?:the|new|a|an|your|option|flag|parameter|method|function)\s+){0,3}"
    r"(?:\{@link\s+(?:[\w.]{1,80}#)?)?[\[`'\"#]{0,3}(?!(?:the|this|that|it|another|of|to|for)\b)"
    r"(?P<name>[a-z][\w.-]{1,40}\.[a-z]{2,4}/[\w./-]{1,80}|-{0,2}[A-Za-z_][\w.:-]{1,80})"
)

# Where a text ends and continues on the next line.
_BROKEN_TEXT = re.compile(r"\s?([\"'])\s{1,3}[fru]?\1\s?")

_REMOVAL = re.compile(
    r"(?:removed|removal|dropped|deleted|disappear)[\w ]{0,24}?\s(?:in"
    r"|after|with|by|from)\s+(?:the\s+)?"
    r"(?:version\s+|release\s+|vllm\s+)?(v\d+(?:\.\d+){0,3}|\d+(?:\.\d+){1,3}|next "
    r"(?:major |minor )?(?:release|version)|a future (?:release|version))",
    re.IGNORECASE,
)

_SWITCHED = re.compile(r"\s+deprecated\s?=\s?(?:True\b|f?[\"'])")
"""An argument of Python that deprecates the option which a call declares."""

_MACRO = re.compile(r"\s*#\s*define\b.*(?:deprecated|\\\s*$)", re.IGNORECASE)
_COMPOUND = re.compile(r"[_:-]|\w\.\w|[a-z][A-Z]")
_RECORD = re.compile(
    r"(?:^|/)(?:change(?:s|log)|history|news|releases?|release[-_]notes"
    r"|whats[-_]?new|migrat\w*|upgrad\w*|changes-v\d)[^/]*",
    re.IGNORECASE,
)

_OPENING = re.compile(
    r"^\W{0,12}(?:DEPRECATED\b|Deprecated[:.])|^\s*(?:/?\*+\s*)?(?:[@#]\[?|\[\[)deprecated"
    r"|[;,]\s{1,40}//\s*DEPRECATED\b|^\s*[rf]?(?:\"\"\"|''')"
)
_LONGEST = 600  # characters of a line; longer ones are data
_AREAS = frozenset({Area.CORE, Area.DOCS})
_MOST = 100  # notices of one side of a file; more are data
_SPAN = 6  # lines between two marks about the same thing: a call written over several
_OVERLOADS = 24  # lines below a mark in which overloads are searched for


@frozen(kw_only=False)
class _Notice:
    name: str
    line: int
    removal: str | None
    detail: str
    replacement: str | None = None


def wants(file: FileChange, area: Area, language: str) -> bool:  # noqa: ARG001 - the finders' protocol
    """Whether a mark or a notice may be about something that the hunks do not show."""
    text = changed_text(file) if area in _AREAS else ""
    return any(hint in text for hint in _HINTS) and any(
        _kind(line, docs=area is Area.DOCS)
        for hunk in file.hunks
        for line in hunk.lines
        if len(line) < _LONGEST
    )


def find(scene: FileContext) -> Iterable[Fact]:
    """Marks added, removed or with another version, in core and docs (not in changelogs)."""
    if scene.area not in _AREAS or (not scene.language and _RECORD.search(scene.file.path)):
        return ()
    if scene.area is Area.DOCS and _RECORD.search(scene.file.path):
        return ()
    text = scene.changed_text
    if not any(hint in text for hint in _HINTS):
        return ()
    old, new = scene.lines
    docs = scene.area is Area.DOCS
    gone, come = (list(islice(_notices(side, docs=docs), _MOST)) for side in (old, new))
    olds, news = _by_name(gone), _by_name(come)
    pairs = [(olds.get(name), news.get(name)) for name in dict.fromkeys([*olds, *news])]
    return [_fact(a, b, old, new) for a, b in pairs if _is_news(a, b, old, new)]


def _notices(sheet: SideLines, *, docs: bool) -> Iterator[_Notice]:
    lines = sheet.texts
    group: list[tuple[int, str]] = []
    for number, line in sheet.changed:
        kind = _kind(line, docs=docs)
        if not kind or (kind == "warning" and language_of(sheet.path) not in _WARNS):
            continue
        if any(map(_MACRO.match, (line, *sheet.above(number, 1)))):
            continue  # the mark itself
        if group and (
            number - group[-1][0] > _SPAN
            or any(starts.search(line) for starts in (_OPENING, SAID_SO, OWNER, CALLED))
        ):
            yield from _notice(sheet, lines, group, docs=docs)
            group = []
        group.append((number, kind))
    if group:
        yield from _notice(sheet, lines, group, docs=docs)
    if not docs and language_of(sheet.path) == "python":
        yield from _looped(sheet, lines)


def _looped(sheet: SideLines, lines: dict[int, str]) -> Iterator[_Notice]:
    """The names of a literal list that a loop of Python warns about, one after another."""
    for number, line in sheet.changed:
        if not line.lstrip().startswith("for "):
            continue
        reach = takewhile(lines.__contains__, range(number, number + _LOOP_REACH))
        loop = _LOOP.match("\n".join(lines[n] for n in reach))
        body = (
            block(loop.string, loop.start("loop"))[loop.end() - loop.start("loop") :]
            if loop
            else ""
        )
        one = loop["one"] if loop else ""
        told = re.search(rf"\{{{one}(?:!\w)?\}}|%\s*\(?{one}\b|format\({one}\b", body)
        if not loop or not told or not _DEPRECATES.search(body):
            continue
        removal = _REMOVAL_GIVEN.search(body) or _REMOVAL.search(body)
        new = recommended(body)
        owner = ""
        if re.search(rf"\b(?:cls|self)(?:\.__dict__|, {one}\b)", body):
            # The class at the left margin that contains the loop.
            above = (text for text in sheet.above(number, _LONGEST_CLASS) if text[:1].isalpha())
            head = re.match(r"class (\w+)", next(above, ""))
            owner = head[1] if head else ""
        for name in _LISTED.findall(loop["names"]):
            yield _Notice(
                name=f"{owner}.{name}".lstrip("."),
                line=number,
                removal=removal[1] if removal else None,
                detail="warning",
                replacement=new,
            )


_LOOP = re.compile(
    r"[ \t]+(?P<loop>for) (?P<one>\w+) in "
    r"[(\[](?P<names>(?:\s*+[\"'][A-Za-z_][\w.-]*+[\"']\s*+,?)++)\s*+[)\]]:"
)
_LISTED = re.compile(r"[\"']([\w.-]+)[\"']")
_DEPRECATES = re.compile(r"\w*[dD]eprecat\w*(?:\.\w+)?\(|DeprecationWarning")
_REMOVAL_GIVEN = re.compile(r"\bremoval=[\"'](v?\d[\w.]*)")
_LOOP_REACH = 24  # lines of a loop
_LONGEST_CLASS = 4_000  # lines


def _kind(line: str, *, docs: bool) -> str:
    if not any(hint in line for hint in _HINTS) or _NOT_A_MARK.match(line) or _PERHAPS.search(line):
        return ""
    if _SWITCHED.match(line) and not docs:
        return "option"
    if _MARK.match(line) or MARKED_AS.search(line) or CALLED.match(line):
        return "mark"
    if not docs and _WARNING.search(line) and not COMMENT.match(line):
        return "warning"
    if _DOCSTRING.match(line):
        return "docstring"
    return "notice" if _NOTICE.search(line) else ""


def _notice(
    sheet: SideLines, lines: dict[int, str], group: Sequence[tuple[int, str]], *, docs: bool
) -> Iterator[_Notice]:
    first, last = group[0][0], group[-1][0]
    text = " ".join(
        lines[n].strip().strip("\"'# ") for n in range(max(1, first - 2), last + 4) if n in lines
    )
    detail = group[0][1]
    removal = _REMOVAL.search(text)
    replacement = recommended(
        " ".join(lines[n].strip() for n in range(first, last + 3) if n in lines)
    )
    when = removal[1] if removal else None
    if call := given(sheet, lines, first):
        replacement, when = call["new"] or replacement, call["when"] or when
    for name in deprecated_names(sheet, lines, first, detail, docs=docs):
        if len(name) <= (0 if detail == "mark" else 2):
            continue
        new = None if replacement == name.partition("=")[0] else replacement
        yield _Notice(name=name, line=first, removal=when, detail=detail, replacement=new)


def recommended(text: str) -> str | None:
    """The name that a text recommends to use, of the first recommendation that has one.

    Two names that are only together a replacement are none.
    """
    found = next(filter(_is_name, _REPLACEMENT.finditer(_BROKEN_TEXT.sub(" ", text))), None)
    together = found and _TOGETHER.match(found.string, found.end("name"))
    return found["name"].rstrip(".:") if found and not together else None


_TOGETHER = re.compile(r"[`'\"\])]{0,3} and [`'\"\[#]{0,3}-{0,2}[A-Za-z]\w*[_.:-]\w")


def _is_name(match: re.Match[str]) -> bool:
    """Whether what a sentence recommends is a name rather than a word."""
    rest = match.string[match.end() :].lstrip("`'\" ])")
    if match.string[match.end() :][:1] == "/":
        return False  # the beginning of a path
    quoted = match.string[match.start("name") - 1] in "`'\"#["
    return quoted or rest.startswith("instead") or _COMPOUND.search(match["name"]) is not None


def _was_marked(sheet: SideLines, name: str, *, told: bool) -> bool:
    """Whether the file already marked a name elsewhere, or ``told`` that it is deprecated."""
    last = name.lstrip("-")
    said = re.compile(rf"(?<![\w-]){re.escape(last)}(?![\w-])")
    defined = re.compile(rf"(?<![\w-]){re.escape(last)}\??\s*[:=(;]")
    return any(
        (told and last in near[0] and said.search(near[0]))
        or any(last in line and defined.search(line) for line in near)
        for near in _marks(sheet.whole)
    )


@lru_cache(maxsize=1)
def _marks(lines: tuple[str, ...]) -> list[Sequence[str]]:
    """The lines with a mark or notice of a file, each with those below it."""
    return [
        lines[number : number + 6]
        for number, line in enumerate(lines)
        if "eprecated" in line and (_MARK.match(line) or _NOTICE.search(line))
    ]


def _is_member(before: SideLines, after: SideLines, notice: _Notice) -> bool:
    """Whether a mark of a script is on a new name, or on one overload of several.

    An overload stands beside another declaration of its name, which has no mark.
    """
    name = re.escape(notice.name)
    if language_of(after.path) not in {"javascript", "typescript"}:
        return False
    if any(before.whole) and not any(notice.name in line for line in before.whole):
        return True
    head = re.compile(rf"\s*(?:export )?(?:declare )?(?:function )?{name}[<(]")
    below = after.whole[notice.line - 1 : notice.line + _OVERLOADS]
    above = [*takewhile(_is_inside(below), after.above(notice.line, _OVERLOADS))][::-1]
    near = [*above, *below]
    heads = [n for n, line in enumerate(near) if head.match(line)]
    marks = [
        any("@deprecated" in line for line in near[one + 1 : other])
        for one, other in itertools.pairwise([-1, *heads])
    ]
    return len(marks) > 1 and not all(marks)


def _is_inside(below: Sequence[str]) -> Callable[[str], bool]:
    """Whether a line above a mark is in the block of the mark: indented as far, or empty."""
    depth = indent_of(below[0]) if below else 0
    return lambda line: not line.strip() or indent_of(line) >= depth - 1


def _by_name(notices: Sequence[_Notice]) -> dict[str, _Notice]:
    """The first notice of each name, with the replacement and version of the first that has one."""
    found: dict[str, _Notice] = {}
    for one in notices:
        was = found.setdefault(one.name, one)
        removal, new = was.removal or one.removal, was.replacement or one.replacement
        found[one.name] = replace(was, removal=removal, replacement=new)
    return found


def _is_news(a: _Notice | None, b: _Notice | None, before: SideLines, after: SideLines) -> bool:
    """Whether a name is marked only now, no longer, or for another version."""
    if a and b and a.removal == b.removal:
        return False
    if b and b.detail == "mark" and b.replacement == b.name:
        return False  # one way to call it
    if a or not b:
        return True
    by_mark = b.detail == "mark"
    known = _was_marked(before, b.name, told=not by_mark)
    return not known and not (by_mark and _is_member(before, after, b))


def _fact(a: _Notice | None, b: _Notice | None, before: SideLines, after: SideLines) -> Fact:
    notice = b or a
    assert notice is not None
    sheet = after if b else before
    line = sheet.whole[notice.line - 1] if notice.line <= len(sheet.whole) else ""
    marked = notice.detail in _ON_IT or line.lstrip().startswith(('"""', "'''", "///"))
    known = marked and notice.name.isidentifier()
    owner = owner_of(sheet, notice.line, notice.name) if known else ""
    joint = "::" if language_of(sheet.path) in {"cpp", "cuda", "rust"} else "."
    # A mark speaks to callers elsewhere: to nobody, if the name is not exported.
    local = notice.detail == "mark" and notice.name.isidentifier() and notice.name[0].islower()
    own = (local and language_of(sheet.path) == "go") or _is_private(sheet, notice.line)
    return Fact(
        kind=FactKind.DEPRECATION,
        action=Action.CHANGED if a and b else Action.ADDED if b else Action.REMOVED,
        name=f"{owner}{joint}{notice.name}" if owner else _as_typed(sheet, notice.name),
        before=a.removal if a else None,
        after=b.removal if b else None,
        detail=notice.detail,
        replacement=notice.replacement,
        when=notice.removal,
        evidence=sheet.evidence(notice.line),
        public=False if own else None,
    )


_LOCAL_TYPE = re.compile(r"(?:class|interface|type) (?P<name>\w{2,80})")


def _is_private(sheet: SideLines, line: int) -> bool:
    """Whether a member is in the private part of a C++ class, or in a type of a script's own."""
    marked = sheet.whole[line - 1] if line <= len(sheet.whole) else ""
    if language_of(sheet.path) == "typescript":
        above = sheet.above(line, _LONGEST_CLASS) if marked[:1].isspace() else ()
        local = _LOCAL_TYPE.match(next((t for t in above if t[:1].isalpha()), ""))
        name = local["name"] if local else ""
        listed = rf"^export (?:type )?(?:default {name}\b|\{{[^{{}}]*\b{name}\b)"
        return bool(name) and not re.search(listed, "\n".join(sheet.whole), re.MULTILINE)
    if language_of(sheet.path) not in {"cpp", "cuda"}:
        return False
    outer = (t for t in sheet.above(line, _LONGEST_CLASS) if t.strip())
    part = next((t for t in outer if indent_of(t) < indent_of(marked) and not COMMENT.match(t)), "")
    return part.strip() == "private:"


_IN_CODE = frozenset({"mark", "warning", "docstring"})


def _as_typed(sheet: SideLines, name: str) -> str:
    """The flag that a variable of a program stands for, otherwise the name as it is."""
    if not name.endswith(("Arg", "Flag", "Opt", "Option")) or not name.isidentifier():
        return name
    made = re.compile(
        rf"\s*(?:this\.|self\.)?{name}\s*=\s*[\w.]+\(\s*\"(?P<flag>[a-z][\w-]{{2,60}})\","
    )
    found = next((m for line in sheet.whole if name in line and (m := made.match(line))), None)
    return f"--{found['flag']}" if found else name


_ON_IT = frozenset({"mark", "docstring"})
"""Details of marks at the thing itself, whose place shows what it is a member of."""
_TELLING = 12  # characters of a parameter that another function hardly has for another thing


def with_announced(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """The facts, with symbols as public that the project deprecates, or had deprecated before.

    A deprecation addresses callers elsewhere, wherever the thing is in the project.
    """
    # Notices are part of the code, or were until now: what is said of other code stays.
    marked = {
        (f.evidence.path, last(f.name))
        for f in facts
        if f.kind is FactKind.DEPRECATION
        and (f.detail in _IN_CODE or (f.action is Action.REMOVED and f.detail == "notice"))
    }
    telling = {name for _, name in marked if "_" in name and len(name) >= _TELLING}

    def is_known(fact: Fact) -> bool:
        names = {last(fact.name)}
        if fact.detail == "parameter removed":
            sides = [set(_WORD.findall(text or "")) for text in (fact.before, fact.after)]
            names = sides[0] - sides[1]
        here = any((fact.evidence.path, name) in marked for name in names)
        return here or (fact.detail in _PARAMETERS and bool(names & telling))

    return tuple(
        replace(f, public=True) if marked and _may_be_public(f) and is_known(f) else f
        for f in facts
    )


def of_known_names(facts: tuple[Fact, ...], scenes: Mapping[str, FileContext]) -> tuple[Fact, ...]:
    """The facts without marks in new files, whose names nobody used before."""
    made = {path for path, scene in scenes.items() if scene.file.status is FileStatus.ADDED}
    return tuple(
        f
        for f in facts
        if f.kind is not FactKind.DEPRECATION
        or f.detail not in _ON_IT
        or f.evidence.path not in made
    )


_PARAMETERS = frozenset({"default", "parameter removed"})
_WORD = re.compile(r"\w+")


def _may_be_public(fact: Fact) -> bool:
    symbol = fact.kind is FactKind.SYMBOL and fact.action is not Action.ADDED
    setting = fact.kind is FactKind.CONFIG and fact.action is Action.REMOVED
    return (symbol or setting) and fact.public is None
