"""Settings in tables of Python calls, and defaults written as literals where they are applied.

A table of calls reads ``limit=Option(10, type="int")``. Defaults are members of a table or literal
whose name says that it holds defaults (Go, TypeScript), and the value after ``options.port ??``.
Both sides of one changed place must name the same member.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

from digest.core.change import Hunk
from digest.core.facts import Fact, FactKind
from digest.facts import class_fields, named_settings
from digest.facts.call_arguments import is_told_apart, resolve_default, split
from digest.facts.languages import patterns
from digest.facts.paths import is_translation
from digest.facts.side_text import SideText, enclosing, indent_of
from digest.facts.syntax.declarations import CONFIGURES, DeclaredField

_LEAF = re.compile(r"(?:Option|Setting|Opt)$")
_TABLE = re.compile(r"(?:Namespace|Section|Group|dict|OrderedDict)$")
_HINTS = ("Option(", "Setting(", "Opt(", "Namespace(", "Section(")
_LONGEST = 300_000  # characters of a text that is parsed
_MOST_PLACES, _DEEPEST = 300, 6  # changed places of a file in which tables are read, levels


def find_tables(before: SideText, after: SideText) -> Iterator[Fact]:
    """The settings of tables that were added, removed or changed their default."""
    if not any(hint in s.changed_text for s in (before, after) for hint in _HINTS):
        return
    for fact in class_fields.compare(_Tables(before), _Tables(after)):
        shown = fact.name.partition(".")[2]
        if fact.detail != "type":
            yield replace(fact, kind=FactKind.CONFIG, name=shown, public=True)


class _Tables:
    """One side of a file: the leaves of its tables by the name of the outermost."""

    def __init__(self, source: SideText) -> None:
        self.source = source

    @cached_property
    def _leaves(self) -> dict[str, dict[str, DeclaredField]]:
        if len(self.source.text) > _LONGEST or len(self.source.rows) > _MOST_PLACES:
            return {}
        try:
            return dict(_tables(self.source))
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return {}

    def owners(self) -> tuple[str, ...]:
        """The tables of the file."""
        return tuple(self._leaves)

    def fields(self, owner: str) -> Mapping[str, DeclaredField] | None:
        """The settings of a table by their full names."""
        return self._leaves.get(owner)

    def bases(self, owner: str) -> tuple[str, ...]:
        """Always empty: a table inherits nothing."""
        del owner
        return ()


def _tables(source: SideText) -> Iterator[tuple[str, dict[str, DeclaredField]]]:
    """Raises what the parser of Python raises, and ``RecursionError`` for values nested deep."""
    for node in ast.parse(source.text).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            owner = node.targets[0].id
            if leaves := {f.name: f for f in _walk(source, owner, (), node.value, ())}:
                yield owner, leaves


def _walk(
    source: SideText, owner: str, path: tuple[str, ...], node: ast.expr, above: tuple[int, ...]
) -> Iterator[DeclaredField]:
    if len(path) > _DEEPEST:
        return
    if isinstance(node, ast.Call) and _LEAF.search(_callee(node)):
        yield _leaf(source, owner, path, node, above)
        return
    for key, value in _members(node):
        line = value.lineno
        yield from _walk(source, owner, (*path, key), value, (*above, line))


def _members(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Call) and _TABLE.search(_callee(node)):
        yield from ((k.arg, k.value) for k in node.keywords if k.arg)
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, value


def _callee(node: ast.Call) -> str:
    called = node.func
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _leaf(
    source: SideText, owner: str, path: tuple[str, ...], node: ast.Call, above: tuple[int, ...]
) -> DeclaredField:
    """A setting; if only the line of a table around it changed, that line is its line."""
    given = node.args[:1] or [k.value for k in node.keywords if k.arg == "default"]
    value = ast.unparse(given[0]) if given else "None"
    own = source.changed_line(node.lineno, node.end_lineno or node.lineno)
    line = own or next((at for n in above if (at := source.changed_line(n, n))), node.lineno)
    return DeclaredField(
        owner=owner,
        name="_".join(p for p in path if p),
        line=line,
        touched=own is not None,
        read=lambda: ("option", value),
    )


_FUNCTION = re.compile(r"(?:export )?(?:default )?(?:async )?function (\w{3,60})\(")
_OF_ITS_TYPE = re.compile(
    r"\s+\? (?P<name>[\w.]+)\n\s*(?:\w+:\s*|[^\n]*= ?|return )?"
    r"typeof (?P=name) ={2,3} ['\"]string['\"]"
)
"""A choice of a setting if it is a string, above the fallback; last line first."""

_HEADER = re.compile(
    r"^[^\s/].*?\b(?P<name>[Dd]efault\w*|DEFAULT\w*|\w+Defaults)\b[^=]{0,120}=\s*(?:&?(?P<type>\w+)\{|Object\.freeze\(\{|\{)"
)

_MAKER = re.compile(
    r"func (?P<name>\w*[Dd]efault\w*)\([^{]*?\) \(?\*?(?:\w+\.)?(?P<type>[A-Z]\w+)\b.*\{$"
    r"|func \((?:\w+ )?\*?(?P<receiver>\w+)\) \w*(?:Default|RegisterFlags)\w*\("
    r"|impl(?:<[^>]{0,80}>)? Default for (?P<implementor>\w+)"
)
"""A function that sets the defaults of a type, in Go and Rust."""

_DEFAULT_FUNCTION = re.compile(
    r"\s*(?:pub(?:\([^)]*\))? )?(?:const )?fn (?P<name>\w*default\w*)\(\) -> "
)
_LITERAL = re.compile(
    r"-?\d[\w.*+ ]*|true|false|[\"'`].*[\"'`](?:\.\w+\(\))?|[\w.:]*[A-Z]\w*|[\w.:]+\([^()]*\)"
    r"|nil|null|undefined|\[\s*+(?:(?:\"[^\"]*+\"|'[^']*+'|-?\d[\w.]*+|true|false)\s*+,?\s*+)*+\]"
)
_CONSTRUCTOR = re.compile(
    r"(?:\w+::)*(?P<type>\w+)::(?P=type)\(\)"
    r"|\s+(?:explicit )?(?P<inside>[A-Z]\w*)\([^()]*(?:\)|,$|$)"
)
_DEFAULT_TABLES_REACH = 400  # lines above a member in which its table begins
_MOST_LINES, _DEFAULT_TABLES_MOST = 4_000, 40  # changed lines of a file, and of a compared place


def find(before: SideText, after: SideText, language: str) -> Iterator[Fact]:
    """The defaults that changed in one file."""
    if language == "rust":
        yield from class_fields.find_variants(before, after)
    if language not in _FORMS or is_translation(after.path):
        return
    olds, news = before.places, after.places
    if sum(len(lines) for _, lines in news) > _MOST_LINES:
        return
    for (old_row, old), (new_row, new) in zip(olds, news, strict=False):
        if not old or not new or max(len(old), len(new)) > _DEFAULT_TABLES_MOST:
            continue
        for row, line in enumerate(new, new_row):
            yield from _changed(before, after, (old, line), (old_row, row), language)
    yield from _lists(before, after, language)
    if language == "go":
        for pair in zip(olds, news, strict=False):
            if max(len(lines) for _, lines in pair) <= _DEFAULT_TABLES_MOST:
                yield from _lone(before, after, pair)


def may_change(hunks: Iterable[Hunk], language: str) -> bool:
    """Whether some changed place could change the value of a table's member."""
    for hunk in hunks if language in _FORMS else ():
        if language == "rust" and any(map(class_fields.MARKS_DEFAULT.search, hunk.added)):
            return True
        listing = language in _LISTING and "default" in hunk.section.lower()
        if listing and any(map(_ITEM.match, hunk.lines)):
            return True
        if language == "go" and any(map(_SET.match, hunk.lines)):
            return True
        few = len(hunk.added) <= _DEFAULT_TABLES_MOST
        for place, pattern in _FORMS[language] if few else ():
            olds = [was for was in map(pattern.search, hunk.removed) if was]
            news = [found for found in map(pattern.search, hunk.added) if found] if olds else ()
            if any(_is_changed(place, was, found) for was in olds for found in news):
                return True
    return False


def _changed(
    before: SideText,
    after: SideText,
    lines: tuple[list[str], str],
    rows: tuple[int, int],
    language: str,
) -> Iterator[Fact]:
    for place, pattern in _FORMS[language]:
        match = pattern.search(lines[1])
        for old in lines[0] if match else ():
            was = pattern.search(old)
            values = _values(place, (before, after), was, match) if was and match else None
            if not was or not match or not values:
                continue
            name_of = _PLACES[place]
            names = {name_of(before, rows[0], was), name_of(after, rows[1], match)}
            name = names.pop() if len(names) == 1 else ""
            if name and is_told_apart(*values):
                fact = named_settings.default_fact(after, name, values, rows[1])
                kind = FactKind.SYMBOL if place == "class" else fact.kind
                told = None if language == "rust" or place == "class" else fact.public
                when = f"typeof {name} !== 'string'" if place == "choice" else None
                yield replace(fact, kind=kind, public=told, condition=when)
        if match:
            return


def _values(
    place: str, sides: tuple[SideText, SideText], was: re.Match[str], match: re.Match[str]
) -> tuple[str, str] | None:
    """The values of a name on both sides, if they differ."""
    if _is_changed(place, was, match):
        return was["value"], match["value"]
    if was.string != match.string or place != "table":
        return None
    both = zip((was, match), sides, strict=True)
    one, other = (resolve_default(m["value"], side.text) or "" for m, side in both)
    return (one, other) if one != other else None


_LISTING = frozenset({"javascript", "python", "typescript"})
_LIST = re.compile(r"[ \t]+[\"']?(?P<name>[A-Za-z_][\w-]{0,80})[\"']?:[ \t]*\[")
_ITEM = re.compile(r"[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|-?\d[\d.]*),?[ \t]*$")
_LONGEST_LIST, _MOST_ITEMS, _MOST_LISTS = 60, 400, 20  # lines, those changed, lists of a side


def _lists(before: SideText, after: SideText, language: str) -> Iterator[Fact]:
    """The defaults that are lists of values, written over several lines on one side."""
    names, sides = dict[str, None](), (before, after)
    told = language in _LISTING and all(map(_has_default, sides))
    for source in sides if told else ():
        item = -1
        for row, line in islice(source.changed(), _MOST_ITEMS):
            head = line
            if _ITEM.match(line):
                above = () if item == row - 1 else source.above(row, _LONGEST_LIST)
                head = next((one for one in above if one.strip() and not _ITEM.match(one)), "")
                item = row
            if (match := _LIST.match(head)) and len(names) < _MOST_LISTS:
                names[match["name"]] = None
    for name in names:
        olds, news = (dict(_listed(side, name, language)) for side in (before, after))
        for owner in olds.keys() & news.keys():
            (_, was, short), (row, value, brief) = olds[owner], news[owner]
            if was != value and not (short and brief):
                yield named_settings.default_fact(after, f"{owner}.{name}", (was, value), row)


def _has_default(side: SideText) -> bool:
    return "default" in side.text or "default" in side.text.lower()


def _listed(
    source: SideText, name: str, language: str
) -> Iterator[tuple[str, tuple[int, str, bool]]]:
    """The lists of a name in tables of defaults: the row, the values, and whether on one line."""
    head = re.compile(rf"^[ \t]+[\"']?{name}[\"']?:[ \t]*\[", re.MULTILINE)
    for match in islice(head.finditer(source.text), _MOST_LISTS):
        row = source.line_at(match.start()) - 1
        owner = _default_tables_owner(source, row)
        read = split(source.text, match.end() - 1, language) if owner else None
        if read and read[1] and all(_ITEM.match(f" {part}") for part in read[1]):
            short = "\n" not in source.text[match.end() : read[0]]
            yield owner, (row, f"[{', '.join(read[1])}]", short)


def _lone(
    before: SideText, after: SideText, places: Sequence[tuple[int, list[str]]]
) -> Iterator[Fact]:
    """The members of a table of Go that only one side has, for fields that both sides have."""
    sides = before, after
    found = [
        {m["name"]: (row, m) for row, line in enumerate(lines, first) if (m := _SET.match(line))}
        for first, lines in places
    ]
    for number, name in ((n, name) for n in (0, 1) for name in found[n].keys() - found[1 - n]):
        row, member = found[number][name]
        if any(f"{name}:" in t for t in places[1 - number][1]) or any(
            f".{name} = " in side.text for side in sides
        ):
            continue  # given in another way
        owner = _in_table(sides[number], row, member).rpartition(".")[0]
        value, depth = member["value"], member.start("name")
        above = sides[number].above(row, _DEFAULT_TABLES_REACH)
        head = next((line for line in above if line[:depth].strip()), "")
        zero = '""' if value[0] == '"' else "false" if value.isalpha() else "0"
        if value != zero and f"{owner}{{" in head and all(_has(s.text, owner, name) for s in sides):
            values = (zero, value) if number else (value, zero)
            yield named_settings.default_fact(
                after, f"{owner}.{name}", values, row if number else places[1][0]
            )


def _has(text: str, owner: str, field: str) -> bool:
    """Whether a structure of Go has a field of a plain type."""
    start = text.find(f"type {owner} struct {{")
    body = text[start : text.find("\n}", start)] if owner and start >= 0 else ""
    kind = rf"^\t{field}[ \t]+(?:bool|string|u?int\d*|float64)\b"
    return re.search(kind, body, re.MULTILINE) is not None


_SET = re.compile(r"\t+(?P<name>[A-Z]\w*):\s+(?P<value>-?\d[\d._]*|true|false|\"[^\"]*\"),")


def _is_changed(place: str, was: re.Match[str], match: re.Match[str]) -> bool:
    """Whether two lines give one name other values, or differ only in the value."""
    if place not in {"choice", "function", "line"}:
        values = (m["value"].replace("'", '"') for m in (was, match))
        return was["name"] == match["name"] and next(values) != next(values)
    rests = ((m.string[: m.start("value")], m.string[m.end("value") :]) for m in (was, match))
    return was["value"] != match["value"] and next(rests) == next(rests)


def _in_table(source: SideText, row: int, member: re.Match[str]) -> str:
    """A member of a table of defaults, or of the result of a function of defaults."""
    above = source.above(row, _DEFAULT_TABLES_REACH)
    head = next(enclosing(above, indent_of(member.string)), "")
    given = head[:1].isspace() and _ARGUMENT.search(head)
    known = not given and _LITERAL.fullmatch(member["value"])
    owner = _default_tables_owner(source, row) if known else ""
    return f"{owner}.{member['name']}" if owner else ""


_ARGUMENT = re.compile(r"\w\([^()\n]{0,80}\{$")
"""A line on which a literal begins that is given to a call: no default of what is around it."""


def _in_class(source: SideText, row: int, member: re.Match[str]) -> str:
    owner = class_fields.owner_of(source, row + 1)
    return f"{owner}.{member['name']}" if owner[:1].isupper() else ""


def _in_constructor(source: SideText, row: int, member: re.Match[str]) -> str:
    owner = _constructed(source, row)
    return f"{owner}.{member['name']}" if CONFIGURES.search(owner) else ""


def _in_function(source: SideText, row: int, _value: re.Match[str]) -> str:
    """The setting whose attribute names the function above as its default."""
    head = _DEFAULT_FUNCTION.match(next(iter(source.above(row, 1)), "")[:200])
    if head is None or f'default = "{head["name"]}"' not in source.text:
        return ""
    return head["name"].replace("default", "").strip("_")


def _in_choice(source: SideText, row: int, _value: re.Match[str]) -> str:
    """The setting of a choice by type, without the object that holds all settings."""
    choice = _OF_ITS_TYPE.match("\n".join(source.above(row, 2)))
    owner, _, name = choice["name"].partition(".") if choice else ("", "", "")
    return name if _SETTINGS_OF.search(owner) else ""


_SETTINGS_OF = re.compile(r"(?:[cC]onfig|[oO]ptions|[oO]pts|[sS]ettings)$")


def _on_line(source: SideText, row: int, member: re.Match[str]) -> str:
    name = str(member["name"])
    plain = name.isalpha() and name.islower()  # a word that may mean anything
    above = map(_FUNCTION.match, source.above(row, 60) if plain else ())
    return next((f"{match[1]}.{name}" for match in above if match), name)


def _in_chain(source: SideText, row: int, member: re.Match[str]) -> str:
    """A member of a schema of zod that describes a configuration, below the members around it."""
    path = [member["name"]] if member["name"] else []
    for head in enclosing(source.above(row, _DEFAULT_TABLES_REACH), indent_of(member.string)):
        if found := _OF_SCHEMA.match(head):
            path.insert(0, found[1])
        elif named := _SCHEMA.match(head):
            return ".".join(path) if _CONFIGURATION.search(named[1]) else ""
    return ""


_OF_SCHEMA = re.compile(r"\s+[\"']?([A-Za-z_][\w-]*)[\"']?\s*:\s*z\b")
_SCHEMA = re.compile(r"(?:export )?const (\w+)\b[^=]{0,80}=")
_CONFIGURATION = re.compile(r"(?i)config|option|setting|env")

_PLACES: dict[str, Callable[[SideText, int, re.Match[str]], str]] = {
    "class": _in_class,
    "constructor": _in_constructor,
    "table": _in_table,
    "parsing": _in_table,
    "assignment": _in_table,
    "function": _in_function,
    "line": _on_line,
    "choice": _in_choice,
    "chain": _in_chain,
}
"""What names a setting by the place of its default."""

_FORMS: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
for _place in _PLACES:
    for _language, _form in patterns(f"defaults_in_{_place}").items():
        _FORMS.setdefault(_language, []).append((_place, _form))
"""How each language writes defaults, by their places; the first form that fits a line counts."""


def _constructed(source: SideText, row: int) -> str:
    """The type whose constructor contains a line; outside of its class, one without arguments."""
    inside = ""
    for line in source.above(row, _DEFAULT_TABLES_REACH):
        match = _CONSTRUCTOR.match(line)
        if line[:1] not in {"", " ", "\t", "/", "*"}:
            if inside and re.match(rf"(?:class|struct) {inside}\b", line):
                return inside
            return (match and match["type"]) or ""
        inside = inside or (match and match["inside"]) or ""
    return ""


def _default_tables_owner(source: SideText, row: int) -> str:
    """The table of defaults around a line: its type, or its own name."""
    above = (a for a in source.above(row, _DEFAULT_TABLES_REACH) if a[:1] not in {"/", "*"})
    for line in enclosing(above, indent_of(next(source.above(row + 1, 1), ""))):
        if line[:1] not in {" ", "\t"}:
            if made := _MAKER.match(line[:400]):
                return made["type"] or made["receiver"] or made["implementor"]
            match = _HEADER.match(line)
            return (match["type"] or match["name"]) if match else ""
        if match := _NESTED.match(line):
            bare = match["name"].lower() == "default"  # a value of this function
            return match["type"] or ("" if bare else match["name"])
        if _OTHER.match(line):
            return ""
    return ""


_OTHER = re.compile(r"\t\w+ += .*[({]$")
"""A line of a group of variables of Go that begins another one than defaults."""

_NESTED = re.compile(
    r"\s+(?P<name>[Dd]efault\w*|DEFAULT\w*)(?:\s*:[^=]{1,80})?\s*=\s*&?(?P<type>\w+)?\{$"
)
