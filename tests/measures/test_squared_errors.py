"""The squared errors: how far numbers moved, at the worst, in a column and in a row."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import petaudit
from budget import examples
from measures import utility_twin as twin
from measures.running import computing
from petaudit.errors import (
    ColumnError,
    InputError,
    NotMeasurableError,
    OptionError,
    PetauditWarning,
    RoleError,
)
from petaudit.inputs import gather
from petaudit.labels.rules import ranges
from petaudit.measures.attribute_squared_error import attribute_squared_error
from petaudit.measures.record_squared_error import record_squared_error
from strategies import TABLE_ENGINES, arrow_columns, on_engine

attribute_from = computing("attribute-squared-error")
record_from = computing("record-squared-error")
both = pytest.mark.parametrize("measure", [attribute_squared_error, record_squared_error])


# --- agreement with the twin ----------------------------------------------------------------

NUMBERS = [Fraction(n) for n in (20, 21, 25, 34, 39, 55, -3, 0)] + [
    Fraction(1, 2),
    Fraction(-5, 4),
    Fraction(10**9 + 7),
]
GROUPS = {
    "young": (0, 20, 21, 25),
    "old": (34, 39, 55, 120),
    "any": (0, 20, 21, 25, 34, 39, 55, 120),
}
# Labels of a level above that look like numbers; the first is a leaf as well.
ABOVE = {"21": "young", "39.5": "old"}


def written(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else str(float(number))


@dataclass
class Numbers:
    """A column before and after: labels for petaudit, numbers for the twin."""

    before: list[str | None] = field(default_factory=list)
    after: list[str | None] = field(default_factory=list)
    numbers: list[twin.Number] = field(default_factory=list)
    intervals: list[twin.Interval] = field(default_factory=list)


@st.composite
def number_columns(draw: st.DrawFn, rows: int) -> Numbers:
    result = Numbers()
    result.numbers = draw(
        st.lists(st.sampled_from([*NUMBERS, None]), min_size=rows, max_size=rows).filter(
            lambda own: len(set(own) - {None}) > 1
        )
    )
    result.before = [None if number is None else written(number) for number in result.numbers]
    low, high = twin.spanned(result.numbers)

    def inside(start: Fraction, end: Fraction) -> twin.Interval:
        return min(max(start, low), high), min(max(end, low), high)

    for _ in range(rows):
        a, b = sorted(draw(st.tuples(*[st.sampled_from(NUMBERS)] * 2)))
        x, y = written(a), written(b)
        tens = draw(st.integers(-12, 12))
        sign, digits = ("-" if tens < 0 else ""), abs(tens)
        group = draw(st.sampled_from(sorted(GROUPS)))
        members = [Fraction(number) for number in GROUPS[group]]
        choices: list[tuple[str | None, twin.Interval]] = [
            (None, None),
            ("*", (low, high)),
            (x, (a, a)),
            (draw(st.sampled_from([f"[{x},{y}[", f"[{x}, {y})", f"({x};{y}]"])), inside(a, b)),
            (f"{x}-{y}", inside(a, b)),
            (f"{{{x}, {y}}}", inside(a, b)),
            (draw(st.sampled_from([f"<={x}", f"< {x}", f"≤{x}"])), inside(low, a)),
            (draw(st.sampled_from([f">={x}", f">{x}", f"≥ {x}"])), inside(a, high)),
            (group, inside(min(members), max(members))),
            ("21", (Fraction(21), Fraction(21))),
            ("21.0", (Fraction(21), Fraction(21))),
            ("39.5", (Fraction(79, 2), Fraction(79, 2))),
        ]
        ends = sorted(Fraction(f"{sign}{digits}{last}") for last in (0, 9))
        choices.append((f"{sign}{digits}*", inside(ends[0], ends[1])))
        label, interval = draw(st.sampled_from(choices))
        result.after.append(label)
        result.intervals.append(interval)
    for above, group in ABOVE.items():
        number = Fraction(above)
        for spelling in (above, f"{above}.0"):
            rows_with = [row for row, label in enumerate(result.after) if label == spelling]
            if any(result.numbers[row] != number for row in rows_with):
                for row in rows_with:
                    ends = [Fraction(member) for member in GROUPS[group]]
                    result.intervals[row] = inside(min(ends), max(ends))
    return result


@st.composite
def number_tables(draw: st.DrawFn) -> dict[str, Numbers]:
    rows = draw(st.integers(2, 9))
    return {name: draw(number_columns(rows)) for name in "abc"[: draw(st.integers(1, 3))]}


TREE = {
    str(number): [group, above, "any"] for above, group in ABOVE.items() for number in GROUPS[group]
}


@settings(max_examples=examples(150))
@given(table=number_tables(), data=st.data())
def test_the_figures_are_the_twins(table: dict[str, Numbers], data: st.DataObject) -> None:
    rows = len(next(iter(table.values())).before)
    order = data.draw(st.permutations(range(rows)))
    before = {name: entry.before for name, entry in table.items()} | {"id": list(range(rows))}
    after = {name: [entry.after[row] for row in order] for name, entry in table.items()}
    inputs = gather(
        arrow_columns(after | {"id": list(order)}),
        original=arrow_columns(before),
        quasi_identifiers=list(table),
        hierarchies=dict.fromkeys(table, TREE),
        key="id",
    )
    columns = {
        name: twin.attribute_error(entry.numbers, entry.intervals) for name, entry in table.items()
    }
    exact = sum(columns.values(), Fraction(0)) / len(columns)
    result = attribute_from(inputs, limit=exact)
    assert (result.value, result.passed) == (float(exact), True)
    assert attribute_from(inputs, limit=exact + Fraction(1, 10**30)).passed is False
    assert result.columns == {name: float(value) for name, value in columns.items()}
    assert result.left_out == ()

    expected = twin.record_error(
        {name: entry.numbers for name, entry in table.items()},
        {name: entry.intervals for name, entry in table.items()},
    )
    record = record_from(inputs, limit=max(expected, 0))
    assert record.value == pytest.approx(expected, abs=1e-12)
    assert record.passed is True
    assert record_from(inputs, limit=max(expected, 0) + 1e-9).passed is False
    assert 0 <= record.value <= 1
    for name, entry in table.items():
        alone = twin.record_error({name: entry.numbers}, {name: entry.intervals})
        assert record.columns[name] == pytest.approx(alone, abs=1e-12)


# --- by hand --------------------------------------------------------------------------------


def test_attribute_error_by_hand() -> None:
    original = pa.table({"age": [20, 24, 40, 30], "pay": [1.5, 2.5, 1.5, 2.5], "sex": list("FMFM")})
    released = pa.table(
        {"age": ["[20,30[", "*", "40", "3*"], "pay": ["1.5", "1.5", "1.5", "2.5"], "sex": ["*"] * 4}
    )
    names = ["pay", "sex", "age"]
    result = attribute_squared_error(original, released, quasi_identifiers=names)
    # age: 10, 16 (to 40), 0 and 9 (to 39) of 20, 16, 20 and 10; pay: 0, 1, 0, 0 of 1 each.
    age = 1 - Fraction(10**2 + 16**2 + 9**2, 20**2 + 16**2 + 20**2 + 10**2)
    pay = 1 - Fraction(1, 4)
    assert result.columns == {"pay": float(pay), "age": float(age)}
    assert result.value == float((age + pay) / 2)
    assert result.left_out == ("sex",)
    assert result.explanation == (
        f"age {float(age):.4g}; pay 0.75",
        "left out because it is not purely numeric: sex",
    )
    assert result.table("columnwise")["attribute"].values == ["pay", "age"]


def test_record_error_by_hand() -> None:
    original = pa.table({"a": [0, 0, 2, 2], "b": [10, 30, 10, 30]})
    released = pa.table({"a": ["0", "*", "2", "0"], "b": ["10", "30", "10-30", "<=30"]})
    result = record_squared_error(original, released, quasi_identifiers=["a", "b"])
    # Standard deviations 1 and 10: rows move by (0, 0), (2, 0), (0, 2), (2, 2), of (2, 2) each.
    assert result.mean_distance == pytest.approx((2 + 2 + sqrt(8)) / 4, abs=1e-15)
    assert result.largest_mean_distance == pytest.approx(sqrt(8), abs=1e-15)
    assert result.value == pytest.approx(1 - (4 + sqrt(8)) / (4 * sqrt(8)), abs=1e-15)
    assert result.columns == {"a": 0.5, "b": 0.5}
    assert result.explanation[0] == (
        "on average a row is 1.707 standard deviations from its original, of at most 2.828"
    )


@both
def test_a_hierarchy_says_what_its_labels_stand_for(measure: Callable[..., Any]) -> None:
    # "young" covers 20 to 29 though its leaf 10 is younger than anybody here.
    tree = {"10": "young", "20": "young", "29": "young", "40": "old"}
    original, released = pa.table({"age": [20, 40]}), pa.table({"age": ["young", "old"]})
    result = measure(original, released, quasi_identifiers="age", hierarchies={"age": tree})
    lost = Fraction(9, 40) if measure is record_squared_error else Fraction(81, 800)
    assert result.value == pytest.approx(float(1 - lost), abs=1e-15)


@both
@pytest.mark.parametrize("label", ["50", "50.0", "5e1"])
def test_a_number_that_stands_for_others_is_not_itself(
    measure: Callable[..., Any], label: str
) -> None:
    given = {
        "quasi_identifiers": "age",
        "hierarchies": {"age": {"40": "50", "50": "50", "60": "50"}},
    }
    original = pa.table({"age": [40, 50, 60]})
    # Somebody of 40 or 60 can only be at the root, and who is 50 looks like them.
    assert measure(original, pa.table({"age": [label] * 3}), **given).value == 0
    # Where everybody who has it had it before, it is the age.
    assert measure(original, pa.table({"age": ["40", label, "60"]}), **given).value == 1
    # Without a hierarchy it is nothing but a number: errors 10, 0, 10 of 20, 10, 20.
    del given["hierarchies"]
    result = measure(original, pa.table({"age": [label] * 3}), **given)
    lost = Fraction(20, 50) if measure is record_squared_error else Fraction(200, 900)
    assert result.value == pytest.approx(float(1 - lost), abs=1e-15)


@both
def test_a_number_of_the_hierarchy_alone_is_always_a_range(measure: Callable[..., Any]) -> None:
    tree = {"20": ["29.5", "*"], "39": ["29.5", "*"], "60": ["60", "*"]}
    original, released = pa.table({"age": [20, 39, 60]}), pa.table({"age": [29.5, 29.5, 60]})
    result = measure(original, released, quasi_identifiers="age", hierarchies={"age": tree})
    # 20 to 39: errors 19, 19, 0 of 40, 21, 40.
    lost = Fraction(2 * 19**2, 40**2 + 21**2 + 40**2)
    lost = Fraction(38, 101) if measure is record_squared_error else lost
    assert result.value == pytest.approx(float(1 - lost), abs=1e-15)


@both
@pytest.mark.parametrize("engine", TABLE_ENGINES)
def test_every_engine_reads_the_hierarchy(
    measure: Callable[..., Any], engine: str, tmp_path: Path
) -> None:
    tree = {"20": ["29.5", "*"], "39": ["29.5", "*"], "60": ["60", "*"]}
    before, after = {"age": ["20", "39", "60"]}, {"age": ["29.5", "29.5", "60"]}
    given: dict[str, Any] = {"quasi_identifiers": "age", "hierarchies": {"age": tree}}
    held = [
        on_engine(entry | {"id": ["a", "b", "c"]}, engine, tmp_path / name)
        for name, entry in (("before", before), ("after", after))
    ]
    expected = measure(arrow_columns(before), arrow_columns(after), **given).value
    assert measure(*held, key="id", **given).value == pytest.approx(expected, abs=1e-15)


def test_closed_ranges_are_the_integers_that_they_name() -> None:
    """By hand: 20 may have become 39 and lost 19 of at most 30 years, 30 lost 10 of 20, and 50
    lost 10 of 30, since nobody was older. The rule knows that nobody was between 30 and 50.
    """
    original = pa.table({"age": ["20", "30", "50"]})
    rule = {"age": ranges(20, closed=True)}
    released = petaudit.generalize(original, levels={"age": 1}, hierarchies=rule)
    assert released.column("age").to_pylist() == ["20-39", "20-39", "40-59"]
    spelled = attribute_squared_error(original, released, quasi_identifiers="age").value
    assert spelled == 1 - (19**2 + 10**2 + 10**2) / (30**2 + 20**2 + 30**2)
    known = attribute_squared_error(
        original, released, quasi_identifiers="age", hierarchies=rule
    ).value
    assert known == 1 - (10**2 + 10**2) / (30**2 + 20**2 + 30**2)


@both
def test_rules_work_as_well(measure: Callable[..., Any]) -> None:
    original, released = pa.table({"age": [20, 30]}), pa.table({"age": ["[20,30[", "[30,40["]})
    given: dict[str, Any] = {"quasi_identifiers": "age", "hierarchies": {"age": ranges(10)}}
    # The rule knows the values: nobody else is in these ranges.
    assert measure(original, released, **given).value == 1
    # Without it only the label is known, and a person of 20 could be 30.
    del given["hierarchies"]
    assert measure(original, released, **given).value == 0.5


@both
@pytest.mark.parametrize("mark", ["*", "**", "*****"])
def test_marks_alone_say_nothing(measure: Callable[..., Any], mark: str) -> None:
    original, released = pa.table({"zip": [100, 200]}), pa.table({"zip": [mark, "200"]})
    assert measure(original, released, quasi_identifiers="zip").value == 0.5


@both
def test_nulls(measure: Callable[..., Any]) -> None:
    # A null that stays one is right; a number that becomes null, or the other way, is lost.
    original = pa.table({"age": [0, 10, None, None]})
    released = pa.table({"age": ["0", None, None, "5"]})
    result = measure(original, released, quasi_identifiers="age")
    assert result.value == 0.5


@both
def test_numbers_far_outside_cost_no_more_than_the_worst(measure: Callable[..., Any]) -> None:
    original, released = pa.table({"age": [0, 10]}), pa.table({"age": [1000, -1000]})
    assert measure(original, released, quasi_identifiers="age").value == 0
    # Outside, but not far: the distance is what it is.
    released = pa.table({"age": [-5, 10]})
    expected = 0.75 if measure is record_squared_error else 1 - 25 / 200
    assert measure(original, released, quasi_identifiers="age").value == expected


@both
@pytest.mark.parametrize(
    ("after", "expected"), [(["5", "5"], 1), (["*", "[0,9]"], 1), (["5", "6"], 0)]
)
def test_a_constant_column_can_only_become_another(
    measure: Callable[..., Any], after: list[str], expected: int
) -> None:
    result = measure(pa.table({"x": [5, 5]}), pa.table({"x": after}), quasi_identifiers="x")
    assert (result.value, result.columns) == (expected, {"x": expected})


@both
def test_all_suppressed_is_the_worst(measure: Callable[..., Any]) -> None:
    original, released = pa.table({"x": [1, 2, 5]}), pa.table({"x": ["*"] * 3})
    result = measure(original, released, quasi_identifiers="x", limit=0)
    assert (result.value, result.passed) == (0.0, True)
    assert measure(original, original, quasi_identifiers="x", limit=1).passed is True


@both
def test_without_numbers_there_is_no_figure(measure: Callable[..., Any]) -> None:
    table = pa.table({"sex": ["F", "M"], "none": pa.array([None, None], pa.string())})
    with pytest.raises(NotMeasurableError) as caught:
        measure(table, table, quasi_identifiers=["sex", "none"])
    assert str(caught.value) == ("no quasi-identifier of the frame holds numbers only: sex, none")


@both
def test_labels_that_say_nothing_about_numbers(measure: Callable[..., Any]) -> None:
    original, released = pa.table({"age": [20, 40]}), pa.table({"age": ["20", "forties"]})
    with pytest.raises(NotMeasurableError) as caught:
        measure(original, released, quasi_identifiers="age")
    assert str(caught.value) == (
        "column 'age' holds 1 label that is not a number, not a range like [20,30[, and not in a "
        "hierarchy of numbers (unknown: maximal counts such a label as any number), in 1 row of "
        "the frame (data row 2)"
    )
    assert caught.value.with_values == f"{caught.value}: 'forties'"
    result = measure(original, released, quasi_identifiers="age", unknown="maximal")
    assert result.value == 0.5


@both
@pytest.mark.parametrize("unknown", ["maximum", "", None, True, []])
def test_unknown_has_two_choices(measure: Callable[..., Any], unknown: Any) -> None:
    table = pa.table({"age": [20, 40]})
    with pytest.raises(OptionError, match="unknown must be error or maximal, got "):
        measure(table, table, quasi_identifiers="age", unknown=unknown)


@both
def test_inputs_that_do_not_fit(measure: Callable[..., Any]) -> None:
    table, longer = pa.table({"age": [20, 40]}), pa.table({"age": [20, 40, 60]})
    with pytest.raises(InputError, match=r"the tables have different numbers of rows: 3 .* and 2"):
        measure(longer, table, quasi_identifiers="age")
    with pytest.raises(RoleError, match="no quasi-identifier is known"):
        measure(table, table)
    with pytest.raises(ColumnError, match="unknown column 'age'"):
        measure(pa.table({"years": [20, 40]}), table, quasi_identifiers="age")
    keyed = pa.table({"age": [20, 40], "id": [1, 1]})
    with pytest.raises(InputError, match="key column 'id' of the frame holds a value more than"):
        measure(keyed, keyed, quasi_identifiers="age", key="id")


@both
def test_limits(measure: Callable[..., Any]) -> None:
    table = pa.table({"age": [20, 40]})
    with pytest.warns(PetauditWarning, match="the figure never exceeds 1, so no table meets it"):
        assert measure(table, table, quasi_identifiers="age", limit=1.5).passed is False
    with pytest.raises(
        OptionError, match=r"the limit of \w+-squared-error must not be negative, got -1"
    ):
        measure(table, table, quasi_identifiers="age", limit=-1)


@pytest.mark.parametrize("engine", TABLE_ENGINES)
@pytest.mark.parametrize(
    ("measure", "limit", "passed"),
    [
        # 0.2 of 1 in one row of two, written in decimals that no float has.
        (attribute_squared_error, "0.98", True),
        (attribute_squared_error, 0.98, True),
        (attribute_squared_error, "0.9800000000000000000001", False),
        (record_squared_error, "0.9", True),
        (record_squared_error, "0.9000000000000001", True),
        (record_squared_error, "0.900000000002", False),
    ],
)
def test_a_figure_that_equals_its_limit_keeps_it(
    measure: Callable[..., Any], limit: Any, passed: bool, engine: str, tmp_path: Path
) -> None:
    tables = [
        on_engine({"x": cells, "other": ["p", "q"]}, engine, tmp_path / name)
        for name, cells in (("before", ["0.1", "1.1"]), ("after", ["0.3", "1.1"]))
    ]
    assert measure(*tables, quasi_identifiers="x", limit=limit).passed is passed


# --- the reference table --------------------------------------------------------------------


def test_the_ages_of_adult(shared_data: Path, tmp_path: Path) -> None:
    adult = shared_data / "adult"
    ages: list[list[str]] = []
    for name in ("adult.csv", "adult_anonymized.csv"):
        with (adult / name).open(encoding="utf-8", newline="") as file:
            [header, *rows] = csv.reader(file, delimiter=";")
        place = [column.strip() for column in header].index("age")
        ages.append([row[place].strip() for row in rows])
    before = [Fraction(age) for age in ages[0]]
    span = twin.spanned(before)
    # The side-car's hierarchy has numbers above its leaves, 50 is its root.
    under: dict[str, list[int]] = {}
    for line in (adult / "adult_hierarchy/adult_hierarchy_age.csv").read_text().split():
        leaf, *above = line.split(";")
        for label in above:
            under.setdefault(label, []).append(int(leaf))
    changed = {new for old, new in zip(*ages, strict=True) if old != new}
    assert "50" in changed

    def interval(label: str) -> tuple[Fraction, Fraction]:
        if label == "*":
            return span
        leaves = under[label] if label in changed & set(under) else [int(label)]
        return max(Fraction(min(leaves)), span[0]), min(Fraction(max(leaves)), span[1])

    after = [interval(age) for age in ages[1]]
    tables = (adult / "adult.csv", adult / "adult_anonymized.csv")
    result = attribute_squared_error(*tables, quasi_identifiers=["sex", "age"])
    assert result.value == float(twin.attribute_error(before, after))
    assert result.value == pytest.approx(0.7090353228930368, abs=1e-12)
    record = record_squared_error(*tables, quasi_identifiers=["sex", "age"])
    assert record.value == pytest.approx(0.6180426329547826, abs=1e-12)
    # With one column the deviation cancels out.
    moved = sum(twin.cell(x, y, span)[0] for x, y in zip(before, after, strict=True))
    most = sum(twin.cell(x, y, span)[1] for x, y in zip(before, after, strict=True))
    assert record.value == pytest.approx(float(1 - Fraction(moved) / most), abs=1e-12)
    # With every age at the root, nothing is left (issue 15: read as a number it was 0.897).
    path = tmp_path / "released.csv"
    path.write_text("age\n" + "50\n" * len(before), encoding="utf-8")
    original = arrow_columns({"age": ages[0]})
    given: dict[str, Any] = {"quasi_identifiers": "age", "hierarchies": adult / "adult_hierarchy"}
    assert attribute_squared_error(original, path, **given).value == 0
    assert record_squared_error(original, path, **given).value == 0
    assert attribute_squared_error(original, original, **given).value == 1
