"""The time of a claim, so that old claims can be removed."""

from __future__ import annotations

import time

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add the column; existing claims count from now on."""
    op.add_column(
        "slots", sa.Column("at", sa.BigInteger(), nullable=False, server_default=sa.text("0"))
    )
    now = {"now": int(time.time())}
    op.get_bind().execute(sa.text("UPDATE slots SET at = :now"), now)
    op.create_index("ix_slots_at", "slots", ["at"])
