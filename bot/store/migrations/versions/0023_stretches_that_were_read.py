"""The periods of which every commit was read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Add the table, empty: what was read before is looked up in git again when it is needed."""
    op.create_table(
        "stretches",
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("branch", sa.Text(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["repository_id"],
            ["repositories.id"],
            name="fk_stretches_repository_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("repository_id", "branch", "since", name="pk_stretches"),
    )
