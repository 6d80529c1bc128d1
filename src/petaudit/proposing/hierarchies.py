"""Proposed hierarchies with what their levels do to a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from petaudit.errors import HierarchyError, phrase, term
from petaudit.inputs import Inputs, RolesSpec, gather, hierarchy_notes
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchies import Hierarchies, HierarchySpec
from petaudit.labels.hierarchy import Hierarchy
from petaudit.labels.rule_forms import parse_rule
from petaudit.labels.rules import PathRule, Rule
from petaudit.proposing.forms import form_for
from petaudit.proposing.writing import write_proposals
from petaudit.system.files import unchanged
from petaudit.system.progress import stage
from petaudit.tables import ValueCounts
from petaudit.tables.headers import check_column

GIVEN = term("as given")


@dataclass(frozen=True)
class Level:
    """What the table has at a level of a column."""

    level: int
    groups: int
    """How many different labels."""
    smallest: int
    """The rows of the rarest."""


@dataclass(frozen=True)
class Proposal:
    """The hierarchy of one column, and what it does to the table."""

    column: str
    kind: str
    """What the column holds, or that its hierarchy was given."""
    hierarchy: Hierarchy
    values: ValueCounts
    rule: Mapping[str, Any] | None = None
    """The rule in the form that YAML has; None where the hierarchy was spelled out."""
    assumed: tuple[str, ...] = ()

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The levels with their counts, the values themselves first."""
        counts = {
            label: rows for label, rows in self.values.by_label.items() if label != SUPPRESSED
        }
        levels = []
        for level in range(self.hierarchy.levels):
            groups: dict[str | None, int] = {}
            for label, rows in counts.items():
                above = self.hierarchy.generalize(label, level)
                groups[above] = groups.get(above, 0) + rows
            levels.append(Level(level, len(groups), min(groups.values())))
        return tuple(levels)

    @property
    def commonest(self) -> str | None:
        """The value that most rows have."""
        counts = self.values.by_label
        return max(counts, key=lambda label: (label != SUPPRESSED, counts[label]))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was recognised, assumed, and put into a level of its own."""
        assumed = (
            phrase("column {column!r}: {note}", column=self.column, note=note)
            for note in self.assumed
        )
        return (*assumed, *hierarchy_notes(self.hierarchy, self.values))


class ProposedHierarchies(Hierarchies):
    """Hierarchies for the columns of a table; they can be given wherever hierarchies can."""

    def __init__(self, entries: Mapping[str, Hierarchy | Rule], inputs: Inputs) -> None:
        super().__init__(entries)
        self.inputs = inputs

    @cached_property
    def proposals(self) -> tuple[Proposal, ...]:
        """The hierarchies with what they do to the table."""
        return tuple(self._proposal(column) for column in self.attributes)

    def write(self, target: str | PathLike[str], *, force: bool = False) -> list[Path]:
        """Write the rules to a YAML file, or every value to a folder of CSV files, to be edited.

        What exists is replaced by ``force`` only. Only the user may read the files.
        """
        return write_proposals(
            self.proposals,
            Path(target),
            table=self.inputs.table.name,
            read=self.inputs.files,
            force=force,
        )

    def _proposal(self, column: str) -> Proposal:
        values = self.inputs.table.counts.value_counts(column)
        hierarchy = hierarchy_of(self, self.inputs, column)
        given = self.inputs.hierarchies
        rule = self.rule(column)
        form = rule.form if isinstance(rule, PathRule) else None
        if column in given:
            return Proposal(column, GIVEN, hierarchy, values, form)
        kind, _, assumed = form_for(column, values.by_label)
        return Proposal(column, kind, hierarchy, values, form, assumed)


def hierarchy_of(hierarchies: Hierarchies, inputs: Inputs, column: str) -> Hierarchy:
    """The hierarchy of a column of the table; an error unless it has every value of it."""
    counts = inputs.table.counts.value_counts(column).by_label
    leaves = {label: rows for label, rows in counts.items() if label != SUPPRESSED}
    try:
        hierarchy = hierarchies.get(column, lambda _: leaves)
        strange = [label for label in leaves if not hierarchy.is_leaf(label)]
        if strange:
            raise hierarchy.unknown_leaves(strange)
        hierarchy.require_nested()
    except HierarchyError as problem:
        raise problem.in_rows(inputs.rows_of) from None
    return hierarchy


def proposed_hierarchies(
    inputs: Inputs, columns: Sequence[str] | None = None
) -> ProposedHierarchies:
    """Hierarchies for columns of a table, the quasi-identifiers unless others are named.

    Those that are given stay, and rules that depend on counts become what they are for this table.
    """
    entries: dict[str, Hierarchy | Rule] = {}
    for column in inputs.quasi_identifiers if columns is None else columns:
        check_column(column, inputs.table.columns, inputs.table.name)
        counts = inputs.table.counts.value_counts(column).by_label
        leaves = {label: rows for label, rows in counts.items() if label != SUPPRESSED}
        if not leaves:
            continue  # every cell is suppressed already
        if column not in inputs.hierarchies:
            rule = parse_rule(column, form_for(column, leaves).rule)
            assert rule is not None  # noqa: S101 (a form is a rule)
            entries[column] = rule
            continue
        given = inputs.hierarchies.rule(column)
        if isinstance(given, PathRule):
            entries[column] = given.fixed_for(column, leaves)
        else:
            entries[column] = given or inputs.hierarchies.get(column, None)
    return ProposedHierarchies(entries, inputs)


def propose_hierarchies(
    table: object,
    *,
    quasi_identifiers: Sequence[str] | str | None = None,
    roles: RolesSpec = None,
    hierarchies: HierarchySpec = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    header_row: int | None = None,
    null: Sequence[str] | str | None = None,
    blank_rows: str | None = None,
) -> ProposedHierarchies:
    """Propose a hierarchy for every quasi-identifier of a table.

    Numbers get round cuts, dates steps of the calendar, codes masks from the right; of categories
    the common values are kept. Columns that have a hierarchy keep it. What comes of it is taken
    wherever hierarchies are, and ``write`` writes it to a YAML file or a folder, to be edited.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [str(age) for age in range(20, 80)], "sex": ["F", "M"] * 30})
    >>> proposed = propose_hierarchies(people, quasi_identifiers=["age", "sex"])
    >>> [(each.column, each.kind, len(each.levels)) for each in proposed.proposals]
    [('age', 'numbers', 6), ('sex', 'categories', 2)]
    >>> [(level.groups, level.smallest) for level in proposed.proposals[0].levels][1:4]
    [(12, 5), (6, 10), (3, 20)]
    """
    with unchanged():
        inputs = gather(
            table,
            quasi_identifiers=quasi_identifiers,
            roles=roles,
            hierarchies=hierarchies,
            delimiter=delimiter,
            encoding=encoding,
            sheet=sheet,
            header_row=header_row,
            null=null,
            blank_rows=blank_rows,
        )
        with stage(phrase("proposing hierarchies")):
            return proposed_hierarchies(inputs)
