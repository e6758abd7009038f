"""Digests and reports, coverage, and the ledger of deliveries, slots and refusals."""

from __future__ import annotations

import sqlalchemy as sa

from bot.store.tables import archive_tables as tables

tips = tables.table(
    "tips",
    tables.belongs_to("repositories"),
    *tables.texts("branch", "channel", "sha"),
    sa.PrimaryKeyConstraint("repository_id", "branch", "channel"),
)

outcomes = tables.table(
    "outcomes",
    tables.belongs_to("repositories"),
    *tables.texts("sha", "branch", "channel", "state", "why"),
    sa.PrimaryKeyConstraint("repository_id", "sha", "branch", "channel"),
)

# Periods in which every commit of a branch was read; they do not touch one another. The branch is
# empty if the default one is watched.
stretches = tables.table(
    "stretches",
    tables.belongs_to("repositories"),
    *tables.texts("branch"),
    *tables.moments("since", "until"),
    sa.PrimaryKeyConstraint("repository_id", "branch", "since"),
)

digests = tables.table(
    "digests",
    sa.Column("name", sa.Text, primary_key=True),
    *tables.texts("repository", "branch"),
    *tables.moments("since", "until"),
    *tables.texts("zone"),
    *tables.moments("created_at"),
    *tables.texts("document"),
    # The key of its full report; many digests share one.
    *tables.texts("report", "counts"),
    # The tip of the branch, and how each commit ends once the digest is delivered.
    *tables.texts("tip", "outcomes"),
    # Its page and its buttons find it by this; see bot.store.digests.
    sa.Column("mark", sa.Text, nullable=False, server_default=sa.text("''")),
    sa.Index(None, "created_at"),
    sa.Index(None, "report"),
    sa.Index(None, "mark"),
)

# Full reports as Markdown, by the SHA-256 of the text in hexadecimal.
reports = tables.table(
    "reports", sa.Column("key", sa.Text, primary_key=True), *tables.texts("markdown")
)

# ``at`` is when a delivery was claimed; 0 if an earlier version of the program wrote the row. The
# content of an old delivery that is done is empty; see bot.store.digests.
deliveries = tables.table(
    "deliveries",
    tables.row_id(),
    *tables.texts("platform", "channel", "digest", "content"),
    sa.Column("done", sa.Boolean, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False, server_default=sa.text("0")),
    sa.UniqueConstraint("platform", "channel", "digest"),
    # The same condition for PostgreSQL is set in ``bot.store.postgresql``.
    sa.Index("ix_deliveries_undone", "id", sqlite_where=sa.text("NOT done")),
)

delivery_parts = tables.table(
    "delivery_parts",
    sa.Column("delivery_id", sa.ForeignKey("deliveries.id", ondelete="CASCADE"), nullable=False),
    sa.Column("part", sa.Integer, nullable=False),
    *tables.texts("state", "receipt", "error"),
    sa.PrimaryKeyConstraint("delivery_id", "part"),
)

# Claims, each by whoever came first. ``at`` is when, 0 if an earlier version of the program wrote
# the row; see bot.store.postgresql.
slots = tables.table(
    "slots",
    *tables.texts("subscription", "slot"),
    sa.Column("at", sa.BigInteger, nullable=False, server_default=sa.text("0")),
    sa.PrimaryKeyConstraint("subscription", "slot"),
    sa.Index(None, "at"),
)

# Chats that refuse messages, by the account's name in the configuration. A chat that refused too
# often is parked: nothing is sent there until a probe succeeds or an admin asks for it.
refusals = tables.table(
    "refusals",
    *tables.texts("account", "chat", "reason", "detail"),
    *tables.large_numbers("strikes"),
    *tables.moments("since"),
    # 0 if it is not parked.
    *tables.moments("parked_at"),
    *tables.large_numbers("probes"),
    *tables.moments("next_probe"),
    sa.PrimaryKeyConstraint("account", "chat"),
)

# Changes that were reverted after a digest showing them was posted: ``sha`` is the change,
# ``by_sha`` the one that reverts it.
amendments = tables.table(
    "amendments",
    *tables.texts("platform", "channel", "digest", "sha", "by_sha", "by_name"),
    *tables.moments("at"),
    *tables.texts("state"),
    sa.PrimaryKeyConstraint("platform", "channel", "digest", "sha", "by_sha"),
    sa.Index(None, "state"),
)
