"""t-closeness: how far the sensitive values of a class are from those of the whole table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Final, get_args

from petaudit.errors import OptionError, counted, exactly, joined, numbered, phrase, term
from petaudit.i18n.numbers import Unit
from petaudit.inputs import Inputs
from petaudit.measures.base import Columns, Result, rows_of
from petaudit.measures.limits import rounded_texts
from petaudit.measures.sensitive import SensitiveMeasure, Worst, rows_left_out, worst_class_columns
from petaudit.pictures.distributions import FarValues, distributions_of
from petaudit.system import kinds
from petaudit.tables.emd import (
    Distance,
    Ground,
    class_distances,
    equal_ground,
    hierarchical_ground,
    ordered_ground,
)
from petaudit.tables.headers import check_column

_DISTANCE: Final = kinds.Choice(get_args(Distance))
_DISTANCES: Final = kinds.Either((_DISTANCE, kinds.MapOf(_DISTANCE)))
_DISTANCE_HELP = "ordered, hierarchical or equal; one for all or one per attribute"
_WORDS: Final[Mapping[str, str]] = {
    "ordered": term("ordered"),
    "hierarchical": term("hierarchical"),
    "equal": term("equal"),
}


@dataclass(frozen=True)
class FarClass:
    """Classes of one size at one distance; labels only when values may be shown."""

    rows: int
    distance: float
    classes: int
    labels: Mapping[str, str | None] | None = None

    @property
    def figure(self) -> float:
        """The distance, by the name that it has in other models."""
        return self.distance


@dataclass(frozen=True)
class AttributeCloseness:
    """t of one sensitive attribute."""

    attribute: str
    distance: str
    t: float
    exact_t: Fraction
    classes: int
    classes_above_limit: int | None
    rows_above_limit: int | None
    worst_classes: tuple[FarClass, ...]


class TCloseness(SensitiveMeasure):
    """How much does a person's class reveal about the sensitive attribute?

    How much the sensitive values of a class differ from those of the whole table, in the worst
    case. 0 means that knowing somebody's class tells nothing new about the sensitive value; 1 means
    that it can tell everything.

    Does not say: It assumes that the distribution in the whole table is public knowledge: in a
    table of patients with one disease the figure is 0, though being in the table reveals the
    disease. Very small classes differ from the table by chance.

    Formula: largest Earth Mover's Distance between the distribution of a sensitive attribute in a
    class and in the whole table

    Reference: N. Li, T. Li, S. Venkatasubramanian: t-Closeness: Privacy Beyond k-Anonymity and
    l-Diversity. ICDE 2007, doi 10.1109/ICDE.2007.367856

    >>> import pyarrow as pa
    >>> table = pa.table({"born": ["197*"] * 2 + ["198*"] * 3, "salary": [3, 4, 5, 6, 8]})
    >>> result = t_closeness(table, quasi_identifiers="born", sensitive="salary", limit=0.375)
    >>> result.exact_value, result.passed
    (Fraction(3, 8), True)
    """

    name = "t-closeness"
    title = "t-closeness"
    rank = 70
    range = (0.0, 1.0)
    limit_help = "t may be at most this"
    compares_with_table = True
    pictures = staticmethod(distributions_of)
    columnwise = rows_of(AttributeCloseness, "attributes")

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        distance: Annotated[
            Distance | Mapping[str, Distance] | None, _DISTANCES, _DISTANCE_HELP
        ] = None,
        worst: Worst = 5,
    ) -> Result:
        """Measure t."""
        warnings = list(inputs.spellings_warning)
        chosen = distance if isinstance(distance, Mapping) else {}
        for attribute in chosen:
            check_column(attribute, inputs.sensitive, phrase("the sensitive attributes"))
        if distance is not None and not isinstance(distance, Mapping):
            chosen = dict.fromkeys(inputs.sensitive, distance)
        grounds = {
            attribute: _ground(inputs, attribute, chosen.get(attribute), warnings)
            for attribute in inputs.sensitive
        }
        answer = self.ask(
            inputs,
            limit,
            worst,
            lambda attribute, classes: class_distances(
                classes.columns[attribute], classes.classes, grounds[attribute]
            ),
            with_far=True,
        )
        t = Fraction(self.worst_of(answer))
        remedy = None if limit is None else self.remedy(inputs, answer, Unit.ROW)
        answers = list(zip(grounds.items(), answer.attributes, strict=True))
        attributes = tuple(
            AttributeCloseness(
                name,
                ground.distance,
                float(attribute.extreme),
                Fraction(attribute.extreme),
                attribute.classes,
                None if limit is None else attribute.classes_breaking,
                None if limit is None else attribute.rows_breaking,
                tuple(FarClass(*vars(worst).values()) for worst in attribute.worst),
            )
            for (name, ground), attribute in answers
        )
        far = {
            name: FarValues(ground, inputs.sensitive_values(name), attribute.far)
            for (name, ground), attribute in answers
        }
        return self.result(
            t,
            limit,
            warnings=(*warnings, *rows_left_out(inputs, answer)),
            breakdown={"exact_value": t, "attributes": attributes, "remedy": remedy},
            far=far,
        )

    def explain(self, result: Result) -> tuple[str, ...]:
        """The reason for the verdict, attribute by attribute."""
        remedies = () if result.remedy is None else (result.remedy.text,)
        rows = None if result.remedy is None else result.remedy.of_rows
        lines = (
            joined([*_reasons(figure, rows, result.limit)], "; ") for figure in result.attributes
        )
        return (*lines, *remedies)

    def details(self, result: Result, *, with_values: bool) -> Columns:
        """Lay out the farthest classes of all attributes."""
        return worst_class_columns(result.attributes, "distance", with_values=with_values)


t_closeness = TCloseness.as_function()


def _reasons(
    closeness: AttributeCloseness, of_rows: int | None, limit: float | None
) -> Iterator[str]:
    """How far the classes are, where the farthest are, and what is above the limit."""
    yield phrase(
        "{attribute}: t = {t} ({distance} distance, {classes})",
        attribute=closeness.attribute,
        t=rounded_texts(closeness.t, limit)[0],
        distance=_WORDS[closeness.distance],
        classes=counted(closeness.classes, "class", "classes"),
    )
    for worst in closeness.worst_classes[:1]:
        rows, classes = counted(worst.rows, "row"), counted(worst.classes, "class", "classes")
        farthest = numbered(
            worst.classes,
            phrase("farthest: a class of {rows}", rows=rows),
            phrase("farthest: {classes} of {rows}", classes=classes, rows=rows),
        )
        # With an exact t, the rows of the class would tell how many have which value.
        yield exactly(farthest)
    if closeness.classes_above_limit and closeness.rows_above_limit:
        above = counted(closeness.classes_above_limit, "class", "classes")
        rows = counted(closeness.rows_above_limit, "row", of=of_rows)
        yield numbered(
            closeness.classes_above_limit,
            phrase("{classes} with {rows} is above the limit", classes=above, rows=rows),
            phrase("{classes} with {rows} are above the limit", classes=above, rows=rows),
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
        return hierarchical_ground(values, inputs.hierarchy(attribute))
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
