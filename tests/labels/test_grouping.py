"""Rules by chosen cuts, counts and trees."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import petaudit
from budget import examples
from petaudit.errors import HierarchyError, OptionError, PetauditError
from petaudit.labels.grouping import cuts, keep, quantile_cuts, quantiles, rare, round_between, tree
from petaudit.labels.hierarchies import Hierarchies
from petaudit.labels.rule_forms import RULE_EXAMPLES, parse_rule
from petaudit.labels.rules import PathRule

WARDS = ["surgery"] * 6 + ["eyes"] * 3 + ["skin", "teeth"]


def made(entry: dict[str, Any]) -> PathRule:
    rule = parse_rule("x", entry)
    assert isinstance(rule, PathRule)
    return rule


@pytest.mark.parametrize(
    ("leaf", "expected"),
    [
        ("17", ("17", "<18", "<40", "*")),
        ("18", ("18", "[18,40[", "<40", "*")),
        ("39.9", ("39.9", "[18,40[", "<40", "*")),
        ("40", ("40", "[40,65[", ">=40", "*")),
        ("65", ("65", ">=65", ">=40", "*")),
    ],
)
def test_numbers_fall_between_cuts(leaf: str, expected: tuple[str, ...]) -> None:
    rule = made({"cuts": [[18, 40, 65], [40]]})
    assert rule.build("age", [leaf]).path_of(leaf) == expected


def test_closed_cuts_are_written_as_people_do() -> None:
    paths = made({"cuts": [18, 40], "closed": True, "other": True}).build("age", ["18", "2", "x"])
    assert [paths.generalize(leaf, 1) for leaf in ("18", "2", "x")] == ["18-39", "<18", "other"]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"cuts": [[18, 40], [50]]}, "50 is not one of the level before"),
        ({"cuts": [[40, 18]]}, "must grow"),
        ({"cuts": []}, "at least one number"),
        ({"cuts": [[18, 19]], "closed": True}, "2 or more apart"),
        ({"quantiles": [8, 3]}, "3 groups do not come of 8"),
        ({"quantiles": [1]}, ">= 2"),
        ({"quantiles": [True]}, ">= 2"),
        ({"rare": []}, "at least one"),
        ({"rare": [5, 3]}, "must grow"),
        ({"rare": ["120%"]}, "120%"),
        ({"rare": [1]}, "from 2 on"),
        ({"keep": [["a"], ["b"]]}, "must nest"),
        ({"keep": [["other"]]}, "cannot be kept"),
        ({"tree": 5}, "tree must be"),
        ({"quantile": [4]}, "did you mean 'quantiles'?"),
        ({"cuts": [18], "closde": True}, "closed"),
    ],
)
def test_a_wrong_rule_is_refused(entry: dict[str, Any], said: str) -> None:
    with pytest.raises(HierarchyError, match="'x'") as caught:
        parse_rule("x", entry)
    assert said in str(caught.value)


@given(
    rows=st.dictionaries(st.fractions(-50, 50, max_denominator=8), st.integers(1, 9), min_size=1),
    groups=st.sampled_from([(2,), (4, 2), (8, 4, 2), (9, 3), (6, 3)]),
)
@settings(max_examples=examples(150))
def test_quantile_cuts_part_the_rows_as_evenly_as_any(
    rows: dict[Fraction, int], groups: tuple[int, ...]
) -> None:
    """Every cut has the number of rows below it that is nearest to its share of all rows."""
    levels = quantile_cuts(rows, groups)
    total, numbers = sum(rows.values()), sorted(rows)
    possible = {sum(rows[n] for n in numbers[:place]) for place in range(1, len(numbers))}
    for level in levels:
        assert level == sorted(set(level))
        assert set(level) <= set(levels[0])
    if not levels:
        assert len(numbers) == 1
        return
    below = {sum(times for n, times in rows.items() if n < cut) for cut in levels[0]}
    for part in range(1, groups[0]):
        nearest = min(abs(number * groups[0] - total * part) for number in possible)
        assert nearest in {abs(number * groups[0] - total * part) for number in below}
    assert below <= possible


@given(low=st.fractions(-1000, 1000), width=st.fractions(Fraction(1, 1000), 100))
@settings(max_examples=examples(150))
def test_a_round_cut_parts_the_same_numbers(low: Fraction, width: Fraction) -> None:
    high = low + width
    assert low < round_between(low, high) <= high


def test_quantiles_are_the_same_for_the_same_table_and_can_be_written_out() -> None:
    ages = [str(age) for age in (18, 18, 23, 31, 40, 52, 60, 66, 71)]
    rule = quantiles(4, 2, other=True)
    one = rule.build("age", [*ages, "x"])
    assert one.path_of("x") == ("x", "other", "other", "*")
    assert {leaf: one.path_of(leaf) for leaf in ages} == {
        leaf: rule.build("age", [*reversed(ages), "x"]).path_of(leaf) for leaf in ages
    }
    fixed = rule.fixed_for("age", [*ages, "x"])
    assert fixed.form is not None
    again = made(json.loads(json.dumps(fixed.form)))
    assert {leaf: again.build("age", [leaf]).path_of(leaf) for leaf in ages} == {
        leaf: one.path_of(leaf) for leaf in ages
    }
    # Another table has other quantiles, and the same labels by what was written out.
    assert again.build("age", ["19"]).path_of("19") == ("19", "<20", "<40", "*")


def test_levels_of_quantiles_that_would_not_be_coarser_are_left_out() -> None:
    assert quantiles(4, 2).build("x", ["1", "1", "1", "2"]).levels == 3
    assert quantiles(4).build("x", ["7", "7"]).path_of("7") == ("7", "*")


def test_rare_values_become_others_level_by_level() -> None:
    built = made({"rare": [2, "50%"]}).build("ward", WARDS)
    assert built.path_of("surgery") == ("surgery", "surgery", "surgery", "*")
    assert built.path_of("eyes") == ("eyes", "eyes", "other 2", "*")
    assert built.path_of("teeth") == ("teeth", "other", "other 2", "*")
    fixed = rare(2, 0.5).fixed_for("ward", Counter(WARDS))
    assert fixed.form == {"keep": [["surgery", "eyes"], ["surgery"]]}
    assert made(dict(fixed.form)).build("ward", ["new"]).path_of("new")[1:] == (
        *("other", "other 2", "*"),
    )


def test_a_value_called_as_the_others_is_refused_with_the_way_out() -> None:
    """Who reads ``other`` in the released table could not tell which is meant."""
    with pytest.raises(HierarchyError, match="'other' of other values"):
        rare(2).build("ward", [*WARDS, "other"])
    built = rare(2, other="rare ones").build("ward", [*WARDS, "other"])
    assert built.path_of("other") == ("other", "rare ones", "*")


def test_a_population_gets_the_labels_of_the_table_that_was_generalised() -> None:
    """Quantiles of the population would be others, and its people in other classes."""
    ages = [str(age) for age in range(20, 60)]
    original = pa.table({"age": ages})
    population = pa.table({"age": [*ages, *[str(age) for age in range(50, 90)]]})
    rules = {"age": quantiles(2)}
    released = petaudit.generalize(original, levels={"age": 1}, hierarchies=rules)
    given = {"quasi_identifiers": "age", "hierarchies": rules, "population": population}
    assert petaudit.k_map(released, original=original, **given).value == 20
    with pytest.raises(PetauditError, match="depends on the table"):
        petaudit.k_map(released, **given)


def test_two_tables_have_quantiles_of_their_own() -> None:
    rules = Hierarchies.of({"age": quantiles(2)})
    one = rules.get("age", lambda _: ["1", "2"])
    two = rules.get("age", lambda _: ["1", "2", "7", "8"])
    assert (one.generalize("1", 1), two.generalize("1", 1)) == ("<2", "<5")


def test_a_tree_stands_in_the_rule_or_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "towns.yaml").write_text(
        "Europe:\n  France: [Paris, Lyon]\n  Italy: [Rome]\nPeru: [Lima]\n"
    )
    (tmp_path / "rules.yaml").write_text(
        "town: {tree: towns.yaml, other: true}\nward: {tree: [[eyes, ears], [skin]]}\n"
    )
    known = Hierarchies.of(tmp_path / "rules.yaml")
    towns = known.get("town", lambda _: ["Paris", "Lima", "Oslo"])
    assert towns.path_of("Paris") == ("Paris", "France", "Europe", "*")
    assert towns.path_of("Lima") == ("Lima", "Lima", "Peru", "*")
    assert towns.path_of("Oslo") == ("Oslo", "other", "other", "*")
    assert known.get("ward", lambda _: ["eyes"]).path_of("eyes") == ("eyes", "eyes | ears", "*")
    # What is measured with it is told apart by its content.
    assert tmp_path / "towns.yaml" in known.files


def test_the_files_of_rules_in_a_pipeline_are_beside_it(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("town,street\nRome,a\nOslo,b\n")
    (tmp_path / "towns.yaml").write_text("South: [Rome]\nNorth: [Oslo]\n")
    (tmp_path / "streets.csv").write_text("a;*\nb;*\n")
    pipeline = tmp_path / "audit.yaml"
    pipeline.write_text(
        "Loader:\n"
        "  t:\n"
        "    filepath: t.csv\n"
        "    original: t.csv\n"
        "    roles: {quasi_identifier: [town, street]}\n"
        "    hierarchies: {town: {tree: towns.yaml}, street: {file: streets.csv, other: true}}\n"
        "Evaluator:\n"
        "  p: {method: precision, limit: 1}\n"
    )
    assert petaudit.Executor(str(pipeline)).run() == "passed"


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ({"A": ["x"], "B": ["x"]}, "a value in two places"),
        ({"A": {"C": ["x"]}, "B": {"C": ["y"]}}, "a label in two places"),
        ({"A": ["B"], "B": ["x"]}, "a value as well"),
        ({"A": None}, "nothing below"),
        ({"*": ["x"]}, "empty or"),
        ([], "no value"),
    ],
)
def test_a_tree_that_is_none_is_refused(groups: Any, said: str) -> None:
    with pytest.raises(HierarchyError, match=said):
        tree(groups)


def test_every_rule_has_an_example_that_works() -> None:
    import yaml  # noqa: PLC0415

    for example in RULE_EXAMPLES.values():
        assert parse_rule("x", yaml.safe_load(example)) is not None


def test_python_and_text_give_the_same_labels() -> None:
    ages = [str(age) for age in range(0, 99, 7)]
    for rule, entry in (
        (cuts([20, 50], [50]), {"cuts": [[20, 50], [50]]}),
        (quantiles(4, 2), {"quantiles": [4, 2]}),
        (keep(["7"]), {"keep": [["7"]]}),
        (rare(2), {"rare": 2}),
        (tree([ages]), {"tree": [ages]}),
    ):
        built, read = rule.build("x", ages), made(entry).build("x", ages)
        assert [built.path_of(age) for age in ages] == [read.path_of(age) for age in ages]
    with pytest.raises(OptionError):
        cuts()
