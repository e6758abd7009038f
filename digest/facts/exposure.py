"""Whether a name is part of a project's public interface or internal.

The sign depends on the language: ``__all__``, the packages around a Python module and its page in
the reference, the outermost index of a package in JavaScript and TypeScript and the declarations
that it publishes as they are, a folder of public headers in C and C++, a type that is read from
files or the command line in Rust. Without any of these, it stays unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from digest.core.facts import Action, Area, Fact, FactKind
from digest.core.patterns import lazy
from digest.facts.languages import language_of
from digest.facts.similarity import last, spelled

if TYPE_CHECKING:
    from digest.facts.side_text import FileContext

_INDEXES = ("index.ts", "index.js", "index.tsx", "index.mjs", "mod.ts")
_TYPED_CLASS = lazy(r"Arg(?:s|uments)$")
_SET_IN = lazy(
    r"(?:^|[/_])(?:config|configs|configuration|settings|options|args?|cli|params)(?:[/_.]|$)"
)
_OUTER = 3  # folders of a package in which settings of users are declared; deeper ones are inner
_SENT = lazy(r"(?:Request|Response)$")
_SERVED = lazy(r"(?:^|/)(?:entrypoints|openai|api|rest|routes|schemas?|protocol)(?:[/_.]|$)")
"""Classes and files that say what clients send to a server and get from it."""

_MESSAGES = lazy(
    r"(?:^|/)(?:entrypoints|openai|api|rest)/(?:[\w.-]{1,60}/){0,6}(?:protocol|schemas?)\.py$"
)
"""Files that contain only messages between a server and its clients."""

_LISTED = lazy(r"^export (?:type )?\{([^{}]*)\}", re.MULTILINE)
_UNPUBLISHED = lazy(r"\"private\"\s*:\s*true\b")
_FILES = lazy(r"\"files\"\s*:\s*\[([^\[\]]*)\]")
_QUOTED = lazy(r"\"([^\"]+)\"")
_ALL = lazy(
    r"^__all__\s*(?::[^=\n]{1,60})?\+?=\s*(?:[\[(]((?:[^\])\n]++|\n(?!__all__))*+)[\])]|([\"'][^\[\](){}\n]*)$)",
    re.MULTILINE,
)
_REFERENCE = "docs/reference"
"""The folder with a page for each module that users import, named after it."""

_PUBLIC_HEADER = lazy(r"(?:^|/)(?:include|api|public)/")
_JAVA_MAIN = lazy(r"(?:^|/)src/main/")
_JAVA_INNER = lazy(r"/(?:impl|internals?)/(?:[^/]{1,80}/){0,6}[^/]{1,80}\.java$")
_INNER_GO = lazy(
    r"(?:^|/)(?:internal|cmd|test(?:s|util\w*|storage|helpers?|ing|data)?)/|(?:^|/)main\.go$"
)
_INNER_RUST = lazy(r"^crates/|^rust/|/src/bin/|(?:^|/)src/main\.rs$")
_UNUSED = lazy(r"^publish\s*=\s*false|^name\s*=\s*\"_|\"cdylib\"", re.MULTILINE)
"""A crate that no program depends on: one not published, or an extension of a language."""

_READ = re.compile(r"\bderive\([^)]*\b(?:Deserialize|JsonSchema|ValueEnum)\b")
_DESCRIBED = re.compile(r"\bderive\([^)]*\bJsonSchema\b")
"""A type with a published schema, whatever its name."""

_TYPED = lazy(r"\bderive\([^)]*\b(?:Args|Parser|Subcommand)\b")
_HEAD = 1_500  # characters above a type that may contain its attributes
_SCRIPT = lazy(r"^if __name__ ==", re.MULTILINE)
"""A program in a folder that is no package, from which nobody imports."""

_SYMBOLS = frozenset({FactKind.SYMBOL, FactKind.CONFIG})


def files_around(fact: Fact) -> Iterator[str]:
    """The files that show whether a fact's name is exposed, the outermost first."""
    path = fact.evidence.path
    if not _is_open(fact):
        return
    language = language_of(path)
    folders = path.split("/")[:-1]
    if language == "python":
        depths = range(1, min(len(folders), 2 + (folders[:1] == ["src"])) + 1)
        yield from ("/".join((*folders[:n], "__init__.py")) for n in depths)
        yield path
        yield f"{_REFERENCE}/{_module(path)}.rst"
    elif language in {"typescript", "javascript"}:
        yield from ("/".join((*folders[:n], "package.json")) for n in range(len(folders) + 1))
        for n in range(1, len(folders) + 1):
            yield from ("/".join((*folders[:n], name)) for name in _INDEXES)
    elif language == "rust":
        if fact.kind is FactKind.CONFIG or fact.detail == "field":
            yield path
        for n in range(len(folders) + 1):
            yield from ("/".join((*folders[:n], name)) for name in _OF_CRATE)
        if fact.kind is FactKind.SYMBOL and fact.action is not Action.ADDED and "src" in folders:
            yield from (p for _, places in _chain(path) for p in places)


def _is_open(fact: Fact) -> bool:
    """Whether files around a name are read; a new name breaks nobody, but may not be a setting."""
    new = fact.action is Action.ADDED
    declares = language_of(fact.evidence.path) in {"python", "rust"}
    setting = fact.kind is FactKind.CONFIG and declares
    unknown = fact.public is None or fact.detail == "module"  # whose name depends on them too
    return fact.kind in _SYMBOLS and unknown and (setting or not new)


def is_sent(fact: Fact) -> bool:
    """Whether a field is one that clients of a server send or get."""
    owner, _, field = fact.name.rpartition(".")
    path = fact.evidence.path
    return (
        fact.kind is FactKind.SYMBOL
        and fact.detail == "field"
        and not field.startswith("_")
        and (_MESSAGES.search(path) or (_SENT.search(owner) and _SERVED.search(path))) is not None
    )


def with_exposure(fact: Fact, texts: Mapping[str, str]) -> Fact:
    """The fact with the exposure of its name, from its place and the files around it."""
    if not _is_open(fact):
        return fact
    shown = fact if fact.public is not None else replace(fact, public=_is_public(fact, texts))
    return _as_imported(shown, texts) if fact.detail == "module" else shown


def _as_imported(fact: Fact, texts: Mapping[str, str]) -> Fact:
    """A module by the name that importers use, without folders around the outermost package."""
    folders = fact.evidence.path.split("/")[:-1]
    first = next(
        (n for n in range(len(folders)) if "/".join((*folders[: n + 1], "__init__.py")) in texts), 0
    )
    start = ".".join((*folders[:first], ""))

    def bare(name: str | None) -> str | None:
        return name and name.removeprefix(start if first else "")

    name = fact.name.removeprefix(start) if first else fact.name
    return replace(fact, name=name, before=bare(fact.before), after=bare(fact.after))


def _is_public(fact: Fact, texts: Mapping[str, str]) -> bool | None:
    path = fact.evidence.path
    top = re.split(r"[.:]+", fact.name)[0]
    match language_of(path):
        case "python":
            depth = path.removeprefix("src/").count("/")
            within = _SET_IN.search(path) if depth <= _OUTER else None
            # A deep file that is only named after its part configures that part for the program.
            outer = within and (depth < _OUTER or within[0][0] != "_")
            set_by_users = _TYPED_CLASS.search(top) or outer
            if fact.kind is FactKind.CONFIG and set_by_users:
                return True
            if is_sent(fact):
                return True
            return _in_python(top, fact, texts)
        case "typescript" | "javascript":
            around = [p for p in files_around(fact) if p in texts]
            packages = [p for p in around if p.endswith("package.json")]
            if packages and _UNPUBLISHED.search(texts[packages[-1]]):
                return False
            # A whole type that goes may be one of another package, copied for the build.
            member = path.endswith(".d.ts") and "." in fact.name
            if member and any(_ships(texts[p], p, path) for p in packages):
                return True
            index = next((p for p in around if p not in packages), None)
            if fact.detail == "export" and index != path:  # the index names what it still has
                return index is not None and _passes_on(texts[index], index, path)
            # All of the index for options, which its functions may take.
            whole = fact.kind is FactKind.CONFIG
            listed = (
                [texts[index]] if index and whole else _LISTED.findall(texts.get(index or "", ""))
            )
            if index == path and not _is_entrance(path, packages):
                return None  # of one part, which another index may pass on
            return index is not None and (
                index == path
                or any(_names(names, top) for names in listed)
                or _passes_on(texts[index], index, path)
            )
        case "go":
            read = fact.kind is FactKind.CONFIG  # from a file, whoever may import the package
            folder = path.replace("cmd/", "").replace("internal/", "") if read else path
            return False if _INNER_GO.search(folder) else None
        case "rust":
            if fact.kind is FactKind.CONFIG:
                return _is_read(top, texts.get(path, ""))
            if fact.detail == "field" and _is_read(top, texts.get(path, ""), _DESCRIBED):
                return True
            around = [p for p in files_around(fact) if p.endswith("Cargo.toml") and texts.get(p)]
            inner = _INNER_RUST.search(path) or (around and _is_closed(around[-1], texts))
            return False if inner else _is_exported(path, top, around, texts) or None
        case "java":
            if _JAVA_INNER.search(path):
                return False
            return True if _JAVA_MAIN.search(path) else None
        case "c" | "cpp" | "cuda":
            return _PUBLIC_HEADER.search(path) is not None
    return None


def _is_entrance(index: str, packages: Sequence[str]) -> bool:
    """Whether an index is near enough to the manifest of its package to be what users import."""
    folder = packages[-1].removesuffix("package.json") if packages else ""
    folders = index.removeprefix(folder).split("/")[:-1]
    return len(folders) <= _OUTER_FOLDERS or "exports" in folders


_OUTER_FOLDERS = 2
_OF_CRATE = ("Cargo.toml", "src/lib.rs", "src/main.rs")


def _is_closed(manifest: str, texts: Mapping[str, str]) -> bool:
    """Whether no program depends on a crate: it is not published, or only a program itself."""
    folder = manifest.removesuffix("Cargo.toml")
    library = texts.get(f"{folder}src/lib.rs") or "[lib]" in texts[manifest]
    program = texts.get(f"{folder}src/main.rs")
    return _UNUSED.search(texts[manifest]) is not None or bool(program and not library)


def _chain(path: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The modules of Rust down to a file, each with the files one of which declares it."""
    crate, _, inner = path.rpartition("src/")
    names = inner.removesuffix(".rs").removesuffix("/mod").split("/")
    for n, name in enumerate(names if names != ["lib"] else ()):
        folder = f"{crate}src/{''.join(f'{one}/' for one in names[:n])}"
        yield name, (f"{folder}mod.rs", f"{folder[:-1]}.rs") if n else (f"{crate}src/lib.rs",)


def _is_exported(path: str, top: str, manifests: Sequence[str], texts: Mapping[str, str]) -> bool:
    """Whether every module of Rust down to a file is public, or passes a name on, in a library."""
    crate = path.rpartition("src/")[0]
    parts = [m[1] for one in manifests if (m := _PARTS.search(texts[one]))]
    inside = bool(parts) and not any(f'"{crate.rstrip("/")}"' in listed for listed in parts)
    if inside or manifests[-1:] != [f"{crate}Cargo.toml"] or texts.get(f"{crate}src/main.rs"):
        return False
    for name, places in _chain(path):
        text = next((found for one in places if (found := texts.get(one))), "")
        shown, passed = _offered(name, text)
        if not shown and not any("*" in names or _names(names, top) for names in passed):
            return False
    return True


@lru_cache(maxsize=64)  # all names of a file are looked for in the same modules
def _offered(module: str, text: str) -> tuple[bool, Sequence[str]]:
    """Whether a file of Rust makes a module public, and the lists of names that it passes on."""
    name = re.escape(module)
    passed = rf"^[ \t]*pub use (?:[\w:]{{1,200}}::)?{name}::([^;]{{0,1000}});"
    shown = rf"^[ \t]*(?<!\(hidden\)]\n)pub mod {name}\b"
    found = re.findall(passed, text, re.MULTILINE)
    return re.search(shown, text, re.MULTILINE) is not None, found


_PARTS = lazy(r"^default-members[ \t]*=[ \t]*\[([^\]]*)", re.MULTILINE)
"""The crates that a workspace is for; others are parts of a program."""


def _ships(text: str, package: str, path: str) -> bool:
    """Whether a package lists a file, or a folder around it, among what it publishes."""
    inner = path.removeprefix(package.removesuffix("package.json"))
    if {"internal", "internals", "private"} & set(re.split(r"[/.-]", inner)):
        return False  # types that the package has for itself
    files = _FILES.search(text)
    listed = _QUOTED.findall(files[1]) if files else []
    names = {name.removeprefix("./").removesuffix("/**").rstrip("/") for name in listed}
    return any(inner == name or inner.startswith(f"{name}/") for name in names if name)


def _passes_on(text: str, index: str, path: str) -> bool:
    """Whether an index exports everything that a module beside it exports."""
    folder = index.rpartition("/")[0]
    module = path.removeprefix(f"{folder}/").rpartition(".")[0].removesuffix("/index")
    return (
        re.search(rf"^export \* from ['\"]\./{re.escape(module)}['\"]", text, re.MULTILINE)
        is not None
    )


def _is_read(owner: str, text: str, marks: re.Pattern[str] = _READ) -> bool:
    """Whether a Rust type is read from files; those of the command line are reported as flags."""
    match = re.search(
        rf"^[ \t]*(?:pub(?:\([^)\n]*\))? )?(?:struct|enum) {re.escape(owner)}\b", text, re.MULTILINE
    )
    above = text[max(0, match.start() - _HEAD) : match.start()] if match else ""
    above = above.rpartition("\n}")[2]
    if match and _OPAQUE.match(text, match.start()):
        return False
    if match and marks is _READ and "#[serde(" in text[match.start() :].partition("\n}")[0]:
        return _TYPED.search(above) is None
    return marks.search(above) is not None and _TYPED.search(above) is None


_OPAQUE = lazy(r"[ \t]*pub(?:\([^)]*\))? struct \w+ \{\n(?:[ \t]++(?!pub\b)[^\n]*+\n|\n)++\}")
"""A type of Rust whose fields only its own module reads, such as part of another program's file."""


def _in_python(top: str, fact: Fact, texts: Mapping[str, str]) -> bool | None:
    if "-" in fact.evidence.path.rpartition("/")[2]:
        return False  # a script that cannot be imported
    if fact.detail == "alias" and fact.evidence.path.endswith("/__init__.py"):
        return not top.startswith("_")  # folders with code only for importers of a package
    listed = _exports(texts.get(fact.evidence.path, ""))
    if is_private_module(fact.evidence.path):  # only what a package passes on
        stars = re.compile(
            rf"^from \S*\b{re.escape(_module(fact.evidence.path).rpartition('.')[2])} import \*",
            re.MULTILINE,
        )
        return any(
            _names(text, top) or (listed and _names(listed, top) and stars.search(text))
            for p in files_around(fact)
            if p.endswith("__init__.py") and (text := texts.get(p))
        )
    if fact.detail == "module":  # a module that lists its exports is imported by its name
        return listed is not None
    if listed is not None:
        return _names(listed, top)
    packages: Sequence[str] = [
        text for p in files_around(fact) if p.endswith("__init__.py") and (text := texts.get(p))
    ]
    if any(_names(text, top) for text in packages):
        return True
    if not packages and _SCRIPT.search(texts.get(fact.evidence.path, "")):
        return False
    module = _module(fact.evidence.path)
    page = texts.get(f"{_REFERENCE}/{module}.rst", "")
    if page and re.search(rf"module:: {re.escape(module)}$", page, re.MULTILINE):
        return not top.startswith("_")
    return False if any("import" in text for text in packages) else None


def is_private_module(path: str) -> bool:
    """Whether a path names a private module of its project (a leading underscore)."""
    return _PRIVATE.search(path) is not None


_PRIVATE = lazy(r"(?:^|/)_(?!_)")


def _module(path: str) -> str:
    """The name by which a file of Python is imported."""
    name = path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__")
    return name.replace("/", ".")


@lru_cache(maxsize=4)
def _exports(text: str) -> str | None:
    """What a Python module lists as its exports; the facts of a file ask in turn."""
    listed = _ALL.search(text) if "__all__" in text else None
    return (listed[1] or listed[2] or "") if listed else None


def _names(text: str, name: str) -> bool:
    """Whether a text contains a name as a whole word."""
    at = text.find(name)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(name) : at + len(name) + 1]
        if not any(c.isalnum() or c == "_" for c in around):
            return True
        at = text.find(name, at + 1)
    return False


def with_headings(facts: tuple[Fact, ...], scenes: Iterable[FileContext]) -> tuple[Fact, ...]:
    """The facts, with what went together with a heading of its own in documents as public."""
    documents = [s for s in scenes if s.area is Area.DOCS]
    headed = [
        {
            m[1].rpartition(".")[2]
            for scene in documents
            for _, line in scene.lines[n].changed
            if (m := _HEADING.match(line))
        }
        for n in (0, 1)
    ]
    ended = headed[0] - headed[1]
    return tuple(
        replace(f, public=True)
        if f.kind in _SYMBOLS
        and f.action is Action.REMOVED
        and f.public is None
        and f.detail not in {"export", "module"}
        and last(f.name) in ended
        else f
        for f in facts
    )


def with_kept_flags(facts: Iterable[Fact], scenes: Iterable[FileContext]) -> tuple[Fact, ...]:
    """The facts, with fields as internal that went or were renamed behind a flag that stays."""
    code = [s for s in scenes if s.area is Area.CORE and s.language == "python"]
    texts = [s.new or "\n".join(line for _, line in s.lines[1].changed) for s in code]
    return tuple(
        replace(f, public=False)
        if f.kind is FactKind.CONFIG
        and f.action in {Action.REMOVED, Action.RENAMED}
        and f.detail == "field"
        and any(_flag_of(f) in text for text in texts)
        else f
        for f in facts
    )


def has_field(scene: FileContext, name: str) -> bool:
    """Whether a file of code has a field of some type with this name after the change."""
    field = rf"^[ \t]++(?:pub(?:\([^)\n]*\))? )?{re.escape(name)}\??[ \t]*:(?!=)"
    code = scene.area is Area.CORE and bool(scene.language)
    return code and re.search(field, scene.new or "", re.MULTILINE) is not None


def _flag_of(fact: Fact) -> str:
    old = fact.before if fact.action is Action.RENAMED else fact.name
    return f'"--{last(old or fact.name).replace("_", "-")}"'


_HEADING = lazy(
    r"(?:#{1,6} |\.\. [\w:]{1,30}:: )`?([A-Za-z_][\w.]{2,80})(?:\(\))?`?[ \t]*(?:[<{:].*)?$"
)
"""A heading, or what opens the entry of a reference, that names one thing."""


def with_schemas(facts: Sequence[Fact]) -> list[Fact]:
    """The facts without settings of a schema that code declares, which are public by that."""
    schemas = {_plain(n) for f in facts if _is_described(f) for n in (f.name, f.before) if n}
    coded = {
        _plain(n)
        for f in facts
        if f.kind in _CODED and not _is_described(f)
        for n in (f.name, f.before or "")
    }
    return [
        replace(f, public=True)
        if f.kind is FactKind.CONFIG and f.public is None and _plain(f.name) in schemas
        else f
        for f in facts
        if not (
            _is_described(f) and (_plain(f.name) in coded or _plain(f.before or f.name) in coded)
        )
    ]


_CODED = frozenset({*_SYMBOLS, FactKind.FLAG})


def _is_described(fact: Fact) -> bool:
    return fact.kind is FactKind.CONFIG and fact.evidence.path.endswith(".json")


def _plain(name: str) -> str:
    return spelled(name.rpartition(".")[2])
