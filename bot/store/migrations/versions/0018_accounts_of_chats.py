"""The account of a chat, for platforms with several accounts; see ``SqlChats.adopt``."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

_CHATS = ("platform", "account", "chat", "settings")
_SUBSCRIPTIONS = ("platform", "account", "chat", "repository", "kind", "schedule", "known")


def upgrade() -> None:
    """Make the account a part of both keys."""
    _again("chats", _CHATS, _CHATS[:3], "platform, '', chat, settings")
    _again(
        "chat_subscriptions",
        _SUBSCRIPTIONS,
        _SUBSCRIPTIONS[:5],
        "platform, '', chat, repository, kind, schedule, platform || ':' || chat",
    )


def _again(table: str, columns: tuple[str, ...], key: tuple[str, ...], rows: str) -> None:
    """Make a table anew: a key cannot be changed in place everywhere."""
    op.execute(f"CREATE TABLE kept_{table} AS SELECT * FROM {table}")  # noqa: S608  # our own names
    op.drop_table(table)
    op.create_table(
        table,
        *(sa.Column(name, sa.Text(), nullable=False) for name in columns),
        sa.PrimaryKeyConstraint(*key, name=f"pk_{table}"),
    )
    op.execute(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {rows} FROM kept_{table}")  # noqa: S608  # our own names
    op.drop_table(f"kept_{table}")
