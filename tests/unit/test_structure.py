"""The shape of the source tree: figures that may shrink and must not grow.

A figure that has become better is lowered here, so that it stays better.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
RINGS = ("digest", "handlers", "bot")
SAME_IN_EVERY_PACKAGE = {"__init__", "__main__", "config"}

MOST_MODULES = 358
LONGEST_MODULE = 450
MOST_LOOSE_MODULES = 5
MOST_SMALL_MODULES = 2
MOST_SHARED_BASENAMES = 12
MOST_SHARED_CLASS_NAMES = 16


@cache
def sources() -> dict[Path, ast.Module]:
    return {
        path.relative_to(ROOT): ast.parse(path.read_text(encoding="utf-8"))
        for ring in RINGS
        for path in (ROOT / ring).rglob("*.py")
        if "versions" not in path.parts
    }


def modules() -> list[Path]:
    return [path for path in sources() if path.stem not in SAME_IN_EVERY_PACKAGE]


def line_count(path: Path) -> int:
    return len((ROOT / path).read_text(encoding="utf-8").splitlines())


def test_there_are_no_more_modules_than_concepts() -> None:
    assert len(modules()) <= MOST_MODULES


def test_no_module_is_too_long_to_be_read_at_once() -> None:
    assert [str(path) for path in modules() if line_count(path) > LONGEST_MODULE] == []


def test_few_modules_are_too_small_for_a_file_of_their_own() -> None:
    small = [str(path) for path in modules() if line_count(path) < 60]
    assert len(small) <= MOST_SMALL_MODULES, small


def test_modules_are_in_packages_and_not_loose_in_a_ring() -> None:
    for ring in RINGS:
        loose = [path.stem for path in modules() if path.parts[:-1] == (ring,)]
        assert len(loose) <= MOST_LOOSE_MODULES, loose


def test_a_basename_stands_for_one_module() -> None:
    stems = Counter(path.stem for path in modules())
    shared = sorted(stem for stem, count in stems.items() if count > 1)
    assert len(shared) <= MOST_SHARED_BASENAMES, shared


def test_a_public_class_name_stands_for_one_class() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for path, tree in sources().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path))
    shared = sorted(name for name, paths in homes.items() if len(paths) > 1)
    assert len(shared) <= MOST_SHARED_CLASS_NAMES, shared


def test_the_architecture_page_names_functions_that_exist() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = [
        (path, name) for path, name in _cited(page) if not _defined(sources()[Path(path)], name)
    ]
    assert named == []


def _cited(page: str) -> list[tuple[str, str]]:
    """Paths with the function or method that the page names behind them."""
    found = []
    for line in page.splitlines():
        parts = line.split("`")
        for path, name in zip(parts[1::2], parts[3::2], strict=False):
            if (
                path.endswith(".py")
                and Path(path) in sources()
                and name.replace(".", "").isidentifier()
            ):
                found.append((path, name))
    assert len(found) > 20
    return found


def _defined(tree: ast.Module, name: str) -> bool:
    body: list[ast.stmt] = tree.body
    for part in name.split("."):
        nodes = [node for node in body if getattr(node, "name", None) == part]
        if not nodes:
            return False
        body = getattr(nodes[0], "body", [])
    return True
