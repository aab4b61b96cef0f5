"""What each run was done with."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0016"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("record", types.ExactJson()))
