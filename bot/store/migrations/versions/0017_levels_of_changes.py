"""Changes ordered by level, so that thousands of matches are counted from an index."""

from __future__ import annotations

from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Create the index."""
    op.create_index("ix_changes_weight", "changes", ["repository_id", "level", "area"])
