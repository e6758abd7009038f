"""The person who turned a chat's alerts on; alerts stop when that person loses access."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Add the column, empty where alerts are already on: who asked for them was not recorded."""
    person = sa.Column("person", sa.Text(), nullable=False, server_default=sa.text("''"))
    op.add_column("profiles", person)
