"""Alembic's environment: runs the revisions over the connection it is given."""

from __future__ import annotations

from alembic import context

from bot.store.tables.archive_tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite cannot alter a column: the table is rebuilt
)

with context.begin_transaction():
    context.run_migrations()
