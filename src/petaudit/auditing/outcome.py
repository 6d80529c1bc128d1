"""What came of an audit: a result of each measure, or why there is none, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petaudit.errors import (
    NotMeasurableError,
    PetauditError,
    counted,
    joined,
    phrase,
    term,
    without_row_numbers,
)
from petaudit.inputs import Inputs
from petaudit.judging.document import CHECK, new_document
from petaudit.judging.gate import (
    ERROR,
    FAILED,
    Conclusion,
    Figure,
    JudgedTable,
    conclude,
    limit_breach,
    verdict_sentence,
)
from petaudit.judging.policy import Policy
from petaudit.judging.review import ColumnReview, table_notes
from petaudit.measures import Measure, Result, all_measures, find_measure
from petaudit.measures.result import columns_of, plain_data
from petaudit.reports.view import Advice
from petaudit.reports.writing import report as make_report
from petaudit.system.files import Watch
from petaudit.tables.result_frames import Kind, result_frame

if TYPE_CHECKING:
    import pandas
    import polars

    from petaudit.measures.result import ScreenTable
    from petaudit.reports.view import View


@dataclass(frozen=True)
class Outcome:
    """What became of a measure: a result, a problem, or both where a figure decides nothing."""

    result: Result | None = None
    problem: PetauditError | None = None

    def to_entry(
        self,
        measure: Measure,
        options: Mapping[str, Any],
        inputs: Inputs | None,
        *,
        with_pictures: bool = True,
    ) -> dict[str, Any]:
        """The entry of a document: the same for whichever command."""
        if self.result is None:
            entry = measure.empty_entry(**options)
        else:
            # What a figure that decides nothing looks like is not worth another look at the table.
            drawn = inputs if self.problem is None else None
            entry = self.result.to_entry(drawn, with_pictures=with_pictures)
        if self.problem is not None:
            entry |= {"status": ERROR, "reason": without_row_numbers(self.problem.text)}
        return entry


@dataclass(frozen=True)
class NotMeasured:
    """A measure that gave no figure: left out, or asked for and impossible."""

    measure: str
    problem: PetauditError
    asked_for: bool
    result: Result | None = None
    """A figure that does not show whether its limit holds."""

    @property
    def reason(self) -> str:
        """Why there is no figure, without any value of the data."""
        return without_row_numbers(self.problem.text)

    @property
    def status(self) -> str:
        """``error`` if the measure was asked for, else ``skipped``."""
        return ERROR if self.asked_for else "skipped"


@dataclass(frozen=True, repr=False)
class Audit:
    """The results of several measures on one table.

    >>> import petaudit, pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"]})
    >>> release = petaudit.audit(table, quasi_identifiers="zip", limits={"k-anonymity": 2})
    >>> release.passed, release["k-anonymity"].value, "t-closeness" in release
    (False, 1.0, False)
    >>> release.summary()
    'failed: k-anonymity is 1, must be at least 2'
    """

    inputs: Inputs
    results: tuple[Result, ...]
    not_measured: tuple[NotMeasured, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    fingerprints: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What identifies the tables that were measured."""
    watch: Watch = field(default_factory=Watch)
    policy: Policy | None = None
    """The rule that set limits, with what was tighter by hand."""
    columns: ColumnReview = field(default_factory=ColumnReview)
    """Columns that still name people, and columns without a role."""
    strict: bool = False
    """Whether open questions leave the audit undecided."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """The table and the inputs as they were given, to be given again."""
    with_advice: bool = True
    command: str = CHECK
    """What the document says that it was made by."""

    @cached_property
    def advice(self) -> tuple[Advice, ...]:
        """What to do about limits that are breached, worked out when it is first asked for."""
        from petaudit.auditing.advice import advice_of  # noqa: PLC0415 (it knows audits)

        return advice_of(self) if self.with_advice else ()

    @cached_property
    def conclusion(self) -> Conclusion:
        """What all measures say together."""
        figures = [Figure.of(result) for result in self.results]
        table = JudgedTable(figures, [self.columns], self.inputs.roles.sensitive)
        is_unmeasured = any(entry.asked_for for entry in self.not_measured)
        return conclude(
            [table],
            is_incomplete=is_unmeasured or not self.results,
            strict=self.strict,
            demands=() if self.policy is None else [self.policy.open_question],
        )

    @property
    def verdict(self) -> str:
        """``passed``, ``failed``, ``error``, or ``measured`` where there was no limit at all."""
        return self.conclusion.verdict

    @property
    def exit_code(self) -> int:
        """0: all limits hold; 1: the release is broken; 2: it could not be decided."""
        return self.conclusion.exit_code

    @property
    def passed(self) -> bool:
        """Whether everything asked for was measured, every limit holds, and nobody is named."""
        return self.exit_code == 0

    @property
    def problems(self) -> tuple[str, ...]:
        """Why the table must not be released, whatever the figures say."""
        return self.conclusion.problems

    @property
    def open_questions(self) -> tuple[str, ...]:
        """What the limits did not ask, and somebody should before the table is released."""
        return self.conclusion.open_questions

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that was read; none of them may be written to."""
        read = (
            *self.inputs.files,
            *(path for result in self.results for path in result.other_files),
        )
        rule = None if self.policy is None else self.policy.path
        return read if rule is None else (*read, rule)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of all results, each once, and the notes about rows and people."""
        undecided = (entry.result for entry in self.not_measured if entry.result is not None)
        of_results = (text for result in (*self.results, *undecided) for text in result.warnings)
        return tuple(dict.fromkeys((*self.inputs.notes, *self.table_notes, *of_results)))

    @cached_property
    def table_notes(self) -> tuple[str, ...]:
        """Notes about odd values, and about rows and people."""
        return table_notes(self.inputs)

    def __repr__(self) -> str:
        measured = counted(len(self.results), "result")
        return f"<Audit of {self.inputs.table.name}: {measured}, {self.verdict}>"

    def __str__(self) -> str:
        """Return what ``petaudit check`` prints."""
        from petaudit.reports.text import screen_text  # noqa: PLC0415 (only to look at)

        return screen_text(self.view, is_command=False, offered=self.screen_tables).rstrip("\n")

    @property
    def screen_tables(self) -> tuple[ScreenTable, ...]:
        """What results show on a terminal beside their figures."""
        undecided = (entry.result for entry in self.not_measured if entry.result is not None)
        results = (*self.results, *undecided)
        return tuple(table for result in results for table in result.screen_tables)

    @property
    def view(self) -> View:
        """What a report or a terminal shows, without pictures."""
        from petaudit.reports.reading import view_of  # noqa: PLC0415 (only to look at)

        return view_of(self._document(with_pictures=False))

    def __len__(self) -> int:
        return len(self.results)

    def __bool__(self) -> bool:
        raise TypeError("an audit is neither true nor false: ask audit.passed")

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __contains__(self, wanted: object) -> bool:
        """Whether a measure of this name was measured, or a result is one of these."""
        if isinstance(wanted, str):
            return wanted.replace("_", "-") in [result.measure for result in self.results]
        return any(result is wanted for result in self.results)

    def __getitem__(self, measure: str) -> Result:
        wanted = find_measure(measure).name
        for result in self.results:
            if result.measure == wanted:
                return result
        reasons = [entry.problem.text for entry in self.not_measured if entry.measure == wanted]
        raise NotMeasurableError(
            "{measure} was not measured: {reasons}",
            measure=wanted,
            reasons=joined(reasons, "; ") if reasons else phrase("not requested"),
        )

    def summary(self) -> str:
        """Return the verdict and what breaks it, in a line."""
        from petaudit.auditing.text import summary_text  # noqa: PLC0415 (it knows audits)

        return summary_text(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Return a pandas frame with a row per measure.

        >>> import petaudit, pyarrow as pa
        >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"]})
        >>> limits = {"k-anonymity": 2}
        >>> frame = petaudit.audit(table, quasi_identifiers="zip", limits=limits).to_pandas()
        >>> frame.loc[frame["status"] == "failed", "measure"].tolist()
        ['k-anonymity']
        """
        frame: pandas.DataFrame = self._frame("pandas")
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Return a Polars frame with a row per measure.

        >>> import petaudit, pyarrow as pa
        >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"]})
        >>> release = petaudit.audit(table, quasi_identifiers="zip", measures="k-anonymity")
        >>> release.to_polars().row(0)
        ('k-anonymity', 1.0, None, 'measured', 'higher')
        """
        frame: polars.DataFrame = self._frame("polars")
        return frame

    def _frame(self, kind: str) -> Any:
        columns: dict[str, Kind] = {
            "measure": "text",
            "value": "number",
            "limit": "number",
            "status": "text",
            "better": "text",
        }
        return result_frame(kind, columns_of(self.results, **columns))

    report = make_report

    def to_dict(self) -> dict[str, Any]:
        """The versioned document that ``--format json`` prints, and that reports are made of."""
        document = self._document(with_pictures=True)
        self.check_unchanged()
        return document

    def _document(self, *, with_pictures: bool) -> dict[str, Any]:
        given = self.options.get("options", {})
        outcomes = [
            *((result.measure, Outcome(result)) for result in self.results),
            *(
                (entry.measure, Outcome(entry.result, entry.problem))
                for entry in self.not_measured
                if entry.asked_for
            ),
        ]
        entries = [
            outcome.to_entry(
                find_measure(name), given.get(name, {}), self.inputs, with_pictures=with_pictures
            )
            for name, outcome in outcomes
        ]
        for entry in entries:
            entry["breaches"] = [limit_breach(entry)] if entry["status"] == FAILED else []
        timings = {result.measure: getattr(result, "timings", {}) for result in self.results}
        return new_document(
            self.command,
            self.conclusion,
            inputs=self.fingerprints,
            results=entries,
            strict=self.strict,
            columns=self.columns.to_dict(),
            roles=self.inputs.roles.to_dict(),
            options=dict(self.options),
            policies=[] if self.policy is None else [self.policy.to_dict()],
            left_out=[
                {"measure": entry.measure, "reason": entry.reason}
                for entry in self.not_measured
                if not entry.asked_for
            ],
            warnings=self.warnings,
            what_to_do=plain_data(self.advice),
            timings={"stages": {name: stages for name, stages in timings.items() if stages}},
        )

    def check_unchanged(self) -> None:
        """Raise an error if a table that is read again for pictures and words is another now."""
        again = [source for source in self.inputs.tables.values() if not source.is_loaded]
        self.watch.check(path for source in again for path in source.files)

    def _repr_html_(self) -> str:
        from petaudit.pictures.notebook import FigureRow, notebook_table  # noqa: PLC0415 (to look at)

        measures = all_measures()
        failures = [entry.measure for entry in self.not_measured if entry.asked_for]
        rows = [
            *(result.figure_row for result in self.results),
            *(FigureRow(term(measures[name].title), None, "-", None, "error") for name in failures),
        ]
        headline = verdict_sentence(
            self.verdict,
            failed=sum(result.passed is False for result in self.results),
            judged=sum(result.passed is not None for result in self.results),
            names_people=bool(self.problems),
            has_questions=bool(self.open_questions),
            is_incomplete=bool(failures) or not self.results,
        )
        return notebook_table(rows, headline=headline)
