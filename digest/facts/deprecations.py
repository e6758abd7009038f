"""Deprecations, and removals of deprecated things.

The marks are those of the languages: ``@deprecated`` (PEP 702, Java, JSDoc), ``#[deprecated]``,
``// Deprecated:`` (Go), ``[[deprecated]]``, ``DeprecationWarning``, and sentences. A fact needs a
name: a mark whose target cannot be determined yields none.

``detail`` is ``mark``, ``warning``, ``notice`` or ``message``; ``after`` (``before`` if the mark
was removed) is the version that the text gives for the removal.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from digest.core.change import FileChange
from digest.core.facts import Action, Area, Fact, FactKind
from digest.facts.message import INSTEAD, JOINED, NO_NAMES, QUOTED_NAME
from digest.facts.paths import language_of
from digest.facts.side_text import COMMENT, FileContext, SideLines, changed_text

_HINTS = ("eprecat", "DEPRECAT", "be removed", "bsolete", "FutureWarning")

_MARK = re.compile(
    r"\s*(?:/?\*+\s*)?@(?:[\w.]{1,60}\.)?[Dd]eprecated\b|\s*#!?\[deprecated\b"
    r"|.{0,200}\[\[deprecated\b"
    r"|\s*//\s*Deprecated:|\s*\[Obsolete\b|.{0,100}__attribute__\(\(deprecated|\s*\.\. deprecated::"
    r"|\s*!!! (?:warning )?\"?[Dd]eprecated"
)
_WARNING = re.compile(r"\b(?:Pending)?DeprecationWarning\b|\bFutureWarning\b")
_NOTICE = re.compile(
    r"\b(?:is|are|was|were|been|being|now) (?:now )?deprecated\b|\bdeprecated "
    r"(?:in|since|as of|alias|and)\b|\bDEPRECATED\b"
    r"|(?:^\W{0,12}|[\"'`(\[]|\. )Deprecated(?:[:.,)\];!]| -)"
    r"|[\"'`]Deprecated (?:after|since|in|as of) "
    r"|[(\[]deprecated[)\]:;,]"
    r"|\b(?:will|to) be removed (?:in|after|with|from|entirely in) "
    r"(?:the |a )?(?:next|future|v?\d)"
)
_NOT_A_MARK = re.compile(
    r"\s*(?:import|from|except|#\s*noqa|use)\b|.{0,300}(?:allow\(|expect\("
    r"|filterwarnings|simplefilter|pytest\.|"
    r"catch_warnings|issubclass|isinstance|SuppressWarnings|nolint)"
)

_SAID_SO = re.compile(
    r"\b(?:is|are|was|were|has been|have been)\s+(?:now\s+|being\s+)?(?:deprecated|obsolete)\b"
)

_GOES = re.compile(r"\b(?:will|to) be removed\b")
_PROSE = re.compile(r"[A-Z][a-z]+(?: [a-z]+){1,8} ?")

_PERHAPS = re.compile(
    r"\b(?:might|may|could|should|will|not|never|cannot) (?:be |yet )*deprecated\b"
)

_REPLACEMENT = re.compile(
    r"\b(?:[Uu]se|[Pp]refer|in favou?r of|[Rr]eplaced (?:by|with)|[Rr]enamed (?:as|to)"
    r"|[Ss]witch to|[Mm]igrate to)\s+"
    r"(?:(?:the|new|a|an|your|option|flag|parameter|method|function)\s+){0,3}"
    r"(?:\{@link\s+)?[\[`'\"#]{0,3}(?!(?:the|this|that|it|another|of|to|for)\b)"
    r"(?P<name>-{0,2}[A-Za-z_][\w.:-]{1,80})"
)

# Where a text ends and continues on the next line.
_BROKEN_TEXT = re.compile(r"\s?([\"'])\s{1,3}[fru]?\1\s?")
_OWNER = re.compile(
    r"\b[Nn]ame\s*[=:]\s*[\"'](?P<named>[\w:.-]{2,100})[\"']|[\"'](?P<flag>--[\w.-]{2,80})[\"']"
    r"|[fF]lag\w{0,20}\((?:\w{1,40},\s*)?\"(?P<go>[\w.-]{2,80})\""
)

_ALIAS_NAME = re.compile(
    r"[Dd]eprecated(?: alias (?:of|for))?:? [`'\"]{1,2}(?P<name>-{0,2}[\w.:-]{2,80})[`'\"]"
)
_ITEM = re.compile(r"[\s,]([\w.-]{3,80}) \((?:DEPRECATED|[Dd]eprecated)\)")
_DEFINED = re.compile(
    r"\s*(?:export\s+|default\s+|pub(?:\([\w:\s]{1,40}\))?\s+|public\s+"
    r"|protected\s+|private\s+|static\s+|final\s+|abstract\s+"
    r"|async\s+|const\s+|unsafe\s+|inline\s+|virtual\s+){0,6}"
    r"(?:def|class|fn|func|function|struct|enum|trait|type|interface"
    r"|mod|macro_rules!|let|var|val)\s+"
    r"(?:\([^()]{0,80}\)\s*)?(?P<name>[A-Za-z_]\w{0,80})"
)
_METHOD = re.compile(
    r"\s*(?:(?:public|protected|private|static|final|abstract|async"
    r"|const|pub)\s+){0,5}(?:[\w<>\[\],.?]{1,80}\s+)?(?P<name>[A-Za-z_]\w{0,80})(?:\?|!)?\s*(?:[(=;]|:(?!:))"
)

_C_FIELD = re.compile(
    r"\s*(?:(?:const|static|virtual)\s+){0,3}[\w:<>,*&]{1,80}[\s*&]{1,8}"
    r"(?P<name>[A-Za-z_]\w{0,80})\s*[;=({]"
)

_MEMBER_VALUE = re.compile(
    r"\s*\w+:\s*(?:['\"`\d\[{]|true\b|false\b|null\b|undefined\b).*,\s*(?://.*)?$"
)

_REMOVAL = re.compile(
    r"(?:removed|removal|dropped|deleted|disappear)[\w ]{0,24}?\s(?:in"
    r"|after|with|by|from)\s+(?:the\s+)?"
    r"(?:version\s+|release\s+|vllm\s+)?(v\d+(?:\.\d+){0,3}|\d+(?:\.\d+){1,3}|next "
    r"(?:major |minor )?(?:release|version)|a future (?:release|version))",
    re.IGNORECASE,
)

_SUBJECT = re.compile(
    r"(?:(?P<set>[A-Za-z_]\w*(?:[._-]\w+)+)[`'\"]?\s+(?:(?:set )?(?:to|as) )?[`'\"][\w.-]+[`'\"]"
    r"|[`'\"]{1,2}(?P<quoted>-{0,2}[A-Za-z_][\w.:/-]{1,80})(?:\(\)|=\S{1,40})?[`'\"]{1,2}"
    r"|(?<![\w.%])(?P<bare>-{0,2}[A-Za-z_][\w.:-]{1,80})(?:\(\))?)"
    r"(?:\s+(?:command[- ]line|configuration|config|environment|feature|server|[Cc]lass|function"
    r"|method|option|flag|field|parameter|param|argument|setting|metric|label|key|variable"
    r"|attribute|property|API|endpoint|value|annotation|constant|alias|hook)s?){0,3}"
    r"(?:\s+\([^()]{0,60}\))?[\s,*_]*$"
)
_OF = re.compile(r"\s+(?:of|on|in|to|for)(?: the)?\s+$")
_SENTENCE = re.compile(r"[.;!?]\s+|:\s+")
_THIS = re.compile(r"\b(?:[Tt]his|[Ii]t|[Tt]hese)\b(?:\s+\w+){0,2}\s*$")
_ATTRIBUTE_LINE = re.compile(r"\s*(?:[@#\[*/]|$)")
_CODE_LIKE = re.compile(r"[_.:\d]|^-|[a-z][A-Z]|^[A-Z]{3,}")
_COMPOUND = re.compile(r"[_:-]|\w\.\w|[a-z][A-Z]")
_RECORD = re.compile(
    r"(?:^|/)(?:change(?:s|log)|history|news|releases?|release[-_]notes"
    r"|whats[-_]?new|migrat\w*|upgrad\w*|changes-v\d)[^/]*",
    re.IGNORECASE,
)

_MARKED_AS = re.compile(
    r"Mark\w{0,20}Deprecated\(\s*\"(?P<flag>[\w.-]{2,80})\""
    r"|(?P<field>\w{2,80})\s*(?::[^=]{1,80})?=\s*\w[\w.]*\(.{0,200}\bdeprecate\w{0,4}\s*=\s*(?:[Tt]rue\b|[\"'])"
)
_DIRECTIVE = re.compile(r"\s*(?:\.\. deprecated::|!!! )")
_HEADING = re.compile(
    r"(?:#{1,6}\s+|\.\. (?:setting|option|confval|py:\w+)::\s*)?[`*{]{0,3}"
    r"(?P<name>-{0,2}\w[\w.=-]{2,80})[`*}]{0,3}(?:\s*\(.{0,80}\))?\s*$"
)
_OPENING = re.compile(r"^\W{0,12}D(?:eprecated|EPRECATED)[:.]|^\s*[@#]\[?deprecated")
_LONGEST = 600  # characters of a line; longer ones are data
_AREAS = frozenset({Area.CORE, Area.DOCS})
_MOST = 100  # notices of one side of a file; more are data
_SPAN = 6  # lines between two marks about the same thing: a call written over several
_OVERLOADS = 24  # lines below a mark in which overloads stand


@dataclass(frozen=True, slots=True)
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
        for line in (*hunk.added, *hunk.removed)
        if len(line) < _LONGEST
    )


def find(scene: FileContext) -> Iterable[Fact]:
    """Marks added, removed or with another version, in core and docs (not in changelogs)."""
    if scene.area not in _AREAS or _RECORD.search(scene.file.path):
        return ()
    text = scene.changed_text
    if not any(hint in text for hint in _HINTS):
        return ()
    old, new = scene.lines
    docs = scene.area is Area.DOCS
    gone, come = (list(islice(_notices(side, docs=docs), _MOST)) for side in (old, new))
    return _matched(gone, come, old, new)


def _notices(sheet: SideLines, *, docs: bool) -> Iterator[_Notice]:
    lines = dict(sheet.changed)
    group: list[tuple[int, str]] = []
    for number, line in sheet.changed:
        kind = _kind(line, docs=docs)
        if not kind:
            continue
        if group and (
            number - group[-1][0] > _SPAN
            or any(starts.search(line) for starts in (_OPENING, _SAID_SO, _OWNER))
        ):
            yield from _notice(sheet, lines, group, docs=docs)
            group = []
        group.append((number, kind))
    if group:
        yield from _notice(sheet, lines, group, docs=docs)


def _kind(line: str, *, docs: bool) -> str:
    if not any(hint in line for hint in _HINTS) or _NOT_A_MARK.match(line) or _PERHAPS.search(line):
        return ""
    if _MARK.match(line) or _MARKED_AS.search(line):
        return "mark"
    if not docs and _WARNING.search(line) and not COMMENT.match(line):
        return "warning"
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
    own = " ".join(lines[n].strip() for n in range(first, last + 3) if n in lines)
    recommended = _REPLACEMENT.finditer(_BROKEN_TEXT.sub(" ", own))
    found = next(filter(_is_name, recommended), None)
    for name in _named_by(sheet, lines, first, detail, docs=docs):
        if len(name) <= (0 if detail == "mark" else 2):
            continue
        yield _Notice(
            name=name,
            line=first,
            removal=removal[1] if removal else None,
            detail=detail,
            replacement=found["name"].rstrip(".:") if found else None,
        )


def _is_name(found: re.Match[str]) -> bool:
    """Whether what a sentence recommends is a name rather than a word."""
    rest = found.string[found.end() :].lstrip("`'\" ])")
    quoted = found.string[found.start("name") - 1] in "`'\"#["
    return quoted or rest.startswith("instead") or _COMPOUND.search(found["name"]) is not None


def _is_known(name: str, sheet: SideLines, lines: dict[int, str]) -> bool:
    """Whether program text defines a name or writes it as a text: not somebody else's."""
    last = re.split(r"[.:]+", name)[-1].lstrip("-")
    known = re.compile(
        rf"[\"'`.](?:--)?{re.escape(last)}[\"'`=]|(?<![\w.]){re.escape(last)}\??\s*[:=(]"
    )
    field = re.compile(rf"\s*{re.escape(last)}\s+[\w*&\[]")
    texts = sheet.whole or tuple(lines.values())
    return any(
        last in text and (known.search(text) or (field.match(text) and not COMMENT.match(text)))
        for text in texts
        if len(text) < _LONGEST
    )


def _named_by(
    sheet: SideLines, lines: dict[int, str], first: int, detail: str, *, docs: bool
) -> list[str]:
    """What a mark or a sentence deprecates, never the replacement it recommends."""
    line = lines[first]
    if detail == "mark":
        return [_named_by_mark(sheet, lines, first, docs=docs)]
    said = " ".join(lines[n].strip() for n in range(max(1, first - 1), first + 3) if n in lines)
    for clause in (line, said):
        if (found := _SAID_SO.search(clause)) is not None:
            subject = _SENTENCE.split(clause[: found.start()])[-1]
            if not _THIS.search(subject):
                return [
                    name
                    for name in _subjects(subject)
                    if docs or name.startswith("-") or _is_known(name, sheet, lines)
                ]
    if (found := _GOES.search(said)) and _is_prose(_SENTENCE.split(said[: found.start()])[-1]):
        return []
    if docs and (found := _SAID_SO.search(line)):  # "this flag is deprecated"
        name = _headed(sheet, first)
    else:
        name = _named_around(sheet, lines, first, detail)
    return [name] if name else []


def _named_by_mark(sheet: SideLines, lines: dict[int, str], first: int, *, docs: bool) -> str:
    """What a mark stands at: above its definition, below a heading, or among its arguments."""
    if found := _MARKED_AS.search(lines[first]):
        return f"--{found['flag']}" if found["flag"] else found["field"]
    if not _DIRECTIVE.match(lines[first]):
        return _marked(sheet, lines, first)
    return _headed(sheet, first) if docs else _enclosing(sheet, first)


def _is_prose(subject: str) -> bool:
    """Whether what will be removed is told in words alone: "Support for such values"."""
    return _PROSE.fullmatch(subject) is not None and _THIS.search(subject) is None


def _headed(sheet: SideLines, line: int) -> str:
    """The name that stands alone on a line above, as a heading or the signature of a section."""
    for above in sheet.above(line, 12):
        found = _HEADING.fullmatch(above.strip())
        name = found["name"] if found else ""
        if _CODE_LIKE.search(name) and name.lower() not in NO_NAMES:
            return "" if name.lstrip("v")[:1].isdigit() else name  # the heading of a version
    return ""


def _named_around(sheet: SideLines, lines: dict[int, str], first: int, detail: str) -> str:
    """What a sentence without a subject of its own is about."""
    line = lines[first]
    if found := _ALIAS_NAME.search(line):
        return found["name"].strip(".:")
    if owner := _owner_of(sheet, first):
        if found := _ITEM.search(line):  # one value of a list, such as a feature
            return f"{owner}={found[1]}" if "feature" in owner else ""
        return owner
    if COMMENT.match(line):
        return _marked(sheet, lines, first)
    before = INSTEAD.split(line, maxsplit=1)[0]
    quoted = [n["name"] for n in QUOTED_NAME.finditer(before) if _CODE_LIKE.search(n["name"])]
    return quoted[0] if quoted else _enclosing(sheet, first) if detail == "warning" else ""


def _subjects(clause: str) -> list[str]:
    """The names right before ``is deprecated``, with at most their kind in between."""
    clause = clause[-200:]
    found = _SUBJECT.search(clause)
    if found and (owned := _OF.search(clause[: found.start()])):
        whole = _SUBJECT.search(clause[: owned.start()])  # "the method of the class"
        clause, found = (clause[: owned.start()], whole) if whole else (clause, found)
    names = [name] if (name := _name_of(found)) else []
    while names and found and (joined := JOINED.search(clause[: found.start()])):
        clause = clause[: joined.start()]
        if not (name := _name_of(found := _SUBJECT.search(clause))):
            break
        names.append(name)
    return names[::-1]


def _name_of(found: re.Match[str] | None) -> str:
    name = found["set"] or found["quoted"] or found["bare"] if found else ""
    plain = found is not None and found["bare"] and not _CODE_LIKE.search(name)
    plain = plain or name.endswith("Warning")
    return "" if plain or name.lower() in NO_NAMES else name.strip(".:,")


def _owner_of(sheet: SideLines, line: int) -> str:
    """The flag or metric whose declaration contains a help text."""
    closed = 0  # brackets below a line that end what it begins
    here = sheet.whole[line - 1 : line] if sheet.whole else ()
    for number, above in enumerate((*here, *sheet.above(line, 6))):
        if number >= len(here):
            closed += above.count(")") - above.count("(")
        if closed <= 0 and (found := _OWNER.search(above)):
            return found["named"] or found["flag"] or f"--{found['go']}"
        if _DEFINED.match(above) or not above.strip():
            break
    return ""


def _marked(sheet: SideLines, lines: dict[int, str], mark: int) -> str:
    """The name defined below a mark, after other attributes and comments."""
    depth = 0
    script = language_of(sheet.path) in {"javascript", "typescript"}
    for number in range(mark, mark + 24):
        line = lines.get(number)
        if line is None:
            line = sheet.whole[number - 1] if number <= len(sheet.whole) else None
        if line is None:
            return ""
        if number > mark and depth <= 0 and not _ATTRIBUTE_LINE.match(line):
            found = _DEFINED.match(line) or _METHOD.match(line) or _C_FIELD.match(line)
            member = script and found is not None and _MEMBER_VALUE.match(line)
            name = found["name"] if found and not member else ""
            own = not name.startswith("_") and "namespace" not in line
            return name if own and not sheet.is_internal(mark) else ""
        depth += line.count("(") + line.count("[") - line.count(")") - line.count("]")
    return ""


def _enclosing(sheet: SideLines, line: int) -> str:
    for above in sheet.above(line, 40):
        if (found := _DEFINED.match(above)) and " let " not in above:
            return "" if found["name"].startswith("__") else found["name"]
    return ""


def _was_marked(sheet: SideLines, name: str, *, told: bool) -> bool:
    """Whether the file already marked a name elsewhere, or ``told`` that it is deprecated."""
    last = re.escape(name.lstrip("-"))
    said = re.compile(rf"(?<![\w-]){last}(?![\w-])")
    defined = re.compile(rf"(?<![\w-]){last}\??\s*[:=(;]")
    for number, line in enumerate(sheet.whole):
        if "eprecated" in line and (_MARK.match(line) or _NOTICE.search(line)):
            near = sheet.whole[number : number + 6]
            if (told and said.search(line)) or any(map(defined.search, near)):
                return True
    return False


def _is_member(before: SideLines, after: SideLines, notice: _Notice) -> bool:
    """Whether a mark of a script is on a new name, or on one overload of several.

    An overload is followed by a declaration of its name without a mark.
    """
    name = re.escape(notice.name)
    if language_of(after.path) not in {"javascript", "typescript"}:
        return False
    if any(before.whole) and not any(notice.name in line for line in before.whole):
        return True
    head = re.compile(rf"\s*(?:export )?(?:declare )?(?:function )?{name}[<(]")
    below = after.whole[notice.line - 1 : notice.line + _OVERLOADS]
    heads = [n for n, line in enumerate(below) if head.match(line)]
    return any(
        not any("@deprecated" in line for line in below[one:other])
        for one, other in itertools.pairwise(heads)
    )


def _matched(
    old: list[_Notice], new: list[_Notice], before: SideLines, after: SideLines
) -> list[Fact]:
    gone = {notice.name: notice for notice in reversed(old)}
    come = {notice.name: notice for notice in reversed(new)}
    pairs = [(gone.get(name), come.get(name)) for name in dict.fromkeys([*gone, *come])]
    return [_fact(a, b, before, after) for a, b in pairs if _is_news(a, b, before, after)]


def _is_news(a: _Notice | None, b: _Notice | None, before: SideLines, after: SideLines) -> bool:
    """Whether a name is marked only now, no longer, or for another version."""
    if a and b and a.removal == b.removal:
        return False
    if b and b.replacement and b.replacement.rpartition(".")[2] == b.name:
        return False  # one way to call it
    if a or not b:
        return True
    by_mark = b.detail == "mark"
    known = _was_marked(before, b.name, told=not by_mark)
    return not known and not (by_mark and _is_member(before, after, b))


def _fact(a: _Notice | None, b: _Notice | None, before: SideLines, after: SideLines) -> Fact:
    notice = b or a
    assert notice is not None
    return Fact(
        kind=FactKind.DEPRECATION,
        action=Action.CHANGED if a and b else Action.ADDED if b else Action.REMOVED,
        name=notice.name,
        before=a.removal if a else None,
        after=b.removal if b else None,
        detail=notice.detail,
        replacement=notice.replacement,
        when=notice.removal,
        evidence=(after if b else before).evidence(notice.line),
    )
