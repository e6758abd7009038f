"""The area of every change, for counting; rebuilding the indexes fills it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column."""
    op.add_column("changes", sa.Column("area", sa.Text()))
