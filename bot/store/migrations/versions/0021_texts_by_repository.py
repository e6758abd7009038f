"""The repository of every text and topic, as one more number in PostgreSQL's text indexes.

A search is about one repository. Without this number the index also found the matches of all other
repositories, which were then discarded.
"""

from __future__ import annotations

from zlib import crc32

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

_INDEXED = (("change_grams", "change_id", "changes"), ("topic_grams", "topic_id", "known_topics"))


def upgrade() -> None:
    """Rewrite the rows, each with the number of its repository; only PostgreSQL has them."""
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    keys = list(connection.scalars(sa.text("SELECT id FROM repositories ORDER BY id")))
    marks = {"keys": keys, "marks": list(map(_mark, keys))}
    for table, key, owner in _INDEXED:
        # Into an empty table, and with the index created last, so that no space is wasted.
        connection.execute(
            sa.text(f"""
                CREATE TEMPORARY TABLE marked ON COMMIT DROP AS
                SELECT held.{key}, array_append(held.grams, mark.number) AS grams
                FROM {table} AS held JOIN {owner} AS owner ON owner.id = held.{key}
                JOIN unnest(CAST(:keys AS integer[]), CAST(:marks AS integer[]))
                    AS mark (repository_id, number) ON mark.repository_id = owner.repository_id
                ORDER BY held.{key}
            """),  # noqa: S608 - names of our own
            marks,
        )
        op.execute(f"DROP INDEX ix_{table}_grams")
        op.execute(f"TRUNCATE {table}")
        op.execute(f"INSERT INTO {table} ({key}, grams) SELECT {key}, grams FROM marked")  # noqa: S608 - as above
        op.execute(f"CREATE INDEX ix_{table}_grams ON {table} USING gin (grams)")
        op.execute("DROP TABLE marked")


def _mark(repository: int) -> int:
    return crc32(b"repository %d" % repository) - 2**31
