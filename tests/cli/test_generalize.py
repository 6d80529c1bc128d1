"""``petaudit generalize``: levels and suppression applied to files."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from petaudit import datasets

Run = Callable[..., Any]
Write = Callable[[str, "str | bytes"], Path]


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text), delimiter=";"))


@pytest.fixture
def generalize(table: Path, hierarchies: Path, run: Run) -> Run:
    def call(*more: object) -> Any:
        return run("generalize", table, "--hierarchies", hierarchies, *more)

    return call


def test_levels_are_applied_in_row_order(generalize: Run) -> None:
    result = generalize("--levels", "zip=1,age=0")
    assert (result.code, result.err) == (0, "")
    assert rows(result.out) == [
        ["zip", "age", "disease"],
        ["4767*", "29", "flu"],
        ["4767*", "29", "cold"],
        ["4760*", "22", "flu"],
        ["4760*", "22", "flu"],
    ]


@pytest.mark.parametrize(
    "spelled", [("zip=2,age=1",), ("zip=2", "age=1"), (" zip = 2 , age = 1 ",)]
)
def test_levels_may_be_repeated_or_listed(spelled: tuple[str, ...], generalize: Run) -> None:
    result = generalize(*(part for text in spelled for part in ("--levels", text)))
    assert {tuple(row[:2]) for row in rows(result.out)[1:]} == {("476**", "2*")}


def test_small_classes_are_suppressed(table: Path, hierarchies: Path, run: Run) -> None:
    with table.open("a") as file:
        file.write("47677;22;angina\n")
    given = ("generalize", table, "--hierarchies", hierarchies, "--levels", "zip=1,age=0")
    result = run(*given, "--suppress-below", "2")
    assert rows(result.out)[1:] == [
        ["4767*", "29", "flu"],
        ["4767*", "29", "cold"],
        ["4760*", "22", "flu"],
        ["4760*", "22", "flu"],
        ["*", "*", "angina"],
    ]
    every = run(*given, "--suppress-below", "3")
    assert [row[:2] for row in rows(every.out)[1:]] == [["*", "*"]] * 5
    none = run(*given, "--suppress-below", "1")
    assert rows(none.out)[-1] == ["4767*", "22", "angina"]


def test_all_quasi_identifiers_make_the_class(generalize: Run) -> None:
    by_level = generalize("--levels", "zip=2", "--suppress-below", "4")
    by_all = generalize("--levels", "zip=2", "--suppress-below", "4", "--qi", "zip,age")
    assert [row[:2] for row in rows(by_level.out)[1:]] == [
        ["476**", age] for age in ("29", "29", "22", "22")
    ]
    assert [row[:2] for row in rows(by_all.out)[1:]] == [["*", "*"]] * 4


def test_identifiers_are_left_out_or_suppressed_altogether(generalize: Run) -> None:
    given = ("--levels", "zip=1", "--identifier", "disease")
    result = generalize(*given)
    assert rows(result.out)[0] == ["zip", "age"]
    assert result.err == "petaudit: warning: left out, as identifiers: 'disease'\n"
    masked = generalize(*given, "--identifier-columns", "mask")
    assert [row[2] for row in rows(masked.out)] == ["disease", *"****"]


def test_identifiers_of_the_side_car_are_left_out_too(
    table: Path, hierarchies: Path, write: Write, run: Run
) -> None:
    roles = "{identifier: [disease], quasi_identifier: [zip, age]}"
    write("table.yaml", f"DATASET: {{ATTRIBUTE_TYPE: {roles}, HIERARCHY: {hierarchies}}}")
    result = run("generalize", table, "--levels", "zip=3", "--suppress-below", "3")
    assert (result.code, rows(result.out)[1:]) == (0, [["*", "*"]] * 4)


def test_what_looks_like_an_identifier_stays_only_as_insensitive(write: Write, run: Run) -> None:
    write("t.csv", "e-mail;zip\nann@example.org;1\nbob@example.org;1\n")
    given = ("generalize", "t.csv", "--qi", "zip", "--suppress-below", "2")
    result = run(*given)
    assert rows(result.out) == [["zip"], ["1"], ["1"]]
    assert "left out, because of names or values like those of identifiers: 'e-mail'" in result.err
    kept = run(*given, "--insensitive", "e-mail")
    assert (rows(kept.out)[0], kept.err) == (["e-mail", "zip"], "")


def test_a_first_person_in_place_of_a_header_is_not_named(write: Write, run: Run) -> None:
    write("t.csv", "ann@example.org;1;33;0912345678\nbob@example.org;1;44;0987654321\n")
    result = run("generalize", "t.csv", "--qi", "1", "--suppress-below", "2")
    assert "left out, because of names or values like those of identifiers: 2 columns" in result.err
    assert "ann@" not in result.err


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["", "o.csv", "o.tsv", "o.csv.gz", "o.tsv.zst", "o.parquet"])
def test_the_delimiter_that_was_read_is_written(
    delimiter: str, name: str, write: Write, run: Run
) -> None:
    lines = [["zip", "age"], ["a;b", "1,5"], ["c|d", "2,5"]]
    text = "".join(delimiter.join(f'"{cell}"' for cell in line) + "\n" for line in lines)
    write("t.csv", text)
    given = ("generalize", "t.csv", "--qi", "zip", "--suppress-below", "1")
    result = run(*given, *(("--out", name) if name else ()))
    assert (result.code, result.err) == (0, "")
    if name == "o.parquet":
        assert pq.read_table(name).to_pydict() == {"zip": ["a;b", "c|d"], "age": ["1,5", "2,5"]}
        return
    if name:
        codec = {"gz": "gzip", "zst": "zstd"}.get(name.rpartition(".")[2])
        with pa.input_stream(name, compression=codec) as stream:
            made = stream.read().decode()
    else:
        made = result.out
    mark = "\t" if ".tsv" in name else delimiter
    assert list(csv.reader(io.StringIO(made), delimiter=mark)) == lines


def test_a_table_without_a_delimiter_is_written_with_semicolons(run: Run) -> None:
    adult = datasets.load("adult")
    result = run("generalize", adult.path, "--suppress-below", "2", "--qi", "sex", "--out", "o.csv")
    assert result.code == 0
    assert Path("o.csv").read_text().partition("\n")[0].count(";") == 8


def test_small_classes_are_suppressed_without_any_level(write: Write, run: Run) -> None:
    write("t.csv", "zip;age\n1;20\n1;20\n2;30\n")
    result = run("generalize", "t.csv", "--qi", "zip,age", "--suppress-below", "2")
    assert (result.code, rows(result.out)[1:]) == (0, [["1", "20"], ["1", "20"], ["*", "*"]])
    checked = run("generalize", "t.csv", "--suppress-below", "2")
    assert (checked.code, checked.out) == (2, "")
    assert "no quasi-identifier is known for t.csv: name them (--qi)" in checked.err


def test_most_rows_suppressed_is_a_warning(write: Write, run: Run) -> None:
    write("t.csv", "age\n21\n22\n31\n")
    write("rules.yaml", "age: {ranges: [10]}\n")
    given = ("--qi", "age", "--hierarchies", "rules.yaml", "--suppress-below", "2")
    result = run("generalize", "t.csv", *given)
    says = "most rows are suppressed: 3 rows (100 %); with level 1 of 'age' it would be 1\n"
    assert says in result.err


MESSY = """income;born;age
"1.234,50";民國113年3月5日;23
980;99/12/31;unknown
"12.000";113/1/1;41
"""


def test_numbers_and_dates_are_read_as_people_write_them(write: Write, run: Run) -> None:
    write("t.csv", MESSY)
    write(
        "rules.yaml", "income: {ranges: 1000}\nborn: {dates: year}\nage: {ranges: 20, closed: true}"
    )
    given = ("generalize", "t.csv", "--hierarchies", "rules.yaml")
    result = run(*given, "--levels", "income=1,born=1,age=1")
    assert (result.code, result.out) == (2, "")
    assert "rule ranges for 'age': 1 value cannot be read as an integer" in result.err
    assert "other: true in the rule" in result.err
    assert "in 1 row of t.csv (data row 2)" in result.err
    assert "unknown" not in result.err
    result = run(*given, "--levels", "income=1,born=1,age=1", "--other-values", "level")
    assert rows(result.out)[1:] == [
        ["[1000,2000[", "2024", "20-39"],
        ["[0,1000[", "2010", "other"],
        ["[12000,13000[", "2024", "40-59"],
    ]
    assert [line.removeprefix("petaudit: warning: ") for line in result.err.splitlines()] == [
        "rule ranges for 'income': numbers are read with a decimal comma, thousands separators",
        "rule dates for 'born': years of the Republic of China are read as such: 113 is 2024",
        "column 'age': 1 cell (1 value) put into 'other', fitting no other level",
    ]


def test_measures_know_what_a_rule_made_of_messy_values(write: Write, run: Run) -> None:
    """Two of three levels above a leaf are left of each cell: 1 - 1/2 in every column."""
    write("t.csv", MESSY)
    rules = (
        "income: {ranges: 1000}\nborn: {dates: year}\nage: {ranges: 20, closed: true, other: true}"
    )
    write("rules.yaml", rules)
    levels = ("--hierarchies", "rules.yaml", "--levels", "income=1,born=1,age=1")
    assert run("generalize", "t.csv", *levels, "--out", "o.csv").code == 0
    given = ("--original", "t.csv", "--hierarchies", "rules.yaml", "--qi", "income,born,age")
    found = run("check", "o.csv", *given, "--measures", "precision", "--format", "json")
    [result] = json.loads(found.out)["results"]
    assert result["value"] == 0.5
    # What was recognised is part of the document, and not said twice.
    assert json.loads(found.out)["warnings"] == [
        "rule ranges for 'income': numbers are read with a decimal comma, thousands separators",
        "rule dates for 'born': years of the Republic of China are read as such: 113 is 2024",
        "column 'age': 1 cell (1 value) put into 'other', fitting no other level",
    ]
    assert found.err == ""


@pytest.mark.parametrize("name", ["released.csv", "released.parquet", "RELEASED.PARQUET"])
def test_a_table_is_written_whole(name: str, generalize: Run, run: Run) -> None:
    printed = rows(generalize("--levels", "zip=1", "--suppress-below", "2").out)
    result = generalize("--levels", "zip=1", "--suppress-below", "2", "--out", name)
    assert (result.code, result.err) == (0, "")
    done, _, command = result.out.splitlines()
    assert done == f"wrote {name}: 4 rows, 0 of them suppressed"
    # What to type next works as it is printed.
    assert command.startswith(f"  petaudit check {name} --qi zip --k 5 --report ")
    assert run(*command.split()[1:]).code in (0, 1)
    if name.endswith(".csv"):
        written = rows(Path(name).read_text())
    else:
        table = pq.read_table(name)
        written = [table.column_names, *(list(row.values()) for row in table.to_pylist())]
    assert written == printed


def test_how_many_rows_were_suppressed_is_said(generalize: Run) -> None:
    given = ("--levels", "zip=1", "--suppress-below", "3", "--out", "o.csv")
    assert "4 of them suppressed" in generalize(*given).out


def test_the_delimiter_and_encoding_of_the_table_can_be_named(write: Write, run: Run) -> None:
    table = write("t.csv", "部門\t年齡\n甲\t11\n乙\t12\n".encode("big5"))
    write("rules.yaml", "年齡: {ranges: 10}\n")
    given = ("generalize", table, "--levels", "年齡=1", "--hierarchies", "rules.yaml")
    result = run(*given, "--encoding", "big5", "--delimiter", "tab")
    assert (result.code, result.err) == (0, "")
    assert result.out == "部門\t年齡\n甲\t[10,20[\n乙\t[10,20[\n"


def test_rules_of_every_kind_come_from_yaml(write: Write, run: Run) -> None:
    write(
        "t.csv",
        "age;zip;born;risk;sex;city\n"
        "23;47677;1977-03-09;low;F;Paris\n91;47602;1981-12-31;top;M;Lima\n",
    )
    write("city.csv", "Paris;Europe\nLima;America\n")
    write(
        "rules.yaml",
        """
        age: {ranges: [5, 10], top: 80}
        zip: {mask: right, levels: 3, mark: x}
        born: {dates: [month, year]}
        risk: {ordered: [low, mid, high, top], groups: 2}
        sex: {F: any, M: any}
        city: city.csv
        """,
    )
    levels = "age=2,zip=3,born=1,risk=1,sex=1,city=1"
    result = run("generalize", "t.csv", "--levels", levels, "--hierarchies", "rules.yaml")
    assert (result.code, result.err) == (0, "")
    assert rows(result.out)[1:] == [
        ["[20,30[", "47xxx", "1977-03", "low..mid", "any", "Europe"],
        [">=80", "47xxx", "1981-12", "high..top", "any", "America"],
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--levels", "zip=4"], ("level 4", "'zip'", "0 to 3")),
        (["--levels", "zip=-1"], ("level -1", "'zip'", "0 to 3")),
        (["--levels", "zip=high"], ("zip", "'high'", "must be an integer")),
        (["--levels", "zip=1.5"], ("zip", "'1.5'", "must be an integer")),
        (["--levels", "zip"], ("--levels", "'zip'", "=")),
        (["--levels", "=1"], ("--levels", "=")),
        (["--levels", ""], ("no level",)),
        (["--levels", "zip=1,zip=2"], ("'zip'", "twice")),
        (["--levels", "zipp=1"], ("'zipp'", "did you mean 'zip'")),
        (["--levels", "disease=1"], ("no hierarchy for column 'disease'", "zip")),
        (["--levels", "zip=1", "--suppress-below", "0"], ("suppress", "0", "integer >= 1")),
        (["--levels", "zip=1", "--suppress-below", "-3"], ("suppress", "-3", "integer >= 1")),
        (["--levels", "zip=1", "--suppress-below", "few"], ("--suppress-below", "'few'")),
        (["--levels", "zip=1", "--qi", "zipp"], ("'zipp'", "did you mean 'zip'")),
        (["--levels", "zip=1", "--qi", "zip,zip"], ("'zip'", "twice")),
        (["--levels", "zip=1", "--qi", "zip", "--identifier", "zip"], ("'zip'", "identifier")),
        (["--levels", "zip=1", "--out", "o.txt"], ("'o.txt'", ".csv, .tsv or .parquet")),
        (["--levels", "zip=1", "--out", "o"], ("'o'", ".csv, .tsv or .parquet")),
        (["--levels", "zip=1", "--out", "o.gz"], ("'o.gz'", ".csv, .tsv or .parquet")),
        (["--levels", "zip=1", "--out", "nodir/o.csv"], ("nodir/o.csv",)),
        (["--levels", "zip=1", "--hierarchies", "nodir"], ("--hierarchies", "given twice")),
        ([], ("no level is given", "--levels", "--suppress-below")),
    ],
)
def test_a_mistake_is_an_error_and_nothing_is_written(
    arguments: list[str], says: tuple[str, ...], generalize: Run
) -> None:
    before = sorted(Path().rglob("*"))
    target = [] if "--out" in arguments else ["--out", "o.csv"]
    result = generalize(*arguments, *target)
    assert (result.code, result.out) == (2, "")
    for fragment in says:
        assert fragment in result.err
    assert "internal error" not in result.err
    assert sorted(Path().rglob("*")) == before


def test_a_value_that_is_no_leaf_is_an_error(
    table: Path, hierarchies: Path, write: Write, run: Run
) -> None:
    write("hierarchies/hierarchy_zip.csv", "47677;*\n")
    given = ("generalize", table, "--hierarchies", hierarchies, "--levels", "zip=1")
    result = run(*given)
    assert (result.code, result.out) == (2, "")
    for fragment in ("'zip'", "hierarchies/hierarchy_zip.csv", "not a leaf", "(data row"):
        assert fragment in result.err
    assert "47602" not in result.err
    assert "'47602'" in run(*given, "--reveal-values").err


@pytest.mark.parametrize("name", ["missing.csv", "header.csv", "empty.csv"])
def test_a_table_without_rows_is_an_error(
    name: str, hierarchies: Path, write: Write, run: Run
) -> None:
    write("header.csv", "zip;age\n")
    write("empty.csv", "")
    result = run("generalize", name, "--hierarchies", hierarchies, "--levels", "zip=1")
    assert (result.code, result.out) == (2, "")
    assert name in result.err


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("smallest", [2, 25])
def test_what_is_left_holds_the_promised_class_size(suffix: str, smallest: int, run: Run) -> None:
    adult = datasets.load("adult")
    given = ("generalize", adult.path, "--hierarchies", adult.hierarchies)
    levels = "age=2,education=1,native-country=2,occupation=2"
    released = f"released.{suffix}"
    made = run(*given, "--levels", levels, "--suppress-below", smallest, "--out", released)
    assert made.code == 0
    roles = ("--qi", ",".join(adult.quasi_identifiers))
    game = ("--cost", "1", "--gain", "1", "--loss", "1", "--benefit", "1", "--format", "json")
    found = json.loads(run("check", released, *roles, *game, "--suppressed", "exclude").out)
    [result] = [one for one in found["results"] if one["measure"] == "profitability"]
    rows = result["details"]["rows"]
    assert result["details"]["worst_row"]["class_size"] >= smallest
    assert 0 < rows < adult.rows
    assert f"{adult.rows - rows:,} of them suppressed" in made.out


def test_the_bundled_table_is_made_again(run: Run) -> None:
    adult, released = datasets.load("adult"), datasets.load("adult-deidentified")
    wanted = pq.read_table(released.path)
    levels = levels_of(adult, released)
    given = ("generalize", adult.path, "--hierarchies", adult.hierarchies)
    text = ",".join(f"{column}={level}" for column, level in levels.items())
    qi = ",".join(adult.quasi_identifiers)
    result = run(
        *given, "--levels", text, "--suppress-below", "5", "--qi", qi, "--out", "o.parquet"
    )
    assert result.code == 0
    assert pq.read_table("o.parquet").to_pydict() == wanted.to_pydict()


def levels_of(original: datasets.Dataset, released: datasets.Dataset) -> dict[str, int]:
    """The level of each column: where its labels stand in the hierarchy file."""
    table = pq.read_table(released.path)
    found = {}
    assert original.hierarchies is not None
    for path in original.hierarchies.iterdir():
        column = path.stem.partition("hierarchy_")[2]
        if column not in released.quasi_identifiers:
            continue
        labels = set(table.column(column).to_pylist()) - {"*"}
        at_level = zip(*rows(path.read_text()), strict=True)
        found[column] = next(level for level, own in enumerate(at_level) if labels <= set(own))
    return found


def test_every_row_keeps_its_other_cells(run: Run) -> None:
    adult = datasets.load("adult")
    given = ("generalize", adult.path, "--hierarchies", adult.hierarchies, "--levels", "age=1")
    run(*given, "--suppress-below", "50", "--qi", "sex,age,race", "--out", "o.parquet")
    before, after = pq.read_table(adult.path), pq.read_table("o.parquet")
    assert after.column_names == before.column_names
    for column in ("education", "workclass", "salary-class"):
        assert after.column(column).to_pylist() == before.column(column).to_pylist()
    kinds = Counter(
        zip(*(after.column(name).to_pylist() for name in ("sex", "age", "race")), strict=True)
    )
    assert min(kinds.values()) >= 50
    assert ("*", "*", "*") in kinds


# --- suppressed rows ------------------------------------------------------------------------


@pytest.fixture
def lone(table: Path, hierarchies: Path, run: Run) -> Run:
    """A table with a row that fits no class of two."""
    with table.open("a") as file:
        file.write("47677;22;angina\n")

    def call(*more: object) -> Any:
        given = ("--hierarchies", hierarchies, "--levels", "zip=1,age=0", "--suppress-below", "2")
        return run("generalize", table, *given, *more)

    return call


def test_kept_suppressed_rows_are_warned_of_on_the_error_stream(lone: Run) -> None:
    result = lone("--qi", "zip,age", "--sensitive", "disease")
    assert result.code == 0
    assert rows(result.out)[-1] == ["*", "*", "angina"]
    first, second, third = result.err.splitlines()
    assert first.startswith("petaudit: warning: 1 row with '*' in every quasi-identifier")
    assert "the table is not 2-anonymous" in second
    assert "suppressed rows still hold disease" in third
    assert "angina" not in result.err


def test_suppressed_rows_can_be_dropped(lone: Run, tmp_path: Path, run: Run) -> None:
    result = lone("--suppressed-rows", "drop")
    assert len(rows(result.out)) == 1 + 4
    assert result.err == "petaudit: dropped: 1 row suppressed\n"
    target = tmp_path / "released.csv"
    result = lone("--suppressed-rows", "drop", "--out", target)
    assert "released.csv: 4 rows; dropped: 1 suppressed\n" in result.out
    assert result.err == ""
    checked = run("check", target, "--qi", "zip,age", "--measures", "k-anonymity", "--k", "2")
    assert checked.code == 0


def test_sensitive_cells_of_suppressed_rows_can_be_emptied(lone: Run) -> None:
    result = lone("--qi", "zip,age", "--sensitive", "disease", "--suppressed-rows", "blank")
    assert rows(result.out)[-1] == ["*", "*", ""]
    assert "still hold" not in result.err
    refused = lone("--qi", "zip,age", "--suppressed-rows", "blank")
    assert (refused.code, refused.out) == (2, "")
    assert "name it (--sensitive)" in refused.err


# --- what a spreadsheet would run ---------------------------------------------------------------

FORMULAS = ("=1+1", "@x", "+A1", "-5", "-", "-2+3", "\u200b=x", "plain")
GUARDED = ("'=1+1", "'@x", "'+A1", "-5", "-", "'-2+3", "'\u200b=x", "plain")


@pytest.fixture
def with_formulas(write: Write, run: Run) -> Run:
    write("f.csv", "zip;note\n" + "".join(f"1;{note}\n" for note in FORMULAS))
    write("h/hierarchy_zip.csv", "1;*\n")

    def call(*more: str) -> Any:
        return run("generalize", "f.csv", "--levels", "zip=1", "--hierarchies", "h", *more)

    return call


def test_formulas_are_guarded_in_csv_and_that_is_said(with_formulas: Run) -> None:
    said = "warning: 5 cells of 'note' would be run as a formula by a spreadsheet, and "
    found = with_formulas()
    assert [row[1] for row in rows(found.out)[1:]] == list(GUARDED)
    assert f"{said}got a leading apostrophe; --formulas keep" in found.err
    found = with_formulas("--out", "o.csv")
    assert [row[1] for row in rows(Path("o.csv").read_text())[1:]] == list(GUARDED)
    assert f"{said}got a leading apostrophe" in found.err
    found = with_formulas("--formulas", "keep")
    assert [row[1] for row in rows(found.out)[1:]] == list(FORMULAS)
    assert f"{said}were written as they are" in found.err


def test_parquet_is_exact_and_nothing_is_said(with_formulas: Run) -> None:
    assert "formula" not in with_formulas("--out", "o.parquet").err
    assert pq.read_table("o.parquet").column("note").to_pylist() == list(FORMULAS)


def test_a_table_without_formulas_is_not_changed(generalize: Run) -> None:
    result = generalize("--levels", "zip=1")
    assert result.err == ""
    assert result.out == generalize("--levels", "zip=1", "--formulas", "keep").out
