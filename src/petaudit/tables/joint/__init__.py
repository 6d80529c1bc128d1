"""Several tables in common integer codes, for searches that compare their rows.

Tables come in one order everywhere: the synthetic one, the original, and a control if there is one.
"""

from petaudit.tables.joint.column import JointColumn
from petaudit.tables.joint.tables import (
    JointTables,
    check_same_columns,
    joint_tables,
    reads_column_by_column,
)
from petaudit.tables.joint.values import unit_named

__all__ = [
    "JointColumn",
    "JointTables",
    "check_same_columns",
    "joint_tables",
    "reads_column_by_column",
    "unit_named",
]
