"""Analyses by models, summaries of days, and the ledger of calls to models."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the tables of analyses, leads and calls."""
    _create_analyses()
    _create_leads()
    _create_calls()


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]


def _integer(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False)


def _long(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)


def _of_repository(table: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_repository_id"
    return sa.ForeignKeyConstraint(
        ["repository_id"], ["repositories.id"], name=name, ondelete="CASCADE"
    )


def _create_analyses() -> None:
    op.create_table(
        "analyses",
        _integer("id"),
        _integer("repository_id"),
        *_texts("sha", "diff"),
        _integer("facts_version"),
        *_texts("prompt", "model", "language"),
        _long("made_at"),
        *_texts("failure", "content"),
        sa.PrimaryKeyConstraint("id", name="pk_analyses"),
        sa.UniqueConstraint(
            *("repository_id", "sha", "facts_version", "prompt", "model", "language"),
            name="uq_analyses_basis",
        ),
        _of_repository("analyses"),
    )
    op.create_index("ix_analyses_repository_id_diff", "analyses", ["repository_id", "diff"])


def _create_leads() -> None:
    op.create_table(
        "leads",
        _integer("repository_id"),
        *_texts("shown", "prompt", "model", "language"),
        _long("made_at"),
        *_texts("failure", "content"),
        sa.PrimaryKeyConstraint(
            "repository_id", "shown", "prompt", "model", "language", name="pk_leads"
        ),
        _of_repository("leads"),
    )


def _create_calls() -> None:
    op.create_table(
        "model_calls",
        _integer("id"),
        _long("at"),
        *_texts("kind", "repository", "channel", "person", "subject", "model", "rung", "outcome"),
        sa.Column("seconds", sa.Float(), nullable=False),
        _integer("calls"),
        *(_long(name) for name in ("input_tokens", "cached_tokens", "output_tokens", "cost")),
        *_texts("currency"),
        sa.Column("estimated", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_model_calls"),
    )
    op.create_index("ix_model_calls_at", "model_calls", ["at"])
