"""Where a column tells people apart, classes and uniqueness count people, on every engine."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import petaudit
from conformance.engines import ENGINES, arrow_table, held_by
from measures import people_twin as twin
from petaudit.errors import InputError, NotMeasurableError, PetauditError, RoleError
from petaudit.inputs import gather
from petaudit.judging.review import people_notes
from petaudit.measures import Result, all_measures

GIVEN: dict[str, Any] = {
    "quasi_identifiers": list(twin.QIS),
    "sensitive": twin.SENSITIVE,
    "person": twin.PERSON,
}
GAME: dict[str, Any] = {"cost": 3, "gain": 9, "loss": 8, "benefit": 5, "allow_attack": False}
SEEDS = range(6)


def table_of(rows: list[twin.Row]) -> pa.Table:
    return arrow_table(twin.columns(rows))


@pytest.mark.parametrize("suppressed", ["exclude", "class"])
@pytest.mark.parametrize("seed", SEEDS)
def test_classes_count_different_people(seed: int, suppressed: str) -> None:
    rows, as_class = twin.random_rows(seed), suppressed == "class"
    given = GIVEN | {"suppressed": suppressed}
    table = table_of(rows)
    sizes = twin.sizes(rows, as_class=as_class)
    people = sum(sizes)
    result = petaudit.k_anonymity(table, limit=3, **given)
    assert (result.value, result.rows, result.classes) == (sizes[0], people, len(sizes))
    assert result.remedy is not None
    assert result.remedy.rows_breaking == sum(entry for entry in sizes if entry < 3)
    hidden = 0 if as_class else twin.sizes(rows, as_class=True) != sizes
    assert bool(result.suppressed_rows) == bool(hidden)
    risk = petaudit.prosecutor_risk(table, threshold="0.3", **given)
    assert risk.exact_value == Fraction(1, sizes[0])
    assert risk.average == float(Fraction(len(sizes), people))
    assert risk.rows_at_risk == sum(entry for entry in sizes if entry <= 3)
    assert petaudit.marketer_risk(table, **given).exact_value == Fraction(len(sizes), people)
    strict = petaudit.strict_average_risk(table, limit=1, k=2, **given)
    assert (strict.exact_value, strict.passed) == (Fraction(len(sizes), people), sizes[0] >= 2)
    alone = petaudit.sample_uniques(table, **given)
    assert alone.exact_value == Fraction(sizes.count(1), people)
    pays = petaudit.profitability(table, **GAME, **given)
    # An attack pays unless there are more than three people in a class.
    assert pays.rows_worth_attacking == sum(entry for entry in sizes if entry <= 3)
    assert pays.rows_failing_benefit == sum(entry for entry in sizes if entry == 1)


@pytest.mark.parametrize("suppressed", ["exclude", "class"])
@pytest.mark.parametrize("seed", SEEDS)
def test_alpha_is_a_share_of_people(seed: int, suppressed: str) -> None:
    rows, as_class = twin.random_rows(seed), suppressed == "class"
    for reveal in (False, True):
        result = petaudit.alpha_k_anonymity(
            table_of(rows), limit="0.6", k=2, **GIVEN, suppressed=suppressed, reveal_values=reveal
        )
        assert result.exact_value == twin.alpha(rows, as_class=as_class)
        assert result.k == twin.sizes(rows, as_class=as_class)[0]
        labels = [entry.labels for entry in result.attributes[0].worst_classes]
        assert all((entry is not None) == reveal for entry in labels)


@pytest.mark.parametrize("suppressed", ["exclude", "class"])
@pytest.mark.parametrize("seed", SEEDS)
def test_rows_of_one_person_do_not_keep_each_other_from_being_special(
    seed: int, suppressed: str
) -> None:
    rows, as_class = twin.random_rows(seed), suppressed == "class"
    result = petaudit.special_uniques(table_of(rows), **GIVEN, suppressed=suppressed)
    sets = twin.minimal_sets(rows, as_class=as_class)
    special = sum(any(len(entry) < len(twin.QIS) for entry in many) for many in sets.values())
    assert result.exact_value == Fraction(special, len(sets))
    assert result.unique_rows == sum(bool(entry) for entry in sets.values())
    by_size = {entry.columns: entry.minimal_uniques for entry in result.sizes}
    expected: dict[int, int] = {}
    for many in sets.values():
        for entry in many:
            expected[len(entry)] = expected.get(len(entry), 0) + 1
    assert by_size == expected


def test_two_rows_of_one_person_that_differ_elsewhere() -> None:
    """Ann moved: on sex alone both of her rows are hers, and nobody else is a woman."""
    table = pa.table({"who": ["ann", "ann", "bob", "cyd"], "sex": ["f", "f", "m", "m"],
                      "zip": ["1", "2", "1", "1"]})  # fmt: skip
    given: dict[str, Any] = {"quasi_identifiers": ["sex", "zip"]}
    assert petaudit.special_uniques(table, **given).special_rows == 1
    assert petaudit.special_uniques(table, person="who", **given).special_rows == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_people_are_the_same_on_every_engine(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    rows = twin.random_rows(3)
    everybody = [*rows, *(row | {twin.PERSON: f"q{place}"} for place, row in enumerate(rows))]
    tables = [rows, everybody]
    held = [
        held_by(engine, twin.columns(entry), tmp_path / str(place), request)
        for place, entry in enumerate(tables)
    ]
    expected = _outcomes(*map(table_of, tables))
    result = _outcomes(*held)
    if engine == "ibis":
        assert "stay in" in result.pop("special-uniques")
        expected.pop("special-uniques")
    assert result == expected
    assert len(expected["notes"]) == 3
    assert sum(isinstance(entry, dict) for entry in expected.values()) >= 10


def _outcomes(table: Any, population: Any) -> dict[str, Any]:
    inputs = gather(table, population=population, **GIVEN)
    result: dict[str, Any] = {"notes": tuple(people_notes(inputs))}
    for name, options in {
        "k-anonymity": {"limit": 3},
        "k-map": {"limit": 4},
        "alpha-k-anonymity": {"limit": "0.5", "k": 2},
        "prosecutor-risk": {"limit": "0.3"},
        "journalist-risk": {"limit": "0.3"},
        "marketer-risk": {"limit": "0.3"},
        "strict-average-risk": {"limit": "0.3", "k": 2},
        "sample-uniques": {"limit": "0.1"},
        "special-uniques": {"limit": "0.1"},
        "distinction": {"limit": "0.1"},
        "profitability": GAME,
        "delta-presence": {"limit": "0.5"},
        "population-uniqueness": {"limit": "0.5"},
    }.items():
        try:
            entry = all_measures()[name].run(inputs, options)
        except PetauditError as problem:
            result[name] = str(problem)
        else:
            result[name] = entry.to_dict() | {"said": entry.explanation}
    return result


@pytest.mark.parametrize("seed", SEEDS)
def test_who_has_one_row_changes_nothing(seed: int) -> None:
    """With a different person in every row all figures are those of rows."""
    rows = twin.random_rows(seed)
    for place, row in enumerate(rows):
        row[twin.PERSON] = f"n{place}"
    everybody = [*rows, *(row | {twin.PERSON: f"q{place}"} for place, row in enumerate(rows))]
    tables = (table_of(rows), table_of(everybody))
    with_person = gather(tables[0], population=tables[1], **GIVEN)
    without = gather(tables[0], population=tables[1], **GIVEN | {"person": None})
    for measure in all_measures().values():
        if measure.has_same_columns or measure.name in ("model-utility", "utility-bias"):
            continue
        entry: dict[str, Any] = GAME if measure.name == "profitability" else {}
        if measure.missing(without, entry):
            continue
        one, other = (_plain(measure, inputs, entry) for inputs in (with_person, without))
        assert one == other, measure.name


def _plain(measure: Any, inputs: Any, options: dict[str, Any]) -> Any:
    try:
        result: Result = measure.run(inputs, options)
    except PetauditError as problem:
        return type(problem)
    return {
        name: entry
        for name, entry in result.to_dict().items()
        if name not in ("counts", "warnings")
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_the_population_counts_people_after_generalising(seed: int) -> None:
    """Two ages of one person are one person of the class that both fall into."""
    rows = twin.random_rows(seed, nulls=False)
    register = [row | {"age": f"{row['age']}{digit}"} for row in rows for digit in ("1", "2")]
    register += [row | {twin.PERSON: f"q{place % 7}"} for place, row in enumerate(register)]
    letters = sorted({row["age"] for row in rows})
    hierarchy = [[f"{entry}{digit}", entry] for entry in letters for digit in ("1", "2")]
    inputs = gather(
        table_of(rows), population=table_of(register), hierarchies={"age": hierarchy}, **GIVEN
    )
    there = twin.classes([row | {"age": row["age"][0]} for row in register], as_class=True)
    here = twin.classes(rows, as_class=True)
    k_map = petaudit.k_map(table_of(rows), population=table_of(register),
                           hierarchies={"age": hierarchy}, **GIVEN)  # fmt: skip
    assert k_map.value == min(len(there[entry]) for entry in here)
    assert k_map.population_size == len({row[twin.PERSON] for row in register})
    result = inputs.population_classes
    assert int((result.sizes * result.classes).sum()) == sum(len(entry) for entry in here.values())
    risk = all_measures()["delta-presence"].run(inputs, {})
    assert risk.value == float(max(Fraction(len(here[entry]), len(there[entry])) for entry in here))


def test_a_population_without_the_column_has_a_row_per_person() -> None:
    table = pa.table({"who": ["a", "a", "b"], "zip": ["1", "1", "1"]})
    population = pa.table({"zip": ["1", "1", "1", "2"]})
    result = petaudit.k_map(table, population=population, quasi_identifiers="zip", person="who")
    assert (result.value, result.rows, result.population_size) == (3, 2, 4)


def test_too_small_a_population_is_refused() -> None:
    table = pa.table({"who": ["a", "b", "c"], "zip": ["1", "1", "1"]})
    population = pa.table({"who": ["a", "b", "b", "b"], "zip": ["1", "1", "1", "1"]})
    with pytest.raises(InputError, match="2 people, fewer than the 3"):
        petaudit.k_map(table, population=population, quasi_identifiers="zip", person="who")


@pytest.mark.parametrize("role", ["quasi_identifiers", "sensitive"])
def test_the_person_has_no_other_role(role: str) -> None:
    table = pa.table({"who": ["a", "b"], "zip": ["1", "1"]})
    with pytest.raises(RoleError, match="'who' is named as the person and as"):
        gather(table, **{role: "who"}, person="who")


def test_people_of_several_classes_are_no_random_sample() -> None:
    table = pa.table({"who": ["a", "a", "b"], "zip": ["1", "2", "1"]})
    with pytest.raises(NotMeasurableError, match="in several classes"):
        petaudit.population_uniqueness(
            table, quasi_identifiers="zip", person="who", population_size=9
        )
