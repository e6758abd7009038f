"""When deliveries were claimed, so that what nobody needs of old ones can be let go.

Those that are there are of no known moment (0): they are older than the first that has one.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Add the moment."""
    at = sa.Column("at", sa.BigInteger(), nullable=False, server_default=sa.text("0"))
    op.add_column("deliveries", at)
