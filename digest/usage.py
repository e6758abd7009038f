"""What a text uses of a project: its imports, its flags, its variables.

This is how a profile is made of a plug-in or of a fork's own code. Only names that belong to the
project are taken: what is imported from its packages, variables that begin with its name, and
flags on lines that name it. Imports ``profile``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from digest.profile import Entry, Kind

_FROM = re.compile(
    r"^[ \t]*from[ \t]+([A-Za-z_][\w.]*)[ \t]+import[ \t]+(\([^)]{0,4000}\)|[^\n#;]{1,500})",
    re.MULTILINE,
)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+([A-Za-z_][\w., \t]{0,500})", re.MULTILINE)
_USE = re.compile(r"\buse[ \t]+([A-Za-z_]\w*(?:::[A-Za-z_]\w*)+)")
_NAME = re.compile(r"[A-Za-z_]\w*")
_COMMENT = re.compile(r"#[^\n]*")
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_CONTINUED = re.compile(r"\\\n")


def used(text: str, packages: frozenset[str]) -> frozenset[Entry]:
    """What a text uses of packages, which are named in lower case (``vllm``, ``tokio``)."""
    lowered = text.lower()
    if not any(package in lowered for package in packages):
        return frozenset()
    found = {Entry(kind=Kind.SYMBOL, name=name) for name in _imported(text, packages)}
    found |= {Entry(kind=Kind.VARIABLE, name=name) for name in _variables(text, packages)}
    found |= {Entry(kind=Kind.FLAG, name=name) for name in _flags(text, packages)}
    return frozenset(found)


def _imported(text: str, packages: frozenset[str]) -> Iterator[str]:
    for module, names in _FROM.findall(text):
        if _root(module) in packages:
            for part in _COMMENT.sub("", names).strip("()").split(","):
                if name := _NAME.match(part.strip()):
                    yield f"{module}.{name[0]}"
    for modules in _IMPORT.findall(text):
        for part in modules.split(","):
            module = part.strip().partition(" ")[0]
            if "." in module and _root(module) in packages:
                yield module
    for path in _USE.findall(text):
        if _root(path) in packages:
            yield path


def _root(module: str) -> str:
    return re.split(r"\.|::", module, maxsplit=1)[0].lower()


def _variables(text: str, packages: frozenset[str]) -> Iterator[str]:
    prefixes = "|".join(sorted(re.escape(p.upper().replace("-", "_")) for p in packages))
    yield from re.findall(rf"\b(?:{prefixes})_[A-Z0-9]+(?:_[A-Z0-9]+)*\b", text)


def _flags(text: str, packages: frozenset[str]) -> Iterator[str]:
    """Flags of commands that name the project; a command may go on behind a backslash."""
    for line in _CONTINUED.sub(" ", text).splitlines():
        lowered = line[:4000].lower()
        if "--" in line and any(package in lowered for package in packages):
            yield from _FLAG.findall(line[:4000])


def packages_of(repository: str) -> frozenset[str]:
    """The names that a repository's package goes by: ``owner/some-name`` gives two."""
    name = repository.rpartition("/")[2].removesuffix(".git").lower()
    bare = re.sub(r"[-_.](?:rs|js|py|go)$", "", name)
    return frozenset({name, name.replace("-", "_"), bare} - {""})
