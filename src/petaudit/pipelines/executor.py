"""Running a pipeline: one experiment after the other, each finished one kept."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Any, Final

from petaudit.errors import InputError, OptionError, PetauditError, PetauditWarning, phrase
from petaudit.pipelines.checking import Checked, checked, note_wrong_files
from petaudit.pipelines.configuration import configuration_text, default_folder
from petaudit.pipelines.document import document_text, result_document
from petaudit.pipelines.entries import ERROR, Entry, entry_data, from_json
from petaudit.pipelines.evaluating import evaluated
from petaudit.pipelines.events import Clock, Listener, TimingRecord
from petaudit.pipelines.folder import RESULT, ResultFolder, check_targets, opened_folder
from petaudit.pipelines.gate import judged, read_result
from petaudit.pipelines.logs import logged
from petaudit.pipelines.models import EXECUTOR, SaveData
from petaudit.pipelines.overrides import with_overrides
from petaudit.pipelines.pipeline import Pipeline, raise_problems
from petaudit.pipelines.plan import PlannedRun, check_modules, chosen_runs, planned_runs
from petaudit.pipelines.policies import not_evaluated, with_policies
from petaudit.pipelines.reading import partly_read
from petaudit.pipelines.reporting import (
    ReportFile,
    data_writer,
    parts_of,
    report_files,
    report_writer,
    summary_columns,
    tables_wanted,
    timing_columns,
)
from petaudit.pipelines.run_result import RunResult
from petaudit.pipelines.tables import Tables
from petaudit.system.files import watching
from petaudit.system.yaml_files import Document, Problems, parse_yaml
from petaudit.tables.result_frames import (
    ResultColumn,
    frame_of,
    result_frame,
    table_data,
    table_from,
)
from petaudit.tables.source import check_engine

_PARTS: Final = {"": "", "ori": "train", "control": "validation"}
"""The names that PETsARD gives the parts of a table."""


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
        overrides: Sequence[str] = (),
        only: Sequence[str] = (),
        frame: str = "pyarrow",
        listener: Listener | None = None,
        log_stream: str = "stdout",
        keep_results: bool = True,
        engine: str | None = None,
        spark_master: str | None = None,
        strict: bool = False,
    ) -> None:
        if frame not in {"pyarrow", "pandas", "polars"}:
            raise OptionError(
                "frame is {frame!r}; pyarrow, pandas or polars was expected", frame=frame
            )
        self._frame = frame
        self._text, self._path = configuration_text(config)
        self._overrides = tuple(overrides)
        self._only = tuple(only)
        self._resume = resume
        self._reveal = reveal_values
        self._strict = strict
        name = phrase("the configuration") if self._path is None else str(self._path)
        parsed = with_overrides(parse_yaml(self._text, name), self._overrides)
        folder = Path.cwd() if self._path is None else self._path.absolute().parent
        self._out = None if out is None else Path(out)
        self._clock = Clock(listener)
        check_engine(engine, spark_master)
        self._tables = Tables(folder, self._clock, engine, spark_master)
        self.pipeline = self._read(parsed, name)
        self.all_runs = planned_runs(self.pipeline)
        self.runs = chosen_runs(self.all_runs, self._only)
        self._files = report_files(self.pipeline, self.runs)
        self._tables_wanted = tables_wanted(self._files)
        self._data_files: dict[str, list[ReportFile]] = {}
        for file in self._files:
            if file.run is not None:
                self._data_files.setdefault(file.run.name, []).append(file)
        if self._out is None and (self._files or "file" in self.pipeline.executor.logs_to):
            self._out = default_folder(self._path)
        self._log_stream = log_stream
        self._keep_results = keep_results
        self._not_made: set[str] = set()
        self._has_kept = False
        self._clock.total = len(self.runs)
        self._entries: list[Entry] = []
        self._document: dict[str, Any] | None = None
        self._files_read: tuple[Path, ...] = ()

    def _read(self, parsed: Document, name: str) -> Pipeline:
        """The pipeline; what is wrong with its tables is said together with what is in the file."""
        problems = Problems()
        pipeline = with_policies(
            partly_read(parsed, name, problems), self._tables.resolved, problems
        )
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
        at = (EXECUTOR, "compare_to")
        own = None if self._out is None else os.path.realpath(self._out / RESULT)
        if own == os.path.realpath(self._tables.resolved(address)):
            # What got worse would be the measure of the next run, which would pass.
            said = phrase("compare_to is the result that this run replaces; name a copy of it")
            problems.add(at, said)
            return
        try:
            self._read_previous(address)
        except PetauditError as problem:
            problems.add(at, problem.text)

    @property
    def out(self) -> Path | None:
        """The folder of the results, if they are written."""
        return self._out

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that the last run read; none of them may be written to."""
        rules = (policy.path for policy in self.pipeline.policies)
        return (*self._files_read, *(path for path in rules if path is not None))

    @property
    def file_names(self) -> list[str]:
        """The files that a run leaves in the folder of results."""
        made = [own.name for own in self._files if own.name not in self._not_made]
        return [*made, RESULT]

    @property
    def document(self) -> dict[str, Any]:
        """The content of result.json."""
        if self._document is None:
            raise InputError("the pipeline has not run yet; call run() first")
        return self._document

    @property
    def messages(self) -> dict[str, str]:
        """By run: what went wrong, with the rows that it is about, which result.json leaves out."""
        return {own.run.name: own.message for own in self._entries if own.message is not None}

    @property
    def has_kept_results(self) -> bool:
        """Whether a call that goes on later finds something."""
        return self._has_kept

    def validate(self) -> None:
        """Check everything that can be checked without computing; raises all problems at once."""
        self._checked(has_targets=False)

    def run(self) -> str:
        """Run everything and return the verdict: passed, failed, measured or error."""
        self._entries, self._document = [], None
        self._not_made.clear()
        # The files may have changed since the last time.
        self._tables = self._tables.afresh(self._clock)
        self._clock.records.clear()
        self._clock.done = 0
        previous_path = self.pipeline.executor.compare_to
        with ExitStack() as stack:
            stack.enter_context(watching(self._tables.watch))
            found = self._checked(has_targets=self._out is not None)
            self._files_read = tuple(found.files)
            folder = None
            if self._out is not None:
                folder = stack.enter_context(opened_folder(self._out, resume=self._resume))
            log = (self.pipeline.executor, self._out, self._clock, self._log_stream)
            stack.enter_context(logged(*log))
            previous = None
            if previous_path is not None:
                previous = self._read_previous(previous_path)
            self._clock.tell("started")
            for run in self.runs:
                self._entries += self._finished(run, found, folder)
            self._conclude(found, folder, previous)
        return str(self.document["verdict"])

    def _checked(self, *, has_targets: bool) -> Checked:
        if has_targets and self._out is not None:
            check_targets(self._out, self.file_names, [self._path] if self._path else [])
        problems = Problems()
        self._note_previous(self.pipeline, problems)
        found = checked(
            self.pipeline,
            self.runs,
            self._tables,
            self._tables_wanted,
            problems,
            reveal=self._reveal,
        )
        if has_targets and self._out is not None:
            check_targets(self._out, self.file_names, found.files)
        return found

    def _read_previous(self, address: str) -> dict[str, Any]:
        return read_result(Path(self._tables.resolved(address)))

    def _finished(
        self, run: PlannedRun, found: Checked, folder: ResultFolder | None
    ) -> Iterator[Entry]:
        """The result of a run, from before or computed now."""
        before = len(self._clock.records)
        if run.evaluator is not None:
            key = found.keys[run.name]
            kept = self._trusted(folder, key) if folder is not None and self._resume else None
            entry = None if kept is None else self._restored(run, kept)
            is_kept = entry is not None
            if entry is None:
                entry = self._computed(run)
                self._tables.watch.check()
                if folder is not None and entry.status != ERROR:
                    records = self._clock.records[before:]
                    self._has_kept |= folder.keep(key, _kept(entry, records))
            self._clock.done += 1
            self._clock.tell(
                "kept" if is_kept else "result",
                run=run.name,
                module="Evaluator",
                experiment=run.evaluator.name,
                status=entry.status,
            )
            yield entry
        else:
            self._tables.of_run(run)
            self._clock.done += 1
        for file in self._data_files.get(run.name, ()):
            if folder is not None:
                self._save_data(file, folder)

    def _trusted(self, folder: ResultFolder, key: str) -> dict[str, Any] | None:
        """What is kept in the folder; once it is said that something there is not to be trusted."""
        was_told = folder.has_foreign_results
        kept = folder.kept(key)
        if folder.has_foreign_results and not was_told:
            said = phrase(
                "{path!r} holds kept results that this user did not keep on this machine, or that "
                "were changed; they are measured again",
                path=str(folder.path),
            )
            warnings.warn(said, PetauditWarning, stacklevel=2)
        return kept

    def _computed(self, run: PlannedRun) -> Entry:
        outcome = evaluated(run, self._tables, reveal=self._reveal)
        data = entry_data(run, outcome, self._tables)
        tables: dict[str, dict[str, ResultColumn]] = {}
        if outcome.result is not None and run.evaluator is not None:
            for granularity in self._tables_wanted.get(run.evaluator.name, ()):
                table = outcome.result.table(granularity, with_values=self._reveal)
                tables[granularity] = table_from(table_data(table))
        message = None if outcome.problem is None else outcome.problem.text
        seconds = getattr(outcome.result, "timings", {})
        result = outcome.result if self._keep_results else None
        return Entry(run, data, result, message, tables, dict(seconds))

    def _restored(self, run: PlannedRun, kept: Mapping[str, Any]) -> Entry:
        """A kept result, which the same version signed for the same run."""
        self._clock.records += [TimingRecord(**record) for record in kept["records"]]
        tables = {name: table_from(table) for name, table in kept["tables"].items()}
        return Entry(run, from_json(kept["data"]), None, None, tables, dict(kept["seconds"]))

    def _save_data(self, file: ReportFile, folder: ResultFolder) -> None:
        assert file.run is not None  # noqa: S101 (files of data have one)
        try:
            source = self._tables.of_step(file.run, file.module, file.part)
        except PetauditError:
            if file.run.evaluator is None:
                raise
            # The result of the run says already that there is no such table, and why.
            self._not_made.add(file.name)
        else:
            folder.stage(file.name, data_writer(file, source))

    def _conclude(
        self, found: Checked, folder: ResultFolder | None, previous: Mapping[str, Any] | None
    ) -> None:
        """Judge, write the reports, and publish everything at once."""
        done = judged([dict(own.data) for own in self._entries], self.pipeline, previous)
        if folder is not None:
            for file in self._files:
                if not isinstance(file.model, SaveData):
                    writer = report_writer(file, self._entries, done, self._clock.records)
                    folder.stage(file.name, writer)
        earlier = self.pipeline.executor.compare_to
        sha256 = None
        if earlier is not None:
            sha256 = self._tables.watch.sha256([Path(self._tables.resolved(earlier))])
        # Tables may have been read for the reports, too.
        self._tables.watch.check()
        self._document = result_document(
            pipeline=self.pipeline,
            text=self._text,
            settings={"set": list(self._overrides), "only": list(self._only)},
            strict=self._strict or self.pipeline.executor.strict,
            checked=found,
            results=done,
            not_evaluated=not_evaluated(self.pipeline, self.runs),
            left_out=len(self.all_runs) - len(self.runs),
            previous=previous,
            previous_sha256=sha256,
            files=self.file_names[:-1],
            seconds={own.run.name: dict(own.seconds) for own in self._entries},
            records=self._clock.records,
        )
        if folder is not None:
            text = document_text(self._document)
            folder.stage(RESULT, lambda file: file.write(text))
            folder.publish(self.file_names)
            for name in self.file_names:
                self._clock.tell("written", file=name)
            statuses = {own.status for own in self._entries}
            is_worth_resuming = self._document["verdict"] == ERROR and statuses - {ERROR}
            if not is_worth_resuming:
                folder.forget()
        self._clock.tell("finished", status=str(self._document["verdict"]))

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
        by_name = {own["run"]: own for own in self.document["results"]}
        measured = {
            own.run.name: RunResult(own, by_name[own.run.name], self._frame)
            for own in self._entries
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


def _kept(entry: Entry, records: Sequence[TimingRecord]) -> dict[str, Any]:
    return {
        "data": entry.data,
        "tables": {name: table_data(own) for name, own in entry.tables.items()},
        "seconds": entry.seconds,
        "records": [own.to_dict() for own in records],
    }
