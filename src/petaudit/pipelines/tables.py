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

from petaudit.anonymizing.making import Anonymized, anonymize
from petaudit.datasets import locate
from petaudit.errors import InputError, Phrase, counted
from petaudit.i18n.phrases import map_parts
from petaudit.labels.hierarchies import Hierarchies
from petaudit.pipelines.events import Clock
from petaudit.pipelines.models import (
    ANONYMIZER,
    EVALUATOR,
    LOADER,
    SPLITTER,
    SYNTHESIZER,
    Anonymizer,
    DpMarginals,
    Loader,
    RandomSplit,
)
from petaudit.pipelines.plan import FileTable, PlannedRun, Step, files_of, name_of
from petaudit.pipelines.table_schema import Schema, read_schema, typed
from petaudit.roles import Role, Roles
from petaudit.synthesizing import synthesize
from petaudit.synthesizing.normal import random_bits
from petaudit.synthesizing.private import Guarantee, Privacy, private_table
from petaudit.synthesizing.private.noise import key_of, new_key
from petaudit.system.files import Watch, watching
from petaudit.system.settings import settings_of
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
    hierarchies: Hierarchies | None = None
    """Those that an Anonymizer made the released table by, also where it proposed them."""


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
    _synthetic: tuple[str, Source] | None = None
    _keys: dict[str, bytes] = field(default_factory=dict, repr=False)
    """The secret behind each table with noise, so that one made again is the same."""
    _anonymized: tuple[str, Anonymized] | None = None

    def reopened(self, clock: Clock) -> Tables:
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
            try:
                with snapshot(self._sessions):
                    source = open_source(
                        path,
                        engine=self.engine,
                        spark_master=self.spark_master,
                        **table.reading.options,
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
        is_elsewhere = "does not exist" in problem.text and os.path.exists(address)  # noqa: PTH110
        if Path(address).is_absolute() or not is_elsewhere:
            return problem
        return InputError(
            "{problem}; paths start from the folder of the pipeline file, {folder}",
            problem=problem.text,
            folder=str(self.folder),
        )

    @property
    def anonymized(self) -> Anonymized | None:
        """The release that was made last."""
        return None if self._anonymized is None else self._anonymized[1]

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
            if isinstance(given, str):
                spec: Any = self.resolved(given)
            else:
                spec = {name: self._hierarchy(entry) for name, entry in given.items()}
            self._hierarchies[key] = Hierarchies.of(spec)
        return self._hierarchies[key]

    def _hierarchy(self, entry: Any) -> Any:
        """What a column has, with its file where the pipeline file means it to be."""
        if isinstance(entry, str):
            return Path(self.resolved(entry))
        for key in ("file", "tree"):
            # Else it maps leaves to labels, and one of them is called so.
            if isinstance(entry, Mapping) and {key} <= set(entry) <= {key, "other"}:
                return {**entry, key: self._hierarchy_file(entry[key])}
        return entry

    def _hierarchy_file(self, named: Any) -> Any:
        return self.resolved(named) if isinstance(named, str) else named

    def without_folders(self, message: str) -> str:
        """A message with the names of files, but not their folders on this machine."""
        return replaced(message, self._without_folders)

    def _without_folders(self, text: str) -> str:
        text = text.replace(f"{self.folder}{os.sep}", "")
        for path in self.watch.paths:
            text = text.replace(str(path), path.name)
        return _QUOTED_PATH.sub(r"'\1'", text)

    def fingerprint(self, table: FileTable) -> dict[str, Any]:
        """What identifies an input, without any value of it and without its folder."""
        source = self.opened(table)
        fingerprint: dict[str, Any] = {
            "name": without_folder(table.address),
            "rows": source.rows,
            "columns": [*shown_names(source.columns).values()],
            "engine": source.counts.engine,
        }
        if source.files:
            with watching(self.watch):
                fingerprint["sha256"] = source.sha256
        else:
            # Nobody can tell whether a table of a server is still what it was.
            fingerprint["opened"] = self._begun
        if table.schema is not None:
            path = self.schema_path(table.schema)
            name = without_folder(table.schema)
            fingerprint["schema"] = {"name": name, "sha256": self.watch.sha256((path,))}
        return fingerprint

    def rows_left_out(self, table: FileTable) -> int:
        """How many rows of a table were not read."""
        return self._rows_in_file[table] - self.opened(table).rows

    def of_run(self, run: PlannedRun, *, make: bool = True) -> RunTables:
        """What a run compares; a table that is made is made now, and kept for the next run.

        Without ``make``, another table with the same columns stands in for each that would be.
        """
        files = {
            step.module: {part: self.opened(table) for part, table in files_of(step).items()}
            for step in run.steps
        }
        loaded = files.get(LOADER, {})
        learned, control = loaded.get(""), None
        splitter, synthesizer = run.step(SPLITTER), run.step(SYNTHESIZER)
        if splitter is not None:
            parts = files[SPLITTER] or self._parts(run, splitter, learned, make)
            learned, control = parts["ori"], parts.get("control")
        control = files.get(EVALUATOR, {}).get("control", control)
        released, original = learned, loaded.get("original")
        if synthesizer is not None:
            released, original = files[SYNTHESIZER].get("", learned), learned
            if not files[SYNTHESIZER] and make and learned is not None:
                released = self._synthesized(run, synthesizer, learned)
        anonymizer, hierarchies = run.step(ANONYMIZER), None
        if anonymizer is not None and learned is not None:
            original = learned
            if make:
                made = self._made(run, anonymizer, learned, loaded.get("population"))
                released = replace(
                    made.to_be_judged(f"{anonymizer}"), is_untyped=learned.is_untyped
                )
                hierarchies = made.audit.inputs.hierarchies
        assert released is not None  # noqa: S101 (the plan has a table to judge or to learn from)
        return RunTables(released, original, control, loaded.get("population"), hierarchies)

    def guarantee(self, run: PlannedRun) -> Guarantee | None:
        """What the synthetic table of a run promises, if it promises anything."""
        model = run.models.get(SYNTHESIZER)
        if not isinstance(model, DpMarginals):
            return None
        learned = self.of_run(run, make=False).released
        seeded = model.random_state is not None
        return _privacy(run).guarantee(learned.columns, learned.name, is_seeded=seeded)

    def drawn_at(self, run: PlannedRun) -> str | None:
        """When the noise of a run was drawn that no seed brings back."""
        guarantee = self.guarantee(run)
        return None if guarantee is None or guarantee.is_seeded else self._begun

    def of_step(self, run: PlannedRun, module: str, part: str) -> Source:
        """The table of one module of a run."""
        loader = run.step(LOADER)
        if module == LOADER and loader is not None:
            return self.opened(files_of(loader)[""])
        tables = self.of_run(run)
        if module == ANONYMIZER and self._anonymized is not None:
            return open_source(self._anonymized[1].released, called=str(run.step(module)))
        source = {"ori": tables.original, "control": tables.control, "": tables.released}[part]
        if part == "ori" and run.step(SYNTHESIZER) is None:
            source = tables.released
        assert source is not None  # noqa: S101 (only parts that a step has are asked for)
        return source

    def _parts(
        self, run: PlannedRun, step: Step, table: Source | None, make: bool
    ) -> dict[str, Source]:
        """What is learned from, and the control, drawn from the table of the Loader."""
        assert table is not None  # noqa: S101 (the plan has a Loader)
        if not make:
            return {"ori": table, "control": table}
        name = name_of(run.up_to(SPLITTER))
        if self._split is None or self._split[0] != name:
            self._split = None
            with self.clock.timed(name, SPLITTER, step.label, "split"):
                if self._picker is None or self._picker.source is not table:
                    self._picker = RowPicker(table)
                self._split = (name, split(self._picker, step.experiment.model, step.sample))
        return dict(zip(("ori", "control"), self._split[1], strict=True))

    def _synthesized(self, run: PlannedRun, step: Step, learned: Source) -> Source:
        name = name_of(run.up_to(SYNTHESIZER))
        if self._synthetic is None or self._synthetic[0] != name:
            self._synthetic = None
            model = step.experiment.model
            with self.clock.timed(name, SYNTHESIZER, step.label, "synthesize"):
                rows, seed = model.sample_num_rows, model.random_state
                if isinstance(model, DpMarginals):
                    key = self._keys.setdefault(name, new_key()) if seed is None else key_of(seed)
                    frame = private_table(
                        learned, _privacy(run), key, rows=rows, is_seeded=seed is not None
                    ).table
                else:
                    frame = synthesize(learned, method=str(model.method), rows=rows, seed=seed)
                source = open_source(frame, called=f"{step}")
                source = replace(source, is_untyped=learned.is_untyped)
                # What was learned from a table that keeps a schema must keep it, too.
                files = {
                    part: table
                    for earlier in run.up_to(SPLITTER) or run.up_to(LOADER)
                    for part, table in files_of(earlier).items()
                }
                schema = files["ori" if "ori" in files else ""].schema
                if schema is not None:
                    source = typed(source, self.schema(schema))
            self._synthetic = (name, source)
        return self._synthetic[1]

    def _made(
        self, run: PlannedRun, step: Step, table: Source, population: Source | None
    ) -> Anonymized:
        """The best release of the Loader's table, made once for all of its Evaluators."""
        name = name_of(run.up_to(ANONYMIZER))
        if self._anonymized is None or self._anonymized[0] != name:
            self._anonymized = None
            model: Anonymizer = step.experiment.model
            loader: Loader = run.models[LOADER]
            with self.clock.timed(name, ANONYMIZER, step.label, "anonymize"):
                made = anonymize(
                    table,
                    **{name: getattr(model, name) for name in settings_of(Anonymizer)},
                    population=population,
                    roles=roles_of(loader.roles),
                    hierarchies=self.hierarchies(loader.hierarchies),
                    person=loader.person,
                    person_is_pseudonym=loader.person_is_pseudonym,
                )
            self._anonymized = (name, made)
        return self._anonymized[1]


def roles_of(given: Mapping[str, Any] | None) -> Roles | None:
    """Roles from columns by role; a column in two of them is an error.

    >>> roles_of({"quasi_identifier": "zip", "sensitive_attribute": ["disease"]}).sensitive
    ('disease',)
    """
    if given is None:
        return None
    order = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.IDENTIFIER, Role.INSENSITIVE)
    return Roles.of(*(given.get(role, ()) for role in order))


def _privacy(run: PlannedRun) -> Privacy:
    """What a run asks of a table with a guarantee; people are those of the Loader, if any."""
    models = run.models
    model: DpMarginals = models[SYNTHESIZER]
    person = model.person or getattr(models.get(LOADER), "person", None)
    return Privacy(model.epsilon, model.domain, model.delta, person, model.rows_per_person)


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


def replaced(text: str, change: Callable[[str], str]) -> str:
    """A text with a change to it; a phrase stays one, with the change to its values.

    Where that is not the same, as what changes is spread over several values, the text is plain.

    >>> message = Phrase.filled("{file} is empty", {"file": "/a/b.csv"})
    >>> shown = replaced(message, lambda text: text.replace("/a/", ""))
    >>> shown, shown.template
    ('b.csv is empty', '{file} is empty')
    """
    plain = change(str(text))
    changed = map_parts(text, lambda part: part if isinstance(part, Phrase) else change(part))
    return changed if changed == plain else plain
