"""Classes of tables whose rows live elsewhere: questions go there, or nameless classes come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from petaudit.tables.classes.blocks import ClassBlocks
from petaudit.tables.classes.keys import trimmed_keys
from petaudit.tables.results import ValueCounts

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts


@dataclass(frozen=True)
class RemotePairs:
    """Pairs of class and value, counted by the engine and still there."""

    table: TableCounts
    groups: nw.LazyFrame[Any]
    """Keys, cells, ``n`` and, where rows can be suppressed, ``suppressed``."""
    keys: tuple[str, ...]
    cells: tuple[str, ...]
    values: Mapping[str, ValueCounts]

    @property
    def flags(self) -> tuple[str, ...]:
        """The columns that say what a class is."""
        known = {*self.keys, *self.cells, "n"}
        return tuple(name for name in self.groups.collect_schema().names() if name not in known)


def remote_blocks(
    table: TableCounts,
    quasi_identifiers: Sequence[str],
    values: Mapping[str, ValueCounts],
    *,
    labels: bool,
) -> ClassBlocks:
    """The classes, to be asked where they are."""
    cells = tuple(dict.fromkeys(table.position(column) for column in values))
    keys = trimmed_keys(table, quasi_identifiers, carried=cells)
    groups = keys.flagged(table.grouped(keys.rows, [*keys.names, *cells]))
    pairs = RemotePairs(table, groups, tuple(keys.names), cells, values)
    if table.frame.implementation.is_ibis():
        from petaudit.tables._remote.numbered_blocks import NumberedBlocks  # noqa: PLC0415 (an extra)

        return NumberedBlocks(pairs, labels=labels)
    from petaudit.tables._spark.blocks import SparkBlocks  # noqa: PLC0415 (an extra)

    return SparkBlocks(pairs, labels=labels)
