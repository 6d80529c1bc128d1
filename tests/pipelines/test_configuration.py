"""``--set``: a change reaches the setting that it names, or the message says why not."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from petaudit.errors import OptionError
from petaudit.pipelines.configuration import with_overrides
from petaudit.system.yaml_files import Document, parse_yaml
from pipelines.configs import RELEASE, problems_of, read

TEXT = """\
Executor:
Loader:
  t: {filepath: t.csv}
Evaluator:
  a: {method: mpuccs}
  a.b: {method: mpuccs, limit: 0.5}
  a.b.c: {method: precision}
  5: {method: mpuccs}
  x=y: {method: mpuccs}
  e: {method: precision}
"""


def changed(*changes: str, text: str = TEXT) -> Any:
    return with_overrides(parse_yaml(text, "x.yaml"), changes).value


def refusal(change: str, text: str = TEXT) -> str:
    with pytest.raises(OptionError) as caught:
        changed(change, text=text)
    return str(caught.value)


def test_without_changes_the_document_is_the_same() -> None:
    document = parse_yaml(TEXT, "x.yaml")
    assert with_overrides(document, []) is document


def test_the_document_itself_is_left_alone() -> None:
    document = parse_yaml(TEXT, "x.yaml")
    with_overrides(document, ["Evaluator.a.limit=1", "Loader.t.roles.identifier=x"])
    assert document == parse_yaml(TEXT, "x.yaml")


@pytest.mark.parametrize(
    ("change", "module", "name", "option", "value"),
    [
        ("Evaluator.a.limit=0.1", "Evaluator", "a", "limit", 0.1),
        ("Evaluator.a.limit=1e-3", "Evaluator", "a", "limit", 0.001),
        ("Evaluator.a.limit= 5 ", "Evaluator", "a", "limit", 5),
        (" Evaluator.a.limit =5", "Evaluator", "a", "limit", 5),
        ("Evaluator.a.method=precision", "Evaluator", "a", "method", "precision"),
        ("Evaluator.a.n_cols=[1, 2]", "Evaluator", "a", "n_cols", [1, 2]),
        ("Evaluator.a.control=a=b.csv", "Evaluator", "a", "control", "a=b.csv"),
        ("Evaluator.a.control='='", "Evaluator", "a", "control", "="),
        ("Evaluator.a.roles={identifier: x}", "Evaluator", "a", "roles", {"identifier": "x"}),
        ("Evaluator.a.roles.identifier=x", "Evaluator", "a", "roles", {"identifier": "x"}),
        ("Evaluator.a.b.limit=1", "Evaluator", "a.b", "limit", 1),
        ("Evaluator.a.b.c.unknown=error", "Evaluator", "a.b.c", "unknown", "error"),
        ("Evaluator.5.limit=1", "Evaluator", 5, "limit", 1),
        ("Evaluator.x=y.limit=1", "Evaluator", "x=y", "limit", 1),
        ("Evaluator.x=y.control=a=b", "Evaluator", "x=y", "control", "a=b"),
        ("Evaluator.e.method=mpuccs", "Evaluator", "e", "method", "mpuccs"),
        ("Loader.t.filepath=資料.csv", "Loader", "t", "filepath", "資料.csv"),
    ],
)
def test_a_change_reaches_its_setting(
    change: str, module: str, name: object, option: str, value: object
) -> None:
    expected = parse_yaml(TEXT, "x.yaml").value
    expected[module][name] = {**(expected[module][name] or {}), option: value}
    assert changed(change) == expected


def test_the_executor_has_no_names() -> None:
    assert changed("Executor.compare_to=old/result.json")["Executor"] == {
        "compare_to": "old/result.json"
    }
    assert read(RELEASE, "Executor.log_level=ERROR").executor.log_level == "ERROR"


def test_changes_follow_each_other() -> None:
    result = changed("Evaluator.a.limit=0.2", "Evaluator.a.seed=3")
    assert result["Evaluator"]["a"] == {"method": "mpuccs", "limit": 0.2, "seed": 3}


def test_a_value_that_was_no_mapping_gives_way() -> None:
    text = "Loader: {t: {filepath: t.csv, hierarchies: folder}}"
    result = changed("Loader.t.hierarchies.zip=zip.csv", text=text)
    assert result["Loader"]["t"]["hierarchies"] == {"zip": "zip.csv"}


_words = st.text(max_size=5)
_plain = st.recursive(
    st.none() | st.booleans() | st.integers() | _words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_words, inner, max_size=3),
    max_leaves=5,
)


@given(value=_plain)
def test_any_value_that_yaml_can_write(value: Any) -> None:
    text = yaml.safe_dump(value, default_flow_style=True)
    result = changed(f"Loader.t.x={text}")["Loader"]["t"]
    assert result.get("x") == value
    assert ("x" in result) == (value is not None)


def test_null_takes_a_setting_away_and_nothing_at_all_is_an_error() -> None:
    text = "Evaluator: {a: {method: mpuccs, limit: 0.5}}"
    result = with_overrides(parse_yaml(text, "x.yaml"), ["Evaluator.a.limit=null"])
    assert result.value == {"Evaluator": {"a": {"method": "mpuccs"}}}
    for nothing in ("", "  "):
        with pytest.raises(OptionError, match="has no value; use null to remove the setting"):
            with_overrides(parse_yaml(text, "x.yaml"), [f"Evaluator.a.limit={nothing}"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("limit", "expected MODULE.NAME.OPTION=VALUE, as in Evaluator.risk.limit=0.1"),
        ("", "expected MODULE.NAME.OPTION=VALUE, as in Evaluator.risk.limit=0.1"),
        ("=5", "expected MODULE.NAME.OPTION=VALUE, as in Evaluator.risk.limit=0.1"),
        (
            "Evaluater.a.limit=1",
            "the file has no module 'Evaluater' (did you mean 'Evaluator'?); it has Executor, "
            "Loader, Evaluator",
        ),
        ("Reporter.a.b=1", "the file has no module 'Reporter'; it has Executor, Loader, Evaluator"),
        ("Executor=1", "name an option, as in Executor.compare_to=previous.json"),
        ("Evaluator.z=y.limit=a=b", "Evaluator has no 'z'; it has a, a.b, a.b.c, 5, x=y, e"),
        ("Evaluator.a=1", "name an option of 'a'"),
        ("Evaluator=1", "Evaluator has no ''; it has a, a.b, a.b.c, 5, x=y, e"),
        ("Loader.tt.nrows=1", "Loader has no 'tt' (did you mean 't'?); it has t"),
        ("Loader.t.=1", "expected MODULE.NAME.OPTION=VALUE"),
        ("Loader.t.roles..x=1", "expected MODULE.NAME.OPTION=VALUE"),
    ],
)
def test_a_change_that_has_no_place(change: str, message: str) -> None:
    assert refusal(change) == f"overrides={change!r}: {message}"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("[1", "line 1: expected ',' or ']', but got '<stream end>'"),
        ("{a: 1, a: 2}", "line 1: duplicate key: 'a'"),
        ("*x", "line 1: aliases are not accepted"),
        ("!!python/name:os.system ''", "line 1: could not determine a constructor for the tag"),
        ("\x07", "line 1: contains a character that YAML does not allow"),
        ("x: y: z", "line 1: mapping values are not allowed here"),
    ],
)
def test_a_value_that_is_no_yaml(value: str, message: str) -> None:
    assert refusal(f"Loader.t.nrows={value}").startswith(f"overrides='Loader.t.nrows', {message}")


def test_names_that_python_cannot_write() -> None:
    text = f"? 0x{'f' * 5_000}\n: 1\nLoader:\n  ? 0x{'f' * 5_000}\n  : {{}}\n"
    assert refusal("Loader.x.y=1", text).endswith("it has a very large number")
    assert refusal("x.y.z=1", text).endswith("it has a very large number, Loader")


@pytest.mark.parametrize("content", [None, [], "x", 5, {"Loader": None}, {"Loader": [1]}])
def test_a_file_that_is_no_pipeline(content: Any) -> None:
    with pytest.raises(OptionError, match=r"it has $"):
        with_overrides(Document(content, {}), ["Loader.t.nrows=1"])


def test_what_was_changed_stands_on_no_line_of_the_file() -> None:
    said = "limit must be a number from 0 to 1 or a fraction such as 1/11, got 'x'"
    right = TEXT.replace("x=y", "x-y")
    text = right.replace("limit: 0.5", "limit: x")
    assert problems_of(partial(read, text)) == (f"x.yaml, line 6: Evaluator.a.b: {said}",)
    assert problems_of(partial(read, text, "Evaluator.a.b.limit=0.5")) == ()
    assert problems_of(partial(read, right, "Evaluator.a.b.limit=x")) == (
        f"x.yaml: Evaluator.a.b: {said}",
    )
    roles = "Loader: {t: {filepath: t.csv,\n  roles: {identifier: [a,\n  5]}}}"
    (before,) = problems_of(partial(read, roles))
    (after,) = problems_of(partial(read, roles, "Loader.t.roles.identifier=[a, 6]"))
    assert before.startswith(
        "x.yaml, line 3: Loader.t.roles.identifier: item 2 of identifier must be the name of a "
        "column (quote numbers, yes and no), got 5"
    )
    assert after.startswith(
        "x.yaml: Loader.t.roles.identifier: item 2 of identifier must be the name of a column "
        "(quote numbers, yes and no), got 6"
    )
