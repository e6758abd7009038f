"""The platforms: a file each, found by its name, so that adding one edits no list.

Installed packages bring more of them by entry points; see ``docs/platforms.md``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_NOT_PLATFORMS = frozenset({"base"})

GROUP = "digestbot.platforms"
"""The entry points of other packages: the name is the kind, the object a module as those here."""


def kinds() -> tuple[str, ...]:
    """The platforms that are there, in order of the alphabet."""
    return tuple(sorted({*_own(), *(point.name for point in _brought())}))


def known(kind: str) -> bool:
    """Whether a platform is there; other packages are looked through only for what is not ours."""
    return kind in _own() or any(point.name == kind for point in _brought())


def load(kind: str) -> ModuleType:
    """The module of a platform; its libraries are imported now and not before.

    What is here goes before what a package brings under the same name. Raises ``KeyError`` for a
    kind that is not there, ``ModuleNotFoundError`` for a library.
    """
    if kind in _own():
        return importlib.import_module(f"{__name__}.{kind}")
    for point in _brought():
        if point.name == kind:
            return importlib.import_module(point.module)
    raise KeyError(kind)


def _own() -> frozenset[str]:
    found = frozenset(module.name for module in pkgutil.iter_modules(__path__))
    return found - _NOT_PLATFORMS


def _brought() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)
