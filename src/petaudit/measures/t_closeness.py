"""t-closeness: how far the sensitive values of a class are from those of the whole table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, get_args

from petaudit.errors import NotMeasurableError, OptionError, counted, joined, phrase, suggestion
from petaudit.exact.class_figures import ClassFigures
from petaudit.exact.fractions import Number, exact_nonnegative
from petaudit.i18n.numbers import Unit
from petaudit.inputs import Inputs, gather
from petaudit.labels.hierarchies import Hierarchy
from petaudit.measures import kinds
from petaudit.measures._class_question import AttributeAnswer, Question
from petaudit.measures._closeness_result import (
    TABLES,
    AttributeCloseness,
    FarClass,
    TClosenessResult,
)
from petaudit.measures._emd import (
    Distance,
    Ground,
    class_distances,
    equal_ground,
    hierarchical_ground,
    ordered_ground,
)
from petaudit.measures._risk import ALL_SUPPRESSED
from petaudit.measures._sensitive import WORST_OPTION, remedy, rows_left_out
from petaudit.measures.base import Better, Family, Measure, Need, Option, announce
from petaudit.pictures.distributions import FarValues, distributions_of
from petaudit.tables import ClassTable, ValueCounts
from petaudit.tables.headers import check_column

_DISTANCE = kinds.Choice(get_args(Distance))


def t_closeness(
    table: object,
    *,
    limit: Number | None = None,
    distance: Distance | Mapping[str, Distance] | None = None,
    worst: int = 5,
    **given: Any,
) -> TClosenessResult:
    """Measure t of a table (Li, Li and Venkatasubramanian 2007).

    ``given`` are the inputs of every measure: ``quasi_identifiers``, ``sensitive`` (or ``roles``),
    ``hierarchies``, ``suppressed``, ``reveal_values``, ``delimiter``, ``encoding``.

    >>> import pyarrow as pa
    >>> table = pa.table({"born": ["197*"] * 2 + ["198*"] * 3, "salary": [3, 4, 5, 6, 8]})
    >>> found = t_closeness(table, quasi_identifiers="born", sensitive="salary", limit=0.375)
    >>> found.exact_value, found.passed
    (Fraction(3, 8), True)
    """
    result = compute(gather(table, **given), limit=limit, distance=distance, worst=worst)
    announce(result)
    return result


def compute(
    inputs: Inputs,
    limit: Number | None = None,
    distance: Distance | Mapping[str, Distance] | None = None,
    worst: int = 5,
) -> TClosenessResult:
    """Measure t from opened inputs."""
    name = phrase("the limit of {measure}", measure=TClosenessResult.measure)
    bound = None if limit is None else exact_nonnegative(limit, name)
    if isinstance(worst, bool) or not isinstance(worst, int) or worst < 0:
        raise OptionError(
            "worst is {worst!r}; a number of classes from 0 was expected", worst=worst
        )
    warnings = list(inputs.spellings_warning)
    chosen = _chosen_distances(inputs, distance)
    grounds = {
        attribute: _ground(inputs, attribute, chosen.get(attribute), warnings)
        for attribute in inputs.sensitive
    }
    question = Question(
        inputs.quasi_identifiers,
        inputs.sensitive,
        partial(_distances, grounds),
        largest_is_worst=True,
        breaks=None if bound is None else lambda figures: figures.above(bound),
        worst=worst,
        with_far=True,
    )
    answers = inputs.ask_classes(question)
    if not answers:
        raise NotMeasurableError(ALL_SUPPRESSED)
    answer = question.together(answers)
    found = tuple(
        _closeness(attribute, grounds[attribute].distance, own, has_limit=bound is not None)
        for attribute, own in zip(inputs.sensitive, answer.attributes, strict=True)
    )
    t = max(attribute.exact_t for attribute in found)
    return TClosenessResult(
        value=float(t),
        limit=None if bound is None else float(bound),
        passed=None if bound is None else t <= bound,
        warnings=(*warnings, *rows_left_out(inputs, answer, Unit.ROW)),
        exact_value=t,
        attributes=found,
        remedy=None if bound is None else remedy(inputs, answer, Unit.ROW, compares=True),
        far={
            attribute: FarValues(grounds[attribute], inputs.sensitive_values(attribute), own.far)
            for attribute, own in zip(inputs.sensitive, answer.attributes, strict=True)
        },
    )


def _distances(grounds: Mapping[str, Ground], attribute: str, table: ClassTable) -> ClassFigures:
    return class_distances(table.columns[attribute], table.classes, grounds[attribute])


def _closeness(
    attribute: str, distance: Distance, answer: AttributeAnswer, *, has_limit: bool
) -> AttributeCloseness:
    t = Fraction(answer.extreme)
    return AttributeCloseness(
        attribute=attribute,
        distance=distance,
        t=float(t),
        exact_t=t,
        classes=answer.classes,
        classes_above_limit=answer.classes_breaking if has_limit else None,
        rows_above_limit=answer.rows_breaking if has_limit else None,
        worst_classes=tuple(
            FarClass(own.rows, own.figure, own.classes, own.labels) for own in answer.worst
        ),
    )


def _ground(
    inputs: Inputs, attribute: str, distance: Distance | None, warnings: list[str]
) -> Ground:
    """The distance asked for, or: ordered for numbers, by hierarchy if there is one, else equal."""
    values = inputs.sensitive_values(attribute)
    has_null = None in values.index
    if distance == "ordered" or (distance is None and not has_null):
        ground = ordered_ground(values)
        if ground is not None:
            return ground
        if distance == "ordered":
            raise OptionError(
                "column {column!r} holds values that are not numbers: it has no order",
                column=attribute,
            )
    if distance == "hierarchical" or (distance is None and attribute in inputs.hierarchies):
        hierarchy = inputs.hierarchy(attribute)
        return hierarchical_ground(_as_hierarchy_spells(values, hierarchy), hierarchy)
    numbers = len(values.labels) > 1 and ordered_ground(values) is not None
    if distance is None and has_null and numbers:
        warnings.append(
            phrase(
                "column {column!r} holds nulls beside numbers: measured with the equal distance, "
                "which is never smaller than the ordered one",
                column=attribute,
            )
        )
    return equal_ground(values)


def _as_hierarchy_spells(values: ValueCounts, hierarchy: Hierarchy) -> ValueCounts:
    """The values by those of their spellings that the hierarchy has; a null needs none."""
    labels: list[str | None] = []
    unknown: list[str | None] = []
    spelled = values.spellings or tuple((label,) for label in values.labels)
    for label, spellings in zip(values.labels, spelled, strict=True):
        known = [own for own in spellings if own is not None and hierarchy.holds(own)]
        if len(known) > 1 and len({hierarchy.path_from(own)[1:] for own in known}) > 1:
            raise hierarchy.label_error(
                phrase(
                    "column {column!r} holds {spellings} of one value that stand in different "
                    "places of its hierarchy ({origin}): give them the same path",
                    column=hierarchy.attribute,
                    spellings=counted(len(known), "spelling"),
                    origin=hierarchy.origin,
                ),
                known,
            )
        if label is not None and not known:
            unknown.append(label)
        labels.append(None if label is None else next(iter(known), label))
    if unknown:
        raise hierarchy.unknown_labels(unknown)
    return replace(values, labels=tuple(labels))


def _chosen_distances(
    inputs: Inputs, distance: Distance | Mapping[str, Distance] | None
) -> dict[str, Distance]:
    if distance is None:
        return {}
    chosen = (
        dict(distance)
        if isinstance(distance, Mapping)
        else dict.fromkeys(inputs.sensitive, distance)
    )
    if not chosen:
        raise OptionError("distance is an empty mapping; name a distance for an attribute")
    for attribute, kind in chosen.items():
        if not isinstance(attribute, str):
            raise OptionError(
                "distance names {value!r}; the name of a column was expected", value=attribute
            )
        check_column(attribute, inputs.sensitive, phrase("the sensitive attributes"))
        if kind not in get_args(Distance):
            raise OptionError(
                "unknown distance {name!r}{near}; distances are {known}",
                name=str(kind),
                near=suggestion(str(kind), get_args(Distance)),
                known=joined(get_args(Distance)),
            )
    return chosen


MEASURE = Measure(
    name="t-closeness",
    title="t-closeness",
    family=Family.PRIVACY,
    question="How much does knowing a person's class tell about the sensitive attribute?",
    better=Better.LOWER,
    range=(0.0, 1.0),
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    formula=(
        "largest Earth Mover's Distance between the distribution of a sensitive attribute in a "
        "class and in the whole table"
    ),
    reference=(
        "N. Li, T. Li, S. Venkatasubramanian: t-Closeness: Privacy Beyond k-Anonymity and "
        "l-Diversity. ICDE 2007, doi 10.1109/ICDE.2007.367856"
    ),
    meaning=(
        "How much the sensitive values of a class differ from those of the whole table, at the "
        "worst. 0 means that knowing somebody's class tells nothing new about the sensitive "
        "value; 1 means that it can tell everything."
    ),
    does_not_say=(
        "It takes the distribution in the whole table for public knowledge: in a table of "
        "patients with one disease the figure is 0, though being in the table tells the "
        "disease. Very small classes are far from the table by chance."
    ),
    compute=compute,
    limit_help="t may be at most this",
    options=(
        Option(
            "distance",
            "ordered, hierarchical or equal; one for all or one per attribute",
            kind=kinds.Either((_DISTANCE, kinds.MapOf(_DISTANCE))),
        ),
        WORST_OPTION,
    ),
    granularities=TABLES,
    pictures=distributions_of,
)
