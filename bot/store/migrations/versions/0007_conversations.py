"""The state of conversations, and what people looked at last."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Create the tables of conversations and of looks."""
    op.create_table(
        "conversations",
        *_texts("platform", "chat", "thread", "person"),
        sa.Column("at", sa.BigInteger(), nullable=False),
        *_texts("state"),
        sa.PrimaryKeyConstraint(*("platform", "chat", "thread", "person"), name="pk_conversations"),
    )
    op.create_index("ix_conversations_at", "conversations", ["at"])
    op.create_table(
        "looks",
        *_texts("platform", "chat", "person", "repository"),
        sa.Column("at", sa.BigInteger(), nullable=False),
        *_texts("tip"),
        sa.PrimaryKeyConstraint(*("platform", "chat", "person", "repository"), name="pk_looks"),
    )


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]
