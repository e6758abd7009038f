"""An index that knows the first and the last topic of a repository: a search reads no others."""

from __future__ import annotations

from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """Create the index."""
    op.create_index("ix_known_topics_reach", "known_topics", ["repository_id", "id"])
