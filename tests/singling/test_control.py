"""The comparison with a control: who is compared, and what is said about it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import petaudit
from petaudit.exact.excess import Finding
from petaudit.singling.control import compare
from petaudit.tables.joint.store import Exposed


def people(rows: int, seed: int, values: int = 12) -> pa.Table:
    chance = np.random.default_rng(seed)
    return pa.table({name: chance.integers(0, values, rows) for name in "abcd"})


def repeated(table: pa.Table, times: int) -> pa.Table:
    return pa.concat_tables([table] * times)


def excess(original: pa.Table, synthetic: pa.Table, control: pa.Table) -> list[float]:
    result = petaudit.mpuccs(original, synthetic, control, max_baseline_cols=2)
    return [result.figures[name] for name in ("excess_risk", "control_identification_rate")]


def test_duplicates_change_nothing() -> None:
    original, synthetic, control = people(300, 1), people(200, 2), people(80, 3)
    expected = excess(original, synthetic, control)
    assert excess(original, repeated(synthetic, 2), control) == expected
    # Beside equal people nobody is more or less alone; but a larger control draws more of them.
    again = excess(repeated(original, 4), synthetic, control)
    assert again[1] == pytest.approx(expected[1], abs=0.1)


@pytest.mark.parametrize("seed", range(20))
def test_what_the_interval_is_made_of(seed: int) -> None:
    """The counts of each sample are added, those of the control are a mean over the samples."""
    chance = np.random.default_rng(seed)
    original, control = (int(people) for people in chance.integers(20, 60, 2))
    samples = min(original // min(original, control), 5)
    drawn = samples * min(original, control)
    counts = [
        Exposed(*chance.integers(0, 11, 2).tolist(), *chance.integers(0, 11, 2).tolist())
        for _ in range(samples)
    ]
    answers = iter(counts)
    result = compare((1, original, control), lambda sample: next(answers), seed=1)
    assert result is not None
    exposed, nearly, strangers, nearly_strangers = map(sum, zip(*counts, strict=True))
    # Three halves of the larger share of people in pairs, but nobody is in a pair and alone.
    pairs = max(Fraction(nearly, drawn), Fraction(nearly_strangers, control * samples)) * 3 / 2
    expected = min(pairs, 1 - Fraction(exposed, drawn))
    assert result.original.competing == pytest.approx(float(expected), rel=1e-12)
    assert (result.original.people, result.original.exposed) == (drawn, exposed)
    assert (result.control.people, result.control.competing) == (control, 0)
    assert result.control.exposed == pytest.approx(strangers / samples, rel=1e-12)


def test_a_control_that_is_larger_is_looked_at_as_a_whole() -> None:
    result = petaudit.mpuccs(people(80, 1), people(200, 2), people(400, 3), max_baseline_cols=2)
    assert result.findings.excess is not None
    assert result.findings.excess.original.people == 80
    assert result.findings.excess.control.people == 400
    assert "of 80 people of the original" in result.explanation[1]
    assert "among 80 others, and " in result.explanation[1]
    assert "% of 400 of the control" in result.explanation[1]


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_next_to_nobody_to_compare_with_is_said(rows: int) -> None:
    same = people(50, 1)
    result = petaudit.mpuccs(same, same, people(rows, 2))
    assert "too few people to tell" in result.explanation[1]
    assert result.findings.excess is not None
    assert result.findings.excess.finding is Finding.UNKNOWN


SENTENCES = {
    "more than coincidence": (people(300, 1), people(300, 1), people(300, 3)),
    "coincidence could explain it": (people(300, 1), people(300, 2), people(300, 3)),
    "not comparable and nothing is decided": [people(300, seed, 24) for seed in (1, 3, 3)],
}


@pytest.mark.parametrize("expected", SENTENCES)
@pytest.mark.parametrize("deduplicate", [True, False])
def test_the_sentence_says_what_the_interval_says(expected: str, deduplicate: bool) -> None:
    result = petaudit.mpuccs(*SENTENCES[expected], max_baseline_cols=2, deduplicate=deduplicate)
    lower, upper = (result.figures[f"excess_risk_ci_{end}"] for end in ("lower", "upper"))
    assert lower < result.figures["excess_risk"] < upper
    assert expected in result.explanation[1]
    assert (lower > 0) == (expected == "more than coincidence")
    assert (upper < 0) == ("not comparable" in expected)


def test_everybody_in_the_control_is_singled_out() -> None:
    original = pa.table({"a": range(50)})
    control = pa.table({"a": range(100, 130)})
    synthetic = pa.concat_tables([original, control])
    result = petaudit.mpuccs(original, synthetic, control)
    assert "everyone in the control is, so nothing can be concluded" in result.explanation[1]
    assert result.figures["control_identification_rate"] == 1
    assert result.figures["excess_risk"] is None
    assert result.figures["excess_risk_ci_lower"] is None


def test_strangers_with_other_values_do_not_disturb_the_advice() -> None:
    """Codes of values that only the control has are larger than all that is searched."""
    original = pa.table({"t": list("abab" * 10), "n": list(range(40))})
    synthetic = pa.table({"t": list("baba" * 10), "n": list(range(20, 60))})
    control = pa.table({"t": list("abcdefgh" * 5), "n": list(range(900, 940))})
    expected = petaudit.mpuccs(original, synthetic).changes
    assert petaudit.mpuccs(original, synthetic, control).changes == expected


def test_decimals_of_strangers_do_not_either() -> None:
    prices = [Decimal(number) / 100 for number in range(1000, 1040)]
    original = pa.table({"p": prices, "b": [row % 3 for row in range(40)]})
    control = pa.table({"p": [Decimal(n) / 7 for n in range(5000, 5400, 10)], "b": [1] * 40})
    small = control.set_column(
        0, "p", control.column(0).cast(original.schema.field("p").type, safe=False)
    )
    expected = petaudit.mpuccs(original, original).changes
    assert petaudit.mpuccs(original, original, small).changes == expected
