"""The mark of a digest: a short name for it in addresses of pages and in buttons."""

from __future__ import annotations

import hashlib

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Add the column and its index, and fill it for the stored digests."""
    op.add_column(
        "digests", sa.Column("mark", sa.Text(), nullable=False, server_default=sa.text("''"))
    )
    connection = op.get_bind()
    names = connection.execute(sa.text("SELECT name FROM digests")).scalars().all()
    marked = sa.text("UPDATE digests SET mark = :mark WHERE name = :name")
    for name in names:
        connection.execute(marked, {"mark": _mark(name), "name": name})
    op.create_index("ix_digests_mark", "digests", ["mark"])


def _mark(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
