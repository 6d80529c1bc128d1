"""Which runs a pipeline file stands for: every combination of the experiments of its modules."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from petaudit.errors import OptionError, given_as, listing, suggestion
from petaudit.pipelines.models import (
    ANONYMIZER,
    DATA_MODULES,
    EVALUATOR,
    EXECUTOR,
    LOADER,
    SPLITTER,
    SYNTHESIZER,
    CustomSplit,
    CustomTable,
    Evaluation,
    Loader,
    RandomSplit,
)
from petaudit.pipelines.reading import Evaluator, Experiment, Pipeline
from petaudit.system.kinds import Problems
from petaudit.system.reading import Reading

_MOST_RUNS = 100_000
_MANY_NAMES = 1_000


@dataclass(frozen=True)
class Step:
    """An experiment as one run uses it."""

    experiment: Experiment
    sample: int = 0
    """Which of the samples of a Splitter, from 0."""

    @property
    def module(self) -> str:
        """The module of the experiment."""
        return self.experiment.module

    @property
    def label(self) -> str:
        """The experiment's name, with the number of the sample where there are several."""
        samples = getattr(self.experiment.model, "num_samples", 1)
        if samples == 1:
            return self.experiment.name
        # With zeros in front, as in PETsARD, so that files are in order.
        number = f"{self.sample + 1:0{len(str(samples))}}"
        return f"{self.experiment.name}_[{samples}-{number}]"

    def __str__(self) -> str:
        return f"{self.module}[{self.label}]"


@dataclass(frozen=True)
class PlannedRun:
    """One way through the modules, as in ``Splitter[a]_Synthesizer[b]_Evaluator[c]``."""

    steps: tuple[Step, ...]
    name: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", name_of(self.steps))

    def step(self, module: str) -> Step | None:
        """The step of a module, if the run has one."""
        return next((step for step in self.steps if step.module == module), None)

    def up_to(self, module: str) -> tuple[Step, ...]:
        """The steps up to and with a module."""
        modules = [*self.models]
        return self.steps[: modules.index(module) + 1] if module in modules else ()

    @property
    def models(self) -> dict[str, Any]:
        """The settings of each step, by its module."""
        return {step.module: step.experiment.model for step in self.steps}

    @property
    def evaluator(self) -> Evaluator | None:
        """The Evaluator, if there is one."""
        step = self.step(EVALUATOR)
        return step.experiment if step and isinstance(step.experiment, Evaluator) else None

    @property
    def evaluation(self) -> Evaluator:
        """The Evaluator of a run that has one."""
        assert self.evaluator is not None  # noqa: S101 (only such runs are measured)
        return self.evaluator


def name_of(steps: Iterable[Step]) -> str:
    """The name of a run, or of its beginning."""
    return "_".join(map(str, steps))


def planned_runs(pipeline: Pipeline) -> tuple[PlannedRun, ...]:
    """All runs of a file, in its order."""
    choices = [
        [
            Step(experiment, sample)
            for experiment in pipeline.of(module)
            for sample in range(getattr(experiment.model, "num_samples", 1))
        ]
        for module in (*DATA_MODULES, EVALUATOR)
        if pipeline.of(module)
    ]
    many = math.prod(map(len, choices))
    if many > _MOST_RUNS:
        raise OptionError(
            "{origin} expands to {runs:,} runs; at most {most:,} are allowed",
            origin=pipeline.origin,
            runs=many,
            most=_MOST_RUNS,
        )
    return tuple(PlannedRun(steps) for steps in itertools.product(*choices))


def check_modules(pipeline: Pipeline, problems: Problems) -> None:
    """Note what a module lacks that would have to come before it."""
    # A module with nothing but mistakes in it is there all the same.
    has_loader, has_splitter, has_synthesizer, has_anonymizer, has_evaluator = (
        module in pipeline.experiments for module in (*DATA_MODULES, EVALUATOR)
    )
    splitters, synthesizers = pipeline.of(SPLITTER), pipeline.of(SYNTHESIZER)
    for splitter in splitters:
        at = (SPLITTER, splitter.name)
        if isinstance(splitter.model, RandomSplit) and not has_loader:
            problems.add(at, "there is no Loader whose table could be split")
        if isinstance(splitter.model, CustomSplit):
            if has_loader:
                problems.add(at, "custom_data brings its own tables; leave the Loader out")
            if "ori" not in splitter.model.filepath:
                problems.add((*at, "filepath"), "ori is missing: the training table")
    for synthesizer in synthesizers:
        if not isinstance(synthesizer.model, CustomTable) and not (has_loader or has_splitter):
            problems.add(
                (SYNTHESIZER, synthesizer.name),
                "there is no Loader or Splitter to learn a table from",
            )
    if has_anonymizer and not has_loader:
        problems.add((ANONYMIZER,), "there is no Loader whose table could be generalised")
    if has_anonymizer and (has_splitter or has_synthesizer):
        problems.add(
            (ANONYMIZER,), "an Anonymizer takes the Loader's table: leave out modules between them"
        )
    if not (has_loader or has_splitter or has_synthesizer):
        problems.add((), "there is no table: a Loader, a Splitter or a Synthesizer is needed")
    elif has_evaluator and not (has_loader or has_synthesizer):
        problems.add(
            (EVALUATOR,), "there is no table to judge: a Loader or a Synthesizer is needed"
        )
    if has_splitter and has_loader and not has_synthesizer and has_evaluator:
        problems.add((SPLITTER,), "a Splitter draws rows for a Synthesizer, but there is none")
    if pipeline.executor.compare_to is not None and not has_evaluator:
        problems.add((EXECUTOR, "compare_to"), "there is no Evaluator to compare")
    has_control = any(
        "control" in getattr(splitter.model, "filepath", ["control"]) for splitter in splitters
    )
    for evaluator in pipeline.of(EVALUATOR):
        if has_control and "control" in evaluator.model.options:
            problems.add(
                (EVALUATOR, evaluator.name, "control"), "the Splitter already gives the control"
            )
    for loader in pipeline.of(LOADER):
        if loader.model.original is not None and (has_synthesizer or has_anonymizer):
            module = SYNTHESIZER if has_synthesizer else ANONYMIZER
            problems.add(
                (LOADER, loader.name, "original"),
                "with a {module}, the Loader's own table is the original",
                module=module,
            )


def chosen_runs(runs: Sequence[PlannedRun], only: Sequence[str]) -> tuple[PlannedRun, ...]:
    """The runs that a name stands for: an experiment of any module, or a whole run."""
    if not only:
        return tuple(runs)
    known = dict.fromkeys(name for run in runs for name in [run.name, *_names(run)])
    for name in only:
        if name not in known:
            short = [name for name in known if "]_" not in name]
            # Looking for the nearest of very many names takes long.
            near = suggestion(name, known if len(known) < _MANY_NAMES else short)
            raise OptionError(
                "{given}{near}: no experiment or run has this name; available: {known}",
                given=given_as("only", name),
                near=near,
                known=listing(short),
            )
    wanted = set(only)
    return tuple(run for run in runs if run.name in wanted or wanted & set(_names(run)))


def _names(run: PlannedRun) -> list[str]:
    return [name for step in run.steps for name in (step.experiment.name, step.label)]


@dataclass(frozen=True)
class FileTable:
    """A table in a file, and how it is to be read."""

    address: str
    schema: str | None = None
    reading: Reading = field(default_factory=Reading)
    nrows: int | None = None


def files_of(step: Step) -> dict[str, FileTable]:
    """The tables that a step reads, by their part; the main one has no name."""
    model = step.experiment.model

    def file(address: str, schema: str | None = None, nrows: int | None = None) -> FileTable:
        return FileTable(address, schema, Reading.of(model), nrows)

    match model:
        case Loader():
            tables = {"": file(model.filepath, model.schema, model.nrows)}
            if model.original is not None:
                tables["original"] = file(model.original, nrows=model.nrows)
            if model.population is not None:
                tables["population"] = file(model.population)
            return tables
        case CustomSplit():
            schemas = model.schema
            if not isinstance(schemas, Mapping):
                schemas = dict.fromkeys(model.filepath, schemas)
            return {
                part: file(address, schemas.get(part)) for part, address in model.filepath.items()
            }
        case CustomTable():
            return {"": file(model.filepath, model.schema)}
        case Evaluation() if isinstance(model.options.get("control"), str):
            # A measure may name a table of its own.
            return {"control": FileTable(model.options["control"])}
    return {}
