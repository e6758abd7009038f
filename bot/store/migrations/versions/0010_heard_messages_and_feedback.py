"""Received messages with the state of their replies, and readers' verdicts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Create both tables, and remove the slots in which messages were recorded before."""
    op.create_table(
        "heard",
        *_texts("account", "chat", "message"),
        sa.Column("at", sa.BigInteger(), nullable=False),
        *_texts("state", "receipt", "asked"),
        sa.PrimaryKeyConstraint(*("account", "chat", "message"), name="pk_heard"),
    )
    op.create_index("ix_heard_at", "heard", ["at"])
    op.create_table(
        "feedback",
        *_texts("repository", "subject", "platform", "chat", "person"),
        *_texts("verdict", "level"),
        sa.Column("score", sa.Float(), nullable=True),
        *_texts("reasons"),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(
            *("repository", "subject", "platform", "chat", "person"), name="pk_feedback"
        ),
    )
    op.create_index("ix_feedback_at", "feedback", ["at"])
    op.execute("DELETE FROM slots WHERE subscription LIKE 'answered:%'")


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]
