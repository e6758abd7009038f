"""Files that declare the settings of a program one by one.

These are modules of Python whose constants are the settings, classes of which each is one, tables
in C, defaults that Go sets by name, tables of options in scripts, where each option is an object
with a description, and the features of a Rust crate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from digest.core.change import Hunk
from digest.core.facts import Action, Fact, FactKind
from digest.facts import named_settings
from digest.facts.call_arguments import literal, split, touched_calls
from digest.facts.manifests_python import toml_places
from digest.facts.named_settings import NamedSetting
from digest.facts.side_text import SideLines, SideText, block, enclosing

_MODULE = re.compile(r"(?:^|/)(?:default|global)s?_?(?:setting|config)s?\.py$")
"""A module that only holds settings, with their defaults."""

_CONSTANT = re.compile(r"(?P<name>[A-Z][A-Z0-9_]{2,80})(?:: [^=\n]{1,80})? = (?P<value>[^#\n]+)")
_PLAIN = re.compile(r"(?:None|True|False|-?\d[\d._]*|\"[^\"\n]*\"|'[^'\n]*'|\[\]|\{\}|\(\))$")
_MOST = 200  # changed lines of one side; more are data


def is_module(path: str) -> bool:
    """Whether a file of Python holds nothing but settings."""
    return _MODULE.search(path) is not None


def find_constants(before: SideText, after: SideText) -> Iterator[Fact]:
    """The settings of a module of Python that came or went, or have another default."""
    yield from named_settings.compare(
        FactKind.CONFIG, before, after, _constants(before), _constants(after)
    )


def _constants(source: SideText) -> Iterator[NamedSetting]:
    for row, match in source.matches(_CONSTANT, _MOST):
        value = match["value"].strip()
        plain = _PLAIN.match(value) is not None
        yield NamedSetting(
            names=(match["name"],),
            line=row + 1,
            value=value if plain else None,
            known=plain,
            text=match[0],
        )


_CLASS = re.compile(r"^class \w+\((?:\w+\.)*\w*(?:Setting|Option|Parameter)\):", re.MULTILINE)
_OF_CLASS = re.compile(r"^    (?P<key>name|default) = (?P<value>[^\n]+)", re.MULTILINE)
_MOST_CLASSES = 400


def may_declare_one(hunks: Iterable[Hunk]) -> bool:
    """Whether some changed line may belong to a class that is one setting."""
    lines = (line for hunk in hunks for line in hunk.lines)
    return any(_OF_CLASS.match(line) for line in lines)


def find_classes(before: SideText, after: SideText) -> Iterator[Fact]:
    """The settings of which each is a class of Python with a name and a default."""
    if not any(_OF_CLASS.search(side.changed_text) for side in (before, after)):
        return
    for fact in named_settings.compare(
        FactKind.CONFIG, before, after, _classes(before), _classes(after)
    ):
        yield replace(fact, public=True)


def _classes(source: SideText) -> Iterator[NamedSetting]:
    for head in islice(_CLASS.finditer(source.text), _MOST_CLASSES):
        body = block(source.text, head.start())
        if not source.touches(head.start(), head.start() + len(body)):
            continue
        found = [(m["key"], m["value"].strip()) for m in _OF_CLASS.finditer(body)]
        named = [name for key, value in found if key == "name" and (name := literal(value))]
        values = [value for key, value in found if key == "default"]
        if len(named) == 1:
            yield NamedSetting(
                names=(named[0],),
                line=source.line_at(head.start()),
                value=values[0] if len(values) == 1 else None,
                known=len(values) == 1,
                quoted=(f'"{named[0]}"', f"'{named[0]}'"),
                text=body[:_LONGEST_ROW],
            )


_SET_DEFAULT = re.compile(r"\s*(?:\w+\.)+SetDefault\(\"(?P<name>[\w.-]{2,80})\", (?P<value>.+)\)$")
_ROW = re.compile(
    r"\s*\{+\s*(?:\.name\s*=\s*)?(?:\w+\(\s*)?\"(?P<name>[A-Za-z][\w.-]{1,60})\"\s*\)?\s*,"
)
_DEFAULT_IN_ROW = re.compile(r"\.def(?:ault)?(?:_\w{1,20})?\s*=\s*(?P<value>[^,}\n]{1,80})")
_LONGEST_ROW_LINES = 30
_FEWEST_ARGUMENTS = 4  # of a definition: its name, type, importance and description
_TABLE = re.compile(r"(?P<name>\w+)\s*(?:\[\w*\])?\s*=\s*(?:\{\s*)*$")
_OF_SETTINGS = re.compile(
    r"(?i)(?:option|directive|setting|param(?:eter)?|conf(?:ig)?)s?(?:_?(?:table|list|map|key|item|entr(?:y|ie))s?){0,4}$"
)
_OF_COMMANDS = re.compile(r"(?i)(?:command|cmd)s?$")
_SAYS_WHERE = re.compile(r"\b[A-Z]+(?:_[A-Z]+){0,6}_CONF\b")
"""A sign in a row of commands that they are those of a configuration file."""

_LONGEST_ROW = 600  # characters
_LONGEST_NAME = 200  # characters at the end of the line that begins a table


def may_hold(hunks: Iterable[Hunk], language: str) -> bool:
    """Whether some changed line may be the row of a table of settings, or set a default."""
    if language == "java":
        return any(_DEFINES.search(line) for hunk in hunks for line in (hunk.section, *hunk.lines))
    pattern = {"go": _SET_DEFAULT, "c": _ROW, "cpp": _ROW}.get(language)
    if pattern is None:
        return False
    lines = (line for hunk in hunks for line in hunk.lines)
    return any(pattern.match(line) or _DEFAULT_IN_ROW.search(line) for line in lines)


def find_rows(before: SideText, after: SideText, language: str) -> Iterator[Fact]:
    """The settings in tables of C and C++, and those that Go and Java give a default by name."""
    read = {"go": _defaults, "c": _rows, "cpp": _rows, "java": _keys}.get(language)
    if read is not None:
        for fact in named_settings.compare(
            FactKind.CONFIG, before, after, read(before), read(after)
        ):
            yield fact if language == "java" else replace(fact, public=True)


_DEFINES = re.compile(r"\.define\(|\bclass \w*Configs?\b|\w\.(?:Type|Importance)\.[A-Z]")
_DEFINE = re.compile(r"\.define\((?=\s*[\w.\"])")
_TYPE = re.compile(r"(?:\w+\.){0,2}[A-Z]+")
_IMPORTANCE = re.compile(r"(?:\w+\.){0,2}(?:HIGH|MEDIUM|LOW)")


def _keys(source: SideText) -> Iterator[NamedSetting]:
    """The settings that a ``ConfigDef`` defines; a name from another class stays a constant."""
    for call in touched_calls(source, _DEFINE, "java", (".define(",)):
        if "ConfigDef" not in source.text or len(call.positional) < _FEWEST_ARGUMENTS:
            continue
        given, kind, value, *_ = call.positional
        if not _TYPE.fullmatch(kind):
            continue
        constant = given.rpartition(".")[2]
        own = re.search(rf"\b{re.escape(constant)}\s*=\s*(\"[\w.-]+\")\s*;", source.text)
        name = literal(own[1] if own else given) or constant
        at = source.text.find(given, call.start)
        if re.fullmatch(r"[\w.-]{2,80}", name):
            yield NamedSetting(
                names=(name,),
                line=source.line_at(at),
                value=value,
                known=_IMPORTANCE.fullmatch(value) is None,  # else it must be set
                text=source.text[call.start : call.end],
                detail="key",
            )


def _defaults(source: SideText) -> Iterator[NamedSetting]:
    for row, match in source.matches(_SET_DEFAULT, _MOST):
        plain = _PLAIN.match(match["value"]) is not None
        yield NamedSetting(
            names=(match["name"],),
            line=row + 1,
            value=match["value"] if plain else None,
            known=plain,
            quoted=(f'"{match["name"]}"',),
            text=match[0],
        )


def _rows(source: SideText) -> Iterator[NamedSetting]:
    found = {one[0]: one for row, line in source.changed() if (one := _row_of(source, row, line))}
    for row, match in islice(found.values(), _MOST):
        start = source.offset(row + 1) + match[0].index("{")
        read = split(source.text, start, "c")
        text = source.text[start : min(read[0], start + _LONGEST_ROW)] if read else match[0]
        table = _table_of(source, row)
        if _OF_SETTINGS.search(table) or (_OF_COMMANDS.search(table) and _SAYS_WHERE.search(text)):
            given = _DEFAULT_IN_ROW.search(text)
            yield NamedSetting(
                names=(match["name"],),
                line=row + 1,
                value=given["value"].strip() if given else None,
                known=given is not None,
                quoted=(f'"{match["name"]}"',),
                text=text,
            )


def _row_of(source: SideText, row: int, line: str) -> tuple[int, re.Match[str]] | None:
    """The row that begins on a changed line, or whose default the line gives."""
    if match := _ROW.match(line):
        return row, match
    if _DEFAULT_IN_ROW.search(line):
        for number, above in enumerate(source.above(row, _LONGEST_ROW_LINES), 1):
            if match := _ROW.match(above):
                return row - number, match
    return None


def _table_of(source: SideText, row: int) -> str:
    """The name of the table that contains a row; empty for what stands in a function."""
    for line in source.above(row, _DEEPEST):
        if line.startswith("}"):
            return ""
        if line[:1].isalpha() or line.rstrip().endswith("="):
            match = _TABLE.search(line.rstrip()[-_LONGEST_NAME:])
            return match["name"] if match and "struct option " not in line else ""  # of getopt
    return ""


_OF_PROGRAMS = re.compile(
    r"(?:^|[/_.-])(?:cli|args|argv|flags|commands?|options)(?:[/_.-][\w./-]*)?\.[cm]?[jt]s$"
)
_HEAD = re.compile(r"(?P<depth>[ \t]+)[\"']?(?P<name>[a-zA-Z][\w-]{0,60})[\"']?: \{(?P<rest>.*)$")
_KEY = re.compile(r"[\"']?(\w+)[\"']?\s*:\s*(.*)", re.DOTALL)
_TELLS = ("describe", "description")
_SHAPES = frozenset(
    {"alias", "argument", "array", "choices", "default", "demandOption", "requiresArg", "shorthand"}
    | {"subcommands", "type"}
)
_NOT_TYPED = frozenset({"properties", "definitions", "schema", "$defs"})
"""Tables of a schema, whose members nobody types."""

_MOST_OPTIONS = 100  # changed lines of a side that begin an option
_DEEPEST = 1_500  # lines from a member of a table to the head of what holds it


def may_list(path: str, hunks: Iterable[Hunk]) -> bool:
    """Whether some changed line may be part of a table of options in a script."""
    if _OF_PROGRAMS.search(path) is None:
        return False
    lines = (line for hunk in hunks for line in hunk.lines)
    return any(map(_HEAD.match, lines))


def find_options(before: SideText, after: SideText) -> Iterator[Fact]:
    """The flags of a table of options in a script that came or went."""
    if _OF_PROGRAMS.search(after.path) is None:
        return
    olds, news = list(_options(before)), list(_options(after))
    yield from named_settings.compare(FactKind.FLAG, before, after, olds, news)


def _options(source: SideText) -> Iterator[NamedSetting]:
    for row, head in source.matches(_HEAD, _MOST_OPTIONS):
        start = source.offset(row + 1) + head.start("rest") - 1
        read = split(source.text, start, "typescript")
        parts = read[1] if read else ()
        members = {m[1]: m[2].strip() for part in parts if (m := _KEY.match(part))}
        tells = any(key.lower().endswith(_TELLS) for key in members)
        if not (tells and members.keys() & _SHAPES):
            continue
        letter = literal(members.get("shorthand") or members.get("alias")) or ""
        for path in _paths(source, row, head) if read else ():
            name = f"--{'.'.join(path)}"
            yield NamedSetting(
                names=(name, f"-{letter}") if len(letter) == 1 else (name,),
                line=row + 1,
                known=False,
                quoted=(name,) if len(path) > 1 else (name, f"{path[0]}: {{", f"'{path[0]}'"),
                text=source.text[start : read[0]] if read else "",
            )


def _paths(
    source: SideText, row: int, head: re.Match[str], deeper: int = 1
) -> Iterator[tuple[str, ...]]:
    """The names that lead to an option, the outermost first; none for what is no option.

    A table that is kept apart leads there from each option that takes it.
    """
    path: tuple[str, ...] = (head["name"],)
    inside = False  # a table of the options of one option
    for line in enclosing(source.above(row, _DEEPEST), len(head["depth"])):
        if (above := _HEAD.match(line)) is None:
            if table := _KEPT_APART.match(line):
                yield from _through(source, table[1], path, deeper)
            elif not inside:
                yield path
            return
        if above["name"] in _NOT_TYPED or not (inside or above["name"] == "subcommands"):
            return
        if inside:
            path = (above["name"], *path)
        inside = not inside


_KEPT_APART = re.compile(r"(?:export )?(?:const|let|var) (\w+)\b")
_MOST_USES = 8  # options that take the same table


def _through(
    source: SideText, table: str, path: tuple[str, ...], deeper: int
) -> Iterator[tuple[str, ...]]:
    """The same for an option of a table with a name, by way of the options that take it."""
    taken = rf"^(?P<depth>[ \t]+)(?:subcommands: |(?P<spread>\.\.\.)){table}\b"
    uses = re.finditer(taken, source.text, re.MULTILINE)
    holders = [found for use in islice(uses, _MOST_USES) if (found := _holder(source, use))]
    if not holders:
        yield path
    for row, head in holders if deeper else ():
        for outer in _paths(source, row, head, deeper - 1):
            yield (*outer, *path)


def _holder(source: SideText, use: re.Match[str]) -> tuple[int, re.Match[str]] | None:
    """The option that takes a table as that of its own options."""
    row, depth = source.line_at(use.start("depth")) - 1, len(use["depth"])
    spread = use["spread"] is not None
    for number, line in enumerate(source.above(row, _DEEPEST), 1):
        head = _HEAD.match(line)
        if head is None or len(head["depth"]) >= depth:
            continue
        if not spread:
            return row - number, head
        if head["name"] != "subcommands":
            return None
        depth, spread = len(head["depth"]), False
    return None


_PARSES = re.compile(r"(?<![\w.$])(?:arg|meow|parseArgs)\(|\.options\((?=\s*\{)")
"""Parsers that take no flag that they do not list, unlike minimist and those like it."""

_PARSE_WORDS = ("arg(", "meow(", "parseArgs(", ".options(")
_MEMBER = re.compile(
    r"(?:([\"'])(?P<quoted>[\w-]+)\1|(?P<bare>\w+))\s*:\s*(?P<value>.*)", re.DOTALL
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_TELLING = 40  # characters of a declaration that tell a new name of a flag from another flag


def parsed_flags(source: SideText) -> Iterator[NamedSetting]:
    """The flags in the table that a script gives a parser of its command line."""
    for call in touched_calls(source, _PARSES, "typescript", _PARSE_WORDS):
        for table in (part for part in call.positional if part.startswith("{")):
            for key, names, value, text in _of_parser(source, call.callee, table):
                bare = key.lstrip("-")
                at = re.compile(rf"\b{bare}\b").search(source.text, call.start, call.end)
                yield NamedSetting(
                    names=names,
                    line=source.line_at(at.start() if at else call.start),
                    value=value,
                    quoted=(names[0], f"{bare}: {{", f"'{bare}'", f'"{bare}"'),
                    text=text if len(text) > _TELLING else "",  # all of `Boolean` are alike
                )


def _of_parser(
    source: SideText, callee: str, table: str
) -> Iterator[tuple[str, tuple[str, ...], str | None, str]]:
    """The key, names, default and text of each flag in a table."""
    members = _members(table)
    if callee == "arg":
        for name, value in members.items():
            if name.startswith("-") and literal(value) is None:
                others = (key for key, other in members.items() if literal(other) == name)
                yield name, (name, *others), None, value
        return
    if members.get("strict") == "false":
        return  # takes flags that it does not list
    inner = table if callee == ".options" else members.get("options") or members.get("flags") or ""
    for key, value in _members(inner).items():
        parts = _members(value)
        told = "yargs" in source.text or any(part.startswith("desc") for part in parts)
        if parts.keys() & _SHAPES and (callee != ".options" or told):
            letter = literal(parts.get("short") or parts.get("shortFlag") or parts.get("alias"))
            name = _HUMP.sub("-", key).lower() if callee == "meow" else key
            letters = (f"-{letter}",) if letter and len(letter) == 1 else ()
            yield key, (f"--{name}", *letters), parts.get("default"), value


def _members(table: str) -> dict[str, str]:
    """The members of an object as written, by their names."""
    read = split(table, 0, "typescript") if table.startswith("{") else None
    found = (_MEMBER.match(part) for part in (read[1] if read else ()))
    return {m["quoted"] or m["bare"]: m["value"].strip() for m in found if m}


_ITEM = re.compile(r"\"([\w-]+)\"")
_FEATURE = re.compile(r"([\w-]{2,60})\s*=\s*\[")
_OF_NOBODY = re.compile(r"publish\s*=\s*(?:false|\[\])|name\s*=\s*\"_")


def find_features(before: SideLines, after: SideLines) -> Iterator[Fact]:
    """The features that a crate offers on one side only, or that are on by default on one side."""
    if any(_OF_NOBODY.match(line) for line in (*before.whole, *after.whole)):
        return
    if before.path.startswith("crates/"):
        return  # parts of a program
    olds, news = _features(before), _features(after)
    for action, side, those, others in (
        (Action.REMOVED, before, olds, news),
        (Action.ADDED, after, news, olds),
    ):
        for name in those.keys() - others.keys() - {"default"} if olds and news else ():
            line = those[name][0]
            yield side.fact(FactKind.CONFIG, action, name, line, detail="feature", public=True)
    on, was = _by_default(news), _by_default(olds)
    for name in sorted(olds.keys() & news.keys() & (on ^ was)):
        values = ("off", "on") if name in on else ("on", "off")
        side, those = (after, news) if "default" in news else (before, olds)
        line = those["default"][0]
        yield side.fact(
            FactKind.CONFIG, Action.CHANGED, name, line, values, detail="default", public=True
        )


def _features(side: SideLines) -> dict[str, tuple[int, set[str]]]:
    """The features of a crate, with their lines and what each turns on."""
    found: dict[str, tuple[int, set[str]]] = {}
    name = ""
    places = toml_places(side.whole)
    for number, (line, (table, *_)) in enumerate(zip(side.whole, places, strict=False), 1):
        if table != "features":
            continue
        bare = line.partition("#")[0]
        if match := _FEATURE.match(bare):
            name = match[1]
            found[name] = (number, set())
        if name in found:
            found[name][1].update(_ITEM.findall(bare))
    return found


def _by_default(features: Mapping[str, tuple[int, set[str]]]) -> set[str]:
    """The features that are on where nobody chooses any."""
    on, left = set[str](), ["default"]
    while left:
        name = left.pop()
        if name in features and name not in on:
            on.add(name)
            left += features[name][1]
    return on if "default" in features else set()
