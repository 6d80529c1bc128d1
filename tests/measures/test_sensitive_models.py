"""What all models of sensitive attributes have in common, each against its twin."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyarrow import csv, parquet

import petaudit
import strategies
from budget import examples
from measures import sensitive_twin as twin
from measures.sensitive_twin import TwinClass
from petaudit.errors import NotMeasurableError, OptionError, RoleError
from petaudit.inputs import Inputs, gather
from petaudit.measures import Result, find_measure
from petaudit.measures.base import Better
from petaudit.tables import shares
from strategies import Release


@dataclass(frozen=True)
class Model:
    """A measure with its options, and what its twin says of a class."""

    measure: str
    figure: Callable[[TwinClass], Any]
    breaks: Callable[[TwinClass, Fraction], bool]
    options: dict[str, Any] = field(default_factory=dict)
    is_fraction: bool = True

    def compute(self, inputs: Inputs, **options: Any) -> Result:
        return find_measure(self.measure).run(inputs, self.options | options)

    def can_be_broken(self, limit: Fraction) -> bool:
        """Whether it is a limit at all: others are errors."""
        measure = find_measure(self.measure)
        low, high = (0, 1) if self.options.get("l") == 1 else measure.range
        return limit >= low if measure.better is Better.HIGHER else limit <= high

    @property
    def worst(self) -> Callable[..., Any]:
        return max if find_measure(self.measure).better is Better.LOWER else min


def recursive(least: int) -> Model:
    return Model(
        "recursive-l-diversity",
        lambda own: twin.recursive(own, least),
        lambda own, limit: not twin.recursive(own, least) < limit,
        {"l": least},
    )


def delta(base: str, absent: str) -> Model:
    return Model(
        "delta-disclosure",
        lambda own: twin.delta(own, base, absent),
        lambda own, limit: not twin.delta_is_below(own, limit, base, absent),
        {"base": base, "absent": absent},
        is_fraction=False,
    )


MODELS = (
    Model("l-diversity", twin.distinct, lambda entry, limit: twin.distinct(entry) < limit),
    Model("alpha-k-anonymity", twin.alpha, lambda entry, limit: twin.alpha(entry) > limit),
    Model("entropy-l-diversity", twin.entropy, twin.entropy_is_below, is_fraction=False),
    recursive(1),
    recursive(2),
    recursive(3),
    Model("beta-likeness", twin.beta, lambda entry, limit: twin.beta(entry) > limit),
    Model(
        "enhanced-beta-likeness",
        twin.enhanced_beta,
        lambda entry, limit: twin.enhanced_beta(entry) > limit,
    ),
    delta("e", "ignore"),
    delta("2", "ignore"),
    delta("2", "infinite"),
    delta("e", "infinite"),
)
every_model = pytest.mark.parametrize(
    "model", MODELS, ids=lambda item: "-".join([item.measure, *map(str, item.options.values())])
)
COMPARED_WITH_TABLE = {"beta-likeness", "enhanced-beta-likeness", "delta-disclosure"}
LIMITS = ["0", "1/3", "1/2", "2/3", "1", "4/3", "3/2", "2", "3", "0.6931471805599453", "1.5849625"]


def opened(release: Release, **given: Any) -> Inputs:
    return gather(
        strategies.arrow(release.released),
        quasi_identifiers=release.quasi_identifiers,
        sensitive=release.sensitive,
        suppressed=release.suppressed,
        **given,
    )


def twin_classes(release: Release, attribute: str) -> list[TwinClass]:
    rows = [
        {name: None if cell == strategies.NULL else cell for name, cell in row.items()}
        for row in release.released
    ]
    names = release.quasi_identifiers
    return twin.classes(rows, names, attribute, release.suppressed, release.sensitive)


def approx(value: Any) -> Any:
    return pytest.approx(float(value), rel=1e-13, abs=1e-15)


@settings(max_examples=examples(45))
@given(release=strategies.releases())
def test_every_attribute_has_the_figure_of_its_twin(release: Release) -> None:
    inputs = opened(release)
    classes = {name: twin_classes(release, name) for name in release.sensitive}
    for model in MODELS:
        if classes[release.number]:
            _has_the_figures_of(classes, model, inputs)
            continue
        with pytest.raises(NotMeasurableError, match="every row is suppressed"):
            model.compute(inputs)


def _has_the_figures_of(
    classes_of: Mapping[str, list[TwinClass]], model: Model, inputs: Inputs
) -> None:
    result = model.compute(inputs)
    assert [own.attribute for own in result.attributes] == list(classes_of)
    for own in result.attributes:
        classes = classes_of[own.attribute]
        expected = model.worst(map(model.figure, classes))
        assert own.value == approx(expected)
        assert own.classes == len(classes)
        assert own.classes_infinite == sum(model.figure(each) == math.inf for each in classes)
        if model.is_fraction:
            assert own.exact_value == expected
            assert own.value == float(expected)
    assert result.exact_value == model.worst(own.exact_value for own in result.attributes)
    assert result.value == float(result.exact_value)
    assert (result.limit, result.passed, result.remedy) == (None, None, None)
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["measure"] == model.measure
    # Neither revealing labels, which folds no classes, nor unbounded integers change anything.
    revealed = model.compute(replace(inputs, reveal_values=True))
    assert revealed.exact_value == result.exact_value
    with patch.object(shares, "_LARGEST_INT64", 0):
        assert model.compute(inputs) == result


@every_model
@settings(max_examples=examples(30))
@given(release=strategies.releases(), data=st.data())
def test_the_limit_is_broken_by_the_classes_of_the_twin(
    model: Model, release: Release, data: st.DataObject
) -> None:
    by_attribute = [twin_classes(release, name) for name in release.sensitive]
    if not by_attribute[0]:
        return
    # Limits at figures that occur are the ones that rounding would get wrong.
    figures = {model.figure(own) for classes in by_attribute for own in classes}
    # The twin raises ratios to the power of the denominator, where logarithms come in.
    longest = 10**6 if model.is_fraction else 10**3
    near = [Fraction(figure).limit_denominator(longest) for figure in figures if figure != math.inf]
    limits = sorted({*near, *map(Fraction, LIMITS)})
    limit = data.draw(st.sampled_from([own for own in limits if model.can_be_broken(own)]))
    result = model.compute(opened(release), limit=limit)
    any_breaks = [False] * len(by_attribute[0])
    for own, classes in zip(result.attributes, by_attribute, strict=True):
        breaking = [model.breaks(each, limit) for each in classes]
        rows = [each.rows for each, breaks in zip(classes, breaking, strict=True) if breaks]
        assert (own.classes_breaking, own.rows_breaking) == (len(rows), sum(rows))
        any_breaks = [a or b for a, b in zip(any_breaks, breaking, strict=True)]
    rows = sum(own.rows for own, breaks in zip(by_attribute[0], any_breaks, strict=True) if breaks)
    remedy = result.remedy
    assert remedy is not None
    assert result.passed is (rows == 0)
    assert remedy.rows_breaking == rows
    in_classes = sum(own.rows for own in by_attribute[0])
    can_suppress = not rows or (release.suppressed == "exclude" and rows < in_classes)
    assert remedy.rows_to_suppress == (rows if can_suppress else None)
    compares = model.measure in COMPARED_WITH_TABLE
    can_drop = release.suppressed == "class" and not compares and 0 < rows < in_classes
    assert remedy.rows_to_drop == (rows if can_drop else None)


@every_model
@settings(max_examples=examples(15))
@given(release=strategies.releases(), limit=st.sampled_from(LIMITS))
def test_suppressing_what_breaks_the_limit_reaches_it(
    model: Model, release: Release, limit: str
) -> None:
    """Classes are compared with the whole table, suppressed rows included: it stays the same."""
    bound = Fraction(limit)
    assume(model.can_be_broken(bound))
    release = replace(release, suppressed="exclude")
    names = release.quasi_identifiers
    before = [twin_classes(release, name) for name in release.sensitive]
    if not before[0]:
        return
    places = list(dict.fromkeys(tuple(row[name] for name in names) for row in release.released))
    places = [place for place in places if any(label != "*" for label in place)]
    broken = {
        place
        for classes in before
        for place, own in zip(places, classes, strict=True)
        if model.breaks(own, bound)
    }
    rows = [
        row | (dict.fromkeys(names, "*") if tuple(row[name] for name in names) in broken else {})
        for row in release.released
    ]
    suppressed = replace(release, released=rows)
    remedy = model.compute(opened(release), limit=bound).remedy
    assert remedy is not None
    changed = sum(now != then for now, then in zip(rows, release.released, strict=True))
    assert remedy.rows_breaking == changed
    if len(broken) < len(places):
        assert remedy.rows_to_suppress == changed
        assert model.compute(opened(suppressed), limit=bound).passed is True
    else:
        # Nothing would be left to measure.
        assert remedy.rows_to_suppress is None


@settings(max_examples=examples(30))
@given(release=strategies.releases())
def test_the_worst_classes_are_those_of_the_twin(release: Release) -> None:
    classes = twin_classes(release, release.disease)
    if not classes:
        return
    inputs, revealing = opened(release), opened(release, reveal_values=True)
    for model in MODELS:
        folded = model.compute(inputs, worst=99).attributes[1].worst_classes
        expected = Counter((own.rows, round(float(model.figure(own)), 9)) for own in classes)
        assert {(own.rows, round(own.figure, 9)): own.classes for own in folded} == expected
        lowest_first = [own.figure for own in folded]
        if find_measure(model.measure).better is Better.LOWER:
            lowest_first.reverse()
        assert lowest_first == sorted(lowest_first)
        shown = model.compute(revealing, worst=1).attributes[1]
        assert len(shown.worst_classes) == 1
        assert set(shown.worst_classes[0].labels or {}) == set(release.quasi_identifiers)


# --- special tables -------------------------------------------------------------------------


@every_model
def test_one_row_is_a_class_that_gives_everything_away(model: Model) -> None:
    result = model.compute(gather(pa.table({"q": ["a"], "s": ["x"]}), **GIVEN))
    least = model.options.get("l", 1)
    # The only value is as common as in the table: models that compare with it see nothing.
    assert result.value == (0 if model.measure in COMPARES else 1 if least == 1 else math.inf)


GIVEN: dict[str, Any] = {"quasi_identifiers": "q", "sensitive": "s"}


COMPARES = {"beta-likeness", "enhanced-beta-likeness", "delta-disclosure"}


@every_model
def test_a_null_is_a_value_only_where_classes_are_compared_with_the_table(model: Model) -> None:
    with_null = pa.table({"q": list("aaabb"), "s": ["x", None, None, "x", None]})
    hides = list("xyyxy") if model.measure in COMPARES else list("xxxxx")
    with_label = pa.table({"q": list("aaabb"), "s": hides})
    result = model.compute(gather(with_null, **GIVEN), limit=1)
    assert result == model.compute(gather(with_label, **GIVEN), limit=1)


@every_model
def test_a_null_is_a_quasi_identifier_of_its_own(model: Model) -> None:
    with_null = pa.table({"q": ["a", "a", None, None, None], "s": list("xyyxy")})
    result = model.compute(gather(with_null, **GIVEN), limit=1)
    assert result.attributes[0].classes == 2
    assert result == model.compute(
        gather(pa.table({"q": list("aabbb"), "s": list("xyyxy")}), **GIVEN), limit=1
    )


@every_model
def test_suppressed_rows_are_in_no_class_but_in_the_table(model: Model) -> None:
    table = pa.table({"q": ["a", "a", "*", "*"], "s": ["x", "x", "y", "y"]})
    for suppressed, classes in (("exclude", 1), ("class", 2)):
        result = model.compute(gather(table, suppressed=suppressed, **GIVEN), limit=1)
        own = twin.classes(
            [{"q": q, "s": s} for q, s in zip("aa**", "xxyy", strict=True)], ("q",), "s", suppressed
        )
        assert result.attributes[0].classes == classes == len(own)
        assert result.value == approx(model.worst(map(model.figure, own)))


@every_model
def test_a_table_of_suppressed_rows_cannot_be_measured(model: Model) -> None:
    table = pa.table({"q": ["*", "*"], "s": ["x", "y"]})
    with pytest.raises(NotMeasurableError, match="every row is suppressed: there is no class"):
        model.compute(gather(table, suppressed="exclude", **GIVEN), limit=1)
    assert model.compute(gather(table, **GIVEN), limit=1).attributes


@every_model
def test_without_a_sensitive_attribute_there_is_an_error(model: Model) -> None:
    inputs = gather(pa.table({"q": ["a"], "s": ["x"]}), quasi_identifiers="q")
    with pytest.raises(RoleError, match="no sensitive attribute is known"):
        model.compute(inputs)


@every_model
@pytest.mark.parametrize("engine", strategies.TABLE_ENGINES)
def test_every_engine_gives_the_same(model: Model, engine: str, tmp_path: Path) -> None:
    columns = {
        "q": ["a", "a", "a", "b", "b", None, None, "*"],
        "s": ["x", "x", "y", "x", None, "z", "x", "z"],
        "t": [1, 2, 2, 1, 2, 2, 1, 1],
    }
    asked: dict[str, Any] = {"quasi_identifiers": "q", "sensitive": ["s", "t"]}
    expected = model.compute(gather(strategies.arrow_columns(columns), **asked), limit=1)
    table = strategies.on_engine(columns, engine, tmp_path / "table")
    assert model.compute(gather(table, **asked), limit=1) == expected


@every_model
def test_attributes_are_judged_in_the_classes_of_the_quasi_identifiers_alone(model: Model) -> None:
    """Grouping by the other sensitive column as well would leave classes of one row each."""
    table = pa.table({"q": list("aaaa"), "s": list("xyxy"), "t": list("ppqq")})
    both = model.compute(gather(table, quasi_identifiers="q", sensitive=["s", "t"]))
    for name, own in zip("st", both.attributes, strict=True):
        alone = model.compute(gather(table, quasi_identifiers="q", sensitive=name))
        assert (own.value, own.classes) == (alone.value, 1)


# --- options, tables, words -----------------------------------------------------------------


@every_model
def test_wrong_options_are_errors(model: Model) -> None:
    inputs = gather(pa.table({"q": ["a"], "s": ["x"]}), **GIVEN)
    for worst in (-1, 1.5, True, "3", None):
        with pytest.raises(OptionError, match=r"^worst must be an integer >= 0, got .*$"):
            model.compute(inputs, worst=worst)
    for limit, message in (
        ("x", "must be a finite number, got 'x'"),
        (-1, "must not be negative, got -1"),
    ):
        with pytest.raises(OptionError, match=f"^the limit of {model.measure} {message}$"):
            model.compute(inputs, limit=limit)


@every_model
def test_a_result_is_laid_out_as_tables(model: Model) -> None:
    table = pa.table({"q": list("aaabb"), "s": list("xxyyx"), "t": list("ppppp")})
    inputs = gather(table, quasi_identifiers="q", sensitive=["s", "t"], reveal_values=True)
    result = model.compute(inputs, limit=1)
    columnwise = result.table("columnwise")
    assert columnwise["attribute"].values == ["s", "t"]
    assert columnwise["value"].values == [own.value for own in result.attributes]
    assert columnwise["rows_breaking"].values == [own.rows_breaking for own in result.attributes]
    assert result.table("global")["value"].values == [result.value]
    assert set(result.table("details", with_values=True)["labels"].values) == {("a",), ("b",)}
    assert set(result.table("details")["labels"].values) == {None}
    with pytest.raises(OptionError, match=r"has no table 'detail' .did you mean 'details'"):
        result.table("detail")


@every_model
def test_the_explanation_is_short_and_holds_no_value(model: Model) -> None:
    table = pa.table(
        {"q": ["secret-1"] * 3 + ["secret-2"], "s": ["secret-3"] * 2 + ["secret-4"] * 2}
    )
    result = model.compute(gather(table, reveal_values=True, **GIVEN), limit=1)
    assert 2 <= len(result.explanation) <= 4
    assert result.explanation[0].startswith("s: ")
    assert "2 classes" in result.explanation[0]
    assert not any("secret" in line for line in result.explanation)
    assert result.remedy is not None
    assert result.explanation[-1] == result.remedy.text


@every_model
def test_the_function_does_what_the_measure_does(model: Model) -> None:
    import petaudit  # noqa: PLC0415

    table = pa.table({"q": list("aaabb"), "s": list("xxyyx")})
    function = getattr(petaudit, model.measure.replace("-", "_"))
    assert function(table, limit=1, **model.options, **GIVEN) == model.compute(
        gather(table, **GIVEN), limit=1
    )


@every_model
def test_what_is_declared_is_what_is_done(model: Model) -> None:
    measure = find_measure(model.measure)
    result = model.compute(gather(pa.table({"q": list("aab"), "s": list("xyx")}), **GIVEN))
    assert (result.measure, result.better) == (measure.name, measure.better)
    low, high = measure.range
    assert low <= result.value <= high
    assert "doi 10." in measure.reference
    strict = model.measure in {"recursive-l-diversity", "delta-disclosure"}
    assert result.is_strict is strict


def test_suppressed_sensitive_cells_are_said_unless_their_rows_are_suppressed() -> None:
    table = pa.table({"zip": ["1", "1", "*"], "illness": ["flu", "*", "*"]})
    given: dict[str, Any] = {"quasi_identifiers": "zip", "sensitive": "illness"}
    for model in MODELS:
        [said] = model.compute(gather(table, **given)).warnings
        assert said.startswith("column 'illness' has 2 cells with '*', which counts")
        marks, rows = model.compute(gather(table, suppressed="exclude", **given)).warnings
        assert marks.startswith("column 'illness' has 1 cell with '*', which counts")
        assert rows == (
            "left out (suppressed: exclude): 1 row with '*' in every quasi-identifier, though "
            "anyone who fits no other class is known to be among them"
        )
    quiet = pa.table({"zip": ["1", "1", "*"], "illness": ["flu", "cold", "*"]})
    for model in MODELS:
        [said] = model.compute(gather(quiet, suppressed="exclude", **given)).warnings
        assert said == rows


@pytest.mark.parametrize("measure", ["k-anonymity", "l-diversity", "entropy-l-diversity"])
def test_a_limit_that_every_table_holds_is_said(measure: str) -> None:
    table = pa.table({"zip": ["1", "1"], "illness": ["flu", "cold"]})
    inputs = gather(table, quasi_identifiers="zip", sensitive="illness")
    own = find_measure(measure)
    [said] = own.run(inputs, {"limit": 1}).warnings
    assert (
        said == f"the limit of {measure} is 1; the figure is never below 1, so every table meets it"
    )
    assert not own.run(inputs, {"limit": "1.1"}).warnings


@pytest.mark.parametrize("kind", ["arrow", "csv", "parquet"])
def test_which_of_equal_classes_are_shown_depends_on_nothing_but_labels(
    kind: str, tmp_path: Path
) -> None:
    rows = [(f"z{row % 13}", f"a{row % 7}", "xyz"[row % 3]) for row in range(182)]
    shown = set()
    for seed in range(5):
        random.Random(seed).shuffle(rows)  # noqa: S311
        table: Any = pa.table(
            dict(zip(("zip", "age", "ill"), zip(*rows, strict=True), strict=True))
        )
        if kind != "arrow":
            write = csv.write_csv if kind == "csv" else parquet.write_table
            write(table, tmp_path / f"t.{kind}")
            table = tmp_path / f"t.{kind}"
        result = petaudit.l_diversity(
            table, quasi_identifiers=["zip", "age"], sensitive="ill", reveal_values=True
        )
        shown.add(str(result.attributes))
    assert len(shown) == 1
    assert result.attributes[0].worst_classes[0].labels == {"zip": "z0", "age": "a0"}
