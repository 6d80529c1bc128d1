"""What comes out keeps its limits, holds no identifier, and is of the kind that went in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import petaudit
from petaudit.anonymizing import best
from petaudit.anonymizing.conditions import LIMITS
from petaudit.anonymizing.infeasible import InfeasibleError
from petaudit.auditing.advice import NOT_SEARCHED
from petaudit.auditing.dropping import is_of_classes
from petaudit.errors import ColumnError, OptionError, OutOfReachError, UndecidedError
from petaudit.judging.document import ANONYMIZE
from petaudit.measures import all_measures
from petaudit.reports.reading import view_of

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

SICK = {"illness": "sensitive_attribute"}
ROWS = {
    "name": ["Ann Lee", "Bob Ray", "Cy Poe", "Di Fox", "Ed Kay", "Flo Oak"],
    "age": [23, 24, 27, 61, 62, 68],
    "zip": ["10115", "10115", "10117", "20095", "20095", "20095"],
    "illness": ["flu", "cold", "flu", "flu", "cold", "cold"],
}
HIERARCHIES = {"age": petaudit.ranges(10), "zip": petaudit.mask_right()}
GIVEN: dict[str, Any] = {
    "roles": {"name": "identifier", "age": "quasi_identifier", "zip": "quasi_identifier"},
    "hierarchies": HIERARCHIES,
    "recoding": "global",
}


def test_the_worked_example() -> None:
    """Decades hold three people each; one digit less of the first postcodes makes them equal."""
    made = petaudit.anonymize(pa.table(ROWS), limits={"k-anonymity": 3}, **GIVEN)
    assert made.table.to_pydict() == {
        "age": ["[20,30["] * 3 + ["[60,70["] * 3,
        "zip": ["1011*"] * 3 + ["2009*"] * 3,
        "illness": ROWS["illness"],
    }
    assert made.audit["k-anonymity"].value == 3
    assert made.optimal
    assert made.bound == made.loss
    assert repr(made).startswith("<Anonymized the frame: 6 rows, 0 suppressed, loss 0.")


def test_a_pandas_frame_keeps_its_index_and_types() -> None:
    frame = pd.DataFrame(ROWS, index=[*"uvwxyz"])
    made = petaudit.anonymize(frame, limits={"k-anonymity": 3}, **GIVEN).table
    assert isinstance(made, pd.DataFrame)
    assert made.index.tolist() == [*"uvwxyz"]
    assert made.columns.tolist() == ["age", "zip", "illness"]


def test_categories_of_dropped_rows_are_not_released() -> None:
    jobs = pd.Categorical(["cook", "cook", "judge", "astronaut"], ordered=True)
    frame = pd.DataFrame({"age": [20, 20, 20, 50], "job": jobs})
    made = petaudit.anonymize(
        frame,
        quasi_identifiers="age",
        limits={"k-anonymity": 3},
        levels={"age": 0},
        max_suppression=1,
        drop_suppressed=True,
    )
    assert list(made.table["job"]) == ["cook", "cook", "judge"]
    assert list(made.table["job"].cat.categories) == ["cook", "judge"]
    assert list(frame["job"].cat.categories) == ["astronaut", "cook", "judge"]


def test_a_polars_frame_stays_one() -> None:
    made = petaudit.anonymize(pl.DataFrame(ROWS), limits={"k-anonymity": 3}, **GIVEN).table
    assert isinstance(made, pl.DataFrame)


def test_a_column_that_stays_as_it_is_keeps_its_type() -> None:
    table = pa.table({"age": [23, 23, 61, 61]})
    made = petaudit.anonymize(table, quasi_identifiers="age", limits={"k-anonymity": 2})
    assert made.table.equals(table)
    assert made.loss == 0


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        ({}, ["age", "zip", "illness"]),
        ({"identifier_columns": "mask"}, ["name", "age", "zip", "illness"]),
        ({"keep": ["name", "age"]}, ["name", "age", "zip", "illness"]),
    ],
)
def test_identifiers_are_released_only_if_asked_for(
    options: dict[str, Any], columns: list[str]
) -> None:
    made = petaudit.anonymize(pa.table(ROWS), limits={"k-anonymity": 3}, **GIVEN, **options)
    assert made.table.column_names == columns
    assert made.audit.exit_code == 0
    if "name" in columns:
        names = made.table["name"].to_pylist()
        assert names == (ROWS["name"] if "keep" in options else ["*"] * 6)


def test_people_are_counted_and_their_column_is_left_out() -> None:
    """Three rows of two people are a class of two, three rows of one person are none."""
    table = pa.table({"who": [1, 1, 1, 2, 3, 4], "age": ["20", "20", "20", "21", "30", "31"]})
    ages = {"20": "young", "21": "young", "30": "old", "31": "old"}
    given: dict[str, Any] = {"hierarchies": {"age": ages}, "quasi_identifiers": "age"}
    made = petaudit.anonymize(table, limits={"k-anonymity": 2}, person="who", **given)
    assert made.table.to_pydict() == {"age": ["young"] * 4 + ["old"] * 2}
    assert made.audit["k-anonymity"].value == 2
    with pytest.raises(InfeasibleError):
        petaudit.anonymize(table, limits={"k-anonymity": 5}, person="who", **given)


def test_suppressed_rows_are_a_class_or_leave_the_table() -> None:
    table = pa.table({"age": ["20"] * 3 + ["30", "40"]})
    given: dict[str, Any] = {
        "quasi_identifiers": "age",
        "hierarchies": {"age": {"20": "*", "30": "*", "40": "*"}},
        "limits": {"k-anonymity": 2},
    }
    made = petaudit.anonymize(table, max_suppression=2, **given)
    assert made.table["age"].to_pylist() == ["20"] * 3 + ["*"] * 2
    dropped = petaudit.anonymize(table, max_suppression="40%", drop_suppressed=True, **given)
    assert dropped.table["age"].to_pylist() == ["20"] * 3
    assert (made.rows_suppressed, dropped.rows_suppressed) == (2, 2)
    frame = pd.DataFrame({"age": table["age"].to_pylist()}, index=range(10, 15))
    kept = petaudit.anonymize(frame, max_suppression=2, drop_suppressed=True, **given).table
    assert kept.index.tolist() == [10, 11, 12]


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ({"age": 2}, "*"),
        ({"age": ">=2"}, "*"),
        ({"age": "1-2"}, "[20,30["),
        ({"age": "<=1"}, "[20,30["),
    ],
)
def test_levels_are_fixed_or_bounded(levels: dict[str, Any], expected: str) -> None:
    made = petaudit.anonymize(pa.table(ROWS), limits={"k-anonymity": 3}, levels=levels, **GIVEN)
    assert made.table["age"][0].as_py() == expected


@pytest.mark.parametrize("level", ["<2", "two", "<=1-2", True, ""])
def test_a_level_that_is_none_is_refused(level: Any) -> None:
    with pytest.raises(OptionError, match="level of column 'age' must be"):
        petaudit.anonymize(
            pa.table(ROWS), limits={"k-anonymity": 3}, levels={"age": level}, **GIVEN
        )


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, OptionError, "no limit is given"),
        ({"limits": {"precision": 0.5}}, OutOfReachError, "precision is not about classes"),
        (
            {"limits": {"recursive-l-diversity": 2}, "roles": GIVEN["roles"] | SICK},
            OptionError,
            "give l as well",
        ),
        ({"limits": {"k-anonymity": 2}, "recoding": "lokal"}, OptionError, "did you mean 'local'"),
        ({"limits": {"k-anonymity": 2}, "keep": "nmae"}, ColumnError, "did you mean 'name'"),
        ({"limits": {"k-anonymity": 2}, "weights": {"agee": 2}}, ColumnError, "mean 'age'"),
        ({"limits": {"k-anonymity": 2}, "objektive": "loss"}, OptionError, "mean 'objective'"),
    ],
)
def test_what_cannot_be_asked_for_is_named(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        petaudit.anonymize(pa.table(ROWS), **(GIVEN | options))


@pytest.mark.parametrize("drops", [False, True])
def test_where_nothing_is_left_to_be_judged_there_is_no_release(drops: bool) -> None:
    """Rows with '*' everywhere are left out of the audit, unless they leave the table or stay."""
    table = pa.table({"city": ["Rome", "Oslo", "Lima"], "zip": ["*"] * 3})
    given: dict[str, Any] = {"quasi_identifiers": ["city", "zip"], "limits": {"k-anonymity": 2}}
    if drops:
        made = petaudit.anonymize(table, suppressed="exclude", drop_suppressed=True, **given)
        assert made.released.to_pydict() == {"city": ["*"] * 3, "zip": ["*"] * 3}
        assert made.audit["k-anonymity"].value == 3
    else:
        with pytest.raises(InfeasibleError, match="nothing is left to be judged"):
            petaudit.anonymize(table, suppressed="exclude", **given)


def test_a_result_that_the_audit_refutes_is_never_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search is made to believe that everything may stay as it is."""
    found = best.search

    def wrong(*arguments: Any, **options: Any) -> Any:
        solution = found(*arguments, **options)
        return replace(solution, levels=(0, 0), level_of=np.zeros_like(solution.level_of))

    monkeypatch.setattr(best, "search", wrong)
    with pytest.raises(UndecidedError, match=r"contradicts itself.*k-anonymity"):
        petaudit.anonymize(pa.table(ROWS), limits={"k-anonymity": 3}, **GIVEN)


def test_a_result_that_cannot_be_measured_is_no_contradiction() -> None:
    """A person of the population may be in g, or in the cell that was suppressed to begin with."""
    table = pa.table({"c": ["x", "y", "*", "*"], "d": ["p", "p", "q", "q"]})
    others = pa.table({"c": ["y", "y", "y", "*", "*"], "d": ["p", "p", "p", "q", "q"]})
    with pytest.raises(UndecidedError, match=r"cannot be measured \(delta-presence\).*overlapping"):
        petaudit.anonymize(
            table,
            quasi_identifiers=["c", "d"],
            hierarchies={"c": {"x": ["g", "*"], "y": ["g", "*"]}, "d": {"p": "*", "q": "*"}},
            population=pa.concat_tables([table, others]),
            limits={"delta-presence": 0.5},
        )


def test_no_released_value_is_finer_than_its_level() -> None:
    random = np.random.default_rng(7)
    table = pa.table(
        {
            "age": random.integers(18, 80, 400).astype(str).tolist(),
            "zip": random.integers(10100, 10140, 400).astype(str).tolist(),
        }
    )
    made = petaudit.anonymize(
        table,
        quasi_identifiers=["age", "zip"],
        hierarchies=HIERARCHIES,
        limits={"k-anonymity": 5},
        max_suppression="10%",
    )
    solution, released = made.solution, made.table
    for place, column in enumerate(made.transformation.columns):
        values, labels = table[column.name].to_pylist(), released[column.name].to_pylist()
        allowed = {*np.unique(solution.level_of[~solution.is_suppressed, place]).tolist()}
        assert all(
            label == "*" or label in [column.paths[value][level] for level in allowed]
            for value, label in zip(values, labels, strict=True)
        )
    checked = petaudit.k_anonymity(released, quasi_identifiers=["age", "zip"])
    assert checked.value >= 5


def test_the_document_says_how_the_table_was_made_and_what_was_before() -> None:
    made = petaudit.anonymize(pa.table(ROWS), limits={"k-anonymity": 3}, **GIVEN)
    document = made.to_dict()
    assert (document["command"], document["verdict"]) == (ANONYMIZE, "passed")
    assert document["anonymization"]["levels"] == {"age": 1, "zip": 1}
    view = view_of(document)
    [card] = [card for card in view.cards if card.measure == "k-anonymity"]
    assert card.before is not None
    assert (card.before.value, card.value) == (1, 3)
    assert [part.title for part in view.sections][:2] == [
        "How the table was made",
        "What was generalised",
    ]
    for format_name in ("html", "markdown"):
        text = petaudit.report(document, format=format_name)
        assert "Why not finer?" in text
        assert "Ann Lee" not in text
        assert "10115" not in text
    assert "age: level 1 of 2" in made.explain()


def test_levels_are_proposed_where_no_hierarchy_is_given() -> None:
    table = pa.table({"age": [str(age) for age in range(20, 80)]})
    with pytest.warns(petaudit.PetauditWarning, match="no hierarchy was given for 'age'"):
        made = petaudit.anonymize(table, quasi_identifiers="age", limits={"k-anonymity": 10})
    assert made.audit["k-anonymity"].value >= 10
    assert made.loss < 1


def test_check_advises_a_search_only_for_limits_that_it_can_keep() -> None:
    of_classes = {name for name, measure in all_measures().items() if is_of_classes(measure)}
    assert {*NOT_SEARCHED} == of_classes - {*LIMITS}


def test_an_interrupted_search_keeps_what_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiled loop makes an error of its own of Ctrl-C, and loading one two."""

    def interrupted(*_: object, **__: object) -> None:
        try:
            raise SystemError("error return without exception set") from KeyboardInterrupt()
        except SystemError as problem:
            raise SystemError("returned a result with an exception set") from problem

    monkeypatch.setattr(best, "recode_locally", interrupted)
    given = GIVEN | {"recoding": "local"}
    with pytest.warns(petaudit.PetauditWarning, match="interrupted: this is the best so far"):
        made = petaudit.anonymize(pa.table(ROWS), limits={"k-anonymity": 3}, **given)
    assert made.audit["k-anonymity"].value == 3
    monkeypatch.setattr(best, "search", interrupted)
    with pytest.raises(KeyboardInterrupt):
        petaudit.anonymize(pa.table(ROWS), limits={"k-anonymity": 3}, **given)


def test_the_hierarchy_of_a_sensitive_attribute_counts_in_the_audit_and_for_new_rows() -> None:
    """All kinds of colds are near each other, so that classes of different ones are close."""
    illnesses = ["a1", "a1", "b1", "b1", "a2", "a2", "b1", "b1"]
    table = pa.table({"sex": ["f"] * 4 + ["m"] * 4, "illness": illnesses})
    ills = {"a1": ["a", "*"], "a2": ["a", "*"], "b1": ["b", "*"]}
    given: dict[str, Any] = {
        "quasi_identifiers": "sex",
        "sensitive": "illness",
        "hierarchies": {"sex": {"f": "*", "m": "*"}, "illness": ills},
    }
    options = {"t-closeness": {"limit": 0.2, "distance": "hierarchical"}}
    made = petaudit.anonymize(table, options=options, **given)
    assert made.table["sex"].to_pylist() == ["f"] * 4 + ["m"] * 4
    assert petaudit.apply(made.transformation, table).table.equals(made.table)


def test_local_recoding_says_which_limit_stops_which_rows() -> None:
    """Of 61 and 62 each would be alone with an illness; 23 and 24 are at their finest level."""
    table = pa.table({"age": ["23", "23", "24", "24", "61", "62"], "illness": ["flu", "cold"] * 3})
    ages = [["23", "young", "*"], ["24", "young", "*"], ["61", "old", "*"], ["62", "old", "*"]]
    made = petaudit.anonymize(
        table,
        quasi_identifiers="age",
        sensitive="illness",
        hierarchies={"age": ages},
        limits={"k-anonymity": 2, "l-diversity": 2},
    )
    assert made.table["age"].to_pylist() == ["23", "23", "24", "24", "old", "old"]
    assert (
        "age one level finer in 2 rows, each class by itself: would break k-anonymity in 2 rows, "
        "l-diversity in 2 rows"
    ) in " ".join(made.explain().split())
