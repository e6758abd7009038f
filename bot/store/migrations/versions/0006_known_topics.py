"""Every topic once, with an index of its letters, to find similar ones."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create the table and its index, and fill both from the topics of changes."""
    op.create_table(
        "known_topics",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_known_topics"),
        sa.UniqueConstraint("repository_id", "topic", name="uq_known_topics_repository_id_topic"),
        sa.ForeignKeyConstraint(
            ["repository_id"],
            ["repositories.id"],
            name="fk_known_topics_repository_id",
            ondelete="CASCADE",
        ),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute("""
            CREATE TABLE topic_grams (
                topic_id integer PRIMARY KEY REFERENCES known_topics (id) ON DELETE CASCADE,
                grams integer[] NOT NULL
            )
        """)
        op.execute("CREATE INDEX ix_topic_grams_grams ON topic_grams USING gin (grams)")
        return
    op.execute("""
        CREATE VIRTUAL TABLE topic_search USING fts5(
            topic, content = 'known_topics', content_rowid = 'id',
            tokenize = 'trigram case_sensitive 1'
        )
    """)
    op.execute("""
        INSERT INTO known_topics (repository_id, topic)
        SELECT DISTINCT repository_id, topic FROM change_topics
    """)
    op.execute("INSERT INTO topic_search (topic_search) VALUES ('rebuild')")
