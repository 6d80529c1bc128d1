"""The one runner: a measure on settled inputs, and an audit of all that the inputs allow."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import (
    EngineLostError,
    NotMeasurableError,
    OptionError,
    PetauditError,
    UndecidedError,
    counted,
    joined,
    listing,
    phrase,
    term,
    without_row_numbers,
)
from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.judging.document import CHECK, new_document, plain
from petaudit.judging.gate import Conclusion, Figure, JudgedTable, conclude, verdict_sentence
from petaudit.judging.policy import Policy, PolicySpec, find_policy
from petaudit.judging.review import ColumnReview, people_notes, review_columns
from petaudit.measures import Measure, Need, Result, all_measures, find_measure, listed_measures
from petaudit.measures.base import refuse_unknown, spelled_out
from petaudit.measures.result import columns_of
from petaudit.reports.writing import report as make_report
from petaudit.system.files import Watch, unchanged
from petaudit.system.progress import stage
from petaudit.tables.result_frames import Kind, result_frame

if TYPE_CHECKING:
    import pandas
    import polars

    from petaudit.reports.view import View

JUDGING: Final = ("limit", "profile")
"""The options that a figure is judged by."""
_SETTINGS: Final = (
    *("suppressed", "key", "person", "person_is_pseudonym", "reveal_values"),
    *("delimiter", "encoding", "engine", "spark_master"),
)
"""What the document says of the inputs, beside tables and roles."""


@dataclass(frozen=True)
class Outcome:
    """What became of a measure: a result, a problem, or both where a figure decides nothing."""

    result: Result | None = None
    problem: PetauditError | None = None


def run_measure(measure: Measure, inputs: Inputs, options: Mapping[str, Any]) -> Outcome:
    """Run one measure on settled inputs, for whichever command."""
    try:
        result = measure.run(inputs, options)
        if result.passed is None and any(options.get(name) is not None for name in JUDGING):
            # A limit that a measure ignores must not look like one that holds.
            raise UndecidedError(
                "{measure} did not say whether its limit holds", measure=measure.name, result=result
            )
        return Outcome(result)
    except UndecidedError as problem:
        return Outcome(problem.result if isinstance(problem.result, Result) else None, problem)
    except PetauditError as problem:
        return Outcome(None, problem)


@dataclass(frozen=True)
class NotMeasured:
    """A measure that gave no figure: left out, or asked for and impossible."""

    measure: str
    problem: PetauditError
    asked_for: bool

    @property
    def reason(self) -> str:
        """Why there is no figure, without any value of the data."""
        return without_row_numbers(self.problem.text)

    @property
    def status(self) -> str:
        """``error`` if the measure was asked for, else ``skipped``."""
        return "error" if self.asked_for else "skipped"

    def to_dict(self) -> dict[str, Any]:
        """The entry as plain data."""
        return {"measure": self.measure, "status": self.status, "reason": self.reason}


@dataclass(frozen=True, repr=False)
class Audit:
    """The results of several measures on one table.

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"]})
    >>> release = audit(table, quasi_identifiers="zip", limits={"k-anonymity": 2})
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
        of_results = (text for result in self.results for text in result.warnings)
        return tuple(dict.fromkeys((*self.inputs.notes, *self.people_notes, *of_results)))

    @cached_property
    def people_notes(self) -> tuple[str, ...]:
        """Notes about rows and people."""
        return tuple(people_notes(self.inputs))

    def __repr__(self) -> str:
        measured = counted(len(self.results), "result")
        return f"<Audit of {self.inputs.table.name}: {measured}, {self.verdict}>"

    def __str__(self) -> str:
        """Return what ``petaudit check`` prints."""
        from petaudit.reports.text import screen_text  # noqa: PLC0415 (only to look at)

        return screen_text(self.view, is_command=False).rstrip("\n")

    @property
    def view(self) -> View:
        """What a report or a terminal shows, without pictures."""
        from petaudit.reports.reading import view_of  # noqa: PLC0415 (only to look at)

        return view_of(new_document(CHECK, self.verdict, self._content(with_pictures=False)))

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

        >>> import pyarrow as pa
        >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"]})
        >>> frame = audit(table, quasi_identifiers="zip", limits={"k-anonymity": 2}).to_pandas()
        >>> frame.loc[frame["status"] == "failed", "measure"].tolist()
        ['k-anonymity']
        """
        frame: pandas.DataFrame = self._frame("pandas")
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Return a Polars frame with a row per measure.

        >>> import pyarrow as pa
        >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"]})
        >>> audit(table, quasi_identifiers="zip", measures="k-anonymity").to_polars().row(0)
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
        content = self._content(with_pictures=True)
        self.check_unchanged()
        return new_document(CHECK, self.verdict, content)

    def _content(self, *, with_pictures: bool) -> dict[str, Any]:
        return {
            "inputs": dict(self.fingerprints),
            "problems": list(self.problems),
            "open_questions": list(self.open_questions),
            "columns": self.columns.to_dict(),
            "roles": self.inputs.roles.to_dict(),
            "options": dict(self.options),
            **({} if self.policy is None else {"policies": [self.policy.to_dict()]}),
            "results": [
                result.to_entry(self.inputs, with_pictures=with_pictures) for result in self.results
            ],
            "not_measured": [entry.to_dict() for entry in self.not_measured],
            "warnings": list(self.warnings),
        }

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


def audit(
    table: object,
    *,
    measures: Iterable[str] | str | None = None,
    limits: Mapping[str, Number] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    population_size: Any = None,
    policy: PolicySpec | None = None,
    strict: bool = False,
    **inputs: Any,
) -> Audit:
    """Run the named measures, or all that the inputs allow.

    ``limits`` holds the limit of measures by name, ``options`` their limits and options;
    ``population_size`` is for all measures that take one. ``policy`` is the name or file of a rule
    that sets limits, which others may tighten. With ``strict``, open questions
    (``Audit.open_questions``) leave the audit undecided.

    >>> import pyarrow as pa
    >>> table = pa.table({"born": ["197*"] * 2 + ["198*"] * 3, "salary": [3, 4, 5, 6, 8]})
    >>> release = audit(table, quasi_identifiers=["born"], sensitive=["salary"],
    ...                 limits={"k-anonymity": 2, "t-closeness": 0.3})
    >>> release.exit_code, release["t-closeness"].status
    (1, 'failed')
    """
    refuse_unknown(inputs, "audit", inspect.signature(audit))
    with unchanged() as watch:
        rule = None if policy is None else find_policy(policy)
        wanted = _options_by_measure(options or {}, limits or {})
        if rule is not None:
            rule, wanted = rule.applied_to(wanted)
        names = [measures] if isinstance(measures, str) else measures
        named = (
            None if names is None else [*dict.fromkeys(find_measure(name).name for name in names)]
        )
        if named == []:
            raise OptionError("the list of measures is empty")
        opened = gather(table, announce_notes=False, **inputs)
        chosen = [
            find_measure(name)
            for name in dict.fromkeys((*(listed_measures() if named is None else named), *wanted))
        ]
        sized = {} if population_size is None else _sized(population_size, chosen, wanted)
        settings = {
            name: sized.get(name, {}) | wanted.get(name, {})
            for name in dict.fromkeys((*sized, *wanted))
        }
        explicit = {*(named or ()), *wanted}
        has_roles = opened.roles.quasi_identifiers or opened.hierarchies
        if not has_roles and not any(
            _can_do_without(measure, opened, explicit) for measure in chosen
        ):
            # Nothing at all can be measured: one clear error instead of one per measure.
            _ = opened.quasi_identifiers
        is_sensitive = any(Need.SENSITIVE in measure.needs for measure in chosen)
        if is_sensitive and opened.roles.quasi_identifiers and opened.roles.sensitive:
            # Count the classes with the sensitive values in them, which all class measures need;
            # problems of a column are reported by the measures that need it.
            with contextlib.suppress(PetauditError), stage(phrase("grouping rows into classes")):
                _ = opened.class_blocks
        results: list[Result] = []
        not_measured: list[NotMeasured] = []
        for number, measure in enumerate(chosen, 1):
            is_named, given_options = measure.name in explicit, settings.get(measure.name, {})
            with stage(measure.name, number, len(chosen)):
                outcome = _outcome(measure, opened, given_options, is_named=is_named)
            problem = outcome.problem
            if isinstance(problem, OptionError | EngineLostError):
                raise problem
            if problem is not None:
                # Of measures that nobody named, those that suit the table are wanted.
                is_asked_for = is_named or (
                    not isinstance(problem, NotMeasurableError)
                    and _is_asked_for(measure, wanted, opened, given_options)
                )
                not_measured.append(NotMeasured(measure.name, problem, is_asked_for))
            elif outcome.result is not None:
                results.append(outcome.result)
        # A measure that compares all columns of two tables has looked at every one of them.
        is_reviewed = any(not find_measure(result.measure).has_same_columns for result in results)
        with stage(phrase("looking at the columns")):
            review = review_columns(opened) if is_reviewed else ColumnReview()
            fingerprints = opened.fingerprints
        return Audit(
            opened,
            tuple(results),
            tuple(not_measured),
            {
                "measures": named,
                "options": plain(settings),
                "strict": strict,
                **{name: getattr(opened, name) for name in _SETTINGS},
                **({} if opened.person is not None else {"person_is_pseudonym": None}),
            },
            fingerprints,
            watch,
            rule,
            review,
            strict,
        )


audit.__signature__ = spelled_out(audit)  # type: ignore[attr-defined]


def _outcome(
    measure: Measure, inputs: Inputs, options: Mapping[str, Any], *, is_named: bool
) -> Outcome:
    """What becomes of a measure, if it suits the inputs or somebody named it."""
    why_not = None if is_named else measure.why_left_out(inputs)
    if why_not is not None:
        return Outcome(problem=NotMeasurableError(why_not))
    missing = measure.missing(inputs, options)
    if missing:
        needs = joined(missing, " and ")
        return Outcome(problem=NotMeasurableError("needs {missing}", missing=needs))
    return run_measure(measure, inputs, options)


def _options_by_measure(
    given: Mapping[str, Mapping[str, Any]], limits: Mapping[str, Number]
) -> dict[str, dict[str, Any]]:
    """Options and limits by measure; invalid ones are refused before any work."""
    wanted: dict[str, dict[str, Any]] = {}
    if not isinstance(given, Mapping):
        raise OptionError(
            "options must be a mapping such as {{'t-closeness': {{'worst': 3}}}}, got {value!r}",
            value=given,
        )
    for name, options in given.items():
        measure = find_measure(name)
        if not isinstance(options, Mapping):
            raise OptionError(
                "the options of {measure} must be a mapping such as {{'limit': 5}}, got {value!r}",
                measure=measure.name,
                value=options,
            )
        if measure.name in wanted:
            raise OptionError("the options of {measure} are given twice", measure=measure.name)
        measure.check_options(options)
        wanted[measure.name] = dict(options)
    if not isinstance(limits, Mapping):
        raise OptionError(
            "limits must be a mapping such as {{'k-anonymity': 5}}, got {value!r}", value=limits
        )
    for name, limit in limits.items():
        measure = find_measure(name)
        if "limit" in wanted.get(measure.name, {}):
            raise OptionError("the limit of {measure} is given twice", measure=measure.name)
        if limit is None:
            # No limit would be a verdict that nobody asked for.
            raise OptionError("the limit of {measure} is None", measure=measure.name)
        measure.check_options({"limit": limit})
        wanted.setdefault(measure.name, {})["limit"] = limit
    return wanted


def _sized(
    population_size: Any, chosen: Iterable[Measure], wanted: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """The option of every measure that takes one; an error where nothing would come of it."""
    name = "population_size"
    known = [
        measure.name
        for measure in all_measures().values()
        if any(option.name == name for option in measure.options)
    ]
    takers = [measure.name for measure in chosen if measure.name in known]
    if not takers:
        raise OptionError(
            "{option} has no effect on the requested measures; it is for {measures}",
            option=name,
            measures=listing(known),
        )
    for measure in takers:
        if name in wanted.get(measure, {}):
            raise OptionError(
                "the {option} of {measure} is given twice", option=name, measure=measure
            )
    return {measure: {name: population_size} for measure in takers}


def _can_do_without(measure: Measure, inputs: Inputs, explicit: Set[str]) -> bool:
    """Whether a measure has something to say about this audit where no column has a role.

    What a measure lacks beside the roles is reported only if it was asked for.
    """
    if not {Need.QUASI_IDENTIFIERS, Need.HIERARCHIES}.isdisjoint(measure.needs):
        return False
    if measure.name in explicit:
        return True
    return measure.only_by_name is None and not measure.missing(inputs, {})


def _is_asked_for(
    measure: Measure,
    wanted: Mapping[str, Mapping[str, Any]],
    inputs: Inputs,
    options: Mapping[str, Any],
) -> bool:
    """Whether a failure of this measure is a failure of the audit.

    With no limit or option given, everything that can run is asked for. Otherwise the measures with
    a limit or option are, and those that an original or a population was given for; the rest are
    extras.
    """
    if not wanted or options:
        return True
    needs = {*measure.needs, *(need for need, _ in measure.either)}
    return any(need in needs and need.is_met(inputs) for need in (Need.ORIGINAL, Need.POPULATION))
