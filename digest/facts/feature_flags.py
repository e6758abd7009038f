"""The values of a feature flag, such as ``--enable-feature=NAME``, and commands of a program.

In Go they are the cases of a switch, in Rust the texts from which a type of features is read.

A feature that its flag no longer switches is on for everybody, which its case says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from digest.core.facts import Action, Fact, FactKind
from digest.facts import named_settings
from digest.facts.call_arguments import CodeCall
from digest.facts.deprecations import recommended
from digest.facts.named_settings import NamedSetting
from digest.facts.side_text import SideText, entire, indent_of

_FLAG = re.compile(r"\"(\w*-?features?(?:-\w+)?)\"")
_CASE = re.compile(r"\s*case\s+\"")
_VALUE = re.compile(r"\"([\w.-]+)\"")
_NEXT_CASE = re.compile(r"^\s*(?:case\b|default:|\}$)", re.MULTILINE)
_ALWAYS_ON = re.compile(
    r"\b(?:always (?:on|enabled)|permanently (?:on|enabled)|(?:on|enabled) by default|now stable"
    r"|is stable)\b"
)
_ENDS = re.compile(
    r"\b(?:being phased out|(?:is|are|now) deprecated|[Ss]top using|will become a no-op)\b"
)
_LONGEST_SWITCH = 400  # lines
_MOST_CASES = 200  # changed cases of a file; more are data
_ABOVE_SWITCH = 5  # lines in which the list of values is named
_REACH = 600  # maximum characters of a case's body


def find(before: SideText, after: SideText) -> Iterator[Fact]:
    """The values of a feature flag that were added, removed, phased out or made permanent."""
    match = _FLAG.search(after.text) or _FLAG.search(before.text)
    if match is None or not any(
        "case " in s.changed_text
        or _ALWAYS_ON.search(s.changed_text)
        or _ENDS.search(s.changed_text)
        for s in (before, after)
    ):
        return
    olds, news = (
        {s.names[0]: s for s in _features(entire(side), match[1])} for side in (before, after)
    )
    yield from named_settings.compare(
        FactKind.FLAG,
        before,
        after,
        [s for s in _features(before, match[1]) if s.names[0] not in news],
        [s for s in _features(after, match[1]) if s.names[0] not in olds],
    )
    for name in sorted(olds.keys() & news.keys()):
        if (ends := _ENDS.search(news[name].text)) and not _ENDS.search(olds[name].text):
            line = next((n for n, text in after.changed() if ends[0] in text), 0)
            notice = after.fact(
                FactKind.DEPRECATION, Action.ADDED, name, line + 1, detail="warning"
            )
            yield replace(notice, replacement=recommended(news[name].text[ends.start() :]))
        on, was = (_ALWAYS_ON.search(side[name].text) for side in (news, olds))
        if (on is None) != (was is None):
            said = (on or was or [""])[0]
            side = after if on else before
            line = next((n for n, text in side.changed() if said in text), 0)
            values = ("off", "on") if on else ("on", "off")
            yield side.fact(FactKind.FLAG, Action.CHANGED, name, line + 1, values, detail="default")


def find_parsed(before: SideText, after: SideText) -> Iterator[Fact]:
    """The features of a Rust program that users can no longer name, or that they can name now."""
    if not any(_ARM.search(s.changed_text) for s in (before, after)):
        return
    yield from named_settings.compare(FactKind.FLAG, before, after, _parsed(before), _parsed(after))


_ARM = re.compile(r"^\s*\"(?P<value>[a-z][\w.-]*)\" => (?:Self|\w+)::\w+,?$", re.MULTILINE)
_PARSES = re.compile(r"impl (?:std::str::)?FromStr for (?P<type>\w*Features?)\b")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def _parsed(source: SideText) -> Iterator[NamedSetting]:
    """The texts that a type of features is read from; the flag has the name of the type."""
    for row, arm in source.matches(_ARM, _MOST_CASES):
        above = source.above(row, _LONGEST_SWITCH)
        head = next((line for line in above if line.startswith(("impl", "}"))), "")
        if match := _PARSES.match(head):
            flag = _HUMP.sub("-", match["type"].removesuffix("s")).lower()
            name = f"--{flag}s={arm['value']}"
            yield NamedSetting(names=(name,), line=row + 1, quoted=(f'"{arm["value"]}"',))


def _features(source: SideText, flag: str) -> Iterator[NamedSetting]:
    """The values of a feature flag, as a switch distinguishes them, with what it does for each."""
    for row, case in source.matches(_CASE, _MOST_CASES):
        if _switches_features(source, row, case.string):
            start = source.offset(row + 2)
            end = _NEXT_CASE.search(source.text, start, start + _REACH)
            text = source.text[start : end.start() if end else start + _REACH]
            for value in _VALUE.findall(case.string):
                yield NamedSetting(names=(f"--{flag}={value}",), line=row + 1, text=text)


def _switches_features(source: SideText, row: int, case: str) -> bool:
    """Whether a line above the ``switch`` of a case or its function mentions features."""
    inside = 0  # lines from the case or its switch upwards
    for line in source.above(row, _LONGEST_SWITCH):
        is_head = line.startswith("func ")
        if inside or (line.lstrip().startswith("switch ") and indent_of(line) <= indent_of(case)):
            inside += 1
        if "eature" in line and (is_head or 0 < inside <= _ABOVE_SWITCH):
            return True
        if is_head:
            break
    return False


_COMMAND = re.compile(
    r"\b(?P<parent>(?!exec\b)\w{1,60})\.(?:Command|add_parser)\(\s*\"(?P<name>[a-z][\w-]{1,40})\""
    r"(?:, \"[A-Z][^\"\n]{0,200} |, (?:help|parents|description)=|,?$|\))"
)
_HOLDS = re.compile(
    r"\b(?P<holder>\w{1,60})\s*:?=\s*\w{1,60}\.(?:Command|add_parser)\(\s*\"(?P<name>[\w-]+)\""
)
_MAKES_COMMANDS = (".Command(", ".add_parser(")
_MOST_COMMANDS = 60  # changed lines of a side that make commands; more are data


def find_commands(before: SideText, after: SideText) -> Iterator[Fact]:
    """The commands of a program that came or went, with the command that they belong to."""
    for action, here, there in ((Action.REMOVED, before, after), (Action.ADDED, after, before)):
        if not any(word in here.changed_text for word in _MAKES_COMMANDS):
            continue
        lines = ((row, m) for row, line in here.changed() if (m := _COMMAND.search(line[:400])))
        for row, match in islice(lines, _MOST_COMMANDS):
            if re.search(rf"[\"']{match['name']}[\"' ]", there.text):
                continue
            holders = {m["holder"]: m["name"] for m in _HOLDS.finditer(here.text)}
            name = f"{holders.get(match['parent'], '')} {match['name']}".strip()
            yield here.fact(FactKind.FLAG, action, name, row + 1, detail="command")


_VARIANT = re.compile(r"^[ \t]++\w++\((?:Box<)?(\w++)>?\),?$", re.MULTILINE)
_MADE = re.compile(
    r"(?<![\w.])([\w.]++)\s*+:?=\s*+(?:\w++\.)++(?:Command|add_parser)\(\s*+\"([\w-]++)\""
)
_PARSED = re.compile(
    r"\bderive\([^)]*\bParser\b[^)]*\)(?:(?!\bstruct\b)[\s\S]){0,2000}?\bstruct (\w+)"
)


def roots(text: str) -> list[str]:
    """The structures of whole programs in Rust, whose flags come before any command."""
    found = ((m[1], text[m.end() : text.find("\n}", m.end())]) for m in _PARSED.finditer(text))
    return [name for name, body in found if "(subcommand)" in body]


def command(text: str, scope: str, language: str) -> str:
    """How users call the command that a scope stands for; empty if it stands for none."""
    if language == "rust":
        words = re.findall(r"[A-Z][a-z0-9]*", scope.removesuffix("Args").removesuffix("Options"))
        return " ".join(words).lower() if scope in commands_of(text) else ""
    if language in {"javascript", "typescript"}:
        return scope
    return commands_of(text).get(scope, "")


@lru_cache(maxsize=4)
def commands_of(text: str) -> dict[str, str]:
    """The commands defined in a text, by the variable or structure of their flags."""
    commands = {name: name for name in _VARIANT.findall(text)}
    for variable, command in _MADE.findall(text):
        commands.setdefault(variable, command)
        commands.setdefault(variable.rpartition(".")[2], command)
    return commands


_LONGEST_STRUCTURE = 60_000  # characters
_STRUCTURE = re.compile(r"struct (\w+)")
_OF_COMMAND = re.compile(r"\.command\(\s*['\"]([a-z][\w-]*)")
_STATEMENT = re.compile(r"\n\w")


def scope_of(text: str, call: CodeCall, language: str) -> str:
    """What a flag belongs to: a structure, or the command whose method declares it."""
    if language == "rust":
        start = text.rfind("struct ", max(0, call.start - _LONGEST_STRUCTURE), call.start)
        match = _STRUCTURE.match(text, start) if start >= 0 else None
        return match[1] if match else ""
    if language in {"javascript", "typescript"}:
        start = text.rfind(".command(", max(0, call.start - _LONGEST_STRUCTURE), call.start)
        match = _OF_COMMAND.match(text, start) if start >= 0 else None
        return match[1] if match and not _STATEMENT.search(text, start, call.start) else ""
    scope = call.callee.rpartition(".")[0]
    if language == "go" and call.callee.endswith(".Flag"):
        return scope if command(text, scope, language) else ""
    return scope if language in {"go", "python"} else ""
