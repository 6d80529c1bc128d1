"""mpUCCs: which rows of a synthetic table single out exactly one real row."""

from __future__ import annotations

import inspect
import math
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import (
    NotMeasurableError,
    OptionError,
    PetauditWarning,
    UndecidedError,
    counted,
    listing,
    phrase,
    suggestion,
    term,
)
from petaudit.exact.fractions import exact_nonnegative, parse_number, quotient_text
from petaudit.measures.base import (
    Better,
    Columns,
    Family,
    Measure,
    Need,
    Option,
    ReportedFigure,
    Result,
    announce,
    limit_parameter,
    refuse_unknown,
)
from petaudit.measures.limits import figure_texts, refuse_unbreakable
from petaudit.measures.result import ScreenTable
from petaudit.pictures.singled_out import singled_out_of
from petaudit.singling.options import PROFILES, Options, Profile, Progress
from petaudit.system.files import unchanged
from petaudit.system.kinds import Choice, Number, TableFile
from petaudit.system.progress import advance, is_watched, stage
from petaudit.system.reading import Reading
from petaudit.system.settings import settings_of
from petaudit.tables import Source, open_source
from petaudit.tables.result_frames import Kind, ResultColumn, frame_kind, result_frame

if TYPE_CHECKING:
    from petaudit.inputs import Inputs
    from petaudit.singling.findings import Findings

# The search brings its compiler along, which takes longer to import than all the rest: functions
# import it when they run.

NAME: Final = "mpuccs"
_MOST_COMBINATIONS: Final = 100
_MOST_SHOWN: Final = 10
_CHANGES: Final[Mapping[str, Kind]] = {
    "column": "text",
    "rows_helped": "integer",
    "change": "text",
    "rows_before": "integer",
    "rows_after": "integer",
    "up_to_columns": "integer",
}


class Mpuccs(Measure):
    """Which rows of a synthetic table single out exactly one real row?

    The share of synthetic rows that point at exactly one real person, less what few distinct values
    alone would explain. 0 means that no more rows do than that; with 0.1, about one row in ten
    does.

    Formula: a synthetic row is identified by columns X if its values on X occur once in the
    synthetic and once in the original table; risk = 1 - min((1 - identified / rows) / baseline, 1),
    baseline = 1 - 1 / product of the numbers of distinct values

    Reference: Z. Abedjan, F. Naumann: Advancing the discovery of unique column combinations, CIKM
    2011, doi 10.1145/2063576.2063801; the PETsARD documents on mpUCCs

    Does not say: Only exact matches count: values that are slightly off may still reveal people.
    Rows can also match by coincidence; only a control of people not used for training can tell."""

    name = NAME
    title = "mpUCCs"
    rank = 210
    family = Family.RISK
    better = Better.LOWER
    range = (0.0, 1.0)
    needs = (Need.ORIGINAL,)
    limit_help = "the risk score must be at most this"
    figure_ignores = ("threads", "search")
    granularities = ("global", "details", "tree", "changes")
    has_same_columns = True
    pictures = staticmethod(singled_out_of)
    only_by_name = "is for synthetic tables, whose rows belong to no real person"

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """The options beside the limit: two of the measure, and those of the search."""
        profiles = Choice(tuple(PROFILES))
        return (
            Option("profile", f"a named limit: {listing(list(PROFILES))}", kind=profiles),
            Option("control", "a holdout table, not used for training", kind=TableFile()),
            *(
                Option(
                    option.name,
                    option.help,
                    kind=option.kind,
                    shows_in_figure=option.name not in self.figure_ignores,
                )
                for option in Options.declared().values()
            ),
        )

    @classmethod
    def signature(cls) -> inspect.Signature:
        """The parameters of the function: tables, the options of the search, and the engine."""
        return inspect.signature(mpuccs)

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise an error for options that make no sense or contradict each other."""
        limit, profile = options.get("limit"), options.get("profile")
        checked = _checked(options)
        if limit is not None or profile is not None:
            checked_limit(limit, profile, has_baseline=checked.calculate_baseline)

    def plain_words(self, figure: ReportedFigure) -> str | None:
        """Say what was found."""
        return phrase("{found}.", found=figure.explanation[0]) if figure.explanation else None

    def _computed(self, inputs: Inputs, options: Mapping[str, Any]) -> MpuccsResult:
        """Search the tables of an audit: the audited table is the synthetic one."""
        assert inputs.original is not None  # noqa: S101 (a need of the measure)
        control = inputs.control
        if options.get("control") is not None:
            control = open_source(
                options["control"],
                **inputs.reading.options,
                called=phrase("the control"),
                engine=inputs.engine,
                spark_master=inputs.spark_master,
            )
        if inputs.person is not None:
            options = {"person": inputs.person, **options}
        self.check(options)
        progress = inputs.progress or (_tell if is_watched() else None)
        checked = _checked(options, progress=progress)
        with stage(phrase("reading {tables}", tables=counted(2, "table"))):
            result = find(inputs.original, inputs.table, control, checked)
        if result.findings.is_empty:
            raise NotMeasurableError("a table without rows singles out nobody")
        result = result.judged(limit=options.get("limit"), profile=options.get("profile"))
        if result.undecided and result.findings.doubts:
            raise UndecidedError(
                "{found}, which does not show that the limit holds: {doubt}",
                found=result.explanation[0],
                doubt=result.findings.doubts[0],
                result=result,
            )
        if result.undecided:
            raise UndecidedError(
                "the search was not complete; {found}, which does not show that the limit holds; a "
                "search of all combinations would decide (no min_entropy_delta, no time_limit, no "
                "sizes left out)",
                found=result.explanation[0],
                result=result,
            )
        return result


def _tell(now: Progress) -> None:
    columns = counted(now.size, "column")
    what = phrase("combinations of {columns}", columns=columns)
    advance(what, now.all_done, now.all_total)


def _checked(given: Mapping[str, Any], *, progress: Any = None) -> Options:
    """The options of the search, with decimal numbers that the command line passed on as text."""
    options = {name: given[name] for name in Options.declared() if name in given}
    for name, value in options.items():
        if isinstance(value, str) and isinstance(Options.declared()[name].kind, Number):
            is_number = parse_number(value) is not None or value in {"inf", "infinity"}
            options[name] = float(value) if is_number else value
    return Options.checked(**options, progress=progress)


def mpuccs(
    original: object,
    synthetic: object,
    control: object = None,
    *,
    limit: object = None,
    profile: str | None = None,
    engine: str | None = None,
    spark_master: str | None = None,
    **options: Any,
) -> MpuccsResult:
    """Find every synthetic row that singles out one original row, with the fewest columns.

    A ``limit`` or a ``profile`` judges the result as :meth:`MpuccsResult.judged` does.

    Files are counted by DuckDB, or by Spark where ``engine`` is "spark". Rows with the same value
    in the column ``person`` are one person's and do not compete: what only they have points at one.
    Options may also say how files are read (``delimiter``, ``encoding``, ``sheet``, ``null``, ...).

    >>> import pyarrow as pa
    >>> original = pa.table({"A": [1, 1, 2, 3], "B": ["x", "y", "x", "x"]})
    >>> synthetic = pa.table({"A": [1, 7, 8, 9], "B": ["x", "x", "y", "y"]})
    >>> result = mpuccs(original, synthetic)
    >>> result.details.column("field_combo").to_pylist(), result.value
    ([['A', 'B']], 0.1)
    """
    started = time.monotonic()
    refuse_unknown(options, NAME, inspect.signature(mpuccs))
    reading = {name: options.pop(name) for name in settings_of(Reading) if name in options}
    checked = Options.checked(**options)
    if limit is not None or profile is not None:
        checked_limit(limit, profile, has_baseline=checked.calculate_baseline)

    def opened(table: object, called: str) -> Source:
        return open_source(
            table, called=called, engine=engine, spark_master=spark_master, **reading
        )

    with unchanged():
        result = find(
            opened(original, phrase("the original")),
            opened(synthetic, phrase("the synthetic table")),
            None if control is None else opened(control, phrase("the control")),
            checked,
            frame_kind(original, synthetic),
            started,
        )
    announce(result)
    return result.judged(limit=limit, profile=profile)


def find(
    original: Source,
    synthetic: Source,
    control: Source | None,
    options: Options,
    frame: str = "pyarrow",
    started: float | None = None,
) -> MpuccsResult:
    """Run the search on opened tables; the time limit counts from when the caller started."""
    from petaudit.singling.running import Run  # noqa: PLC0415 (see above)

    run = Run(options) if started is None else Run(options, started)
    findings = run.find(synthetic, original, control)
    prepared, value = findings.prepared, math.nan
    if not findings.is_empty:
        value = float(findings.exact(findings.usual_figure))
    read = [table for table in (original, synthetic, control) if table is not None]
    notes = dict.fromkeys(note for table in read for note in table.notes)
    removed = prepared.removed
    return MpuccsResult(
        value=value,
        limit=None,
        passed=None,
        warnings=(*notes, *findings.notes),
        by=Mpuccs(),
        breakdown={
            # Unless every combination of the sizes was looked at, figures are lower bounds.
            "complete": findings.is_complete,
            "figures": findings.figures(),
            "columns": prepared.columns,
            "sizes": options.sizes(len(prepared.columns)),
            "combinations": findings.combinations,
            "removed_original": removed[1],
            "removed_synthetic": removed[0],
            "removed_control": removed[2] if control is not None else 0,
            "precision": {name: column.precision for name, column in prepared.joined.items()},
            "timings": run.timings,
            # Whether combinations were counted in memory or by an engine, which one, and why.
            "search": findings.strategy.to_dict(),
            "profile": None,
            # Whether a lower bound keeps the limit, so that nothing can be said about it.
            "undecided": False,
        },
        internal={"frame": frame},
        findings=findings,
        control_files=() if control is None else control.files,
    )


@dataclass(frozen=True)
class MpuccsResult(Result):
    """The risk of being singled out, with the tables behind it.

    >>> import petaudit, pyarrow as pa
    >>> original = pa.table({"A": [1, 1, 2, 3], "B": ["x", "y", "x", "x"]})
    >>> found = petaudit.mpuccs(original, pa.table({"A": [1, 7], "B": ["x", "x"]}), limit=0.1)
    >>> found.status, found.complete, found.details.column("field_combo").to_pylist()
    ('failed', True, [['A', 'B']])
    >>> found.judged(profile="development").passed
    False
    """

    findings: Findings = field(kw_only=True, repr=False, compare=False)
    control_files: tuple[Path, ...] = field(kw_only=True, repr=False, default=())

    @cached_property
    def global_(self) -> Any:
        """The figures in one row."""
        return result_frame(self.frame, self.table("global"))

    @cached_property
    def details(self) -> Any:
        """The identified rows, with the combination and the values that identify each."""
        return result_frame(self.frame, self.table("details", with_values=True))

    @cached_property
    def tree(self) -> Any:
        """The combinations in the order in which they were looked at."""
        return result_frame(self.frame, self.table("tree"))

    @cached_property
    def exposure(self) -> Any:
        """What changing one column would do, the most useful change first; see :attr:`changes`."""
        return result_frame(self.frame, self.table("changes"))

    @cached_property
    def changes(self) -> list[dict[str, Any]]:
        """What changing one column would do, as plain rows; none if the time limit came first.

        There are none either where an engine counted (see :attr:`search`), and a warning says so.

        Counted with combinations of up to three columns, fewer on large tables, on the tables as
        they were searched. Rows that become equal are not removed as duplicates, because they are
        two people; and a row may match somebody only after rounding, so a change can also do harm.
        """
        from petaudit.singling.exposure import changes_of  # noqa: PLC0415 (see above)

        left_out = self.findings.why_no_changes
        if left_out is not None:
            warnings.warn(left_out, PetauditWarning, stacklevel=2)
        return changes_of(self.findings, spent=self.timings["total"])

    def table(self, granularity: str, *, with_values: bool = False) -> Columns:
        """Return one of the tables, with values of the data only where they are wanted."""
        match granularity:
            case "global":
                return self.findings.global_columns()
            case "details":
                return self.findings.details_columns(with_values=with_values)
            case "tree":
                return self.findings.tree_columns()
            case "changes":
                return {
                    name: ResultColumn(kind, [row[name] for row in self.changes])
                    for name, kind in _CHANGES.items()
                }
        return super().table(granularity)

    def _entry_details(self) -> dict[str, Any]:
        """The figures, the worst combinations, and what changing a column would do if known."""
        worst = self.findings.worst_combinations(_MOST_COMBINATIONS)
        return {
            **super()._entry_details(),
            "worst_combinations": [
                {"columns": list(columns), "rows_identified": identified, "rows_unique": unique}
                for columns, identified, unique in worst
            ],
            # Counting them takes a while, so it is done for those who ask.
            "changes": self.__dict__.get("changes", []),
        }

    @property
    def screen_tables(self) -> tuple[ScreenTable, ...]:
        """The figures, what changing a column would do, and the combinations that expose most."""
        if self.findings.is_empty:
            return ()
        tables = (self._figures_table(), self._changes_table(), self._combinations_table())
        return tuple(table for table in tables if table.rows)

    def _figures_table(self) -> ScreenTable:
        titles = {
            "privacy_risk_score": term("risk score"),
            "identification_rate": term("identification rate"),
        }
        rows = []
        for name in (name for name in titles if name in self.figures):
            is_judged = self.limit is not None and name == self.figure
            value, _ = figure_texts(self.figures[name], self.limit if is_judged else None)
            value = value if self.complete else phrase("at least {figure}", figure=value)
            rows.append([titles[name], value, term("judged") if is_judged else ""])
        removed = []
        if self.removed_original:
            removed.append(phrase("{number:,} in the original", number=self.removed_original))
        if self.removed_synthetic:
            number = self.removed_synthetic
            removed.append(phrase("{number:,} in the synthetic table", number=number))
        if self.removed_control:
            removed.append(phrase("{number:,} in the control", number=self.removed_control))
        rows += [[term("duplicates removed"), listing(removed), ""]] if removed else []
        return ScreenTable(term("Figures"), [term("figure"), term("value"), ""], rows)

    def _combinations_table(self) -> ScreenTable:
        return ScreenTable(
            term("Combinations that expose most rows (a row counts for the first to identify it)"),
            [term("identified"), term("unique"), term("columns")],
            [
                [f"{identified:,}", f"{unique:,}", " + ".join(columns)]
                for columns, identified, unique in self.findings.worst_combinations(_MOST_SHOWN)
            ],
        )

    def _changes_table(self) -> ScreenTable:
        known = self.__dict__.get("changes", [])
        before = known[0]["rows_before"] if known else 0
        helpful = [change for change in known if change["rows_after"] < before][:_MOST_SHOWN]
        harmful = [change for change in known if change["rows_after"] > before][-3:]
        return ScreenTable(
            phrase(
                "What changing one column would do (now {rows:,} identified, up to {columns} "
                "columns)",
                rows=before,
                columns=known[0]["up_to_columns"] if known else 0,
            ),
            [term("rows after"), term("difference"), term("column"), term("change")],
            [
                [
                    f"{change['rows_after']:,}",
                    f"{change['rows_after'] - before:+,}",
                    change["column"],
                    change["change"],
                ]
                for change in (*helpful, *harmful)
            ],
        )

    @property
    def figure(self) -> str:
        """The risk score, or the share of identified rows where that is judged."""
        chosen = None if self.profile is None else PROFILES[self.profile].figure
        return chosen or self.findings.usual_figure

    @property
    def explanation(self) -> tuple[str, ...]:
        """What a person asks next."""
        return self.findings.explanation

    @property
    def other_files(self) -> tuple[Path, ...]:
        """The files of the control, which is not an input of an audit."""
        return self.control_files

    @property
    def status(self) -> str:
        """``passed``, ``failed``, ``undecided``, or ``measured`` without a limit."""
        return "undecided" if self.undecided else super().status

    @property
    def is_strict(self) -> bool:
        """Profiles are kept by figures below them."""
        return self.profile is not None

    @property
    def is_lower_bound(self) -> bool:
        """Whether rows may have been missed that combinations of the largest size or less find."""
        return self.findings.is_lower_bound

    def judged(self, *, limit: object = None, profile: str | None = None) -> MpuccsResult:
        """The same result against a limit (at most) or a named profile (below).

        A lower bound that keeps the limit decides nothing, so it does not pass.
        """
        if limit is None and profile is None:
            return self
        findings = self.findings
        bound = checked_limit(limit, profile, has_baseline=findings.options.calculate_baseline)
        value, holds = self.value, False
        if not findings.is_empty:
            figure = findings.exact(bound.figure or findings.usual_figure)
            value, holds = float(figure), bound.holds(figure)
        # Whatever was missed, no share is above 1.
        is_certain = not findings.is_lower_bound or bound.holds(Fraction(1))
        undecided = findings.is_empty or (holds and not is_certain)
        return replace(
            self,
            value=value,
            limit=float(bound.bound),
            limit_exact=quotient_text(bound.bound),
            passed=holds and is_certain,
            breakdown={**self.breakdown, "profile": profile, "undecided": undecided},
        )


def checked_limit(limit: object, name: str | None, *, has_baseline: bool) -> Profile:
    """A limit of one's own, or the profile of a name; what is wrong about them is an error."""
    if name is None:
        called = phrase("the limit of {measure}", measure=NAME)
        bound = exact_nonnegative(limit, called)
        refuse_unbreakable(bound, NAME, "lower", (0, 1))
        return Profile(None, bound, is_strict=False)
    if limit is not None:
        raise OptionError("give either a limit or a profile, not both")
    if not isinstance(name, str) or name not in PROFILES:
        raise OptionError(
            "unknown profile {name!r}{near}; profiles are {known}",
            name=name,
            near=suggestion(str(name), PROFILES),
            known=listing(list(PROFILES)),
        )
    if PROFILES[name].figure == "privacy_risk_score" and not has_baseline:
        raise OptionError(
            "the profile {name!r} judges the risk score, which needs the baseline", name=name
        )
    return PROFILES[name]


def _spelled_out(signature: inspect.Signature) -> inspect.Signature:
    """Put the options of the search in the place of ``**options``."""
    *tables, _, profile, engine, master, _ = signature.parameters.values()
    options = [
        inspect.Parameter(option.name, engine.kind, default=option.default, annotation=option.type)
        for option in Options.declared().values()
    ]
    progress = inspect.Parameter(
        "progress", engine.kind, default=None, annotation=Callable[[Progress], object] | None
    )
    return signature.replace(
        parameters=[*tables, limit_parameter(), profile, *options, progress, engine, master]
    )


mpuccs.__signature__ = _spelled_out(  # type: ignore[attr-defined]
    inspect.signature(mpuccs, eval_str=True)
)
