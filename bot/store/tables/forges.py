"""What forges told."""

from __future__ import annotations

from sqlalchemy import Index, PrimaryKeyConstraint, Table

from bot.store.tables.columns import belongs_to, large_numbers, metadata, moments, texts

# What a forge answered, to be asked with its etag whether it still holds; see bot.store.pages.
forge_pages = Table(
    "forge_pages",
    metadata,
    # Under whose name it was asked: what one account may see, another may not.
    *texts("account"),
    *texts("address"),
    *moments("at"),
    *texts("etag", "link", "body"),
    PrimaryKeyConstraint("account", "address"),
    Index(None, "at"),
)

# What a forge says of pull and merge requests, whatever became of them; see bot.store.requests.
requests = Table(
    "requests",
    metadata,
    belongs_to("repositories"),
    *large_numbers("number"),
    *texts("state", "merge_commit"),
    *moments("updated_at", "seen_at"),
    *texts("content"),
    # Its diff analysed, as JSON, for one that is no change of the branch; else empty.
    *texts("graded"),
    PrimaryKeyConstraint("repository_id", "number"),
    Index(None, "repository_id", "merge_commit"),
)

# Up to which moment the list of a repository's requests was read.
forge_marks = Table(
    "forge_marks",
    metadata,
    belongs_to("repositories", primary=True),
    *moments("read_until"),
)
