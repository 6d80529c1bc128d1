"""delta-disclosure: how far the shares of sensitive values in a class are from the table's."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, Literal

from petaudit.errors import Phrase, counted, joined, phrase
from petaudit.exact.class_figures import ClassFigures
from petaudit.inputs import Inputs
from petaudit.measures.base import Result
from petaudit.measures.sensitive import SensitiveMeasure, Worst
from petaudit.system import kinds
from petaudit.tables import ClassTable
from petaudit.tables.shares import is_lacking, log_figures

_BASE_HELP = "base of the logarithm: e (default), or 2 as in ARX"
_ABSENT_HELP = (
    "a value that a class lacks: ignore (default, as other tools do), or infinite as in the paper"
)


@dataclass(frozen=True)
class _Base(kinds.Choice):
    """A base by its name, or 2 as YAML and the shell read it."""

    def takes(self, value: Any) -> bool:
        """The words, and the number of the same name."""
        return super().takes(value) or (type(value) is int and super().takes(str(value)))

    def schema(self) -> kinds.JsonSchema:
        """The same as JSON Schema."""
        return {"enum": [*self.words, *(int(word) for word in self.words if word.isdecimal())]}


class DeltaDisclosure(SensitiveMeasure):
    """How far are the shares of sensitive values in a class from those of the table?

    By what factor the share of a sensitive value in a class differs from that in the whole table,
    up or down, as a logarithm. With 0, all shares are the same; with 0.69 (or 1 to the base 2), one
    has doubled or halved.

    Does not say: Values that a class lacks altogether are ignored unless absent is infinite, so a
    class with only one value may look harmless. Figures with different bases cannot be compared.

    Formula: largest |log(p/q)| of a value that is present in a class, p its share in the class and
    q in the whole table

    Reference: J. Brickell, V. Shmatikov: The Cost of Privacy: Destruction of Data-Mining Utility in
    Anonymized Data Publishing. KDD 2008, doi 10.1145/1401890.1401904

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

    name = "delta-disclosure"
    title = "delta-disclosure privacy"
    rank = 100
    strict = True
    limit_help = "|log(p/q)| must be below this for every value of every class"
    compares_with_table = True

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        base: Annotated[Literal["e", "2", 2], _Base(("e", "2")), _BASE_HELP] = "e",
        absent: Annotated[
            Literal["ignore", "infinite"], kinds.Choice(("ignore", "infinite")), _ABSENT_HELP
        ] = "ignore",
        worst: Worst = 5,
    ) -> Result:
        """Measure what delta must exceed."""
        logarithm = str(base)

        def figures(attribute: str, classes: ClassTable) -> ClassFigures:
            infinite = is_lacking(attribute, classes) if absent == "infinite" else None
            return log_figures(attribute, classes, logarithm, infinite)

        lacking = [partial(is_lacking, attribute) for attribute in inputs.sensitive]
        answer = self.ask(inputs, limit, worst, figures, tells_apart=lacking)
        classes_lacking = dict(zip(inputs.sensitive, answer.classes_told, strict=True))
        others = ["base 2"] * (logarithm == "2")
        others += ["absent values infinite"] * (absent == "infinite")
        return self.judge(
            inputs,
            limit,
            answer,
            {"base": logarithm, "absent": absent, "classes_lacking_values": classes_lacking},
            figure=f"{self.name} ({', '.join(others)})" if others else self.name,
        )

    def why_infinite(self, result: Result) -> Phrase:
        """Say that only absent values have no logarithm."""
        return phrase("without some value of the table, for which no delta suffices")

    def notes(self, result: Result) -> tuple[str, ...]:
        """Say where values are missing, since the paper takes these for infinitely far."""
        where = [
            phrase(
                "{classes} ({attribute})",
                classes=counted(lacking, "class", "classes"),
                attribute=attribute,
            )
            for attribute, lacking in result.classes_lacking_values.items()
            if lacking
        ]
        if result.absent == "infinite" or not where:
            return ()
        missing = joined(where)
        return (
            phrase(
                "values of the table that a class lacks were ignored: in {where}", where=missing
            ),
        )


delta_disclosure = DeltaDisclosure.as_function()
