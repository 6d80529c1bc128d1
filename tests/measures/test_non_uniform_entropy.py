"""Non-Uniform Entropy: agreement with the definition, alignment of rows, labels, limits."""

from __future__ import annotations

import re
import warnings
from decimal import Decimal
from math import log2
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings

import strategies
import twins
from budget import examples
from measures.running import computing
from petaudit import mask_right, non_uniform_entropy
from petaudit.errors import ColumnError, HierarchyError, InputError, PetauditWarning
from petaudit.inputs import gather
from petaudit.measures import Result
from strategies import Release, arrow

YEARS = {year: [year[:3] + "*", "19**", "*"] for year in ("1970", "1981", "1983", "1988")}
ORIGINAL = {"born": ["1970", "1981", "1983", "1988"]}
RELEASED = {"born": ["197*", "198*", "198*", "198*"]}

compute = computing("non-uniform-entropy")


def measured(release: Release, **given_options: Any) -> Result:
    given_options.setdefault("quasi_identifiers", release.quasi_identifiers)
    inputs = gather(
        arrow(release.released),
        original=arrow(release.original),
        hierarchies=release.given_hierarchies,
        **given_options,
    )
    return compute(inputs)


# --- agreement with the twin ----------------------------------------------------------------


def agrees_with_the_twin(release: Release, result: Result) -> bool:
    tables = (release.original, release.released, list(result.columns), release.hierarchies)
    by_column = twins.non_uniform_entropy_by_column(*tables)
    return result.value == pytest.approx(twins.non_uniform_entropy(*tables), abs=1e-12) and (
        result.columns == pytest.approx(by_column, abs=1e-12)
    )


@settings(max_examples=examples(200))
@given(release=strategies.releases())
def test_the_entropy_is_the_twins(release: Release) -> None:
    result = measured(release)
    assert tuple(result.columns) == release.quasi_identifiers
    assert agrees_with_the_twin(release, result)
    assert 0 <= result.value <= 1 + 1e-12


@settings(max_examples=examples(50))
@given(release=strategies.releases())
def test_a_true_generalisation_is_never_called_a_stranger(release: Release) -> None:
    result = measured(release)
    assert not any("not a generalisation" in text for text in result.warnings)


@settings(max_examples=examples(60))
@given(release=strategies.releases())
def test_labels_off_their_path_count_with_their_level(release: Release) -> None:
    mixed = release.released[::-1]
    changed = Release(release.original, mixed, release.hierarchies, release.quasi_identifiers)
    assert agrees_with_the_twin(changed, measured(changed))


@settings(max_examples=examples(50))
@given(release=strategies.releases())
def test_without_roles_every_column_with_a_hierarchy_is_measured(release: Release) -> None:
    result = measured(release, quasi_identifiers=None)
    assert tuple(result.columns) == (*release.quasi_identifiers, release.disease)
    assert agrees_with_the_twin(release, result)


# --- by hand --------------------------------------------------------------------------------


def test_nothing_that_can_be_lost_is_nothing_lost() -> None:
    same = pa.table({"born": ["1970", "1970"]})
    gone = pa.table({"born": ["*", "*"]})
    result = non_uniform_entropy(same, gone, hierarchies={"born": YEARS})
    assert (result.value, result.columns) == (1, {"born": 1})


def test_nothing_generalised_is_nothing_lost() -> None:
    table = pa.table(ORIGINAL)
    result = non_uniform_entropy(table, table, hierarchies={"born": YEARS}, limit=1)
    assert (result.value, result.passed) == (1, True)


def test_everything_suppressed_is_everything_lost() -> None:
    gone = pa.table({"born": ["*"] * 4})
    result = non_uniform_entropy(pa.table(ORIGINAL), gone, hierarchies={"born": YEARS})
    assert result.value == pytest.approx(0, abs=1e-12)


def test_each_level_is_compared_with_the_one_before_on_its_own_rows() -> None:
    # Level 1: all four rows; 197* stays alone, 198* holds three: 3 log2(3) bits. Level 3: only the
    # two suppressed rows, two decades become one: 2 log2(2) bits. At most 4 log2(4) bits.
    released = pa.table({"born": ["*", "198*", "198*", "*"]})
    result = non_uniform_entropy(pa.table(ORIGINAL), released, hierarchies={"born": YEARS})
    assert result.value == pytest.approx(1 - (3 * log2(3) + 2) / 8, abs=1e-12)


def test_nulls_need_an_empty_leaf() -> None:
    original, released = pa.table({"born": ["1970", None]}), pa.table({"born": ["197*", None]})
    with pytest.raises(HierarchyError, match="null"):
        non_uniform_entropy(original, released, hierarchies={"born": YEARS})
    hierarchy = YEARS | {"": ["", "", "*"]}
    assert non_uniform_entropy(original, released, hierarchies={"born": hierarchy}).value == 1


@pytest.mark.parametrize(
    ("original", "released", "message"),
    [
        (["1970"], ["197?"], r"holds 1 label not found in .*'197\?' \(did you mean '1970'"),
        (["1971"], ["197*"], r"holds 1 value that is not a leaf .*'1971'"),
        (["197*"], ["197*"], r"holds 1 value that is not a leaf"),
    ],
)
def test_a_label_that_the_hierarchy_lacks_is_an_error(
    original: list[str], released: list[str], message: str
) -> None:
    with pytest.raises(HierarchyError) as caught:
        non_uniform_entropy(
            pa.table({"born": original}), pa.table({"born": released}), hierarchies={"born": YEARS}
        )
    assert re.search(message, caught.value.with_values)
    assert "197?" not in str(caught.value)
    assert "1971" not in str(caught.value)


def test_labels_off_their_path_are_counted_in_a_warning() -> None:
    released = pa.table({"born": ["198*", "198*", "*", "1981"]})
    with pytest.warns(PetauditWarning, match="'born': 2 rows hold a label that is not a general"):
        non_uniform_entropy(pa.table(ORIGINAL), released, hierarchies={"born": YEARS})


def test_a_label_of_two_levels_is_on_the_path_of_all_leaves_below_it() -> None:
    # 49 generalises to 50, which is also an age: it counts as level 0 and is no stranger.
    hierarchy = {"49": ["50"], "50": ["50"]}
    inputs = gather(
        pa.table({"age": ["50", "50"]}),
        original=pa.table({"age": ["49", "50"]}),
        hierarchies={"age": hierarchy},
    )
    [warning] = compute(inputs).warnings
    assert "1 label occurs at more than one level" in warning


def test_a_suppressed_cell_is_never_off_its_path() -> None:
    # The hierarchy has a root of its own, so `*` is no label of it.
    hierarchy = {"a": ["letter"], "b": ["letter"]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = non_uniform_entropy(
            pa.table({"x": ["a", "b"]}), pa.table({"x": ["*", "*"]}), hierarchies={"x": hierarchy}
        )
    assert result.value == 0


# --- the two tables -------------------------------------------------------------------------


def test_tables_of_different_length_are_an_error() -> None:
    with pytest.raises(InputError, match=r"different numbers of rows: 4 in .* and 3 in"):
        non_uniform_entropy(
            pa.table(ORIGINAL), pa.table({"born": ["197*"] * 3}), hierarchies={"born": YEARS}
        )


def test_a_column_that_the_original_lacks_is_an_error() -> None:
    with pytest.raises(ColumnError, match=r"unknown column 'born' \(did you mean 'Born'\?\)"):
        non_uniform_entropy(
            pa.table({"Born": ORIGINAL["born"]}), pa.table(RELEASED), hierarchies={"born": YEARS}
        )


def test_a_rule_for_a_column_that_the_original_lacks_is_an_error() -> None:
    with pytest.raises(ColumnError, match=r"unknown column 'born' \(did you mean 'Born'\?\)"):
        non_uniform_entropy(
            pa.table({"Born": ["1970"]}),
            pa.table({"born": ["197*"]}),
            hierarchies={"born": mask_right()},
        )


@pytest.mark.parametrize("before", strategies.TABLE_ENGINES)
@pytest.mark.parametrize("after", strategies.TABLE_ENGINES)
def test_numbers_meet_their_labels_on_every_pair_of_engines(
    before: str, after: str, tmp_path: Path
) -> None:
    years = [int(year) for year in ORIGINAL["born"]]
    original = strategies.on_engine({"born": years}, before, tmp_path / "original")
    released = strategies.on_engine(RELEASED, after, tmp_path / "released")
    result = non_uniform_entropy(original, released, hierarchies={"born": YEARS})
    assert result.value == pytest.approx(1 - 3 * log2(3) / 8, abs=1e-12)


def test_without_an_original_it_cannot_be_measured() -> None:
    with pytest.raises(InputError, match="original table is needed"):
        non_uniform_entropy(None, pa.table(RELEASED), hierarchies={"born": YEARS})


@pytest.mark.parametrize("engine", strategies.TABLE_ENGINES)
def test_rows_in_another_order_meet_by_their_key(engine: str, tmp_path: Path) -> None:
    ids = list(range(40))
    years = [list(YEARS)[i * i % 4] for i in ids]
    labels = [[year, *YEARS[year]][i % 4] for i, year in enumerate(years)]
    order = [7 * i % 40 for i in ids]
    original = strategies.on_engine({"id": ids, "born": years}, engine, tmp_path / "original")
    aligned = strategies.on_engine({"id": ids, "born": labels}, engine, tmp_path / "aligned")
    shuffled = strategies.on_engine(
        {"id": order, "born": [labels[i] for i in order]}, engine, tmp_path / "shuffled"
    )
    given = {"quasi_identifiers": "born", "hierarchies": {"born": YEARS}}
    expected = non_uniform_entropy(original, aligned, **given)
    assert 0 < expected.value < 1
    assert non_uniform_entropy(original, shuffled, key="id", **given) == expected


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ([1, 2, 3, 3], "holds a value more than once"),
        ([1, 2, 3, None], "holds a null"),
        ([1, 2, 3, 5], "does not hold the same values"),
    ],
)
def test_a_key_that_does_not_pair_the_rows_is_an_error(key: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        non_uniform_entropy(
            pa.table(ORIGINAL | {"id": [1, 2, 3, 4]}),
            pa.table(RELEASED | {"id": key}),
            quasi_identifiers="born",
            hierarchies={"born": YEARS},
            key="id",
        )


# --- limits ---------------------------------------------------------------------------------


@settings(max_examples=examples(50))
@given(release=strategies.releases())
def test_the_figure_that_is_shown_keeps_a_limit_of_the_same_figure(release: Release) -> None:
    value = measured(release).value
    inputs = gather(
        arrow(release.released),
        original=arrow(release.original),
        quasi_identifiers=release.quasi_identifiers,
        hierarchies=release.given_hierarchies,
    )
    assert compute(inputs, limit=value).passed is True
    assert compute(inputs, limit=repr(value)).passed is True


@pytest.mark.parametrize(
    ("limit", "passed"), [(0.4, True), (Decimal("0.41"), False), (0, True), (None, None)]
)
def test_the_limit_is_a_lower_one(limit: Any, passed: bool | None) -> None:
    result = non_uniform_entropy(
        pa.table(ORIGINAL), pa.table(RELEASED), hierarchies={"born": YEARS}, limit=limit
    )
    assert result.value == pytest.approx(1 - 3 * log2(3) / 8, abs=1e-12)
    assert result.passed is passed


def test_the_explanation_names_the_column_that_lost_most_first() -> None:
    original = pa.table(ORIGINAL | {"again": ORIGINAL["born"]})
    released = pa.table(RELEASED | {"again": ["*"] * 4})
    result = non_uniform_entropy(original, released, hierarchies={"born": YEARS, "again": YEARS})
    assert result.explanation == ("again 0; born 0.4056",)
