"""The best release of a table that keeps its limits: ``petaudit.anonymize``."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from petaudit.anonymizing.asking import (
    COMPARED,
    LevelSpec,
    Recoding,
    read_bounds,
    wanted_limits,
    with_hierarchies,
)
from petaudit.anonymizing.best import best_release
from petaudit.anonymizing.coarse import searched_from
from petaudit.anonymizing.explaining import explanation, sections
from petaudit.anonymizing.infeasible import InfeasibleError
from petaudit.anonymizing.problem import Objective, Problem
from petaudit.anonymizing.releasing import (
    Released,
    ReleasedElsewhere,
    audited,
    for_release,
    in_order,
    refuse_contradiction,
    refuse_written,
)
from petaudit.anonymizing.solution import Solution
from petaudit.anonymizing.transformation import Recoded, Transformation, steps_of
from petaudit.auditing import Audit
from petaudit.errors import (
    NotMeasurableError,
    OptionError,
    PetauditWarning,
    UndecidedError,
    argument,
    counted,
    names_in,
    phrase,
)
from petaudit.exact.class_figures import Truths
from petaudit.exact.fractions import Number
from petaudit.generalizing import (
    IdentifierColumns,
    IdentifyingColumns,
    check_choice,
    identifying_columns,
)
from petaudit.i18n.documents import phrases_in
from petaudit.inputs import Inputs, gather
from petaudit.judging.document import ANONYMIZE, plain
from petaudit.judging.policy import PolicySpec
from petaudit.measures.base import refuse_unknown, spelled_out
from petaudit.measures.result import plain_data
from petaudit.reports.terminal import as_text
from petaudit.system.files import Watch, unchanged
from petaudit.system.progress import stage
from petaudit.tables import Source, in_kind_of, open_source
from petaudit.tables.addresses import TableAddress
from petaudit.tables.engines.spark_writing import new_folder, write_with_spark
from petaudit.tables.headers import check_column, columns_named
from petaudit.tables.source import SPARK, source_of

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, repr=False)
class Anonymized:
    """A table that keeps its limits, how it was made, and how good that is."""

    given: object
    """What the original came in."""
    inputs: Inputs
    """The original, with everything that is known about it."""
    transformation: Transformation
    """What was done, to do it to other rows (:func:`petaudit.apply`)."""
    audit: Audit
    """What petaudit's measures say of the released table."""
    solution: Solution
    made: Released | ReleasedElsewhere
    files: tuple[Path, ...] = ()
    """Every file that was read."""
    warnings: tuple[str, ...] = ()
    watch: Watch = field(default_factory=Watch)
    """The same files, as they were when they were read."""

    @property
    def loss(self) -> float:
        """The figure that was searched for: 0 if nothing is lost."""
        return self.solution.value

    @property
    def bound(self) -> float:
        """No global recoding that keeps the limits loses less than this; a local one may."""
        return self.solution.bound

    @property
    def optimal(self) -> bool:
        """Whether it is proven that no release of its kind that keeps the limits loses less."""
        is_proven = self.transformation.recoding == "global" and self.solution.is_optimal
        return is_proven or self.loss == 0

    @property
    def kept(self) -> Truths:
        """Which rows of the original are in the released table."""
        hidden = self._here.suppressed
        return ~hidden if self.transformation.drop_suppressed else np.ones_like(hidden)

    @cached_property
    def released(self) -> pa.Table:
        """The released table, in the order of the original."""
        return for_release(self._here.rows(self.kept), self.transformation)

    @cached_property
    def with_people(self) -> pa.Table:
        """The same with the column that tells people apart, for measures that count them."""
        person = self.inputs.person
        if person is None or person in self.released.column_names:
            return self.released
        rows = self._here.rows(self.kept)
        return self.released.append_column(person, rows.column(person))

    def to_be_judged(self, name: str) -> Source:
        """The same as a table to be counted, where the rows are."""
        if isinstance(self.made, ReleasedElsewhere):
            return replace(self.made.judged(self.inputs.person), name=name)
        return open_source(self.with_people, called=name)

    @property
    def table(self) -> Any:
        """The released table in the kind that the original came in, pandas with its index.

        Of a frame of Spark it is one of Spark, and no row leaves the cluster.
        """
        if isinstance(self.made, ReleasedElsewhere) and self.inputs.table.counts.is_on_spark:
            names = {f"c{place}": name for place, name in enumerate(self.made.columns)}
            return self.made.frame().rename(names).to_native()
        changed = self.made.changed | frozenset(self.transformation.left_out)
        return in_kind_of(self.given, self.released, changed, self.kept)

    @property
    def _here(self) -> Released:
        if isinstance(self.made, ReleasedElsewhere):
            raise NotMeasurableError(
                "{table}: the rows stay in {engine}, and so does the released table; of PostgreSQL "
                "make_table (--out-table) makes it there, of Spark it is .table, a frame",
                table=self.inputs.table.name,
                engine=self.inputs.table.counts.engine,
            )
        return self.made

    def make_table(self, name: str) -> None:
        """Make the released table beside the original in PostgreSQL, as ``schema.name``.

        It is audited there, and kept only if every limit holds.
        """
        made, target = self._elsewhere(name)
        limits = self.transformation.limits
        with made.query.stored.made(target, made.statement(target)) as opened:
            people = made.judged(self.inputs.person)
            refuse_written(self.inputs, people, limits, source_of(opened))

    def make_folder(self, target: str | Path) -> None:
        """Have Spark write the released table as a folder of Parquet files on this machine.

        It is audited as it was written, and gets its name only if every limit holds.
        """
        folder = new_folder(target)
        table = self.inputs.table
        if not table.counts.is_on_spark:
            raise OptionError(
                "{table} is not on Spark, which writes no other table: name it with {argument}",
                table=table.name,
                argument=argument("engine", SPARK),
            )
        with stage(phrase("writing {file}", file=folder.name)):
            write_with_spark(self.table, folder, self._refuse_folder)

    def _refuse_folder(self, folder: Path) -> None:
        written = open_source(folder, engine=SPARK)
        if written.rows != self.rows_released:
            raise UndecidedError(
                "Spark wrote {found} where {expected} are released; nothing was kept (does every "
                "machine of the cluster see this folder?)",
                found=counted(written.rows, "row"),
                expected=counted(self.rows_released, "row"),
            )
        # What was audited keeps its counts, whatever has become of its rows since.
        audited_table = self.audit.inputs.table
        refuse_written(self.inputs, audited_table, self.transformation.limits, written)
        self.watch.check()

    def script(self, name: str) -> str:
        """What makes the released table in PostgreSQL, for psql; it holds labels of the data."""
        made, target = self._elsewhere(name)
        return made.query.stored.script(made.statement(target))

    def _elsewhere(self, name: str) -> tuple[ReleasedElsewhere, TableAddress]:
        if not isinstance(self.made, ReleasedElsewhere):
            raise OptionError(
                "{table} is not in a database, so that no table can be made there: write a file "
                "({argument})",
                table=self.inputs.table.name,
                argument=argument("out", "FILE"),
            )
        return self.made, self.made.query.stored.target(name)

    @property
    def rows_released(self) -> int:
        """How many rows the released table has."""
        made = self.made
        return made.rows if isinstance(made, ReleasedElsewhere) else self.released.num_rows

    @cached_property
    def rows_suppressed(self) -> int:
        """Rows with ``*`` in every quasi-identifier, those that were dropped included."""
        return self.made.rows_marked

    def to_dict(self) -> dict[str, Any]:
        """The document of the audit, with how the table was made and the figures before."""
        document = self.audit.to_dict()
        said = plain_data(sections(self))
        before = {result.measure: result.value for result in self.before.results}
        for entry in document["results"]:
            if entry["measure"] in before:
                entry["comparison"] = {"previous": plain(before[entry["measure"]])}
        return {
            **document,
            "command": ANONYMIZE,
            "compare_to": {"name": self.inputs.table.name},
            "sections": said,
            "anonymization": {
                "recoding": self.transformation.recoding,
                "objective": self.transformation.objective,
                "loss": self.loss,
                "bound": self.bound,
                "optimal": self.optimal,
                "finest_searched": dict(self.transformation.coarsened),
                "rows_suppressed": self.rows_suppressed,
                "drop_suppressed": self.transformation.drop_suppressed,
                "levels": None
                if self.solution.levels is None
                else dict(zip(self.transformation.names, self.solution.levels, strict=True)),
            },
            "texts": {**document["texts"], **phrases_in(said)},
        }

    @cached_property
    def before(self) -> Audit:
        """What the same limits say of the original."""
        table = self.inputs.table
        if not table.counts.is_remote:
            table = table.to_arrow()
        return audited(self.inputs, table, self.transformation.limits, self.transformation)

    def report(self, path: str | Path, **settings: Any) -> None:
        """Write a report: HTML, Markdown, JUnit or SARIF, by the name of the file."""
        from petaudit.reports.writing import report  # noqa: PLC0415 (only to look at)

        report(self.to_dict(), path, **settings)

    def explain(self) -> str:
        """What was generalised how far, what that costs, and how much better it could be."""
        return as_text(explanation(self)).rstrip("\n")

    def __repr__(self) -> str:
        rows = counted(self.transformation.rows, "row")
        return (
            f"<Anonymized {self.inputs.table.name}: {rows}, {self.rows_suppressed:,} suppressed, "
            f"loss {self.loss:.4g}, {self.audit.verdict}>"
        )


def anonymize(
    table: object,
    *,
    limits: Mapping[str, Number] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    population_size: Any = None,
    policy: PolicySpec | None = None,
    objective: Objective = "loss",
    weights: Mapping[str, float] | None = None,
    levels: Mapping[str, LevelSpec] | None = None,
    max_suppression: int | float | str = 0,
    recoding: Recoding = "local",
    drop_suppressed: bool = False,
    time_limit: float | None = None,
    keep: Sequence[str] | str = (),
    identifier_columns: IdentifierColumns = "drop",
    **inputs: Any,
) -> Anonymized:
    """Find the release of a table that keeps its limits and loses least.

    ``limits``, ``options``, ``policy`` and ``population_size`` are those of :func:`petaudit.audit`.
    ``recoding`` is ``local``, where every class has levels of its own, or ``global``, where every
    column has one. ``levels`` fixes or bounds the level of columns (2, "<=2", "1-2"), ``weights``
    say how much they count. At most ``max_suppression`` (a number of rows, or a share such as "5%")
    are suppressed; they are a class that keeps the limits as well, or leave the table
    (``drop_suppressed``). Columns that name people are left out, unless they are named in ``keep``.
    What comes out is audited before it is returned.

    >>> import petaudit, pyarrow as pa
    >>> table = pa.table({"age": ["23", "24", "61", "62"], "sex": ["f", "m", "f", "f"]})
    >>> made = anonymize(table, quasi_identifiers=["age", "sex"], limits={"k-anonymity": 2},
    ...                  hierarchies={"age": petaudit.ranges(10)})
    >>> made.table.to_pydict()
    {'age': ['[20,30[', '[20,30[', '[60,70[', '[60,70['], 'sex': ['*', '*', 'f', 'f']}
    >>> made.audit["k-anonymity"].value, made.optimal
    (2.0, False)
    """
    refuse_unknown(inputs, "anonymize", anonymize.__signature__)  # type: ignore[attr-defined]
    check_choice("recoding", recoding, get_args(Recoding))
    check_choice("identifier_columns", identifier_columns, get_args(IdentifierColumns))
    request, settings = wanted_limits(limits, options, policy, population_size)
    bounds = {name: read_bounds(name, level) for name, level in (levels or {}).items()}
    with unchanged() as watch:
        given = gather(table, announce_notes=False, **inputs)
        if not given.table.counts.is_remote:
            given = in_order(given)
        identifying = identifying_columns(given)
        kept = {*names_in(keep, "keep")}
        for name in kept:
            check_column(name, given.table.columns, given.table.name)
        people = [*identifying.declared, *identifying.guessed]
        if given.person is not None and not given.person_is_pseudonym:
            people.append(given.person)
        left_out = [name for name in dict.fromkeys(people) if name not in kept]
        known, proposed = with_hierarchies(given)
        if drop_suppressed:
            # What has '*' everywhere and stays is a class: nobody leaves out what is released.
            known = replace(known, suppressed="class")
        problem = Problem.of(
            known,
            settings,
            objective=objective,
            weights=weights,
            levels=bounds,
            max_suppression=max_suppression,
            suppressed="drop" if drop_suppressed else None,
        )
        solution = best_release(problem, recoding, time_limit)
        columns = [Recoded.of(column) for column in problem.columns]
        transformation = Transformation(
            tuple(columns),
            steps_of(
                columns,
                [column.leaves for column in problem.columns],
                [*problem.codes],
                np.where(solution.is_suppressed[:, None], -1, solution.level_of).astype(np.int8),
                problem.bottom if problem.coarsened else None,
            ),
            solution.recoding,
            plain(settings),
            objective,
            problem.total,
            solution.suppressed_rows,
            drop_suppressed=drop_suppressed,
            exclude_suppressed=known.suppressed == "exclude",
            weights={name: float(weight) for name, weight in (weights or {}).items()},
            bounds={name: str(level) for name, level in (levels or {}).items()},
            coarsened=problem.coarsened.levels if problem.coarsened else {},
            max_suppression=str(max_suppression),
            others=tuple(
                name
                for name in known.table.columns
                if name not in {*left_out, *known.quasi_identifiers}
            ),
            left_out=tuple(left_out),
            masked=identifier_columns == "mask",
            sensitive=known.roles.sensitive,
            sensitive_hierarchies=tuple(_sensitive_hierarchies(known)),
            person=known.person,
            inputs=plain(given.fingerprints),
        )
        with stage(phrase("auditing the released table")):
            rows, judged, original = _made(known, problem, transformation)
            if problem.suppressed == "exclude" and rows.rows_marked == problem.total:
                raise InfeasibleError(
                    phrase(
                        "no levels keep the limits: every row would have '*' in all "
                        "quasi-identifiers, and such rows are left out here (suppressed: exclude), "
                        "so that nothing is left to be judged"
                    )
                )
            release = audited(
                known,
                judged,
                settings,
                transformation,
                watch,
                original=original,
                request=request,
                kept=kept,
            )
            refuse_contradiction(release, settings)
    made = Anonymized(
        table,
        known,
        transformation,
        release,
        solution,
        rows,
        (*given.files, *release.files),
        tuple(_messages(known, identifying, kept, transformation, proposed, rows)),
        watch,
    )
    for message in made.warnings:
        warnings.warn(message, PetauditWarning, stacklevel=2)
    return made


anonymize.__signature__ = spelled_out(anonymize, COMPARED)  # type: ignore[attr-defined]


def _made(
    inputs: Inputs, problem: Problem, transformation: Transformation
) -> tuple[Released | ReleasedElsewhere, pa.Table | Source, Source | None]:
    """The released table, what is audited of it, and the original if rows can be compared."""
    if inputs.table.counts.is_remote:
        elsewhere = ReleasedElsewhere.of(inputs.table, problem, transformation)
        return elsewhere, elsewhere.judged(inputs.person), None
    made = Released.of(inputs.table, transformation)
    hidden = made.suppressed
    rows = ~hidden if transformation.drop_suppressed else np.ones_like(hidden)
    return made, made.rows(rows), inputs.table if rows.all() else None


def _sensitive_hierarchies(inputs: Inputs) -> Iterator[Recoded]:
    """The hierarchies by which t-closeness tells how near values are."""
    for name in inputs.roles.sensitive:
        if name in inputs.hierarchies:
            yield Recoded.of_hierarchy(inputs.hierarchies.get(name, None))


def _messages(
    inputs: Inputs,
    identifying: IdentifyingColumns,
    kept: Collection[str],
    transformation: Transformation,
    proposed: Sequence[str],
    made: Released | ReleasedElsewhere,
) -> Iterator[str]:
    released = IdentifyingColumns(
        tuple(name for name in identifying.declared if name not in kept),
        tuple(name for name in identifying.guessed if name not in kept),
    )
    yield from released.messages(inputs, masked=transformation.masked)
    if transformation.coarsened:
        yield searched_from(transformation.coarsened)
    if made.rows_marked == transformation.rows:
        yield phrase(
            "nothing is left of the quasi-identifiers: every row has '*' in all of them; let some "
            "rows be suppressed ({argument}), leave out a quasi-identifier, or ask for less",
            argument=argument("max_suppression", "10%"),
        )
    if proposed:
        yield phrase(
            "no hierarchy was given for {columns}, so that levels were proposed; petaudit "
            "hierarchies shows them, and writes them to be edited",
            columns=columns_named(proposed, inputs.table.columns),
        )
    if inputs.person in transformation.left_out and inputs.person not in identifying.declared:
        yield phrase(
            "left out, because it tells people apart: {column!r} ({argument} keeps a column)",
            column=inputs.person,
            argument=argument("keep", str(inputs.person)),
        )
    named = [name for name in transformation.others if name in {*kept}]
    if named:
        yield phrase(
            "kept as you asked, though whoever knows it finds the row of a person: {columns}",
            columns=columns_named(named, inputs.table.columns),
        )
