"""The database: SQLite or PostgreSQL, used through SQLAlchemy Core.

Code for one database only is in :mod:`bot.store.sqlite`, :mod:`bot.store.postgresql`, the two text
index modules and :mod:`bot.store.maintenance`. Everything else is SQL that both run.

``sqlalchemy.ext.asyncio`` imports the object mapper, which this program does not use and which
takes a sixth of the time of a short command. Here that package begins empty: its engine is imported
alone. Whatever else somebody takes from it executes all of it. ``importlib.metadata``, which
SQLAlchemy imports for plugins, begins empty too.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


def _begin_empty(name: str, part: str = "") -> None:
    """Make a package import only a part of it, or nothing, unless it is imported already."""
    spec = None if name in sys.modules else find_spec(name)
    if spec is None:
        return
    package = module_from_spec(spec)
    sys.modules[name] = package
    parent, _, last = name.rpartition(".")
    setattr(sys.modules[parent], last, package)
    held = importlib.import_module(f"{name}.{part}") if part else ModuleType(name)
    package.__getattr__ = lambda wanted: _attribute(package, held, wanted)  # type: ignore[method-assign]


def _attribute(package: ModuleType, part: ModuleType, name: str) -> Any:
    """What the part has, otherwise what the whole package has."""
    if hasattr(part, name):
        return getattr(part, name)
    del package.__getattr__
    if package.__spec__ is not None and package.__spec__.loader is not None:
        package.__spec__.loader.exec_module(package)
    return getattr(package, name)


_begin_empty("importlib.metadata")
_begin_empty("sqlalchemy.ext.asyncio", "engine")
