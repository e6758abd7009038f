"""Who turned a chat's alerts on, so that they end with what that person may see."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Add the person; of alerts that are on nobody knows."""
    person = sa.Column("person", sa.Text(), nullable=False, server_default=sa.text("''"))
    op.add_column("profiles", person)
