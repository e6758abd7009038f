"""Environment variables that a program declares in a table or reads where it needs them.

A variable read in one more place is not new: names that the other side of the file already has are
left out. Variables that every system or toolchain sets are not the project's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from digest.core.facts import Fact, FactKind
from digest.core.patterns import read_table
from digest.facts import named_settings
from digest.facts.call_arguments import call_at, in_tests, literal, split, tokens, touched_calls
from digest.facts.languages import patterns
from digest.facts.named_settings import NamedSetting
from digest.facts.side_text import SideText

_NAME = r"[A-Za-z_][A-Za-z0-9_]++"
_QUOTED = rf"[\"'`]({_NAME})[\"'`]"

_TABLE = read_table("digest.facts", "words.toml")["environment"]
_FOREIGN = frozenset(_TABLE["foreign"].split())
_FOREIGN_PREFIXES = frozenset(_TABLE["foreign_prefixes"].split())
_PYTHON_CALL = re.compile(r"(?:getenv|environ\.get)[ \t]*\(")
_DECLARED_BY = re.compile(r"\b(?:env|envvar|env_var)\s*=\s*[\"'`]([A-Z][A-Z0-9]*_[A-Z0-9_]+)[\"'`]")

# Each pattern has the name in its first group that matched; a default, if the language has a place
# for one, is in the group ``d``.
_READS = patterns("variables")
_INTERNAL = re.compile(r"(?:^|_)(?:INTERNAL|TESTS?)(?:_|$)")
"""Words of variables that only a project's own processes and tests set."""

_FRONT_END = re.compile(r"(?:^|/)(?:web-?ui|ui|frontend|dashboard)/.*\.[jt]sx?$")
"""Scripts of browsers, whose variables are replaced when a project is built."""

_CONSTANT = re.compile(
    r"\bconst\s+(?P<constant>\w+)\s*:\s*&(?:'static\s+)?str\s*=\s*\"(?P<name>[A-Z][A-Z0-9]*_[A-Z0-9_]+)\""
    r"|\bformat!\(\"(?P<made>[A-Z][A-Z0-9_]*_\{\w+\}[A-Z0-9_]*)\""
)

_ASSIGNED = re.compile(r"^[ \t]+([a-z]\w*) = ", re.MULTILINE)
_WITH_DEFAULT = re.compile(rf"(?:getenv|environ\.get)\(\s*{_QUOTED},\s*(?P<default>\w+)\)")
_NEAR = 800  # maximum characters between a default and the call that uses it
_MOST_PLACES = 200  # changed places of a file that are searched for computed defaults
_FOR_TESTS = re.compile(r"//.*\b(?:tests?|testing)\b")
_ENTRY = re.compile(r"^[ \t]*[\"']([A-Z][A-Z0-9_]+)[\"'][ \t]*:[ \t]*", re.MULTILINE)
_ENVIRONMENT = re.compile(r"getenv|environ|\benv_|_env\b|\benv\b")
_BUDGET = 500_000  # characters of entries that are read per side of a file
_REACH = 1_500  # characters; the longest entry of a table searched around a change


def find(before: SideText, after: SideText, language: str) -> Iterator[Fact]:
    """The variables of one file that were added, removed or changed their default."""
    if language == "make":
        sides = (_given_to_make(before), _given_to_make(after))
        yield from named_settings.compare(FactKind.ENVIRONMENT, before, after, *sides)
    if language not in _READS or not any(
        word in s.text for s in (before, after) for word in ("env", "Env")
    ):
        return
    olds, news = (
        chain(_own(side, language), _prefixes(side, language)) for side in (before, after)
    )
    yield from named_settings.compare(FactKind.ENVIRONMENT, before, after, olds, news)


def _prefixes(source: SideText, language: str) -> Iterator[NamedSetting]:
    """The beginnings of variables that give the fields of a class of pydantic their values."""
    for row, line in source.changed() if language == "python" else ():
        if match := _PREFIX.search(line):
            name, quoted = match[1], (f'"{match[1]}"', f"'{match[1]}'")
            yield NamedSetting(names=(f"{name}*",), line=row + 1, text="env_prefix", quoted=quoted)


_PREFIX = re.compile(
    r"\benv_prefix\s{0,8}=\s{0,8}[\"']([A-Z][A-Z0-9]{1,40}_(?:[A-Z0-9_]{0,60}_)?)[\"']"
)


def defined(source: SideText, language: str, name: str) -> bool:
    """Whether a whole file declares or reads a variable, whoever seems to own it by its folder."""
    if language in {"make", "shell"}:
        return re.search(rf"\$[({{]?{name}\b|\bifn?def {name}\b", source.text) is not None
    if name.endswith("*"):
        return any(match[1] == name[:-1] for match in _PREFIX.finditer(source.text))
    if language not in _READS or name not in source.text:
        return False
    found = chain(_declared(source, language), _read(source, language))
    # Another file may read it by the constant that has its name.
    held = rf"\w(?: string|: [\w.&\[\]' ]{{1,40}})? :?= [\"']{name}[\"'];?[ \t]*$"
    return any(name in s.names for s in found) or (
        re.search(held, source.text, re.MULTILINE) is not None
    )


def _given_to_make(source: SideText) -> Iterator[NamedSetting]:
    """Variables for which a Makefile of C or C++ asks, and which it gives no value of its own."""
    if len(source.text) > _LONGEST_MAKEFILE or not _COMPILES.search(source.text):
        return
    for row, asked in source.matches(_ASKED, _MOST_ASKED):
        name = asked["name"]
        own = rf"^[ ]*(?:override |export )?{name}[ \t]*[:+]?=|^[ ]*define {name}\b"
        given = (
            rf"^[ ]*ifndef {name}\b(?:(?!^[ ]*endif)[\s\S]){{0,{_NEAR}}}?^[ \t]*{name}[ \t]*[:?]?="
        )
        text = re.sub(given, "", source.text, flags=re.MULTILINE)
        known = _FOR_DEVELOPERS.search(name) or _is_foreign(name, source.path)
        if not known and not re.search(own, text, re.MULTILINE):
            yield NamedSetting(names=(name,), line=row + 1, known=False)


_FOR_DEVELOPERS = re.compile(
    r"TEST|VALGRIND|[AMTU]B?SAN|COVERAGE|CHECK|FORMAT|PRINT|QUIET|SKIP|CLEAN|DEBUG|COERCE"
)
_LONGEST_MAKEFILE = 300_000  # characters
_MOST_ASKED = 60  # questions of one side of a change; more are generated
_COMPILES = re.compile(r"\$[({](?:CC|CXX|CFLAGS|CXXFLAGS)[)}]")
_ASKED = re.compile(
    r"[ ]*(?:else[ ]+)?(?:ifn?def[ ]+|ifn?eq[ ]*\([ ]*\$\()(?P<name>[A-Z][A-Z0-9]*+_[A-Z0-9_]++)\b"
)


def _own(source: SideText, language: str) -> Iterator[NamedSetting]:
    declared = {s.names[0]: s for s in _declared(source, language)}
    yield from (s for s in declared.values() if not _is_foreign(s.names[0], source.path))
    for one in _read(source, language):
        name = one.names[0]
        if name in declared or "_" not in name or _INTERNAL.search(name):
            continue
        if not _is_foreign(name, source.path):
            yield one


def _quotes(name: str) -> tuple[str, ...]:
    """The quoted forms of a variable; a bare word may be an annotation of another thing."""
    return (f'"{name}"', f"'{name}'", f"env.{name}", f"envs.{name}")


def _is_foreign(name: str, path: str) -> bool:
    """Whether a variable belongs to the system or another project, wherever it is read."""
    if name in _FOREIGN:
        return True
    found = next(
        (p for n in (1, 2) if (p := "_".join(name.split("_")[:n])) in _FOREIGN_PREFIXES), None
    )
    return found is not None and found != name and found.lower() not in path.lower().split("/")


def _declared(source: SideText, language: str) -> Iterator[NamedSetting]:
    """Entries of tables, and options that name the variable they may come from."""
    if "env" in source.changed_text:
        for row, line in source.changed():
            if "env" in line and (match := _DECLARED_BY.search(line)):
                yield NamedSetting(
                    names=(match.group(1),), line=row + 1, known=False, text=line.strip()
                )
    if language == "python":
        yield from _table(source)
    elif language == "rust":
        whole = "env" in source.path.lower()
        for setting, name in _constants(source):
            # What is no module of variables has one that an argument of a program may come from.
            if whole or (name and re.search(rf"\benv\s?=\s?{name}\b", source.text)):
                yield setting


def _constants(source: SideText) -> Iterator[tuple[NamedSetting, str]]:
    """Names of environment variables stored as constants of a module, with those constants."""
    above = ""
    for row, line in source.changed():
        start = source.offset(row + 1)
        match = _CONSTANT.search(source.text, start, start + _LONGEST_CONSTANT)
        match = match if match and match.start() <= start + len(line) else None
        name = (match["name"] or match["made"]) if match else ""
        if match and not _FOR_TESTS.search(above) and not _INTERNAL.search(name):
            kept = f"const {match['constant'] or ''} {name.lower() if match['made'] else ''}"
            one = NamedSetting(
                names=(name,), line=row + 1, text=kept.lower(), quoted=(f'"{name}"',)
            )
            yield one, match["constant"] or ""
        above = line


_LONGEST_CONSTANT = 400  # characters


def _table(source: SideText) -> Iterator[NamedSetting]:
    text, done, budget = source.text, -1, _BUDGET
    for first, last in source.spans:
        start = text.rfind("\n", 0, max(0, first - _REACH)) + 1
        if text.find("env", start, last + 2 * _REACH) < 0:  # no value here can name one
            continue
        for match in _ENTRY.finditer(text, max(start, done), last):
            end = _entry_end(text, match.end())
            value = text[match.end() : end]
            budget -= len(value)
            if budget < 0:
                return
            if not source.touches(match.start(), end) or not _ENVIRONMENT.search(value):
                continue
            done = match.end()
            name = match.group(1)
            yield NamedSetting(
                names=(name,),
                quoted=_quotes(name),
                line=source.line_at(match.start(1)),
                value=(default := _default(value, name)),
                known=default is not None,
                text=value,
            )


def _entry_end(text: str, start: int) -> int:
    """The end of a value of a table: the comma or bracket that closes it."""
    depth, limit = 0, min(len(text), start + 2 * _REACH)
    for match in tokens(text, start, limit, "python"):
        mark = match.group()
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
        if depth < 0 or (mark == "," and not depth):
            return match.start()
    return limit


def _default(value: str, name: str) -> str | None:
    """The second argument of the innermost call in ``value`` whose first one is the name."""
    for match in reversed([*re.finditer(rf"\w\(\s*[\"']{name}[\"']", value)]):
        call = call_at(value, match.start(), value.index("(", match.start()), "python")
        if call is not None and len(call.positional) > 1:
            return call.positional[1]
    present = rf"\bif\s+[\"']{name}[\"'] in os\.environ\s+else\s+([\w.]+)[\s)]*$"
    otherwise = re.search(present, value)
    return otherwise[1] if otherwise else None


def _computed(source: SideText) -> Iterator[NamedSetting]:
    """Variables whose default is a local name that the change computes in another way."""
    text = source.text
    if "getenv(" not in text and "environ.get(" not in text:
        return
    for first, last in source.spans[:_MOST_PLACES]:
        above = [*_ASSIGNED.finditer(text, max(0, first - _NEAR), last + 1)]
        if not above:
            continue
        name, start = above[-1][1], above[-1].end()
        bracket = split(text, start, "python") if text.startswith("(", start) else None
        end = bracket[0] if bracket else text.find("\n", start)
        reads = _WITH_DEFAULT.finditer(text, end, end + _NEAR) if end > 0 else ()
        found = next((read for read in reads if read["default"] == name), None)
        if found and source.touches(above[-1].start(), end):
            yield NamedSetting(
                names=(found[1],), line=source.line_at(start), value=text[start:end], detail="read"
            )


_NAMED = re.compile(
    r"\b(?P<holder>\w+)(?: string)? :?= [\"'](?P<name>[A-Z][A-Z0-9]*_[A-Z0-9_]+)[\"'];?$"
)
_ENDS = ('"', "'", '";', "';")  # of such a line
_TAKES = patterns("takes_variable")


def _named(source: SideText, language: str) -> Iterator[NamedSetting]:
    """Variables whose names stand in constants by which the same file reads them."""
    for row, line in source.changed() if language in _TAKES else ():
        begin = line[:400].rstrip()
        match = _NAMED.search(begin) if begin.endswith(_ENDS) else None
        if match and re.search(
            rf"\b(?:{_TAKES[language].pattern})\s*{match['holder']}\b", source.text
        ):
            yield NamedSetting(names=(match["name"],), line=row + 1, text=line, known=False)


_WRAPPED = re.compile(
    r"\b(?:\w{0,30}[eE]nv\w{0,30}Or\w{0,30}|(?:\w{0,30}[a-z_])?[gG]et\w{0,30}[eE]nv(?!iron\b)\w{0,30}"
    r"|[lL]ookup\w{0,30}[eE]nv\w{0,30}|env\.\w{0,30}Default\w{0,30}"
    r"|\w{0,30}[eE]nv_?(?:[bB]ool|[iI]nt|[fF]loat|[sS]tr|[dD]uration|[dD]efault|[fF]lag)\w{0,30}"
    r"|(?:[bB]ool|[iI]nt|[fF]loat|[sS]tr|[rR]ead|[pP]arse|[fF]rom)_?\w{0,30}[eE]nv)"
    r"\((?=\s*[\"'][A-Z][A-Z0-9]*_[A-Z0-9_]+[\"'])"
)
"""Functions of a program that read a variable, with its default after its name."""

_NAMES_ONE = re.compile(r"nv[\w.]{0,70}\(\s*[\"'][A-Z]")
"""What every such call has; a search that begins with plain letters is many times faster."""

_PLAIN_CALLS = re.compile(r"(?:getenv|Getenv|LookupEnv|secure_getenv)\(")


def _wrapped(source: SideText, language: str) -> Iterator[NamedSetting]:
    """Variables that a function of the program reads, whose name says so."""
    for call in touched_calls(source, _WRAPPED, language, ("env", "Env"), sure=_NAMES_ONE):
        name = literal(call.positional[0]) if call.positional else None
        if name is None or _PLAIN_CALLS.match(source.text, call.start):
            continue
        value = call.positional[1] if len(call.positional) == 2 else None
        yield NamedSetting(
            names=(name,),
            line=source.line_at(source.text.find(name, call.start)),
            value=value,
            known=value is not None,
            quoted=_quotes(name),
            text=source.text[call.start : call.end],
            detail="read",
        )


_TEMPLATED = frozenset({"javascript", "typescript"})


def _is_quoted(source: SideText, start: int) -> bool:
    """Whether a line begins inside of a template that its own declaration opens."""
    top = 0
    for match in _TOP.finditer(source.text, max(0, start - _REACH), start):
        top = match.start()
    inside = source.text[top or max(0, start - _REACH) : start]
    return inside.count("`") % 2 == 1 and inside.rfind("${") <= inside.rfind("}")


_TOP = re.compile(r"^(?:export|const|let|var|function|class|async|import|\})", re.MULTILINE)


def _read(source: SideText, language: str) -> Iterator[NamedSetting]:
    yield from _wrapped(source, language)
    if language == "python":
        yield from _computed(source)
        for call in touched_calls(source, _PYTHON_CALL, language, ("getenv", "environ.get")):
            name = literal(call.get("key", 0))
            if name and re.fullmatch(_NAME, name):
                yield NamedSetting(
                    names=(name,),
                    line=source.line_at(source.text.find(name, call.start)),
                    value=call.get("default", 1),
                    known=not source.text.startswith(" or ", call.end),
                    text=source.text[call.start : call.end],
                    detail="read",
                )
    yield from _named(source, language)
    pattern = _READS[language]
    if "env" not in source.changed_text or _FRONT_END.search(source.path):
        return
    for row, line in source.changed():
        if "env" not in line or line.lstrip().startswith(("#", "//", "*")):
            continue
        if language == "rust" and in_tests(source.text, source.offset(row + 1)):
            continue
        for match in pattern.finditer(line[:2_000]):
            if language in _TEMPLATED and _is_quoted(source, source.offset(row + 1)):
                continue  # code that the program writes for its users
            default = match.groupdict().get("d")
            name = next(g for g in match.groups() if g)
            filled = "${" in (default or "")  # what else it depends on is computed
            yield NamedSetting(
                names=(name,),
                line=row + 1,
                value=None if filled else default,
                known=not filled,
                detail="read",
                text=line.strip(),
            )
