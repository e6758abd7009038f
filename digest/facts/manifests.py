"""Dependencies in the manifests of other languages. Imports ``pins`` and ``sheet``.

Formats: Cargo ("The Manifest Format"), go.mod ("Go Modules Reference"), npm and Composer (JSON),
Maven, Gradle, Bundler.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from digest.facts.manifests_python import key_value, toml_places
from digest.facts.pins import Pin
from digest.facts.sheet import Sheet

_STRING = re.compile(r"\"([^\"]{1,200})\"")
_CARGO_VERSION = re.compile(r"\b(?:version|rev|tag|branch)\s*=\s*\"([^\"]{1,200})\"")
_CARGO_TABLE = re.compile(
    r"(?:target\..+\.|workspace\.)?(?P<kind>dev-|build-)?dependencies(?:\.(?P<name>[\w-]+))?$"
)
_MEMBER = re.compile(r"\s*\"([^\"]{1,200})\"\s*:\s*\"([^\"]{0,200})\"\s*,?\s*$")
_OBJECT = re.compile(r"\s*\"([^\"]{1,200})\"\s*:\s*\{")
_NPM = {
    "dependencies": "npm",
    "peerDependencies": "npm",
    "optionalDependencies": "npm",
    "devDependencies": "npm dev",
    "engines": "npm",
    "resolutions": "npm",
    "overrides": "npm",
    "require": "composer",
    "require-dev": "composer dev",
}
_GO_REQUIRE = re.compile(
    r"\s*(?:require\s+)?([\w.~-]+\.[\w.~-]+/[^\s()]+|[\w.-]+\.[a-z]{2,}[^\s()]*)\s+"
    r"(v\d[\w.+-]*)(\s*//\s*indirect)?"
)
_GO_REPLACE = re.compile(r"\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>\s+(\S+)(?:\s+(v\S+))?")
_GO_OWN = re.compile(r"(go|toolchain)\s+(?:go)?(\d[\w.]*)\s*(?://.*)?$")
_MAVEN_VERSION = re.compile(r"\s*<version>([^<$]{1,100})</version>")
_MAVEN_NAME = re.compile(r"\s*<artifactId>([^<]{1,200})</artifactId>")
_MAVEN_PROPERTY = re.compile(
    r"\s*<([\w.-]+?)[.-]version>([^<$]{1,100})</|\s*<version\.([\w.-]+)>([^<$]{1,100})</"
    r"|\s*<(maven\.compiler\.(?:release|source|target))>([^<$]{1,100})</"
)
_GRADLE = re.compile(
    r"[\"']([\w.-]+:[\w.-]+):([\w.+-]+)(?:@\w+)?[\"']"
    r"|\bid\s*\(?\s*[\"']([\w.-]+)[\"']\s*\)?\s+version\s*\(?[\"']([\w.+-]+)[\"']"
)
_GEM = re.compile(
    r"\s*(?:gem|\w+\.add_(?:runtime_|development_)?dependency)\s*\(?\s*[\"']"
    r"([\w-]+)[\"']\s*(?:,\s*[\"']([^\"']+)[\"'])?"
)


def cargo(sheet: Sheet) -> Iterator[Pin]:
    """``Cargo.toml``; what is taken from the workspace has no version here."""
    places = toml_places(sheet.whole)
    for number, line in sheet.changed:
        table = places[number - 1][0] if number <= len(places) else ""
        key, value = key_value(line)
        if not key:
            continue
        if key in {"rust-version", "edition"} and (found := _STRING.match(value)):
            name = "rust" if key == "rust-version" else "edition"
            yield Pin(name=name, version=found[1], line=number, detail="cargo", toolchain=True)
        elif place := _CARGO_TABLE.match(table):
            detail = "cargo dev" if place["kind"] else "cargo"
            yield from _crate(place["name"] or "", key, value, number, detail)


def _crate(table_name: str, key: str, value: str, number: int, detail: str) -> Iterator[Pin]:
    if table_name:
        found = _STRING.match(value) if key in {"version", "rev", "tag", "branch"} else None
        name = table_name
    else:
        found = _STRING.match(value) or _CARGO_VERSION.search(value)
        name = key.removesuffix(".version")
        if name.endswith((".workspace", ".features", ".optional", ".path")):
            return
    if found:
        yield Pin(name=name, version=found[1], line=number, detail=detail)
    elif not table_name and value.startswith("{") and "}" in value and "path" not in value:
        yield Pin(name=name, version=None, line=number, detail=detail)


def package_json(sheet: Sheet) -> Iterator[Pin]:
    """``package.json`` and ``composer.json``, written a member to a line as their tools do."""
    sections = _json_sections(sheet.whole)
    for number, line in sheet.changed:
        section = sections[number - 1] if number <= len(sections) else ""
        detail = _NPM.get(section)
        if (found := _MEMBER.match(line)) is None:
            continue
        if section == "" and found[1] == "packageManager" and "@" in found[2]:
            name, _, version = found[2].partition("@")
            version = version.split("+", 1)[0]
            yield Pin(name=name, version=version, line=number, detail="npm dev", toolchain=True)
        elif detail:
            tool = section == "engines" or found[1] == "php"
            yield Pin(
                name=found[1], version=found[2] or None, line=number, detail=detail, toolchain=tool
            )


def _json_sections(whole: tuple[str, ...]) -> list[str]:
    """For each line the member of the outermost object that it stands in."""
    sections: list[str] = []
    depth, section = 0, ""
    for line in whole:
        bare = line if '"' not in line else _STRING.sub("", line)
        sections.append(section if depth > 1 else "")
        if depth == 1 and (found := _OBJECT.match(line)):
            section = found[1]
        depth += bare.count("{") - bare.count("}")
    return sections


def go_mod(sheet: Sheet) -> Iterator[Pin]:
    """``go.mod``; indirect requirements are the resolver's and are left out."""
    for number, line in sheet.changed:
        if found := _GO_OWN.match(line.strip()):
            yield Pin(
                name="go",
                version=found[2],
                line=number,
                detail=_go_detail(found[1]),
                toolchain=True,
            )
        elif "=>" in line:
            if (found := _GO_REPLACE.match(line)) and not line.lstrip().startswith("//"):
                version = f"{found[2]} {found[3]}" if found[3] else found[2]
                yield Pin(name=found[1], version=version, line=number, detail="go replace")
        elif (
            (found := _GO_REQUIRE.match(line))
            and not found[3]
            and not _in_exclusion(sheet, number, line)
        ):
            yield Pin(name=found[1], version=found[2], line=number, detail="go")


def _go_detail(word: str) -> str:
    return "go toolchain" if word == "toolchain" else "go"


def _in_exclusion(sheet: Sheet, number: int, line: str) -> bool:
    if line.lstrip().startswith(("exclude", "retract")):
        return True
    for above in sheet.above(number):
        if above.startswith((")", "require", "replace")):
            return False
        if above.startswith(("exclude", "retract")):
            return "(" in above
    return False


def maven(sheet: Sheet) -> Iterator[Pin]:
    """``pom.xml``: versions with the artifact above them, and properties named for versions."""
    for number, line in sheet.changed:
        if found := _MAVEN_PROPERTY.match(line):
            name = found[1] or found[3] or "java"
            version = found[2] or found[4] or found[6]
            tool = bool(found[5]) or name == "java"
            yield Pin(name=name, version=version, line=number, detail="maven", toolchain=tool)
        elif found := _MAVEN_VERSION.match(line):
            for above in sheet.above(number, 6):
                if named := _MAVEN_NAME.match(above):
                    yield Pin(name=named[1], version=found[1], line=number, detail="maven")
                if named or above.strip() in {"<parent>", "<dependency>", "<plugin>", "<project>"}:
                    break


def gradle(sheet: Sheet) -> Iterator[Pin]:
    """``build.gradle`` and its Kotlin form, with versions written out."""
    for number, line in sheet.changed:
        for found in _GRADLE.finditer(line):
            yield Pin(
                name=found[1] or found[3],
                version=found[2] or found[4],
                line=number,
                detail="gradle dev" if line.lstrip().startswith("test") else "gradle",
            )


def version_catalog(sheet: Sheet) -> Iterator[Pin]:
    """``libs.versions.toml`` of Gradle."""
    places = toml_places(sheet.whole)
    for number, line in sheet.changed:
        key, value = key_value(line)
        table = places[number - 1][0] if number <= len(places) else "versions"
        if key and table == "versions" and (found := _STRING.match(value)):
            yield Pin(name=key, version=found[1], line=number, detail="gradle")


def gemfile(sheet: Sheet) -> Iterator[Pin]:
    """``Gemfile`` and gemspecs."""
    for number, line in sheet.changed:
        if found := _GEM.match(line):
            detail = "bundler dev" if "development_dep" in line else "bundler"
            yield Pin(name=found[1], version=found[2], line=number, detail=detail)
