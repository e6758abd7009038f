"""An index of single characters and pairs of them, for terms of one or two characters."""

from __future__ import annotations

from operator import add

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_BATCH = 1000


def upgrade() -> None:
    """Create the index, fill it from the texts, and drop the vocabulary that was used instead.

    PostgreSQL has characters and pairs in its one index.
    """
    if op.get_bind().dialect.name == "postgresql":
        return
    op.execute("""
        CREATE VIRTUAL TABLE change_pairs USING fts5(
            pairs, content = '', detail = none, columnsize = 0, tokenize = 'ascii'
        )
    """)
    op.execute("INSERT INTO change_pairs (change_pairs, rank) VALUES ('hashsize', 8388608)")
    connection = op.get_bind()
    last = 0
    while rows := connection.execute(
        sa.text(
            "SELECT change_id, subject, body, paths, names FROM change_texts "
            "WHERE change_id > :last ORDER BY change_id LIMIT :batch"
        ),
        {"last": last, "batch": _BATCH},
    ).all():
        connection.exec_driver_sql(
            "INSERT INTO change_pairs (rowid, pairs) VALUES (?, ?)",
            [(key, _pairs_of(texts)) for key, *texts in rows],
        )
        last = rows[-1][0]
    op.execute("DROP TABLE change_grams")


def _pairs_of(texts: list[str]) -> str:
    held: set[str] = set()
    for text in texts:
        held.update(text, map(add, text, text[1:]))
    return " ".join("z".join(f"{ord(character):x}" for character in pair) for pair in held)
