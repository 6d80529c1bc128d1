"""Dropping the rows of classes that break limits, until all of them hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from petaudit.auditing import Audit, audit, run_measure
from petaudit.auditing.dropping import ClassLevel, Settings, is_of_classes, settings_of
from petaudit.errors import (
    OptionError,
    OutOfReachError,
    TooManyRowsError,
    UndecidedError,
    argument,
    counted,
    listing,
    share,
)
from petaudit.exact.class_figures import Truths
from petaudit.exact.fractions import Number, exact
from petaudit.inputs import Inputs
from petaudit.judging.policy import PolicySpec, find_policy
from petaudit.measures import find_measure
from petaudit.measures.base import refuse_unknown, spelled_out
from petaudit.tables import in_kind_of, open_source
from petaudit.tables.source import RowPicker, Source

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Suppression:
    """A table without the rows that kept it from its limits."""

    audit: Audit
    """What the limits said of the table as it was."""
    kept: Truths
    """Which rows are still in the table."""

    @property
    def inputs(self) -> Inputs:
        """The table as it was, with everything that is known about it."""
        return self.audit.inputs

    @property
    def table(self) -> pa.Table:
        """The rows that are left, in their order and without identifiers."""
        table = self.inputs.table.to_arrow().drop_columns(self.inputs.identifiers)
        return table if self.kept.all() else table.filter(self.kept)

    @property
    def rows_dropped(self) -> int:
        """How many rows went."""
        return int(np.count_nonzero(~self.kept))

    @property
    def share_dropped(self) -> Fraction:
        """The same as a share of all rows."""
        return Fraction(self.rows_dropped, len(self.kept))

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that was read."""
        return self.audit.files

    def check(self, written: Source) -> None:
        """Raise an error unless all limits hold for the rows as they were written."""
        refuse_breaches(self.inputs, settings_of(self.audit), written)


def suppress(
    table: object,
    *,
    limits: Mapping[str, Number] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    population_size: Any = None,
    policy: PolicySpec | None = None,
    max_suppression: Number | None = None,
    **inputs: Any,
) -> Any:
    """Drop the rows of classes that break limits, until all limits hold.

    ``limits``, ``options``, ``policy`` and ``population_size`` are those of :func:`petaudit.audit`.
    The rows that are left are measured again before they are returned. If more than
    ``max_suppression`` of the rows (0.05, "5%") would have to go, or dropping rows does not reach a
    limit, that is an error. Columns whose role is identifier are left out. A frame in memory comes
    back in its kind, pandas with its index; a file as a PyArrow table.

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"], "age": [31, 35, 32, 88]})
    >>> suppress(table, quasi_identifiers="zip", limits={"k-anonymity": 2})["age"].to_pylist()
    [31, 35, 32]
    """
    refuse_unknown(inputs, "suppress", suppress.__signature__)  # type: ignore[attr-defined]
    suppression = suppress_with_report(
        table,
        limits=limits,
        options=options,
        population_size=population_size,
        policy=policy,
        max_suppression=max_suppression,
        **inputs,
    )
    released = suppression.table
    suppression.check(open_source(released, called=suppression.inputs.table.name))
    return in_kind_of(table, released, (), suppression.kept)


suppress.__signature__ = spelled_out(suppress)  # type: ignore[attr-defined]


def suppress_with_report(
    table: object,
    *,
    limits: Mapping[str, Number] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    policy: PolicySpec | None = None,
    max_suppression: Number | None = None,
    **given: Any,
) -> Suppression:
    """Find the rows to drop; the caller checks what is written."""
    most = None if max_suppression is None else read_share(max_suppression)
    rule = None if policy is None else find_policy(policy)
    named = [*(limits or {}), *(options or {}), *(() if rule is None else rule.demands)]
    if not named:
        raise OptionError("no limit is given, so there is nothing to drop rows for")
    for measure in map(find_measure, named):
        if not is_of_classes(measure):
            raise OutOfReachError(
                "dropping rows does not reach a limit of {measure}, which is not about classes of "
                "rows: leave it out here, and check it afterwards",
                measure=measure.name,
            )
    release = audit(table, measures=named, limits=limits, options=options, policy=rule, **given)
    for entry in release.not_measured:
        raise entry.problem
    settings = settings_of(release)
    if not settings:
        raise OptionError("no limit is given, so there is nothing to drop rows for")
    release.inputs.table.counts.require_local()
    if not release.inputs.table.counts.keeps_order:
        # Rows that come in another order each time are fetched once.
        fetched = RowPicker(release.inputs.table).at(np.arange(release.inputs.table.rows))
        release = replace(release, inputs=replace(release.inputs, table=fetched))
    if all(result.passed is not False for result in release.results):
        return Suppression(release, np.ones(release.inputs.table.rows, dtype=bool))
    dropping = ClassLevel.of(release.inputs).dropped_for(settings)
    if dropping.out_of_reach is not None:
        raise OutOfReachError(
            "dropping rows does not reach the limit of {measure}: no class would be left; coarser "
            "values of the quasi-identifiers, or fewer of them, may",
            measure=dropping.out_of_reach,
        )
    suppression = Suppression(release, dropping.rows_kept)
    if most is not None and suppression.share_dropped > most:
        raise TooManyRowsError(
            "{rows} ({share}) would have to be dropped, more than {argument} allows ({most}); "
            "nothing was written",
            rows=counted(suppression.rows_dropped, "row"),
            share=share(suppression.rows_dropped, len(suppression.kept)),
            argument=argument("max_suppression").rstrip("="),
            most=f"{float(100 * most):g} %",
        )
    return suppression


def refuse_breaches(inputs: Inputs, settings: Settings, table: Source) -> None:
    """Raise an error unless all limits hold for a table that came of another one."""
    changed = replace(inputs, table=table, _pairs={}, _in_population={})
    broken = [
        name
        for name, options in settings.items()
        for outcome in [run_measure(find_measure(name), changed, options)]
        if outcome.result is None or outcome.problem is not None or not outcome.result.passed
    ]
    if broken:
        raise UndecidedError(
            "the rows that are left do not keep the limit of {measures} when they are measured "
            "again; nothing was written",
            measures=listing(broken),
        )


def read_share(given: object) -> Fraction:
    """A share of rows as people write it.

    >>> read_share("5%"), read_share(0.05), read_share("1/20") == read_share("5 %")
    (Fraction(1, 20), Fraction(1, 20), True)
    """
    name = argument("max_suppression").rstrip("=")
    text = given.strip() if isinstance(given, str) else given
    if isinstance(text, str) and text.endswith("%"):
        number = exact(text[:-1].strip(), name) / 100
    else:
        number = exact(text, name)
    if not 0 <= number <= 1:
        raise OptionError(
            "{name} must be a share of the rows such as 0.05 or 5%, got {value!r}",
            name=name,
            value=given,
        )
    return number
