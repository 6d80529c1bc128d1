"""A table as a transformation makes it: rows in their order, and audited before anybody has it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from petaudit.anonymizing.problem import Problem
from petaudit.anonymizing.transformation import Levels, Transformation
from petaudit.auditing import Audit, Request, run_audit
from petaudit.errors import UndecidedError, listing
from petaudit.exact.class_figures import Truths
from petaudit.inputs import Inputs
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchies import Hierarchies
from petaudit.labels.hierarchy import NULL_LABEL, Hierarchy
from petaudit.labels.rules import Rule
from petaudit.measures import find_measure
from petaudit.roles import Role, Roles
from petaudit.suppressing import refuse_breaches
from petaudit.system.files import Watch
from petaudit.tables import Source, open_source
from petaudit.tables.addresses import TableAddress
from petaudit.tables.population import CodedClasses
from petaudit.tables.relabel_elsewhere import LazyRows, RelabelledElsewhere
from petaudit.tables.row_classes import RowClasses
from petaudit.tables.source import RowPicker

_USE_KEPT = ("granularity", "non-uniform-entropy")
"""What is measured beside the limits."""


@dataclass(frozen=True)
class _Relabelled:
    """Classes with the labels that a transformation gives them."""

    classes: RowClasses | CodedClasses
    levels: Levels
    """At which levels the values of each class of the original are released."""
    transformation: Transformation

    @property
    def rows_marked(self) -> int:
        """How many rows have ``*`` in every quasi-identifier, whatever the reason."""
        marked = np.ones(len(self.levels), dtype=bool)
        for place, column in enumerate(self.transformation.columns):
            is_mark = np.array([label == SUPPRESSED for label in (*column.labels, SUPPRESSED)])
            marked &= is_mark[self.codes(place)]
        return int(self.classes.sizes[marked].sum())

    @property
    def changed(self) -> frozenset[str]:
        """The columns that hold other labels than the original."""
        is_changed = (self.levels != 0).any(axis=0)
        names = self.transformation.names
        return frozenset(name for name, is_other in zip(names, is_changed, strict=True) if is_other)

    def codes(self, place: int) -> npt.NDArray[np.int32]:
        """For every class the place of its label of a column; that behind the last is the mark."""
        column, levels = self.transformation.columns[place], self.levels[:, place]
        codes = column.coded(self.classes.labels[place])[levels, self.classes.codes[place]]
        codes[levels < 0] = len(column.labels)
        return codes


@dataclass(frozen=True)
class Released(_Relabelled):
    """Rows with the labels that a transformation gives them."""

    classes: RowClasses

    @classmethod
    def of(cls, source: Source, transformation: Transformation) -> Released:
        """Give the rows of a table their labels."""
        classes = RowClasses.of(source, transformation.names)
        return cls(classes, transformation.levels_of(classes.labels, classes.codes), transformation)

    @property
    def suppressed(self) -> Truths:
        """Which rows have ``*`` in every quasi-identifier because no class has them."""
        return (self.levels[:, 0] < 0)[self.classes.of_rows]

    @cached_property
    def table(self) -> pa.Table:
        """Every row and every column, those that name people included."""
        return self.with_suppressed(None)

    def with_suppressed(self, also: Truths | None) -> pa.Table:
        """The same with the mark in every quasi-identifier of some more rows."""
        source = self.classes.source
        cells = dict(zip(source.columns, source.to_arrow().columns, strict=True))
        for place, column in enumerate(self.transformation.columns):
            if column.name not in self.changed and (also is None or not also.any()):
                continue
            labels = pa.array([*column.labels, SUPPRESSED], type=pa.string())
            of_rows = self.codes(place)[self.classes.of_rows]
            if also is not None:
                of_rows[also] = len(column.labels)
            cells[column.name] = labels.take(pa.array(of_rows))
        return pa.table(cells)

    def rows(self, kept: Truths) -> pa.Table:
        """Some of its rows; no copy is made where these are all."""
        return self.table if kept.all() else self.table.filter(kept)


@dataclass(frozen=True)
class ReleasedElsewhere(_Relabelled):
    """The same where rows live elsewhere: labels go to them, and no row comes from there."""

    classes: CodedClasses
    source: Source

    @classmethod
    def of(
        cls, source: Source, problem: Problem, transformation: Transformation
    ) -> ReleasedElsewhere:
        """Give the combinations of a table, which were counted, their labels."""
        labels = tuple(column.leaves for column in problem.columns)
        classes = CodedClasses(labels, tuple(problem.codes), problem.rows)
        levels = transformation.levels_of(labels, classes.codes)
        return cls(classes, levels, transformation, source)

    @property
    def rows(self) -> int:
        """How many rows are released."""
        is_kept = (self.levels[:, 0] >= 0) | (not self.transformation.drop_suppressed)
        return int(self.classes.sizes[is_kept].sum())

    @cached_property
    def query(self) -> RelabelledElsewhere:
        """What makes the released rows."""
        known = self.levels[:, 0] >= 0
        labels = {}
        for place, column in enumerate(self.transformation.columns):
            if column.name in self.changed:
                of_classes = self.codes(place)[known].tolist()
                labels[column.name] = [column.labels[code] for code in of_classes]
        classes = CodedClasses(
            self.classes.labels,
            tuple(codes[known] for codes in self.classes.codes),
            self.classes.sizes[known],
        )
        # Where no row is suppressed, one that came later has no place in the table.
        stay = not (known.all() or self.transformation.drop_suppressed)
        return RelabelledElsewhere(
            self.source, self.transformation.names, classes, labels, suppressed_stay=stay
        )

    @property
    def columns(self) -> list[str]:
        """The columns that are released."""
        known = self.transformation
        shown = {*known.names, *known.others, *(known.left_out if known.masked else ())}
        return [name for name in self.source.columns if name in shown]

    def frame(self, *, as_stored: bool = False) -> LazyRows:
        """What is released, as c0, c1, ..."""
        masked = self.transformation.left_out
        return self.query.frame(self.columns, masked=masked, as_stored=as_stored)

    def statement(self, target: TableAddress) -> str:
        """What makes the released table on its server."""
        stored = self.query.stored
        return stored.statement(target, self.frame(as_stored=True), self.columns)

    def judged(self, person: str | None) -> Source:
        """What is audited: the released columns, and the one that tells people apart."""
        known = self.transformation
        shown = {*known.names, *known.others, person}
        return self.query.opened([name for name in self.source.columns if name in shown])


def for_release(table: pa.Table, transformation: Transformation) -> pa.Table:
    """The table as it is released: without the columns that name people, or with ``*`` in them."""
    shown = {*transformation.names, *transformation.others}
    cells: dict[str, Any] = {}
    for name in table.column_names:
        if name in shown:
            cells[name] = table.column(name)
        elif transformation.masked and name in transformation.left_out:
            cells[name] = pa.array([SUPPRESSED] * table.num_rows, type=pa.string())
    return pa.table(cells)


def in_order(inputs: Inputs) -> Inputs:
    """The same with rows that come in one order: others are fetched once."""
    inputs.table.counts.require_local()
    if inputs.table.counts.keeps_order:
        return inputs
    fetched = RowPicker(inputs.table).at(np.arange(inputs.table.rows))
    return replace(inputs, table=fetched)


def audited(
    inputs: Inputs,
    table: pa.Table | Source,
    settings: Mapping[str, Mapping[str, Any]],
    transformation: Transformation,
    watch: Watch | None = None,
    *,
    original: Source | None = None,
    request: Request | None = None,
    kept: Collection[str] = (),
) -> Audit:
    """Measure a released table with petaudit's own measures: the limits, and what use is kept.

    Columns that the user wants ``kept`` are not held against the table.
    """
    if isinstance(table, Source):
        judged = table
    else:
        shown = for_release(table, replace(transformation, masked=False))
        if inputs.person is not None and inputs.person not in shown.column_names:
            shown = shown.append_column(inputs.person, table.column(inputs.person))
        judged = open_source(shown, called=inputs.table.name)
    roles = inputs.roles.by_column
    known = inputs.hierarchies
    of_others: dict[str, Hierarchy | Rule] = {
        name: known.rule(name) or known.get(name, None)
        for name in known.attributes
        if name not in transformation.names
    }
    trusted = [name for name in kept if roles.get(name) in (None, Role.IDENTIFIER)]
    changed = replace(
        inputs,
        table=replace(judged, notes=inputs.table.notes),
        original=original,
        roles=Roles(
            {name: role for name, role in inputs.roles.by_column.items() if name in judged.columns}
            | dict.fromkeys(trusted, Role.INSENSITIVE)
        ),
        hierarchies=Hierarchies(of_others | hierarchies_of(transformation)),
        key=None,
        # It is there to count people, and leaves the table after that.
        person_is_pseudonym=inputs.person is not None,
        announces_notes=False,
        _recognised={},
        _pairs={},
        _in_population={},
    )
    use = () if original is None else _USE_KEPT
    asked = Request([*settings, *use], settings, None if request is None else request.policy)
    release = run_audit(asked, changed, watch or Watch(), strict=False)
    # Nobody asked for what is measured beside the limits.
    others = tuple(
        replace(entry, asked_for=entry.asked_for and entry.measure in settings)
        for entry in release.not_measured
    )
    results = tuple(
        result if result.measure in settings else replace(result, warnings=())
        for result in release.results
    )
    return replace(release, results=results, not_measured=others, with_advice=False)


def refuse_contradiction(release: Audit, settings: Collection[str]) -> None:
    """Raise an error unless every limit holds: then the search and the measures disagree."""
    holding = {result.measure for result in release.results if result.passed}
    broken = [name for name in map(_measure_name, settings) if name not in holding]
    for entry in release.not_measured:
        if entry.measure in broken:
            raise UndecidedError(
                "the result cannot be measured ({measure}): {problem}; nothing was written",
                measure=entry.measure,
                problem=entry.problem,
            )
    if broken:
        raise UndecidedError(
            "petaudit contradicts itself: the search took the limit of {measures} for kept, and "
            "the audit of its result does not; nothing was written, please report it",
            measures=listing(broken),
        )


def hierarchies_of(transformation: Transformation) -> dict[str, Hierarchy | Rule]:
    """The hierarchies of quasi-identifiers and sensitive attributes."""
    return {
        column.name: Hierarchy(
            column.name,
            [
                [NULL_LABEL if label is None else label for label in path]
                for leaf, path in column.paths.items()
                if leaf != SUPPRESSED
            ],
        )
        for column in (*transformation.columns, *transformation.sensitive_hierarchies)
        if {*column.paths} != {SUPPRESSED}
    }


def _measure_name(name: str) -> str:
    return find_measure(name).name


def refuse_written(
    inputs: Inputs,
    released: pa.Table | Source,
    limits: Mapping[str, Mapping[str, Any]],
    written: Source,
) -> None:
    """Raise an error unless the limits hold for a table as it was written.

    Where people were counted, who they are is not in it: then its classes must be the same. So it
    is where a population of a server is seen by another session than a table that was made there.
    """
    is_apart = inputs.population is not None and inputs.population.counts.is_remote
    if inputs.person is None and not is_apart:
        refuse_breaches(inputs, limits, written)
        return
    names = inputs.quasi_identifiers
    before, after = (
        source.counts.class_histogram(names) for source in (open_source(released), written)
    )
    if not all(
        np.array_equal(one, other)
        for one, other in (
            (before.sizes, after.sizes),
            (before.classes, after.classes),
            (before.suppressed_rows, after.suppressed_rows),
        )
    ):
        raise UndecidedError("the table that was written has other classes; nothing was kept")
