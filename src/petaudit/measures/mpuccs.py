"""mpUCCs: which rows of a synthetic table single out exactly one real person."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final

from petaudit.counts import Source, open_source
from petaudit.counts.made_frames import Kind, MadeColumn, frame_kind, made_frame
from petaudit.errors import (
    NotMeasurableError,
    OptionError,
    PetauditWarning,
    counted,
    listing,
    suggestion,
)
from petaudit.exact import exact_nonnegative, parse_number
from petaudit.measures.base import Better, Measure, Need, Option, Result, announce
from petaudit.singling.profiles import PROFILES, Profile

if TYPE_CHECKING:
    from petaudit.inputs import Inputs
    from petaudit.singling.findings import Findings
    from petaudit.singling.options import Options
    from petaudit.singling.search import Progress

# The search brings its compiler along, which takes longer to import than all the rest: functions
# import it when they run.

NAME: Final = "mpuccs"
_CHANGES: Final[Mapping[str, Kind]] = {
    "column": "text",
    "rows_helped": "integer",
    "change": "text",
    "rows_before": "integer",
    "rows_after": "integer",
    "up_to_columns": "integer",
}


@dataclass(frozen=True)
class MpuccsResult(Result):
    """The risk of being singled out, with the tables behind it."""

    measure: ClassVar[str] = NAME
    better: ClassVar[Better] = Better.LOWER

    complete: bool
    """Whether every combination of the sizes was looked at; else figures are lower bounds."""
    figures: Mapping[str, float | int | None]
    columns: tuple[str, ...]
    sizes: tuple[int, ...]
    combinations: int
    removed_original: int
    removed_synthetic: int
    removed_control: int
    precision: Mapping[str, int | str | None]
    timings: Mapping[str, float]
    profile: str | None = None
    undecided: bool = False
    """Whether a lower bound keeps the limit, so that nothing can be said about it."""
    findings: Findings = field(kw_only=True, repr=False, compare=False)
    frame: str = field(kw_only=True, repr=False)

    @cached_property
    def global_(self) -> Any:
        """The figures in one row."""
        return made_frame(self.frame, self.findings.global_columns())

    @cached_property
    def details(self) -> Any:
        """The identified rows, with the combination and the values that identify each."""
        return made_frame(self.frame, self.findings.details_columns())

    @cached_property
    def tree(self) -> Any:
        """The combinations in the order in which they were looked at."""
        return made_frame(self.frame, self.findings.tree_columns())

    @cached_property
    def exposure(self) -> Any:
        """What changing one column would do, the most useful change first; see :attr:`changes`."""
        return made_frame(self.frame, self.changes_columns)

    @cached_property
    def changes(self) -> list[dict[str, Any]]:
        """What changing one column would do, as plain rows; none if the time limit came first.

        Counted with combinations of up to three columns on the tables as they were searched. Rows
        that become equal are not removed as duplicates, because they are two people; and a row may
        match somebody only after rounding, so a change can also do harm.
        """
        from petaudit.singling.running import changes_of  # noqa: PLC0415 (see above)

        if self.findings.is_empty:
            return []
        found = changes_of(self.findings.prepared, self.findings.options)
        if found is None:
            return []
        helped, exposure = self.findings.rows_helped(), found.exposure
        after = [
            (place, "left out", remaining)
            for place, remaining in enumerate(exposure.without_column)
        ]
        after += [
            (place, step.change, remaining)
            for (place, step), remaining in zip(found.steps, exposure.after_step, strict=True)
        ]
        return [
            {
                "column": self.columns[place],
                "rows_helped": helped[place],
                "change": change,
                "rows_before": exposure.identified,
                "rows_after": remaining,
                "up_to_columns": found.up_to,
            }
            for place, change, remaining in sorted(after, key=lambda entry: (entry[2], entry[0]))
        ]

    @property
    def changes_columns(self) -> dict[str, MadeColumn]:
        """The same column by column."""
        return {
            name: MadeColumn(kind, [row[name] for row in self.changes])
            for name, kind in _CHANGES.items()
        }

    @property
    def explanation(self) -> tuple[str, ...]:
        """What a person asks next."""
        found = self.findings
        if found.is_empty:
            return ("a table without rows singles out nobody, and nothing was measured",)
        atleast = "" if self.complete else "at least "
        lines = [
            f"{atleast}{found.identified:,} of {counted(found.rows, 'synthetic row')} "
            f"({float(found.identification_rate):.2%}) single out exactly one original row, with "
            f"{_sizes(self.sizes)} of {counted(len(self.columns), 'column')}"
        ]
        if found.excess is not None:
            own = found.excess
            more = "more than coincidence" if own.lower > 0 else "coincidence explains it"
            lines.append(
                f"an equally large sample of the original: {own.rate:.2%}, the control: "
                f"{own.control_rate:.2%}; excess risk {own.value:.4f} (95 % interval "
                f"{own.lower:.4f} to {own.upper:.4f}): {more}"
            )
        return tuple(lines)

    def judged(self, *, limit: object = None, profile: str | None = None) -> MpuccsResult:
        """The same result against a limit (at most) or a named profile (below).

        A lower bound that keeps the limit decides nothing, so it does not pass.
        """
        if limit is None and profile is None:
            return self
        chosen = _profile(limit, profile)
        figure = self._figure(chosen)
        holds = figure is not None and chosen.holds(figure)
        said: tuple[str, ...] = ()
        if chosen.bound > 1:
            said = (
                f"the limit of mpuccs is {float(chosen.bound):g}; the risk never exceeds 1, so it "
                "always holds",
            )
            warnings.warn(said[0], PetauditWarning, stacklevel=2)
        return replace(
            self,
            warnings=(*self.warnings, *said),
            limit=float(chosen.bound),
            passed=holds and self.complete,
            profile=profile,
            undecided=figure is None or (holds and not self.complete),
        )

    def _figure(self, profile: Profile) -> Fraction | None:
        if self.findings.is_empty:
            return None
        if profile.figure == "identification_rate" or (
            profile.figure is None and not self.findings.options.calculate_baseline
        ):
            return self.findings.identification_rate
        if not self.findings.options.calculate_baseline:
            raise OptionError("a profile of the risk score needs calculate_baseline=True")
        return self.findings.risk


def mpuccs(
    original: object,
    synthetic: object,
    control: object = None,
    *,
    max_baseline_cols: int | None = None,
    n_cols: int | Sequence[int] | None = None,
    min_entropy_delta: float = 0.0,
    field_decay_factor: float = 0.5,
    renyi_alpha: float = 2.0,
    numeric_precision: int | None = None,
    datetime_precision: str | None = None,
    calculate_baseline: bool = True,
    deduplicate: bool = True,
    time_limit: float | None = None,
    threads: int | None = None,
    seed: int = 0,
    progress: Callable[[Progress], object] | None = None,
) -> MpuccsResult:
    """Find every synthetic row that singles out one original row, with the fewest columns.

    >>> import pyarrow as pa
    >>> original = pa.table({"A": [1, 1, 2, 3], "B": ["x", "y", "x", "x"]})
    >>> synthetic = pa.table({"A": [1, 7, 8, 9], "B": ["x", "x", "y", "y"]})
    >>> found = mpuccs(original, synthetic)
    >>> found.details.column("field_combo").to_pylist(), found.value
    ([['A', 'B']], 0.1)
    """
    from petaudit.singling.options import Options  # noqa: PLC0415 (see above)

    options = Options.checked(
        max_baseline_cols=max_baseline_cols,
        n_cols=n_cols,
        min_entropy_delta=min_entropy_delta,
        field_decay_factor=field_decay_factor,
        renyi_alpha=renyi_alpha,
        numeric_precision=numeric_precision,
        datetime_precision=datetime_precision,
        calculate_baseline=calculate_baseline,
        deduplicate=deduplicate,
        time_limit=time_limit,
        threads=threads,
        seed=seed,
        progress=progress,
    )
    found = find(
        open_source(original, called="the original"),
        open_source(synthetic, called="the synthetic table"),
        None if control is None else open_source(control, called="the control"),
        options,
        frame_kind(original, synthetic),
    )
    announce(found)
    return found


def find(
    original: Source,
    synthetic: Source,
    control: Source | None,
    options: Options,
    frame: str = "pyarrow",
) -> MpuccsResult:
    """Run the search on opened tables."""
    from petaudit.singling.running import Run  # noqa: PLC0415 (see above)

    run = Run(options)
    found = run.find(synthetic, original, control)
    prepared = found.prepared
    value = math.nan
    if not found.is_empty:
        value = float(found.risk if options.calculate_baseline else found.identification_rate)
    sizes = options.sizes(len(prepared.columns))
    stopped = not found.is_empty and (
        len(found.sizes) < len(sizes) or not all(own.is_complete for own in found.sizes)
    )
    return MpuccsResult(
        value=value,
        limit=None,
        passed=None,
        warnings=tuple(_warnings(found, stopped)),
        complete=not stopped and not found.pruned,
        figures={} if found.is_empty else found.figures(),
        columns=prepared.columns,
        sizes=sizes,
        combinations=found.combinations,
        removed_synthetic=prepared.removed[0],
        removed_original=prepared.removed[1],
        removed_control=prepared.removed[2] if control is not None else 0,
        precision={name: prepared.tables.precision[name] for name in prepared.tables.columns},
        timings=run.timings,
        findings=found,
        frame=frame,
    )


def _warnings(found: Findings, stopped: bool) -> list[str]:
    said = []
    if stopped:
        said.append(
            f"the time limit came after {counted(found.combinations, 'combination')}: the figures "
            "are lower bounds"
        )
    if found.pruned:
        said.append(
            f"{counted(found.pruned, 'combination')} pruned by min_entropy_delta: the figures are "
            "lower bounds, rows that only these identify are missed"
        )
    if found.has_control and found.excess is None and not found.is_empty:
        said.append("there was no time, or no row, for the comparison with the control")
    wanted = found.options.n_cols
    if isinstance(wanted, tuple) and wanted != tuple(range(1, len(wanted) + 1)):
        said.append(
            f"only combinations of {listing([str(size) for size in wanted])} columns were looked "
            "at: a row that a smaller combination identifies may be missed"
        )
    return said


def _sizes(sizes: Sequence[int]) -> str:
    if list(sizes) == list(range(1, len(sizes) + 1)):
        return f"up to {max(sizes, default=0)}"
    return listing([str(size) for size in sizes])


def _profile(limit: object, name: str | None) -> Profile:
    if name is None:
        return Profile(None, exact_nonnegative(limit, "the limit of mpuccs"), is_strict=False)
    if limit is not None:
        raise OptionError("give either a limit or a profile, not both")
    if name not in PROFILES:
        raise OptionError(
            f"unknown profile {name!r}{suggestion(str(name), PROFILES)}; profiles are "
            f"{listing(list(PROFILES))}"
        )
    return PROFILES[name]


def compute(
    inputs: Inputs,
    limit: object = None,
    profile: str | None = None,
    control: object = None,
    **options: Any,
) -> MpuccsResult:
    """The measure on the tables of an audit: the audited table is the synthetic one."""
    from petaudit.singling.options import Options  # noqa: PLC0415 (see above)

    assert inputs.original is not None  # noqa: S101 (a need of the measure)
    opened = None
    if control is not None:
        opened = open_source(
            control, delimiter=inputs.delimiter, encoding=inputs.encoding, called="the control"
        )
    numbers = {name: _as_number(value) for name, value in options.items()}
    found = find(inputs.original, inputs.table, opened, Options.checked(**numbers))
    if found.findings.is_empty:
        raise NotMeasurableError("a table without rows singles out nobody")
    judged = found.judged(limit=limit, profile=profile)
    if judged.undecided:
        raise NotMeasurableError(
            f"the search was not complete; {judged.explanation[0]}, which does not show that the "
            "limit holds"
        )
    return judged


def _as_number(value: Any) -> Any:
    """A decimal number that the command line passed on as text."""
    if isinstance(value, str) and not value.isdecimal():
        number = parse_number(value)
        if number is not None or value in {"inf", "infinity"}:
            return float(value)
    return value


MEASURE = Measure(
    name=NAME,
    title="mpUCCs",
    question="Which rows of a synthetic table single out exactly one real person?",
    better=Better.LOWER,
    range=(0.0, 1.0),
    needs=(Need.ORIGINAL,),
    formula=(
        "a synthetic row is identified by columns X if its values on X occur once in the synthetic "
        "and once in the original table; risk = 1 - min((1 - identified / rows) / baseline, 1), "
        "baseline = 1 - 1 / product of the numbers of distinct values"
    ),
    reference=(
        "Z. Abedjan, F. Naumann: Advancing the discovery of unique column combinations, CIKM 2011, "
        "doi 10.1145/2063576.2063801; the PETsARD documents on mpUCCs"
    ),
    compute=compute,
    limit_help="the risk score must be at most this",
    options=(
        Option("profile", f"a named limit: {listing(list(PROFILES))}"),
        Option("control", "a table that the synthesizer never saw"),
        Option("max_baseline_cols", "combine up to so many columns; all if not given"),
        Option("n_cols", "the same, or a list of sizes"),
        Option("min_entropy_delta", "prune combinations that gain less entropy"),
        Option("field_decay_factor", "weight of a combination for each further column"),
        Option("renyi_alpha", "order of the entropy"),
        Option("numeric_precision", "decimals of numbers; found by itself if not given"),
        Option("datetime_precision", "unit of times: D, H, T, s, ms, us or ns"),
        Option("calculate_baseline", "whether the risk is set against the baseline"),
        Option("deduplicate", "whether full duplicates are removed first"),
        Option("time_limit", "seconds after which the search stops"),
        Option("threads", "how many processor cores are used"),
        Option("seed", "of the samples that are compared with the control"),
    ),
    only_by_name=(
        "is for synthetic tables, whose rows are nobody's; name it to run it (--measures mpuccs)"
    ),
)
