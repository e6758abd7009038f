"""The area of a file, from its path alone.

Rules are tried from the most to the least certain: lock files by name, folders of foreign and of
generated code, continuous integration, then the outermost folder that names an area (so that
``tests/benchmarks/`` are tests and ``examples/web/package.json`` an example), then file names, then
extensions. Other files are ``core``. No rule is specific to a project.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from digest.core.change import FileStatus
from digest.core.facts import Area, FileFacts
from digest.core.patterns import lazy, read_table
from digest.facts.languages import by_word, language_of

_CACHE = 16_384  # paths; more than a large tree changes in a month, but bounded

_TABLES = read_table("digest.facts", "paths.toml")


def _named(area: str) -> re.Pattern[str]:
    """The names of files that say the area."""
    return lazy(f"(?:{'|'.join(_TABLES['names'][area].split())})$")


_FOLDERS = {folder: Area(area) for folder, area in by_word(_TABLES["areas"]).items()}
_IN_FOLDER = {name: frozenset(words.split()) for name, words in _TABLES["folders"].items()}

VENDORED = _IN_FOLDER["vendored"]
"""Folders of code that other projects write, in lower case."""

_LOCKFILE, _GENERATED, _CI = _named("lockfile"), _named("generated"), _named("ci")
_TEST, _BENCHMARK, _BUILD = _named("tests"), _named("benchmarks"), _named("build")
_CONFIG, _DOCS = _named("config"), _named("docs")
_DOCS_ENDINGS = frozenset(_TABLES["names"]["docs_endings"].split())
_MANUAL_PAGE = lazy(r"\.[1-8]$")

_LOOSE_SCRIPT = lazy(r"[a-z0-9]+[_-][a-z0-9_-]+\.py")
"""A script of several words beside the packages; one-module packages have plain names."""

_DEVELOPERS = lazy(r"(?:crates/[\w-]{1,60}-dev|xtask|agents/scripts|internal/tools)/")
"""Tools that developers build and run besides the project's own programs, and scripts of agents."""

_SCRIPTING = frozenset(
    {"python", "shell", "javascript", "typescript", "ruby", "perl", "powershell"}
)
_TEST_ENDINGS = (
    *("_test", "_tests", "-test", "-tests", ".tests"),
    *("_stress", "-stress", "_stress_tool", "-stress-tool"),
)
_BENCHMARK_ENDINGS = ("-bench", "_bench", "-benchmark", "-benchmarks", "_benchmarks")
_TEST_CLASS = lazy(
    r"[a-z0-9](?:(?:Tests?|TestCase|IT|Spec)\.(?:java|kt|scala|groovy|cs|swift|php)"
    r"|Tests?\.(?:c|cc|cpp|cu|cxx|m|mm))$"
)


@lru_cache(maxsize=_CACHE)
def area_of(path: str) -> Area:
    """The area of a path as git writes it: ``/`` between segments, no leading slash."""
    *folders, name = path.split("/")
    low = name.lower()
    lowered = [f.lower() for f in folders]
    if _LOCKFILE.match(low):
        return Area.LOCKFILE
    if any(f in VENDORED for f in lowered):
        return Area.VENDORED
    if any(f in _IN_FOLDER["generated"] for f in lowered) or _GENERATED.match(low):
        return Area.GENERATED
    if lowered[:1] == ["requirements"]:  # the layout of pip-tools, one file per environment
        return Area.BUILD
    if lowered[:1] == ["t"] and (len(lowered) > 1 or low.endswith(".t")):
        return Area.TESTS  # the layout of Perl's distributions, used by others as well
    return _pipeline(lowered, low) or _folder(lowered) or _file(lowered, name, low) or Area.CORE


_TOOLS = lazy(
    r"^\.(?:forgejo|gitea|github|gitlab)/(?!workflows/|actions/)|(?:^|/)(?:benchmarks?|docs?|e2e|examples?|hack|scripts|tools?|website)/(?:[^/]{1,80}/){0,9}"
    r"(?:go\.(?:mod|sum|work)|cargo\.(?:toml|lock)|package(?:-lock)?\.json|[\w-]{1,40}-lock\.yaml"
    r"|(?:poetry|uv|yarn)\.lock|pyproject\.toml|[\w-]{0,40}requirements[\w-]{0,40}\.txt)$"
)


def of_tools(paths: Iterable[str]) -> bool:
    """Whether paths are only the forge's forms, or manifests of what developers or examples use."""
    found = list(paths)
    return bool(found) and all(_TOOLS.search(path.lower()) for path in found)


_PINNED = lazy(
    r"(?:^|/)(?:pnpm-(?:lock|workspace)\.yaml|yarn\.lock|package-lock\.json|bun\.lockb?)$"
)


def pins_only(paths: Iterable[str]) -> bool:
    """Whether paths are only locks of JavaScript, which users of a package do not install by."""
    found = list(paths)
    return bool(found) and all(_PINNED.search(path.lower()) for path in found)


def is_script(path: str) -> bool:
    """Whether a path is a script of the developers, beside the packages or in their own folder."""
    top, slash, _ = path.partition("/")
    if not slash:
        return _LOOSE_SCRIPT.fullmatch(path) is not None
    return top.lower() in _IN_FOLDER["scripts"] or _DEVELOPERS.match(path) is not None


_TRANSLATION = lazy(
    r"(?i)(?:^|/)(?:i18n|intl|l10n|lang(?:uage)?s?|locales?|translations?)(?:/|[._-])"
)


def is_translation(path: str) -> bool:
    """Whether a file has texts of a program by language, which nobody sets."""
    return _TRANSLATION.search(path) is not None


def _pipeline(folders: list[str], name: str) -> Area | None:
    """Continuous integration, and other files for the forge."""
    if folders and folders[0] in {".github", ".gitea", ".forgejo"}:
        if len(folders) > 1 and folders[1] in _IN_FOLDER["github_ci"]:
            return Area.CI
        return None if _is_prose(name) and len(folders) == 1 else Area.CONFIG
    if _CI.match(name) or (folders and folders[0] in {"ci", "jenkins"}):
        return Area.CI
    return Area.CI if any(f in _IN_FOLDER["ci"] for f in folders) else None


_SAMPLE = lazy(r"sample(?!rs?\b)[a-z]{5,30}")
"""Parts made to try out a generator, such as ``samplereceiver``; nobody deploys them."""


def _folder(folders: Iterable[str]) -> Area | None:
    """The outermost folder that names an area.

    Below ``src/main`` (Maven, Gradle) folders form a package name, such as ``org.example.demo``.
    """
    outer = ""
    for folder in folders:
        if (outer, folder) == ("src", "main"):
            return None
        if outer == "internal" and _SAMPLE.fullmatch(folder):
            return Area.TESTS
        outer = folder
        if (area := _FOLDERS.get(folder)) is not None:
            return area
        named = folder.partition(".")[0]  # "regression-tests.api"
        if folder.startswith(("tests-", "tests_")) or any(
            one.endswith(_TEST_ENDINGS) for one in (folder, named)
        ):
            return Area.TESTS
        if folder.endswith(("example", "examples", "-playground")):
            return Area.EXAMPLES
        if folder.endswith(_BENCHMARK_ENDINGS):
            return Area.BENCHMARKS
    return None


def _file(folders: list[str], name: str, low: str) -> Area | None:
    if _TEST.match(low) or _TEST_CLASS.search(name):
        return Area.TESTS
    if _BUILD.match(low):
        return Area.BUILD
    if _CONFIG.match(low):
        return Area.CONFIG
    if _is_prose(low):
        return Area.DOCS
    if low.endswith(".ipynb"):
        return Area.EXAMPLES
    if _BENCHMARK.match(low):
        return Area.BENCHMARKS
    language = language_of(low)
    if not folders and _LOOSE_SCRIPT.fullmatch(low):
        return Area.BUILD
    if "spec" in folders and language in {"ruby", "javascript", "typescript"}:
        return Area.TESTS
    if folders and folders[0] in _IN_FOLDER["build"] and _serves_build(folders[0], language):
        return Area.BUILD
    # A dotted name that is not program text is a tool's setting; tables of values are data.
    if low.startswith(".") or (folders and folders[0].startswith(".")) or language == "json":
        return Area.CONFIG
    return None


def _serves_build(top: str, language: str) -> bool:
    return language in {"", "shell", "powershell", "yaml", "toml", "json", "cmake"} or (
        top in _IN_FOLDER["scripts"] and language in _SCRIPTING
    )


def _is_prose(name: str) -> bool:
    _, dot, ending = name.rpartition(".")
    if dot and ending in _DOCS_ENDINGS:
        return True
    return bool(_MANUAL_PAGE.search(name)) or (
        _DOCS.match(name) is not None and language_of(name) in {"", "yaml", "toml", "text"}
    )


_PROGRAM = lazy(
    r"(?:^|/)cmd/(?P<go>[\w-]{1,60})/main\.go$|(?:^|/)src/bin/(?P<rust>[\w-]{1,60})(?:/main)?\.rs$"
)


def removed_programs(files: Iterable[FileFacts]) -> list[str]:
    """The programs of Go and Rust whose main file goes, unless another of the name stays."""
    mains = [(f, m["go"] or m["rust"]) for f in files if (m := _PROGRAM.search(f.path))]
    kept = {name for f, name in mains if f.status is not FileStatus.DELETED}
    return [name for f, name in mains if f.area is Area.CORE and name not in kept]
