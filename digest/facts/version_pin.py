"""Pins: the values that readers of manifests pass to ``dependencies``, and minimum versions."""

from __future__ import annotations

import re

from digest.core.facts import Action, Fact, FactKind, Facts
from digest.frozen import frozen

_TOOLCHAINS = frozenset(
    [
        *("python", "rust", "go", "golang", "node", "nodejs", "java", "jdk", "openjdk", "ruby"),
        *("cuda", "rocm", "gcc", "clang", "llvm", "cmake", "ubuntu", "debian", "alpine", "dotnet"),
        *("php", "swift", "kotlin", "scala", "elixir", "erlang", "bazel", "gradle", "maven"),
        *("deno", "bun", "npm", "pnpm", "yarn", "perl", "zig", "oneapi", "manylinux", "pypy"),
        *("fedora", "edition", "msrv", "buildpack-deps", "eclipse-temurin"),
    ]
)
_SUFFIX = re.compile(
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
    "go.mod cargo.toml pyproject.toml setup.cfg setup.py package.json pom.xml".split()  # noqa: SIM905
)
_TOOLS = {"go": "Go", "rust": "Rust", "python": "Python", "node": "Node.js", "java": "Java"}
_NUMBER = re.compile(r"\d{1,9}")


def language_of_version(name: str) -> str:
    """The language whose version a tool, an image or a variable stands for; or empty."""
    own = (of_variable(name) or name).lower()
    return _TOOLS.get({"golang": "go", "nodejs": "node"}.get(own, own), "")


def raised_minimums(facts: Facts) -> dict[str, list[Fact]]:
    """Minimum language versions raised in what the project declares, by language."""
    raised: dict[str, list[Fact]] = {}
    for f in facts.of(FactKind.TOOLCHAIN, Action.CHANGED):
        name = _TOOLS.get(f.name.lower())
        in_manifest = f.evidence.path.lower() in _MANIFESTS
        if name and in_manifest and f.before and f.after and _is_higher(f.before, f.after):
            raised.setdefault(name, []).append(f)
    return raised


def _is_higher(before: str, after: str) -> bool:
    old, new = (tuple(map(int, _NUMBER.findall(one)[:4])) for one in (before, after))
    return bool(old) and old[:2] < new[:2]  # an update of the same minor version suits all
