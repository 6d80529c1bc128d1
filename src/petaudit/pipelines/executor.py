"""Running a pipeline: one experiment after the other, each finished one kept."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from os import PathLike
from pathlib import Path
from typing import Any, Final

from petaudit.anonymizing.making import Anonymized
from petaudit.errors import InputError, OptionError, PetauditError, names_in, phrase
from petaudit.judging.document import figure_of, plain
from petaudit.judging.gate import ERROR
from petaudit.measures import Result
from petaudit.measures.result import plain_data
from petaudit.pipelines.advising import advice_of_runs
from petaudit.pipelines.checking import Checked, check_runs, note_wrong_files
from petaudit.pipelines.configuration import configuration_text, default_folder, with_overrides
from petaudit.pipelines.evaluating import Entry, evaluate_run
from petaudit.pipelines.events import Clock, Listener, TimingRecord, logged
from petaudit.pipelines.folder import RESULT, ResultFolder, check_targets, open_folder
from petaudit.pipelines.models import EVALUATOR, EXECUTOR, SaveData
from petaudit.pipelines.plan import PlannedRun, check_modules, chosen_runs, planned_runs
from petaudit.pipelines.reading import Pipeline, partly_read, raise_problems, with_policies
from petaudit.pipelines.reporting import (
    ReportFile,
    parts_of,
    report_files,
    report_writer,
    summary_columns,
    tables_wanted,
    timing_columns,
)
from petaudit.pipelines.results import (
    document_text,
    judge_entries,
    read_previous,
    result_document,
    sha256_of,
)
from petaudit.pipelines.tables import Tables
from petaudit.system.files import watching
from petaudit.system.kinds import Problems
from petaudit.system.yaml_files import Document, parse_yaml
from petaudit.tables.result_frames import ResultColumn, frame_of, result_frame
from petaudit.tables.source import check_engine
from petaudit.tables.writing import table_writer

_PARTS: Final = {"": "", "ori": "train", "control": "validation"}
"""The names that PETsARD gives the parts of a table."""


class RunResult(Mapping[str, Any]):
    """What one run gave: its tables by granularity, and the figure with its verdict."""

    def __init__(self, entry: Entry, data: Mapping[str, Any], frame: str) -> None:
        self._entry = entry
        self._frame = frame
        self.data = data
        """The entry in result.json."""

    @property
    def result(self) -> Result | None:
        """The measure's own result; none after an error, or if it was kept from before."""
        return self._entry.result

    @property
    def status(self) -> str:
        """``passed``, ``failed``, ``measured`` or ``error``."""
        return str(self.data["status"])

    @property
    def value(self) -> Any:
        """The figure, exact where the result is still held."""
        if self.result is not None:
            return figure_of(plain_data(self.result.value))
        return figure_of(self.data["value"])

    @property
    def _names(self) -> tuple[str, ...]:
        if self.result is None:
            return tuple(self._entry.tables)
        return self._entry.run.evaluation.measure.granularities

    def __getitem__(self, granularity: str) -> Any:
        if granularity not in self._names:
            raise KeyError(granularity)
        columns: Mapping[str, ResultColumn]
        if self.result is not None:
            columns = self.result.table(granularity, with_values=True)
        else:
            columns = self._entry.tables[granularity]
        return result_frame(self._frame, columns)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"RunResult({self.status}, value={self.value}, tables={list(self._names)})"


class Executor:
    """Runs the audit that a YAML file describes.

    ``config`` is a path or YAML text. With ``out``, or if the file has a Reporter or asks for a log
    file, results are written to a folder; ``resume`` goes on where an interrupted run stopped.
    ``listener`` is called with an :class:`~petaudit.pipelines.events.Event` whenever something
    happens. Without ``keep_results`` only figures and the tables for reports stay in memory. With
    ``strict``, open questions leave the run undecided, as ``strict`` of the file's Executor does.

    >>> executor = Executor('''
    ... Loader: {patient: {filepath: "benchmark://patient-deidentified"}}
    ... Evaluator: {closeness: {method: t-closeness, limit: 0.2}}
    ... ''')
    >>> executor.run()
    'failed'
    >>> executor.get_result()["Loader[patient]_Evaluator[closeness]"].value
    0.2962962962962963
    >>> executor.is_execution_completed()
    True
    """

    def __init__(
        self,
        config: str | PathLike[str],
        *,
        out: str | PathLike[str] | None = None,
        resume: bool = False,
        reveal_values: bool = False,
        overrides: Sequence[str] | str = (),
        only: Sequence[str] | str = (),
        frame: str = "pyarrow",
        listener: Listener | None = None,
        log_stream: str = "stdout",
        keep_results: bool = True,
        engine: str | None = None,
        spark_master: str | None = None,
        strict: bool = False,
    ) -> None:
        if frame not in {"pyarrow", "pandas", "polars"}:
            raise OptionError("frame must be pyarrow, pandas or polars, got {frame!r}", frame=frame)
        self._frame = frame
        self._overrides = names_in(overrides, "overrides")
        self._only = names_in(only, "only")
        self._resume = resume
        self._reveal = reveal_values
        self._strict = strict
        self._log_stream = log_stream
        self._keep_results = keep_results
        self._text, self._path = configuration_text(config)
        name = phrase("the configuration") if self._path is None else str(self._path)
        parsed = with_overrides(parse_yaml(self._text, name), self._overrides)
        base = Path.cwd() if self._path is None else self._path.absolute().parent
        self.out = None if out is None else Path(out)
        """The folder of the results, if they are written."""
        check_engine(engine, spark_master)
        self._clock = Clock(listener)
        self._tables = Tables(base, self._clock, engine, spark_master)
        self.pipeline = self._read(parsed, name)
        self.all_runs = planned_runs(self.pipeline)
        self.runs = chosen_runs(self.all_runs, self._only)
        self._clock.total = len(self.runs)
        self._files = report_files(self.pipeline, self.runs)
        if self.out is None and (self._files or "file" in self.pipeline.executor.logs_to):
            self.out = default_folder(self._path)
        self.has_kept_results = False
        """Whether a call that goes on later finds something."""
        self._not_written: set[str] = set()
        self._entries: list[Entry] = []
        self._document: dict[str, Any] | None = None
        self._files_read: tuple[Path, ...] = ()

    def _read(self, parsed: Document, name: str) -> Pipeline:
        """Read the pipeline; problems of its tables are reported with those of the file."""
        problems = Problems()
        pipeline = partly_read(parsed, name, problems)
        pipeline = with_policies(pipeline, self._tables.resolved, problems)
        check_modules(pipeline, problems)
        if problems:
            note_wrong_files(pipeline, self._tables, problems)
            self._note_previous(pipeline, problems)
        raise_problems(name, parsed, problems)
        return pipeline

    def _note_previous(self, pipeline: Pipeline, problems: Problems) -> None:
        """Note what is wrong with the earlier result."""
        address = pipeline.executor.compare_to
        if address is None:
            return
        at, path = (EXECUTOR, "compare_to"), Path(self._tables.resolved(address))
        if self.out is not None and os.path.realpath(self.out / RESULT) == os.path.realpath(path):
            # What got worse would be the measure of the next run, which would pass.
            problems.add(at, "compare_to is the result that this run replaces; name a copy of it")
            return
        with problems.noted(at):
            read_previous(path)

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that the last run read; none of them may be written to."""
        rules = (policy.path for policy in self.pipeline.policies)
        return (*self._files_read, *(path for path in rules if path is not None))

    @property
    def file_names(self) -> list[str]:
        """The files that a run leaves in the folder of results."""
        return [*(file.name for file in self._files if file.name not in self._not_written), RESULT]

    @property
    def anonymized(self) -> Anonymized | None:
        """The release that the last Anonymizer made, if there is one."""
        return self._tables.anonymized

    @property
    def document(self) -> dict[str, Any]:
        """The content of result.json."""
        if self._document is None:
            raise InputError("the pipeline has not run yet; call run() first")
        return self._document

    @property
    def messages(self) -> dict[str, str]:
        """By run: what went wrong, with the rows that it is about, which result.json leaves out."""
        return {
            entry.run.name: entry.message for entry in self._entries if entry.message is not None
        }

    def validate(self) -> None:
        """Check everything that can be checked without computing; raises all problems at once."""
        self._checked()

    def run(self) -> str:
        """Run everything and return the verdict: passed, failed, measured or error."""
        self._entries, self._document = [], None
        self._not_written.clear()
        # The files may have changed since the last time.
        self._tables = self._tables.reopened(self._clock)
        self._clock.records.clear()
        self._clock.done = 0
        with ExitStack() as stack:
            stack.enter_context(watching(self._tables.watch))
            if self.out is not None:
                check_targets(self.out, self.file_names, [self._path] if self._path else [])
            checked = self._checked()
            self._files_read = checked.files
            folder = None
            if self.out is not None:
                check_targets(self.out, self.file_names, checked.files)
                folder = stack.enter_context(open_folder(self.out, resume=self._resume))
            log = (self.pipeline.executor, self.out, self._clock, self._log_stream)
            stack.enter_context(logged(*log))
            compare_to = self._previous()
            self._clock.tell("started")
            wanted = tables_wanted(self._files)
            saved: dict[str, list[ReportFile]] = {}
            for file in self._files:
                if file.run is not None:
                    saved.setdefault(file.run.name, []).append(file)
            for run in self.runs:
                if run.evaluator is not None:
                    key = checked.keys[run.name]
                    entry = self._entry(run, key, folder, wanted.get(run.evaluator.name, ()))
                    self._entries.append(entry)
                else:
                    self._tables.of_run(run)
                    self._clock.done += 1
                if folder is not None:
                    for file in saved.get(run.name, ()):
                        self._save_data(run, file, folder)
            self._conclude(checked, folder, compare_to)
        return str(self.document["verdict"])

    def _checked(self) -> Checked:
        problems = Problems()
        self._note_previous(self.pipeline, problems)
        wanted = tables_wanted(self._files)
        return check_runs(
            self.pipeline, self.runs, self._tables, wanted, problems, reveal=self._reveal
        )

    def _previous(self) -> tuple[Mapping[str, Any], str] | None:
        """The earlier result and the hash of its file."""
        address = self.pipeline.executor.compare_to
        if address is None:
            return None
        path = Path(self._tables.resolved(address))
        return read_previous(path), self._tables.watch.sha256([path])

    def _entry(
        self, run: PlannedRun, key: str, folder: ResultFolder | None, granularities: Sequence[str]
    ) -> Entry:
        """The result of a run, from before or computed now."""
        kept = folder.kept(key) if folder is not None and self._resume else None
        if kept is not None:
            self._clock.records += [TimingRecord(**record) for record in kept["records"]]
            entry = Entry.from_kept(run, kept)
        else:
            before = len(self._clock.records)
            entry = evaluate_run(
                run, self._tables, reveal=self._reveal, granularities=granularities
            )
            self._tables.watch.check()
            if folder is not None and entry.status != ERROR:
                records = [asdict(record) for record in self._clock.records[before:]]
                self.has_kept_results |= folder.keep(key, entry.to_kept() | {"records": records})
            if not self._keep_results:
                entry = replace(entry, result=None)
        self._clock.done += 1
        self._clock.tell(
            "result" if kept is None else "kept",
            run=run.name,
            module=EVALUATOR,
            experiment=run.evaluation.name,
            status=entry.status,
        )
        return entry

    def _save_data(self, run: PlannedRun, file: ReportFile, folder: ResultFolder) -> None:
        try:
            source = self._tables.of_step(run, file.module, file.part)
        except PetauditError:
            if run.evaluator is None:
                raise
            # The result of the run says already that there is no such table, and why.
            self._not_written.add(file.name)
        else:
            write = table_writer(source.to_arrow(), file.model.format, formula_safe=True)
            folder.stage(file.name, write)

    def _conclude(
        self,
        checked: Checked,
        folder: ResultFolder | None,
        compare_to: tuple[Mapping[str, Any], str] | None,
    ) -> None:
        """Judge, write the reports, and publish everything at once."""
        previous = None if compare_to is None else compare_to[0]
        results = judge_entries([entry.data for entry in self._entries], self.pipeline, previous)
        records = self._clock.records
        for file in self._files:
            if folder is not None and not isinstance(file.model, SaveData):
                folder.stage(file.name, report_writer(file, self._entries, results, records))
        # Tables may have been read for the reports, too.
        self._tables.watch.check()
        effective = json.dumps(plain(self.pipeline.document.value), sort_keys=True)
        self._document = result_document(
            pipeline=self.pipeline,
            runs=self.runs,
            configuration={
                "sha256": sha256_of(self._text),
                "effective_sha256": sha256_of(effective),
                "set": list(self._overrides),
                "only": list(self._only),
                "runs_left_out": len(self.all_runs) - len(self.runs),
            },
            strict=self._strict or self.pipeline.executor.strict,
            compare_to=compare_to,
            inputs=checked.fingerprints,
            results=results,
            what_to_do=advice_of_runs(self._entries, self._tables),
            files=self.file_names[:-1],
            notes=self._promises(),
            timings={
                "steps": [asdict(record) for record in records],
                "stages": {
                    entry.run.name: dict(entry.seconds) for entry in self._entries if entry.seconds
                },
            },
        )
        if folder is not None:
            text = document_text(self._document)
            folder.stage(RESULT, lambda file: file.write(text))
            folder.publish(self.file_names)
            for name in self.file_names:
                self._clock.tell("written", file=name)
            statuses = {entry.status for entry in self._entries}
            # Where something failed, a later call can go on with the rest.
            folder.is_finished = self._document["verdict"] != ERROR or statuses <= {ERROR}
        self._clock.tell("finished", status=str(self._document["verdict"]))

    def _promises(self) -> list[str]:
        """What synthetic tables promise that no measure was taken of: no result says it."""
        promised = (self._tables.guarantee(run) for run in self.runs if run.evaluator is None)
        given = (guarantee.sentences for guarantee in promised if guarantee is not None)
        return [*dict.fromkeys(sentence for sentences in given for sentence in sentences)]

    def get_result(self) -> dict[str, Any]:
        """The result of every run by its name; the tables themselves where nothing is measured.

        >>> executor = Executor('''
        ... Loader: {patient: {filepath: "benchmark://patient"}}
        ... Splitter: {parts: {train_split_ratio: 0.7}}
        ... ''')
        >>> executor.run()
        'measured'
        >>> tables = executor.get_result()["Loader[patient]_Splitter[parts]"]
        >>> {name: table.num_rows for name, table in tables.items()}
        {'train': 6, 'validation': 3}
        """
        by_name = {entry["run"]: entry for entry in self.document["results"]}
        measured = {
            entry.run.name: RunResult(entry, by_name[entry.run.name], self._frame)
            for entry in self._entries
        }
        others = (run for run in self.runs if run.evaluator is None)
        return measured | {run.name: self._last_tables(run) for run in others}

    def _last_tables(self, run: PlannedRun) -> Any:
        """What the last module of a run gave: a table, or the two of a Splitter."""
        module = run.steps[-1].module
        frames = {
            _PARTS[part]: frame_of(self._frame, self._tables.of_step(run, module, part).to_arrow())
            for part in parts_of(run, module)
        }
        self._tables.watch.check()
        return frames.get("", frames)

    def get_summary(self) -> Any:
        """A row per run with its experiments, figure, limit and status, as a table."""
        return result_frame(self._frame, summary_columns(self.document["results"]))

    def get_timing(self) -> Any:
        """How long every step took, as a table."""
        return result_frame(self._frame, timing_columns(self._clock.records))

    def is_execution_completed(self) -> bool:
        """Whether everything has run; the verdict may still be bad."""
        return self._document is not None
