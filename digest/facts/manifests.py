"""Dependencies and tools in manifests, containers, build scripts and pipelines.

Formats: Cargo ("The Manifest Format"), go.mod ("Go Modules Reference"), npm and Composer (JSON),
Maven, Gradle, Bundler; Dockerfile and Compose, CMake, workflow syntax of GitHub Actions, GitLab CI,
pre-commit, and the one-line files of version managers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from digest.core.facts import Action, Fact, FactKind
from digest.core.patterns import read_table
from digest.facts.manifests_python import (
    Pin,
    is_toolchain,
    key_value,
    looks_like_version,
    of_variable,
    reads,
    toml_places,
)
from digest.facts.side_text import SideLines

_STRING = re.compile(r"\"([^\"]{1,200})\"")
_CARGO_VERSION = re.compile(r"\b(?:version|rev|tag|branch)\s*=\s*\"([^\"]{1,200})\"")
_CARGO_TABLE = re.compile(
    r"(?:target\..+\.|workspace\.)?(?P<kind>dev-|build-)?dependencies(?:\.(?P<name>[\w-]+))?$"
)
_MEMBER = re.compile(r"\s*\"([^\"]{1,200})\"\s*:\s*\"([^\"]{0,200})\"\s*,?\s*$")
_INLINE = re.compile(r"\s*\"([^\"]{1,200})\"\s*:\s*\{([^{}]{1,400})\}\s*,?\s*$")
_PAIR = re.compile(r"\"([^\"]{1,200})\"\s*:\s*\"([^\"]{0,200})\"")
_NPM_ALIAS = re.compile(r"npm:(@?[^@]{1,200})@")
_PRIVATE = re.compile(r"(?: {1,4}|\t)\"private\"\s*:\s*true\b")
_PACKAGE = re.compile(r"(?: {1,4}|\t)(\"name\")\s*:\s*\"([^\"]{1,200})\"")
_EXPORT = re.compile(r"\s*\"(\./[^\"]{1,200})\"\s*:")
_OBJECT = re.compile(r"\s*\"([^\"]{1,200})\"\s*:\s*\{")
_TABLE = read_table("digest.facts", "words.toml")["manifests"]
_NPM: dict[str, str] = _TABLE["members"]
_GO_REQUIRE = re.compile(
    r"\s*(?:require\s+)?([\w.~-]+\.[\w.~-]+/[^\s()]+|[\w.-]+\.[a-z]{2,}[^\s()]*)\s+"
    r"(v\d[\w.+-]*)(\s*//\s*indirect)?"
)
_GO_REPLACE = re.compile(r"\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>\s+(\S+)(?:\s+(v\S+))?")
_GO_NOWHERE = " v0.0.0-00010101000000-000000000000"
"""The version of a module that is replaced by a folder."""

_GO_OWN = re.compile(r"(go|toolchain)\s+(?:go)?(\d[\w.]*)\s*(?://.*)?$")
_MAVEN_VERSION = re.compile(r"\s*<version>([^<$]{1,100})</version>")
_MAVEN_NAME = re.compile(r"\s*<artifactId>([^<]{1,200})</artifactId>")
_MAVEN_HOLDER = re.compile(r"\s*(?:<[\w.-]{1,80}>|<project\b.{0,300}|</[\w.-]{1,80}>)\s*$")
"""A line that begins what an artifact belongs to, or ends what is above it."""
_MAVEN_PROPERTY = re.compile(
    r"\s*<([\w.-]+?)[.-]version>([^<$]{1,100})</|\s*<version\.([\w.-]+)>([^<$]{1,100})</"
    r"|\s*<(maven\.compiler\.(?:release|source|target))>([^<$]{1,100})</"
)
_GRADLE_JAVA = re.compile(
    r"\s*(?:(?:options\.)?release(?:\.set\(|\s*=)|(?:source|target)Compatibility\s*=?"
    r"|(?:languageVersion|minJavaVersion)\w*(?:\.set\(|\s*=))\s*"
    r"(?:(?:JavaLanguageVersion\.of\(|JavaVersion\.(?:VERSION_|toVersion\())|[\"'])?"
    r"(?:1[._])?(\d{1,2})\b(?!\.)"
)
_GRADLE = re.compile(
    r"[\"']([\w.-]+:[\w.-]+):([\w.+-]+)(?:@\w+)?[\"']"
    r"|\bid\s*\(?\s*[\"']([\w.-]+)[\"']\s*\)?\s+version\s*\(?[\"']([\w.+-]+)[\"']"
)
_GEM = re.compile(
    r"\s*(?:gem|\w+\.add_(?:runtime_|development_)?dependency)\s*\(?\s*[\"']"
    r"([\w-]+)[\"']\s*(?:,\s*[\"']([^\"']+)[\"'])?"
)

_INHERITED = re.compile(r"\bworkspace\s*=\s*true\b")
_INSIDE = re.compile(r"\b(?:path|workspace)\s*=")


@reads("cargo.toml", whole=True)
def cargo(sheet: SideLines) -> Iterator[Pin]:
    """``Cargo.toml``; a member only mentions what its workspace lists with a version."""
    places = toml_places(sheet.whole)
    for number, line in sheet.changed:
        table = places[number - 1][0] if number <= len(places) else ""
        key, value = key_value(line)
        if not key:
            continue
        name = {"rust-version": "rust", "edition": "edition"}.get(key.removesuffix(".workspace"))
        if name:
            match = _STRING.match(value)
            yield Pin(
                name,
                match[1] if match else None,
                number,
                "cargo",
                toolchain=True,
                mentioned=match is None,
            )
        elif place := _CARGO_TABLE.match(table):
            detail = "cargo dev" if place["kind"] else "cargo"
            yield from _crate(place["name"] or "", key, value, number, detail)


def _crate(table_name: str, key: str, value: str, number: int, detail: str) -> Iterator[Pin]:
    if table_name:
        match = _STRING.match(value) if key in {"version", "rev", "tag", "branch"} else None
        name = table_name
    else:
        match = _STRING.match(value) or _CARGO_VERSION.search(value)
        name = key.removesuffix(".version")
        if name.endswith((".features", ".optional", ".path")):
            return
    if key.endswith(".workspace") or _INHERITED.search(value):
        name = name.removesuffix(".workspace")
        yield Pin(name, None, number, detail, mentioned=True)
    elif _INSIDE.search(value):
        return  # a part of the same workspace
    elif match:
        yield Pin(name, match[1], number, detail)
    elif not table_name and value.startswith("{") and "}" in value:
        yield Pin(name, None, number, detail)


@reads("package.json", "composer.json", whole=True)
def package_json(sheet: SideLines) -> Iterator[Pin]:
    """``package.json`` and ``composer.json``, one member per line as their tools write them."""
    sections = _json_sections(sheet.whole)
    bundled = any(map(_PRIVATE.match, sheet.whole))
    for number, line in sheet.changed:
        section = sections[number - 1] if number <= len(sections) else ""
        detail = _NPM.get(section)
        if bundled and detail == "npm" and section != "engines":
            detail = "npm dev"
        if section == "" and (inline := _INLINE.match(line)) and inline[1] in _NPM:
            for pair in _PAIR.finditer(inline[2]):
                tool = inline[1] == "engines" or pair[1] == "php"
                yield Pin(pair[1], pair[2] or None, number, _NPM[inline[1]], toolchain=tool)
        if (match := _MEMBER.match(line)) is None:
            continue
        if section == "" and match[1] == "packageManager" and "@" in match[2]:
            name, _, version = match[2].partition("@")
            version = version.split("+", 1)[0]
            yield Pin(name, version, number, "npm dev", toolchain=True)
        elif detail:
            tool = section == "engines" or match[1] == "php"
            yield Pin(match[1], match[2] or None, number, detail, toolchain=tool)
            if alias := _NPM_ALIAS.match(match[2]):
                yield Pin(alias[1], None, number, detail, mentioned=True)


def exported_paths(before: SideLines, after: SideLines) -> Iterator[Fact]:
    """The paths of a package that its ``package.json`` offers to importers on one side only."""
    if any(map(_PRIVATE.match, (*before.whole, *after.whole))):
        return
    olds, news = _exports(before), _exports(after)
    for action, side, those, others in (
        (Action.REMOVED, before, olds, news),
        (Action.ADDED, after, news, olds),
    ):
        package = next((m[2] for line in side.whole if (m := _PACKAGE.match(line))), "")
        wide = [path.partition("*")[0] for path in others if "*" in path]
        for path, line in those.items() if package and olds and news else ():
            if path not in others and not path.startswith(tuple(wide)):
                name = f"{package}/{path[2:]}"
                yield side.fact(FactKind.SYMBOL, action, name, line, detail="export", public=True)


def _exports(side: SideLines) -> dict[str, int]:
    sections = _json_sections(side.whole)
    return {
        match[1]: number
        for number, (line, section) in enumerate(zip(side.whole, sections, strict=True), 1)
        if section == "exports" and (match := _EXPORT.match(line))
    }


def _json_sections(whole: tuple[str, ...]) -> list[str]:
    """For each line the member of the outermost object that contains it."""
    sections: list[str] = []
    depth, section = 0, ""
    for line in whole:
        bare = line if '"' not in line else _STRING.sub("", line)
        sections.append(section if depth > 1 else "")
        if depth == 1 and (match := _OBJECT.match(line)):
            section = match[1]
        depth += bare.count("{") - bare.count("}")
    return sections


@reads("go.mod", whole=True)
def go_mod(sheet: SideLines) -> Iterator[Pin]:
    """``go.mod``; indirect requirements come from the resolver and are only mentioned."""
    for number, line in sheet.changed:
        if match := _GO_OWN.match(line.strip()):
            detail = "go toolchain" if match[1] == "toolchain" else "go"
            yield Pin("go", match[2], number, detail, toolchain=True)
        elif "=>" in line:
            if (match := _GO_REPLACE.match(line)) and not line.lstrip().startswith("//"):
                version = f"{match[2]} {match[3]}" if match[3] else match[2]
                yield Pin(match[1], version, number, "go replace")
        elif _GO_NOWHERE in line:
            continue  # a module of the same repository
        elif (match := _GO_REQUIRE.match(line)) and not _in_exclusion(sheet, number, line):
            indirect = match[3] is not None
            version = None if indirect else match[2]
            yield Pin(match[1], version, number, "go", mentioned=indirect)


def _in_exclusion(sheet: SideLines, number: int, line: str) -> bool:
    if line.lstrip().startswith(("exclude", "retract")):
        return True
    for above in sheet.above(number):
        if above.startswith((")", "require", "replace")):
            return False
        if above.startswith(("exclude", "retract")):
            return "(" in above
    return False


@reads("pom.xml", whole=True)
def maven(sheet: SideLines) -> Iterator[Pin]:
    """``pom.xml``: versions with the artifact above them, and properties named for versions."""
    for number, line in sheet.changed:
        if match := _MAVEN_PROPERTY.match(line):
            name = match[1] or match[3] or "java"
            version = match[2] or match[4] or match[6]
            tool = bool(match[5]) or name == "java"
            yield Pin(name, version, number, "maven", toolchain=tool)
        elif match := _MAVEN_VERSION.match(line):
            name = ""
            for above in sheet.above(number, 8):
                if named := _MAVEN_NAME.match(above):
                    name = named[1]
                elif _MAVEN_HOLDER.match(above):
                    if name and "<project" not in above:  # else the version is that of the project
                        yield Pin(name, match[1], number, "maven")
                    break


@reads(shape=r"\.gradle(?:\.kts)?$")
def gradle(sheet: SideLines) -> Iterator[Pin]:
    """``build.gradle`` and its Kotlin form, with literal versions."""
    for number, line in sheet.changed:
        if java := _GRADLE_JAVA.match(line):
            yield Pin("java", java[1], number, "gradle", toolchain=True)
        for match in _GRADLE.finditer(line):
            yield Pin(
                match[1] or match[3],
                match[2] or match[4],
                number,
                "gradle dev" if line.lstrip().startswith("test") else "gradle",
            )


@reads("libs.versions.toml", whole=True)
def version_catalog(sheet: SideLines) -> Iterator[Pin]:
    """``libs.versions.toml`` of Gradle."""
    places = toml_places(sheet.whole)
    for number, line in sheet.changed:
        key, value = key_value(line)
        table = places[number - 1][0] if number <= len(places) else "versions"
        if key and table == "versions" and (match := _STRING.match(value)):
            yield Pin(key, match[1], number, "gradle")


@reads("gemfile", shape=r"\.gemspec$")
def gemfile(sheet: SideLines) -> Iterator[Pin]:
    """``Gemfile`` and gemspecs."""
    for number, line in sheet.changed:
        if match := _GEM.match(line):
            detail = "bundler dev" if "development_dep" in line else "bundler"
            yield Pin(match[1], match[2], number, detail)
        elif match := _RUBY.match(line):
            yield Pin("ruby", match[1], number, "bundler", toolchain=True)


_RUBY = re.compile(r"\s*\w+\.required_ruby_version\s*=[^\"']{0,40}[\"']([^\"']{1,40})[\"']")
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
_NAMED_FILES: dict[str, str] = _TABLE["versions"]
_CHANNEL = re.compile(r"\s*channel\s*=\s*\"([^\"]+)\"")
_TOOL_LINE = re.compile(r"([\w-]+)\s+(\S+)")


@reads(shape=r"(?:^|/)(?:[^/]*dockerfile[^/]*|containerfile[^/]*)$")
def dockerfile(sheet: SideLines) -> Iterator[Pin]:
    """Images, version variables and pinned Python packages of a Dockerfile."""
    for number, line in sheet.changed:
        if line.lstrip().startswith("#"):
            continue
        if found := _FROM.match(line):
            version = found[2] or found[3]
            if version:
                yield _image(found[1], version, number, "docker")
            continue
        yield from _variables(line, number, "docker")
        for found in _PIP.finditer(line) if "==" in line else ():
            yield Pin(found[1], found[2], number, "pip")


@reads(shape=r"^\.github/(?:workflows|actions)/.*\.ya?ml$|(?:^|/)action\.ya?ml$")
def workflow(sheet: SideLines) -> Iterator[Pin]:
    """GitHub workflows: actions with their reference (its tag if given), and set-ups."""
    for number, line in sheet.changed:
        if match := _USES.match(line):
            version = match[3] or match[2]
            yield Pin(match[1], version, number, "github-actions")
        elif match := _SET_UP.match(line):
            versions = _VERSION_LIKE.findall(match[2]) if "$" not in match[2] else []
            if versions:
                text = ", ".join(versions)
                yield Pin(match[1], text, number, "github-actions", toolchain=True)
        elif match := _IMAGE.match(line):
            yield _image(match[1], match[2], number, "docker")


@reads(".gitlab-ci.yml", shape=r"(?:^|/)(?:docker-)?compose[^/]*\.ya?ml$")
def bake(sheet: SideLines) -> Iterator[Pin]:
    """Compose files and GitLab pipelines: images with a tag."""
    for number, line in sheet.changed:
        if match := _IMAGE.match(line):
            yield _image(match[1], match[2], number, "docker")


@reads(".pre-commit-config.yaml", whole=True)
def pre_commit(sheet: SideLines) -> Iterator[Pin]:
    """``.pre-commit-config.yaml``: the repositories of the hooks with their revisions."""
    for number, line in sheet.changed:
        if not (match := _REV.match(line)):
            continue
        for above in sheet.above(number, 6):
            if named := _REPO.match(above):
                version = match[2] or match[1]
                yield Pin(named[1], version, number, "pre-commit dev")
                break


_STANDARD = re.compile(r"\s*set\s*\(\s*CMAKE_CXX_STANDARD\s+(\d+)")


@reads("cmakelists.txt", shape=r"\.cmake$", whole=True)
def cmake(sheet: SideLines) -> Iterator[Pin]:
    """CMake: fetched projects, version variables, required packages."""
    for number, line in sheet.changed:
        if match := _CMAKE_MINIMUM.match(line):
            yield Pin("cmake", match[1], number, "cmake", toolchain=True)
        elif match := _STANDARD.match(line):
            yield Pin("C++", match[1], number, "cmake", toolchain=True)
        elif match := _CMAKE_SET.match(line):
            if looks_like_version(match[2]) and not match[1].upper().startswith("PROJECT_"):
                tool = is_toolchain(of_variable(match[1].upper()))
                yield Pin(match[1], match[2], number, "cmake", toolchain=tool)
        elif match := _CMAKE_PACKAGE.match(line):
            tool = is_toolchain(match[1])
            yield Pin(match[1], match[2], number, "cmake", toolchain=tool)
        elif (match := _CMAKE_TAG.match(line)) and (name := _fetched(sheet, number)):
            yield Pin(name, match[1], number, "cmake")


@reads(*_NAMED_FILES, "rust-toolchain.toml", ".tool-versions")
def version_file(sheet: SideLines) -> Iterator[Pin]:
    """Files named after a tool whose only line is its version."""
    name = sheet.path.rpartition("/")[2].lower()
    for number, line in sheet.changed:
        if name in {"rust-toolchain.toml", "rust-toolchain"} and (match := _CHANNEL.match(line)):
            yield Pin("rust", match[1], number, "rustup toolchain", toolchain=True)
        elif name in _NAMED_FILES and number == 1 and (text := line.strip()) and "[" not in text:
            yield Pin(_NAMED_FILES[name], text[:60], 1, "version file toolchain", toolchain=True)
        elif name == ".tool-versions" and (match := _TOOL_LINE.match(line)):
            yield Pin(match[1], match[2], number, "asdf toolchain", toolchain=True)


def _variables(line: str, number: int, detail: str) -> Iterator[Pin]:
    for match in _VARIABLE.finditer(line):
        owner = of_variable(match[1])
        if owner and looks_like_version(match[2]):
            tool = is_toolchain(owner)
            yield Pin(match[1], match[2], number, detail, toolchain=tool)


def _image(name: str, version: str, number: int, detail: str) -> Pin:
    return Pin(
        name, version, number, detail, toolchain=is_toolchain(name), mentioned="$" in version
    )


def _fetched(sheet: SideLines, number: int) -> str:
    """The name of the project that a GIT_TAG belongs to; it may be below the command."""
    below = ""
    for line in sheet.above(number, 14):
        if match := _CMAKE_NAME.match(line):
            return match[1] or below
        if line.strip() == ")":
            return ""
        below = line.strip()
    return ""
