"""Settings and subscriptions of chats."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "chats",
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("platform", "chat", name="pk_chats"),
    )
    op.create_table(
        "chat_subscriptions",
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("schedule", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint(
            "platform", "chat", "repository", "kind", name="pk_chat_subscriptions"
        ),
    )
