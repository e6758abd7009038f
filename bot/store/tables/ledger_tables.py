"""Digests with their full reports, and which commits of a branch each channel was told of.

The ledger: what was posted where, which slots are done, which chats refuse.
"""

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

digests = Table(
    "digests",
    metadata,
    Column("name", Text, primary_key=True),
    *texts("repository", "branch"),
    *moments("since", "until"),
    *texts("zone"),
    *moments("created_at"),
    *texts("document"),
    # Its full report, by key; many digests have the same.
    *texts("report", "counts"),
    # Where the branch stood, and how each commit ends once the digest is delivered.
    *texts("tip", "outcomes"),
    Index(None, "created_at"),
    Index(None, "report"),
)

# Full reports as Markdown, by the SHA-256 of the text in hexadecimal.
reports = Table(
    "reports",
    metadata,
    Column("key", Text, primary_key=True),
    *texts("markdown"),
)

# ``at`` is when a delivery was claimed, and 0 where a program that did not tell wrote the row. The
# content of an old one that is done is empty; see bot.store.digests.
deliveries = Table(
    "deliveries",
    metadata,
    row_id(),
    *texts("platform", "channel", "digest", "content"),
    Column("done", Boolean, nullable=False),
    Column("at", BigInteger, nullable=False, server_default=text("0")),
    UniqueConstraint("platform", "channel", "digest"),
    # What PostgreSQL is told as well is said in ``bot.store.postgresql``, where it is loaded.
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

# What was claimed, by whoever came first. ``at`` is when, and 0 where a program that did not tell
# wrote the row; see bot.store.leases.
slots = Table(
    "slots",
    metadata,
    *texts("subscription", "slot"),
    Column("at", BigInteger, nullable=False, server_default=text("0")),
    PrimaryKeyConstraint("subscription", "slot"),
    Index(None, "at"),
)

# Chats that refuse what is sent to them, by the account's name in the configuration. One that did
# so too often is parked: nothing is sent there until a probe succeeds or an admin says so.
refusals = Table(
    "refusals",
    metadata,
    *texts("account", "chat", "reason", "detail"),
    *large_numbers("strikes"),
    *moments("since"),
    # 0 where it is not parked.
    *moments("parked_at"),
    *large_numbers("probes"),
    *moments("next_probe"),
    PrimaryKeyConstraint("account", "chat"),
)

# What became of a change after a digest that shows it was posted: ``sha`` is the change, ``by_sha``
# the one that reverts it.
amendments = Table(
    "amendments",
    metadata,
    *texts("platform", "channel", "digest", "sha", "by_sha", "by_name"),
    *moments("at"),
    *texts("state"),
    PrimaryKeyConstraint("platform", "channel", "digest", "sha", "by_sha"),
    Index(None, "state"),
)
