"""From the text of a pipeline file to its models: all problems are reported at once."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

from petaudit.errors import (
    ManyProblemsError,
    OptionError,
    PetauditWarning,
    joined,
    listing,
    phrase,
    shortened,
    term,
)
from petaudit.judging.policy import Policy, find_policy, is_policy_file
from petaudit.measures import Measure, find_measure
from petaudit.pipelines.models import (
    DEFAULT_METHODS,
    EVALUATOR,
    EXECUTOR,
    METHODS,
    MODULES,
    ORDER,
    Evaluation,
    ExecutorSettings,
)
from petaudit.pipelines.names import experiment_name
from petaudit.pipelines.petsard import (
    method_alternative,
    understood,
    unknown_method,
    unknown_module,
    unknown_option,
    value_alternative,
)
from petaudit.system.kinds import Anything, KeyPath, Kind, Problems, Text, key_text, shown
from petaudit.system.settings import required_of, settings_of
from petaudit.system.yaml_files import Document

MOST_PROBLEMS: Final = 50
NEVER_EMPTY: Final = ("limit", "profile", "compare_to", "person", "policy")
"""What must not be switched off by a line that somebody forgot to fill in."""
_FOLDER: Final = Text(phrase("a folder"))
_LONGEST_METHOD: Final = 200
"""The message quotes a method that there is not."""


@dataclass(frozen=True)
class Experiment:
    """A named entry of a module."""

    module: str
    name: str
    model: Any


@dataclass(frozen=True)
class Evaluator(Experiment):
    """A measure with its options."""

    model: Evaluation
    measure: Measure


@dataclass(frozen=True)
class Pipeline:
    """A pipeline file, read and checked as far as that goes without its tables."""

    origin: str
    executor: ExecutorSettings
    experiments: Mapping[str, tuple[Experiment, ...]]
    """By module, in the order in which the modules run."""
    document: Document
    policies: tuple[Policy, ...] = ()
    """The rules that set limits, with what was tighter by hand."""
    demanded: Mapping[str, str] = field(default_factory=dict)
    """Measures that some Evaluator must have, each with the policy that demands it."""

    def of(self, module: str) -> tuple[Experiment, ...]:
        """The experiments of a module."""
        return self.experiments.get(module, ())

    @property
    def evaluators(self) -> tuple[Evaluator, ...]:
        """The experiments that measure something."""
        return tuple(
            experiment for experiment in self.of(EVALUATOR) if isinstance(experiment, Evaluator)
        )

    def line_of(self, *path: str) -> int | None:
        """The line on which something stands."""
        return self.document.line_of(path)


def place(origin: str, document: Document, at: KeyPath) -> str:
    """File, line and setting."""
    line = document.line_of(at)
    where = origin
    if line is not None:
        where = phrase("{origin}, line {line}", origin=origin, line=line)
    # The last key is named by the message itself, except for an experiment.
    least = 1 if EXECUTOR in at[:1] else 2
    keys = at[: max(len(at) - 1, least)] if len(at) > 1 else ()
    # A number is the place of an item, except in the name of an experiment.
    names = [key_text(key) for key in keys if not isinstance(key, int) or key in at[:2]]
    if not names:
        return where
    return phrase("{where}: {setting}", where=where, setting=".".join(names))


def raise_problems(origin: str, document: Document, problems: Problems) -> None:
    """Raise one error for all problems, in the order of the file; none for none."""
    if not problems:
        return
    ordered = sorted(problems, key=lambda problem: document.line_of(problem[0]) or 0)
    messages: list[str] = list(
        dict.fromkeys(
            phrase("{where}: {message}", where=place(origin, document, at), message=what)
            for at, what in ordered
        )
    )
    more = len(messages) - MOST_PROBLEMS
    if more > 0:
        rest = phrase("{origin}: and {number} more problems", origin=origin, number=more)
        messages = [*messages[:MOST_PROBLEMS], rest]
    raise ManyProblemsError(messages)


def partly_read(document: Document, origin: str, problems: Problems) -> Pipeline:
    """The pipeline with whatever experiments are right; the problems of the others are noted."""
    content = document.value
    experiments: dict[str, tuple[Experiment, ...]] = {}
    executor = ExecutorSettings()
    if not isinstance(content, Mapping) or not content:
        problems.add((), _no_modules(content))
        content = {}
    for module, entries in content.items():
        if module == EXECUTOR:
            executor = _executor(document, problems)
        elif module in ORDER:
            experiments[module] = tuple(_experiments(module, entries, problems))
        else:
            problems.add((module,), unknown_module(module))
    _check_order(content, problems)
    return Pipeline(
        origin,
        executor,
        {module: experiments[module] for module in ORDER if module in experiments},
        document,
    )


def _no_modules(content: Any) -> str:
    """Not a word of the content: somebody may have given the table itself."""
    known = listing(MODULES)
    if isinstance(content, str):
        return phrase(
            "the file is plain text; expected modules: {known} (for a table, petaudit init TABLE "
            "writes such a file)",
            known=known,
        )
    kind = phrase("a list") if isinstance(content, list) else phrase("not a mapping")
    if content is None or content == {}:
        kind = phrase("empty")
    return phrase("the file is {kind}; expected modules: {known}", kind=kind, known=known)


def _check_order(content: Mapping[Any, Any], problems: Problems) -> None:
    given = [module for module in content if module in ORDER]
    for before, after in pairwise(given):
        if ORDER.index(before) > ORDER.index(after):
            problems.add(
                (after,),
                "{after} comes after {before}, but runs before it: {order}",
                after=after,
                before=before,
                order=joined(ORDER),
            )


def _executor(document: Document, problems: Problems) -> ExecutorSettings:
    entries, at = document.value[EXECUTOR], (EXECUTOR, "log_dir")
    log_dir = None
    if isinstance(entries, Mapping) and "log_dir" in entries and document.is_changed(at):
        # The file may not send its log elsewhere; the person who runs it may.
        log_dir = entries["log_dir"]
        _FOLDER.check(log_dir, at, problems)
        entries = {name: value for name, value in entries.items() if name != "log_dir"}
    settings = ExecutorSettings()
    if entries is not None:
        settings = _model(ExecutorSettings, EXECUTOR, entries, (EXECUTOR,), problems) or settings
    if log_dir is None:
        return settings
    return replace(settings, log_dir=log_dir, log_dir_is_chosen=True)


def _experiments(module: str, entries: Any, problems: Problems) -> Iterator[Experiment]:
    if not isinstance(entries, Mapping) or not entries:
        problems.add(
            (module,),
            "{module} must be a mapping NAME: {{options}}, got {value}",
            module=module,
            value=shown(entries),
        )
        return
    folded: dict[str, str] = {}
    for given, options in entries.items():
        at = (module, given)
        name = experiment_name(given, at, problems)
        if name is None:
            continue
        # Some systems take these for one name.
        same = unicodedata.normalize("NFC", name).casefold()
        if same in folded:
            both = {"name": shown(name), "other": shown(folded[same])}
            problems.add(at, "{name} and {other} are the same file", **both)
        folded[same] = name
        experiment = _experiment(module, name, {} if options is None else options, at, problems)
        if experiment is not None:
            yield experiment


def _experiment(
    module: str, name: str, options: Any, at: KeyPath, problems: Problems
) -> Experiment | None:
    if not isinstance(options, Mapping):
        problem = _no_options(name, options)
        if isinstance(options, str) and "：" in options:
            problem = phrase(
                "{problem} (a full-width ： is not a colon; write ': ')", problem=problem
            )
        problems.add(at, problem)
        return None
    if module == EVALUATOR:
        return _evaluator(name, options, at, problems)
    by_method: dict[str | None, type] = {model.method: model for model in METHODS[module]}  # type: ignore[attr-defined]
    method = None
    if None not in by_method:
        method = options.get("method")
        if method is None:
            method = DEFAULT_METHODS.get(module)
        known = [*map(str, by_method)]
        if method is None:
            problems.add(
                at,
                "the method is missing; methods of {module} are {known}",
                module=module,
                known=listing(known),
            )
            return None
        if not isinstance(method, str) or method not in by_method:
            problems.add((*at, "method"), unknown_method(module, method, known))
            return None
    model = _model(by_method[method], module, options, at, problems)
    return None if model is None else Experiment(module, name, model)


def _evaluator(
    name: str, options: Mapping[Any, Any], at: KeyPath, problems: Problems
) -> Experiment | None:
    wanted = options.get("method")
    if not isinstance(wanted, str) or not wanted.strip():
        problems.add(
            (*at, "method") if "method" in options else at,
            phrase("the method is missing; name a measure (petaudit measures lists them)")
            if wanted is None
            else phrase("method must be the name of a measure, got {value}", value=shown(wanted)),
        )
        return None
    theirs = understood(wanted, options)
    if theirs is not None:
        options, needless = theirs
        wanted = str(options["method"])
        if needless:
            warnings.warn(
                phrase(
                    "Evaluator {name}: {options} of PETsARD are needless, because {measure} tries "
                    "everybody",
                    name=name,
                    options=listing(needless),
                    measure=wanted,
                ),
                PetauditWarning,
                stacklevel=2,
            )
    try:
        measure = find_measure(shortened(wanted, _LONGEST_METHOD))
    except OptionError as problem:
        # Its options may say more than its name.
        instead = [value_alternative(EVALUATOR, key, value) for key, value in options.items()]
        instead.append(method_alternative(EVALUATOR, wanted))
        problems.add((*at, "method"), next(filter(None, instead), problem.text))
        return None
    common = {key: setting.kind for key, setting in settings_of(Evaluation).items()}
    limit = {} if measure.limit_help is None else {"limit": measure.limit_kind}
    known = {option.name: option.kind for option in measure.options} | limit | common
    before = len(problems)
    given = _Known(EVALUATOR, wanted, measure.name, known).checked(options, at, problems)
    for option in measure.options:
        if option.required and option.name not in given:
            problems.add(
                at,
                "{measure} needs {option} ({help})",
                measure=measure.name,
                option=option.name,
                help=term(option.help),
            )
    if len(problems) > before:
        return None
    options = {key: value for key, value in given.items() if key not in common}
    with problems.noted(at):
        measure.check(options)
    shared = {key: value for key, value in given.items() if key in common}
    model = Evaluation(**{**shared, "method": measure.name, "options": options})
    return Evaluator(EVALUATOR, name, model, measure)


def _model(model: type[Any], module: str, given: Any, at: KeyPath, problems: Problems) -> Any:
    """Check every option of a model; None if one is wrong."""
    if not isinstance(given, Mapping):
        problems.add(at, _no_options(str(at[-1]), given))
        return None
    before = len(problems)
    settings, required = settings_of(model), required_of(model)
    known: dict[str, Kind] = {key: setting.kind for key, setting in settings.items()}
    method, whose = getattr(model, "method", None), module
    if method is not None:
        known["method"] = Anything()
        whose = phrase("{module} with method {method}", module=module, method=method)
    checked = _Known(module, method, whose, known, required).checked(given, at, problems)
    for key in required:
        if key not in given:
            problems.add(at, "{key} is missing ({help})", key=key, help=settings[key].help)
    if len(problems) > before:
        return None
    return model(**{key: value for key, value in checked.items() if key in settings})


@dataclass(frozen=True)
class _Known:
    """The settings that may stand in one place."""

    module: str
    method: str | None
    whose: str
    """What messages call the place."""
    kinds: Mapping[str, Kind]
    required: tuple[str, ...] = ()

    def checked(self, given: Mapping[Any, Any], at: KeyPath, problems: Problems) -> dict[str, Any]:
        """The settings with a value; what is wrong with any of them is noted."""
        checked: dict[str, Any] = {}
        for written, value in given.items():
            # YAML reads the key null as a null.
            key = "null" if written is None and "null" in self.kinds else written
            if key not in self.kinds:
                names = [*self.kinds]
                problem = unknown_option(self.module, self.method, key, value, names, self.whose)
                problems.add((*at, key), problem)
            elif value is None and key in NEVER_EMPTY:
                problems.add(
                    (*at, key), "{key} is empty; give it a value, or leave the line out", key=key
                )
            elif value is not None or key in self.required:
                # Null stands for what is not given.
                alternative = value_alternative(self.module, key, value)
                if alternative is not None:
                    problems.add((*at, key), alternative)
                else:
                    self.kinds[key].check(value, (*at, key), problems)
                checked[key] = value
        return checked


def _no_options(name: str, given: Any) -> str:
    return phrase(
        "{name} must be a mapping of its options, got {value}", name=name, value=shown(given)
    )


def with_policies(
    pipeline: Pipeline, resolved: Callable[[str], str], problems: Problems
) -> Pipeline:
    """The pipeline with the limits of its policies; what is wrong about them is noted."""
    seen: dict[str | None, Policy] = {}
    applied: dict[str | None, set[str]] = {}

    def policy_of(given: str | None, at: KeyPath) -> Policy | None:
        if given is not None:
            with problems.noted(at):
                return find_policy(resolved(given) if is_policy_file(given) else given)
        return None

    def limited(evaluator: Evaluator, policy: Policy, at: KeyPath) -> Evaluator:
        measure = evaluator.model.method
        # Of this policy only what this Evaluator is about.
        part = replace(policy, demands={measure: policy.demands[measure]})
        with problems.noted(at):
            part, options = part.applied_to({measure: evaluator.model.options})
            # Two files may have one name.
            known = seen.get(policy.sha256, policy)
            seen[policy.sha256] = replace(known, demands={**known.demands, **part.demands})
            applied.setdefault(policy.sha256, set()).add(measure)
            return replace(evaluator, model=replace(evaluator.model, options=options[measure]))
        return evaluator

    for_all = policy_of(pipeline.executor.policy, (EXECUTOR, "policy"))
    if for_all is not None:
        seen[for_all.sha256] = for_all
        applied[for_all.sha256] = {*for_all.demands}
    evaluators = []
    for given in pipeline.evaluators:
        evaluator = given
        at = (EVALUATOR, evaluator.name, "policy")
        policy = policy_of(evaluator.model.policy, at)
        if policy is not None and evaluator.model.method in policy.demands:
            evaluator = limited(evaluator, policy, at)
        elif policy is not None:
            problems.add(
                at,
                "the policy {policy} has no limit for {measure}; it limits {known}",
                policy=policy.name,
                measure=evaluator.model.method,
                known=listing([*policy.demands]),
            )
        if for_all is not None and evaluator.model.method in for_all.demands:
            evaluator = limited(evaluator, for_all, (EXECUTOR, "policy"))
        evaluators.append(evaluator)
    if not seen:
        return pipeline
    experiments = dict(pipeline.experiments)
    if evaluators:
        experiments[EVALUATOR] = tuple(evaluators)
    demanded = {} if for_all is None else dict.fromkeys(for_all.demands, for_all.name)
    rules = tuple(_applied(policy, applied[key]) for key, policy in seen.items())
    return replace(pipeline, experiments=experiments, policies=rules, demanded=demanded)


def _applied(policy: Policy, measures: Set[str]) -> Policy:
    """The policy of some Evaluators: what it demands of other measures is not measured."""
    others = tuple(demand.rule for name, demand in policy.demands.items() if name not in measures)
    demands = {name: demand for name, demand in policy.demands.items() if name in measures}
    return replace(policy, demands=demands, not_measured=(*others, *policy.not_measured))
