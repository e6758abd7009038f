"""The time when a delivery was claimed, so that old content can be removed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Add the column."""
    at = sa.Column("at", sa.BigInteger(), nullable=False, server_default=sa.text("0"))
    op.add_column("deliveries", at)
