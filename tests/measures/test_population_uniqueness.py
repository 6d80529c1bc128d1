"""Population uniqueness: models, the rule, where the population size comes from, limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings

import strategies
import twins
from budget import examples
from measures import uniqueness_twin as twin
from measures.populations import LIMITS, Populace, outcome_of, populaces
from measures.running import computing
from petaudit.errors import InputError, NotMeasurableError, OptionError, PetauditWarning
from petaudit.inputs import Inputs, gather
from petaudit.measures import find_measure
from petaudit.measures.base import Remedy, Result
from petaudit.measures.population import PartOfAll
from petaudit.measures.population_uniqueness import population_uniqueness
from strategies import Release

compute = computing("population-uniqueness")

ADULT = Path("/work/shared/data/adult/adult.csv")
SKEWED = {1: 90, 2: 30, 3: 15, 4: 8, 5: 2, 50: 1}


def table_of(sizes: Mapping[int, int], suppressed: int = 0) -> pa.Table:
    """A table with so many classes of each size."""
    names = [f"{size}.{n}" for size, many in sizes.items() for n in range(many)]
    cells = [name for name in names for _ in range(int(name.split(".")[0]))]
    return pa.table({"zip": cells + ["*"] * suppressed})


def inputs_of(
    sizes: Mapping[int, int], suppressed: int = 0, *, treated: Any = "class", **given: Any
) -> Inputs:
    table = table_of(sizes, suppressed)
    return gather(table, quasi_identifiers="zip", suppressed=treated, **given)


def measured(sizes: Mapping[int, int], **options: Any) -> Result:
    return compute(inputs_of(sizes), **options)


# --- figures --------------------------------------------------------------------------------


def test_zayatz_by_hand() -> None:
    """n = 4 of 8: H(1) = 1/2, H(2) = 40/70; 2 * (1 / (1 + 4/7)) * 2 = 28/11 of 8 people."""
    result = measured({1: 2, 2: 1}, population_size=8, model="zayatz")
    assert result.uniques == pytest.approx(28 / 11)
    assert result.value == pytest.approx(28 / 88)
    assert (result.sampling_fraction, result.sample_uniques, result.used_model) == (
        0.5,
        2,
        "zayatz",
    )


@settings(max_examples=examples(50))
@given(release=strategies.releases())
def test_zayatz_is_the_twins_on_tables(release: Release) -> None:
    names = release.quasi_identifiers
    classes = twins.classes(release.released, names, release.suppressed)
    table = strategies.arrow(release.released)
    inputs = gather(table, quasi_identifiers=names, suppressed=release.suppressed)
    if not classes:
        with pytest.raises(NotMeasurableError, match="every row is suppressed"):
            compute(inputs, sampling_fraction=0.25)
        return
    sizes: dict[int, int] = {}
    for entry in classes:
        sizes[len(entry)] = sizes.get(len(entry), 0) + 1
    people = 4 * len(release.released)
    result = compute(inputs, sampling_fraction=0.25, model="zayatz")
    expected = float(twin.zayatz(sizes, people)) if sizes.get(1) else 0.0
    assert result.population_size == people
    assert result.uniques == pytest.approx(expected, rel=1e-10)
    assert result.value == result.uniques / people
    by_rule = compute(inputs, sampling_fraction=0.25)
    assert by_rule.value <= result.value  # the smaller of two, or Zayatz himself


def test_dankar_believes_pitman_in_a_small_sample() -> None:
    rows = twin.rows_of(SKEWED)
    result = measured(SKEWED, population_size=10 * rows)
    assert (result.model, result.used_model) == ("dankar", "pitman")
    assert result.value == measured(SKEWED, population_size=10 * rows, model="pitman").value
    assert result.sampling_fraction == 0.1
    assert result.warnings == ()


def test_dankar_believes_the_smaller_one_in_a_larger_sample() -> None:
    rows = twin.rows_of(SKEWED)
    result = measured(SKEWED, population_size=10 * rows - 1)
    others = [
        measured(SKEWED, population_size=10 * rows - 1, model=model) for model in ("zayatz", "snb")
    ]
    assert result.value == min(entry.value for entry in others)
    assert result.used_model in ("zayatz", "snb")


def test_zayatz_stands_in_with_a_warning() -> None:
    with pytest.warns(PetauditWarning, match="zayatz replaces pitman, which the rule of Dan"):
        result = population_uniqueness(
            table_of({1: 1, 5: 8}), quasi_identifiers="zip", population_size=10_000
        )
    assert result.used_model == "zayatz"
    assert result.value == measured({1: 1, 5: 8}, population_size=10_000, model="zayatz").value


def test_a_model_that_fails_gives_no_number() -> None:
    with pytest.raises(NotMeasurableError, match=r"no class of two rows; model=zayatz accepts any"):
        measured({1: 3, 4: 2}, sampling_fraction=0.5, model="snb")
    with pytest.raises(NotMeasurableError, match=r"Pitman's model has no estimate: every class"):
        measured({1: 3}, sampling_fraction=0.5, model="pitman")
    result = measured({1: 3, 4: 2}, sampling_fraction=0.5)
    by_model = {entry.model: entry for entry in result.estimates}
    assert by_model["snb"].uniques is by_model["snb"].share is None
    assert "no class of two rows" in (by_model["snb"].reason or "")
    assert by_model["zayatz"].share == result.value


@pytest.mark.parametrize("model", ["dankar", "zayatz", "pitman", "snb"])
def test_no_row_alone_is_nobody_unique(model: str) -> None:
    result = measured({2: 3, 4: 1}, population_size=10**6, model=model)
    assert (result.value, result.uniques, result.warnings) == (0.0, 0.0, ())


@pytest.mark.parametrize("model", ["dankar", "zayatz", "pitman", "snb"])
def test_the_whole_population_is_counted(model: str) -> None:
    result = measured({1: 3, 7: 1}, sampling_fraction=1, model=model)
    assert (result.value, result.uniques, result.warnings) == (0.3, 3.0, ())
    assert result.explanation == (
        "the table is the whole population: 3 rows of 10 people alone in a class",
    )


def test_one_row() -> None:
    result = measured({1: 1}, population_size=100, model="zayatz")
    # Every class has one row, so everybody is taken to be unique.
    assert result.value == pytest.approx(1.0)


@pytest.mark.skipif(not ADULT.exists(), reason="the reference tables are not here")
@pytest.mark.parametrize(
    ("fraction", "model", "tolerance"),
    # Single samples (40 others): sd 0.067 with a bias of -0.02, then 0.02 and 0.01. A sample of
    # 2 % is not here: its sd is 0.64, and for 15 of 40 Pitman's model has no estimate.
    [(0.1, "pitman", 0.12), (0.3, "snb", 0.035), (0.6, "snb", 0.025)],
)
def test_samples_of_adult_tell_how_many_of_all_its_people_are_unique(
    fraction: float, model: str, tolerance: float
) -> None:
    """11,973 of the 30,162 people of Adult are unique on eight columns."""
    adult = gather(ADULT)
    truth = int(adult.class_histogram.classes[0])
    assert truth == 11_973
    everybody = adult.table.to_arrow()
    errors = []
    for seed in range(200, 208):
        rng = np.random.default_rng(seed)
        drawn = rng.choice(len(everybody), int(fraction * len(everybody)), replace=False)
        sample = gather(everybody.take(np.sort(drawn)), quasi_identifiers=adult.quasi_identifiers)
        result = compute(sample, population_size=len(everybody))
        assert result.used_model == model
        assert f"about {result.uniques:,.0f} of 30,162 people unique by" in result.explanation[0]
        errors.append(result.uniques / truth - 1)
    assert abs(np.mean(errors)) < tolerance


# --- where the size comes from --------------------------------------------------------------


def test_suppressed_people_are_people_in_a_class_or_in_none() -> None:
    given: dict[str, Any] = {"sampling_fraction": 0.5, "model": "zayatz"}
    table = table_of({1: 2, 2: 1}, 4)
    result = compute(gather(table, quasi_identifiers="zip", suppressed="exclude"), **given)
    assert (result.population_size, result.rows, result.suppressed_rows) == (16, 4, 4)
    assert result.sampling_fraction == 0.25
    assert result.uniques == pytest.approx(float(twin.zayatz({1: 2, 2: 1}, 16)))
    too_low, left_out = result.warnings
    assert too_low == (
        "4 rows with '*' in every quasi-identifier: if they were small classes, unique people are "
        "among them, and the estimate is too low; estimate before suppressing"
    )
    assert left_out.startswith("left out (suppressed: exclude): 4 rows")
    as_class = compute(gather(table, quasi_identifiers="zip"), **given)
    assert as_class.warnings == (too_low,)
    assert as_class.uniques == pytest.approx(float(twin.zayatz({1: 2, 2: 1, 4: 1}, 16)))


def test_the_fraction_is_read_as_it_is_written() -> None:
    by_text = measured({1: 3, 2: 1}, sampling_fraction="0.1", model="zayatz")
    assert by_text.population_size == 50
    assert by_text == measured({1: 3, 2: 1}, population_size=50, model="zayatz")


def test_a_population_table_says_how_many_people_there_are() -> None:
    population = pa.table({"zip": ["x"] * 80})
    inputs = inputs_of({1: 2, 2: 1}, population=population)
    result = compute(inputs, model="zayatz")
    assert result.population_size == 80
    assert find_measure("population-uniqueness").missing(inputs, {}) == []
    assert compute(inputs, population_size=80, model="zayatz") == result
    assert compute(inputs, sampling_fraction="0.05", model="zayatz") == result
    with pytest.raises(InputError, match="population_size is 90, but the population table has 80"):
        compute(inputs, population_size=90)
    with pytest.raises(InputError, match="would be of 40 people, but the population table has 80"):
        compute(inputs, sampling_fraction=0.1)
    few = inputs_of({1: 2, 2: 1}, population=pa.table({"zip": ["x"]}))
    with pytest.raises(InputError, match="fewer than the 4 of the table"):
        compute(few)


# --- counted in a population table ----------------------------------------------------------


@settings(max_examples=examples(100))
@given(populace=populaces(), limit=LIMITS)
def test_a_population_table_is_counted(populace: Populace, limit: Fraction) -> None:
    pairs = outcome_of(populace)
    assume(isinstance(pairs, list) and pairs)
    times = Counter(populace.people)
    alone = {person for person, number in times.items() if number == 1}
    result = compute(populace.inputs, limit=limit)
    share = Fraction(len(alone), len(populace.population))
    assert (result.model, result.used_model) == ("counted", "counted")
    assert (result.value, result.uniques) == (float(share), len(alone))
    assert result.passed is (share <= limit)
    broken = 0 if result.passed else len(alone & set(populace.table))
    assert result.remedy == Remedy(broken, *((0, 0.0) if result.passed else (None, None)))


def test_uniques_of_the_population_are_counted_and_not_estimated() -> None:
    """200 of 1,000 people are unique, 20 of them in a table of 100 rows: 0.2 and no guess."""
    people = [f"p{place}" for place in range(200)] + ["x"] * 800
    inputs = gather(
        pa.table({"zip": people[:20] + ["x"] * 80}),
        population=pa.table({"zip": people}),
        quasi_identifiers="zip",
    )
    result = compute(inputs, limit=0.2)
    assert (result.value, result.uniques, result.passed) == (0.2, 200.0, True)
    assert result.figure == "population-uniqueness, counted"
    assert compute(inputs, limit="0.1999999999999999").passed is False
    failed = compute(inputs, limit=0.1)
    assert failed.remedy == Remedy(20, None, None)
    assert failed.explanation == (
        "200 of 1,000 people alone in a class, counted in the population table; suppressing rows "
        "of the table does not change that",
        "20 rows break the limit",
    )
    assert result.table("details")["model"].values == ["counted"]
    # A model that is named is used, with the size of the table.
    named = compute(inputs, model="zayatz")
    assert (named.model, named.population_size) == ("zayatz", 1000)
    assert compute(inputs, model="dankar").model == "dankar"


def test_people_are_counted_at_the_labels_of_the_table() -> None:
    ages = {"1": ["1-2", "*"], "2": ["1-2", "*"], "3": ["3-4", "*"], "4": ["3-4", "*"]}
    inputs = gather(
        pa.table({"age": ["1-2"]}),
        population=pa.table({"age": ["1", "2", "3"]}),
        quasi_identifiers="age",
        hierarchies={"age": ages},
    )
    # 1 and 2 are one class of two; nobody of the table is 3.
    result = compute(inputs, limit=0.3)
    assert (result.uniques, result.passed) == (1.0, False)
    assert result.remedy == Remedy(0, None, None)
    assert result.explanation == (
        "1 of 3 people alone in a class, counted in the population table; suppressing rows of the "
        "table does not change that",
    )


def test_without_a_size_it_is_left_out() -> None:
    inputs = inputs_of({1: 2})
    [missing] = find_measure("population-uniqueness").missing(inputs, {})
    assert missing == (
        "a population table (population=) or the option population_size or sampling_fraction"
    )
    assert find_measure("population-uniqueness").missing(inputs, {"population_size": 5}) == []
    assert find_measure("population-uniqueness").missing(inputs, {"sampling_fraction": 0.5}) == []
    with pytest.raises(NotMeasurableError, match="needs the size of the population"):
        compute(inputs)


# --- limits and options ---------------------------------------------------------------------


def test_a_limit_at_the_boundary() -> None:
    assert measured({1: 3, 7: 1}, sampling_fraction=1, limit=0.3).passed is True
    result = measured({1: 3, 7: 1}, sampling_fraction=1, limit="0.2999999")
    assert result.passed is False
    takes = result.remedy
    assert takes is not None
    assert takes == Remedy(3, None, None, 3, 0.3)
    assert result.explanation[-1] == (
        "3 rows break the limit; dropping 3 rows (30 %) from the table, riskiest classes first, is "
        "enough"
    )
    estimate = measured({1: 2, 2: 1}, population_size=8, model="zayatz").value
    options: dict[str, Any] = {"population_size": 8, "model": "zayatz"}
    assert measured({1: 2, 2: 1}, limit=estimate, **options).passed is True
    assert measured({1: 2, 2: 1}, limit=estimate * (1 - 1e-9), **options).passed is False


def test_suppressing_what_the_remedy_says_is_enough() -> None:
    asked: dict[str, Any] = {"population_size": 100, "limit": 0}
    exclude = inputs_of({1: 3, 7: 1}, treated="exclude")
    assert compute(exclude, **asked).remedy == Remedy(3, 3, 0.3)
    assert compute(inputs_of({7: 1}, 3, treated="exclude"), **asked).passed
    # Where suppressed rows are a class, rows that are alone are dropped.
    assert measured({1: 3, 7: 1}, **asked).remedy == Remedy(3, None, None, 3, 0.3)
    assert measured({7: 1}, **asked).passed
    # Without any row there is nothing to measure.
    assert measured({1: 3}, **asked | {"population_size": 9}).remedy == Remedy(3, None, None)
    passing = measured({1: 3, 7: 1}, population_size=100, limit=1).remedy
    assert passing is not None
    assert passing.text == "no row breaks the limit"


def test_a_limit_that_always_holds_is_an_error() -> None:
    with pytest.raises(OptionError, match="no table exceeds 1"):
        measured({1: 2, 2: 1}, population_size=8, limit=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"population_size": 0}, "population_size must be an integer >= 1, got 0"),
        ({"population_size": "9"}, "population_size must be an integer >= 1, got '9'"),
        ({"sampling_fraction": 0}, "sampling_fraction must be a number > 0 and <= 1, got 0"),
        (
            {"sampling_fraction": "1.01"},
            "sampling_fraction must be a number > 0 and <= 1, got 1.01",
        ),
        ({"sampling_fraction": float("nan")}, "sampling_fraction must be a finite number, got nan"),
        ({"sampling_fraction": True}, "sampling_fraction must be a finite number, got True"),
        ({"population_size": 9, "sampling_fraction": 0.5}, "either population_size or sampling_fr"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        measured({1: 2, 2: 1}, **options)


def test_other_wrong_options() -> None:
    with pytest.raises(
        OptionError, match=r"model must be dankar, .*, got 'Pitman' \(did you mean 'pitman'\?\)"
    ):
        measured({1: 2}, population_size=9, model="Pitman")
    with pytest.raises(InputError, match="population_size is 3, fewer than the 4 rows"):
        measured({1: 2, 2: 1}, population_size=3)
    with pytest.raises(NotMeasurableError, match="more than 9,223,372,036,854,775,807 people"):
        measured({1: 2, 2: 1}, sampling_fraction=1e-300)


def test_a_part_of_all_is_above_zero() -> None:
    kind = PartOfAll()
    assert kind.takes(1)
    assert kind.takes(1e-300)
    assert not any(kind.takes(value) for value in (0, -1, 1.1, True, "0.5", None, float("inf")))
    assert kind.schema() == {"type": "number", "exclusiveMinimum": 0, "maximum": 1.0}


# --- tables and words -----------------------------------------------------------------------


def test_tables_and_explanation() -> None:
    result = measured({1: 3, 4: 2}, sampling_fraction=0.5)
    details = result.table("details")
    assert details["model"].values == ["zayatz", "pitman", "snb"]
    assert details["value"].values[0] == result.value
    assert details["uniques"].values[2] is None
    assert "no class of two rows" in details["reason"].values[2]
    assert result.table("global")["value"].values == [result.value]
    with pytest.raises(OptionError, match="has no table 'columnwise'"):
        result.table("columnwise")
    assert result.figure == "population-uniqueness, dankar"
    assert result.explanation[0].startswith("about ")
    assert result.explanation[0].endswith(
        " of 22 people unique by zayatz; the table has 50 % of them, 3 rows alone in their class"
    )
    assert result.explanation[1].startswith("estimates: zayatz 0.")
    assert result.explanation[1].endswith("snb none")
