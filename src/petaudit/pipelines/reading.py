"""From the text of a pipeline file to its models: everything that is wrong is said at once."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from petaudit.errors import OptionError, joined, listing, phrase, shortened, term
from petaudit.measures import find_measure
from petaudit.measures.kinds import Text
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
from petaudit.pipelines.naming import (
    experiment_name,
    unknown_method,
    unknown_module,
    unknown_option,
)
from petaudit.pipelines.petsard_names import method_alternative, value_alternative
from petaudit.pipelines.pipeline import Experiment, Pipeline, raise_problems
from petaudit.system.yaml_files import Document, KeyPath, Problems, shown

NEVER_EMPTY: Final = ("limit", "profile", "compare_to", "person", "policy")
"""What must not be switched off by a line that somebody forgot to fill in."""
_FOLDER: Final = Text(phrase("a folder"))
_LONGEST_METHOD: Final = 200
"""The message quotes a method that there is not."""


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
            "the file is plain text; modules were expected: {known} (for a table, petaudit init "
            "TABLE writes such a file)",
            known=known,
        )
    kind = phrase("a list") if isinstance(content, list) else phrase("no mapping")
    if content is None or content == {}:
        kind = phrase("empty")
    return phrase("the file is {kind}; modules were expected: {known}", kind=kind, known=known)


def _check_order(content: Mapping[Any, Any], problems: Problems) -> None:
    given = [module for module in content if module in ORDER]
    for before, after in pairwise(given):
        if ORDER.index(before) > ORDER.index(after):
            said = phrase(
                "{after} stands after {before}, but runs before it: {order}",
                after=after,
                before=before,
                order=joined(ORDER),
            )
            problems.add((after,), said)


def _executor(document: Document, problems: Problems) -> ExecutorSettings:
    entries, at = document.value[EXECUTOR], (EXECUTOR, "log_dir")
    if entries is None:
        return ExecutorSettings()
    chosen = None
    if isinstance(entries, Mapping) and "log_dir" in entries and document.is_changed(at):
        # The file may not send its log elsewhere; the person who runs it may.
        chosen = entries["log_dir"]
        _FOLDER.check(chosen, at, problems)
        entries = {name: value for name, value in entries.items() if name != "log_dir"}
    found = _model(ExecutorSettings, entries, (EXECUTOR,), problems) or ExecutorSettings()
    return found if chosen is None else replace(found, log_dir=chosen, log_dir_is_chosen=True)


def _experiments(module: str, entries: Any, problems: Problems) -> Iterator[Experiment]:
    if not isinstance(entries, Mapping) or not entries:
        said = phrase(
            "{module} is {value}; NAME: {{options}} was expected under it",
            module=module,
            value=shown(entries),
        )
        problems.add((module,), said)
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
            problems.add(at, phrase("{name} and {other} name one file", **both))
        folded[same] = name
        found = _experiment(module, name, {} if options is None else options, at, problems)
        if found is not None:
            yield found


def _experiment(
    module: str, name: str, options: Any, at: KeyPath, problems: Problems
) -> Experiment | None:
    if not isinstance(options, Mapping):
        said = _no_options(name, options)
        if isinstance(options, str) and "：" in options:
            said = phrase("{problem} (a full-width ： is no colon; write ': ')", problem=said)
        problems.add(at, said)
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
        said = phrase(
            "the method is missing; methods of {module} are {known}",
            module=module,
            known=listing([*by_name]),
        )
        problems.add(at, said)
        return None
    if isinstance(wanted, str) and wanted in by_name:
        return by_name[wanted]
    problems.add((*at, "method"), unknown_method(module, wanted, [*by_name]))
    return None


def _evaluator(
    name: str, options: Mapping[Any, Any], at: KeyPath, problems: Problems
) -> Experiment | None:
    wanted = options.get("method")
    if not isinstance(wanted, str) or not wanted.strip():
        problems.add(
            (*at, "method") if "method" in options else at,
            phrase("the method is missing; name a measure (petaudit measures lists them)")
            if wanted is None
            else phrase(
                "method is {value}; the name of a measure was expected", value=shown(wanted)
            ),
        )
        return None
    try:
        measure = find_measure(shortened(wanted, _LONGEST_METHOD))
    except OptionError as problem:
        # Its options may say more than its name.
        instead = [value_alternative(EVALUATOR, key, own) for key, own in options.items()]
        instead.append(method_alternative(EVALUATOR, wanted))
        problems.add((*at, "method"), next(filter(None, instead), problem.text))
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
            problems.add((*at, key), _empty(key))
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
                unknown_option(EVALUATOR, wanted, key, value, [*own, *common], measure.name),
            )
    model = _model(Evaluation, given, at, problems)
    for option in measure.options:
        if option.required and option.name not in mine:
            said = phrase(
                "{measure} needs {option} ({help})",
                measure=measure.name,
                option=option.name,
                help=term(option.help),
            )
            problems.add(at, said)
    if model is None or len(problems.found) > before:
        return None
    try:
        if measure.check is not None:
            measure.check(mine)
    except OptionError as problem:
        problems.add(at, problem.text)
    checked = Evaluation(**{**vars(model), "method": measure.name, "options": mine})
    return Experiment(EVALUATOR, name, checked, measure)


def _model(model: type[Any], given: Any, at: KeyPath, problems: Problems) -> Any:
    """Check every option of a model; None if one is wrong."""
    if not isinstance(given, Mapping):
        problems.add(at, _no_options(str(at[-1]), given))
        return None
    before = len(problems.found)
    known = settings_of(model)
    required = required_of(model)
    checked: dict[str, Any] = {}
    for key, value in given.items():
        if key not in known:
            method = getattr(model, "method", None)
            method = method if isinstance(method, str) else None
            whose, names = model.belongs_to, [*known]
            if method:
                names.append("method")
                whose = phrase("{module} with method {method}", module=whose, method=method)
            said = unknown_option(model.belongs_to, method, key, value, names, whose)
            problems.add((*at, key), said)
        elif value is None and key in NEVER_EMPTY:
            problems.add((*at, key), _empty(key))
        elif value is not None or key in required:
            # Null stands for what is not given.
            alternative = value_alternative(model.belongs_to, key, value)
            if alternative is not None:
                problems.add((*at, key), alternative)
            else:
                known[key].kind.check(value, (*at, key), problems)
            checked[key] = value
    missing = [key for key in required if key not in given]
    for key in missing:
        problems.add(at, phrase("{key} is missing ({help})", key=key, help=known[key].help))
    return None if len(problems.found) > before else model(**checked)


def _empty(key: str) -> str:
    return phrase("{key} is empty; give it a value, or leave the line out", key=key)


def _no_options(name: str, given: Any) -> str:
    return phrase(
        "{name} is {value}; its options were expected under it", name=name, value=shown(given)
    )
