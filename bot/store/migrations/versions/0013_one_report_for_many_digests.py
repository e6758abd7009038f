"""Full reports, one copy for all digests with the same report."""

from __future__ import annotations

import hashlib

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Move each report out of its digest, which then refers to it."""
    op.create_table(
        "reports",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("markdown", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_reports"),
    )
    connection = op.get_bind()
    names = connection.execute(sa.text("SELECT name FROM digests")).scalars().all()
    kept: set[str] = set()
    for name in names:
        wanted = sa.text("SELECT markdown FROM digests WHERE name = :name")
        markdown = connection.execute(wanted, {"name": name}).scalar_one()
        key = hashlib.sha256(markdown.encode()).hexdigest()
        if key not in kept:
            kept.add(key)
            row = {"key": key, "markdown": markdown}
            connection.execute(sa.text("INSERT INTO reports VALUES (:key, :markdown)"), row)
        moved = sa.text("UPDATE digests SET markdown = :key WHERE name = :name")
        connection.execute(moved, {"key": key, "name": name})
    op.execute("ALTER TABLE digests RENAME COLUMN markdown TO report")
    op.create_index("ix_digests_report", "digests", ["report"])
