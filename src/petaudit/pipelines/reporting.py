"""The Reporter: which files a pipeline writes, and what is in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final

from petaudit.errors import listing, phrase, suggestion
from petaudit.pipelines.evaluating import Entry
from petaudit.pipelines.events import TimingRecord
from petaudit.pipelines.folder import RESULT
from petaudit.pipelines.models import (
    DATA_MODULES,
    EVALUATOR,
    REPORTER,
    SPLITTER,
    SUMMARY,
    UNITS_OF_TIME,
    SaveData,
    SaveReport,
    SaveTiming,
)
from petaudit.pipelines.names import is_plain, not_plain
from petaudit.pipelines.plan import PlannedRun, name_of
from petaudit.pipelines.reading import Experiment, Pipeline
from petaudit.system.kinds import Problems
from petaudit.tables.result_frames import Kind, ResultColumn, in_file, result_frame, stacked
from petaudit.tables.writing import table_writer, write_json

_LONGEST_FILE_NAME: Final = 200
_RUN: Final = "run"
_ROWS_AT_ONCE: Final = 1 << 16
_SUMMARY: Final[Mapping[str, Kind]] = {
    "run": "text",
    **dict.fromkeys((*DATA_MODULES, EVALUATOR), "text"),
    "measure": "text",
    "figure": "text",
    "value": "number",
    "better": "text",
    "limit": "number",
    "profile": "text",
    "status": "text",
    "previous": "number",
    "reason": "text",
}


@dataclass(frozen=True)
class ReportFile:
    """A file that a Reporter writes."""

    name: str
    reporter: Experiment
    granularity: str = ""
    evaluator: str | None = None
    """None for the summary, which covers all."""
    run: PlannedRun | None = None
    """A run in which the table occurs that is saved."""
    module: str = ""
    """The module whose table it is."""
    part: str = ""

    @property
    def model(self) -> Any:
        """The Reporter's settings."""
        return self.reporter.model


def report_files(pipeline: Pipeline, runs: Sequence[PlannedRun]) -> list[ReportFile]:
    """Every file that the Reporters will write."""
    files: list[ReportFile] = []
    for reporter in pipeline.of(REPORTER):
        match reporter.model:
            case SaveReport():
                files += _reports(reporter, runs)
            case SaveData():
                files += _data(reporter, runs)
            case SaveTiming():
                name = f"{reporter.model.output}_timing.{reporter.model.format}"
                files.append(ReportFile(name, reporter))
    return files


def _reports(reporter: Experiment, runs: Sequence[PlannedRun]) -> Iterator[ReportFile]:
    model: SaveReport = reporter.model
    for granularity in _listed(model.granularity):
        if granularity == SUMMARY:
            yield ReportFile(f"{model.output}_{SUMMARY}.{model.format}", reporter, SUMMARY)
            continue
        evaluators = {run.evaluator.name: run.evaluator for run in runs if run.evaluator}
        for name, evaluator in evaluators.items():
            is_wanted = model.eval is None or name in _listed(model.eval)
            if is_wanted and granularity in evaluator.measure.granularities:
                file = f"{model.output}_{name}_{granularity}.{model.format}"
                yield ReportFile(file, reporter, granularity, name)


def _data(reporter: Experiment, runs: Sequence[PlannedRun]) -> Iterator[ReportFile]:
    model: SaveData = reporter.model
    for module in _listed(model.source):
        by_steps = {name_of(run.up_to(module)): run for run in reversed(runs)}
        for prefix, run in reversed(by_steps.items()):
            for part in parts_of(run, module):
                ending = f"_{part}" if part else ""
                name = f"{model.output}_{prefix}{ending}.{model.format}"
                yield ReportFile(name, reporter, run=run, module=module, part=part)


def parts_of(run: PlannedRun, module: str) -> tuple[str, ...]:
    """The tables of a step; none if the run has no such step."""
    step = run.step(module)
    if step is None:
        return ()
    if module != SPLITTER:
        return ("",)
    given = getattr(step.experiment.model, "filepath", ("ori", "control"))
    return tuple(part for part in ("ori", "control") if part in given)


def check_reporters(pipeline: Pipeline, runs: Sequence[PlannedRun], problems: Problems) -> None:
    """Say what a Reporter asks for that no run gives, and which files would clash."""
    evaluators = {evaluator.name: evaluator.measure for evaluator in pipeline.evaluators}
    for reporter in pipeline.of(REPORTER):
        at = (REPORTER, reporter.name)
        model = reporter.model
        if not is_plain(model.output):
            problems.add((*at, "output"), "output: {problem}", problem=not_plain(model.output))
        if isinstance(model, SaveReport):
            _check_report(model, evaluators, at, problems)
        if isinstance(model, SaveData):
            for module in _listed(model.source):
                if not pipeline.of(module):
                    problems.add((*at, "source"), "there is no {module} in the file", module=module)
    taken: dict[str, str] = {RESULT: phrase("the result itself")}
    for file in report_files(pipeline, runs):
        at = (REPORTER, file.reporter.name)
        folded = file.name.casefold()
        if folded in taken:
            problems.add(
                at,
                "{file!r} is also written by {other}; choose another output",
                file=file.name,
                other=taken[folded],
            )
        elif len(file.name.encode(errors="replace")) > _LONGEST_FILE_NAME:
            problems.add(
                at, "{file!r} is too long for a file name; shorten the names in it", file=file.name
            )
        taken[folded] = file.reporter.name


def _check_report(
    model: SaveReport, evaluators: Mapping[str, Any], at: tuple[str, ...], problems: Problems
) -> None:
    if not evaluators:
        problems.add(at, "there is no Evaluator to report on")
        return
    for name in _listed(model.eval):
        if name not in evaluators:
            problems.add(
                (*at, "eval"),
                "there is no Evaluator {name!r}{near}; there are {known}",
                name=name,
                near=suggestion(name, evaluators),
                known=listing([*evaluators]),
            )
    chosen = [
        measure
        for name, measure in evaluators.items()
        if model.eval is None or name in _listed(model.eval)
    ]
    known = dict.fromkeys([SUMMARY, *(name for m in chosen for name in m.granularities)])
    for granularity in _listed(model.granularity):
        if granularity not in known:
            problems.add(
                (*at, "granularity"),
                "none of the Evaluators gives a table {name!r}{near}; there are {known}",
                name=granularity,
                near=suggestion(granularity, known),
                known=listing([*known]),
            )


def _listed(given: str | list[str] | None) -> list[str]:
    if given is None:
        return []
    return [given] if isinstance(given, str) else list(dict.fromkeys(given))


def tables_wanted(files: Sequence[ReportFile]) -> dict[str, list[str]]:
    """By Evaluator: the tables that files are made of."""
    wanted: dict[str, dict[str, None]] = {}
    for file in files:
        if file.evaluator is not None:
            wanted.setdefault(file.evaluator, {})[file.granularity] = None
    return {evaluator: [*granularities] for evaluator, granularities in wanted.items()}


def report_writer(
    file: ReportFile,
    entries: Sequence[Entry],
    results: Sequence[Mapping[str, Any]],
    records: Sequence[TimingRecord],
) -> Callable[[IO[bytes]], object]:
    """How to write a file of figures or of durations."""
    if isinstance(file.model, SaveTiming):
        columns = timing_columns(records, file.model.time_unit, _listed(file.model.module))
    elif file.granularity == SUMMARY:
        columns = summary_columns(results, _listed(file.model.eval))
    else:
        tables = {
            entry.run.name: entry.tables[file.granularity]
            for entry in entries
            if entry.run.evaluator is not None
            and entry.run.evaluator.name == file.evaluator
            and file.granularity in entry.tables
        }
        columns = stacked(tables, _RUN)
    if file.model.format == "json":
        # JSON has lists of its own, also of numbers and text together, which Arrow has not.
        return lambda stream: write_json([*columns], _batches(columns), stream)
    frame = result_frame("pyarrow", in_file(columns))
    return table_writer(frame, file.model.format, formula_safe=True)


def _batches(columns: Mapping[str, ResultColumn]) -> Iterator[list[list[Any]]]:
    rows = max(len(column.values) for column in columns.values())
    for start in range(0, rows, _ROWS_AT_ONCE):
        yield [list(column.values[start : start + _ROWS_AT_ONCE]) for column in columns.values()]


def summary_columns(
    results: Sequence[Mapping[str, Any]], only: Sequence[str] = ()
) -> dict[str, ResultColumn]:
    """A row per run, with its experiments apart; true and false are 1 and 0, like the figures."""
    rows = []
    for entry in results:
        if only and entry["modules"][EVALUATOR] not in only:
            continue
        comparison = entry["comparison"] or {}
        modules = {name: entry["modules"].get(name) for name in (*DATA_MODULES, EVALUATOR)}
        rows.append({**entry, **modules, "previous": comparison.get("previous")})
    # Mere text: not every library of tables takes a phrase for it.
    plain: Mapping[str, Callable[[Any], Any]] = {"number": float, "text": str}
    return {
        name: ResultColumn(
            kind, [None if row[name] is None else plain[kind](row[name]) for row in rows]
        )
        for name, kind in _SUMMARY.items()
    }


def timing_columns(
    records: Sequence[TimingRecord], unit: str = "seconds", modules: Sequence[str] = ()
) -> dict[str, ResultColumn]:
    """How long every step took, a row per step."""
    chosen = [record for record in records if not modules or record.module in modules]
    durations = {"duration_seconds": f"duration_{unit}", "cpu_seconds": f"cpu_{unit}"}
    columns: dict[str, ResultColumn] = {}
    for name in TimingRecord.__dataclass_fields__:
        values = [getattr(record, name) for record in chosen]
        if name in durations:
            scaled = [value / UNITS_OF_TIME[unit] for value in values]
            columns[durations[name]] = ResultColumn("number", scaled)
        else:
            columns[name] = ResultColumn("text", values)
    return columns
