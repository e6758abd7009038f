"""The platforms: a file each, found by its name, so that adding one edits no list."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

_NOT_PLATFORMS = frozenset({"base"})


def kinds() -> tuple[str, ...]:
    """The platforms that are there, in order of the alphabet."""
    found = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(name for name in found if name not in _NOT_PLATFORMS))


def load(kind: str) -> ModuleType:
    """The module of a platform; its libraries are imported now and not before.

    Raises ``KeyError`` for a kind that is not there, ``ModuleNotFoundError`` for a library.
    """
    if kind not in kinds():
        raise KeyError(kind)
    return importlib.import_module(f"{__name__}.{kind}")
