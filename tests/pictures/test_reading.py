"""Pictures from JSON: what petaudit wrote, and nothing else."""

from __future__ import annotations

import copy
import json
from dataclasses import MISSING, fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.pictures.examples import EXAMPLES

from petaudit.pictures import ColumnExposure, picture_from

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
)


@pytest.mark.parametrize("picture", EXAMPLES, ids=lambda own: own.kind)
def test_there_and_back(picture: Any) -> None:
    assert picture_from(json.loads(json.dumps(picture.to_dict(), allow_nan=False))) == picture


@pytest.mark.parametrize("plain", [None, [], "x", {}, {"kind": "x"}, {"kind": []}, {"kind": None}])
def test_what_is_no_picture(plain: object) -> None:
    with pytest.raises(ValueError, match="picture"):
        picture_from(plain)


@given(picture=st.sampled_from(EXAMPLES), junk=anything, data=st.data())
def test_broken_data_is_an_error_and_never_half_a_picture(
    picture: Any, junk: Any, data: st.DataObject
) -> None:
    plain = picture.to_dict()
    place: Any = plain
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list) or data.draw(st.booleans()):
            place[key] = junk
            break
        place = place[key]
    try:
        result = picture_from(plain)
    except ValueError:
        return
    assert picture_from(result.to_dict()) == result
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize("picture", EXAMPLES, ids=lambda own: own.kind)
def test_fields_that_lack_or_are_too_many(picture: Any) -> None:
    plain = picture.to_dict()
    with pytest.raises(ValueError, match="fields"):
        picture_from(plain | {"more_of_it": 1})
    # What came later has a default.
    for name in [own.name for own in fields(picture) if own.default is MISSING]:
        lacking = copy.deepcopy(plain)
        del lacking[name]
        with pytest.raises(ValueError, match="fields"):
            picture_from(lacking)


def changed(kind: str, **fields: object) -> dict[str, Any]:
    [example] = [entry for entry in EXAMPLES if entry.kind == kind]
    return example.to_dict() | fields


@pytest.mark.parametrize(
    "plain",
    [
        changed("class-sizes", suppressed_rows=-1),
        changed("class-sizes", suppressed_rows=True),
        changed("class-sizes", suppressed_rows=2**70),
        changed("class-sizes", limit=float("nan")),
        changed("class-sizes", limit=10**400),
        changed("class-sizes", bins=[{"lowest": 3, "highest": 2, "classes": 1, "rows": 3}]),
        changed("class-sizes", bins=[{"lowest": 1, "highest": 1, "classes": 0, "rows": 3}]),
        changed("rows-at-risk", threshold=0.123),
        changed("rows-at-risk", rows=1),
        changed("distributions", distance="odd"),
        changed("distributions", attribute="x" * 1000),
        changed("distributions", bins=[]),
        changed("column-shares", columns=[{"column": "a", "value": 0.1}] * 500),
        changed("column-shares", columns=[{"column": "a", "value": 0.1}] * 50),
        changed("identified-by-size", rows=1),
        changed("column-exposure", identified=0),
        changed("search-tree", rows=0),
        changed(
            "search-tree",
            nodes=[{"depth": 2, "column": "a", "identified": 0, "unique": 0, "is_pruned": False}],
        ),
        changed("control-comparison", rate=1.5),
        changed("control-comparison", lower=0.9),
        changed("control-comparison", finding="fine"),
    ],
    ids=lambda plain: plain["kind"],
)
def test_parts_that_do_not_fit_together(plain: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        picture_from(plain)


def test_a_document_of_0_5_0_does_not_say_how_few_rows_a_combination_identifies() -> None:
    plain = {"kind": "column-exposure", "columns": [], "identified": 0, "more": 0}
    result = picture_from(plain)
    assert isinstance(result, ColumnExposure)
    assert result.smallest is None
    with pytest.raises(ValueError, match="smallest"):
        picture_from(plain | {"smallest": "few"})
