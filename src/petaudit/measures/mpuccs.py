"""mpUCCs: which rows of a synthetic table single out exactly one real person."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from petaudit.errors import NotMeasurableError, UndecidedError, counted, listing, phrase, term
from petaudit.exact.fractions import parse_number
from petaudit.measures.base import Better, Family, Measure, Need, Option, announce
from petaudit.measures.kinds import (
    Boolean,
    Choice,
    Either,
    Integer,
    ListOf,
    Number,
    TableFile,
    Text,
)
from petaudit.pictures.singled_out import singled_out_of
from petaudit.singling.profiles import PROFILES
from petaudit.singling.result import NAME, TABLES, MpuccsResult, checked_limit
from petaudit.system.files import unchanged
from petaudit.tables import Source, open_source
from petaudit.tables.result_frames import frame_kind

if TYPE_CHECKING:
    from petaudit.inputs import Inputs
    from petaudit.singling.findings import Findings
    from petaudit.singling.options import Options
    from petaudit.singling.search import Progress

# The search brings its compiler along, which takes longer to import than all the rest: functions
# import it when they run.


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
    search: str = "auto",
    person: str | None = None,
    engine: str | None = None,
    spark_master: str | None = None,
) -> MpuccsResult:
    """Find every synthetic row that singles out one original row, with the fewest columns.

    Files are counted by DuckDB, or by Spark where ``engine`` is "spark". Rows with the same value
    in the column ``person`` are one person's and do not compete: what only they have points at one.

    >>> import pyarrow as pa
    >>> original = pa.table({"A": [1, 1, 2, 3], "B": ["x", "y", "x", "x"]})
    >>> synthetic = pa.table({"A": [1, 7, 8, 9], "B": ["x", "x", "y", "y"]})
    >>> found = mpuccs(original, synthetic)
    >>> found.details.column("field_combo").to_pylist(), found.value
    ([['A', 'B']], 0.1)
    """
    from petaudit.singling.options import Options  # noqa: PLC0415 (see above)

    started = time.monotonic()
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
        search=search,
        person=person,
    )

    def opened(table: object, called: str) -> Source:
        return open_source(table, called=called, engine=engine, spark_master=spark_master)

    with unchanged():
        found = find(
            opened(original, phrase("the original")),
            opened(synthetic, phrase("the synthetic table")),
            None if control is None else opened(control, phrase("the control")),
            options,
            frame_kind(original, synthetic),
            started,
        )
    announce(found)
    return found


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
    found = run.find(synthetic, original, control)
    prepared = found.prepared
    value = math.nan
    if not found.is_empty:
        value = float(found.risk if options.calculate_baseline else found.identification_rate)
    sizes = options.sizes(len(prepared.columns))
    stopped = not found.is_empty and (
        len(found.sizes) < len(sizes) or not all(own.is_complete for own in found.sizes)
    )
    read = [table for table in (original, synthetic, control) if table is not None]
    notes = dict.fromkeys(note for table in read for note in table.notes)
    return MpuccsResult(
        value=value,
        limit=None,
        passed=None,
        warnings=(*notes, *_warnings(found, stopped)),
        complete=not stopped and not found.pruned,
        figures={} if found.is_empty else found.figures(),
        columns=prepared.columns,
        sizes=sizes,
        combinations=found.combinations,
        removed_synthetic=prepared.removed[0],
        removed_original=prepared.removed[1],
        removed_control=prepared.removed[2] if control is not None else 0,
        precision={name: own.precision for name, own in prepared.joined.items()},
        timings=run.timings,
        search=found.way.to_dict(),
        findings=found,
        frame=frame,
        control_files=() if control is None else control.files,
    )


def _warnings(found: Findings, stopped: bool) -> list[str]:
    said: list[str] = [*found.doubts, *found.warnings]
    if stopped:
        said.append(
            phrase(
                "the time limit came after {combinations}: the figures are lower bounds",
                combinations=counted(found.combinations, "combination"),
            )
        )
    if found.pruned:
        said.append(
            phrase(
                "{combinations} pruned by min_entropy_delta: the figures are lower bounds, rows "
                "that only these identify are missed",
                combinations=counted(found.pruned, "combination"),
            )
        )
    if found.has_control and found.excess is None and not found.is_empty:
        said.append(found.why_no_excess)
    wanted = found.options.n_cols
    if isinstance(wanted, tuple) and found.options.has_gaps(len(found.prepared.columns)):
        said.append(
            phrase(
                "only combinations of {sizes} columns were looked at: a row that a smaller "
                "combination identifies may be missed",
                sizes=listing([str(size) for size in wanted]),
            )
        )
    return said


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
    opened = inputs.control
    if control is not None:
        opened = open_source(
            control,
            delimiter=inputs.delimiter,
            encoding=inputs.encoding,
            called=phrase("the control"),
            engine=inputs.engine,
            spark_master=inputs.spark_master,
        )
    if inputs.person is not None:
        options.setdefault("person", inputs.person)
    settings = Options.checked(**_with_numbers(options))
    if limit is not None or profile is not None:
        checked_limit(limit, profile, has_baseline=settings.calculate_baseline)
    found = find(inputs.original, inputs.table, opened, settings)
    if found.findings.is_empty:
        raise NotMeasurableError("a table without rows singles out nobody")
    judged = found.judged(limit=limit, profile=profile)
    if judged.undecided and judged.findings.doubts:
        raise UndecidedError(
            "{found}, which does not show that the limit holds: {doubt}",
            found=judged.explanation[0],
            doubt=judged.findings.doubts[0],
            result=judged,
        )
    if judged.undecided:
        raise UndecidedError(
            "the search was not complete; {found}, which does not show that the limit holds; a "
            "search of all combinations would decide (no min_entropy_delta, no time_limit, no "
            "sizes left out)",
            found=judged.explanation[0],
            result=judged,
        )
    return judged


def check(given: Mapping[str, Any]) -> None:
    """Raise an error for options that make no sense or contradict each other."""
    from petaudit.singling.options import Options  # noqa: PLC0415 (see above)

    options = {name: value for name, value in given.items() if name not in _NOT_OF_THE_SEARCH}
    settings = Options.checked(**_with_numbers(options))
    limit, profile = given.get("limit"), given.get("profile")
    if limit is not None or profile is not None:
        checked_limit(limit, profile, has_baseline=settings.calculate_baseline)


_NOT_OF_THE_SEARCH = ("limit", "profile", "control")


def _with_numbers(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a search; a column may be called 0.5."""
    return {
        name: value if name == "person" else _as_number(value) for name, value in options.items()
    }


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
    family=Family.RISK,
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
    meaning=(
        "The share of synthetic rows that point at exactly one real person, less what is due to "
        "there being few different values at all. 0 means that no more rows do than that; with "
        "0.1, about one row in ten does."
    ),
    does_not_say=(
        "Only exact matches count: values that are a little off may still give people away. "
        "Rows can also match by coincidence; only a control, people whom the synthesizer never "
        "saw, tells that apart."
    ),
    compute=compute,
    limit_help="the risk score must be at most this",
    options=(
        Option(
            "profile", f"a named limit: {listing(list(PROFILES))}", kind=Choice(tuple(PROFILES))
        ),
        Option("control", "a table that the synthesizer never saw", kind=TableFile()),
        Option(
            "max_baseline_cols", "combine up to so many columns; all if not given", kind=Integer(1)
        ),
        Option(
            "n_cols", "the same, or a list of sizes", kind=Either((Integer(1), ListOf(Integer(1))))
        ),
        Option("min_entropy_delta", "prune combinations that gain less entropy", kind=Number()),
        Option(
            "field_decay_factor", "weight of a combination for each further column", kind=Number()
        ),
        Option("renyi_alpha", "order of the entropy", kind=Number(may_be_infinite=True)),
        Option(
            "numeric_precision",
            "decimals of numbers; found by itself if not given",
            kind=Integer(0, 400),
        ),
        Option(
            "datetime_precision",
            "unit of times: D, H, T, s, ms, us or ns",
            kind=Text("a unit of time"),
        ),
        Option(
            "calculate_baseline", "whether the risk is set against the baseline", kind=Boolean()
        ),
        Option("deduplicate", "whether full duplicates are removed first", kind=Boolean()),
        Option(
            "time_limit",
            "seconds after which the search stops",
            kind=Number(excludes_bounds=True, may_be_infinite=True),
        ),
        Option(
            "threads",
            "how many processor cores are used",
            kind=Integer(1, 4_096),
            shows_in_figure=False,
        ),
        Option("seed", "of the samples that are compared with the control", kind=Integer(0)),
        Option(
            "person",
            "the column that names the person of a row: rows of one person do not compete",
            kind=Text(term("a column")),
        ),
        Option(
            "search",
            "where combinations are counted: in memory, by an engine that may use the disk, or "
            "what fits (auto)",
            kind=Choice(("auto", "memory", "engine")),
            shows_in_figure=False,
        ),
    ),
    granularities=(*TABLES,),
    pictures=singled_out_of,
    check=check,
    has_same_columns=True,
    only_by_name=(
        "is for synthetic tables, whose rows are nobody's; name it to run it (--measures mpuccs)"
    ),
)
