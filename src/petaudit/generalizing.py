"""Applying generalisation levels to a table and suppressing the rows of small classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petaudit.counts import relabelled_table
from petaudit.errors import OptionError, phrase
from petaudit.files import unchanged
from petaudit.hierarchies import Hierarchy, HierarchySpec
from petaudit.inputs import Inputs, RolesSpec, gather
from petaudit.labels import SUPPRESSED
from petaudit.roles import Role, check_column

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Generalized:
    """A generalised table and how many of its rows were suppressed."""

    table: pa.Table
    suppressed_rows: int
    files: tuple[Path, ...]
    """The files that were read."""


def generalize(
    table: object,
    *,
    levels: Mapping[str, int],
    hierarchies: HierarchySpec = None,
    quasi_identifiers: Sequence[str] | None = None,
    suppress_below: int | None = None,
    **given: Any,
) -> pa.Table:
    """Generalise columns to the given levels, in row order; see ``generalize_with_report``.

    >>> import pyarrow as pa
    >>> ages = pa.table({"age": ["23", "24", "61"]})
    >>> from petaudit import ranges
    >>> released = generalize(ages, levels={"age": 1}, hierarchies={"age": ranges(10)},
    ...                       suppress_below=2)
    >>> released.column("age").to_pylist()
    ['[20,30[', '[20,30[', '*']
    """
    return generalize_with_report(
        table,
        levels=levels,
        hierarchies=hierarchies,
        quasi_identifiers=quasi_identifiers,
        suppress_below=suppress_below,
        **given,
    ).table


def generalize_with_report(
    table: object,
    *,
    levels: Mapping[str, int],
    hierarchies: HierarchySpec = None,
    quasi_identifiers: Sequence[str] | None = None,
    suppress_below: int | None = None,
    roles: RolesSpec = None,
    **given: Any,
) -> Generalized:
    """Generalise, and set every quasi-identifier of rows in classes below a size to ``*``.

    The quasi-identifiers are those given, else the side-car's, else the generalised columns.
    Columns whose role is identifier are suppressed altogether.
    """
    with unchanged():
        inputs = gather(
            table,
            roles=roles,
            quasi_identifiers=quasi_identifiers,
            hierarchies=hierarchies,
            **given,
        )
        return _generalized(inputs, levels, suppress_below)


def _generalized(
    inputs: Inputs, levels: Mapping[str, int], suppress_below: int | None
) -> Generalized:
    _check_suppression(suppress_below)
    if not levels:
        raise OptionError(phrase("no level is given; name at least one column and its level"))
    relabel: dict[str, dict[str | None, str | None]] = {}
    for column, level in levels.items():
        check_column(column, inputs.table.columns, inputs.table.name)
        relabel[column] = _labels_at(inputs, column, level)
    for column in inputs.roles.columns(Role.IDENTIFIER):
        labels = inputs.table.counts.value_counts(column).labels
        relabel[column] = dict.fromkeys(labels, SUPPRESSED)
    names = inputs.roles.quasi_identifiers or tuple(levels)
    made, suppressed = relabelled_table(inputs.table, relabel, names, suppress_below or 0)
    return Generalized(made, suppressed, inputs.files)


def _labels_at(inputs: Inputs, column: str, level: int) -> dict[str | None, str | None]:
    labels = inputs.table.counts.value_counts(column).labels
    hierarchy = inputs.hierarchies.get(column, lambda _: labels)
    if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level < hierarchy.levels:
        raise OptionError(
            phrase(
                "level {level!r} for column {column!r}; its hierarchy has the levels 0 to {most}",
                level=level,
                column=column,
                most=hierarchy.levels - 1,
            )
        )
    _check_leaves(hierarchy, labels)
    return {label: hierarchy.generalize(label, level) for label in labels}


def _check_leaves(hierarchy: Hierarchy, labels: Sequence[str | None]) -> None:
    strange = [label for label in labels if not hierarchy.is_leaf(label)]
    if strange:
        raise hierarchy.unknown_leaves(strange)


def _check_suppression(suppress_below: int | None) -> None:
    if suppress_below is not None and (
        isinstance(suppress_below, bool)
        or not isinstance(suppress_below, int)
        or suppress_below < 1
    ):
        raise OptionError(
            phrase(
                "suppress_below is {size!r}; a class size from 1 was expected", size=suppress_below
            )
        )
