"""Chats that refuse messages, and digests that were amended after they were posted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the tables of refusals and of amendments."""
    op.create_table(
        "refusals",
        *_texts("account", "chat", "reason", "detail"),
        *_numbers("strikes", "since", "parked_at", "probes", "next_probe"),
        sa.PrimaryKeyConstraint("account", "chat", name="pk_refusals"),
    )
    op.create_table(
        "amendments",
        *_texts("platform", "channel", "digest", "sha", "by_sha", "by_name"),
        *_numbers("at"),
        *_texts("state"),
        sa.PrimaryKeyConstraint(
            *("platform", "channel", "digest", "sha", "by_sha"), name="pk_amendments"
        ),
    )
    op.create_index("ix_amendments_state", "amendments", ["state"])


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]


def _numbers(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.BigInteger(), nullable=False) for name in names]
