"""What is told of a change in a line, for the lists that show it; made with the indexes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table."""
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
