"""Schemas and protocols: messages, fields, services, tables.

Read line by line, with the enclosing block from the whole file: Protocol Buffers, GraphQL, Thrift,
SQL. A JSON Schema gives the settings of the file that it describes, as do the values of a Helm
chart. Interface descriptions (OpenAPI, Avro), a schema that cannot be read and migrations are
reported as files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

from digest.core.change import FileChange, FileStatus, Side
from digest.core.facts import Action, Area, Fact, FactKind
from digest.facts.languages import patterns
from digest.facts.named_settings import default_fact
from digest.facts.side_text import COMMENT, FileContext, FileSide, SideLines, indent_of
from digest.frozen import frozen

_DESCRIPTIONS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("openapi", re.compile(r"(?:^|/)(?:open-?api|swagger)[^/]*\.(?:json|ya?ml)$")),
    ("json schema", re.compile(r"[.-]schema\.(?:json|ya?ml)$|(?:^|/)schema\.json$")),
    ("avro", re.compile(r"\.(?:avsc|avdl)$")),
)
_MIGRATION = re.compile(
    r"(?:^|/)(?:migrations?|alembic/versions|db/migrate)/(?:[^/]+/){0,2}"
    r"(?!__init__|env\.py|script)[^/]*\d[^/]*\.(?:py|sql|rb|go|ts|js"
    r"|php)$"
)
_BLOCK = patterns("blocks")
_MEMBER = patterns("members")
_SQL = re.compile(
    r"\b(?P<verb>CREATE|ALTER|DROP)\s+(?:OR\s+REPLACE\s+)?(?:UNLOGGED\s+"
    r"|MATERIALIZED\s+|VIRTUAL\s+)?"
    r"(?P<what>TABLE|VIEW|TYPE|SEQUENCE|SCHEMA)\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?"
    r"(?:ONLY\s+)?[\"`\[]?(?!(?i:IF)\b)(?P<name>[A-Za-z_][\w.]{0,80})"
)
_TABLE = re.compile(
    r"(?i)\bTABLE\s{1,99}(?:IF\s{1,99}NOT\s{1,99}EXISTS\s{1,99})?[\"`\[]?([a-z_][\w.]{0,80})"
)
_SQL_ANY_CASE = re.compile(_SQL.pattern, re.IGNORECASE)
_VERBS = {"CREATE": Action.ADDED, "ALTER": Action.CHANGED, "DROP": Action.REMOVED}
_MOST = 200  # facts of one file
_WHOLES = ("message", "enum", "type", "input", "interface", "struct", "exception", "union")
_LANGUAGES = frozenset(_BLOCK)
_ASIDE = frozenset([Area.CI, Area.TESTS, Area.EXAMPLES, Area.BENCHMARKS, Area.DOCS])
_DEEPEST = 12  # maximum levels of blocks whose names are given; nobody nests deeper on purpose


@frozen(kw_only=False)
class _Item:
    name: str
    detail: str
    value: str
    line: int


_Side = dict[tuple[str, str], _Item]


def wants(file: FileChange, area: Area, language: str) -> bool:
    """Whether the enclosing blocks of the changed lines are needed."""
    return (
        area not in _ASIDE
        and (
            language in _LANGUAGES
            or any(known.search(file.path.lower()) for known in (_DESCRIBES, _VALUES))
        )
        and file.status not in {FileStatus.ADDED, FileStatus.DELETED}
    )


def find(scene: FileContext) -> Iterable[Fact]:
    """What a file adds to, removes from or changes in a schema."""
    if scene.area in _ASIDE:
        return ()
    path = scene.file.path.lower()
    if scene.language in _LANGUAGES:
        old, new = scene.lines
        gone, come = list(_items(old, scene.language)), list(_items(new, scene.language))
        return _matched(gone, come, old, new)[:_MOST]
    if _DESCRIBES.search(path) and (settings := _settings(*scene.lines)) is not None:
        return settings[:_MOST]
    if _VALUES.search(path):
        return [*_chart_values(*scene.lines)][:_MOST]
    for detail, shape in _DESCRIPTIONS:
        if shape.search(path):
            return (_of_file(scene.file, scene.file.path.rpartition("/")[2], detail),)
    if _MIGRATION.search(path):
        if scene.file.status is FileStatus.ADDED:
            name = scene.file.path.rpartition("/")[2].rpartition(".")[0]
            return (_of_file(scene.file, name, "migration"),)
        return ()
    return _sql(scene)


def _items(sheet: SideLines, language: str) -> Iterator[_Item]:
    blocks = _blocks(sheet.whole, language)
    for number, line in sheet.changed:
        owner = blocks[number - 1] if number <= len(blocks) else ""
        if match := _BLOCK[language].match(line):
            name = f"{owner}.{match[2]}" if owner else match[2]
            yield _Item(name, match[1], "", number)
        elif match := _MEMBER[language].match(line):
            yield _member(match, owner, number)


def _member(match: re.Match[str], owner: str, number: int) -> _Item:
    groups = match.groupdict()
    prefix = f"{owner}." if owner else ""
    if groups.get("rpc"):
        signature = " ".join(match["signature"].rstrip("{; ").split())
        return _Item(prefix + match["method"], "rpc", signature, number)
    if groups.get("value"):
        return _Item(prefix + match["value"], "value", match["number"], number)
    value = " ".join(match["type"].split())
    if tag := groups.get("tag"):
        value = f"{value} = {tag}"
    return _Item(prefix + match["field"], "field", value, number)


def _blocks(whole: tuple[str, ...], language: str) -> list[str]:
    """For each line the names of the outer blocks around it, joined by dots."""
    names: list[str] = []
    stack = [""]
    pending = ""
    for line in whole:
        names.append(stack[-1])
        code = line.partition("//")[0].partition("#")[0]
        if match := _BLOCK[language].match(code):
            pending = match[2] if match[1] not in {"oneof", "extend"} else ""
        for mark in code:
            if mark == "{":
                pending = pending if len(stack) <= _DEEPEST else ""
                stack.append(f"{stack[-1]}.{pending}".strip(".") if pending else stack[-1])
                pending = ""
            elif mark == "}" and len(stack) > 1:
                stack.pop()
    return names


def _matched(old: list[_Item], new: list[_Item], before: SideLines, after: SideLines) -> list[Fact]:
    gone = {(item.name, item.detail): item for item in old}
    come = {(item.name, item.detail): item for item in new}
    found: list[Fact] = []
    renamed = _renames(gone, come, before, after)
    replaced = {(item.name, item.detail) for item in renamed.values()}
    for key in dict.fromkeys([*gone, *come]):
        a, b = gone.get(key), come.get(key)
        if key in replaced:
            continue
        item = b or a
        assert item is not None
        if a and b and a.value == b.value:
            continue
        owner = item.name.rpartition(".")[0]
        side = come if b else gone
        if item.detail != "rpc" and not (a and b) and any((owner, w) in side for w in _WHOLES):
            continue  # the owner came or went with it, and so covers it
        values = a.value or None if a else None, b.value or None if b else None
        action = Action.CHANGED if a and b else Action.ADDED if b else Action.REMOVED
        if key in renamed:
            action, values = Action.RENAMED, (renamed[key].name, item.name)
        told, line, detail = after if b else before, item.line, item.detail
        found.append(told.fact(FactKind.SCHEMA, action, item.name, line, values, detail=detail))
    return found


def _renames(
    gone: _Side, come: _Side, before: SideLines, after: SideLines
) -> dict[tuple[str, str], _Item]:
    """What is new in the place of a removed item, by its key."""
    lost = {
        place: item
        for key, item in gone.items()
        if key not in come and (place := _place(item, before))
    }
    return {
        key: lost[place]
        for key, item in come.items()
        if key not in gone and (place := _place(item, after)) in lost
    }


def _place(item: _Item, side: SideLines) -> tuple[str, str | tuple[str, ...]] | None:
    """Type and number of a field in its block, or all that a service or type has."""
    if item.detail == "field" and "=" in item.value:
        return item.name.rpartition(".")[0], item.value
    body = _body(side.whole, item.line) if item.detail in _HEADS else ()
    return (item.detail, body) if body else None


def _body(whole: tuple[str, ...], line: int) -> tuple[str, ...]:
    """The lines of the block whose head a line is, without their indent; empty if it has none."""
    depth, body = 0, list[str]()
    for text in whole[line - 1 : line - 1 + _LONGEST_BLOCK]:
        depth += text.count("{") - text.count("}")
        if depth <= 0:
            break
        body.append(text.strip())
    return tuple(body[1:])


_HEADS = frozenset({*_WHOLES, "service"})
_LONGEST_BLOCK = 400  # lines


def _sql(scene: FileContext) -> Iterable[Fact]:
    sql = scene.language == "sql"
    if scene.area is not Area.CORE or not (sql or " TABLE " in scene.changed_text):
        return ()
    pattern = _SQL_ANY_CASE if sql else _SQL
    old, new = scene.lines
    gone = {(i.name, i.detail): i for i in _statements(old, pattern)}
    come = {(i.name, i.detail): i for i in _statements(new, pattern)}
    steps = [(i, _VERBS[i.value], new) for key, i in come.items() if key not in gone]
    named = {n.casefold() for n in _TABLE.findall("\n".join(line for _, line in new.changed))}
    steps += [
        (i, Action.REMOVED, old)
        for key, i in gone.items()
        if key not in come and i.value == "CREATE" and i.name.casefold() not in named
    ]
    kind = FactKind.SCHEMA
    return [side.fact(kind, action, i.name, i.line, detail=i.detail) for i, action, side in steps]


def _statements(sheet: SideLines, pattern: re.Pattern[str]) -> Iterator[_Item]:
    for number, line in sheet.changed:
        if pattern is not _SQL_ANY_CASE and ("TABLE" not in line or COMMENT.match(line)):
            continue  # an example that documents code
        if match := pattern.search(line):
            yield _Item(match["name"], match["what"].lower(), match["verb"].upper(), number)


def _of_file(file: FileChange, name: str, detail: str) -> Fact:
    action = {FileStatus.ADDED: Action.ADDED, FileStatus.DELETED: Action.REMOVED}.get(
        file.status, Action.CHANGED
    )
    added = next((hunk.new_start for hunk in file.hunks if hunk.added), 0)
    removed = next((hunk.old_start for hunk in file.hunks if hunk.removed), 0)
    gone = action is Action.REMOVED or not added
    path, side = (file.old_path or file.path, Side.OLD) if gone else (file.path, Side.NEW)
    line = removed if gone else added
    return FileSide(path=path, side=side).fact(FactKind.SCHEMA, action, name, line, detail=detail)


_DESCRIBES = re.compile(r"(?:^|/)schemas?/[^/]*\.json$|[.-]schema\.json$|(?:^|/)schema\.json$")
_PARTS = ("anyOf", "oneOf", "allOf")
_LONGEST_SCHEMA = 3_000_000  # characters
_MOST_PROPERTIES = 20_000
_NESTED = 10  # levels of properties within properties
_ALIKE = 0.6  # share of equal letters in two names for a rename
_TEXTS = frozenset(
    {"added", "description", "markdownDescription", "title", "x-intellij-html-description"}
)

_Schema = dict[str, Any]
_Owners = dict[str, dict[str, _Schema]]


def _settings(before: SideLines, after: SideLines) -> list[Fact] | None:
    """The settings that a JSON Schema adds, removes or renames; ``None`` if it cannot be read."""
    schemas = [_schema(side.text) for side in (before, after)]
    if None in schemas:
        return None
    olds, news = (_owners(one) for one in schemas if one is not None)
    found: dict[tuple[str, str], Fact] = {}
    steps = [
        [
            (owner, name)
            for owner in one
            if owner in other
            for name in one[owner].keys() - other[owner]
        ]
        for one, other in ((olds, news), (news, olds))
    ]
    both = {name for _, name in steps[0]} & {name for _, name in steps[1]}  # these only moved
    gone, come = (sorted(pair for pair in one if pair[1] not in both) for one in steps)
    for owner, name in gone:
        new = _heir(olds[owner][name], name, [n for o, n in come if o == owner], news[owner])
        if new and (fact := _setting(Action.RENAMED, owner, new, after)):
            found.setdefault((new, name), replace(fact, before=name, after=new))
        elif fact := _setting(Action.REMOVED, owner, name, before):
            found.setdefault(("", name), fact)
    heirs = {new for new, _ in found}
    for owner, name in come:
        if name not in heirs and (fact := _setting(Action.ADDED, owner, name, after)):
            default = news[owner][name].get("default")
            value = None if default is None else json.dumps(default)
            found.setdefault((name, ""), replace(fact, after=value))
    return list(found.values())


def _schema(text: str | None) -> _Schema | None:
    if text is None or len(text) > _LONGEST_SCHEMA:
        return None
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return None
    known = isinstance(read, dict) and (read.keys() & {"properties", "definitions", "$defs"})
    return read if known else None


def _owners(schema: _Schema) -> _Owners:
    """The properties of each object of a schema, by the names that lead there."""
    owners: _Owners = {}
    named = {
        f"#/{key}/{name}": value
        for key in ("definitions", "$defs")
        for name, value in _dict(schema.get(key)).items()
    }
    seen: set[str] = set()
    budget = _MOST_PROPERTIES
    for start, top in (("", schema), *named.items()):
        if start in seen:
            continue
        nodes = [(start.rpartition("/")[2], top, 0)]
        while nodes and budget > 0:
            path, node, depth = nodes.pop(0)
            budget -= 1
            if not isinstance(node, dict) or depth > _NESTED:
                continue
            reference = node.get("$ref")
            if isinstance(reference, str) and reference in named and reference not in seen:
                seen.add(reference)
                nodes.append((path, named[reference], depth))
            for name, value in _dict(node.get("properties")).items():
                owners.setdefault(path, {}).setdefault(name, _dict(value))
                nodes.append((f"{path}.{name}".strip("."), value, depth + 1))
            parts = [part for key in _PARTS for part in node.get(key) or ()]
            nodes += ((path, part, depth) for part in (*parts, node.get("items")))
    return owners


def _dict(value: object) -> _Schema:
    return value if isinstance(value, dict) else {}


def _heir(old: _Schema, name: str, come: Sequence[str], news: Mapping[str, _Schema]) -> str:
    """The only new property with the values of a removed one and a similar name; or empty."""
    alike = [
        new
        for new in come
        if _values(news[new]) == _values(old)
        and (
            name.lower() in new.lower()
            or new.lower() in name.lower()
            or SequenceMatcher(None, name, new).ratio() >= _ALIKE
        )
    ]
    return alike[0] if len(alike) == 1 else ""


def _values(schema: _Schema) -> str:
    """What a property allows, without what is said of it and where it is declared."""
    return json.dumps({k: v for k, v in schema.items() if k not in _TEXTS and k != "$ref"})


def _setting(action: Action, owner: str, name: str, side: SideLines) -> Fact | None:
    """A fact about a property, if a changed line has it."""
    line = next((n for n, text in side.changed if f'"{name}"' in text), None)
    if line is None:
        return None
    whole = f"{owner}.{name}".strip(".")
    return side.fact(FactKind.CONFIG, action, whole, line, detail="field", public=True)


_VALUES = re.compile(r"(?:^|/)[\w-]{0,40}(?:charts?|helm)/(?:[\w.-]{1,60}/){0,4}values\.ya?ml$")
_VALUE = re.compile(r"[ ]*(?P<key>[A-Za-z_][\w-]*)[ ]*:(?:[ ]+(?P<value>[^\s#].*?))?(?:[ ]+#.*)?$")
_PINNED = re.compile(
    r"(?:tag|image|version|repository|registry|digest|sha\d*|checksum)s?$", re.IGNORECASE
)
"""Names of values that say which image is run, which every update changes."""

_PLAIN = re.compile(r"true|false|-?\d[\w.]*|\"[^\"]{1,80}\"|'[^']{1,80}'|[A-Za-z][\w./-]{0,80}")


def _chart_values(before: SideLines, after: SideLines) -> Iterator[Fact]:
    """The values of a Helm chart that are gone, new or have another default."""
    olds, news = _tree(before.whole), _tree(after.whole)
    for action, side, those, others in (
        (Action.REMOVED, before, olds, news),
        (Action.ADDED, after, news, olds),
    ):
        for name in [n for n in those if n not in others] if others else ():
            (line, value), (owner, _, last) = those[name], name.rpartition(".")
            remarked = any(f"# {last}:" in text or f"#{last}:" in text for text in after.whole)
            if (not owner or owner in others) and not remarked:
                values = (value, None) if action is Action.REMOVED else (None, value)
                yield side.fact(
                    FactKind.CONFIG, action, name, line, values, detail="value", public=True
                )
    for name in [n for n in olds.keys() & news.keys() if not _PINNED.search(n)]:
        line, now = news[name]
        plain = [v.strip("\"'") for v in (olds[name][1], now) if v and _PLAIN.fullmatch(v)]
        if len(plain) > 1 and plain[0] != plain[1]:
            yield default_fact(after, name, (plain[0], plain[1]), line - 1)


def no_longer_read(found: Sequence[Fact], scenes: Iterable[FileContext]) -> list[Fact]:
    """The facts without values that left a file while no template of the chart stopped to use them.

    Charts that a chart contains, and values that are passed on whole, take them as before.
    """
    if not any(f.detail == "value" and f.action is Action.REMOVED for f in found):
        return list(found)
    removed = {s.file.path: s.lines[0].changed for s in scenes if "/templates/" in s.file.path}

    def holds(fact: Fact) -> bool:
        chart = fact.evidence.path.rpartition("/")[0] + "/templates/"
        used = re.compile(rf"\.{fact.name.rpartition('.')[2]}\b")
        lines = (
            line for path, lines in removed.items() if path.startswith(chart) for line in lines
        )
        return any(used.search(text) for _, text in lines)

    return [f for f in found if f.detail != "value" or f.action is not Action.REMOVED or holds(f)]


def _tree(lines: Iterable[str]) -> dict[str, tuple[int, str | None]]:
    """The keys of a file of values by their paths, with lines and values; none of lists."""
    found: dict[str, tuple[int, str | None]] = {}
    path: list[tuple[int, str]] = []
    hidden: int | None = None  # the depth of a list or text, whose lines are no keys
    for number, line in enumerate(lines, 1):
        depth = indent_of(line)
        if (
            not line.strip()
            or line.lstrip().startswith("#")
            or (hidden is not None and depth > hidden)
        ):
            continue
        match, hidden = _VALUE.match(line), None
        if match is None:
            hidden = depth
            continue
        while path and path[-1][0] >= depth:
            path.pop()
        path.append((depth, match["key"]))
        if (match["value"] or "").startswith(("|", ">")):
            hidden = depth
        found[".".join(key for _, key in path)] = (number, match["value"])
    return found
