"""A population in the labels of the table: generalised alike, raw with hierarchies, or neither."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings

from budget import examples
from measures import population_twin as twin
from measures.populations import Populace, outcome_of, populaces
from petaudit import mask_right, ranges
from petaudit.errors import InputError, NotMeasurableError
from petaudit.inputs import gather

ZIPS = {zip_: [f"{zip_[:2]}*", f"{zip_[0]}**", "*"] for zip_ in ("130", "131", "148", "149", "200")}


def classes(table: Any, population: Any, **given: Any) -> Counter[tuple[int, int]]:
    asked = gather(
        pa.table(table), population=pa.table(population), quasi_identifiers=list(table), **given
    )
    found = asked.population_classes
    pairs = zip(found.sizes.tolist(), found.population_sizes.tolist(), strict=True)
    return Counter(dict(zip(pairs, found.classes.tolist(), strict=True)))


@settings(max_examples=examples(150))
@given(populace=populaces())
def test_the_classes_are_those_of_the_twin(populace: Populace) -> None:
    expected = outcome_of(populace)
    inputs = populace.inputs
    if expected is twin.OverlapError:
        with pytest.raises(NotMeasurableError, match="overlapping labels"):
            _ = inputs.population_classes
        return
    if expected is twin.AbsentError:
        with pytest.raises(InputError, match="must contain everybody"):
            _ = inputs.population_classes
        return
    found = inputs.population_classes
    pairs = zip(found.sizes.tolist(), found.population_sizes.tolist(), strict=True)
    folded = Counter[tuple[int, int]]()
    for pair, number in zip(pairs, found.classes.tolist(), strict=True):
        folded[pair] += number
    assert folded == Counter(expected)
    others = twin.classes_without_rows(populace.table, populace.people)
    assert (found.classes_without_rows, found.people_without_rows) == (len(others), others.total())
    assert inputs.population_classes.classes_without_rows == found.classes_without_rows


def test_the_random_populations_are_of_all_kinds() -> None:
    """Else the test above would say little."""
    seen: Counter[str] = Counter()

    @settings(max_examples=150, database=None)
    @given(populace=populaces())
    def look(populace: Populace) -> None:
        found = outcome_of(populace)
        seen[found.__name__ if isinstance(found, type) else "pairs"] += 1
        if not isinstance(found, type):
            seen["larger"] += any(size < of for size, of in found)
            seen["translated"] += bool(set(populace.people) - set(populace.population))
            seen["suppressed"] += any(map(twin.is_suppressed, populace.table))

    look()
    for kind in ("pairs", "OverlapError", "AbsentError", "larger", "translated", "suppressed"):
        assert seen[kind] >= 5, seen


def test_a_raw_population_is_brought_to_the_labels_of_the_table() -> None:
    population = {"zip": ["130", "131", "130", "148", "149", "200"]}
    table = {"zip": ["13*", "13*", "14*"]}
    assert classes(table, population, hierarchies={"zip": ZIPS}) == {(2, 3): 1, (1, 2): 1}


def test_labels_of_different_levels_that_do_not_overlap() -> None:
    population = {"zip": ["130", "131", "148", "148", "200"]}
    # 148 is released as it is and 13* is not above it.
    table = {"zip": ["13*", "148"]}
    assert classes(table, population, hierarchies={"zip": ZIPS}) == {(1, 2): 2}


AGES = {"49": ["49-50", "50"], "50": ["49-50", "50"]}


def test_a_label_of_several_levels_is_that_of_the_lowest() -> None:
    """As in the hierarchy of Adult, 50 is a leaf and the root: nine people of 49 are not 50."""
    population = {"age": ["49"] * 9 + ["50"]}
    assert classes({"age": ["50"]}, population, hierarchies={"age": AGES}) == {(1, 1): 1}
    # The level between is nobody else's name.
    assert classes({"age": ["49-50"]}, population, hierarchies={"age": AGES}) == {(1, 10): 1}
    with pytest.raises(InputError, match="must contain everybody"):
        classes({"age": ["50", "50"]}, population, hierarchies={"age": AGES})
    # A label that stays the same over levels stands at the first of them.
    same = {"age": {"49": ["old", "old"], "50": ["old", "old"]}}
    assert classes({"age": ["old"]}, population, hierarchies=same) == {(1, 10): 1}


def test_overlapping_labels_are_refused_with_the_column() -> None:
    with pytest.raises(NotMeasurableError) as caught:
        classes({"zip": ["13*", "1**"]}, {"zip": ["130", "148"]}, hierarchies={"zip": ZIPS})
    assert str(caught.value) == (
        "column 'zip' is generalised to overlapping labels, so that a value of the population may "
        "belong to several of them: give the population generalised the same way"
    )
    # Generalised the same way, it can be compared.
    assert classes(
        {"zip": ["13*", "1**"]}, {"zip": ["13*", "1**", "1**"]}, hierarchies={"zip": ZIPS}
    ) == {(1, 1): 1, (1, 2): 1}


def test_the_mark_counts_as_a_label_only_in_rows_that_say_something() -> None:
    hierarchies = {"zip": ZIPS, "sex": {"f": ["*"], "m": ["*"]}}
    population = {"zip": ["130", "131", "131"], "sex": ["f", "m", "m"]}
    # The last row is suppressed, so its mark is not above 130.
    table = {"zip": ["13*", "13*", "*"], "sex": ["*", "*", "*"]}
    known: dict[str, Any] = {"hierarchies": hierarchies}
    assert classes(table, population, suppressed="exclude", **known) == {(2, 3): 1}
    # Nobody fits no class, so it is one of those three.
    assert classes(table, population, **known) == {(2, 3): 1, (1, 3): 1}
    half = {"zip": ["13*", "13*", "*"], "sex": ["f", "m", "m"]}
    with pytest.raises(NotMeasurableError, match="column 'zip' is generalised to overlapping"):
        classes(half, population, hierarchies=hierarchies)


def test_without_a_hierarchy_labels_are_compared_as_they_are() -> None:
    with pytest.raises(InputError) as caught:
        classes({"zip": ["13*", "13*"]}, {"zip": ["130", "131", "148"]})
    assert str(caught.value) == (
        "1 class of the table with 2 rows has fewer people in the population than rows in the "
        "table (1 of them nobody at all): the population must contain everybody in the table, with "
        "the labels of the table or, where hierarchies lead to these, as it was collected"
    )


def test_a_null_of_the_population_follows_its_hierarchy() -> None:
    hierarchies = {"zip": {**ZIPS, "": ["none", "none", "*"]}}
    population = {"zip": [None, None, "130"]}
    assert classes({"zip": ["none"]}, population, hierarchies=hierarchies) == {(1, 2): 1}
    assert classes({"zip": [None]}, population, hierarchies=hierarchies) == {(1, 2): 1}


@pytest.mark.parametrize("original", [None, {"age": ["23", "41"], "zip": ["130", "148"]}])
def test_rules_know_the_values_of_the_population(original: Any) -> None:
    """The original has none of the other people's values."""
    hierarchies = {"age": ranges(10, 20), "zip": mask_right()}
    population = {"age": [23, 29, 41, 77, None], "zip": ["130", "139", "148", "2000", "200"]}
    table = {"age": ["[20,30[", "[40,50["], "zip": ["13*", "14*"]}
    given: dict[str, Any] = {} if original is None else {"original": pa.table(original)}
    found = classes(table, population, hierarchies=hierarchies, **given)
    assert found == {(1, 2): 1, (1, 1): 1}


def test_a_population_that_is_generalised_by_the_rule_already() -> None:
    population = {"age": ["[20,30[", "[20,30[", "[40,50[", "[60,70["]}
    table = {"age": ["[20,30[", "[40,50["]}
    assert classes(table, population, hierarchies={"age": ranges(10, 20)}) == {(1, 2): 1, (1, 1): 1}


def test_rules_of_other_measures_stay_as_they_were() -> None:
    asked = gather(
        pa.table({"zip": ["13*", "14*"]}),
        original=pa.table({"zip": ["130", "148"]}),
        population=pa.table({"zip": ["130", "148", "20000"]}),
        quasi_identifiers="zip",
        hierarchies={"zip": mask_right()},
    )
    _ = asked.population_classes
    assert asked.hierarchy("zip").leaves == ("130", "148")


def test_a_column_that_the_population_lacks_is_named() -> None:
    with pytest.raises(Exception, match="zip"):
        gather(
            pa.table({"zip": ["1"]}), population=pa.table({"zap": ["1"]}), quasi_identifiers="zip"
        )


def test_no_population_is_an_error() -> None:
    with pytest.raises(InputError, match="a population table is needed"):
        _ = gather(pa.table({"zip": ["1"]}), quasi_identifiers="zip").population_classes
