"""Wrong input: a message of its own on standard error, exit code 2, and nothing written."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

Run = Callable[..., Any]
Write = Callable[[str, "str | bytes"], Path]

CELL = "Zq7Cell"
GOOD = f"zip;age;disease\n1;20;{CELL}\n2;30;{CELL}\n"
ROLES = ("--qi", "zip,age", "--sensitive", "disease")


def parquet(**columns: list[Any]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


@dataclass(frozen=True)
class Case:
    name: str
    says: tuple[str, ...]
    arguments: tuple[str, ...] = ROLES
    files: dict[str, str | bytes] = field(default_factory=dict)
    table: str = "table.csv"

    def __str__(self) -> str:
        return self.name


def broken_table(name: str, content: str | bytes, *says: str, file: str = "bad.csv") -> Case:
    return Case(name, (file, *says), files={file: content}, table=file)


def broken_hierarchy(name: str, content: str | bytes, *says: str) -> Case:
    path = "h/hierarchy_zip.csv"
    return Case(name, (path, *says), ("--qi", "zip", "--hierarchies", "h"), {path: content})


def limit(name: str, *arguments: str, says: tuple[str, ...]) -> Case:
    return Case(name, says, (*ROLES, *arguments))


PROFIT = ("--cost", "4", "--gain", "300", "--loss", "300", "--benefit", "1200")

TABLES = [
    Case("missing file", ("nofile.csv", "does not exist"), table="nofile.csv"),
    Case(
        "folder without Parquet", ("'data'", "no .parquet"), files={"data/x.txt": ""}, table="data"
    ),
    broken_table("empty file", "", "empty"),
    broken_table(
        "bytes of nothing", bytes(range(256)), "named like an Excel workbook", file="bad.xlsx"
    ),
    broken_table("only blanks", " \n\n \n", "empty"),
    broken_table("header only", "zip;age;disease\n", "no rows"),
    broken_table("header without line end", "zip;age;disease", "no rows"),
    broken_table("Parquet without rows", parquet(zip=[]), "no rows", file="bad.parquet"),
    broken_table("too many cells", f"zip;age\n1;2\n1;{CELL};3\n", "line 3", "3 cells", "has 2"),
    broken_table("too few cells", f"zip;age\n1;2\n{CELL}\n", "line 3", "1 cell ", "has 2"),
    broken_table("column twice", "zip;age;zip\n1;2;3\n", "'zip'", "more than once"),
    broken_table("column twice but for blanks", "zip; zip \n1;2\n", "'zip'", "more than once"),
    broken_table("Excel workbook", b"PK\x03\x04\x14\0\x06\0" + b"x" * 50, "Excel", "damaged"),
    broken_table("old Excel", b"\xd0\xcf\x11\xe0\xa1\xb1" + b"x" * 50, "old Excel", "damaged"),
    broken_table("image", b"\x89PNG\r\n\x1a\n" + b"x" * 50, "image", "not read", "CSV, Parquet"),
    broken_table("PDF", b"%PDF-1.7\n" + b"x" * 50, "PDF", "not read", "CSV, Parquet"),
    broken_table("SQLite", b"SQLite format 3\0" + b"x" * 50, "SQLite", "sqlite3 -header -csv"),
    broken_table(
        "JSON list", '[{"zip": 1, "age": 2},\n{"zip": 3, "age": 4}]', "JSON", "one object per line"
    ),
    broken_table("JSON object", '{"zip": [1, 2],\n"age": [3, 4]}', "lists or objects"),
    broken_table("binary", b"zip;age\n1;\0\0\0\n", "binary", "text"),
    broken_table(
        "UTF-16 without its mark",
        "zip;age\n1;2\n".encode("utf-16-le"),
        "looks like UTF-16",
        "--encoding utf-16-le",
    ),
    broken_table(
        "undecodable byte", b"zip;age\n1;2\n1;p\xe8re\n", "line 3", "0xe8", "--encoding cp1252"
    ),
    broken_table(
        "undecodable header", b"z\xffp;age\n1;2\n", "line 1", "0xff", "--encoding big5 or cp1252"
    ),
    broken_table(
        "undecodable far down", b"zip;age\n" + b"1;2\n" * 40_000 + b"1;\xe9\n", "line 40002", "0xe9"
    ),
    broken_table("line break in a field", f'zip;age\n1;2\n3;"{CELL}\nb"\n', "line 3", "line break"),
    broken_table("line break in a name", 'zip;"a\nge"\n1;2\n', "line 1", "line break"),
    broken_table("quote never closed", f'zip;age\n1;"{CELL}\n2;3\n', "line 2", "quote"),
    broken_table("truncated Parquet", parquet(zip=["1"] * 99)[:-20], "Parquet", file="bad.parquet"),
    broken_table("Parquet without end", b"PAR1", "Parquet", file="bad.parquet"),
    broken_table("no gzip", GOOD, "gzip", file="bad.csv.gz"),
]

COLUMNS = [
    Case(
        "unknown column",
        ("unknown column 'zipp'", "did you mean 'zip'", "table.csv", "zip, age, disease"),
        ("--qi", "zipp", "--sensitive", "disease"),
    ),
    Case(
        "unknown sensitive column",
        ("'diseas'", "'disease'"),
        ("--qi", "zip", "--sensitive", "diseas"),
    ),
    Case("column in another case", ("'ZIP'", "did you mean 'zip'"), ("--qi", "ZIP")),
    Case("unknown key", ("unknown column 'idd'", "table.csv"), (*ROLES, "--key", "idd")),
    Case("role twice", ("'zip'", "twice", "quasi_identifier"), ("--qi", "zip,zip")),
    Case("role twice by two options", ("'zip'", "twice"), ("--qi", "zip", "--qi", "zip")),
    Case(
        "two roles",
        ("'zip'", "quasi_identifier", "sensitive_attribute"),
        ("--qi", "zip", "--sensitive", "zip"),
    ),
    Case("identifier and sensitive", ("'age'",), ("--identifier", "age", "--sensitive", "age")),
]

HIERARCHIES = [
    broken_hierarchy("ragged", "1;a;*\n2;*\n", "line 2", "2 levels", "3"),
    broken_hierarchy("empty hierarchy", "", "empty"),
    broken_hierarchy("two paths", "1;a;*\n2;b;*\n1;b;*\n", "line 3", "another path"),
    broken_hierarchy("empty label", "1;;*\n", "line 1", "empty label above"),
    broken_hierarchy("undecodable hierarchy", b"1;\xff\n", "UTF-8"),
    Case("no such folder", ("'nodir'", "does not exist"), (*ROLES, "--hierarchies", "nodir")),
    Case("a file as folder", ("'table.csv'", "is a file"), (*ROLES, "--hierarchies", "table.csv")),
    Case(
        "folder without hierarchies",
        ("'h'", "hierarchy_<attribute>.csv"),
        (*ROLES, "--hierarchies", "h"),
        {"h/zip.csv": "1;*\n"},
    ),
    Case(
        "two files for one column",
        ("'zip'", "two hierarchies"),
        (*ROLES, "--hierarchies", "h"),
        {"h/a_hierarchy_zip.csv": "1;*\n2;*\n", "h/b_hierarchy_zip.csv": "1;*\n2;*\n"},
    ),
    Case("no such rules file", ("'r.yaml'", "not exist"), (*ROLES, "--hierarchies", "r.yaml")),
    Case(
        "rules that do not nest",
        ("ranges", "'zip'", "multiple"),
        (*ROLES, "--hierarchies", "r.yaml"),
        {"r.yaml": "zip: {ranges: [5, 7]}\n"},
    ),
]

OPTIONS = [
    limit("unknown measure", "--measures", "tcloseness", says=("'tcloseness'", "'t-closeness'")),
    limit("no measure", "--measures", "", says=("measures", "empty")),
    limit("limit of an unknown measure", "--limit", "k=5", says=("'k'", "t-closeness")),
    limit("unknown option", "--option", "t-closeness.worts=1", says=("'worts'", "'worst'")),
    Case(
        "unknown option of a measure that cannot run",
        ("'worts'", "'worst'"),
        ("--qi", "zip", "--option", "t-closeness.worts=1"),
    ),
    limit("limit of a measure without", *PROFIT, "--limit", "profitability=1", says=("'limit'",)),
    limit("option without measure", "--option", "worst=1", says=("--option", "MEASURE.NAME=VALUE")),
    limit("limit without value", "--limit", "precision", says=("--limit", "'precision'", "=")),
    limit("negative limit", "--t", "-0.1", says=("t-closeness", "-0.1", "negative")),
    limit("limit in words", "--t", "low", says=("t-closeness", "'low'", "number")),
    limit("limit not a number", "--t", "nan", says=("t-closeness", "'nan'", "number")),
    limit("endless limit", "--t", "inf", says=("t-closeness", "'inf'", "number")),
    limit("limit beyond any float", "--t", "1e400", says=("t-closeness", "1e400")),
    limit("blank limit", "--t", "", says=("t-closeness", "number")),
    limit("limit twice", "--t", "0.1", "--limit", "t-closeness=0.9", says=("t-closeness", "twice")),
    limit(
        "limit twice in two spellings",
        *("--t", "0.1", "--limit", "t_closeness=0.9"),
        says=("t-closeness", "twice"),
    ),
    limit("cost in words", *PROFIT[2:], "--cost", "much", says=("cost", "'much'", "number")),
    limit("negative cost", *PROFIT[2:], "--cost", "-4", says=("cost", "-4", ">= 0")),
    limit("cost beyond any float", *PROFIT[2:], "--cost", "1e400", says=("cost", "1e400")),
    limit("unknown distance", "--distance", "eqal", says=("'eqal'", "'equal'", "ordered")),
    limit("text has no order", "--distance", "ordered", says=("'disease'", "not numbers")),
    limit("worst below 0", "--option", "t-closeness.worst=-1", says=("worst", "-1")),
    limit("long delimiter", "--delimiter", "ab", says=("delimiter", "'ab'", "one character")),
    limit("quote as delimiter", "--delimiter", '"', says=("delimiter",)),
    limit("line break as delimiter", "--delimiter", "\n", says=("delimiter",)),
    limit("unknown encoding", "--encoding", "klingon", says=("encoding", "'klingon'")),
    limit("encoding of no text", "--encoding", "base64", says=("encoding", "'base64'")),
    limit("wrong encoding", "--encoding", "utf-16", says=("table.csv", "utf-16")),
    limit("unknown flag", "--qii", "zip", says=("--qii", "did you mean '--qi'")),
    limit("flag without value", "--t", says=("--t", "expected one argument")),
    limit("unknown format", "--format", "xml", says=("--format", "xml", "json")),
    limit("unknown suppression", "--suppressed", "drop", says=("--suppressed", "drop", "exclude")),
]

OUTSIDE = [*TABLES, *COLUMNS, *HIERARCHIES, *OPTIONS]


@pytest.fixture
def put(write: Write) -> Callable[[Case], None]:
    def files(case: Case) -> None:
        write("table.csv", GOOD)
        for name, content in case.files.items():
            write(name, content)

    return files


def listing() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def assert_says(err: str, case: Case) -> None:
    for fragment in case.says:
        assert fragment in err
    assert "Traceback" not in err
    assert "internal error" not in err
    assert CELL not in err


@pytest.mark.parametrize("case", OUTSIDE, ids=str)
def test_bad_input_has_its_own_message_and_exit_code_2(
    case: Case, put: Callable[[Case], None], run: Run
) -> None:
    put(case)
    result = run("check", case.table, *case.arguments)
    assert_says(result.err, case)
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("petaudit")
    # argparse adds one line that points at the help.
    assert len(result.err.splitlines()) <= 2


def test_no_two_of_these_messages_are_the_same(put: Callable[[Case], None], run: Run) -> None:
    messages = {}
    for case in OUTSIDE:
        # The hierarchies of one case are none of the next one.
        shutil.rmtree("h", ignore_errors=True)
        put(case)
        messages[case.name] = run("check", case.table, *case.arguments).err
    same = [
        {"empty file", "only blanks"},
        {"header only", "header without line end"},
        {"column twice", "column twice but for blanks"},
        {"role twice", "role twice by two options"},
        {"limit twice", "limit twice in two spellings"},
        {"unknown option", "unknown option of a measure that cannot run"},
        {"JSON list", "JSON object"},
        {"truncated Parquet", "Parquet without end"},
    ]
    for name, message in messages.items():
        others = {other for other, its in messages.items() if its == message and other != name}
        assert all({name, other} in same for other in others), (name, others)


@pytest.mark.parametrize("format_name", ["text", "json"])
@pytest.mark.parametrize(
    "case", [*TABLES[:6], *COLUMNS[:1], *HIERARCHIES[:1], *OPTIONS[:6]], ids=str
)
def test_nothing_is_written_on_failure(
    case: Case, format_name: str, put: Callable[[Case], None], run: Run, write: Write
) -> None:
    put(case)
    write("old.txt", "kept")
    before = listing()
    for target in ("new.txt", "old.txt"):
        result = run("check", case.table, *case.arguments, "--out", target, "--format", format_name)
        assert (result.code, result.out) == (2, "")
    assert listing() == before


# What only one measure notices: the others may still be shown, but no file says so.
INSIDE = [
    Case("no quasi-identifier", ("quasi-identifier", "--qi"), ("--sensitive", "disease")),
    Case("blank quasi-identifier", ("quasi-identifier",), ("--qi", "", "--sensitive", "disease")),
    Case("no role at all", ("quasi-identifier",), ()),
    Case("no sensitive attribute", ("t-closeness", "sensitive"), ("--qi", "zip", "--t", "0.5")),
    Case(
        "missing leaf",
        ("'zip'", "h/hierarchy_zip.csv", "data row 2"),
        ("--qi", "zip", "--hierarchies", "h"),
        {"h/hierarchy_zip.csv": "1;*\n"},
    ),
    Case(
        "hierarchies of other columns",
        ("no hierarchy for column 'zip'", "zipcode"),
        ("--qi", "zip", "--hierarchies", "h"),
        {"h/hierarchy_zipcode.csv": "1;*\n2;*\n"},
    ),
    Case(
        "tables of different length",
        ("different numbers of rows", "1 in short.csv", "2 in table.csv"),
        ("--qi", "zip", "--hierarchies", "h", "--original", "short.csv"),
        {"h/hierarchy_zip.csv": "1;*\n2;*\n", "short.csv": "zip;age;disease\n1;2;3\n"},
    ),
    Case(
        "key with a value twice",
        ("key column 'disease'", "more than once"),
        ("--qi", "zip", "--hierarchies", "h", "--original", "table.csv", "--key", "disease"),
        {"h/hierarchy_zip.csv": "1;*\n2;*\n"},
    ),
    Case("no hierarchy for the distance", ("'disease'",), (*ROLES, "--distance", "hierarchical")),
    Case(
        "distance of a column that is not sensitive",
        ("'age'",),
        (*ROLES, "--distance", "age=equal"),
    ),
    Case("options missing", ("profitability", "gain", "loss"), (*ROLES, "--cost", "4")),
]


@pytest.mark.parametrize("case", INSIDE, ids=str)
def test_a_measure_that_cannot_run_is_an_error(
    case: Case, put: Callable[[Case], None], run: Run
) -> None:
    put(case)
    result = run("check", case.table, *case.arguments)
    assert_says(result.err, case)
    assert result.code == 2
    assert all(line.startswith("petaudit: error: ") for line in result.err.splitlines())
    assert CELL not in result.out


@pytest.mark.parametrize("case", INSIDE, ids=str)
def test_no_file_is_written_when_a_measure_cannot_run(
    case: Case, put: Callable[[Case], None], run: Run, write: Write
) -> None:
    put(case)
    write("old.txt", "kept")
    before = listing()
    for target in ("new.txt", "old.txt"):
        assert run("check", case.table, *case.arguments, "--out", target).code == 2
    assert listing() == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--l", "1"], "so every table meets it"),
        (
            ["--qi", "zip,age", "--hierarchies", "h", "--min-precision", "1.5"],
            "so no table meets it",
        ),
    ],
)
def test_a_limit_that_always_or_never_holds_is_a_warning(
    arguments: list[str], says: str, put: Callable[[Case], None], run: Run
) -> None:
    case = Case(
        "", (), (), {"h/hierarchy_zip.csv": "1;*\n2;*\n", "h/hierarchy_age.csv": "20;*\n30;*\n"}
    )
    put(case)
    roles = [] if "--qi" in arguments else ROLES
    result = run("check", case.table, *roles, *arguments)
    assert result.code in {0, 1}
    assert says in result.out
    assert result.err == ""


def test_a_limit_of_exactly_1_is_no_warning(put: Callable[[Case], None], run: Run) -> None:
    put(Case("", ()))
    assert "warning" not in run("check", "table.csv", *ROLES, "--t", "1").out


@pytest.mark.parametrize("arguments", [["chekc"], ["--nonsense"], ["check"], ["generalize"]])
def test_a_command_line_that_makes_no_sense_points_at_the_help(
    arguments: list[str], run: Run
) -> None:
    result = run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("petaudit")
    assert "--help'" in result.err


def test_a_mistyped_command_is_put_right(run: Run) -> None:
    assert "did you mean 'check'" in run("chekc").err


def test_a_real_process_says_the_same(
    put: Callable[[Case], None], run: Run, run_process: Run
) -> None:
    for case in (TABLES[0], HIERARCHIES[0], OPTIONS[0]):
        put(case)
        arguments = ("check", case.table, *case.arguments, "--out", "new.txt")
        assert run_process(*arguments) == run(*arguments)
    assert not Path("new.txt").exists()


def test_an_unforeseen_error_shows_its_kind_and_not_its_text(
    table: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text of such an error may quote the data."""

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError(CELL)

    monkeypatch.setattr("petaudit.cli.check.audit", fail)
    result = run("check", table)
    assert (result.code, result.out) == (2, "")
    assert "internal error (ZeroDivisionError)" in result.err
    assert "PETAUDIT_DEBUG" in result.err
    assert CELL not in result.err
    monkeypatch.setenv("PETAUDIT_DEBUG", "1")
    result = run("check", table)
    assert result.code == 2
    assert CELL not in result.err
    assert "ZeroDivisionError" in result.err
    assert "in fail" in result.err
    assert f"ZeroDivisionError: {CELL}" in run("check", table, "--reveal-values").err
