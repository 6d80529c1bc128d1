"""The tables of a pipeline: opened once, split and made when a run asks for them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from petaudit.datasets import locate
from petaudit.errors import InputError, Phrase, counted
from petaudit.i18n.phrases import map_parts
from petaudit.labels.hierarchies import Hierarchies
from petaudit.pipelines.events import Clock
from petaudit.pipelines.models import (
    EVALUATOR,
    LOADER,
    SPLITTER,
    SYNTHESIZER,
    CustomSplit,
    CustomTable,
    GaussianCopula,
    RandomSplit,
)
from petaudit.pipelines.plan import FileTable, PlannedRun, Step, files_of, name_of, schema_learned
from petaudit.pipelines.table_schema import Schema, read_schema, typed
from petaudit.synthesizing import synthesize
from petaudit.synthesizing.normal import random_bits
from petaudit.system.files import Watch
from petaudit.tables import Source, is_address, is_uri, located, open_source, shown_table, snapshot
from petaudit.tables.headers import shown_names
from petaudit.tables.source import RowPicker, first_rows

SCHEME = "benchmark://"
_QUOTED_PATH = re.compile(r"'/[^']*/([^'/]+)'")


@dataclass(frozen=True)
class RunTables:
    """The tables that a measure compares."""

    released: Source
    original: Source | None
    control: Source | None
    population: Source | None = None


@dataclass
class Tables:
    """Every table of a pipeline."""

    folder: Path
    """What relative paths start from."""
    clock: Clock = field(default_factory=Clock)
    engine: str | None = None
    """What counts files, if it was chosen."""
    spark_master: str | None = None
    _begun: str = field(default_factory=lambda: datetime.now(UTC).isoformat())
    _sessions: dict[Any, Any] = field(default_factory=dict)
    _opened: dict[FileTable, Source] = field(default_factory=dict)
    _schemas: dict[str, Schema] = field(default_factory=dict)
    watch: Watch = field(default_factory=Watch)
    """Every file that was read, to notice when somebody writes to it."""
    _hierarchies: dict[str, Hierarchies] = field(default_factory=dict)
    _rows_in_file: dict[FileTable, int] = field(default_factory=dict)
    _picker: RowPicker | None = None
    _split: tuple[str, tuple[Source, Source]] | None = None
    _made: tuple[str, Source] | None = None

    def afresh(self, clock: Clock) -> Tables:
        """The same with nothing opened yet."""
        return Tables(self.folder, clock, self.engine, self.spark_master)

    def resolved(self, address: str) -> str:
        """A path that the file names, as the system finds it."""
        if address[: len(SCHEME)].casefold() == SCHEME:
            return address
        if is_address(address):
            return located(address, self.folder)
        if is_uri(address):
            # Spark finds it, or opening it says what is wrong.
            return address
        return str(self.folder / os.path.expanduser(address))  # noqa: PTH111 (never raises)

    def opened(self, table: FileTable) -> Source:
        """Open a table, and convert it to its schema if it has one."""
        if table not in self._opened:
            path = self.resolved(table.address)
            delimiter = "\t" if table.delimiter == "tab" else table.delimiter
            try:
                with snapshot(self._sessions):
                    source = open_source(
                        path,
                        delimiter=delimiter,
                        encoding=table.encoding,
                        engine=self.engine,
                        spark_master=self.spark_master,
                    )
            except InputError as problem:
                raise self._with_hint(table.address, problem) from None
            source = replace(source, name=shown_table(table.address))
            if not source.rows:
                raise InputError("{table} has a header but no rows", table=source.name)
            self._rows_in_file[table] = source.rows
            if table.nrows is not None:
                source = first_rows(source, table.nrows)
            if table.schema is not None:
                source = typed(source, self.schema(table.schema))
            self._opened[table] = source
        return self._opened[table]

    def _with_hint(self, address: str, problem: InputError) -> InputError:
        """Say where relative paths start, if the file is somewhere else."""
        here = Path(address)
        if here.is_absolute() or "does not exist" not in problem.text or not _exists(address):
            return problem
        return InputError(
            "{problem}; paths start from the folder of the pipeline file, {folder}",
            problem=problem.text,
            folder=str(self.folder),
        )

    @property
    def sources(self) -> tuple[Source, ...]:
        """Every table that was opened."""
        return tuple(self._opened.values())

    @property
    def schema_files(self) -> tuple[Path, ...]:
        """Every schema that was read."""
        return tuple(map(self.schema_path, self._schemas))

    def schema(self, address: str) -> Schema:
        """Read a schema."""
        if address not in self._schemas:
            self._schemas[address] = read_schema(self.schema_path(address))
        return self._schemas[address]

    def schema_path(self, address: str) -> Path:
        """The file of a schema."""
        path = self.resolved(address)
        return locate(path) if path == address and SCHEME in path.casefold() else Path(path)

    def hierarchies(self, given: Any) -> Hierarchies | None:
        """Hierarchies as the file names them: a path, or an entry per column."""
        if given is None:
            return None
        key = json.dumps(given, sort_keys=True, default=str)
        if key not in self._hierarchies:
            spec = self.resolved(given) if isinstance(given, str) else self._inline(given)
            self._hierarchies[key] = Hierarchies.of(spec)
        return self._hierarchies[key]

    def _inline(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: Path(self.resolved(entry)) if isinstance(entry, str) else entry
            for name, entry in given.items()
        }

    def without_folders(self, message: str) -> str:
        """A message with the names of files, but not where they lie on this machine."""
        return replaced(message, self._without_folders)

    def _without_folders(self, text: str) -> str:
        text = text.replace(f"{self.folder}{os.sep}", "")
        for path in self.watch.paths:
            text = text.replace(str(path), path.name)
        return _QUOTED_PATH.sub(r"'\1'", text)

    def fingerprint(self, table: FileTable) -> dict[str, Any]:
        """What identifies an input, without any value of it and without where it lies."""
        source = self.opened(table)
        found: dict[str, Any] = {
            "name": without_folder(table.address),
            "rows": source.rows,
            "columns": [*shown_names(source.columns).values()],
            "engine": source.counts.engine,
        }
        if source.files:
            found["sha256"] = self.watch.sha256(source.files)
        else:
            # Nobody can tell whether a table of a server is still what it was.
            found["opened"] = self._begun
        if table.schema is not None:
            path = self.schema_path(table.schema)
            name = without_folder(table.schema)
            found["schema"] = {"name": name, "sha256": self.watch.sha256((path,))}
        return found

    def rows_left_out(self, table: FileTable) -> int:
        """How many rows of a table were not read."""
        return self._rows_in_file[table] - self.opened(table).rows

    def of_run(self, run: PlannedRun, *, make: bool = True) -> RunTables:
        """What a run compares; a table that is made is made now, and kept for the next run.

        Without ``make``, another table with the same columns stands in for each that would be.
        """
        loader, splitter = run.step(LOADER), run.step(SPLITTER)
        synthesizer, evaluator = run.step(SYNTHESIZER), run.step(EVALUATOR)
        before: Source | None = None
        original: Source | None = None
        control: Source | None = None
        population: Source | None = None
        if loader is not None:
            given = files_of(loader)
            before = self.opened(given[""])
            original = self.opened(given["original"]) if "original" in given else None
            population = self.opened(given["population"]) if "population" in given else None
        if splitter is not None:
            before, control = self._parts(run, splitter, before, make)
        if evaluator is not None and "control" in files_of(evaluator):
            control = self.opened(files_of(evaluator)["control"])
        if synthesizer is None:
            assert before is not None  # noqa: S101 (the plan has a table to judge)
            return RunTables(before, original, control, population)
        if isinstance(synthesizer.experiment.model, CustomTable):
            synthetic = self.opened(files_of(synthesizer)[""])
            return RunTables(synthetic, before, control, population)
        assert before is not None  # noqa: S101 (the plan has a table to learn from)
        released = self._synthesized(run, synthesizer, before) if make else before
        return RunTables(released, before, control, population)

    def of_step(self, run: PlannedRun, module: str, part: str) -> Source:
        """The table of one module of a run."""
        loader = run.step(LOADER)
        if module == LOADER and loader is not None:
            return self.opened(files_of(loader)[""])
        found = self.of_run(run)
        source = {"ori": found.original, "control": found.control, "": found.released}[part]
        if part == "ori" and run.step(SYNTHESIZER) is None:
            source = found.released
        assert source is not None  # noqa: S101 (only parts that a step has are asked for)
        return source

    def _parts(
        self, run: PlannedRun, step: Step, before: Source | None, make: bool
    ) -> tuple[Source, Source | None]:
        """What is learned from, and the control."""
        if isinstance(step.experiment.model, CustomSplit):
            parts = files_of(step)
            control = self.opened(parts["control"]) if "control" in parts else None
            return self.opened(parts["ori"]), control
        assert before is not None  # noqa: S101 (the plan has a Loader)
        if not make:
            return before, before
        name = name_of(run.up_to(SPLITTER))
        if self._split is None or self._split[0] != name:
            self._split = None
            with self.clock.timed(name, SPLITTER, step.label, "split"):
                if self._picker is None or self._picker.source is not before:
                    self._picker = RowPicker(before)
                self._split = (name, split(self._picker, step.experiment.model, step.sample))
        return self._split[1]

    def _synthesized(self, run: PlannedRun, step: Step, before: Source) -> Source:
        name = name_of(run.up_to(SYNTHESIZER))
        if self._made is None or self._made[0] != name:
            self._made = None
            with self.clock.timed(name, SYNTHESIZER, step.label, "synthesize"):
                self._made = (name, self._drawn(run, step, before))
        return self._made[1]

    def _drawn(self, run: PlannedRun, step: Step, before: Source) -> Source:
        model: GaussianCopula = step.experiment.model
        made = synthesize(
            before, method=str(model.method), rows=model.sample_num_rows, seed=model.random_state
        )
        source = open_source(made, called=f"{step}")
        source = replace(source, is_untyped=before.is_untyped)
        schema = schema_learned(run)
        # What was learned from a table that keeps a schema must keep it, too.
        return source if schema is None else typed(source, self.schema(schema))


def split(picker: RowPicker, model: RandomSplit, sample: int) -> tuple[Source, Source]:
    """Draw rows to learn from and leave the others as a control; both keep the table's order."""
    source = picker.source
    rows = source.rows
    # As PETsARD rounds it: 11 rows at 0.8 are 9 and 2.
    many = round(rows * model.train_split_ratio)
    if not 0 < many < rows:
        raise InputError(
            "{table} has {rows}: with a train_split_ratio of {ratio:g} one part would be empty",
            table=source.name,
            rows=counted(rows, "row", of=rows),
            ratio=model.train_split_ratio,
        )
    drawn = np.argsort(random_bits(rows, model.random_state, sample * rows), kind="stable")
    return picker.at(np.sort(drawn[:many])), picker.at(np.sort(drawn[many:]))


def without_folder(address: str) -> str:
    """A path as results show it: what lies above a file is nobody's business.

    >>> without_folder("data/adult.csv"), without_folder("/home/ann/adult.csv")
    ('data/adult.csv', 'adult.csv')
    """
    if is_uri(address):
        return shown_table(address)
    return Path(address).name if Path(address).is_absolute() else address


def _exists(address: str) -> bool:
    return os.path.exists(address)  # noqa: PTH110 (takes any name)


def replaced(text: str, change: Callable[[str], str]) -> str:
    """A text with a change to it; a phrase stays one, with the change to its values.

    Where that is not the same, as what changes is spread over several values, the text is plain.

    >>> said = Phrase.filled("{file} is empty", {"file": "/a/b.csv"})
    >>> found = replaced(said, lambda text: text.replace("/a/", ""))
    >>> found, found.template
    ('b.csv is empty', '{file} is empty')
    """
    wanted = change(str(text))
    changed = map_parts(text, lambda part: part if isinstance(part, Phrase) else change(part))
    return changed if changed == wanted else wanted
