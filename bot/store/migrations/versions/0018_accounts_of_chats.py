"""Whose chat it is, where a platform has several accounts; see ``SqlChats.adopt``.

What was kept before names no account yet. Its digests are known to the ledger under the chat's own
name, and stay so; those of chats that subscribe from now on bear the account in theirs.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

_EMPTY = sa.text("''")


def upgrade() -> None:
    """Make the account a part of both keys."""
    for table, key in (
        ("chats", ["platform", "account", "chat"]),
        ("chat_subscriptions", ["platform", "account", "chat", "repository", "kind"]),
    ):
        with op.batch_alter_table(table) as batch:
            batch.add_column(sa.Column("account", sa.Text(), nullable=False, server_default=_EMPTY))
        with op.batch_alter_table(table) as batch:
            batch.drop_constraint(f"pk_{table}", type_="primary")
            batch.create_primary_key(f"pk_{table}", key)
    op.add_column(
        "chat_subscriptions",
        sa.Column("known", sa.Text(), nullable=False, server_default=_EMPTY),
    )
    op.execute("UPDATE chat_subscriptions SET known = platform || ':' || chat")
