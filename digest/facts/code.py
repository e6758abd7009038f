"""What program text says: symbols, flags, environment variables, fields, routes and metrics.

The closed set of details, by kind:

- symbol, added, removed or renamed: ``class``, ``function``, ``method`` and the like, with the
  signature before or after (the names where it was renamed). A class speaks for its members.
- symbol, changed: ``default`` (``name`` is ``function.parameter``; no value means that it must be
  given), ``required parameter added``, ``parameter added``, ``parameter removed``, ``parameter
  renamed``, ``signature`` (order, kind, ``async``), ``types`` (annotations alone), ``bases``,
  ``visibility`` (``public`` and ``private``), ``moved`` (before and after are paths).
- flag: empty, ``default`` or ``choices`` where changed, ``alias`` for a second name.
- environment: empty for one that is declared (in a table, as a setting), ``read`` for one that is
  read where it is needed, ``default`` where changed.
- config: ``field``, ``default`` or ``type`` where changed; ``name`` is ``Class.field``.
- route and metric: empty.

The public interface is that of the core alone; flags and variables count in build files too. Not
in tests, documents, examples and benchmarks: those are nobody's contract.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from digest.change import FileChange, FileStatus
from digest.facts import config, environment, flags, metrics, routes, symbols
from digest.facts.hints import may_declare, may_set
from digest.facts.model import Area, Fact
from digest.facts.python_code import Module, is_private_module
from digest.facts.reconcile import reconcile
from digest.facts.scene import Scene
from digest.facts.source import Source, sides
from digest.facts.syntax import rust
from digest.facts.tree_code import TreeCode, reads

__all__ = ["find", "reconcile", "wants"]

_LONGEST = 4_000_000  # characters; beyond this a file is data, whatever its name
_LONGEST_TREE = 200_000  # characters; parsing broken text takes up to 15 seconds a million
_SETTING = (Area.CORE, Area.BUILD)


def wants(file: FileChange, area: Area, language: str) -> bool:
    """Whether the whole texts of a file are needed to say what its change means.

    Judged by the changed lines alone, and never for files that come or go: their hunks are whole.
    """
    if area not in _SETTING or file.status in {FileStatus.ADDED, FileStatus.DELETED}:
        return False
    if may_set(file.hunks, language):
        return True
    return (
        area is Area.CORE
        and _has_symbols(file.path, language)
        and may_declare(file.hunks, language)
    )


def find(scene: Scene) -> Iterable[Fact]:
    """The facts of one file, in no particular order; none where its texts are not at hand."""
    if scene.area not in _SETTING or scene.file.omitted or scene.file.binary:
        return ()
    both = sides(scene)
    if both is None or max(len(s.text) for s in both) > _LONGEST:
        return ()
    return tuple(_found(scene, *both))


def _found(scene: Scene, before: Source, after: Source) -> Iterator[Fact]:
    language = scene.language
    if may_set(scene.file.hunks, language):
        yield from flags.find(before, after, language)
        yield from environment.find(before, after, language)
        if scene.area is Area.CORE:
            yield from routes.find(before, after, language)
            yield from metrics.find(before, after, language)
    if scene.area is not Area.CORE:
        return
    if not _has_symbols(after.path, language) or not may_declare(scene.file.hunks, language):
        return
    if language == "python":
        module = Module(before), Module(after)
        yield from symbols.compare(*module)
        yield from config.compare(*module)
    else:
        if not all(_parses(side.text, language) for side in (before, after)):
            return
        then = TreeCode(before, language)
        tree = then, TreeCode(after, language, then)
        yield from symbols.compare(*tree)
        yield from config.compare(*tree)


def _parses(text: str, language: str) -> bool:
    """Whether a text is parsed in a time that its length bounds."""
    return len(text) <= _LONGEST_TREE and not (language == "rust" and rust.is_endless(text))


def _has_symbols(path: str, language: str) -> bool:
    if language == "python":
        return not is_private_module(path)
    return reads(language, path)
