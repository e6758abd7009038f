"""An index that knows the first and the last change of a repository: a search reads no others."""

from __future__ import annotations

from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    """Create the index."""
    op.create_index("ix_changes_reach", "changes", ["repository_id", "id"])
