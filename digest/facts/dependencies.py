"""Versions of dependencies and tools, before and after.

Each manifest has a reader for the changed lines of a side; the two sides are then matched by name.
Lock files are ignored, since a resolver writes them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest

from digest.core.change import FileChange, FileStatus, Side
from digest.core.facts import Action, Area, Fact, FactKind
from digest.facts import manifests, settings_files
from digest.facts.manifests_python import BY_NAME, BY_SHAPE, NEED_WHOLE, Pin, Reader
from digest.facts.side_text import FileContext, FileSide, SideLines
from digest.facts.syntax.declarations import grouped

_ENDS = (".txt", ".in", ".yml", ".yaml", ".cmake", ".gradle", ".kts", ".gemspec")
# Manifests that are samples or test data; no part of the project depends on what they name.
_ASIDE = frozenset([Area.TESTS, Area.EXAMPLES, Area.BENCHMARKS])
_OF_DEVELOPERS = re.compile(
    r"^\.(?!github/)[^/]|^(?:scripts?|docker)/|(?:^|/)(?:tools|hack|compliance)/"
)
"""Manifests of tools that the developers of a project run, and of hidden folders."""

_SUBPROJECT = re.compile(r"Subproject commit ([0-9a-f]{40,64})")
_COMMIT = 20  # minimum characters of a version that is a commit
_MOST = 80  # maximum facts of one file; readers cannot use a longer list


@lru_cache(maxsize=4096)
def reader_of(path: str) -> Reader | None:
    """The reader for a path, if it is a manifest."""
    low = path.lower()
    name = low.rpartition("/")[2]
    if (reader := BY_NAME.get(name)) is not None:
        return reader
    if "file" not in name and not low.endswith(_ENDS):  # most files of a tree
        return None
    return next((reader for shape, reader in BY_SHAPE if shape.search(low)), None)


def wants(file: FileChange, area: Area, language: str) -> bool:  # noqa: ARG001 - the finders' protocol
    """Whether lines of this manifest get their meaning from their position."""
    return (
        area not in _ASIDE
        and file.status not in {FileStatus.ADDED, FileStatus.DELETED}
        and reader_of(file.path) in NEED_WHOLE
    )


def find(scene: FileContext) -> Iterable[Fact]:
    """Dependencies that a manifest adds, drops, raises or lowers, in the order of its lines."""
    reader = None if scene.area in _ASIDE else reader_of(scene.file.path)
    if reader is None:
        return ()
    old, new = scene.lines
    found = _matched(reader, old, new)[:_MOST]
    if reader is manifests.package_json:
        found += manifests.exported_paths(old, new)
    if scene.area is not Area.DOCS and not _OF_DEVELOPERS.search(scene.file.path):
        features = settings_files.find_features(old, new) if reader is manifests.cargo else ()
        return [*found, *features]
    return [
        f if f.detail.endswith((" dev", "export")) else replace(f, detail=f"{f.detail} dev")
        for f in found
    ]


def submodule(file: FileChange) -> Iterable[Fact]:
    """A submodule that points to another commit, which is the whole change of its file."""
    if "160000" not in {file.old_mode, file.new_mode}:
        return ()
    old, new = (_commit(file, side) for side in (0, 1))
    if old == new:
        return ()
    action = Action.CHANGED if old and new else Action.ADDED if new else Action.REMOVED
    side = FileSide(path=file.path, side=Side.OLD if action is Action.REMOVED else Side.NEW)
    return (side.fact(FactKind.DEPENDENCY, action, file.path, 1, (old, new), detail="submodule"),)


def _commit(file: FileChange, side: int) -> str | None:
    lines = (line for hunk in file.hunks for line in hunk.sides[side][1])
    return next((match[1] for line in lines if (match := _SUBPROJECT.match(line))), None)


def _matched(reader: Reader, before: SideLines, after: SideLines) -> list[Fact]:
    """The two sides matched by name; a moved line or a changed marker is not a fact."""
    gone = _by_key(list(reader(before)))
    come = _by_key(list(reader(after)))
    stays: Collection[tuple[str, bool, bool]] = ()
    if any(key not in come for key in gone):  # what the whole manifest still requires
        whole = replace(after, changed=tuple(enumerate(after.whole, 1)))
        stays = _by_key(list(reader(whole)))
    found: list[Fact] = []
    for key in dict.fromkeys([*gone, *come]):
        left, right = gone.get(key, []), come.get(key, [])
        common = Counter(p.version for p in left) & Counter(p.version for p in right)
        left, right = _less(left, common), _less(right, common)
        if key in come or key in stays:
            left = left[: len(right)]  # fewer lines about what is still required
        told: set[tuple[str | None, str | None]] = set()
        for old, b in zip_longest(left, right):
            # One line more about what was required already.
            a = old or (gone[key][0] if key in gone else None)
            versions = (a.version if a else None, b.version if b else None)
            # The same step in ten jobs of a workflow is one fact; a replacement that ends is none.
            commit = (a.version or "") if a and not b else ""
            moved = len(commit) >= _COMMIT and any(commit in line for _, line in after.changed)
            same = a and b and a.version == b.version
            if versions not in told and not moved and not same and not _is_silent(a, b):
                told.add(versions)
                found.append(_fact(a, b, before, after))
    return sorted(found, key=lambda f: f.evidence.line)


def _is_silent(old: Pin | None, new: Pin | None) -> bool:
    """Whether a step says nothing about what users need: it is still required, or may be."""
    pins = [pin for pin in (old, new) if pin is not None]
    return any(p.mentioned for p in pins) or (
        new is None and (pins[0].toolchain or pins[0].detail == "go replace")
    )


def _by_key(pins: Sequence[Pin]) -> dict[tuple[str, bool, bool], list[Pin]]:
    """The pins by key; runtime and development ones are apart, as one may become the other."""
    return grouped(
        pins, lambda p: (p.name.lower().replace("_", "-"), p.toolchain, p.detail.endswith(" dev"))
    )


def _less(pins: list[Pin], common: Counter[str | None]) -> list[Pin]:
    left = Counter(common)
    kept: list[Pin] = []
    for pin in pins:
        if left[pin.version] > 0:
            left[pin.version] -= 1
        else:
            kept.append(pin)
    return kept


def _fact(old: Pin | None, new: Pin | None, before: SideLines, after: SideLines) -> Fact:
    pin = new or old
    assert pin is not None
    kind = FactKind.TOOLCHAIN if pin.toolchain else FactKind.DEPENDENCY
    action = Action.CHANGED if old and new else Action.ADDED if new else Action.REMOVED
    values = old.version if old else None, new.version if new else None
    return (after if new else before).fact(
        kind, action, pin.name, pin.line, values, detail=pin.detail
    )
