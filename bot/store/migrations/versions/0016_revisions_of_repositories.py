"""The revision of a repository, which tells whether cached pages are still valid."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Add the column, starting at 0."""
    op.add_column(
        "repositories",
        sa.Column("revision", sa.BigInteger(), nullable=False, server_default=sa.text("0")),
    )
