"""Special uniques (SUDA): rows that few columns suffice to single out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from petaudit.errors import NotMeasurableError, OptionError, phrase
from petaudit.exact.fractions import Number
from petaudit.inputs import Inputs, gather
from petaudit.measures._old import OldMeasure
from petaudit.measures._risk import ALL_SUPPRESSED, SIZE_OPTION, judged_fields, upper_limit, whole
from petaudit.measures._sampled import FRACTION_OPTION, check_one, population_of
from petaudit.measures._special_result import TABLES, ColumnPart, MinimalSets, SpecialUniquesResult
from petaudit.measures.base import Better, Family, Need, Option, Remedy, announce
from petaudit.measures.kinds import Integer
from petaudit.system.memory import memory_limit
from petaudit.tables.column_values import codes_of_rows
from petaudit.tables.minimal_uniques import MinimalUniques, minimal_uniques_in_engine

if TYPE_CHECKING:
    from petaudit.exact.class_figures import Floats
    from petaudit.singling._arrays import Codes

_FEW_COLUMNS: Final = 10
"""All sets of so many columns are looked at unless a cap is given: there are 1,023 of them."""
_AS_GOOD_AS_MORE: Final = 3
_MOST_WORK: Final = 100_000_000
"""Rows times sets of columns that a complete audit looks at without being asked."""
_USUAL_CAP: Final = 3
_LARGEST_SCORE: Final = 10**300


def special_uniques(
    table: object,
    *,
    limit: Number | None = None,
    max_columns: int | None = None,
    population_size: int | None = None,
    sampling_fraction: Number | None = None,
    **given: Any,
) -> SpecialUniquesResult:
    """Measure the share of special uniques (Elliot, Manning and Ford 2002).

    >>> import pyarrow as pa
    >>> table = pa.table({"sex": ["f", "f", "m", "m"], "age": ["30", "99", "30", "30"]})
    >>> found = special_uniques(table, quasi_identifiers=["sex", "age"])
    >>> found.value, found.unique_rows, [own.minimal_uniques for own in found.sizes]
    (0.25, 2, [1, 1])
    """
    result = compute(
        gather(table, **given),
        limit=limit,
        max_columns=max_columns,
        population_size=population_size,
        sampling_fraction=sampling_fraction,
    )
    announce(result)
    return result


def compute(
    inputs: Inputs,
    limit: Number | None = None,
    max_columns: int | None = None,
    population_size: int | None = None,
    sampling_fraction: Number | None = None,
) -> SpecialUniquesResult:
    """Measure the share of special uniques from opened inputs."""
    name = SpecialUniquesResult.measure
    bound = upper_limit(limit, name)
    names = inputs.quasi_identifiers
    cap = len(names) if len(names) <= _FEW_COLUMNS else _USUAL_CAP
    if max_columns is not None:
        cap = min(whole(max_columns, "max_columns"), len(names))
    _require_scores(len(names), cap)
    people = population_of(inputs, population_size, sampling_fraction)
    histogram = inputs.class_histogram
    if not histogram.sizes.size:
        raise NotMeasurableError(ALL_SUPPRESSED)
    found = _found(inputs, cap)
    alone, in_pairs = (int(histogram.classes[histogram.sizes == size].sum()) for size in (1, 2))
    rows, special = histogram.rows, found.special
    scored = int(found.rows_of_score.sum())
    risks = None
    if people is not None:
        # Some people may be in several classes, and some in none.
        drawn = min(rows, inputs.individuals)
        risks = disclosure_risks(found, 2 * in_pairs, drawn / people, len(names))
    judged = judged_fields(
        Fraction(special, rows),
        bound,
        lambda _: Remedy.of(special, None, inputs.counted.rows, inputs.unit),
        suppressed_rows=histogram.suppressed_rows,
        unit=inputs.unit,
    )
    return SpecialUniquesResult(
        **judged,
        special_rows=special,
        unique_rows=alone,
        rows=rows,
        suppressed_rows=histogram.suppressed_rows,
        max_columns=cap,
        is_capped=cap < len(names),
        sizes=_by_size(found, len(names), cap),
        columns=_by_column(found, names, cap),
        highest_score=float(found.scores.max(initial=0)),
        mean_score=float(found.scores @ found.rows_of_score / rows),
        highest_dis=None if risks is None else float(risks.max(initial=0)),
        mean_dis=None if risks is None else float(risks @ found.rows_of_score) / max(scored, 1),
        unit=inputs.unit,
    )


def disclosure_risks(
    found: MinimalUniques, rows_in_pairs: int, fraction: float, columns: int
) -> Floats:
    """DIS-SUDA by score: the estimated chance that a match with a row is correct.

    The chance of an average unique, d (Skinner and Elliot 2002), is spread over the unique rows by
    their scores; from 28 columns on evenly, because the exponent of Elliot's manual would turn
    around there.
    """
    if not found.scores.size:
        return found.scores
    # U/d - U for U unique rows, where d = U f / (U f + rows in pairs * (1 - f)).
    wrong = rows_in_pairs * (1 - fraction) / fraction
    # As parts of the highest one, no score is too large for its power.
    parts = found.scores / found.scores[-1]
    weights = parts ** -max(1 + (8 - columns) / 20, 0)
    risks: Floats = 1 / (1 + wrong * weights / (weights @ found.rows_of_score))
    return risks


def _require_scores(columns: int, cap: int) -> None:
    """Raise where scores would be too large for a float."""
    largest = math.prod(columns - i for i in range(1, min(cap, columns - 1)))
    if largest > _LARGEST_SCORE:
        raise OptionError(
            "max_columns is {cap}, with which scores of {columns} quasi-identifiers have more "
            "than 300 digits; a smaller one changes nothing in the share",
            cap=cap,
            columns=columns,
        )


def _found(inputs: Inputs, cap: int) -> MinimalUniques:
    """The minimal sets. Where nobody is alone on all columns, nobody is on fewer."""
    from petaudit.singling.memory_need import need_of_special  # noqa: PLC0415 (compiles)
    from petaudit.singling.special import find_special, set_score  # noqa: PLC0415

    names, counts = inputs.quasi_identifiers, inputs.table.counts
    histogram = inputs.class_histogram
    if histogram.sizes[0] > 1:
        return MinimalUniques.none()
    rows = min(histogram.rows, _AS_GOOD_AS_MORE * int(histogram.classes.sum()))
    need = need_of_special(rows, int(histogram.classes[0]), len(names), cap)
    # Frames that are in memory already have no other way. Whose rows they are, only engines ask.
    is_small = need <= memory_limit() or counts.load is None
    if inputs.person is None and is_small and not counts.is_remote:
        return find_special(_codes(inputs), cap).counted()
    return minimal_uniques_in_engine(
        counts,
        names,
        cap,
        lambda size: set_score(size, len(names), cap),
        with_suppressed=inputs.suppressed == "class",
        person=inputs.person,
    )


def _codes(inputs: Inputs) -> Codes:
    """A row of codes per quasi-identifier; of many equal rows, three stand for all of them.

    Only who is alone, in a pair, or neither makes a difference.
    """
    names = inputs.quasi_identifiers
    counts = inputs.table.counts
    histogram = inputs.class_histogram
    if 2 * int(histogram.classes.sum()) < histogram.rows:
        classes = counts.coded_classes(names)
        kept = classes.sizes > 0 if inputs.suppressed == "class" else ~classes.is_suppressed
        times = np.minimum(classes.sizes[kept], _AS_GOOD_AS_MORE)
        return np.array([np.repeat(own[kept], times) for own in classes.codes], np.uint32)
    return codes_of_rows(inputs.table, names, with_suppressed=inputs.suppressed == "class")


def _takes_long(inputs: Inputs) -> str | None:
    """Why a large table waits until somebody asks."""
    columns = len(inputs.quasi_identifiers)
    up_to = columns if columns <= _FEW_COLUMNS else _USUAL_CAP
    sets = sum(math.comb(columns, size) for size in range(1, up_to + 1))
    histogram = inputs.class_histogram
    if not histogram.sizes.size or histogram.sizes[0] > 1:
        return None
    alone = int(histogram.classes[0])
    if sets * alone <= _MOST_WORK:
        return None
    return phrase(
        "looks at {sets:,} sets of columns for {rows:,} rows that are alone, which takes a while; "
        "name it to run it (--measures special-uniques)",
        sets=sets,
        rows=alone,
    )


def _by_size(found: MinimalUniques, columns: int, cap: int) -> tuple[MinimalSets, ...]:
    from petaudit.singling.special import set_score  # noqa: PLC0415 (brings the compiler)

    sizes = np.array([len(own) for own in found.sets], np.int64)
    return tuple(
        MinimalSets(
            size,
            int(np.count_nonzero(sizes == size)),
            int(found.rows_of_set[sizes == size].sum()),
            set_score(size, columns, cap),
        )
        for size in np.unique(sizes).tolist()
    )


def _by_column(found: MinimalUniques, names: tuple[str, ...], cap: int) -> tuple[ColumnPart, ...]:
    from petaudit.singling.special import set_score  # noqa: PLC0415 (brings the compiler)

    uniques, scores, total = [0] * len(names), [0] * len(names), 0
    for own, many in zip(found.sets, found.rows_of_set.tolist(), strict=True):
        score = many * set_score(len(own), len(names), cap)
        total += score
        for column in own:
            uniques[column] += many
            scores[column] += score
    # Whole numbers of any size, divided once.
    return tuple(
        ColumnPart(name, many, float(Fraction(score, total or 1)))
        for name, many, score in zip(names, uniques, scores, strict=True)
    )


def check(given: Mapping[str, Any]) -> None:
    """Raise an error for options that make no sense or contradict each other."""
    if given.get("max_columns") is not None:
        whole(given["max_columns"], "max_columns")
    check_one(given)


MEASURE = OldMeasure(
    name=SpecialUniquesResult.measure,
    title="Special uniques (SUDA)",
    family=Family.RISK,
    question="What share of the rows is unique already on some of the quasi-identifiers?",
    better=Better.LOWER,
    range=(0.0, 1.0),
    needs=(Need.QUASI_IDENTIFIERS,),
    formula=(
        "rows that are alone on a proper subset of the m quasi-identifiers / rows; the score of a "
        "row is the sum over its minimal such sets, of s columns, of the product of (m - i) for i "
        "from s to min(max_columns, m - 1) - 1"
    ),
    reference=(
        "M. J. Elliot, A. M. Manning, R. W. Ford: A Computational Algorithm for Handling the "
        "Special Uniques Problem. IJUFKS 10(5), 2002, doi 10.1142/S0218488502001600; A. M. "
        "Manning, D. J. Haglin, J. A. Keane: A recursive search algorithm for statistical "
        "disclosure assessment. Data Mining and Knowledge Discovery 16, 2008, "
        "doi 10.1007/s10618-007-0078-6"
    ),
    meaning=(
        "The share of rows that fewer than all quasi-identifiers suffice to single out. Such "
        "rows stick out, as a very young widow does, and are the first to look at. With 0, "
        "nobody is alone unless all quasi-identifiers are known."
    ),
    does_not_say=(
        "Rows that are alone only on all quasi-identifiers together are not counted, nor are "
        "pairs: look at sample uniques as well. That a row sticks out does not prove that the "
        "person is unique in the population."
    ),
    compute=compute,
    limit_help="the share may be at most this",
    options=(
        Option(
            "max_columns",
            "look for minimal sets of up to so many columns; if not given all, or 3 where there "
            f"are more than {_FEW_COLUMNS} quasi-identifiers (the share is always exact)",
            kind=Integer(1),
            shows_in_figure=False,
        ),
        SIZE_OPTION,
        FRACTION_OPTION,
    ),
    granularities=TABLES,
    check=check,
    when_left_out=_takes_long,
)
