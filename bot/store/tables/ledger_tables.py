"""Digests and reports, coverage, and the ledger of deliveries, slots and refusals."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from bot.store.tables.archive_tables import (
    belongs_to,
    large_numbers,
    metadata,
    moments,
    row_id,
    texts,
)

tips = Table(
    "tips",
    metadata,
    belongs_to("repositories"),
    *texts("branch", "channel", "sha"),
    PrimaryKeyConstraint("repository_id", "branch", "channel"),
)

outcomes = Table(
    "outcomes",
    metadata,
    belongs_to("repositories"),
    *texts("sha", "branch", "channel", "state", "why"),
    PrimaryKeyConstraint("repository_id", "sha", "branch", "channel"),
)

# Periods in which every commit of a branch was read; they do not touch one another. The branch is
# empty if the default one is watched.
stretches = Table(
    "stretches",
    metadata,
    belongs_to("repositories"),
    *texts("branch"),
    *moments("since", "until"),
    PrimaryKeyConstraint("repository_id", "branch", "since"),
)

digests = Table(
    "digests",
    metadata,
    Column("name", Text, primary_key=True),
    *texts("repository", "branch"),
    *moments("since", "until"),
    *texts("zone"),
    *moments("created_at"),
    *texts("document"),
    # The key of its full report; many digests share one.
    *texts("report", "counts"),
    # The tip of the branch, and how each commit ends once the digest is delivered.
    *texts("tip", "outcomes"),
    # Its page and its buttons find it by this; see bot.store.digests.
    Column("mark", Text, nullable=False, server_default=text("''")),
    Index(None, "created_at"),
    Index(None, "report"),
    Index(None, "mark"),
)

# Full reports as Markdown, by the SHA-256 of the text in hexadecimal.
reports = Table("reports", metadata, Column("key", Text, primary_key=True), *texts("markdown"))

# ``at`` is when a delivery was claimed; 0 if an earlier version of the program wrote the row. The
# content of an old delivery that is done is empty; see bot.store.digests.
deliveries = Table(
    "deliveries",
    metadata,
    row_id(),
    *texts("platform", "channel", "digest", "content"),
    Column("done", Boolean, nullable=False),
    Column("at", BigInteger, nullable=False, server_default=text("0")),
    UniqueConstraint("platform", "channel", "digest"),
    # The same condition for PostgreSQL is set in ``bot.store.postgresql``.
    Index("ix_deliveries_undone", "id", sqlite_where=text("NOT done")),
)

delivery_parts = Table(
    "delivery_parts",
    metadata,
    Column("delivery_id", ForeignKey("deliveries.id", ondelete="CASCADE"), nullable=False),
    Column("part", Integer, nullable=False),
    *texts("state", "receipt", "error"),
    PrimaryKeyConstraint("delivery_id", "part"),
)

# Claims, each by whoever came first. ``at`` is when, 0 if an earlier version of the program wrote
# the row; see bot.store.leases.
slots = Table(
    "slots",
    metadata,
    *texts("subscription", "slot"),
    Column("at", BigInteger, nullable=False, server_default=text("0")),
    PrimaryKeyConstraint("subscription", "slot"),
    Index(None, "at"),
)

# Chats that refuse messages, by the account's name in the configuration. A chat that refused too
# often is parked: nothing is sent there until a probe succeeds or an admin asks for it.
refusals = Table(
    "refusals",
    metadata,
    *texts("account", "chat", "reason", "detail"),
    *large_numbers("strikes"),
    *moments("since"),
    # 0 if it is not parked.
    *moments("parked_at"),
    *large_numbers("probes"),
    *moments("next_probe"),
    PrimaryKeyConstraint("account", "chat"),
)

# Changes that were reverted after a digest showing them was posted: ``sha`` is the change,
# ``by_sha`` the one that reverts it.
amendments = Table(
    "amendments",
    metadata,
    *texts("platform", "channel", "digest", "sha", "by_sha", "by_name"),
    *moments("at"),
    *texts("state"),
    PrimaryKeyConstraint("platform", "channel", "digest", "sha", "by_sha"),
    Index(None, "state"),
)
