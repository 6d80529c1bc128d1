"""The way to the classes of a table that costs least."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from petaudit.system.memory import working_memory
from petaudit.tables._classes.profiles import count_profiles
from petaudit.tables._classes.values import class_value_blocks
from petaudit.tables.class_blocks import ClassBlocks, HeldBlocks

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts

_SHARE_OF_MEMORY: Final = 4
"""So large a part of it may be filled with classes; the others lie in files."""


def find_class_blocks(
    table: TableCounts, quasi_identifiers: tuple[str, ...], columns: tuple[str, ...], labels: bool
) -> ClassBlocks:
    """Different classes with packed counters, or pairs of class and value, here or far away."""
    values = {column: table.sensitive_values(column).counts for column in columns}
    room = working_memory() // _SHARE_OF_MEMORY
    profiles = None if labels else count_profiles(table, quasi_identifiers, columns)
    if profiles is not None:
        return HeldBlocks(profiles.blocks(), values, room=room)
    if not table.is_remote:
        blocks = class_value_blocks(table, quasi_identifiers, columns, labels)
        return HeldBlocks(blocks, values, room=room)
    from petaudit.tables.engines.remote_blocks import remote_blocks  # noqa: PLC0415 (far engines only)

    return remote_blocks(table, quasi_identifiers, values, labels=labels)
