"""Names, cells and files that someone made to break the tool or the reader's terminal."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

Run = Callable[..., Any]
Write = Callable[[str, "str | bytes"], Path]

ROLES = ("--qi", "zip", "--sensitive", "disease")

NAMES = {
    "terminal escape": "\x1b[31mred\x1b[0m",
    "window title": "\x1b]0;owned\x07",
    "line break": "a\nVerdict: all limits hold",
    "carriage return": "a\rb",
    "tab": "a\tb",
    "right to left": "abc\u202edcba",
    "isolates": "a\u2066b\u2069",
    "invisible": "a\u200bb\u2060c",
    "null byte": "a\x00b",
    "C1 control": "a\x9b31mb",
    "quotes": "a\"b'c`d",
    "SQL": "'; DROP TABLE petaudit_1; --",
    "SQL identifier": '"; DROP TABLE petaudit_1; --',
    "formula": "=cmd|' /C calc'!A0",
    "braces": "{0} %s ${x} {{y}}",
    "backslash": "a\\nb\\",
    "comma": "a,b",
    "brackets": "[a]*?",
    "equals": "a=b",
    "html": "<script>alert(1)</script>",
    "emoji": "👩‍⚕️",
    "ideographs": "年齡",
    "our own names": "c0",
    "long": "n" * 10_000,
}

# No argument of a command can hold a null byte.
TYPED_NAMES = {kind: name for kind, name in NAMES.items() if kind != "null byte"}


def is_plain(text: str) -> bool:
    """Whether a terminal would only print it: no control characters, no hidden directions."""
    return all(mark == "\n" or unicodedata.category(mark)[0] != "C" for mark in text)


def parquet(path: str, **columns: list[Any]) -> Path:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return Path(path)


def closeness(document: dict[str, Any]) -> dict[str, Any]:
    [found] = [entry for entry in document["results"] if entry["measure"] == "t-closeness"]
    return dict(found["details"])


def assert_understood(result: Any) -> None:
    """An error that was foreseen: one line, no stack, no plea to report it."""
    assert result.code == 2
    assert result.err.startswith("petaudit: error: ")
    assert "internal error" not in result.err
    assert "Traceback" not in result.err
    assert is_plain(result.err)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_hostile_column_name_is_counted_and_shown_harmlessly(
    name: str, write: Write, run: Run
) -> None:
    parquet("t.parquet", **{"zip": ["1", "1", "2"], name: ["a", "b", "c"], f"{name}2": ["x"] * 3})
    roles = {"quasi_identifier": ["zip", f"{name}2"], "sensitive_attribute": [name]}
    write("t.yaml", yaml.safe_dump({"DATASET": {"ATTRIBUTE_TYPE": roles}}))
    result = run("check", "t.parquet", "--t", "0.1", "--details")
    assert (result.code, result.err) == (1, "")
    assert is_plain(result.out)
    assert result.out.count("\nVerdict: ") == 1
    loaded = json.loads(run("check", "t.parquet", "--format", "json").out)
    assert loaded["inputs"]["table"]["columns"] == ["zip", name, f"{name}2"]
    assert closeness(loaded)["exact_value"] == "2/3"
    assert len(loaded["results"]) > 10


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_document_shows_hostile_names_harmlessly(name: str, run: Run) -> None:
    """People look at JSON on a terminal too."""
    parquet("t.parquet", **{"zip": ["1"], name: ["a"]})
    result = run(
        "check", "t.parquet", "--qi", "zip", "--measures", "t-closeness", "--format", "json"
    )
    assert is_plain(result.out)
    assert json.loads(result.out)["inputs"]["table"]["columns"] == ["zip", name]


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_message_shows_hostile_names_harmlessly_and_in_one_line(name: str, run: Run) -> None:
    parquet("t.parquet", **{"zip": ["1"], name: ["a"]})
    result = run("check", "t.parquet", "--qi", "nothing")
    assert_understood(result)
    assert len(result.err.splitlines()) == 1
    assert len(result.err) < 2_000


@pytest.mark.parametrize("name", TYPED_NAMES.values(), ids=TYPED_NAMES)
def test_a_hostile_name_can_be_given_on_the_command_line(name: str, run: Run) -> None:
    """Quoted as in CSV; a name that is not there is answered like any other."""
    parquet("t.parquet", **{"zip": ["1", "2"], name: ["a", "b"]})
    quoted = '"' + name.replace('"', '""') + '"'
    assert run("check", "t.parquet", "--qi", "zip", "--sensitive", quoted).code == 0
    assert_understood(run("check", "t.parquet", "--qi", f"{quoted}x"))
    assert_understood(run("check", name, "--qi", "zip"))


@pytest.mark.parametrize("name", TYPED_NAMES.values(), ids=TYPED_NAMES)
def test_a_hostile_measure_option_or_level_is_answered(name: str, table: Path, run: Run) -> None:
    assert_understood(run("check", table, *ROLES, f"--measures={name}"))
    assert_understood(run("check", table, *ROLES, f"--limit=t-closeness={name}"))
    assert_understood(run("check", table, *ROLES, f"--option={name}"))
    assert_understood(run("check", table, *ROLES, f"--distance={name}"))
    assert_understood(run("check", table, *ROLES, f"--encoding={name}"))
    assert_understood(run("generalize", table, f"--levels={name}"))


@pytest.mark.parametrize("cell", NAMES.values(), ids=NAMES)
def test_a_hostile_cell_is_a_value_like_any_other(cell: str, run: Run) -> None:
    parquet("t.parquet", zip=[cell, cell, "2"], disease=["a", "b", cell])
    result = run("check", "t.parquet", *ROLES, "--reveal-values", "--details")
    assert (result.code, result.err) == (0, "")
    assert is_plain(result.out)
    assert result.out.count("\nVerdict: ") == 1
    loaded = json.loads(run("check", "t.parquet", *ROLES, "--format", "json").out)
    assert closeness(loaded)["exact_value"] == "2/3"
    assert len(loaded["results"]) > 10


@pytest.mark.parametrize("cell", NAMES.values(), ids=NAMES)
def test_a_message_quotes_hostile_cells_harmlessly(cell: str, write: Write, run: Run) -> None:
    parquet("t.parquet", zip=[cell, "2"])
    write("h/hierarchy_zip.csv", "2;*\n")
    result = run("check", "t.parquet", "--qi", "zip", "--hierarchies", "h")
    assert_understood(result)
    # Several measures need the hierarchy; what is wrong with it is said once.
    assert "precision, granularity" in result.err
    assert len(result.err.splitlines()) == 1
    assert is_plain(result.out)


def test_cells_come_out_of_generalize_as_they_went_in(run: Run) -> None:
    """Quotes and delimiters are escaped; nothing else is touched."""
    cells = [cell for cell in NAMES.values() if not set(cell) & {"\n", "\r", "\x00"}]
    parquet("t.parquet", zip=["1"] * len(cells), note=cells)
    Path("h.yaml").write_text("zip: {mask: right}\n")
    made = ("generalize", "t.parquet", "--levels", "zip=1", "--hierarchies", "h.yaml")
    assert run(*made, "--formulas", "keep", "--out", "o.csv").code == 0
    assert run("generalize", "o.csv", *made[2:4], *made[4:], "--out", "p.parquet").code == 2
    Path("h.yaml").write_text('zip: {"*": ["all"]}\n')
    assert run("generalize", "o.csv", *made[2:], "--out", "p.parquet").code == 0
    assert pq.read_table("p.parquet").column("note").to_pylist() == cells


@pytest.mark.parametrize(
    "name",
    [
        "data[1].csv",
        "*.csv",
        "d?ta1.csv",
        "{data1}.csv",
        "it's.csv",
        'a"b.csv',
        "a b;c.csv",
        "a%20b.csv",
        "a\\b.csv",
        "$HOME.csv",
        "-t.csv",
        "table",
        "data.txt",
        "年齡.csv",
        "a\nb.csv",
        "\x1b[31m.csv",
        "n" * 251 + ".csv",
        os.fsdecode(b"caf\xe9.csv"),
    ],
)
def test_the_table_named_is_the_table_read(name: str, write: Write, run: Run) -> None:
    """A name that looks like a pattern must never bring in its neighbours."""
    write("data1.csv", "zip;disease\n9;WRONG\n9;OTHER\n9;FILE\n")
    write(f"./{name}", "zip;disease\n1;flu\n2;cold\n")
    result = run("check", f"./{name}", *ROLES, "--format", "json", "--out", "report.json")
    assert (result.code, result.err) == (0, "")
    assert json.loads(Path("report.json").read_text())["inputs"]["table"]["rows"] == 2
    shown = run("check", f"./{name}", *ROLES)
    assert shown.code == 0
    assert is_plain(shown.out)


@pytest.mark.parametrize("name", ["p[1].parquet", "*.parquet", "year=2020/p.parquet"])
def test_the_parquet_file_named_is_read_as_it_is(name: str, run: Run) -> None:
    parquet("p1.parquet", zip=["9"] * 3, disease=["WRONG"] * 3)
    parquet(name, zip=["1", "2"], disease=["a", "b"])
    loaded = json.loads(run("check", name, *ROLES, "--format", "json").out)
    assert loaded["inputs"]["table"]["rows"] == 2
    # A folder named like a partition adds no column that the file does not have.
    assert loaded["inputs"]["table"]["columns"] == ["zip", "disease"]


def test_columns_that_differ_only_in_case_stay_apart(run: Run) -> None:
    parquet("t.parquet", zip=["1", "2"], ZIP=["1", "1"], Zip=["a", "b"])
    result = run("check", "t.parquet", "--qi", "ZIP", "--sensitive", "Zip", "--format", "json")
    loaded = json.loads(result.out)
    assert loaded["inputs"]["table"]["columns"] == ["zip", "ZIP", "Zip"]
    assert closeness(loaded)["attributes"][0]["classes"] == 1


@pytest.mark.parametrize("role", ["table", "original", "rules", "hierarchy", "side-car"])
def test_a_pipe_where_a_file_belongs_never_hangs(
    role: str, table: Path, hierarchies: Path, run_process: Run
) -> None:
    names = {"rules": "pipe.yaml", "side-car": "table.yaml"}
    pipe = names.get(role, "pipe")
    if role == "hierarchy":
        pipe = "hierarchies/hierarchy_disease.csv"
    os.mkfifo(pipe)
    given = {
        "table": ["pipe", *ROLES],
        "original": [table, *ROLES, "--original", "pipe"],
        "rules": [table, *ROLES, "--hierarchies", "pipe.yaml"],
        "hierarchy": [table, *ROLES, "--hierarchies", hierarchies],
        "side-car": [table],
    }[role]
    result = run_process("check", *given, timeout=15)
    assert_understood(result)


@pytest.mark.parametrize("named", ["parts", "parts/*.parquet"])
def test_a_pipe_among_the_parts_never_hangs(named: str, run_process: Run) -> None:
    parquet("parts/1.parquet", zip=["1"], disease=["a"])
    os.mkfifo("parts/2.parquet")
    result = run_process("check", named, *ROLES, timeout=15)
    assert_understood(result)
    assert "not a regular file" in result.err


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "pipe"])
def test_what_is_no_regular_file_is_not_called_missing(path: str, run_process: Run) -> None:
    """A shell's ``<(command)`` is a pipe: who passes one must learn that a file is needed."""
    os.mkfifo("pipe")
    result = run_process("check", path, *ROLES, timeout=15)
    assert_understood(result)
    assert path in result.err
    assert "does not exist" not in result.err


@pytest.mark.parametrize("path", ["", "~nobody-of-that-name/t.csv", "n" * 300, "n/" * 3000])
def test_a_path_that_cannot_be_is_answered(path: str, run: Run) -> None:
    # A blank name (an unset shell variable) must not mean "all files here".
    parquet("t.parquet", zip=["1"], disease=["a"])
    assert_understood(run("check", path, *ROLES))


SIDE_CARS = {
    "blank": "",
    "not a mapping": "- a\n- b\n",
    "no DATASET": "DATASETS: {}\n",
    "DATASET is text": "DATASET: table\n",
    "unknown key": "DATASET: {ATRIBUTE_TYPE: {}}\n",
    "unknown role": "DATASET: {ATTRIBUTE_TYPE: {quasi: [zip]}}\n",
    "roles are a list": "DATASET: {ATTRIBUTE_TYPE: [zip]}\n",
    "columns are a number": "DATASET: {ATTRIBUTE_TYPE: {quasi_identifier: 5}}\n",
    "unknown column": "DATASET: {ATTRIBUTE_TYPE: {quasi_identifier: [zipp]}}\n",
    "column twice": "DATASET: {ATTRIBUTE_TYPE: {quasi_identifier: [zip, zip]}}\n",
    "key twice": "DATASET: {}\nDATASET: {}\n",
    "bomb": "a: &a [x, x]\nb: &b [*a, *a]\nDATASET: *b\n",
    "deep": "[" * 20_000,
    "code": "DATASET: !!python/object/apply:os.system ['touch hacked']\n",
    "tab": "\tDATASET: 1\n",
    "open bracket": "DATASET: [\n",
    "no such day": "DATASET: {ATTRIBUTE_TYPE: {quasi_identifier: 2001-99-99}}\n",
    "endless number": f"DATASET: {'1' * 5_000}\n",
    "no integer": 'DATASET: !!int "x"\n',
    "no float": 'DATASET: !!float "x"\n',
    "no boolean": 'DATASET: !!bool "x"\n',
    "no time": 'DATASET: !!timestamp "x"\n',
    "list as key": "? [a]\n: b\n",
    "large": "#" * 1_000_001,
    "undecodable": b"\xff\xfe",
    "null byte": b"DATASET: \0\n",
    "hierarchy is a number": "DATASET: {HIERARCHY: 5}\n",
    "hierarchy of a number": "DATASET: {HIERARCHY: {zip: 5}}\n",
    "hierarchy of numbers": "DATASET: {HIERARCHY: {zip: [1, 2]}}\n",
    "hierarchy folder missing": "DATASET: {HIERARCHY: nodir}\n",
    "hierarchy file missing": "DATASET: {HIERARCHY: {zip: nofile.csv}}\n",
    "rule with a word": "DATASET: {HIERARCHY: {zip: {mask: right, levels: all}}}\n",
    "rule with a number": "DATASET: {HIERARCHY: {zip: {mask: right, mark: 5}}}\n",
    "rule with a mapping": "DATASET: {HIERARCHY: {zip: {ranges: {a: 1}}}}\n",
    "rule of no width": "DATASET: {HIERARCHY: {zip: {ranges: []}}}\n",
}


@pytest.mark.parametrize("content", SIDE_CARS.values(), ids=SIDE_CARS)
def test_a_broken_side_car_is_an_error_that_names_it(
    content: str | bytes, table: Path, write: Write, run: Run
) -> None:
    write("table.yaml", content)
    result = run("check", table)
    assert_understood(result)
    assert result.out == ""
    assert "table.yaml" in result.err
    for python in ("not supported between", "has no len", "object is not"):
        assert python not in result.err
    assert not Path("hacked").exists()


@pytest.mark.parametrize("kind", ["folder", "loop", "dangling link"])
def test_a_side_car_that_is_no_file_harms_nobody(kind: str, table: Path, run: Run) -> None:
    if kind == "folder":
        Path("table.yaml").mkdir()
    else:
        Path("table.yaml").symlink_to("table.yaml" if kind == "loop" else "nothing.yaml")
    assert_understood(run("check", table))
    assert run("check", table, *ROLES).code == 0


@pytest.mark.parametrize("column", ["a b", "it's", "x[1]*?", "a;b", "年齡", "\x1b[31mred", "a.csv"])
def test_hierarchy_files_of_columns_with_odd_names(column: str, write: Write, run: Run) -> None:
    parquet("t.parquet", **{column: ["1", "2"]})
    write(f"h/my hierarchy_{column}.csv", "1;*\n2;*\n")
    roles = {"quasi_identifier": [column]}
    write("t.yaml", yaml.safe_dump({"DATASET": {"ATTRIBUTE_TYPE": roles}}))
    result = run("check", "t.parquet", "--hierarchies", "h", "--min-precision", "1")
    assert (result.code, result.err) == (0, "")
    assert is_plain(result.out)


def test_a_corrupt_page_is_an_error(run: Run) -> None:
    """The footer is whole, so the damage shows only when the rows are counted."""
    values = [str(number) for number in range(5_000)]
    path = parquet("t.parquet", zip=values, disease=values)
    content = path.read_bytes()
    path.write_bytes(content[:100] + bytes(500) + content[600:])
    result = run("check", path, *ROLES)
    assert_understood(result)
    assert "t.parquet" in result.err


@pytest.mark.parametrize("second", [{"zip": ["Qx7", "b"]}, {"other": ["a", "b"]}])
def test_parquet_files_that_do_not_match_are_an_error(
    second: dict[str, list[str]], run: Run
) -> None:
    parquet("parts/1.parquet", zip=[1, 2], disease=["a", "b"])
    parquet("parts/2.parquet", disease=["a", "b"], **second)
    result = run("check", "parts", *ROLES)
    assert_understood(result)
    assert "parts" in result.err
    assert "Qx7" not in result.err + result.out


def test_a_table_without_columns_is_an_error(run: Run) -> None:
    pq.write_table(pa.table({"a": [1, 2]}).select([]), "t.parquet")
    assert_understood(run("check", "t.parquet", *ROLES))


@pytest.mark.parametrize("values", [[[1], [2]], [{"a": 1}, {"a": 2}], [b"1", b"2"]])
def test_a_column_that_cannot_be_counted_is_named(values: list[Any], run: Run) -> None:
    parquet("t.parquet", zip=["1", "2"], shape=values)
    result = run("check", "t.parquet", "--qi", "shape", "--sensitive", "zip")
    assert_understood(result)
    assert "'shape'" in result.err


@pytest.mark.long
def test_thousands_of_columns_are_read_in_seconds(write: Write, run_process: Run) -> None:
    names = [f"column number {number}" for number in range(3_000)]
    rows = [";".join("1" for _ in names)] * 3
    write("t.csv", "\n".join([";".join(names), *rows]) + "\n")
    given = ("--qi", names[0], "--sensitive", names[-1], "--format", "json")
    before = os.times()
    result = run_process("check", "t.csv", *given)
    after = os.times()
    assert result.code == 0
    # Seconds of work, not of waiting for other work on the machine.
    assert after.children_user - before.children_user < 20
    assert len(json.loads(result.out)["inputs"]["table"]["columns"]) == 3_000


def test_a_header_longer_than_any_sample_is_read_whole(write: Write, run: Run) -> None:
    long = "é" * 70_000
    write("t.csv", f"zip;{long};disease\n1;2;3\n")
    result = run("check", "t.csv", *ROLES, "--format", "json")
    assert result.code == 0
    assert json.loads(result.out)["inputs"]["table"]["columns"] == ["zip", long, "disease"]


def test_a_line_of_megabytes_is_read_or_called_too_long(write: Write, run: Run) -> None:
    write("t.csv", "zip;disease\n1;" + "x" * 3_000_000 + "\n2;b\n")
    result = run("check", "t.csv", *ROLES)
    if result.code != 0:
        assert_understood(result)
        assert "line 2" in result.err
        assert "long" in result.err
    assert "xxx" not in result.err


def test_mixed_line_ends_are_read_or_named(write: Write, run: Run) -> None:
    write("t.csv", "zip;disease\r\n1;2\n3;4\r\n")
    result = run("check", "t.csv", *ROLES)
    if result.code != 0:
        assert_understood(result)
        assert "line end" in result.err


def test_a_bomb_of_zeros_is_no_table(write: Write, run: Run) -> None:
    with pa.output_stream("t.csv.gz", compression="gzip") as sink:
        sink.write(bytes(5_000_000))
    assert_understood(run("check", "t.csv.gz", *ROLES))
