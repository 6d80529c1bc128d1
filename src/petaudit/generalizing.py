"""Applying generalisation levels to a table and suppressing the rows of small classes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from petaudit.errors import (
    HierarchyError,
    OptionError,
    PetauditWarning,
    Phrase,
    RoleError,
    argument,
    counted,
    listing,
    phrase,
    suggestion,
)
from petaudit.inputs import Inputs, RolesSpec, gather
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchies import HierarchySpec
from petaudit.roles import Role
from petaudit.system.files import unchanged
from petaudit.system.progress import stage
from petaudit.tables import in_kind_of, relabelled_table
from petaudit.tables.headers import check_column

if TYPE_CHECKING:
    import pyarrow as pa

SuppressedRows: TypeAlias = Literal["keep", "drop", "blank"]


@dataclass(frozen=True)
class Generalized:
    """A generalised table and how many of its rows are suppressed."""

    table: pa.Table
    changed: frozenset[str]
    """The columns that were generalised, suppressed or emptied."""
    kept: npt.NDArray[np.bool_]
    """Which rows are still in the table."""
    suppressed_rows: int
    """Rows with ``*`` in every quasi-identifier, those that were dropped included."""
    files: tuple[Path, ...]
    """The files that were read."""
    warnings: tuple[str, ...] = ()
    """What the suppressed rows that were kept may still tell."""


def generalize(
    table: object,
    *,
    levels: Mapping[str, int],
    hierarchies: HierarchySpec = None,
    quasi_identifiers: Sequence[str] | None = None,
    suppress_below: int | None = None,
    suppressed_rows: SuppressedRows = "keep",
    **given: Any,
) -> Any:
    """Generalise columns to the given levels, in row order; see ``generalize_with_report``.

    A frame in memory comes back in its kind, pandas with its index; a file as a PyArrow table.
    Suppressed rows are kept, with a warning that says what they tell; or they are dropped, or their
    sensitive cells are emptied (``blank``).

    >>> import pyarrow as pa
    >>> ages = pa.table({"age": ["23", "24", "61"]})
    >>> from petaudit import ranges
    >>> released = generalize(ages, levels={"age": 1}, hierarchies={"age": ranges(10)},
    ...                       suppress_below=2, suppressed_rows="drop")
    >>> released.column("age").to_pylist()
    ['[20,30[', '[20,30[']
    """
    report = generalize_with_report(
        table,
        levels=levels,
        hierarchies=hierarchies,
        quasi_identifiers=quasi_identifiers,
        suppress_below=suppress_below,
        suppressed_rows=suppressed_rows,
        **given,
    )
    for message in report.warnings:
        warnings.warn(message, PetauditWarning, stacklevel=2)
    return in_kind_of(table, report.table, report.changed, report.kept)


def generalize_with_report(
    table: object,
    *,
    levels: Mapping[str, int],
    hierarchies: HierarchySpec = None,
    quasi_identifiers: Sequence[str] | None = None,
    suppress_below: int | None = None,
    suppressed_rows: SuppressedRows = "keep",
    roles: RolesSpec = None,
    **given: Any,
) -> Generalized:
    """Generalise, and set every quasi-identifier of rows in classes below a size to ``*``.

    The quasi-identifiers are those given, else the side-car's, else the generalised columns.
    Columns whose role is identifier are suppressed altogether. With a person column, the size of
    a class is its number of different people.
    """
    if suppressed_rows not in get_args(SuppressedRows):
        raise OptionError(
            "suppressed_rows must be 'keep', 'drop' or 'blank', got {given!r}{near}",
            given=suppressed_rows,
            near=suggestion(str(suppressed_rows), get_args(SuppressedRows)),
        )
    with unchanged():
        inputs = gather(
            table,
            roles=roles,
            quasi_identifiers=quasi_identifiers,
            hierarchies=hierarchies,
            **given,
        )
        return _generalized(inputs, levels, suppress_below, suppressed_rows)


def _generalized(
    inputs: Inputs,
    levels: Mapping[str, int],
    suppress_below: int | None,
    suppressed_rows: SuppressedRows,
) -> Generalized:
    if suppress_below is not None and (
        isinstance(suppress_below, bool)
        or not isinstance(suppress_below, int)
        or suppress_below < 1
    ):
        raise OptionError(
            "suppress_below must be an integer >= 1, got {size!r}", size=suppress_below
        )
    smallest = suppress_below or 0
    if not levels:
        raise OptionError("no level is given; name at least one column and its level")
    relabel: dict[str, dict[str | None, str | None]] = {}
    for column, level in levels.items():
        check_column(column, inputs.table.columns, inputs.table.name)
        relabel[column] = _labels_at(inputs, column, level)
    for column in inputs.roles.columns(Role.IDENTIFIER):
        labels = inputs.table.counts.value_counts(column).labels
        relabel[column] = dict.fromkeys(labels, SUPPRESSED)
    names = inputs.roles.quasi_identifiers or tuple(levels)
    if suppressed_rows == "blank" and not inputs.roles.sensitive:
        raise RoleError(
            "no sensitive attribute is known for {table}, so it is unclear which cells of "
            "suppressed rows to empty: name it ({argument})",
            table=inputs.table.name,
            argument=argument("sensitive"),
        )
    with stage(phrase("generalising")):
        released, suppressed = relabelled_table(
            inputs.table, relabel, names, smallest, inputs.person
        )
    if inputs.person is not None and inputs.person not in relabel:
        warnings.warn(
            phrase(
                "column {column!r} tells people apart and is still in the table: it is there for "
                "counting, and must not be released unless it is a pseudonym",
                column=inputs.person,
            ),
            PetauditWarning,
            stacklevel=2,
        )
    number = int(suppressed.sum())
    changed = frozenset(relabel) | frozenset(names if smallest > 1 else ())
    if suppressed_rows == "drop":
        released = released.filter(~suppressed)
        if not released.num_rows:
            raise OptionError("every row is suppressed: if they are dropped, no row is left")
        return Generalized(released, changed, ~suppressed, number, inputs.files)
    blank = suppressed_rows == "blank"
    if blank and number:
        changed |= frozenset(inputs.roles.sensitive)
        import pyarrow as pa  # noqa: PLC0415 (only where cells are emptied)

        kept = pa.array(np.arange(len(suppressed)), mask=suppressed)
        for column in inputs.roles.sensitive:
            place = released.column_names.index(column)
            released = released.set_column(place, column, released.column(column).take(kept))
    told = _still_told(number, smallest, inputs.roles.sensitive, blank=blank)
    every = np.ones(len(suppressed), dtype=bool)
    return Generalized(released, changed, every, number, inputs.files, told)


def _still_told(
    rows: int, smallest: int, sensitive: Sequence[str], *, blank: bool
) -> tuple[str, ...]:
    """Say what suppressed rows tell though they are suppressed."""
    if not rows:
        return ()
    told: list[Phrase] = [
        phrase(
            "{rows} with '*' in every quasi-identifier, which is a class: anyone who fits no other "
            "one is known to be in it",
            rows=counted(rows, "row"),
        )
    ]
    if rows < smallest:
        told.append(
            phrase(
                "the class of suppressed rows is smaller than {smallest:,}, so the table is not "
                "{smallest:,}-anonymous; drop these rows ({argument})",
                smallest=smallest,
                argument=argument("suppressed_rows", "drop"),
            )
        )
    if sensitive and not blank:
        told.append(
            phrase(
                "suppressed rows still hold {columns}; drop the rows or empty these cells "
                "({argument}), unless the values of this class may be disclosed",
                argument=argument("suppressed_rows", "drop", "blank"),
                columns=listing(sensitive),
            )
        )
    return tuple(told)


def _labels_at(inputs: Inputs, column: str, level: int) -> dict[str | None, str | None]:
    labels = inputs.table.counts.value_counts(column).labels
    try:
        hierarchy = inputs.hierarchies.get(column, lambda _: labels)
    except HierarchyError as problem:
        raise problem.in_rows(inputs.rows_of) from None
    if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level < hierarchy.levels:
        raise OptionError(
            "level {level!r} for column {column!r}; its hierarchy has the levels 0 to {most}",
            level=level,
            column=column,
            most=hierarchy.levels - 1,
        )
    strange = [label for label in labels if not hierarchy.is_leaf(label)]
    if strange:
        raise hierarchy.unknown_leaves(strange).in_rows(inputs.rows_of)
    return {label: hierarchy.generalize(label, level) for label in labels}
