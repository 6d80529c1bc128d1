"""A kind is one definition: what it takes, what it complains about and its schema agree."""

from __future__ import annotations

import datetime
import itertools
import json
import math
import sys
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from budget import examples
from petaudit.exact.fractions import quotient
from petaudit.measures import all_measures
from petaudit.pipelines.models import METHODS, ExecutorSettings
from petaudit.system.kinds import (
    COLUMNS,
    Anything,
    Boolean,
    Choice,
    Either,
    Integer,
    Kind,
    Limit,
    ListOf,
    MapOf,
    Number,
    Problems,
    Text,
    key_text,
    shown,
)
from petaudit.system.reading import Mark
from petaudit.system.settings import settings_of

HUGE = int("f" * 5_000, 16)  # Python refuses to write it in decimal.

_MIXED = Either((Boolean(), ListOf(Integer()), MapOf(Number(0.0, 1.0)), MapOf(Boolean(), ("a",))))
_MODELS = (ExecutorSettings, *itertools.chain.from_iterable(METHODS.values()))
KINDS: list[Kind] = [
    *[entry.kind for model in _MODELS for entry in settings_of(model).values()],
    *[entry.kind for measure in all_measures().values() for entry in measure.options],
    *[measure.limit_kind for measure in all_measures().values()],
    Integer(-3, 3),
    Integer(0, 0),
    Number(-1.0, 1.0),
    Number(-1.0, excludes_bounds=True),
    MapOf(ListOf(Boolean()), ("a", "b")),
    _MIXED,
]  # fmt: skip

_words = sorted({word for kind in KINDS if isinstance(kind, Choice) for word in kind.words})
_FAR = [10**400, -(10**400)]
_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-5, 12)
    | st.sampled_from([*_FAR, 400, 401, 10**4, 10**4 + 1, 10**9 + 1, 2**63 - 1, 2**63])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0.0, -0.0, 1.0, 0.5, 1e-300, 5e-324])
    | st.text(max_size=3)
    | st.sampled_from([*_words, "", " ", "\0", "\n", '"', "tab", "\u2003", "\x1c", "年", "👩"])
    | st.sampled_from([b"x", datetime.date(2020, 1, 1), frozenset({"a"})])
)  # fmt: skip
_names = st.sampled_from(["a", "b", "ori", "control", "identifier", "x"]) | st.text(max_size=2)
values = st.recursive(
    _scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(st.text(min_size=1, max_size=3), max_size=3)
        | st.dictionaries(_names, inner, max_size=3)
    ),
    max_leaves=6,
)


def complaints(kind: Kind, value: Any) -> list[tuple[Any, str]]:
    problems = Problems()
    kind.check(value, ("setting",), problems)
    return list(problems)


def has_whole_float(value: Any) -> bool:
    """JSON Schema calls 2.0 an integer; YAML and Python do not."""
    if isinstance(value, dict):
        return any(map(has_whole_float, value.values()))
    if isinstance(value, list):
        return any(map(has_whole_float, value))
    return isinstance(value, float) and value.is_integer()


def is_beyond_floats(value: Any) -> bool:
    """JSON has no largest number."""
    if isinstance(value, dict):
        return any(map(is_beyond_floats, value.values()))
    if isinstance(value, list):
        return any(map(is_beyond_floats, value))
    return isinstance(value, int) and abs(value) > sys.float_info.max


@settings(max_examples=examples(700))
@given(kind=st.sampled_from(KINDS), value=values)
@example(kind=_MIXED, value=[])
@example(kind=_MIXED, value={})
@example(kind=_MIXED, value={"a": {}})
@example(kind=_MIXED, value=10**400)
def test_what_is_taken_is_not_complained_about(kind: Kind, value: Any) -> None:
    result = complaints(kind, value)
    assert kind.takes(value) == (not result)
    for at, message in result:
        assert at[0] == "setting"
        assert 0 < len(message) < 600


@settings(max_examples=examples(700))
@given(kind=st.sampled_from(KINDS), value=values)
@example(kind=_MIXED, value=[])
@example(kind=_MIXED, value={})
@example(kind=Text(), value="\0")
@example(kind=Text(), value=" ")
@example(kind=Mark(), value='"')
def test_the_schema_takes_the_same(kind: Kind, value: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    assume(not has_whole_float(value) and not is_beyond_floats(value))
    # Nor can a schema tell how large a quotient is.
    assume(not (isinstance(kind, Limit) and isinstance(value, str) and quotient(value)))
    validator = jsonschema.Draft7Validator(kind.schema())
    assert validator.is_valid(value) == kind.takes(value)


@pytest.mark.parametrize("kind", dict.fromkeys(KINDS), ids=repr)
def test_a_schema_is_plain_and_valid_json(kind: Kind) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = kind.schema()
    assert json.loads(json.dumps(schema, allow_nan=False)) == schema
    jsonschema.Draft7Validator.check_schema(schema)


@given(least=st.integers(-9, 9), more=st.none() | st.integers(0, 9), value=st.integers(-20, 20))
def test_bounds_of_whole_numbers(least: int, more: int | None, value: int) -> None:
    kind = Integer(least, None if more is None else least + more)
    assert kind.takes(value) == (least <= value and (more is None or value <= least + more))
    assert not kind.takes(float(value))
    assert not kind.takes(str(value))


@given(value=st.floats() | st.integers(), bound=st.floats(0.125, 9))
def test_bounds_of_numbers(value: float, bound: float) -> None:
    is_finite = math.isfinite(value)
    assert Number().takes(value) == (is_finite and value >= 0)
    assert Number(may_be_infinite=True).takes(value) == (value >= 0)
    assert Number(0.0, bound).takes(value) == (0 <= value <= bound)
    assert Number(0.0, bound, excludes_bounds=True).takes(value) == (0 < value < bound)
    for edge in (0.0, bound):
        assert Number(0.0, bound).takes(edge)
        assert not Number(0.0, bound, excludes_bounds=True).takes(edge)


@pytest.mark.parametrize(
    ("kind", "value", "found"),
    [
        (Integer(1), 0, ["setting must be an integer >= 1, got 0"]),
        (Integer(1, 2000), 5e3, ["setting must be an integer from 1 to 2,000, got 5000.0"]),
        (Integer(0, 0), 1, ["setting must be an integer from 0 to 0, got 1"]),
        (Integer(), HUGE, [
            "setting must be an integer from 0 to 9,223,372,036,854,775,807, got a very large "
            "number"
        ]),
        (Number(), math.nan, ["setting must be a number >= 0, got nan"]),
        (Number(), HUGE, ["setting must be a number >= 0, got a very large number"]),
        (Number(0, 1), True, ["setting must be a number from 0 to 1, got true"]),
        (
            Number(0, 1, excludes_bounds=True),
            "x",
            ["setting must be a number > 0 and < 1, got 'x'"],
        ),
        (Boolean(), "yes", ["setting must be true or false, got 'yes'"]),
        (Text("a file"), " ", ["setting must be a file, got ' '"]),
        (Text("a file"), None, ["setting must be a file, got null"]),
        (Text(), "x\0", [r"setting must be text, got 'x\x00'"]),
        (Choice(("a",)), [], ["setting must be a, got an empty list"]),
        (
            Choice(("csv", "json")),
            "jsn",
            ["setting must be csv or json, got 'jsn' (did you mean 'json'?)"],
        ),
        (ListOf(Boolean()), [], [
            "setting must be a list (each: true or false), got an empty list"
        ]),
        (
            ListOf(Integer()),
            [1, "b", -1],
            [
                "item 2 of setting must be an integer >= 0, got 'b'",
                "item 3 of setting must be an integer >= 0, got -1",
            ],
        ),
        (MapOf(Boolean()), {}, [
            "setting must be a mapping NAME: VALUE (each: true or false), got an empty mapping"
        ]),
        (
            MapOf(Boolean(), ("one", "two")),
            {"tow": True, "one": 1, 5: True},
            [
                "unknown key 'tow' (did you mean 'two'?); expected a mapping with the keys one, "
                "two",
                "one must be true or false, got 1",
                "the name 5 is not text; quote it",
            ],
        ),
        (COLUMNS, ["zip", 5], [
            "item 2 of setting must be the name of a column (quote numbers, yes and no), got 5"
        ]),
        (Either((Boolean(), Integer())), "x", [
            "setting must be true or false or an integer >= 0, got 'x'"
        ]),
        (Anything(), object(), []),
    ],
    ids=lambda own: str(own)[:40] if isinstance(own, Kind) else "",
)  # fmt: skip
def test_what_is_said(kind: Kind, value: Any, found: list[str]) -> None:
    assert [message for _, message in complaints(kind, value)] == found


def test_the_place_of_a_problem_is_exact() -> None:
    problems = Problems()
    MapOf(ListOf(Integer())).check({"a": [1], "b": [2, "x"]}, ("Loader", "t"), problems)
    assert [at for at, _ in problems] == [("Loader", "t", "b", 1)]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"), (True, "true"), (False, "false"), ({}, "an empty mapping"),
        ({1: 2}, "a mapping"), ([], "an empty list"), (1.5, "1.5"), ("x" * 61, f"'{'x' * 60}…'"),
        ("\x1b", r"'\x1b'"),
        (10**70, "1" + "0" * 59 + "…"), (HUGE, "a very large number"), (b"x", "b'x'"),
        (datetime.date(2020, 1, 1), "2020-01-01"),
    ],
    ids=lambda own: "",
)  # fmt: skip
def test_how_a_value_is_shown(value: Any, text: str) -> None:
    assert shown(value) == text
    if not isinstance(value, str | dict | list):
        assert key_text(value) == text


def test_marks_that_separate_cells() -> None:
    taken = [mark for mark in map(chr, range(0x250)) if Mark().takes(mark)]
    assert set(map(chr, range(0x250))) - set(taken) == {"\0", "\n", "\r", '"'}
    assert Mark().takes("tab")
    assert not Mark().takes("ab")
    assert not Mark().takes("")


@settings(max_examples=examples(200))
@given(
    least=st.integers(-2, 2),
    most=st.none() | st.integers(2, 3),
    above=st.integers(0, 12),
    below=st.integers(1, 6),
)
def test_bounds_of_limits(least: int, most: int | None, above: int, below: int) -> None:
    kind = Limit(least, most)
    is_within = least * below <= above and (most is None or above <= most * below)
    assert kind.takes(f"{above}/{below}") is is_within
    assert kind.takes(above / below) is is_within
    # A float would not tell these from the bounds.
    assert kind.takes(f"{2 * 10**30 - 1}/{10**30}") is (least < 2)
    assert kind.takes(f"{2 * 10**30 + 1}/{10**30}") is (most != 2)
