"""The database: SQLite or PostgreSQL, used through SQLAlchemy Core.

Code for one database only is in :mod:`bot.store.sqlite`, :mod:`bot.store.postgresql`, the two text
index modules and :mod:`bot.store.maintenance`. Everything else is SQL that both run.

``sqlalchemy.ext.asyncio`` imports the object mapper, which this program does not use and which
takes a sixth of the time of a short command. Here that package begins empty: its engine is imported
alone. Whatever else somebody takes from it executes all of it.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

_PACKAGE = "sqlalchemy.ext.asyncio"


def _spare_mapper() -> None:
    """Make ``sqlalchemy.ext.asyncio`` import only its engine, unless it is imported already."""
    spec = None if _PACKAGE in sys.modules else find_spec(_PACKAGE)
    if spec is None:
        return
    package = module_from_spec(spec)
    sys.modules[_PACKAGE] = package
    engine = importlib.import_module(f"{_PACKAGE}.engine")
    package.__getattr__ = lambda name: _attribute(package, engine, name)  # type: ignore[method-assign]


def _attribute(package: ModuleType, engine: ModuleType, name: str) -> Any:
    """What the engine has, otherwise what the whole package has."""
    if hasattr(engine, name):
        return getattr(engine, name)
    del package.__getattr__
    if package.__spec__ is not None and package.__spec__.loader is not None:
        package.__spec__.loader.exec_module(package)
    return getattr(package, name)


_spare_mapper()
