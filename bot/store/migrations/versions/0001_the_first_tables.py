"""Changes with their indexes, coverage, deliveries, slots and digests."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the first tables."""
    _create_changes()
    _create_indexes()
    _create_search()
    _create_coverage()
    _create_deliveries()
    _create_digests()


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _integer(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False)


def _moment(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)


def _part_of(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}"
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")


def _create_changes() -> None:
    op.create_table(
        "repositories",
        _integer("id"),
        _text("name"),
        _text("web"),
        _text("forge"),
        _text("indexed_by"),
        sa.PrimaryKeyConstraint("id", name="pk_repositories"),
        sa.UniqueConstraint("name", name="uq_repositories_name"),
    )
    op.create_table(
        "changes",
        _integer("id"),
        _integer("repository_id"),
        _text("sha"),
        _moment("committed_at"),
        sa.Column("number", sa.BigInteger()),
        sa.Column("level", sa.SmallInteger(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        _text("graded_by"),
        _integer("facts_version"),
        _integer("omitted"),
        _text("author_key"),
        sa.PrimaryKeyConstraint("id", name="pk_changes"),
        sa.UniqueConstraint("repository_id", "sha", name="uq_changes_repository_id_sha"),
        _part_of("changes", "repository_id", "repositories"),
    )
    op.create_index(
        "ix_changes_walk",
        "changes",
        ["repository_id", "committed_at", "sha", "level", "author_key"],
    )
    op.create_index("ix_changes_repository_id_number", "changes", ["repository_id", "number"])
    op.create_table(
        "contents",
        _integer("change_id"),
        _moment("authored_at"),
        _text("author"),
        _text("email"),
        _text("parents"),
        _text("reasons"),
        _text("subject"),
        _text("message"),
        _text("facts"),
        sa.PrimaryKeyConstraint("change_id", name="pk_contents"),
        _part_of("contents", "change_id", "changes"),
    )


def _create_indexes() -> None:
    op.create_table(
        "change_texts",
        _integer("change_id"),
        _text("subject"),
        _text("body"),
        _text("paths"),
        _text("names"),
        sa.PrimaryKeyConstraint("change_id", name="pk_change_texts"),
        _part_of("change_texts", "change_id", "changes"),
    )
    op.create_table(
        "change_topics",
        _integer("repository_id"),
        _text("topic"),
        _moment("committed_at"),
        _integer("change_id"),
        sa.PrimaryKeyConstraint(
            "repository_id", "topic", "committed_at", "change_id", name="pk_change_topics"
        ),
        _part_of("change_topics", "repository_id", "repositories"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "change_paths",
        _integer("change_id"),
        _text("path"),
        _integer("repository_id"),
        _moment("committed_at"),
        sa.PrimaryKeyConstraint("change_id", "path", name="pk_change_paths"),
        _part_of("change_paths", "change_id", "changes"),
        _part_of("change_paths", "repository_id", "repositories"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_change_paths_repository_id_path_committed_at",
        "change_paths",
        ["repository_id", "path", "committed_at"],
    )


def _create_search() -> None:
    """The full-text index over ``change_texts``, and SQLite's vocabulary of it.

    The texts are without case already, so the tokenizer need not fold them a second way. The
    program fills the index itself: a trigger would make it write a segment for every row.
    """
    if op.get_bind().dialect.name == "postgresql":
        op.execute("""
            CREATE TABLE change_grams (
                change_id integer PRIMARY KEY REFERENCES changes (id) ON DELETE CASCADE,
                grams integer[] NOT NULL
            )
        """)
        op.execute("CREATE INDEX ix_change_grams_grams ON change_grams USING gin (grams)")
        return
    op.execute("""
        CREATE VIRTUAL TABLE change_search USING fts5(
            subject, body, paths, names,
            content = 'change_texts', content_rowid = 'change_id',
            tokenize = 'trigram case_sensitive 1'
        )
    """)
    # Bytes: a batch of a thousand changes becomes one segment, not eight to be merged.
    op.execute("INSERT INTO change_search (change_search, rank) VALUES ('hashsize', 8388608)")
    op.execute("CREATE VIRTUAL TABLE change_grams USING fts5vocab(change_search, row)")


def _create_coverage() -> None:
    op.create_table(
        "tips",
        _integer("repository_id"),
        _text("branch"),
        _text("channel"),
        _text("sha"),
        sa.PrimaryKeyConstraint("repository_id", "branch", "channel", name="pk_tips"),
        _part_of("tips", "repository_id", "repositories"),
    )
    op.create_table(
        "outcomes",
        _integer("repository_id"),
        _text("sha"),
        _text("branch"),
        _text("channel"),
        _text("state"),
        _text("why"),
        sa.PrimaryKeyConstraint("repository_id", "sha", "branch", "channel", name="pk_outcomes"),
        _part_of("outcomes", "repository_id", "repositories"),
    )


def _create_deliveries() -> None:
    op.create_table(
        "deliveries",
        _integer("id"),
        _text("platform"),
        _text("channel"),
        _text("digest"),
        _text("content"),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_deliveries"),
        sa.UniqueConstraint(
            "platform", "channel", "digest", name="uq_deliveries_platform_channel_digest"
        ),
    )
    undone = sa.text("NOT done")
    op.create_index(
        "ix_deliveries_undone", "deliveries", ["id"], sqlite_where=undone, postgresql_where=undone
    )
    op.create_table(
        "delivery_parts",
        _integer("delivery_id"),
        _integer("part"),
        _text("state"),
        _text("receipt"),
        _text("error"),
        sa.PrimaryKeyConstraint("delivery_id", "part", name="pk_delivery_parts"),
        _part_of("delivery_parts", "delivery_id", "deliveries"),
    )
    op.create_table(
        "slots",
        _text("subscription"),
        _text("slot"),
        sa.PrimaryKeyConstraint("subscription", "slot", name="pk_slots"),
    )


def _create_digests() -> None:
    op.create_table(
        "digests",
        _text("name"),
        _text("repository"),
        _text("branch"),
        _moment("since"),
        _moment("until"),
        _text("zone"),
        _moment("created_at"),
        _text("document"),
        _text("markdown"),
        _text("counts"),
        _text("tip"),
        _text("outcomes"),
        sa.PrimaryKeyConstraint("name", name="pk_digests"),
    )
    op.create_index("ix_digests_created_at", "digests", ["created_at"])
