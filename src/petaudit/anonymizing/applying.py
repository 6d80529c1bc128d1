"""Other rows treated as those of a table that was released: ``petaudit apply``."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from petaudit.anonymizing.releasing import Released, audited, for_release, hierarchies_of, in_order
from petaudit.anonymizing.transformation import Transformation
from petaudit.auditing import Audit
from petaudit.auditing.dropping import ClassLevel
from petaudit.errors import OutOfReachError, argument, counted, listing, phrase
from petaudit.exact.class_figures import Truths
from petaudit.inputs import Inputs, gather
from petaudit.labels.hierarchies import Hierarchies
from petaudit.measures.base import input_parameters, refuse_unknown, spelled_out
from petaudit.roles import Roles
from petaudit.system.files import unchanged
from petaudit.system.reading import Reading
from petaudit.tables import in_kind_of, open_source
from petaudit.tables.headers import check_column, columns_named

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, repr=False)
class Applied:
    """Rows that were given the labels of an earlier release."""

    given: object
    """What the rows came in."""
    inputs: Inputs
    released: pa.Table
    kept: Truths
    """Which rows are in the table."""
    changed: frozenset[str]
    rows_suppressed: int
    """Rows with ``*`` in every quasi-identifier, those that were dropped included."""
    audit: Audit
    """What the limits say of these rows alone."""
    audit_together: Audit | None
    """The same of these rows and the earlier release."""
    files: tuple[Path, ...]
    """The files that were read."""
    warnings: tuple[str, ...] = ()

    @property
    def table(self) -> Any:
        """The rows in the kind that they came in, pandas with its index."""
        return in_kind_of(self.given, self.released, self.changed, self.kept)

    def __repr__(self) -> str:
        rows = counted(self.released.num_rows, "row")
        return f"<Applied to {self.inputs.table.name}: {rows}, {self.rows_suppressed} suppressed>"


def apply(
    transformation: Transformation | str | Path,
    table: object,
    *,
    release: object = None,
    population: object = None,
    drop_suppressed: bool | None = None,
    **reading: Any,
) -> Applied:
    """Give other rows the labels that a transformation gave those of its original.

    Rows with a value or a combination of labels that the original did not have are suppressed, and
    so are classes that break a limit among these rows. All limits must hold for the rows alone, and
    together with the earlier ``release`` where it is given. ``drop_suppressed`` leaves suppressed
    rows out; by default what was done with the original is done.

    >>> import petaudit, pyarrow as pa
    >>> table = pa.table({"age": ["23", "24", "61", "62"]})
    >>> made = petaudit.anonymize(table, quasi_identifiers="age", limits={"k-anonymity": 2},
    ...                           hierarchies={"age": petaudit.ranges(10)})
    >>> made.table["age"].to_pylist() == apply(made.transformation, table).table["age"].to_pylist()
    True
    """
    refuse_unknown(reading, "apply", apply.__signature__)  # type: ignore[attr-defined]
    if isinstance(transformation, Transformation):
        known, files = transformation, []
    else:
        known, files = Transformation.read(transformation), [Path(transformation)]
    with unchanged() as watch:
        inputs = in_order(
            gather(
                table,
                population=population,
                roles=Roles.of(quasi_identifiers=known.names, sensitive=known.sensitive),
                person=known.person,
                hierarchies=Hierarchies(hierarchies_of(known)),
                suppressed="exclude" if known.exclude_suppressed else "class",
                use_side_car=False,
                announce_notes=False,
                **reading,
            )
        )
        inputs = replace(inputs, hierarchies=Hierarchies(hierarchies_of(known)))
        for name in known.others:
            check_column(name, inputs.table.columns, inputs.table.name)
        drops = known.drop_suppressed if drop_suppressed is None else drop_suppressed
        made = Released.of(inputs.table, known)
        hidden = made.suppressed
        too_small = _breaking(inputs, made, known, drops=drops)
        hidden = hidden | too_small
        kept = ~hidden if drops else np.ones_like(hidden)
        cells = made.with_suppressed(too_small).filter(kept) if hidden.any() else made.table
        alone = audited(inputs, cells, known.limits, known, watch)
        refuse_breaches(alone, inputs, can_drop=not drops)
        earlier = None if release is None else open_source(release, called="release")
        together = None
        if earlier is not None and known.person is None:
            shown = [*known.names, *known.sensitive]
            for name in shown:
                check_column(name, earlier.columns, earlier.name)
            both = _joined(earlier.to_arrow().select(shown), cells.select(shown))
            together = audited(inputs, both, known.limits, replace(known, others=known.sensitive))
            refuse_breaches(together, inputs, can_drop=not drops, earlier=earlier.name)
        released = for_release(cells, known)
    changed = made.changed | (frozenset(known.names) if too_small.any() else frozenset())
    return Applied(
        table,
        inputs,
        released,
        kept,
        changed | frozenset(known.left_out),
        int(hidden.sum()),
        alone,
        together,
        (*inputs.files, *files, *(() if earlier is None else earlier.files)),
        tuple(_messages(known, inputs, has_release=earlier is not None)),
    )


apply.__signature__ = spelled_out(  # type: ignore[attr-defined]
    apply, without=input_parameters().keys() - inspect.signature(Reading).parameters.keys()
)


def _breaking(inputs: Inputs, made: Released, known: Transformation, *, drops: bool) -> Truths:
    """The rows of classes that break a limit among these rows alone."""
    judged = ~made.suppressed if drops else np.ones_like(made.suppressed)
    hidden = np.zeros_like(judged)
    if not judged.any():
        return hidden
    of_release = audited(inputs, made.rows(judged), known.limits, known).inputs
    dropping = ClassLevel.of(of_release).dropped_for(known.limits)
    # Where no classes hold, all rows may as one class.
    fails = ~dropping.rows_kept if dropping.out_of_reach is None else not drops
    hidden[np.flatnonzero(judged)] = fails
    return hidden & ~made.suppressed


def refuse_breaches(
    audit: Audit, inputs: Inputs, *, can_drop: bool, earlier: str | None = None
) -> None:
    """Raise an error unless every limit holds."""
    broken = [
        *(result.measure for result in audit.results if not result.passed),
        *(entry.measure for entry in audit.not_measured if entry.asked_for),
    ]
    if not broken:
        return
    remedy = ""
    if can_drop:
        remedy = phrase(
            ", unless suppressed rows are left out ({argument})",
            argument=argument("drop_suppressed").rstrip("="),
        )
    if earlier is not None:
        raise OutOfReachError(
            "{table}: {measures} would not hold for these rows together with the earlier release "
            "{earlier}{remedy}; nothing was written",
            table=inputs.table.name,
            measures=listing(broken),
            earlier=earlier,
            remedy=remedy,
        )
    raise OutOfReachError(
        "{table}: {measures} would not hold for these rows{remedy}; nothing was written",
        table=inputs.table.name,
        measures=listing(broken),
        remedy=remedy,
    )


def _joined(before: pa.Table, after: pa.Table) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415 (only where there is an earlier release)

    return pa.concat_tables(
        [
            pa.table({name: table.column(name).cast(pa.string()) for name in before.column_names})
            for table in (before, after)
        ]
    )


def _messages(known: Transformation, inputs: Inputs, *, has_release: bool) -> Iterator[str]:
    table = inputs.table
    unknown = [
        name for name in table.columns if name not in {*known.names, *known.others, *known.left_out}
    ]
    if unknown:
        yield phrase(
            "left out, because the table that was released before has no such columns: {columns}",
            columns=columns_named(unknown, table.columns),
        )
    if has_release and known.person is not None:
        yield phrase(
            "the earlier release does not tell people apart, so both together were not audited"
        )
