"""An archive of its own for every test, migrated once."""

from tests.integration.store.conftest import database, empty

__all__ = ["database", "empty"]
