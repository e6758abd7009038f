"""Weights of importance learned from the history of a repository, one set for each release."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    """Add the table; the first digest after a release fills it."""
    name = "fk_local_weights_repository_id"
    refers = sa.ForeignKey("repositories.id", ondelete="CASCADE", name=name)
    op.create_table(
        "local_weights",
        sa.Column("repository_id", sa.Integer(), refers, nullable=False),
        sa.Column("shipped", sa.Text(), nullable=False),
        sa.Column("release", sa.Text(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "shipped", "release", name="pk_local_weights"),
    )
