"""The help text, docstring or comment beside a named thing in program text.

Only a bounded number of lines is read, so any language with quotes and comments is treated alike
and text that does not parse costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from digest.core.authors import sentences
from digest.core.change import FileChange
from digest.core.facts import Area, Fact
from digest.core.patterns import lazy, read_patterns
from digest.facts.languages import language_of
from digest.facts.named_settings import default_fact
from digest.facts.side_text import FileContext, SideText, enclosing, indent_of
from digest.facts.similarity import last

LONGEST = 300  # maximum characters of a text
_BELOW = 10  # maximum lines of a declaration that are read
_ABOVE = 40  # maximum lines of a comment above it that are read, from its first line on
_LONGEST_COMMENT = 200  # lines
_LEAST_WORDS = 4

_KEY = lazy(
    r"\b(?:help|long_help|description|desc|doc|documentation|about|usage|summary)\s*[=:(]\s*",
    re.IGNORECASE,
)

_LITERAL = lazy(
    r"[rbuf]{0,2}(\"\"\"[^\"]{0,2000}(?:\"\"\"|\Z)"
    r"|\"(?:[^\"\\]|\\.){0,600}\"|(?<!\w)'(?:[^'\\]|\\.){0,600}'|`[^`]{0,600}`)"
)

_JOINT = lazy(r"[\s+\\()]{0,80}(?:(?:\w{1,20}\.)?(?:cleandoc|dedent)\([\s\\(]{0,80})?")

COMMENT = re.compile(
    r"\s*(?:///?!?|#(?!\[|!|\s*(?:type:|noqa|pylint|nosec|fmt:))|--|/?\*{1,2}(?!/))\s?(.*)$"
)

_CALLABLE = lazy(r"\s*(?:async )?(?:def|class) ")
_DOCSTRING = lazy(r"\s*[rRuU]?(\"\"\"|''')(.*)$")
_ATTRIBUTE = lazy(r"\s*(?:#\[|@)")
_NEXT = lazy(r"\s*[\"']?[\w.-]{1,80}[\"']?\s*:\s*(?!=)|\s*(?:pub |def |fn |func |class |case |@)")
_ABOVE_NEXT = lazy(r"\s*(?:///|/\*\*)")
_SUMMARY = lazy(r"\s*(?://|\*)")
"""A comment that may have several paragraphs, the first of which describes the thing."""

_WORD = lazy(r"[^\W\d_]{2,}")
_REFERENCE = lazy(r"(?:^| )(?:- )?\(?\[[^\[\]]{1,80}\]:? ?\(?(?=https?://)")
_MARKS = lazy(r"(?::\w{1,20}){1,2}:`~?([^`]{1,100})`|``([^`]{1,100})``")
_SHOWN_BY_HELP = lazy(r"(?<=\S)[.\s]{0,3}\[env: [^\[\]]{0,100}\]\.?\s?")
_ITEM = lazy(r"(?<=[\w)'\"`])[ \t]{0,8}\n\s{0,40}(?:[-*] (?=\S)|(?=['\"`][\w.-]{1,40}['\"`]: ))")
"""The end of a line before an item of a list, or before a quoted value that is described."""

_NEXT_HEADING = lazy(r"(?<=\S)\s{0,8}\n\s{0,8}#{1,6} +(?=[A-Z])")
"""The heading of a later part of a description, such as what panics."""

_TAGGED_FIELD = lazy(r":\"[^\"`]*\"`\s*$")
"""The end of a field of Go with its tag, which ends its declaration."""

_TAG_KEYS = lazy(r"^(?:[a-z]{2,12}\|){0,3}(?:description=)?")
"""The keys that a struct tag of Go puts before a description."""

_PLACEHOLDER = lazy(r"[.,;(][^.,;()]{0,80}%[dqsvw]\b")
"""The clause of a text that a program completes, as ``(default %d)``."""

_PARAGRAPH = lazy(r"(?<=[\w)'\"`])[ \t]{0,8}\n\s{0,40}\n\s{0,40}(?=[A-Z`])")
"""The end of a paragraph without a full stop."""

_LINK = lazy(r"\[([^\[\]]{1,120})\](?:\((?!https?:)[^()\s]{1,200}\)|\[[\w.:`-]{1,200}\])")
_CREDIT = lazy(
    r" -{1,3} ?by (?::user:`[\w.-]{1,40}`|@[\w-]{1,40})"
    r"(?:(?:,| and|, and) (?::user:`[\w.-]{1,40}`|@[\w-]{1,40})){0,9}(?=\.?\s*$)"
)
"""The authors of an entry of a changelog."""

_OTHER_NAME = lazy(r"\[`?\*?([A-Z][\w.:]{2,60})`?\](?![(\[:])")
"""A name of the code as comments of Go and Rust link it."""

_RULE = lazy(r"^(?:[=*# ]|-+(?![-\w]))+")
"""Marks before a text, but not the dashes of a flag."""

_NOISE = read_patterns("digest.facts", "words.toml", "help_text")["noise"]


def beside(
    lines: Sequence[str],
    row: int,
    fresh: Collection[int] | None = None,
    *,
    code: bool = False,
) -> str:
    """The text beside the thing declared on ``lines[row]``, or an empty string.

    ``fresh`` are the rows of the lines that were inserted with the thing, if it was: a comment that
    stood above another thing before does not count. Only a docstring or comment is about ``code``.
    """
    if not 0 <= row < len(lines):
        return ""
    own = partial(_comment, fresh=fresh)
    readers = (_docstring, own) if code else (_keyed, _docstring, own, _quoted)
    return next((text for read in readers if (text := clean(read(lines, row)))), "")


def clean(text: str) -> str:
    """The first sentences that fit, on one line; empty for text that is not prose."""
    text = _PARAGRAPH.sub(". ", _NEXT_HEADING.split(text, maxsplit=1)[0])
    text = _SHOWN_BY_HELP.sub(". ", " ".join(_ITEM.sub("; ", text).split()))
    text = _LINK.sub(r"\1", _MARKS.sub(lambda m: f"`{m[1] or m[2]}`", _CREDIT.sub("", text)))
    text = _OTHER_NAME.sub(r"`\1`", text).rstrip("-=*# ")
    text = _RULE.sub("", _TAG_KEYS.sub("", text, count=1))
    text = _PLACEHOLDER.split(_REFERENCE.split(text, maxsplit=1)[0], maxsplit=1)[0]
    if len(_WORD.findall(text)) < _LEAST_WORDS or _NOISE.search(text):
        return ""
    kept = ""
    for sentence in sentences(text):
        if len(kept) + len(sentence) > LONGEST:
            break
        kept = f"{kept} {sentence}".lstrip()
    return kept


def _keyed(lines: Sequence[str], row: int) -> str:
    """The text of an argument or field that is called help or the like."""
    window = "\n".join(_declaration(lines, row))
    match = _KEY.search(window)
    return literals(window, match.end()) if match else ""


def _quoted(lines: Sequence[str], row: int) -> str:
    """The longest text in the declaration's first lines that looks like prose."""
    window = "\n".join(_declaration(lines, row))
    texts = [literals(window, at.start()) for at in _LITERAL.finditer(window)]
    prose = [t for t in texts if len(_WORD.findall(t)) > _LEAST_WORDS and " " in t]
    prose = [t for t in prose if "${" not in t]  # a value that is computed
    return max(prose, key=len, default="")


def _declaration(lines: Sequence[str], row: int) -> Iterator[str]:
    """The declaration that begins on a line, up to the apparent start of the next."""
    indent, opened, closed = indent_of(lines[row]), lines[row].count("("), lines[row].count(")")
    yield lines[row]
    if _TAGGED_FIELD.search(lines[row]):
        return
    for line in lines[row + 1 : row + _BELOW]:
        depth = indent_of(line)
        if not line.strip() or depth < indent:
            return
        if depth == indent and _NEXT.match(line) and not _KEY.match(line.lstrip()):
            return
        if depth == indent and ((opened and opened == closed) or _ABOVE_NEXT.match(line)):
            return  # a whole call is followed by another, or what documents the next begins
        opened, closed = opened + line.count("("), closed + line.count(")")
        yield line


def _docstring(lines: Sequence[str], row: int) -> str:
    """The docstring on the lines below, as for fields of Python classes."""
    head = range(row, min(row + _BELOW, len(lines))) if _CALLABLE.match(lines[row]) else ()
    row = next((at for at in head if lines[at].rstrip().endswith(":")), row)
    for at in range(row + 1, min(row + 3, len(lines))):
        if match := _DOCSTRING.match(lines[at]):
            return _until(match[1], [match[2], *lines[at + 1 : at + _BELOW]])
        if not lines[at].strip() or _NEXT.match(lines[at]):
            return ""
    return ""


def _until(end: str, lines: Sequence[str]) -> str:
    kept: list[str] = []
    for line in lines:
        head, found, _ = line.partition(end)
        kept.append(head)
        if found or (not head.strip() and any(map(str.strip, kept))):
            break
    return "\n".join(kept)


def _comment(lines: Sequence[str], row: int, *, fresh: Collection[int] | None) -> str:
    """The comment on the lines above."""
    kept: list[str] = []
    for at in range(row - 1, max(row - 1 - _LONGEST_COMMENT, -1), -1):
        if not kept and _ATTRIBUTE.match(lines[at]):
            continue
        match = COMMENT.match(lines[at]) if fresh is None or at in fresh else None
        if match is None or not (match[1].strip(" */") or _SUMMARY.match(lines[at])):
            break
        kept.append(match[1].strip(" */"))
    return "\n".join(kept[::-1][:_ABOVE])


def literals(text: str, at: int) -> str:
    """The string literal at an offset, with those joined to it."""
    parts: list[str] = []
    while match := _LITERAL.match(text, _JOINT.match(text, at).end()):  # type: ignore[union-attr]
        parts.append(match[1].strip('"') if match[1].startswith('"""') else match[1][1:-1])
        at = match.end()
        if len(parts) == _BELOW:
            break
    return "".join(parts).replace("\\n", " ").replace('\\"', '"').replace("%%", "%")


DOCUMENTED = "documented default"
"""The detail of a default that only documentation states; code must confirm it."""

_TELLS_DEFAULT = lazy(
    r"(?:@default(?:Value)?\s+|\bdefaults? ?(?:value)?\*{0,2}\s*[:=]\s*\*{0,2}\s*)[`'\"]{0,2}"
    r"(?P<value>\[[^\]\n|]{0,80}\]|(?<=`)[^`\n|]{1,80}(?=`)|[^*`'\"\[\]\s|][^`'\"\]\s|]{0,60}?)(?=_?(?:[`'\"\]\s|]|$))",
    re.IGNORECASE,
)
_OWN_NAME = lazy(r"\s*(?:[-*]\s+)?\[?\s*[`*]{0,3}(?P<name>[a-z][\w.-]{2,80})[`*]{0,3}\s*:")
_TITLE = lazy(r"#{1,6}\s+[`*]{0,3}(?P<name>-{0,2}[A-Za-z][\w.-]{2,80})[`*]{0,3}(?:\s.{0,60})?")
_FIELD_BELOW = lazy(r"\s+(?:readonly\s+)?(?P<name>[A-Za-z]\w{2,80})\??\s*:")
_CODE_LINE = lazy(r"\s*(?:export\b|const\b|let\b|return\b|[\w.]+\s*[=(]|[\w.]+\??:\s\w+\()")
_TITLE_REACH = 40  # lines above a default in which its heading is searched for


def wants(file: FileChange, area: Area, language: str) -> bool:
    """Whether a changed line may state another default than the line it replaces."""
    return _documents(area, language) and any(
        _TELLS_DEFAULT.search(old[:_LONGEST_TOLD]) and _told_beside(old, hunk.added)
        for hunk in file.hunks
        for old in hunk.removed[:_MOST_LINES]
    )


def find_defaults(scene: FileContext) -> Iterator[Fact]:
    """Defaults that documentation, or the comment of a field, states differently."""
    both = scene.texts if _documents(scene.area, scene.language) else None
    if both is None:
        return
    for (first, olds), (row, news) in zip(both[0].places, both[1].places, strict=False):
        for place, old in enumerate(olds[:_MOST_LINES], first):
            was = _TELLS_DEFAULT.search(old[:_LONGEST_TOLD])
            new = _told_beside(old, news) if was else ""
            match = _TELLS_DEFAULT.search(new[:_LONGEST_TOLD])
            if was and match:
                at = row + news.index(new)
                name = _documented(both[1], new, at)
                same = name == _documented(both[0], old, place)
                values = was["value"], match["value"]
                if name and same and len({*values}) > 1 and not any(v[0] == "<" for v in values):
                    fact = default_fact(both[1], name, values, at)
                    yield replace(fact, detail=DOCUMENTED)


def _documents(area: Area, language: str) -> bool:
    return (area is Area.DOCS and language in {"markdown", "restructuredtext"}) or (
        area is Area.CORE and language == "typescript"
    )


_LONGEST_TOLD = 300  # characters of a line
_MOST_LINES = 40  # changed lines of one place that are compared


def _told_beside(old: str, news: Sequence[str]) -> str:
    """The added line that equals a removed one except for its value."""
    match = _TELLS_DEFAULT.search(old[:_LONGEST_TOLD])
    comment = not _CODE_LINE.match(old) and not old.rstrip().endswith(("{", "(", "["))
    head = old[: match.start("value")] if match and comment else ""
    return next((n for n in news[:_MOST_LINES] if head and n.startswith(head)), "")


def _documented(source: SideText, line: str, row: int) -> str:
    """What a default belongs to: the name on its line, the heading above or the field below."""
    if language_of(source.path) == "typescript":
        start = source.offset(row + 2)
        below = source.text[start : start + _LONGEST_TOLD].split("\n")
        return next((found["name"] for text in below if (found := _FIELD_BELOW.match(text))), "")
    own = _OWN_NAME.match(line)
    if own and own["name"].lower() not in {"default", "defaults"}:
        return own["name"]
    titles = map(_TITLE.fullmatch, source.above(row, _TITLE_REACH))
    names = (found["name"] for found in titles if found)
    # A name that users type, not a word of a language.
    return next((n for n in names if not n.isalpha() or n[0].islower() or not n[1:].islower()), "")


def borne_out(found: Sequence[Fact], scenes: Mapping[str, FileContext]) -> list[Fact]:
    """The facts; those from documentation only if changed code contains the name as well."""
    told = {last(f.name) for f in found if f.detail == "default"}
    asked = {last(f.name) for f in found if f.detail == DOCUMENTED} - told
    texts = (s for s in scenes.values() if asked and s.area is Area.CORE)
    lines = [
        line
        for scene in texts
        for line in scene.changed_text.split("\n")
        if not line.lstrip().startswith(_COMMENTS)
    ]
    held = {name for name in asked if any(name in line for line in lines)}
    if any(map(_is_rust_default, found)) and _is_documentation(scenes):
        found = [f for f in found if not _is_rust_default(f)]
    kept: list[Fact] = []
    for fact in found:
        was = fact.before or ""
        items = set(_ITEMS.findall(was)) ^ set(_ITEMS.findall(fact.after or ""))
        shown = items and items <= {line.strip().rstrip(",") for line in lines}
        bare = was.startswith("[") and not shown and not any(was in line for line in lines)
        if fact.detail != DOCUMENTED:
            kept.append(fact)
        elif last(fact.name) in held and not bare:
            held.discard(last(fact.name))
            kept.append(replace(_as_coded(fact, scenes), detail="default"))
    return kept


def _as_coded(fact: Fact, scenes: Mapping[str, FileContext]) -> Fact:
    """A documented default with the value that code gave it before, where the two disagreed."""
    name = re.escape(last(fact.name))
    given = re.compile(rf"\s*['\"]?{name}['\"]?\s*[:=]\s*['\"`]?([\w.-]{{1,60}})['\"`]?[,;]?")
    core = [s for s in scenes.values() if s.area is Area.CORE]
    olds, news = (
        {m[1] for s in core for _, line in s.lines[side].changed if (m := given.fullmatch(line))}
        for side in (0, 1)
    )
    now = {(fact.after or "").strip("'\"`")} & news
    return replace(fact, before=olds.pop()) if now and len(olds) == 1 else fact


def _is_rust_default(fact: Fact) -> bool:
    return fact.detail == "default" and language_of(fact.evidence.path) == "rust"


def _is_documentation(scenes: Mapping[str, FileContext]) -> bool:
    """Whether the code of a change is attributes of Rust that document a default, and comments."""
    texts = (s.changed_text for s in scenes.values() if s.area is Area.CORE and s.language)
    return all(
        line.lstrip().startswith((*_COMMENTS, "default = ", '"'))
        for text in texts
        for line in text.split("\n")
        if line.strip()
    )


_ITEMS = lazy(r"'[^']*'|\"[^\"]*\"")
_COMMENTS = ("//", "*", "/*", "#", "--")

_FROM_TO = lazy(
    r"\bdefault\b(?: value| of| for| the){0,3} [`'\"]?(?P<name>[\w-]*_[\w.-]*|--[\w-]+)[`'\"]?"
    r"(?: size| value)? from "
    r"[`'\"]?(?P<before>\w[\w.]*)[`'\"]? to [`'\"]?(?P<after>\w[\w.]*)[`'\"]?"
)
"""A title that gives a default before and after the change."""


def effective(found: list[Fact], title: str, scenes: Sequence[FileContext]) -> list[Fact]:
    """The facts with the default that a title states, and without a default that acts as before."""
    core = [s for s in scenes if s.area is Area.CORE and s.language]
    defaults = core if any(f.detail == "default" for f in found) else ()
    words = " ".join(text.strip() for _, _, text in islice(_added(defaults), _MOST_WORDS))
    told = [f for f in found if not _acts_alike(f, words)]
    stated = _FROM_TO.search(title[:300])
    if stated is None and "default" in title.lower():
        return [*told, *_fallbacks(core, title[:300], told)]
    name = stated["name"].strip("_") if stated else ""
    if not stated or any(name in f.name for f in told if f.detail == "default"):
        return told
    value = re.compile(rf"(?<![\w.]){re.escape(stated['after'])}(?![\w.])")
    at = next(((s, n) for s, n, text in _added(core) if value.search(text)), None)
    if at is not None and any(last(name) in s.changed_text for s in core):
        side = (at[0].texts or ())[1:]
        values = stated["before"], stated["after"]
        facts = [default_fact(text, name, values, at[1] - 1) for text in side]
        when = _condition_at(side[0].text.split("\n"), at[1] - 1) if side else ""
        told += [replace(fact, condition=when or None) for fact in facts]
    return told


def _added(scenes: Iterable[FileContext]) -> Iterator[tuple[FileContext, int, str]]:
    """The added lines of files with their numbers."""
    return ((scene, number, line) for scene in scenes for number, line in scene.lines[1].changed)


def _fallbacks(scenes: Sequence[FileContext], title: str, told: Sequence[Fact]) -> list[Fact]:
    """Other values on the same lines for what users leave out, of names that the title has."""
    words = set(_NAME_IN_TITLE.findall(title.replace("-", "_").lower()))
    known = {last(f.name) for f in told if f.detail == "default"}
    found: dict[str, Fact] = {}
    for scene in scenes:
        for hunk in scene.file.hunks:
            lines = zip(hunk.removed, enumerate(hunk.added, hunk.new_start - 1), strict=False)
            for old, (row, new) in islice(lines, _MOST_LINES):
                was, now = (_FALLBACK.search(line[:_LONGEST_TOLD]) for line in (old, new))
                if was and now and was["value"] != now["value"]:
                    name, values = now["name"], (was["value"], now["value"])
                    same = old[: was.start("value")] == new[: now.start("value")]
                    if same and name not in known and name.lower() in words:
                        found.setdefault(name, default_fact(scene.lines[1], name, values, row))
    return [*found.values()]


_NAME_IN_TITLE = lazy(r"(?<=[`_.'\"])[a-z]\w{1,60}")
_FALLBACK = lazy(
    r"\b(?P<name>[A-Za-z]\w{1,60})(?:\s?[:=] [^\n?|]{1,80})?(?: (?:\?\?|\|\||or) |\.unwrap_or\()"
    r"(?P<value>['\"][^'\"\n]{1,60}['\"]|[Tt]rue|[Ff]alse|-?\d[\w.]{0,20})"
)
"""A value that takes the place of one that is not given."""

_IF = lazy(r"\s*(?:\} ?)?(?:el(?:se ?)?)?if\b\s*(?P<when>\S.{0,160}?)\s*[:{]?\s*$")
_CHOSEN = lazy(r"\w\s+if\s+(?P<when>[^()]{1,120}?)\s+else\s")
_ELSE = lazy(r"\s*(?:\} ?)?else\b")
_WITHIN = 30  # lines above a value in which its condition stands


def _condition_at(lines: Sequence[str], row: int) -> str:
    """The innermost condition under which a line runs, told by its indentation; or "..."."""
    if match := _CHOSEN.search(lines[row]):
        return match["when"]
    above = reversed(lines[max(0, row - _WITHIN) : row])
    for line in enclosing(above, indent_of(lines[row])):
        if match := _IF.match(line):
            bare = match["when"].strip("()")
            return bare if "(" not in bare else match["when"]
        if _ELSE.match(line):
            return "..."
    return ""


def _acts_alike(fact: Fact, words: str) -> bool:
    """Whether a default that is chosen now is said to be chosen as what was written before."""
    if fact.detail != "default" or (fact.after or "").strip("\"'") != "auto":
        return False
    old = re.escape((fact.before or "").strip("\"'"))
    return re.search(rf"\bauto\b.{{1,60}}\bdefault\b.{{0,20}}\b{old}\b", words) is not None


_MOST_WORDS = 2_000  # added lines in which the effect of a default is looked for
