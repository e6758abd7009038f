"""The one-line description of a change for lists; filled with the indexes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "change_lines",
        sa.Column("change_id", sa.Integer(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("spans", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("change_id", "language", name="pk_change_lines"),
        sa.ForeignKeyConstraint(
            ["change_id"], ["changes.id"], name="fk_change_lines_change_id", ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )
