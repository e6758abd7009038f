"""The platforms, one module or package each, found by name: adding one edits no list.

Installed packages add more by entry points; see ``docs/platforms.md``.
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
"""Entry points of other packages: the name is the kind, the object a module like those here."""


def kinds() -> tuple[str, ...]:
    """The available platforms in alphabetical order."""
    return tuple(sorted({*_own(), *(point.name for point in _brought())}))


def known(kind: str) -> bool:
    """Whether a platform exists. Other packages are searched only for names that are not ours."""
    return kind in _own() or any(point.name == kind for point in _brought())


def load(kind: str) -> ModuleType:
    """The module of a platform. Its libraries are imported only now.

    A built-in platform takes precedence over a package's of the same name. Raises ``KeyError`` for
    an unknown kind, ``ModuleNotFoundError`` for a missing library.
    """
    if kind in _own():
        return importlib.import_module(f"{__name__}.{kind}")
    for point in _brought():
        if point.name == kind:
            return importlib.import_module(point.module)
    raise KeyError(kind)


def _own() -> frozenset[str]:
    names = frozenset(module.name for module in pkgutil.iter_modules(__path__))
    return names - _NOT_PLATFORMS


def _brought() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)
