"""Dependencies and tools in containers, build scripts and pipelines. Imports ``pins``, ``sheet``.

Formats: Dockerfile and Compose, CMake, workflow syntax of GitHub Actions, GitLab CI, pre-commit,
the one-line files of version managers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from digest.facts.pins import Pin, is_toolchain, looks_like_version, of_variable
from digest.facts.sheet import Sheet

_FROM = re.compile(
    r"\s*FROM\s+(?:--\S+\s+)*([^\s:@$]+(?::\d+/[^\s:@$]+)?)(?::([^\s@]+))?(?:@"
    r"(sha256:[0-9a-f]{12,64}))?",
    re.IGNORECASE,
)
_VARIABLE = re.compile(
    r"(?:^\s*(?:ARG|ENV|export)\s+|\s)([A-Z][A-Z0-9_]{2,60})[= ][\"']?([^\s\"']{1,120})"
)
_PIP = re.compile(
    r"(?:^|[\s\"'])([A-Za-z][\w.-]{0,60})(?:\[[^\[\]\s]{0,80}\])?==(\d[\w.+!*-]{0,60})"
)
_IMAGE = re.compile(r"\s*(?:-\s*)?image:\s*[\"']?([^\s:@\"'$]+):([^\s\"'@$]+)")
_USES = re.compile(
    r"\s*(?:-\s*)?[\"']?uses[\"']?:\s*[\"']?([\w.-]+/[\w./-]+)@([\w./-]+)[\"']?(?:\s*#\s*"
    r"(?:tag=)?(v?\d[\w.-]*))?"
)
_SET_UP = re.compile(
    r"\s*(?:-\s*)?[\"']?(python|node|go|java|ruby|dotnet|rust|php)-version[\"']?:\s*"
    r"(.{1,200})$"
)
_VERSION_LIKE = re.compile(r"\d+(?:\.[\dx*]+){0,3}(?:[-.]?(?:dev|rc\d*|alpha|beta)[\w.]*)?")
_REPO = re.compile(r"\s*(?:-\s*)?repo:\s*[\"']?\S*?([\w.-]+/[\w.-]+?)(?:\.git)?/?[\"']?\s*$")
_REV = re.compile(r"\s*(?:-\s*)?rev:\s*[\"']?([\w.+/-]+)[\"']?\s*(?:#\s*(?:frozen:\s*)?(\S+))?")
_CMAKE_SET = re.compile(
    r"\s*set\s*\(\s*([A-Za-z]\w*?(?:_VERSION|_VERSION_\w+|_TAG|_REVISION|_COMMIT"
    r"|_HASH))\s+\"?([\w.+-]+)\"?",
    re.IGNORECASE,
)
_CMAKE_TAG = re.compile(r"\s*GIT_TAG\s+\"?([\w./-]+)\"?")
_CMAKE_NAME = re.compile(
    r"\s*(?:FetchContent_Declare|ExternalProject_Add|CPMAddPackage)\s*\(\s*([\w.-]+)?",
    re.IGNORECASE,
)
_CMAKE_MINIMUM = re.compile(r"\s*cmake_minimum_required\s*\(\s*VERSION\s+([\d.]+)", re.IGNORECASE)
_CMAKE_PACKAGE = re.compile(r"\s*find_package\s*\(\s*(\w+)\s+(\d[\w.]*)", re.IGNORECASE)
_NAMED_FILES = {
    ".python-version": "python",
    ".nvmrc": "node",
    ".node-version": "node",
    ".ruby-version": "ruby",
    ".java-version": "java",
    ".go-version": "go",
    ".bazelversion": "bazel",
    "rust-toolchain": "rust",
    ".terraform-version": "terraform",
}
_CHANNEL = re.compile(r"\s*channel\s*=\s*\"([^\"]+)\"")
_TOOL_LINE = re.compile(r"([\w-]+)\s+(\S+)")


def dockerfile(sheet: Sheet) -> Iterator[Pin]:
    """Images, version variables and pinned Python packages of a Dockerfile."""
    for number, line in sheet.changed:
        if line.lstrip().startswith("#"):
            continue
        if found := _FROM.match(line):
            version = found[2] or found[3]
            if version and "$" not in version:
                yield _image(found[1], version, number, "docker")
            continue
        yield from _variables(line, number, "docker")
        for found in _PIP.finditer(line) if "==" in line else ():
            yield Pin(name=found[1], version=found[2], line=number, detail="pip")


def bake(sheet: Sheet) -> Iterator[Pin]:
    """Compose files and GitLab pipelines: images with a tag."""
    for number, line in sheet.changed:
        if found := _IMAGE.match(line):
            yield _image(found[1], found[2], number, "docker")


def workflow(sheet: Sheet) -> Iterator[Pin]:
    """GitHub workflows: actions with their reference (its tag where it is told), and set-ups."""
    for number, line in sheet.changed:
        if found := _USES.match(line):
            version = found[3] or found[2]
            yield Pin(name=found[1], version=version, line=number, detail="github-actions")
        elif found := _SET_UP.match(line):
            versions = _VERSION_LIKE.findall(found[2]) if "$" not in found[2] else []
            if versions:
                text = ", ".join(versions)
                yield Pin(
                    name=found[1],
                    version=text,
                    line=number,
                    detail="github-actions",
                    toolchain=True,
                )
        elif found := _IMAGE.match(line):
            yield _image(found[1], found[2], number, "docker")


def pre_commit(sheet: Sheet) -> Iterator[Pin]:
    """``.pre-commit-config.yaml``: the hooks' repositories with their revisions."""
    for number, line in sheet.changed:
        if not (found := _REV.match(line)):
            continue
        for above in sheet.above(number, 6):
            if named := _REPO.match(above):
                version = found[2] or found[1]
                yield Pin(name=named[1], version=version, line=number, detail="pre-commit dev")
                break


def cmake(sheet: Sheet) -> Iterator[Pin]:
    """CMake: fetched projects, version variables, required packages."""
    for number, line in sheet.changed:
        if found := _CMAKE_MINIMUM.match(line):
            yield Pin(name="cmake", version=found[1], line=number, detail="cmake", toolchain=True)
        elif found := _CMAKE_SET.match(line):
            if looks_like_version(found[2]) and not found[1].upper().startswith("PROJECT_"):
                tool = is_toolchain(of_variable(found[1].upper()))
                yield Pin(
                    name=found[1], version=found[2], line=number, detail="cmake", toolchain=tool
                )
        elif found := _CMAKE_PACKAGE.match(line):
            tool = is_toolchain(found[1])
            yield Pin(name=found[1], version=found[2], line=number, detail="cmake", toolchain=tool)
        elif (found := _CMAKE_TAG.match(line)) and (name := _fetched(sheet, number)):
            yield Pin(name=name, version=found[1], line=number, detail="cmake")


def version_file(sheet: Sheet) -> Iterator[Pin]:
    """Files whose name says the tool and whose line is its version."""
    name = sheet.path.rpartition("/")[2].lower()
    for number, line in sheet.changed:
        if name in {"rust-toolchain.toml", "rust-toolchain"} and (found := _CHANNEL.match(line)):
            yield Pin(name="rust", version=found[1], line=number, detail="rustup", toolchain=True)
        elif name in _NAMED_FILES and number == 1 and (text := line.strip()) and "[" not in text:
            yield Pin(
                name=_NAMED_FILES[name],
                version=text[:60],
                line=1,
                detail="version file",
                toolchain=True,
            )
        elif name == ".tool-versions" and (found := _TOOL_LINE.match(line)):
            yield Pin(name=found[1], version=found[2], line=number, detail="asdf", toolchain=True)


def _variables(line: str, number: int, detail: str) -> Iterator[Pin]:
    for found in _VARIABLE.finditer(line):
        owner = of_variable(found[1])
        if owner and looks_like_version(found[2]):
            tool = is_toolchain(owner)
            yield Pin(name=found[1], version=found[2], line=number, detail=detail, toolchain=tool)


def _image(name: str, version: str, number: int, detail: str) -> Pin:
    return Pin(name=name, version=version, line=number, detail=detail, toolchain=is_toolchain(name))


def _fetched(sheet: Sheet, number: int) -> str:
    """The name of the project that a GIT_TAG belongs to; it may stand below the command."""
    below = ""
    for line in sheet.above(number, 14):
        if found := _CMAKE_NAME.match(line):
            return found[1] or below
        if line.strip() == ")":
            return ""
        below = line.strip()
    return ""
