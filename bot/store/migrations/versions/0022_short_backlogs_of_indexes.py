"""A smaller pending list of PostgreSQL's text indexes.

A GIN index first appends what is written to a pending list, and every search reads that list from
end to end (https://www.postgresql.org/docs/current/gin.html, "GIN Fast Update Technique"). With the
server's limit of 4 MB that takes a hundred times as long as the rest of a search; a short list
costs the writer a little more.
"""

from __future__ import annotations

from alembic import op

revision = "0022"
down_revision = "0021"

_MOST = 128
"""Kilobytes: those of some forty changes."""


def upgrade() -> None:
    """Set the limit and empty the lists; only PostgreSQL has them."""
    if op.get_bind().dialect.name != "postgresql":
        return
    for index in ("ix_change_grams_grams", "ix_topic_grams_grams"):
        op.execute(f"ALTER INDEX {index} SET (gin_pending_list_limit = {_MOST})")
        op.execute(f"SELECT gin_clean_pending_list('{index}')")
