"""Wrong input of ``petaudit mpuccs``: one clear line, exit code 2, no value, nothing written."""

from __future__ import annotations

import io
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
NUMBER = "83741"
GOOD = f"name;age\n{CELL}1;{NUMBER}1\n{CELL}2;{NUMBER}2\n"
TABLES = ("original.csv", "synthetic.csv")


def parquet(**columns: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


@dataclass(frozen=True)
class Case:
    name: str
    says: tuple[str, ...]
    arguments: tuple[str, ...] = TABLES
    files: dict[str, str | bytes] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


def other(name: str, content: str | bytes, *says: str, file: str = "other.csv") -> Case:
    """The synthetic table is another one."""
    return Case(name, says, ("original.csv", file), {file: content})


def option(name: str, *arguments: str, says: tuple[str, ...]) -> Case:
    return Case(name, says, (*TABLES, *arguments))


MISSING = [
    Case("original missing", ("'orignal.csv'", "does not exist"), ("orignal.csv", TABLES[1])),
    Case("synthetic missing", ("'nofile.csv'", "does not exist"), (TABLES[0], "nofile.csv")),
    option("control missing", "--control", "nofile.csv", says=("'nofile.csv'", "not exist")),
    Case("one table", ("SYNTHETIC", "required"), (TABLES[0],)),
    Case("no table", ("ORIGINAL", "SYNTHETIC"), ()),
    Case("three tables", ("unknown argument", "third.csv"), (*TABLES, "third.csv")),
    Case("empty name", ("empty",), ("", TABLES[1])),
    Case("very long name", ("nnn", "does not exist"), ("n" * 300, TABLES[1])),
    Case("folder without Parquet", ("'data'", "no .parquet"), ("data", TABLES[1]), {"data/x": ""}),
]

COLUMNS = [
    other(
        "columns differ",
        f"name;agee;city\n{CELL}3;{NUMBER}3;x\n",
        *("other.csv", "original.csv", "'agee'", "'city'", "'age'", "same columns"),
    ),
    other("a column is missing", f"name\n{CELL}3\n", "only in original.csv: 'age'"),
    other("a column too many", f"name;age;z\n{CELL};1;2\n", "only in other.csv: 'z'"),
    other("a name in another case", f"Name;age\n{CELL};1\n", "'Name'", "'name'"),
    other("a name twice", f"name;name\n{CELL};1\n", "'name'", "more than once"),
    other(
        "many columns",
        ";".join(f"c{n}" for n in range(500)) + "\n" + ";".join(["1"] * 500) + "\n",
        *("'c0'", "more"),
    ),
    Case(
        "control with other columns",
        ("control.csv", "'agee'", "'age'"),
        (*TABLES, "--control", "control.csv"),
        {"control.csv": f"name;agee\n{CELL};1\n"},
    ),
]

KINDS = [
    other(
        "text against number",
        f"name;age\n{CELL};{CELL}\n",
        *("'age'", "text in other.csv", "numbers in original.csv"),
    ),
    Case(
        "number against text",
        ("'age'", "numbers in original.csv", "text in other.csv"),
        ("other.csv", TABLES[0]),
        {"other.csv": f"name;age\n{CELL};{CELL}\n"},
    ),
    other(
        "date against number",
        "name;age\nx;1873-04-17\n",
        *("'age'", "dates in other.csv", "numbers in original.csv"),
    ),
    Case(
        "typed text against number",
        ("'age'", "text in t.parquet", "numbers in n.parquet"),
        ("n.parquet", "t.parquet"),
        {
            "n.parquet": parquet(name=[CELL], age=[int(NUMBER)]),
            "t.parquet": parquet(name=[CELL], age=[NUMBER]),
        },
    ),
    other(
        "lists", parquet(name=[CELL], age=[[int(NUMBER)]]), "'age'", "List", file="other.parquet"
    ),
    other("bytes", parquet(name=[CELL], age=[b"x"]), "'age'", "Binary", file="other.parquet"),
    Case(
        "text in the control",
        ("'age'", "control.csv", "original.csv", "text", "numbers"),
        (*TABLES, "--control", "control.csv"),
        {"control.csv": f"name;age\n{CELL};{CELL}\n"},
    ),
]

ROWS = [
    other("header only", "name;age\n", "other.csv", "no rows"),
    Case("original without rows", ("no.csv", "no rows"), ("no.csv", TABLES[1]), {"no.csv": "a;b"}),
    Case(
        "control without rows",
        ("no.csv", "no rows"),
        (*TABLES, "--control", "no.csv"),
        {"no.csv": "name;age\n"},
    ),
    other("Parquet without rows", parquet(name=[], age=[]), "no rows", file="other.parquet"),
    other("empty file", "", "other.csv", "empty"),
    other("picture", b"\x89PNG\r\n\x1a\n" + b"x" * 50, "image"),
    other("ragged", f"name;age\n{CELL};1;2\n", "line 2", "3 cells"),
    other("quote never closed", f'name;age\n"{CELL};1\n', "quote"),
    other("undecodable", b"name;age\n\xff;1\n", "line 2", "0xff"),
]

OPTIONS = [
    option("no columns", "--max-cols", "0", says=("--max-cols", "0", ">= 1")),
    option("columns below 0", "--max-cols", "-1", says=("--max-cols", "-1")),
    option("columns in words", "--max-cols", "x", says=("--max-cols", "'x'", "integer")),
    option("part of a column", "--max-cols", "2.5", says=("--max-cols", "'2.5'", "integer")),
    option("blank columns", "--max-cols", "", says=("--max-cols", "''")),
    option("no thread", "--threads", "0", says=("threads", "0", "from 1")),
    option("threads in words", "--threads", "two", says=("--threads", "'two'")),
    option("no time", "--time-limit", "0", says=("limit", "0", "seconds")),
    option("time below 0", "--time-limit", "-1", says=("limit", "-1")),
    option("time in words", "--time-limit", "soon", says=("--time-limit", "'soon'", "number")),
    option("time not a number", "--time-limit", "nan", says=("--time-limit", "'nan'")),
    option("time beyond any float", "--time-limit", "1e400", says=("limit", "1e400")),
    option("order beyond any float", "--renyi-alpha", "1e400", says=("alpha", "1e400")),
    option("gain beyond any float", "--min-entropy-delta", "1e400", says=("entropy", "1e400")),
    option("endless gain", "--min-entropy-delta", "inf", says=("entropy", "inf")),
    option("negative gain", "--min-entropy-delta", "-0.1", says=("entropy", "-0.1")),
    option("order below 0", "--renyi-alpha", "-1", says=("alpha", "-1")),
    option("decay below 0", "--field-decay-factor", "-1", says=("decay", "-1")),
    option("negative seed", "--seed", "-1", says=("seed", "-1")),
    option("decimals below 0", "--numeric-precision", "-1", says=("precision", "-1")),
    option(
        "unknown unit",
        *("--datetime-precision", "fortnight"),
        says=("precision", "'fortnight'", "D, H, T, s, ms, us, ns"),
    ),
    option("unknown profile", "--profile", "pubilc", says=("'pubilc'", "did you mean 'public'")),
    option("two bounds", "--limit", "0.1", "--profile", "public", says=("limit", "profile")),
    option("limit in words", "--limit", "low", says=("limit", "'low'", "number")),
    option("negative limit", "--limit", "-0.1", says=("limit", "-0.1", "negative")),
    option("limit not a number", "--limit", "nan", says=("limit", "'nan'", "number")),
    option("limit beyond any float", "--limit", "1e400", says=("limit", "1e400")),
    option("blank limit", "--limit", "", says=("limit", "number")),
    option(
        "profile of a score that is not there",
        *("--no-baseline", "--profile", "public"),
        says=("profile", "baseline"),
    ),
    option("unknown flag", "--max-columns", "3", says=("did you mean '--max-cols'",)),
    option("unknown format", "--format", "xml", says=("--format", "xml", "json")),
    option("long delimiter", "--delimiter", "ab", says=("delimiter", "'ab'")),
    option("unknown encoding", "--encoding", "klingon", says=("encoding", "'klingon'")),
    option("very many threads", "--threads", "9" * 5000, says=("--threads", "999")),
    option("very many decimals", "--numeric-precision", "9" * 4000, says=("precision", "999")),
    option("a digit that is none", "--max-cols", "²", says=("--max-cols", "'²'")),
    option("very long number", "--max-cols", "9" * 5000, says=("--max-cols", "999")),
]

EVERYTHING = [*MISSING, *COLUMNS, *KINDS, *ROWS, *OPTIONS]


def files() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


@pytest.fixture(autouse=True)
def tables(write: Write) -> None:
    for name in TABLES:
        write(name, GOOD)


@pytest.mark.parametrize("case", EVERYTHING, ids=str)
def test_wrong_input_is_told_in_one_line(case: Case, run: Run, write: Write) -> None:
    for name, content in case.files.items():
        write(name, content)
    before = files()
    result = run("mpuccs", *case.arguments, "--out", "o")
    assert (result.code, result.out) == (2, "")
    first, *more = result.err.splitlines()
    assert first.startswith(("petaudit: error: ", "petaudit mpuccs: error: "))
    assert more in ([], ["Try 'petaudit mpuccs --help'."])
    for part in case.says:
        assert part in first
    assert len(first) < 2_000
    assert "Traceback" not in result.err
    assert CELL not in result.err
    assert NUMBER not in result.err
    assert files() == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("--limit", "low"),
        ("--limit", "-1"),
        ("--limit", "0.1", "--profile", "public"),
        ("--no-baseline", "--profile", "public"),
        ("--max-cols", "0"),
        ("--threads", "0"),
        ("--datetime-precision", "fortnight"),
        ("--out", "original.csv"),
        ("--out", "."),
    ],
    ids=" ".join,
)
def test_it_is_told_before_a_search_that_may_take_hours(
    arguments: tuple[str, ...], run: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("global.csv", GOOD)
    began = []
    monkeypatch.setattr("petaudit.cli.mpuccs.run_audit", lambda *_, **__: began.append(1))
    result = run("mpuccs", "original.csv", "global.csv", *arguments)
    assert result.code == 2
    assert not began
    assert result.err.startswith("petaudit: error: ")


@pytest.mark.parametrize("flag", ["--max-cols", "--threads", "--time-limit", "--seed"])
def test_a_message_names_the_option_as_it_was_typed(flag: str, run: Run) -> None:
    """A newcomer who typed --max-cols has never heard of max_baseline_cols."""
    result = run("mpuccs", *TABLES, flag, "-7")
    assert result.code == 2
    assert flag.removeprefix("--") in result.err


@pytest.mark.parametrize("factor", ["1e200", "1e-200", "0", "1e308"])
def test_a_weight_beyond_any_float_is_no_internal_error(
    factor: str, run: Run, write: Write
) -> None:
    for name in TABLES:
        write(name, "a;b;c;d\n1;2;3;4\n5;6;7;8\n")
    result = run("mpuccs", *TABLES, "--field-decay-factor", factor, "--out", "o")
    assert "internal error" not in result.err
    assert result.code == 0 or "decay" in result.err


def test_an_unforeseen_error_shows_its_kind_and_no_cell(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(f"cell {CELL}")

    monkeypatch.setattr("petaudit.singling.running.joint_tables", fail)
    result = run("mpuccs", *TABLES, "--out", "o")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("petaudit: internal error (RuntimeError)")
    assert CELL not in result.err
    assert not Path("o").exists()
