"""How often what is kept of a repository was written: pages know by it whether they still hold."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Count from nothing."""
    op.add_column(
        "repositories",
        sa.Column("revision", sa.BigInteger(), nullable=False, server_default=sa.text("0")),
    )
