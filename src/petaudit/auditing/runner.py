"""The one runner: a measure on settled inputs, and an audit of all that the inputs allow."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Final

from petaudit.auditing.outcome import Audit, NotMeasured, Outcome
from petaudit.errors import (
    EngineLostError,
    NotMeasurableError,
    OptionError,
    PetauditError,
    UndecidedError,
    joined,
    listing,
    phrase,
)
from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.judging.document import plain
from petaudit.judging.policy import Policy, PolicySpec, find_policy
from petaudit.judging.review import ColumnReview, review_columns
from petaudit.measures import Measure, Need, Result, all_measures, find_measure, usual_measures
from petaudit.measures.base import refuse_unknown, spelled_out
from petaudit.system.files import Watch, unchanged
from petaudit.system.progress import stage

_SETTINGS: Final = ("suppressed", "key", "person", "person_is_pseudonym", "reveal_values")
"""What the document says of the inputs, beside tables and roles."""


def run_measure(measure: Measure, inputs: Inputs, options: Mapping[str, Any]) -> Outcome:
    """Run one measure on settled inputs, for whichever command."""
    try:
        return Outcome(measure.run(inputs, options))
    except UndecidedError as problem:
        return Outcome(problem.result if isinstance(problem.result, Result) else None, problem)
    except PetauditError as problem:
        return Outcome(None, problem)


def audit(
    table: object,
    *,
    measures: Iterable[str] | str | None = None,
    limits: Mapping[str, Number] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    population_size: Any = None,
    policy: PolicySpec | None = None,
    strict: bool = False,
    advice: bool = True,
    **inputs: Any,
) -> Audit:
    """Run the named measures, or all that the inputs allow.

    ``limits`` holds the limit of measures by name, ``options`` their limits and options;
    ``population_size`` is for all measures that take one. ``policy`` is the name or file of a rule
    that sets limits, which others may tighten. With ``strict``, open questions
    (``Audit.open_questions``) leave the audit undecided. Without ``advice``, nobody works out what
    to do about limits that are breached (``Audit.advice``).

    >>> import pyarrow as pa
    >>> table = pa.table({"born": ["197*"] * 2 + ["198*"] * 3, "salary": [3, 4, 5, 6, 8]})
    >>> release = audit(table, quasi_identifiers=["born"], sensitive=["salary"],
    ...                 limits={"k-anonymity": 2, "t-closeness": 0.3})
    >>> release.exit_code, release["t-closeness"].status
    (1, 'failed')
    """
    refuse_unknown(inputs, "audit", inspect.signature(audit))
    with unchanged() as watch:
        request = Request.checked(measures, limits or {}, options or {}, policy, population_size)
        opened = gather(table, announce_notes=False, **inputs)
        release = run_audit(request, opened, watch, strict=strict)
        return replace(release, given={"table": table, **inputs}, with_advice=advice)


audit.__signature__ = spelled_out(audit)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Request:
    """What an audit should measure; mistakes in it are found before any table is read."""

    measures: Sequence[str] | None
    """The names of the measures; None for all that the inputs allow."""
    options: Mapping[str, Mapping[str, Any]]
    """Limits and options by measure, with those of the policy."""
    policy: Policy | None = None
    population_size: Any = None

    @classmethod
    def checked(
        cls,
        measures: Iterable[str] | str | None,
        limits: Mapping[str, Number],
        options: Mapping[str, Mapping[str, Any]],
        policy: PolicySpec | None,
        population_size: Any = None,
    ) -> Request:
        """The request as a user makes it."""
        rule = None if policy is None else find_policy(policy)
        wanted = _options_by_measure(options, limits)
        if rule is not None:
            rule, wanted = rule.applied_to(wanted)
        names = [measures] if isinstance(measures, str) else measures
        if names is not None:
            names = [*dict.fromkeys(find_measure(name).name for name in names)]
            if not names:
                raise OptionError("the list of measures is empty")
        return cls(names, wanted, rule, population_size)


def run_audit(request: Request, inputs: Inputs, watch: Watch, *, strict: bool) -> Audit:
    """Run what was asked for on settled inputs."""
    named, wanted, size = request.measures, request.options, request.population_size
    chosen = [
        find_measure(name)
        for name in dict.fromkeys((*(usual_measures() if named is None else named), *wanted))
    ]
    sized = {} if size is None else _sized(size, chosen, wanted)
    settings = {
        name: sized.get(name, {}) | dict(wanted.get(name, {}))
        for name in dict.fromkeys((*sized, *wanted))
    }
    explicit = {*(named or ()), *wanted}
    has_roles = inputs.roles.quasi_identifiers or inputs.hierarchies
    if not has_roles and not any(_can_do_without(measure, inputs, explicit) for measure in chosen):
        # Nothing at all can be measured: one clear error instead of one per measure.
        _ = inputs.quasi_identifiers
    is_sensitive = any(Need.SENSITIVE in measure.needs for measure in chosen)
    if is_sensitive and inputs.roles.quasi_identifiers and inputs.roles.sensitive:
        # Count the classes with the sensitive values in them, which all class measures need;
        # problems of a column are reported by the measures that need it.
        with contextlib.suppress(PetauditError), stage(phrase("grouping rows into classes")):
            _ = inputs.class_blocks
    results: list[Result] = []
    not_measured: list[NotMeasured] = []
    for number, measure in enumerate(chosen, 1):
        is_named, options = measure.name in explicit, settings.get(measure.name, {})
        with stage(measure.name, number, len(chosen)):
            outcome = _outcome(measure, inputs, options, is_named=is_named)
        problem, result = outcome.problem, outcome.result
        if isinstance(problem, OptionError | EngineLostError):
            raise problem
        if problem is not None:
            # Of measures that nobody named, those that suit the table are wanted.
            is_asked_for = is_named or (
                not isinstance(problem, NotMeasurableError)
                and _is_asked_for(measure, wanted, inputs, options)
            )
            not_measured.append(NotMeasured(measure.name, problem, is_asked_for, result))
        elif result is not None:
            results.append(result)
    # A measure that compares all columns of two tables has looked at every one of them.
    is_reviewed = any(not find_measure(result.measure).has_same_columns for result in results)
    with stage(phrase("looking at the columns")):
        review = review_columns(inputs) if is_reviewed else ColumnReview()
        fingerprints = inputs.fingerprints
    return Audit(
        inputs,
        tuple(results),
        tuple(not_measured),
        {
            "measures": named,
            "options": plain(settings),
            "strict": strict,
            **{name: getattr(inputs, name) for name in _SETTINGS},
            **plain(inputs.reading.options),
            "engine": inputs.engine,
            "spark_master": inputs.spark_master,
            **({} if inputs.person is not None else {"person_is_pseudonym": None}),
        },
        fingerprints,
        watch,
        request.policy,
        review,
        strict,
    )


def _outcome(
    measure: Measure, inputs: Inputs, options: Mapping[str, Any], *, is_named: bool
) -> Outcome:
    """What becomes of a measure, if it suits the inputs or somebody named it."""
    why_not = None if is_named else measure.why_left_out(inputs)
    if why_not is not None:
        return Outcome(problem=NotMeasurableError(why_not))
    missing = measure.missing(inputs, options)
    if missing:
        needs = joined(missing, " and ")
        return Outcome(problem=NotMeasurableError("needs {missing}", missing=needs))
    return run_measure(measure, inputs, options)


def _options_by_measure(
    given: Mapping[str, Mapping[str, Any]], limits: Mapping[str, Number]
) -> dict[str, dict[str, Any]]:
    """Options and limits by measure; invalid ones are refused before any work."""
    wanted: dict[str, dict[str, Any]] = {}
    if not isinstance(given, Mapping):
        raise OptionError(
            "options must be a mapping such as {{'t-closeness': {{'worst': 3}}}}, got {value!r}",
            value=given,
        )
    for name, options in given.items():
        measure = find_measure(name)
        if not isinstance(options, Mapping):
            raise OptionError(
                "the options of {measure} must be a mapping such as {{'limit': 5}}, got {value!r}",
                measure=measure.name,
                value=options,
            )
        if measure.name in wanted:
            raise OptionError("the options of {measure} are given twice", measure=measure.name)
        measure.check_options(options)
        wanted[measure.name] = dict(options)
    if not isinstance(limits, Mapping):
        raise OptionError(
            "limits must be a mapping such as {{'k-anonymity': 5}}, got {value!r}", value=limits
        )
    for name, limit in limits.items():
        measure = find_measure(name)
        if "limit" in wanted.get(measure.name, {}):
            raise OptionError("the limit of {measure} is given twice", measure=measure.name)
        if limit is None:
            # No limit would be a verdict that nobody asked for.
            raise OptionError("the limit of {measure} is None", measure=measure.name)
        measure.check_options({"limit": limit})
        wanted.setdefault(measure.name, {})["limit"] = limit
    return wanted


def _sized(
    population_size: Any, chosen: Iterable[Measure], wanted: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """The option of every measure that takes one; an error where nothing would come of it."""
    name = "population_size"
    known = [
        measure.name
        for measure in all_measures().values()
        if any(option.name == name for option in measure.options)
    ]
    takers = [measure.name for measure in chosen if measure.name in known]
    if not takers:
        raise OptionError(
            "{option} has no effect on the requested measures; it is for {measures}",
            option=name,
            measures=listing(known),
        )
    for measure in takers:
        if name in wanted.get(measure, {}):
            raise OptionError(
                "the {option} of {measure} is given twice", option=name, measure=measure
            )
    return {measure: {name: population_size} for measure in takers}


def _can_do_without(measure: Measure, inputs: Inputs, explicit: Set[str]) -> bool:
    """Whether a measure has something to say about this audit where no column has a role.

    What a measure lacks beside the roles is reported only if it was asked for.
    """
    if not {Need.QUASI_IDENTIFIERS, Need.HIERARCHIES}.isdisjoint(measure.needs):
        return False
    if measure.name in explicit:
        return True
    return measure.only_by_name is None and not measure.missing(inputs, {})


def _is_asked_for(
    measure: Measure,
    wanted: Mapping[str, Mapping[str, Any]],
    inputs: Inputs,
    options: Mapping[str, Any],
) -> bool:
    """Whether a failure of this measure is a failure of the audit.

    With no limit or option given, everything that can run is asked for. Otherwise the measures with
    a limit or option are, and those that an original or a population was given for; the rest are
    extras.
    """
    if not wanted or options:
        return True
    needs = {*measure.needs, *(need for need, _ in measure.either)}
    return any(need in needs and need.is_met(inputs) for need in (Need.ORIGINAL, Need.POPULATION))
