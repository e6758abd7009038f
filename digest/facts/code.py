"""What program text says: symbols, flags, environment variables, fields, routes and metrics.

The closed set of details, by kind:

- symbol, added, removed or renamed: ``class``, ``function``, ``method`` and the like, with the
  signature before and after (the names where it was renamed). A class speaks for its members.
- symbol, changed: ``default`` (``name`` is ``function.parameter``), ``required parameter added``,
  ``parameter added``, ``parameter removed``, ``parameter renamed``, ``signature`` (order, kind,
  ``async``), ``types`` (annotations alone), ``bases``, ``moved`` (before and after are paths).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from digest.change import FileChange, FileStatus
from digest.facts.hints import may_declare
from digest.facts.model import Area, Fact
from digest.facts.python_code import Module, is_private_module
from digest.facts.reconcile import reconcile
from digest.facts.scene import Scene
from digest.facts.source import Source, sides
from digest.facts.symbols import compare

__all__ = ["find", "reconcile", "wants"]

_LONGEST = 4_000_000  # characters; beyond this a file is data, whatever its name


def wants(file: FileChange, area: Area, language: str) -> bool:
    """Whether the whole texts of a file are needed to say what its change means.

    Judged by the changed lines alone, and never for files that come or go: their hunks are whole.
    """
    return (
        area is Area.CORE
        and language == "python"
        and file.status not in {FileStatus.ADDED, FileStatus.DELETED}
        and not is_private_module(file.path)
        and may_declare(file.hunks)
    )


def find(scene: Scene) -> Iterable[Fact]:
    """The facts of one file, in no particular order; none where its texts are not at hand."""
    if (
        scene.area is not Area.CORE
        or scene.language != "python"
        or scene.file.omitted
        or scene.file.binary
    ):
        return ()
    both = sides(scene)
    if both is None or max(len(s.text) for s in both) > _LONGEST:
        return ()
    return tuple(_python(*both))


def _python(before: Source, after: Source) -> Iterator[Fact]:
    if is_private_module(after.path):
        return
    yield from compare(Module(before), Module(after))
