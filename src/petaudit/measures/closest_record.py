"""Closest record: are synthetic rows nearer to training people than to others? A proxy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from petaudit.errors import counted, phrase
from petaudit.exact import coarse
from petaudit.inputs import Inputs
from petaudit.measures import attack
from petaudit.measures.attack import AttackMeasure, Control, Person, named_columns
from petaudit.measures.attack_figure import ExactFigures, percent, rounding_text
from petaudit.measures.base import Columns, Measure, ReportedFigure, Result
from petaudit.singling.control import CONTROL, ORIGINAL


class ClosestRecord(AttackMeasure):
    """What share of the synthetic rows is nearer to training people than to strangers?

    A synthetic row of a generator that copies nobody is as often nearer to the original as to a
    control of equal size: 0.5 is what chance gives. It is a proxy that other tools report; judge
    membership and attribute inference instead.

    Does not say: A share of 0.5 does not say that nobody is exposed: copies of a few people hardly
    change it. Nor does a higher one say who is exposed, or to what. Without a limit it is not
    judged.

    Formula: mean over synthetic rows of the probability that m people drawn from the N of the
    larger table have one nearer than all m of the other, 1 - C(N - j, m) / C(N, m) with j nearer
    ones; equally near counts half

    Reference: Z. Yao, N. Krčo, G. Ganev, Y.-A. de Montjoye: The DCR Delusion: Measuring the Privacy
    Risk of Synthetic Data. 2025, doi 10.48550/arXiv.2505.01524

    >>> import pyarrow as pa
    >>> original, control = pa.table({"age": [0.0, 10.0]}), pa.table({"age": [5.0, 20.0]})
    >>> import warnings; warnings.simplefilter("ignore")
    >>> closest_record(original, pa.table({"age": [1.0, 9.0, 6.0, 19.0]}), control).value
    0.5
    """

    name = "closest-record"
    rank = 360
    needs_control = True
    range = (0.0, 1.0)
    limit_help = "the share may be at most this; 0.5 is what chance gives"
    decides_by_interval = False
    details = Measure.details
    pictures = Measure.pictures

    def compute(  # type: ignore[override]
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        columns: attack.Columns = None,
        person: Person = None,
        control: Control = None,
        exact_figures: ExactFigures = False,
    ) -> Result:
        """Find the nearest people of both tables for every synthetic row."""
        from petaudit.attacks.methods import nearer_to_training  # noqa: PLC0415 (it compiles)

        tables = self.tables(inputs, person, control)
        share = nearer_to_training(tables, named_columns(columns, tables, "columns"))
        return self.result(
            share,
            limit,
            warnings=(
                *tables.notes,
                phrase(
                    "closest-record is a proxy: it misses copies of a few people and says nothing "
                    "of single ones; membership and attribute-inference measure the risk"
                ),
            ),
            breakdown={"rows": tables.joint.rows[0], "rounded_to": None},
            exact_figures=exact_figures,
            people=min(tables.people(ORIGINAL), tables.people(CONTROL)),
        )

    def published(self, result: Result) -> Result:
        """The share on a step of several people."""
        if result.internal.get("exact_figures"):
            return result
        parts = coarse.parts_of(result.people)
        return replace(
            result,
            value=coarse.rounded(result.value, parts, result.limit, "above"),
            breakdown={**result.breakdown, "rounded_to": 1 / parts},
            internal={**result.internal, "exact_figures": True},
        )

    def explain(self, result: Result) -> Iterator[str]:
        """The share, and what chance gives."""
        yield phrase(
            "{share} of {rows} are nearer to the original than to the control, at equal sizes; "
            "50 % is what chance gives",
            share=percent(float(result.value), result.rounded_to),
            rows=counted(result.rows, "synthetic row"),
        )
        yield from rounding_text([result.rounded_to])

    def more_columns(self, result: Result) -> Columns:
        """There are no rates."""
        return {}

    def plain_words(self, figure: ReportedFigure) -> str | None:
        """There is nothing to say that a manager could act on."""
        return None


closest_record = ClosestRecord.as_function()
