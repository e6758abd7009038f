"""Digests with their full reports, and which commits of a branch each channel was told of."""

from __future__ import annotations

from sqlalchemy import Column, Index, PrimaryKeyConstraint, Table, Text

from bot.store.tables.columns import belongs_to, metadata, moments, texts

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
