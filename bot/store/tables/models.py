"""What models said, and what asking them took."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Index,
    PrimaryKeyConstraint,
    Table,
    UniqueConstraint,
)

from bot.store.tables.columns import (
    belongs_to,
    large_numbers,
    metadata,
    moments,
    numbers,
    row_id,
    texts,
)

# What a model said of a change, checked; see bot.store.analyses. The row of a change is found by
# its sha, that of the same change under another name, after a rebase, by its diff.
analyses = Table(
    "analyses",
    metadata,
    row_id(),
    belongs_to("repositories"),
    *texts("sha", "diff"),
    *numbers("facts_version"),
    *texts("prompt", "model", "language"),
    *moments("made_at"),
    # Why there is no analysis, where asking again would be paid again for nothing.
    *texts("failure"),
    *texts("content"),
    UniqueConstraint(
        *("repository_id", "sha", "facts_version", "prompt", "model", "language"),
        name="uq_analyses_basis",  # the name by the convention is longer than PostgreSQL takes
    ),
    Index(None, "repository_id", "diff"),
)

# The lead and the themes of what was shown to a model, by a hash of that.
leads = Table(
    "leads",
    metadata,
    belongs_to("repositories"),
    *texts("shown", "prompt", "model", "language"),
    *moments("made_at"),
    *texts("failure", "content"),
    PrimaryKeyConstraint("repository_id", "shown", "prompt", "model", "language"),
)

model_calls = Table(
    "model_calls",
    metadata,
    row_id(),
    *moments("at"),
    *texts("kind"),
    # A name, not a row: what was paid stays on the books whatever becomes of the repository.
    *texts("repository"),
    *texts("channel", "person", "subject", "model", "rung", "outcome"),
    Column("seconds", Float, nullable=False),
    *numbers("calls"),
    *large_numbers("input_tokens", "cached_tokens", "output_tokens"),
    # In billionths of the currency.
    *large_numbers("cost"),
    *texts("currency"),
    Column("estimated", Boolean, nullable=False),
    Index(None, "at"),
)
