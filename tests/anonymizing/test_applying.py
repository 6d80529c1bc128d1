"""Other rows are treated as those of the original, and never worse protected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import petaudit
from petaudit.anonymizing.releasing import refuse_written
from petaudit.anonymizing.transformation import Transformation
from petaudit.errors import ColumnError, OutOfReachError
from petaudit.tables import open_source

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

ORIGINAL = pa.table(
    {
        "id": ["A-1", "A-2", "A-3", "A-4", "A-5", "A-6"],
        "age": ["23", "24", "27", "61", "62", "68"],
        "illness": ["flu", "cold", "flu", "flu", "cold", "cold"],
    }
)


def transformation(**more: Any) -> Transformation:
    given: dict[str, Any] = {
        "roles": {"id": "identifier", "age": "quasi_identifier", "illness": "sensitive_attribute"},
        "hierarchies": {"age": petaudit.ranges(10)},
        "limits": {"k-anonymity": 2},
        **more,
    }
    return petaudit.anonymize(ORIGINAL, **given).transformation


def rows(ages: list[str], **more: list[str]) -> pa.Table:
    numbers = [f"B-{number}" for number in range(len(ages))]
    return pa.table({"id": numbers, "age": ages, "illness": ["flu"] * len(ages), **more})


def test_the_original_gets_the_labels_that_it_got() -> None:
    known = transformation()
    released = petaudit.apply(known, ORIGINAL)
    assert released.table.to_pydict() == {
        "age": ["[20,30["] * 3 + ["[60,70["] * 3,
        "illness": ORIGINAL["illness"].to_pylist(),
    }
    assert released.rows_suppressed == 0


@pytest.mark.parametrize(
    "given",
    [
        {"limits": {"k-anonymity": 3}, "suppressed": "exclude", "max_suppression": 2},
        {"limits": {"k-map": 4}, "population": pa.concat_tables([ORIGINAL, ORIGINAL])},
        {
            "limits": {"t-closeness": 0.3},
            "options": {"t-closeness": {"distance": "hierarchical"}},
            "hierarchies": {
                "age": petaudit.ranges(10),
                "illness": [["flu", "airways", "*"], ["cold", "airways", "*"], ["ache", "o", "*"]],
            },
        },
    ],
)
def test_the_original_is_judged_as_it_was(given: dict[str, Any], tmp_path: Path) -> None:
    """Also where suppressed rows are nobody's, people are counted elsewhere, or values are near."""
    original = ORIGINAL.slice(0, 5) if "suppressed" in given else ORIGINAL
    asked = {"quasi_identifiers": "age", "sensitive": "illness"}
    made = petaudit.anonymize(
        original, **{"hierarchies": {"age": petaudit.ranges(10)}, **asked, **given}
    )
    made.transformation.write(tmp_path / "x.json")
    again = petaudit.apply(tmp_path / "x.json", original, population=given.get("population"))
    assert again.released.equals(made.released)
    (measure,) = given["limits"]
    assert again.audit[measure].value == made.audit[measure].value
    refuse_written(
        again.inputs, again.released, made.transformation.limits, open_source(again.released)
    )


def test_unseen_values_and_small_classes_are_suppressed() -> None:
    """99 was never seen, and one person in their sixties is no class of two."""
    released = petaudit.apply(transformation(), rows(["23", "24", "99", "61", "24"]))
    assert released.table["age"].to_pylist() == ["[20,30[", "[20,30[", "*", "*", "[20,30["]
    assert released.rows_suppressed == 2
    assert released.audit["k-anonymity"].value == 2


def test_rows_that_are_no_class_alone_are_one_together() -> None:
    """One person in each decade: with '*' for both they are a class of two."""
    released = petaudit.apply(transformation(), rows(["23", "61"]))
    assert released.table["age"].to_pylist() == ["*", "*"]
    assert released.audit["k-anonymity"].value == 2
    with pytest.raises(OutOfReachError, match="k-anonymity"):
        petaudit.apply(transformation(), rows(["23", "61"]), drop_suppressed=True)


def test_limits_hold_for_the_rows_or_there_is_no_table() -> None:
    new = rows(["23", "24", "99"])
    with pytest.raises(OutOfReachError, match=r"k-anonymity would not hold.*drop_suppressed"):
        petaudit.apply(transformation(), new)
    dropped = petaudit.apply(transformation(), new, drop_suppressed=True)
    assert dropped.table["age"].to_pylist() == ["[20,30["] * 2
    with pytest.raises(OutOfReachError, match="k-anonymity"):
        petaudit.apply(transformation(), rows(["99"]), drop_suppressed=True)


def test_rows_are_audited_with_the_earlier_release() -> None:
    known = transformation()
    before = petaudit.apply(known, ORIGINAL).table
    released = petaudit.apply(known, rows(["23", "24"]), release=before)
    assert released.audit_together is not None
    assert released.audit["k-anonymity"].value == 2
    assert released.audit_together["k-anonymity"].value == 3
    with pytest.raises(OutOfReachError, match="together with the earlier release"):
        petaudit.apply(known, rows(["23", "24"]), release=ORIGINAL)


def test_columns_are_those_of_the_earlier_release() -> None:
    released = petaudit.apply(transformation(), rows(["23", "24"], phone=["1", "2"]))
    assert released.table.column_names == ["age", "illness"]
    assert "phone" in released.warnings[0]
    with pytest.raises(ColumnError, match="illness"):
        petaudit.apply(transformation(), rows(["23", "24"]).drop_columns("illness"))


def test_a_masked_column_stays_masked() -> None:
    released = petaudit.apply(transformation(identifier_columns="mask"), rows(["23", "24"]))
    assert released.table["id"].to_pylist() == ["*", "*"]
