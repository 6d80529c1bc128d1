"""Documents become views, and files that say anything do not."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petaudit.errors import InputError, PetauditError
from petaudit.i18n.numbers import counted
from petaudit.i18n.phrases import render
from petaudit.judging.document import read_document
from petaudit.reports.reading import view_of


def check(**changes: Any) -> dict[str, Any]:
    """A check with one breach, one figure without a limit, one error's absence and one left out."""
    return {
        "document": "petaudit.check/1",
        "petaudit": "9.9",
        "verdict": "failed",
        "exit_code": 1,
        "inputs": {
            "table": {"name": "/home/eve/a.csv", "rows": 3, "columns": ["zip"], "sha256": "ab"}
        },
        "roles": {"zip": "quasi_identifier"},
        "options": {"options": {"t-closeness": {"limit": 1, "distance": "equal"}}},
        "results": [
            {"measure": "k-anonymity", "status": "failed", "better": "higher", "value": 1.0,
             "limit": 5.0, "passed": False, "warnings": [], "explanation": ["3 rows in 1 class"],
             "remedy": {"rows_breaking": 3, "rows_to_suppress": 3, "share_to_suppress": 1.0}},
            {"measure": "beta-likeness", "status": "measured", "better": "lower", "value": "inf",
             "limit": None, "passed": None, "warnings": []},
        ],
        "not_measured": [
            {"measure": "k-map", "status": "skipped", "reason": "needs a population"}
        ],
        "warnings": [],
        "texts": {"3 rows in 1 class": {
            "template": "{rows} in {classes}",
            "values": {"rows": counted(3, "row").to_plain(),
                       "classes": counted(1, "class", "classes").to_plain()}}},
    } | changes  # fmt: skip


def test_a_check() -> None:
    view = view_of(check())
    assert (view.kind, view.subject, view.verdict, view.exit_code) == (
        "check",
        "a.csv",
        "failed",
        1,
    )
    assert [(card.measure, card.value, card.limit) for card in view.cards] == [
        ("k-anonymity", 1.0, 5.0),
        ("beta-likeness", float("inf"), None),
    ]
    assert view.left_out[0].measure == "k-map"
    assert view.tables[0].name == "a.csv"
    assert view.settings == {"t-closeness.distance": "equal"}


def test_texts_are_phrases_again() -> None:
    (line,) = view_of(check()).cards[0].explanation
    assert render(line, hide_below=5) == "<5 rows in <20 classes"


def test_a_text_that_does_not_fit_its_parts_stays_as_it_is() -> None:
    document = check(texts={"3 rows in 1 class": counted(4, "row").to_plain()})
    (line,) = view_of(document).cards[0].explanation
    assert render(line, "zh-TW") == "3 rows in 1 class"
    # Nobody knows what its numbers count.
    assert render(line, hide_below=5) == "(a sentence with small numbers is not shown)"


def test_a_figure_that_breaks_its_limit_has_not_passed() -> None:
    passed = check()["results"][0] | {"status": "passed"}
    with pytest.raises(InputError, match="does not follow"):
        view_of(check(results=[passed], verdict="passed", exit_code=0))


def test_without_any_result_nothing_holds() -> None:
    for verdict in ("passed", "measured"):
        with pytest.raises(InputError, match="does not follow"):
            view_of(check(results=[], verdict=verdict, exit_code=0))
    assert view_of(check(results=[], verdict="error", exit_code=2)).cards == ()


def test_the_limit_of_what_could_not_be_measured_is_shown() -> None:
    document = check(
        results=[],
        verdict="error",
        exit_code=2,
        options={"options": {"k-map": {"limit": "1/2"}}},
        not_measured=[{"measure": "k-map", "status": "error", "reason": "needs a population"}],
    )
    assert view_of(document).cards[0].limit == 0.5


@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": "passed", "exit_code": 0},
        {"verdict": "measured", "exit_code": 0},
        {"verdict": "failed", "exit_code": 0},
        {"verdict": "error", "exit_code": 2},
    ],
)
def test_a_verdict_that_does_not_follow_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="does not follow"):
        view_of(check(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"results": 5},
        {"results": [5]},
        {"results": [{"status": "failed"}]},
        {"results": [{"measure": "k-anonymity", "status": "failed", "value": "many"}]},
        {"inputs": []},
        {"inputs": {"table": 3}},
        {"exit_code": "x"},
        {"verdict": "fine"},
        {"not_measured": [{"status": "skipped"}]},
        {"not_measured": [{"measure": "k-map", "status": "skipped", "reason": 3}]},
        {"warnings": "text"},
        {"roles": []},
    ],
)
def test_what_cannot_be_read_is_refused_without_quoting_it(changes: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"^x\.json: its results cannot be read$"):
        view_of(check(**changes), origin="x.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


@given(st.sampled_from(sorted(check())), JSON)
def test_anything_is_a_view_or_an_error(name: str, value: Any) -> None:
    with contextlib.suppress(PetauditError):
        view_of(check(**{name: value}))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "is not valid JSON"),
        (b"\xff\xfe\x00", "is not valid JSON"),
        (b"[" * 100_000, "is not valid JSON"),
        (b"[]", "is not a result of petaudit"),
        (b'{"document": "other/1"}', "is not a result of petaudit"),
        (b'{"document": ["petaudit.check/1"]}', "is not a result of petaudit"),
    ],
)
def test_files_that_are_no_result(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=words):
        read_document(path)


def test_a_file_that_is_not_there_or_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_document(tmp_path / "none.json")
    with pytest.raises(InputError):
        read_document(tmp_path)


def test_a_file_with_a_mark_of_its_encoding_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("\ufeff" + json.dumps(check()), encoding="utf-8")
    assert view_of(read_document(path)).verdict == "failed"
