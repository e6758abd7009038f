"""What chats and people depend on, and the commit up to which they were alerted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "profiles",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("entries", sa.Text(), nullable=False),
        sa.Column("alerts", sa.Integer(), nullable=False),
        sa.Column("tip", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "repository", name="pk_profiles"),
    )
