"""Which runs a pipeline file stands for: every combination of the experiments of its modules."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from petaudit.errors import OptionError, listing, phrase, shortened, suggestion
from petaudit.pipelines.models import (
    DATA_MODULES,
    EVALUATOR,
    EXECUTOR,
    LOADER,
    SPLITTER,
    SYNTHESIZER,
    CustomSplit,
    GaussianCopula,
    RandomSplit,
)
from petaudit.pipelines.pipeline import Experiment, Pipeline
from petaudit.system.yaml_files import Problems

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
        # With zeros in front, as in PETsARD, so that files are in order.
        number = f"{self.sample + 1:0{len(str(samples))}}"
        number = f"_[{samples}-{number}]" if samples > 1 else ""
        return f"{self.experiment.name}{number}"

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
        return next((own for own in self.steps if own.module == module), None)

    def up_to(self, module: str) -> tuple[Step, ...]:
        """The steps up to and with a module."""
        places = [index for index, own in enumerate(self.steps) if own.module == module]
        return self.steps[: places[0] + 1] if places else ()

    @property
    def evaluator(self) -> Experiment | None:
        """The Evaluator's experiment, if there is one."""
        step = self.step(EVALUATOR)
        return None if step is None else step.experiment


def name_of(steps: Iterable[Step]) -> str:
    """The name of a run, or of its beginning."""
    return "_".join(map(str, steps))


def planned_runs(pipeline: Pipeline) -> tuple[PlannedRun, ...]:
    """All runs of a file, in its order."""
    choices = [
        [step for experiment in pipeline.of(module) for step in _steps(experiment)]
        for module in (*DATA_MODULES, EVALUATOR)
        if pipeline.of(module)
    ]
    many = 1
    for own in choices:
        many *= len(own)
    if many > _MOST_RUNS:
        raise OptionError(
            "{origin} stands for {runs:,} runs; {most:,} at most",
            origin=pipeline.origin,
            runs=many,
            most=_MOST_RUNS,
        )
    return tuple(PlannedRun(steps) for steps in itertools.product(*choices))


def _steps(experiment: Experiment) -> Iterator[Step]:
    for sample in range(getattr(experiment.model, "num_samples", 1)):
        yield Step(experiment, sample)


def check_modules(pipeline: Pipeline, problems: Problems) -> None:
    """Note what a module lacks that would have to come before it."""
    # A module with nothing but mistakes in it is there all the same.
    has_loader, has_splitter, has_synthesizer, has_evaluator = (
        module in pipeline.experiments for module in (*DATA_MODULES, EVALUATOR)
    )
    splitters, synthesizers = pipeline.of(SPLITTER), pipeline.of(SYNTHESIZER)
    for own in splitters:
        at = (SPLITTER, own.name)
        if isinstance(own.model, RandomSplit) and not has_loader:
            problems.add(at, phrase("there is no Loader whose table could be split"))
        if isinstance(own.model, CustomSplit):
            if has_loader:
                problems.add(at, phrase("custom_data brings its own tables; leave the Loader out"))
            if "ori" not in own.model.filepath:
                problems.add((*at, "filepath"), phrase("ori is missing: what was learned from"))
    for own in synthesizers:
        if isinstance(own.model, GaussianCopula) and not (has_loader or has_splitter):
            problems.add(
                (SYNTHESIZER, own.name),
                phrase("there is no Loader or Splitter to learn a table from"),
            )
    if not (has_loader or has_splitter or has_synthesizer):
        problems.add(
            (), phrase("there is no table: a Loader, a Splitter or a Synthesizer is needed")
        )
    elif has_evaluator and not (has_loader or has_synthesizer):
        problems.add(
            (EVALUATOR,), phrase("there is no table to judge: a Loader or a Synthesizer is needed")
        )
    if has_splitter and has_loader and not has_synthesizer and has_evaluator:
        problems.add(
            (SPLITTER,), phrase("a Splitter draws rows for a Synthesizer, and there is none")
        )
    if pipeline.executor.compare_to is not None and not has_evaluator:
        problems.add(
            (EXECUTOR, "compare_to"), phrase("there is no Evaluator whose figure to compare")
        )
    has_control = any("control" in getattr(own.model, "filepath", ["control"]) for own in splitters)
    for own in pipeline.of(EVALUATOR):
        if has_control and "control" in own.model.options:
            problems.add(
                (EVALUATOR, own.name, "control"), phrase("the Splitter gives the control already")
            )
    for own in pipeline.of(LOADER):
        if own.model.original is not None and has_synthesizer:
            problems.add(
                (LOADER, own.name, "original"),
                phrase("with a Synthesizer, the Loader's own table is the original"),
            )


def chosen_runs(runs: Sequence[PlannedRun], only: Sequence[str]) -> tuple[PlannedRun, ...]:
    """The runs that a name stands for: an experiment of any module, or a whole run."""
    if not only:
        return tuple(runs)
    known: dict[str, None] = {}
    for run in runs:
        known |= dict.fromkeys([run.name, *_names(run)])
    for name in only:
        if name not in known:
            short = [own for own in known if "]_" not in own]
            # Looking for the nearest of very many names takes long.
            near = suggestion(name, known if len(known) < _MANY_NAMES else short)
            raise OptionError(
                "--only {name!r}{near}: there is no experiment or run of that name; there are "
                "{known}",
                name=shortened(name),
                near=near,
                known=listing(short),
            )
    wanted = set(only)
    return tuple(run for run in runs if run.name in wanted or wanted & set(_names(run)))


def _names(run: PlannedRun) -> list[str]:
    return [name for step in run.steps for name in (step.experiment.name, step.label)]
