"""Data of forges: responses with their etags, requests, and how far each list was read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Create the tables of responses, requests and marks."""
    op.create_table(
        "forge_pages",
        *_texts("account", "address"),
        sa.Column("at", sa.BigInteger(), nullable=False),
        *_texts("etag", "link", "body"),
        sa.PrimaryKeyConstraint("account", "address", name="pk_forge_pages"),
    )
    op.create_index("ix_forge_pages_at", "forge_pages", ["at"])
    op.create_table(
        "requests",
        _repository("requests"),
        *_numbers("number"),
        *_texts("state", "merge_commit"),
        *_numbers("updated_at", "seen_at"),
        *_texts("content", "graded"),
        sa.PrimaryKeyConstraint("repository_id", "number", name="pk_requests"),
    )
    op.create_index(
        "ix_requests_repository_id_merge_commit", "requests", ["repository_id", "merge_commit"]
    )
    op.create_table(
        "forge_marks",
        _repository("forge_marks"),
        *_numbers("read_until"),
        sa.PrimaryKeyConstraint("repository_id", name="pk_forge_marks"),
    )


def _repository(table: str) -> sa.Column[int]:
    refers = sa.ForeignKey("repositories.id", ondelete="CASCADE", name=f"fk_{table}_repository_id")
    return sa.Column("repository_id", sa.Integer(), refers, nullable=False)


def _numbers(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.BigInteger(), nullable=False) for name in names]


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]
