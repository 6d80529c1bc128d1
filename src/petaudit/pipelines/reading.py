"""From the text of a pipeline file to its models: everything that is wrong is said at once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

from petaudit.errors import OptionError, listing, shortened, suggestion
from petaudit.kinds import KeyPath, Problems, key_text, shown
from petaudit.measures import find_measure
from petaudit.pipelines.models import (
    DEFAULT_METHODS,
    EVALUATOR,
    EXECUTOR,
    METHODS,
    MODULES,
    ORDER,
    Evaluation,
    ExecutorSettings,
    Loader,
    required_of,
    settings_of,
)
from petaudit.pipelines.petsard_names import (
    method_alternative,
    module_alternative,
    option_alternative,
)
from petaudit.pipelines.pipeline import Experiment, Pipeline, raise_problems
from petaudit.yaml_files import Document

LONGEST_NAME: Final = 60
NEVER_EMPTY: Final = ("limit", "profile", "compare_to")
"""What must not be switched off by a line that somebody forgot to fill in."""
_EMPTY = "{} is empty; give it a value, or leave the line out"
_FORBIDDEN = re.compile(r'[\\/\[\]:*?"<>|]')


def read_pipeline(document: Document, origin: str) -> Pipeline:
    """Turn plain data into models, or raise an error that names every problem and its line."""
    problems = Problems()
    pipeline = partly_read(document, origin, problems)
    raise_problems(origin, document, problems)
    return pipeline


def partly_read(document: Document, origin: str, problems: Problems) -> Pipeline:
    """The same with whatever experiments are right; the problems of the others are noted."""
    content = document.value
    experiments: dict[str, tuple[Experiment, ...]] = {}
    executor = ExecutorSettings()
    if not isinstance(content, Mapping) or not content:
        # Not a word of its content: somebody may have given the table itself.
        kind = "a list" if isinstance(content, list) else "no mapping"
        kind = "plain text" if isinstance(content, str) else kind
        kind = "empty" if content is None or content == {} else kind
        hint = " (for a table, petaudit init TABLE writes such a file)"
        problems.add(
            (),
            f"the file is {kind}; modules were expected: {listing(MODULES)}"
            + (hint if isinstance(content, str) else ""),
        )
        content = {}
    for module, entries in content.items():
        if module == EXECUTOR:
            executor = _executor(entries, problems)
        elif module in ORDER:
            experiments[module] = tuple(_experiments(module, entries, problems))
        else:
            problems.add((module,), _unknown_module(module))
    _check_order(content, problems)
    return Pipeline(
        origin,
        executor,
        {module: experiments[module] for module in ORDER if module in experiments},
        document,
    )


def _unknown_module(module: Hashable) -> str:
    name = key_text(module)
    known = f"modules are {listing(MODULES)}"
    alternative = module_alternative(name)
    if alternative:
        return f"{alternative}; {known}"
    return f"unknown module {shown(module)}{suggestion(name, MODULES)}; {known}"


def _check_order(content: Mapping[Any, Any], problems: Problems) -> None:
    given = [module for module in content if module in ORDER]
    for before, after in pairwise(given):
        if ORDER.index(before) > ORDER.index(after):
            problems.add(
                (after,), f"{after} stands after {before}, but runs before it: {', '.join(ORDER)}"
            )


def _executor(entries: Any, problems: Problems) -> ExecutorSettings:
    if entries is None:
        return ExecutorSettings()
    return _model(ExecutorSettings, entries, (EXECUTOR,), problems) or ExecutorSettings()


def _experiments(module: str, entries: Any, problems: Problems) -> Iterator[Experiment]:
    if not isinstance(entries, Mapping) or not entries:
        problems.add(
            (module,), f"{module} is {shown(entries)}; NAME: {{options}} was expected under it"
        )
        return
    folded: dict[str, str] = {}
    for given, options in entries.items():
        at = (module, given)
        name = _name(given, at, problems)
        if name is None:
            continue
        # Some systems take these for one name.
        same = unicodedata.normalize("NFC", name).casefold()
        if same in folded:
            problems.add(at, f"{shown(name)} and {shown(folded[same])} name one file")
        folded[same] = name
        found = _experiment(module, name, {} if options is None else options, at, problems)
        if found is not None:
            yield found


def _name(given: Any, at: KeyPath, problems: Problems) -> str | None:
    """A name that can be part of a file's name on every system."""
    if isinstance(given, int) and not isinstance(given, bool) and abs(given) < 10**LONGEST_NAME:
        given = str(given)
    if not isinstance(given, str):
        problems.add(at, f"the name {shown(given)} is no text; put it in quotes")
    elif not given or given != given.strip() or not given.isprintable() or given.startswith("."):
        problems.add(
            at, f"{shown(given)} is no name: text without blanks around it, not starting with a dot"
        )
    elif len(given) > LONGEST_NAME:
        problems.add(at, f"the name {shown(given)} has more than {LONGEST_NAME} characters")
    elif _FORBIDDEN.search(given):
        problems.add(at, f'the name {shown(given)} holds one of \\ / [ ] : * ? " < > |')
    else:
        return given
    return None


def _experiment(
    module: str, name: str, options: Any, at: KeyPath, problems: Problems
) -> Experiment | None:
    if not isinstance(options, Mapping):
        full_width = isinstance(options, str) and "：" in options
        hint = " (a full-width ： is no colon; write ': ')" if full_width else ""
        problems.add(at, f"{name} is {shown(options)}; its options were expected under it{hint}")
        return None
    if module == EVALUATOR:
        return _evaluator(name, options, at, problems)
    models = METHODS[module]
    if models == (Loader,):
        model = Loader
        given = options
    else:
        chosen = _method(module, models, options, at, problems)
        if chosen is None:
            return None
        model = chosen
        given = {key: value for key, value in options.items() if key != "method"}
    found = _model(model, given, at, problems)
    return None if found is None else Experiment(module, name, found)


def _method(
    module: str,
    models: tuple[type, ...],
    options: Mapping[Any, Any],
    at: KeyPath,
    problems: Problems,
) -> type[Any] | None:
    by_name: dict[str, type] = {model.method: model for model in models}  # type: ignore[attr-defined]
    wanted = options.get("method")
    if wanted is None:
        wanted = DEFAULT_METHODS.get(module)
    if wanted is None:
        problems.add(at, f"the method is missing; methods of {module} are {listing([*by_name])}")
        return None
    if isinstance(wanted, str) and wanted in by_name:
        return by_name[wanted]
    alternative = method_alternative(module, wanted) if isinstance(wanted, str) else None
    near = suggestion(wanted, by_name) if isinstance(wanted, str) else ""
    said = alternative or f"unknown method {shown(wanted)}{near}"
    problems.add((*at, "method"), f"{said}; methods of {module} are {listing([*by_name])}")
    return None


def _evaluator(
    name: str, options: Mapping[Any, Any], at: KeyPath, problems: Problems
) -> Experiment | None:
    wanted = options.get("method")
    if not isinstance(wanted, str) or not wanted.strip():
        problems.add(
            (*at, "method") if "method" in options else at,
            "the method is missing; name a measure (petaudit measures lists them)"
            if wanted is None
            else f"method is {shown(wanted)}; the name of a measure was expected",
        )
        return None
    try:
        measure = find_measure(wanted)
    except OptionError as problem:
        alternative = method_alternative(EVALUATOR, wanted)
        problems.add((*at, "method"), alternative or shortened(str(problem), 400))
        return None
    own = {option.name: option.kind for option in measure.options}
    if measure.limit_help is not None:
        own["limit"] = measure.limit_kind
    common = settings_of(Evaluation)
    given: dict[str, Any] = {}
    mine: dict[str, Any] = {}
    before = len(problems.found)
    for key, value in options.items():
        if value is None and key in NEVER_EMPTY:
            problems.add((*at, key), _EMPTY.format(key))
        elif key in common:
            given[key] = value
        elif key in own:
            # The seed writes null for what is to be found out.
            if value is not None:
                own[key].check(value, (*at, key), problems)
                mine[key] = value
        else:
            problems.add(
                (*at, key),
                _unknown_option(EVALUATOR, wanted, key, [*own, *common], f" of {measure.name}"),
            )
    model = _model(Evaluation, given, at, problems)
    for option in measure.options:
        if option.required and option.name not in mine:
            problems.add(at, f"{measure.name} needs {option.name} ({option.help})")
    if model is None or len(problems.found) > before:
        return None
    try:
        if measure.check is not None:
            measure.check(mine)
    except OptionError as problem:
        problems.add(at, str(problem))
    checked = Evaluation(**{**vars(model), "method": measure.name, "options": mine})
    return Experiment(EVALUATOR, name, checked, measure)


def _model(model: type[Any], given: Any, at: KeyPath, problems: Problems) -> Any:
    """Check every option of a model; None if one is wrong."""
    if not isinstance(given, Mapping):
        problems.add(at, f"{at[-1]} is {shown(given)}; its options were expected under it")
        return None
    before = len(problems.found)
    known = settings_of(model)
    required = required_of(model)
    checked: dict[str, Any] = {}
    for key, value in given.items():
        if key not in known:
            method = getattr(model, "method", None)
            method = method if isinstance(method, str) else None
            whose = f" of {model.belongs_to}" + (f" with method {method}" if method else "")
            names = [*known, "method"] if method else [*known]
            problems.add((*at, key), _unknown_option(model.belongs_to, method, key, names, whose))
        elif value is None and key in NEVER_EMPTY:
            problems.add((*at, key), _EMPTY.format(key))
        elif value is not None or key in required:
            # Null stands for what is not given.
            known[key].kind.check(value, (*at, key), problems)
            checked[key] = value
    missing = [key for key in required if key not in given]
    for key in missing:
        problems.add(at, f"{key} is missing ({known[key].help})")
    return None if len(problems.found) > before else model(**checked)


def _unknown_option(module: str, method: str | None, key: Any, known: list[str], whose: str) -> str:
    if not isinstance(key, str):
        return f"the option {shown(key)} is no text; options{whose} are {listing(known)}"
    alternative = option_alternative(module, method, key)
    if alternative:
        return alternative
    return (
        f"unknown option {shown(key)}{suggestion(key, known)}; options{whose} are {listing(known)}"
    )
