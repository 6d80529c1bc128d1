"""delta-disclosure: how far the shares of sensitive values in a class are from the table's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import localcontext
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any, ClassVar, Final, Literal

import numpy as np
import numpy.typing as npt

from petaudit.errors import counted, joined, phrase
from petaudit.exact.class_figures import ClassFigures, Exact, Floats, Truths
from petaudit.exact.fractions import Number, exact_nonnegative
from petaudit.exact.logarithms import sign_of_logs, sum_of_logs
from petaudit.inputs import Inputs, gather
from petaudit.measures import kinds
from petaudit.measures._sensitive import TABLES, WORST_OPTION, SensitiveResult, check_option, judge
from petaudit.measures._shares import Shares
from petaudit.measures.base import Better, Family, Measure, Need, Option, announce
from petaudit.tables import ClassTable

_DIGITS: Final = 40


@dataclass(frozen=True)
class _Base(kinds.Choice):
    """A base by its name, or 2 as YAML and the shell read it."""

    def takes(self, value: Any) -> bool:
        """The words, and the number of the same name."""
        return super().takes(value) or (type(value) is int and super().takes(str(value)))

    def schema(self) -> kinds.JsonSchema:
        """The same as JSON Schema."""
        return {"enum": [*self.words, *(int(word) for word in self.words if word.isdecimal())]}


_BASE: Final = Option(
    "base", "of the logarithm: e (default) or 2, which ARX uses", kind=_Base(("e", "2"))
)
_ABSENT: Final = Option(
    "absent",
    "a value that a class lacks: ignore (default, as other tools do), or infinite as in the paper",
    kind=kinds.Choice(("ignore", "infinite")),
)


@dataclass(frozen=True)
class DeltaDisclosureResult(SensitiveResult):
    """What delta must exceed: the largest |log(p/q)| of a value in a class."""

    measure: ClassVar[str] = "delta-disclosure"
    better: ClassVar[Better] = Better.LOWER
    compares_with_table: ClassVar[bool] = True

    base: str
    absent: str
    classes_lacking_values: Mapping[str, int]
    """Per attribute, how many classes lack a value that the table has."""

    @property
    def is_strict(self) -> bool:
        """Delta itself is not reached: |log(p/q)| < delta."""
        return True

    @property
    def figure(self) -> str:
        """Another base, or another way with absent values, gives another figure."""
        base = ["base 2"] * (self.base == "2")
        absent = ["absent values infinite"] * (self.absent == "infinite")
        other = ", ".join(base + absent)
        return f"{self.measure} ({other})" if other else self.measure

    @property
    def why_infinite(self) -> str:
        """Only absent values have no logarithm."""
        return phrase("without some value of the table, for which no delta would do")

    @property
    def notes(self) -> tuple[str, ...]:
        """Where values are missing, since the paper takes these for infinitely far."""
        if self.absent == "infinite" or not any(self.classes_lacking_values.values()):
            return ()
        where = [
            phrase(
                "{classes} ({attribute})",
                classes=counted(lacking, "class", "classes"),
                attribute=attribute,
            )
            for attribute, lacking in self.classes_lacking_values.items()
            if lacking
        ]
        return (
            phrase(
                "values of the table that are missing were ignored: in {where}", where=joined(where)
            ),
        )


def delta_disclosure(
    table: object,
    *,
    limit: Number | None = None,
    base: Literal["e", "2", 2] = "e",
    absent: Literal["ignore", "infinite"] = "ignore",
    worst: int = 5,
    **given: Any,
) -> DeltaDisclosureResult:
    """Measure what delta of delta-disclosure must exceed (Brickell and Shmatikov 2008).

    The paper asks for |log(p/q)| < delta for all values of the table, also those that a class does
    not have; ``absent="infinite"`` does the same.

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**"] * 2 + ["148**"] * 2,
    ...                   "illness": ["flu", "cancer", "flu", "flu"]})
    >>> given = {"quasi_identifiers": "zip", "sensitive": "illness"}
    >>> delta_disclosure(table, base="2", limit=1, **given).passed
    False
    >>> delta_disclosure(table, **given).value, delta_disclosure(table, base="2", **given).value
    (0.6931471805599453, 1.0)
    """
    options: dict[str, Any] = {"limit": limit, "base": base, "absent": absent, "worst": worst}
    result = compute(gather(table, **given), **options)
    announce(result)
    return result


def compute(
    inputs: Inputs,
    limit: Number | None = None,
    base: str | int | None = None,
    absent: str | None = None,
    worst: int = 5,
) -> DeltaDisclosureResult:
    """Measure what delta must exceed from opened inputs."""
    check_option(_BASE, "e" if base is None else base)
    check_option(_ABSENT, "ignore" if absent is None else absent)
    base = str(base or "e")
    absent = absent or "ignore"
    name = phrase("the limit of {measure}", measure=DeltaDisclosureResult.measure)
    bound = None if limit is None else exact_nonnegative(limit, name)
    judged = judge(
        inputs,
        lambda attribute, table: log_figures(
            attribute, table, base, is_lacking(attribute, table) if absent == "infinite" else None
        ),
        better=Better.LOWER,
        breaks=None if bound is None else lambda figures: ~figures.below(bound),
        worst=worst,
        tells_apart=[partial(is_lacking, own) for own in inputs.sensitive],
    )
    lacking = dict(zip(inputs.sensitive, judged.answer.classes_told, strict=True))
    return DeltaDisclosureResult.judged(
        inputs, judged, bound, base=base, absent=absent, classes_lacking_values=lacking
    )


def is_lacking(attribute: str, table: ClassTable) -> Truths:
    """Which classes lack a value of the table."""
    pairs = table.columns[attribute]
    present = np.diff(pairs.class_starts, append=len(pairs.counts))
    found: Truths = present < len(pairs.values.labels)
    return found


def log_figures(
    attribute: str, table: ClassTable, base: str, is_infinite: Truths | None
) -> ClassFigures:
    """The largest |log(p/q)| of each class, or infinite where that is said."""
    shares = Shares.of(table.columns[attribute])
    logs = _logs(shares, base)
    values = shares.largest(logs)
    if is_infinite is not None:
        values[is_infinite] = np.inf

    def largest_ratio(entry: int) -> Fraction:
        return max(max(ratio, 1 / ratio) for ratio in shares.of_largest(entry, logs))

    def exact(entry: int) -> Exact:
        return inf if np.isinf(values[entry]) else log_of(largest_ratio(entry), base)

    return ClassFigures(
        values,
        table.sizes,
        table.classes,
        exact,
        lambda entry, limit: compared_with(largest_ratio(entry), limit, base) > 0,
        lambda entry, limit: compared_with(largest_ratio(entry), limit, base) < 0,
    )


def _logs(shares: Shares, base: str) -> Floats:
    """|log(p/q)| of each value; accurate also where p and q are nearly equal."""
    larger = np.maximum(shares.inside, shares.overall)
    smaller = np.minimum(shares.inside, shares.overall)
    logs: Floats = np.log1p((larger - smaller).astype(np.float64) / smaller.astype(np.float64))
    if base == "e":
        return logs
    logs /= np.log(2)
    powers = np.rint(logs)
    scales: npt.NDArray[Any] = (2 ** powers.astype(np.int64)).astype(shares.inside.dtype)
    return np.where((smaller * scales == larger).astype(bool), powers, logs)


def log_of(ratio: Fraction, base: str) -> Exact:
    """The logarithm of a fraction from 1, as a fraction where it is one.

    >>> log_of(Fraction(8), "2"), log_of(Fraction(1), "e"), log_of(Fraction(2), "e")
    (Fraction(3, 1), Fraction(0, 1), 0.6931471805599453)
    """
    power = ratio.numerator.bit_length() - 1
    if ratio == 1 or (base == "2" and ratio == 1 << power):
        return Fraction(power)
    with localcontext() as context:
        context.prec = _DIGITS
        found = sum_of_logs([(1, ratio)])
        return float(found / sum_of_logs([(1, Fraction(2))]) if base == "2" else found)


def compared_with(ratio: Fraction, limit: Fraction, base: str) -> int:
    """1, 0 or -1: whether the logarithm is above, at or below a limit, exactly.

    >>> compared_with(Fraction(8), Fraction(3), "2"), compared_with(Fraction(8), Fraction(3), "e")
    (0, -1)
    """
    if base == "e":
        return sign_of_logs([(1, ratio)], limit)
    return sign_of_logs([(limit.denominator, ratio), (-limit.numerator, Fraction(2))])


MEASURE = Measure(
    name="delta-disclosure",
    title="delta-disclosure privacy",
    family=Family.PRIVACY,
    question="How far are the shares of sensitive values in a class from those of the table?",
    better=Better.LOWER,
    range=(0.0, float("inf")),
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    formula=(
        "largest |log(p/q)| of a value that is present in a class, p its share in the class and q "
        "in the whole table"
    ),
    reference=(
        "J. Brickell, V. Shmatikov: The Cost of Privacy: Destruction of Data-Mining Utility in "
        "Anonymized Data Publishing. KDD 2008, doi 10.1145/1401890.1401904"
    ),
    compute=compute,
    limit_help="|log(p/q)| must be below this for every value of every class",
    options=(_BASE, _ABSENT, WORST_OPTION),
    granularities=TABLES,
    meaning=(
        "By what factor the share of a sensitive value in a class differs from that in the whole "
        "table, up or down, as a logarithm. With 0, all shares are the same; with 0.69 (or 1 to "
        "the base 2), one has doubled or halved."
    ),
    does_not_say=(
        "Values that a class lacks altogether are ignored unless absent is infinite, so that a "
        "class with one value only may look harmless. Figures to different bases cannot be "
        "compared."
    ),
)
