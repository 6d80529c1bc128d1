"""Hierarchies that are proposed: what suits a column, and files that say the same."""

from __future__ import annotations

import datetime as dt
import stat
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import petaudit
from budget import examples
from petaudit.errors import HierarchyError, OptionError
from petaudit.labels.hierarchies import Hierarchies
from petaudit.proposing.forms import form_for

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")


def days(form: str, number: int = 400) -> dict[str | None, int]:
    start = dt.date(1971, 1, 1)
    return {(start + dt.timedelta(days=31 * place)).strftime(form): 1 for place in range(number)}


@pytest.mark.parametrize(
    ("column", "values", "rule"),
    [
        ("sex", {"F": 9, "M": 3}, {"keep": []}),
        ("ward", {"a": 9, "b": 8, "c": 7, "d": 6, "e": 2}, {"keep": [["a", "b", "c"], ["a"]]}),
        # No value of few people is written into a file.
        ("ward", {"a": 9, "b": 4, "c": 4, "d": 4}, {"keep": [["a"]]}),
        ("ward", {"a": 9, "other": 3, "c": 2}, {"keep": [["a"]], "other": "other values"}),
        ("zip", {"100": 4, "106": 5, "220": 9}, {"mask": "right", "levels": 2}),
        ("x", {"00123": 4, "00456": 5, "01000": 9}, {"mask": "right", "levels": 4}),
        ("icd", {"J45": 4, "E11": 5, "I10": 9}, {"mask": "right", "levels": 2}),
        ("born", days("%Y-%m-%d"), {"dates": ["month", "year", "decade"]}),
        ("born", days("%d.%m.%Y"), {"dates": ["month", "year", "decade"]}),
        ("seen", {"2024-01-31 08:00": 1, "2024-01-31 09:00": 2}, {"dates": ["day"]}),
        ("born", {"03/05/2024": 2, "04/05/2024": 3}, {"dates": ["month"], "written": "day-first"}),
        ("age", {"20": 1, "30": 1, "40": 1, "50": 1}, {"cuts": [[40]]}),
        ("age", {"20": 30, "30": 30, "unknown": 5, "50": 9}, {"cuts": [[30]], "other": True}),
        ("gain", {"0": 90, "1": 1, "9000": 5, "70000": 4}, {"cuts": [[1]]}),
        ("fee", {"1,5": 2, "2,5": 2, "4.5": 1, "9,5": 3}, None),
        ("blood", {"A": 9, "B": 8, "AB": 2, "O": 9}, {"keep": [["A", "O"], ["A"]]}),
        ("empty", {None: 5, "*": 2}, {"keep": []}),
    ],
)
def test_a_column_gets_the_rule_that_suits_it(
    column: str, values: dict[str | None, int], rule: dict[str, Any] | None
) -> None:
    found = form_for(column, values).rule
    if rule is None:
        assert found.pop("cuts")
        assert found == {"written": "decimal-comma", "other": True}
        return
    steps = found.get("dates")
    if steps and len(rule["dates"]) > 1:
        assert [step for step in steps if step != "quarter"] == rule["dates"]
    else:
        assert found == rule


cells = st.one_of(
    st.none(),
    st.sampled_from(
        ["*", "other", "F", "f", "臺北", "1,5", "2.5", "03/05/2024", "x;y", 'say "z"', "="]
    ),
    st.integers(-30, 3000).map(str),
    st.dates(dt.date(1900, 1, 1), dt.date(2030, 1, 1)).map(str),
    st.text("ab1 ;#:", max_size=4),
)


@given(columns=st.lists(st.lists(cells, min_size=1, max_size=30), min_size=1, max_size=3))
@settings(max_examples=examples(120), deadline=None)
def test_every_column_gets_a_nested_hierarchy_that_files_keep(
    columns: list[list[str | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = min(map(len, columns))
    table = pa.table(
        {f"c{place}": pa.array(column[:rows], pa.string()) for place, column in enumerate(columns)}
    )
    proposed = petaudit.propose_hierarchies(table, quasi_identifiers=table.column_names)
    # A column that is suppressed already needs no hierarchy.
    assume(proposed.proposals)
    folder = tmp_path_factory.mktemp("written")
    proposed.write(folder / "rules.yaml")
    proposed.write(folder / "files")
    from_rules, from_files = (Hierarchies.of(folder / name) for name in ("rules.yaml", "files"))
    for each in proposed.proposals:
        each.hierarchy.require_nested()
        values = [value for value in each.values.labels if value != "*"]
        groups = [level.groups for level in each.levels]
        assert groups == sorted(groups, reverse=True)
        assert groups[-1] == 1
        assert each.levels[0].groups == len(values)
        assert all(level.smallest * level.groups <= table.num_rows for level in each.levels)
        for known in (from_rules, from_files):
            built = known.get(each.column, lambda _, values=values: values)  # type: ignore[misc]
            paths = [each.hierarchy.path_of(value) for value in values]
            assert [built.path_of(value) for value in values] == paths


def test_what_is_given_stays_and_becomes_what_it_is_for_this_table(tmp_path: Path) -> None:
    table = pa.table({"age": [str(age) for age in range(40)], "sex": ["F", "M"] * 20})
    rules = {"age": petaudit.quantiles(4, 2)}
    proposed = petaudit.propose_hierarchies(
        table, quasi_identifiers=["age", "sex"], hierarchies=rules
    )
    [target] = proposed.write(tmp_path / "rules.yaml")
    text = target.read_text()
    assert "- [10, 20, 30]" in text
    assert "as given" in text
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    released = petaudit.generalize(table, levels={"age": 2, "sex": 1}, hierarchies=target)
    assert set(released["age"].to_pylist()) == {"<20", ">=20"}
    with pytest.raises(OptionError, match="--force"):
        proposed.write(target)
    assert proposed.write(target, force=True) == [target]


def test_a_hierarchy_that_is_given_and_wrong_is_named() -> None:
    table = pa.table({"age": ["1", "2", "3"]})
    with pytest.raises(HierarchyError, match="1 value"):
        assert petaudit.propose_hierarchies(
            table, quasi_identifiers="age", hierarchies={"age": {"1": "*", "2": "*"}}
        ).proposals
    torn = {"age": [["1", "low", "a"], ["2", "low", "b"], ["3", "high", "b"]]}
    for use in (
        lambda: (
            petaudit.propose_hierarchies(table, quasi_identifiers="age", hierarchies=torn).proposals
        ),
        lambda: petaudit.generalize(table, levels={"age": 1}, hierarchies=torn),
    ):
        with pytest.raises(HierarchyError, match="'age', line 2: not nested, because 1 label"):
            use()


def test_a_column_that_no_file_can_be_named_after(tmp_path: Path) -> None:
    proposed = petaudit.propose_hierarchies(pa.table({"a/b": ["1", "2"]}), quasi_identifiers="a/b")
    with pytest.raises(OptionError, match=r"FILE\.yaml"):
        proposed.write(tmp_path / "files")
    assert not (tmp_path / "files").exists()
    [target] = proposed.write(tmp_path / "rules.yaml")
    assert Hierarchies.of(target).attributes == ("a/b",)
