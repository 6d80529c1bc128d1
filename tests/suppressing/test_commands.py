"""What to do about a breach is a command, and it reaches the limit."""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings

import petaudit
from budget import examples
from in_process import run as run_here
from measures import registry_cases as cases
from petaudit.auditing.dropping import is_of_classes
from petaudit.errors import OptionError, OutOfReachError, TooManyRowsError
from petaudit.measures import Need, find_measure
from petaudit.reports.view import Advice
from strategies import arrow

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

OF_CLASSES = [name for name, own in cases.generic().items() if is_of_classes(own)]
ROWS = {
    "zip": ["130"] * 3 + ["148"] * 2 + ["150"] * 2,
    "age, in years": ["20"] * 3 + ["30"] * 2 + ["40"] * 2,
    "note": ["x", "x;y", 'say "z"', None, "a", "=1+1", "b"],
    "illness": ["flu", "cancer", "flu", "flu", "flu", "cancer", "flu"],
}
ROLES = ["--qi", 'zip,"age, in years"', "--sensitive", "illness"]


class Done(NamedTuple):
    code: int
    out: str
    err: str


def written(folder: Path, name: str = "it's a table.csv", delimiter: str = "|") -> Path:
    path = folder / name
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(ROWS)
        writer.writerows(zip(*ROWS.values(), strict=True))
    return path


def run(*words: str) -> Done:
    done = run_here(words, Path.cwd(), {})
    return Done(done.returncode, done.stdout, done.stderr)


def advised(*words: str) -> list[dict[str, Any]]:
    done = run("check", *words, "--format", "json")
    assert done.code == 1, done.err
    advice: list[dict[str, Any]] = json.loads(done.out)["what_to_do"]
    return advice


def limits_of(command: Sequence[str]) -> list[str]:
    """The limits and columns of a command, to check the table that it wrote."""
    return [*command[3 : command.index("--out")]]


def test_the_printed_command_reaches_all_limits(tmp_path: Path) -> None:
    path = written(tmp_path)
    asked = [str(path), *ROLES, "--k", "2", "--l", "2", "--t", "0.3", "--limit", "sample-uniques=0"]
    [advice] = [each for each in advised(*asked) if "suppress" in each["command"]]
    assert advice["reaches"] == ["l-diversity"]
    assert advice["rows_dropped"] == 2
    # As a shell takes the words of the line that is printed.
    line = next(
        line for line in run("check", *asked).out.splitlines() if "petaudit suppress" in line
    )
    assert shlex.split(line) == advice["command"]
    done = run(*advice["command"][1:])
    assert done.code == 0, done.err
    target = tmp_path / "it's a table-suppressed.csv"
    assert "5 rows; dropped: 2 (28.6 %)" in done.out
    again = run("check", str(target), *limits_of(advice["command"]))
    assert again.code == 0, again.out
    kept = [row for row in path.read_text().splitlines() if not row.startswith("148")]
    assert target.read_text().replace("'=1+1", "=1+1").splitlines() == kept


def test_columns_that_name_people_are_left_out_by_what_is_advised(tmp_path: Path) -> None:
    """The command names them, what it writes is without them, and its next command passes."""
    path = tmp_path / "people.csv"
    rows = ["a,30-39,flu", "b,30-39,cold", "c,40-49,flu"]
    path.write_text("\n".join(["name,age,illness", *rows, ""]))
    words = [str(path), "--qi", "age", "--sensitive", "illness", "--identifier", "name"]
    shown = run("check", *words, "--k", "2")
    assert "the commands leave them out" in shown.out
    assert "Remove the columns" not in shown.out
    [line] = [line for line in shown.out.splitlines() if "petaudit suppress" in line]
    done = run(*shlex.split(line)[1:])
    assert done.code == 0, done.err
    assert "these limits hold: k-anonymity" in done.out
    assert "left out, as identifiers: 'name'" in done.err
    assert (tmp_path / "people-suppressed.csv").read_text().startswith("age,illness\n")
    [line] = [line for line in done.out.splitlines() if line.startswith("  petaudit check ")]
    assert run(*shlex.split(line)[1:]).code == 0
    assert (tmp_path / "people-suppressed.html").is_file()


def test_a_column_that_only_looks_like_an_identifier_is_still_to_be_removed(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("ssn,email,age\n1,a@b.org,30\n2,c@d.org,30\n3,e@f.org,40\n")
    shown = run("check", str(path), "--qi", "age", "--identifier", "ssn", "--k", "2").out
    assert "email looks like an identifier" in shown
    assert "Remove the columns that name people, and check again" in shown


@given(asked=cases.tables(most_rows=12))
@settings(max_examples=examples(30), phases=(Phase.generate,))
def test_the_call_that_is_advised_reaches_the_limits_of_every_measure(asked: cases.Tables) -> None:
    release = asked.release
    tables: dict[str, Any] = {
        "table": arrow(release.released),
        "population": arrow(asked.population),
        "hierarchies": release.given_hierarchies,
    }
    roles = {"quasi_identifiers": release.quasi_identifiers, "sensitive": release.sensitive}
    options: dict[str, Mapping[str, Any]] = {
        name: cases.ENTRIES[name].options for name in OF_CLASSES
    }
    left: list[dict[str, Mapping[str, Any]]] = [options]
    while left:
        chosen = left.pop()
        before = petaudit.audit(
            tables["table"],
            measures=[*chosen],
            options=chosen,
            suppressed=release.suppressed,
            **{name: own for name, own in tables.items() if name != "table"},
            **roles,
        )
        broken = {result.measure for result in before if result.passed is False}
        if chosen is options:
            left += [{name: options[name]} for name in broken]
        else:
            assert broken == set(chosen)
        commands = [each for each in before.advice if each.kind == "command"]
        reached = {name for each in commands for name in each.reaches}
        said = {name for name in broken if any(name in each.text for each in before.advice)}
        assert said == broken
        assert reached <= broken
        for each in commands:
            assert each.python is not None
            table = eval(each.python, {"petaudit": petaudit}, tables)  # noqa: S307 (our own call)
            after = petaudit.audit(
                table,
                measures=[*each.reaches],
                options={name: chosen[name] for name in each.reaches},
                suppressed=release.suppressed,
                **{name: own for name, own in tables.items() if name != "table"},
                **roles,
            )
            assert all(result.passed for result in after), each
            if each.rows_dropped is not None:
                assert tables["table"].num_rows - table.num_rows == each.rows_dropped


def changed(advice: Sequence[Advice]) -> dict[tuple[str | None, str | None], dict[str, Any]]:
    return {
        (each.column, each.change): {figure.measure: figure.value for figure in each.figures}
        for each in advice
        if each.kind == "change"
    }


@given(asked=cases.tables(most_rows=12))
@settings(max_examples=examples(60), phases=(Phase.generate,))
def test_a_change_of_a_column_has_the_figures_of_the_table_with_that_change(
    asked: cases.Tables,
) -> None:
    release = asked.release
    given_hierarchies = release.given_hierarchies
    names = release.quasi_identifiers
    options = {
        name: cases.ENTRIES[name].options
        for name in OF_CLASSES
        if Need.POPULATION not in find_measure(name).needs and not find_measure(name).either
    }
    inputs: dict[str, Any] = {
        "sensitive": release.sensitive,
        "hierarchies": given_hierarchies,
        "suppressed": release.suppressed,
        "measures": [*options],
        "options": options,
    }
    table = arrow(release.released)
    before = petaudit.audit(table, quasi_identifiers=names, **inputs)
    found = changed(before.advice)
    broken = [result.measure for result in before if result.passed is False]
    for (column, change), figures in found.items():
        assert column is not None
        if change == "without":
            others = [name for name in names if name != column]
            after = petaudit.audit(table.drop_columns([column]), quasi_identifiers=others, **inputs)
        else:
            paths = given_hierarchies[column]
            cells = [_parent(cell, paths) for cell in table[column].to_pylist()]
            place = table.column_names.index(column)
            coarser = table.set_column(place, column, pa.array(cells, type=pa.string()))
            after = petaudit.audit(coarser, quasi_identifiers=names, **inputs)
        measured = {result.measure: result.value for result in after}
        assert figures == {name: pytest.approx(measured[name]) for name in figures}
        assert set(figures) == set(broken) & set(measured)


def _parent(cell: str | None, paths: Mapping[str, Sequence[str]]) -> str | None:
    """The label above one, at its lowest level."""
    whole = [[leaf, *path] for leaf, path in paths.items()]
    if len({path[-1] for path in whole}) > 1:
        whole = [[*path, "*"] for path in whole]
    text = "" if cell is None else cell
    for level in range(len(whole[0]) - 1):
        for path in whole:
            if path[level] == text:
                return path[level + 1] or None
    return cell


def test_coarser_levels_are_advised_only_where_they_reach_the_limits() -> None:
    table = pa.table({"age": ["21", "22", "31", "32"], "sex": ["f", "m", "f", "m"]})
    roles = {"quasi_identifiers": ["age", "sex"], "hierarchies": {"age": petaudit.ranges(10, 20)}}
    before = petaudit.audit(table, limits={"k-anonymity": 2}, **roles)
    calls = [each.python for each in before.advice if each.kind == "command"]
    assert len(calls) == 2
    assert "levels={'age': 2}" in str(calls[0])
    assert "petaudit.anonymize(" in str(calls[1])
    for call in calls:
        done = eval(str(call), {"petaudit": petaudit}, {"table": table} | roles)  # noqa: S307
        again = petaudit.audit(done, quasi_identifiers=["age", "sex"], limits={"k-anonymity": 2})
        assert again.passed
    never = petaudit.audit(table, limits={"k-anonymity": 5}, **roles)
    assert [each.kind for each in never.advice if each.kind != "change"] == ["note"]


def test_a_frame_comes_back_in_its_kind() -> None:
    frame = pd.DataFrame({"zip": ["1", "1", "2"], "pay": [1.5, 2.5, 3.5]}, index=[7, 8, 9])
    left = petaudit.suppress(frame, quasi_identifiers="zip", limits={"k-anonymity": 2})
    assert left.index.tolist() == [7, 8]
    assert left.dtypes.equals(frame.dtypes)
    pl = pytest.importorskip("polars")
    rows = petaudit.suppress(
        pl.from_pandas(frame), quasi_identifiers="zip", limits={"k-anonymity": 2}
    )
    assert rows["pay"].to_list() == [1.5, 2.5]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--k", "2", "--l", "2", "--max-suppression", "5%"], 1, "2 rows (28.6 %)"),
        (["--k", "2", "--l", "2", "--max-suppression", "x"], 2, "--max-suppression"),
        (["--k", "8"], 2, "no class would be left"),
        (["--min-precision", "0.5"], 2, "precision"),
        ([], 2, "no limit"),
        (["--k", "2", "--qi", "zipp"], 2, "zip"),
    ],
)
def test_nothing_is_written_unless_all_limits_hold(
    tmp_path: Path, words: list[str], code: int, said: str
) -> None:
    path, target = written(tmp_path), tmp_path / "out.csv"
    roles = ["--sensitive", "illness"] if "--qi" in words else ROLES
    done = run("suppress", str(path), *roles, *words, "--out", str(target))
    assert done.code == code
    assert said in done.err
    assert not done.out
    assert not target.exists()


def test_the_input_is_not_overwritten(tmp_path: Path) -> None:
    path = written(tmp_path)
    before = path.read_bytes()
    done = run("suppress", str(path), *ROLES, "--k", "3", "--out", str(path))
    assert done.code == 2
    assert path.read_bytes() == before


def test_a_role_is_not_lost_to_the_guard_against_formulas(tmp_path: Path) -> None:
    path, target = tmp_path / "t.csv", tmp_path / "out.csv"
    path.write_text("-zip;age\n1;2\n1;2\n2;3\n")
    asked = ["suppress", str(path), "--qi=-zip,age", "--k", "2", "--out", str(target)]
    done = run(*asked)
    assert done.code == 2
    assert "--formulas keep" in done.err
    assert run(*asked, "--formulas", "keep").code == 0
    assert target.read_text() == "-zip;age\n1;2\n1;2\n"


def test_errors_of_the_function() -> None:
    table = pa.table({"zip": ["1", "1", "2"]})
    with pytest.raises(OptionError, match="no limit"):
        petaudit.suppress(table, quasi_identifiers="zip")
    with pytest.raises(OutOfReachError):
        petaudit.suppress(table, quasi_identifiers="zip", limits={"k-anonymity": 3})
    with pytest.raises(TooManyRowsError):
        petaudit.suppress(
            table, quasi_identifiers="zip", limits={"k-anonymity": 2}, max_suppression=0.3
        )


def test_rows_that_break_limits_are_written_for_their_owner(tmp_path: Path) -> None:
    path, target = written(tmp_path), tmp_path / "rows.csv"
    asked = ["check", str(path), *ROLES, "--k", "3", "--l", "2", "--rows", str(target)]
    assert run(*asked).code == 1
    lines = target.read_text().splitlines()
    assert lines[0] == "measure|row"
    assert lines[1:] == [
        *(f"k-anonymity|{row}" for row in (4, 5, 6, 7)),
        *(f"l-diversity|{row}" for row in (4, 5)),
    ]
    assert target.stat().st_mode & 0o777 == 0o600
    assert run(*asked, "--reveal-values").code == 1
    assert target.read_text().splitlines()[1] == "k-anonymity|4|148|30"
    done = run(*asked[:-1], str(path))
    assert done.code == 2
    assert "inputs" in done.err


def test_advice_can_be_left_out(tmp_path: Path) -> None:
    path = written(tmp_path)
    done = run("check", str(path), *ROLES, "--k", "3", "--no-advice", "--format", "json")
    assert json.loads(done.out)["what_to_do"] == []


def test_people_are_counted_where_a_column_tells_them_apart() -> None:
    table = pa.table({"who": ["a", "a", "b", "c", "d"], "zip": ["1", "1", "1", "2", "2"]})
    given = {"quasi_identifiers": "zip", "person": "who"}
    before = petaudit.audit(table, limits={"k-anonymity": 3}, **given)
    assert [each.kind for each in before.advice] == ["command", "command"]
    assert "levels={'zip': 1}" in str(before.advice[0].python)
    table = pa.table({"who": ["a", "a", "a", "c", "d"], "zip": ["1", "1", "1", "2", "2"]})
    left = petaudit.suppress(table, limits={"k-anonymity": 2}, **given)
    assert left["zip"].to_pylist() == ["2", "2"]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A table that breaks every limit though some of its classes keep it, and its population."""
    folder = tmp_path_factory.mktemp("people")
    rows = [[str(size), "f" if size % 2 else "m"] for size in range(1, 9) for _ in range(size)]
    table, population = folder / "table.csv", folder / "population.csv"
    labels = [*"pqrs"]
    sensitive = [[labels[place % 4], str(place * 7 % 5 % 3)] for place in range(len(rows))]
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["group", "sex", "disease", "pay"])
        writer.writerows([*row, *own] for row, own in zip(rows, sensitive, strict=True))
    with population.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["group", "sex"])
        writer.writerows(row for row in rows for _ in range(1 + int(row[0]) // 4))
    return table, population


# How many people of a population are unique does not depend on the rows of the table.
@pytest.mark.parametrize("name", [name for name in OF_CLASSES if name != "population-uniqueness"])
def test_the_command_for_every_measure_is_read_as_it_was_meant(
    name: str, people: tuple[Path, Path]
) -> None:
    table, population = people
    options = {**cases.ENTRIES[name].options, **TIGHT.get(name, {})}
    words = [str(table), "--qi", "group,sex", "--sensitive", "disease,pay"]
    words += ["--population", str(population), "--measures", name]
    limit = options.pop("limit", None)
    words += [] if limit is None else ["--limit", f"{name}={limit}"]
    for option, value in options.items():
        words += ["--option", f"{name}.{option}={str(value).lower()}"]
    commands = [each for each in advised(*words) if each["kind"] == "command"]
    assert "suppress" in {each["command"][1] for each in commands}
    for each in commands:
        for command in filter(None, (each["first"], each["command"])):
            done = run(*command[1:], *(["--force"] if command is each["first"] else ()))
            assert done.code == 0, done.err
        again = [command[-1], *words[1:]]
        if each["first"]:
            # Raw people of the population are found by them.
            again += ["--hierarchies", each["first"][-1]]
        assert run("check", *again).code == 0, each


TIGHT: dict[str, dict[str, Any]] = {
    "t-closeness": {"distance": "equal", "limit": "0.3"},
    "distinction": {"limit": "0.15"},
    "sample-uniques": {"limit": "0.01"},
    "special-uniques": {"limit": "0.01"},
    "marketer-risk": {"limit": "0.09"},
    "strict-average-risk": {"limit": "0.15"},
    "delta-presence": {"limit": "0.6"},
    "beta-likeness": {"limit": "0.5"},
    "enhanced-beta-likeness": {"limit": "0.5"},
    "delta-disclosure": {"limit": "0.7"},
}
"""Limits that the table breaks, where the usual ones are kept."""


def test_a_pipeline_has_one_command_for_all_limits_of_a_file(tmp_path: Path) -> None:
    written(tmp_path, "t.csv")
    pipeline = tmp_path / "audit.yaml"
    pipeline.write_text(
        "Loader:\n"
        "  t:\n"
        "    filepath: t.csv\n"
        "    roles: {quasi_identifier: [zip], sensitive_attribute: [illness]}\n"
        "Evaluator:\n"
        "  k: {method: k-anonymity, limit: 3}\n"
        "  l: {method: l-diversity, limit: 2}\n"
        "  t: {method: t-closeness, limit: 0.3}\n"
    )
    executor = petaudit.Executor(str(pipeline))
    assert executor.run() == "failed"
    commands = {tuple(each["command"][:2]): each for each in executor.document["what_to_do"]}
    advice = commands["petaudit", "suppress"]
    assert set(advice["reaches"]) == {"k-anonymity", "l-diversity"}
    done = run_here(advice["command"][1:], tmp_path, {})
    assert done.returncode == 0, done.stderr
    again = [advice["command"][-1], *limits_of(advice["command"])]
    assert run_here(["check", *again], tmp_path, {}).returncode == 0
    shown = run_here(["run", str(pipeline), "--out", "results"], tmp_path, {}).stdout
    assert shlex.join(advice["command"]) in shown
