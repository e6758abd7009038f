"""Pins, which readers of manifests pass to ``dependencies``, and those of Python projects.

Formats: PEP 508 (requirements), PEP 621, 518 and 735 (pyproject.toml), Poetry, setuptools.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from digest.core.facts import Action, Fact, FactKind, Facts
from digest.core.patterns import lazy, read_table
from digest.frozen import frozen

if TYPE_CHECKING:
    from digest.facts.side_text import SideLines

_WORDS = read_table("digest.facts", "words.toml")["manifests"]
_TOOLCHAINS = frozenset(_WORDS["toolchains"].split())
_SUFFIX = lazy(
    r"_(?:VERSION|VER|REF|TAG|BRANCH|COMMIT|COMMIT_HASH|SHA|REV|REVISION|GIT_TAG|GIT_REF|VERSION_TAG)$"
)


@frozen(kw_only=False)
class Pin:
    """A dependency or tool on one line.

    ``version`` is as written, without a lone ``==``; ``None`` if any version is accepted.
    ``detail`` is the package manager, followed by `` dev`` for what only developers, tests and
    builds need. ``mentioned`` is true for what is still required, though not in a form to compare:
    an indirect requirement, an image whose tag is a variable.
    """

    name: str
    version: str | None
    line: int
    detail: str
    toolchain: bool = False
    mentioned: bool = False


Reader = Callable[["SideLines"], Iterator[Pin]]
BY_NAME: dict[str, Reader] = {}
BY_SHAPE: list[tuple[re.Pattern[str], Reader]] = []
NEED_WHOLE: set[Reader] = set()


def reads(*names: str, shape: str = "", whole: bool = False) -> Callable[[Reader], Reader]:
    """Register a reader of manifests by the names of files, or by the shape of their paths.

    Both are in lower case. ``whole``: lines get their meaning from their position.
    """

    def register(reader: Reader) -> Reader:
        BY_NAME.update(dict.fromkeys(names, reader))
        if shape:
            BY_SHAPE.append((lazy(shape), reader))
        if whole:
            NEED_WHOLE.add(reader)
        return reader

    return register


def is_toolchain(name: str) -> bool:
    """Whether a name means a compiler, a runtime or a system rather than a library."""
    low = name.lower().rsplit("/", 1)[-1]
    return low in _TOOLCHAINS


def of_variable(name: str) -> str:
    """The tool whose version a variable such as ``CUDA_VERSION`` holds, or empty."""
    match = _SUFFIX.search(name)
    return name[: match.start()] if match else ""


def looks_like_version(text: str) -> bool:
    """Whether a value names a version, a tag or a commit and not another variable."""
    return "$" not in text and any(c.isdigit() for c in text) and not text.startswith("/")


_MANIFESTS = frozenset(
    """
    go.mod cargo.toml cmakelists.txt pyproject.toml setup.cfg setup.py package.json pom.xml
    """.split()  # noqa: SIM905
)
_TOOLS = {"go": "Go", "rust": "Rust", "python": "Python", "node": "Node.js", "java": "Java"}
_MINIMUMS = _TOOLS | {"cmake": "CMake"}
_NUMBER = lazy(r"\d{1,9}")


def language_of_version(name: str) -> str:
    """The language whose version a tool, an image or a variable stands for; or empty."""
    own = (of_variable(name) or name).lower()
    return _TOOLS.get({"golang": "go", "nodejs": "node"}.get(own, own), "")


def raised_minimums(facts: Facts) -> dict[str, list[Fact]]:
    """Minimum language versions raised in what the project declares, by language."""
    raised: dict[str, list[Fact]] = {}
    for f in facts.of(FactKind.TOOLCHAIN, Action.CHANGED):
        name = _MINIMUMS.get(f.name.lower())
        folder, _, manifest = f.evidence.path.lower().rpartition("/")
        if not name or manifest not in _MANIFESTS or (folder and not _is_said(f, name, facts)):
            continue
        if f.detail == "go toolchain":
            continue  # what a module is built with; its users need what the line above says
        if f.before and f.after and _is_higher(f.before, f.after):
            raised.setdefault(name, []).append(f)
    return raised


def _is_said(fact: Fact, name: str, facts: Facts) -> bool:
    """Whether the title speaks of a version that a part of the project requires, or required."""
    words = _BETWEEN.sub(" ", facts.subject.words.casefold().replace("msrv ", "rust "))
    versions = (_VERSION.search(one or "") for one in (fact.before, fact.after))
    tool = name.partition(".")[0].casefold()
    return any(match and f"{tool} {match[0]}" in words for match in versions)


_BETWEEN = lazy(r"(?:\.js|js)?(?: versions?)?(?: (?:from|to))? v?(?=\d)")
"""What stands between the name of a tool and its version."""


_VERSION = lazy(r"\d{1,9}(?:\.\d{1,9})*")


def _is_higher(before: str, after: str) -> bool:
    old, new = (tuple(map(int, _NUMBER.findall(one)[:4])) for one in (before, after))
    return bool(old) and old[:2] < new[:2]  # an update of the same minor version suits all


_REQUIREMENT = lazy(
    r"([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:\[[^\[\]]*\])?\s*"
    r"(?:@\s*(?P<url>\S+)|\(?(?P<spec>(?:[<>=!~]{1,3}\s*[\w.*+!-]+\s*,?\s*)*))"
)
_REPOSITORY = lazy(
    r"(?:-e\s+|--editable[ =])?(?:git|hg|svn)\+\S+?/([\w.-]+?)(?:\.git)?(?:@([\w./-]+))?"
    r"(?:#(?:\S*?egg=([\w.-]+))?\S*)?\s*$"
)
_URL_VERSION = lazy(r"\.git@([\w./+-]+)(?:#\S*)?$|^git\+\S+@([\w./+-]+)(?:#\S*)?$")
_QUOTED = lazy(r"\"([^\"]{1,300})\"|'([^']{1,300})'")
_TABLE = lazy(r"\s*\[\[?([^\[\]]+)\]\]?\s*(?:#.*)?$")
_KEY = lazy(r"\s*(\"[^\"]+\"|'[^']+'|[\w.-]+)\s*=\s*(.*)$")
_INLINE_VERSION = lazy(r"\b(?:version|rev|tag|branch)\s*=\s*\"([^\"]+)\"")
_EXTRA = lazy(r"\s+[\"']([\w.-]{1,60})[\"']\s*:\s*\[(.*)$")
_SETUP_KEY = lazy(
    r"\s*[\"']?(install_requires|setup_requires|tests_require|extras_require"
    r"|python_requires)[\"']?\s*[=:]\s*(.*)$"
)
_COMPILED = ("autogenerated by", "uv pip compile", "pip-compile")
_DEV = lazy(
    r"(?:^|[/._-])(?:dev|develop|tests?|testing|lint|docs?|build|ci|typing|types"
    r"|mypy|style|bench|pkgutils)(?=[/._-]|$)"
)


@reads(
    shape=r"(?:^|/)[^/]*(?:requirements|constraints)[^/]*\.(?:txt|in)$"
    r"|(?:^|/)requirements/(?:[^/]+/)?[^/]+\.(?:txt|in)$",
    whole=True,
)
def requirements(sheet: SideLines) -> Iterator[Pin]:
    """``requirements*.txt`` and constraints; nothing from a file that a resolver wrote."""
    if any(mark in line for line in sheet.whole[:6] for mark in _COMPILED):
        return
    own = any(map(_ITSELF.match, sheet.whole))  # what developers install beside the project
    detail = "pip dev" if own or _DEV.search(sheet.path.lower().rsplit(".", 1)[0]) else "pip"
    for number, line in sheet.changed:
        text = line.strip()
        if match := _REPOSITORY.match(text):
            yield Pin(match[3] or match[1], match[2], number, detail)
        elif text and text[0].isalnum():
            yield from _requirement(text, number, detail)


_ITSELF = lazy(r"\s*(?:(?:-e|--editable)[ =]?)?\.(?:/?\[[^\]\n]*\])?/?\s*(?:#.*)?$")


@reads("pyproject.toml", whole=True)
def pyproject(sheet: SideLines) -> Iterator[Pin]:
    """``pyproject.toml``."""
    places = toml_places(sheet.whole)
    for number, line in sheet.changed:
        table, array = places[number - 1] if number <= len(places) else ("", "")
        key, value = key_value(line)
        if array:
            detail = _array_detail(table, array)
            yield from _strings(line, number, detail) if detail else ()
        elif key == "requires-python" or (key == "python" and table.startswith("tool.poetry")):
            yield from _python(value, number)
        elif table.startswith("tool.poetry") and table.endswith("dependencies"):
            yield from _poetry(key, value, number, table)
        elif value.startswith("[") and (detail := _array_detail(table, key)):
            yield from _strings(value, number, detail)


@reads("setup.cfg", whole=True)
def setup_cfg(sheet: SideLines) -> Iterator[Pin]:
    """``setup.cfg``."""
    places: list[tuple[str, str]] = []
    table = owner = ""
    for line in sheet.whole:
        places.append((table, owner))
        if match := _TABLE.match(line):
            table, owner = match[1].strip(), ""
        elif not line[:1].isspace() and "=" in line:
            owner = line.split("=", 1)[0].strip()
    for number, line in sheet.changed:
        key, value = key_value(line)
        if key == "python_requires":
            yield from _python(value, number)
            continue
        if not line[:1].isspace() and key != "install_requires":
            continue
        table, owner = places[number - 1] if number <= len(places) else ("", "")
        owner = key if key == "install_requires" else owner
        text = value if key == "install_requires" else line.strip()
        if owner in {"install_requires", "setup_requires"} or table == "options.extras_require":
            yield from _requirement(
                text, number, "pip" if owner == "install_requires" else "pip dev"
            )


_ENTRY_POINT = lazy(r"\s*[\"'][\w.-]+\s*=\s*[A-Za-z_]")


@reads("setup.py", whole=True)
def setup_py(sheet: SideLines) -> Iterator[Pin]:
    """``setup.py``, as far as its lists are literal."""
    taken = {match[1] for match in map(_TAKEN.match, sheet.whole) if match}
    places = list(_setup_places(sheet.whole))
    for number, line in sheet.changed:
        if (match := _SETUP_KEY.match(line)) and match[1] == "python_requires":
            yield from _python(match[2], number)
            continue
        if not _QUOTED.search(line):  # most lines require nothing
            continue
        key, extra, head = places[number - 1] if number <= len(places) else ("", "", "")
        key = match[1] if match else key
        if not key and (named := _NAMED_LIST.match(head.rstrip())) and named[1] in taken:
            key = "install_requires"
        if not key and extra:
            key = "extras_require"
        if key and key != "python_requires":
            extra = extra if key == "extras_require" and not match else ""
            own = key == "install_requires" or (extra and not _DEV.search(extra))
            text = match[2] if match else line.partition(":")[2] or line if extra else line
            if _ENTRY_POINT.match(text):
                continue
            yield from _strings(text, number, "pip" if own else "pip dev")


_NAMED_LIST = lazy(r"(\w+) = [\[(]$")
_LONGEST_LIST = 120  # lines
_TAKEN = lazy(r"\s*install_requires\s*=\s*(\w+)\b")


def _setup_places(whole: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """For each line the setup() argument and the extra whose list it is in, and the last margin.

    The margin is the last line above that begins at the left, which may name a list.
    """
    key = extra = head = ""
    begun = held = last = margin = -_LONGEST_LIST - 1
    for row, line in enumerate(whole):
        own = _EXTRA.match(line)
        if own:
            extra, held = own[1], last
        near = row - _LONGEST_LIST
        places = (key, begun), (extra, held), (head, margin)
        yield tuple(text if at >= near else "" for text, at in places)
        if match := _SETUP_KEY.match(line):
            open_ = not match[2].rstrip().endswith(("],", "]", "),", ")"))
            key, begun = match[1] if open_ else "", row
        elif line.strip() in {"]", "],", ")", "),", "}", "},"}:
            key = ""
        if own[2].rstrip().rstrip(",").endswith("]") if own else line.strip() in {"]", "],"}:
            extra = ""
        last = row if "extras_require" in line else last
        head, margin = (line, row) if line[:1].strip() else (head, margin)


def toml_places(whole: Sequence[str]) -> list[tuple[str, str]]:
    """For each line its table and the key of the array around it (empty outside of one)."""
    places: list[tuple[str, str]] = []
    table = array = ""
    for line in whole:
        text = line.strip()
        if array:
            places.append((table, array))
            if text.split("#", 1)[0].rstrip().rstrip(",").endswith("]"):
                array = ""
            continue
        if text.startswith("[") and (match := _TABLE.match(line)):
            table = match[1].strip().replace('"', "").replace("'", "")
        elif "[" in text:
            key, value = key_value(line)
            value = value.split("#", 1)[0].rstrip()
            array = key if value.startswith("[") and not value.endswith("]") else ""
        places.append((table, ""))
    return places


def key_value(line: str) -> tuple[str, str]:
    """``key = value`` of TOML and similar formats; empty for other lines."""
    match = _KEY.match(line) if "=" in line else None
    return (match[1].strip("\"'"), match[2].strip()) if match else ("", "")


def _array_detail(table: str, key: str) -> str:
    if table == "project" and key == "dependencies":
        return "pip"
    if table in {"project.optional-dependencies", "dependency-groups"}:
        return "pip dev" if table == "dependency-groups" or _DEV.search(key) else "pip"
    if (table, key) == ("build-system", "requires") or key in {
        "dev-dependencies",
        "build-requires",
    }:
        return "pip dev"
    if table == "tool.uv" and key in {"constraint-dependencies", "override-dependencies"}:
        return "pip"
    return ""


def _poetry(key: str, value: str, number: int, table: str) -> Iterator[Pin]:
    match = _QUOTED.match(value) or _INLINE_VERSION.search(value)
    if key and match:
        detail = "pip" if table == "tool.poetry.dependencies" else "pip dev"
        yield Pin(key, match[1] or None, number, detail)


def _python(value: str, number: int) -> Iterator[Pin]:
    if match := _QUOTED.search(value):
        value = match[1] or match[2]
    if value and any(c.isdigit() for c in value):
        yield Pin("python", value.rstrip(", "), number, "pip", toolchain=True)


def _strings(text: str, number: int, detail: str) -> Iterator[Pin]:
    text = text.split(" #", 1)[0]
    for match in _QUOTED.finditer(text):
        if text[match.end() :].lstrip().startswith(":"):
            continue  # the name of an extra, not its content
        yield from _requirement(match[1] or match[2], number, detail)


def _requirement(text: str, number: int, detail: str) -> Iterator[Pin]:
    match = _REQUIREMENT.match(text.strip())
    if not match:
        return
    rest = text.strip()[match.end() :].lstrip(") ")
    if rest and rest[0] not in ";#\\,-":
        return  # words, not a requirement
    version = _of_url(match["url"]) if match["url"] else match["spec"].strip().rstrip(",")
    yield Pin(match[1], _shown(version), number, detail)


def _of_url(url: str) -> str:
    if match := _URL_VERSION.search(url):
        return match[1] or match[2]
    # A wheel is named distribution-version-tags (PEP 427).
    parts = url.rsplit("/", 1)[-1].split("-")
    return parts[1] if len(parts) > 2 else url


def _shown(spec: str) -> str | None:
    spec = re.sub(r"\s+", "", spec)
    if spec.startswith("==") and "," not in spec:
        spec = spec.lstrip("=")
    return spec or None
