"""Applying generalisation levels to a table and suppressing the rows of small classes."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
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
    share,
    suggestion,
)
from petaudit.inputs import Inputs, RolesSpec, gather, hierarchy_notes
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchies import Hierarchies, HierarchySpec
from petaudit.labels.hierarchy import OTHER, Hierarchy
from petaudit.roles import Role, Roles
from petaudit.starter import guesses_from
from petaudit.system.files import unchanged
from petaudit.system.progress import stage
from petaudit.tables import Relabelled, in_kind_of, relabelled_table
from petaudit.tables.column_facts import column_facts
from petaudit.tables.headers import check_column, columns_named

if TYPE_CHECKING:
    import pyarrow as pa

SuppressedRows: TypeAlias = Literal["keep", "drop", "blank"]
IdentifierColumns: TypeAlias = Literal["drop", "mask"]
OtherValues: TypeAlias = Literal["refuse", "level"]
_Labels: TypeAlias = dict[str | None, str | None]


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
    delimiter: str | None = None
    """What separates the cells of the text file that was read."""
    warnings: tuple[str, ...] = ()
    """What was recognised, left out and suppressed, and what suppressed rows may still tell."""
    roles: Roles = field(default_factory=lambda: Roles({}))


def generalize(
    table: object,
    *,
    levels: Mapping[str, int] | None = None,
    hierarchies: HierarchySpec = None,
    roles: RolesSpec = None,
    quasi_identifiers: Sequence[str] | str | None = None,
    sensitive: Sequence[str] | str | None = None,
    person: str | None = None,
    suppress_below: int | None = None,
    suppressed_rows: SuppressedRows = "keep",
    identifier_columns: IdentifierColumns = "drop",
    other_values: OtherValues = "refuse",
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    header_row: int | None = None,
    null: Sequence[str] | str | None = None,
    blank_rows: str | None = None,
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
        roles=roles,
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        person=person,
        suppress_below=suppress_below,
        suppressed_rows=suppressed_rows,
        identifier_columns=identifier_columns,
        other_values=other_values,
        delimiter=delimiter,
        encoding=encoding,
        sheet=sheet,
        header_row=header_row,
        null=null,
        blank_rows=blank_rows,
    )
    for message in report.warnings:
        warnings.warn(message, PetauditWarning, stacklevel=2)
    return in_kind_of(table, report.table, report.changed, report.kept)


def generalize_with_report(
    table: object,
    *,
    levels: Mapping[str, int] | None = None,
    suppress_below: int | None = None,
    suppressed_rows: SuppressedRows = "keep",
    identifier_columns: IdentifierColumns = "drop",
    other_values: OtherValues = "refuse",
    **given: Any,
) -> Generalized:
    """Generalise, and set every quasi-identifier of rows in classes below a size to ``*``.

    The quasi-identifiers are those given, else the side-car's, else the generalised columns.
    Identifiers are left out, or suppressed altogether: columns of that role, and columns without
    a role that name people by their name or the form of their values. Values that fit no rule and
    no hierarchy are refused, or get a level of their own. With a person column, the size of a class
    is its number of different people. What else can be given is what ``gather`` takes.
    """
    check_choice("suppressed_rows", suppressed_rows, get_args(SuppressedRows))
    check_choice("identifier_columns", identifier_columns, get_args(IdentifierColumns))
    check_choice("other_values", other_values, get_args(OtherValues))
    if suppress_below is not None and (
        isinstance(suppress_below, bool)
        or not isinstance(suppress_below, int)
        or suppress_below < 1
    ):
        raise OptionError(
            "suppress_below must be an integer >= 1, got {size!r}", size=suppress_below
        )
    if not levels and suppress_below is None:
        raise OptionError(
            "no level is given, and no size of classes either: give columns their levels "
            "({levels}), or suppress small classes ({below})",
            levels=argument("levels"),
            below=argument("suppress_below"),
        )
    with unchanged():
        inputs = gather(table, **given)
        return _Generalizing(inputs, levels or {}, suppress_below or 0, other_values).generalized(
            suppressed_rows, identifier_columns
        )


def check_choice(name: str, chosen: object, choices: Sequence[str]) -> None:
    """Raise an error for a word that is none of those to choose from."""
    if chosen not in choices:
        raise OptionError(
            "{name} must be {choices} or {last}, got {given!r}{near}",
            name=name,
            choices=listing([repr(choice) for choice in choices[:-1]]),
            last=repr(choices[-1]),
            given=chosen,
            near=suggestion(str(chosen), choices),
        )


class _Generalizing:
    """A table, what is to be done with it, and what there is to say about that."""

    def __init__(
        self, inputs: Inputs, levels: Mapping[str, int], smallest: int, other_values: OtherValues
    ) -> None:
        self.inputs = inputs
        self.levels = levels
        self.smallest = smallest
        self.hierarchies: Hierarchies = inputs.hierarchies
        if other_values == "level":
            self.hierarchies = self.hierarchies.with_other(OTHER)
        self.messages: list[str] = []

    def generalized(
        self, suppressed_rows: SuppressedRows, identifier_columns: IdentifierColumns
    ) -> Generalized:
        inputs, roles = self.inputs, self.inputs.roles
        for column in self.levels:
            check_column(column, inputs.table.columns, inputs.table.name)
            if roles.by_column.get(column) is Role.IDENTIFIER:
                raise OptionError(
                    "column {column!r} is an identifier, so that nothing of it is released: it "
                    "takes no level",
                    column=column,
                )
        # With neither roles nor levels, this names what is missing.
        names = roles.quasi_identifiers or tuple(self.levels) or inputs.quasi_identifiers
        if suppressed_rows == "blank" and not roles.sensitive:
            raise RoleError(
                "no sensitive attribute is known for {table}, so it is unclear which cells of "
                "suppressed rows to empty: name it ({argument})",
                table=inputs.table.name,
                argument=argument("sensitive"),
            )
        relabel = {
            column: self._labels_at(column, level, announce=level != 0)
            for column, level in self.levels.items()
        }
        identifiers = self._identifiers(identifier_columns)
        for column in identifiers:
            labels = inputs.table.counts.value_counts(column).labels
            relabel[column] = dict.fromkeys(labels, SUPPRESSED)
        if inputs.person is not None and inputs.person not in relabel:
            self.messages.append(
                phrase(
                    "column {column!r} tells people apart and is still in the table: it is there "
                    "for counting, and must not be released unless it is a pseudonym",
                    column=inputs.person,
                )
            )
        with stage(phrase("generalising")):
            relabelled = relabelled_table(
                inputs.table, relabel, names, self.smallest, inputs.person
            )
            suppressed = relabelled.suppressed()
        number = int(suppressed.sum())
        released = relabelled.table(suppressed)
        changed = frozenset(relabel) | frozenset(names if self.smallest > 1 else ())
        if identifier_columns == "drop":
            released = released.drop_columns(identifiers)
        self.messages += self._most_suppressed(relabelled, number)
        kept = np.ones(len(suppressed), dtype=bool)
        if suppressed_rows == "drop":
            kept = ~suppressed
            released = released.filter(kept)
            if not released.num_rows:
                raise OptionError("every row is suppressed: if they are dropped, no row is left")
        else:
            blank = suppressed_rows == "blank"
            if blank and number:
                changed |= frozenset(roles.sensitive)
                released = _emptied(released, roles.sensitive, suppressed)
            self.messages += _still_told(number, self.smallest, roles.sensitive, blank=blank)
        return Generalized(
            released,
            changed,
            kept,
            number,
            inputs.files,
            inputs.table.delimiter,
            tuple(self.messages),
            roles if roles.quasi_identifiers else Roles.of(quasi_identifiers=names),
        )

    def _identifiers(self, identifier_columns: IdentifierColumns) -> list[str]:
        """The columns that name people, which are announced."""
        identifying = identifying_columns(self.inputs, self.levels)
        self.messages += identifying.messages(self.inputs, masked=identifier_columns == "mask")
        return [*identifying.declared, *identifying.guessed]

    def _labels_at(self, column: str, level: int, *, announce: bool = False) -> _Labels:
        """The labels of a column at a level; what is suppressed already stays so."""
        values = self.inputs.table.counts.value_counts(column)
        is_whole = isinstance(level, int) and not isinstance(level, bool)
        if is_whole and level == 0 and column not in self.hierarchies:
            return {label: label for label in values.labels}
        hierarchy = self._hierarchy(column)
        if not is_whole or not 0 <= level < hierarchy.levels:
            raise OptionError(
                "level {level!r} for column {column!r}; its hierarchy has the levels 0 to {most}",
                level=level,
                column=column,
                most=hierarchy.levels - 1,
            )
        if announce:
            hierarchy.require_nested()
            self.messages += hierarchy_notes(hierarchy, values)
        leaves = [
            label for label in values.labels if label != SUPPRESSED or hierarchy.is_leaf(label)
        ]
        strange = [label for label in leaves if not hierarchy.is_leaf(label)]
        if strange:
            remedy = phrase(
                " ({argument} puts such values into a level of their own)",
                argument=argument("other_values", "level"),
            )
            raise hierarchy.unknown_leaves(strange, remedy).in_rows(self.inputs.rows_of)
        return {label: label for label in values.labels} | {
            label: hierarchy.generalize(label, level) for label in leaves
        }

    def _hierarchy(self, column: str) -> Hierarchy:
        if not self.hierarchies:
            raise HierarchyError(
                "column {column!r} has no hierarchy, so that it has no level but 0: give a folder "
                "of hierarchies or a file of rules ({argument})",
                column=column,
                argument=argument("hierarchies"),
            )
        counts = self.inputs.table.counts.value_counts(column).by_label
        leaves = {label: number for label, number in counts.items() if label != SUPPRESSED}
        try:
            return self.hierarchies.get(column, lambda _: leaves)
        except HierarchyError as problem:
            raise problem.in_rows(self.inputs.rows_of) from None

    def _most_suppressed(self, relabelled: Relabelled, suppressed: int) -> Iterator[str]:
        """Warn where most rows are suppressed, and say which column could change that most."""
        rows = self.inputs.table.rows
        if suppressed * 2 <= rows or self.smallest < 2:
            return
        fields = {"rows": counted(suppressed, "row", of=rows), "share": share(suppressed, rows)}
        fewest, column, level = min(
            (int(relabelled.suppressed({name: labels}).sum()), name, level)
            for name in relabelled.quasi_identifiers
            for level, labels in [self._coarser(name)]
        )
        if fewest >= suppressed:
            yield phrase("most rows are suppressed: {rows} ({share})", **fields)
        elif level:
            yield phrase(
                "most rows are suppressed: {rows} ({share}); with level {level} of {column!r} it "
                "would be {fewest:,}",
                level=level,
                column=column,
                fewest=fewest,
                **fields,
            )
        else:
            yield phrase(
                "most rows are suppressed: {rows} ({share}); without {column!r} it would be "
                "{fewest:,}",
                column=column,
                fewest=fewest,
                **fields,
            )

    def _coarser(self, column: str) -> tuple[int, _Labels]:
        """The next level of a column with its labels; 0 and ``*`` where there is none."""
        level = self.levels.get(column, 0) + 1
        if column in self.hierarchies:
            with suppress(HierarchyError, OptionError):
                return level, self._labels_at(column, level)
        labels = self.inputs.table.counts.value_counts(column).labels
        return 0, dict.fromkeys(labels, SUPPRESSED)


@dataclass(frozen=True)
class IdentifyingColumns:
    """The columns that name people: by their role, or certainly by how they look."""

    declared: tuple[str, ...]
    guessed: tuple[str, ...]

    def messages(self, inputs: Inputs, *, masked: bool) -> Iterator[Phrase]:
        """Say what becomes of them."""
        for columns, is_declared in ((self.declared, True), (self.guessed, False)):
            if columns:
                named = columns_named(columns, inputs.table.columns)
                yield about_identifiers(named, is_declared, masked)


def identifying_columns(inputs: Inputs, others: Collection[str] = ()) -> IdentifyingColumns:
    """Look for columns that name people; those with another role and ``others`` are none."""
    table, roles = inputs.table, inputs.roles
    known = {*roles.by_column, *others, inputs.person}
    facts = column_facts(table, [name for name in table.columns if name not in known])
    guessed = (
        guess.column
        for guess in guesses_from(facts)
        if guess.role is Role.IDENTIFIER and guess.is_certain
    )
    return IdentifyingColumns(roles.columns(Role.IDENTIFIER), tuple(guessed))


def about_identifiers(columns: str, is_declared: bool, masked: bool) -> Phrase:
    """What became of identifiers, or of columns that look like them."""
    if is_declared and masked:
        return phrase("suppressed altogether, as identifiers: {columns}", columns=columns)
    if is_declared:
        return phrase("left out, as identifiers: {columns}", columns=columns)
    if masked:
        return phrase(
            "suppressed altogether, because of names or values like those of identifiers: "
            "{columns} (the role insensitive keeps a column)",
            columns=columns,
        )
    return phrase(
        "left out, because of names or values like those of identifiers: {columns} (the role "
        "insensitive keeps a column)",
        columns=columns,
    )


def _emptied(
    table: pa.Table, columns: Sequence[str], suppressed: npt.NDArray[np.bool_]
) -> pa.Table:
    """The table without the cells of some columns in suppressed rows."""
    import pyarrow as pa  # noqa: PLC0415 (only where cells are emptied)

    kept = pa.array(np.arange(len(suppressed)), mask=suppressed)
    for column in columns:
        place = table.column_names.index(column)
        table = table.set_column(place, column, table.column(column).take(kept))
    return table


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
