"""``petaudit mpuccs --out DIR``: the seed's columns, JSON lists, and nothing half-written."""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import json
import os
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

Run = Callable[..., Any]
Write = Callable[[str, "str | bytes"], Path]

ORIGINAL = "name;age;city\nann;31;Rome\nbob;32;Rome\ncyd;33;Oslo\ndee;34;Oslo\n"
SYNTHETIC = "name;age;city\nann;41;Rome\nxxx;32;Oslo\nyyy;55;Oslo\nzzz;56;Rome\n"
TABLES = ("mpuccs", "original.csv", "synthetic.csv")

GLOBAL = [
    *("privacy_risk_score", "overall_protection", "main_protection", "baseline_protection"),
    *("identification_rate", "total_identified", "total_syn_records"),
]
CONTROL = [
    *("control_identification_rate", "excess_risk", "excess_risk_ci_lower"),
    "excess_risk_ci_upper",
]
DETAILS = [
    *("risk_level", "syn_idx", "ori_idx", "combo_size", "field_combo", "value_combo"),
    *("baseline_protection", "syn_row", "ori_row"),
]
TREE = [
    *("check_order", "field_combo", "combo_size", "is_pruned", "mpuccs_cnt"),
    *("mpuccs_collision_cnt", "baseline_protection", "entropy_gain"),
    "overall_protection",
]
TECHNICAL = ["entropy", "field_weight", "weighted_collision"]
CHANGES = ["column", "rows_helped", "change", "rows_before", "rows_after", "up_to_columns"]
NAMES = {
    *(f"{name}.{kind}" for name in ("global", "details", "tree", "changes") for kind in ("csv",)),
    *(f"{name}.parquet" for name in ("global", "details", "tree", "changes")),
    "summary.json",
}
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture(autouse=True)
def tables(write: Write) -> None:
    write("original.csv", ORIGINAL)
    write("synthetic.csv", SYNTHETIC)


def files(folder: str = ".") -> dict[str, bytes]:
    found = Path(folder).rglob("*")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found if path.is_file()}


def parquet(path: str, **columns: Any) -> Path:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return Path(path)


def in_csv(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";", strict=True))


def json_list(text: str) -> Any:
    """Read as any program would: JSON has no NaN and no Infinity."""
    return json.loads(text, parse_constant=pytest.fail)


def in_both(name: str, folder: str = "o") -> list[dict[str, Any]]:
    """The rows of a table, once it is clear that both files hold the same."""
    rows: list[dict[str, Any]] = pq.read_table(f"{folder}/{name}.parquet").to_pylist()
    as_text = in_csv(f"{folder}/{name}.csv")
    assert len(rows) == len(as_text)
    for row, text in zip(rows, as_text, strict=True):
        assert list(row) == list(text)
        for column, value in row.items():
            cell = text[column]
            if value is None:
                assert cell == ""
            elif isinstance(value, bool):
                assert cell.lower() == str(value).lower()
            elif isinstance(value, int | float):
                assert float(cell) == value
            else:
                assert cell == value
    return rows


# What is written.


def test_these_files_are_written_and_no_other(run: Run) -> None:
    result = run(*TABLES, "--out", "deep/down/o")
    assert (result.code, result.err) == (0, "")
    assert set(files("deep/down/o")) == NAMES
    assert set(files()) == {
        "original.csv",
        "synthetic.csv",
        *(f"deep/down/o/{name}" for name in NAMES),
    }
    last = result.out.splitlines()[-1]
    assert last.startswith("wrote to deep/down/o: ")
    assert set(last.partition(": ")[2].split(", ")) == NAMES


def test_the_tables_hold_what_was_found(run: Run) -> None:
    run(*TABLES, "--out", "o")
    [figures] = in_both("global")
    assert list(figures) == GLOBAL
    assert (figures["total_identified"], figures["total_syn_records"]) == (2, 4)
    assert figures["privacy_risk_score"] == pytest.approx(15 / 31, abs=1e-15)
    details = in_both("details")
    assert [list(row) for row in details] == [DETAILS, DETAILS]
    assert [list(row.values()) for row in details] == [
        ["high", 0, 0, 1, '["name"]', None, 0.75, 0, 0],
        ["high", 1, 1, 1, '["age"]', None, 0.75, 1, 1],
    ]
    tree = in_both("tree")
    assert list(tree[0]) == TREE
    assert [row["check_order"] for row in tree] == [1, 2, 3, 4, 5, 6, 7]
    assert [json_list(row["field_combo"]) for row in tree[3:]] == [
        ["name", "age"],
        ["name", "city"],
        ["age", "city"],
        ["name", "age", "city"],
    ]
    assert {row["is_pruned"] for row in tree} == {False}
    changes = in_both("changes")
    assert list(changes[0]) == CHANGES
    assert changes[0] == dict(zip(CHANGES, ["name", 1, "left out", 2, 1, 3], strict=True))


def test_the_columns_follow_the_options(run: Run, write: Write) -> None:
    write("control.csv", "name;age;city\neve;71;Rome\nfay;72;Rome\ngus;73;Oslo\nhal;74;Oslo\n")
    run(*TABLES, "--out", "o", "--control", "control.csv")
    assert list(in_both("global")[0]) == GLOBAL + CONTROL
    run(*TABLES, "--out", "o", "--no-baseline")
    assert list(in_both("global")[0]) == [
        *("identification_rate", "main_protection", "total_identified", "total_syn_records")
    ]
    assert list(in_both("details")[0]) == [n for n in DETAILS if n != "baseline_protection"]
    assert list(in_both("tree")[0]) == [*TREE[:6], "entropy_gain"]
    for option in ("--min-entropy-delta", "--field-decay-factor", "--renyi-alpha"):
        run(*TABLES, "--out", "o", option, "0.3")
        assert list(in_both("tree")[0]) == TREE + TECHNICAL


def test_tables_without_rows_have_their_columns(run: Run, write: Write) -> None:
    write("synthetic.csv", "name;age;city\nx;1;A\n")
    assert run(*TABLES, "--out", "o", "--reveal-values").code == 0
    assert pq.read_table("o/details.parquet").column_names == DETAILS
    assert Path("o/details.csv").read_text() == ";".join(DETAILS) + "\n"


def test_row_numbers_are_those_of_the_files(run: Run, write: Write) -> None:
    lines = SYNTHETIC.splitlines(keepends=True)
    write("synthetic.csv", "".join([lines[0], lines[1], lines[1], *lines[2:]]))
    run(*TABLES, "--out", "o")
    rows = in_both("details")
    assert [(row["syn_idx"], row["syn_row"]) for row in rows] == [(0, 0), (1, 2)]
    assert (
        json.loads(Path("o/summary.json").read_text())["results"][0]["details"]["removed_synthetic"]
        == 1
    )


def test_the_summary_is_the_document(run: Run) -> None:
    result = run(*TABLES, "--out", "o", "--format", "json", "--limit", "0.1")
    assert result.code == 1
    assert Path("o/summary.json").read_text(encoding="utf-8") == result.out
    assert json.loads(result.out)["verdict"] == "failed"


@pytest.mark.parametrize("code", [1, 2])
def test_the_tables_are_written_whatever_the_verdict(code: int, run: Run) -> None:
    bound = {1: ("--limit", "0"), 2: ("--limit", "0.9", "--min-entropy-delta", "0.9")}[code]
    assert run(*TABLES, "--out", "o", *bound).code == code
    assert set(files("o")) == NAMES
    assert json.loads(Path("o/summary.json").read_text())["exit_code"] == code


@pytest.mark.parametrize("option", [("--renyi-alpha", "inf"), ("--time-limit", "inf")])
def test_an_infinite_option_is_no_reason_to_leave_the_summary_out(
    option: tuple[str, str], run: Run
) -> None:
    result = run(*TABLES, "--out", "o", *option)
    assert (result.code, result.err) == (0, "")
    json_list(Path("o/summary.json").read_text())


# Names and values.

ODD_NAMES = [
    *("a,b", 'say "hi"', "[x]", "年齡", "a;b", "two\nlines", "a\r\nb", "back\\slash", "'", "{}"),
    *("[", '",', "a\tb", "null", "1", "é\u0301", "👩‍⚕️", "=1+1", "a\u2028b"),
]


def test_lists_of_odd_names_and_values_can_be_read_back(run: Run) -> None:
    """Column i and nothing else says who row i is; the cell is as odd as the name."""
    many = len(ODD_NAMES)
    original = {name: [f"{name}{row}" for row in range(many)] for name in ODD_NAMES}
    synthetic = {
        name: [original[name][row] if row == place else f"no {row}" for row in range(many)]
        for place, name in enumerate(ODD_NAMES)
    }
    parquet("ori.parquet", **original)
    parquet("syn.parquet", **synthetic)
    result = run(
        *("mpuccs", "ori.parquet", "syn.parquet", "--max-cols", "2"),
        *("--out", "o", "--reveal-values"),
    )
    assert (result.code, result.err) == (0, "")
    rows = in_both("details")
    # Text is trimmed when it is compared.
    expected = {row: ([name], [original[name][row].strip()]) for row, name in enumerate(ODD_NAMES)}
    seen = {
        row["syn_row"]: (json_list(row["field_combo"]), json_list(row["value_combo"]))
        for row in rows
    }
    assert seen == expected
    tree = [tuple(json_list(row["field_combo"])) for row in in_both("tree")]
    assert len(tree) == len(set(tree)) == many + many * (many - 1) // 2
    assert {name for names in tree for name in names} == set(ODD_NAMES)
    assert {row["column"] for row in in_both("changes")} == set(ODD_NAMES)
    summary = json_list(Path("o/summary.json").read_text(encoding="utf-8"))
    assert set(summary["results"][0]["details"]["columns"]) == set(ODD_NAMES)


VALUES: dict[str, tuple[Any, Any, Any, Any]] = {
    "date": (date(1873, 4, 17), date(1900, 1, 1), date(1901, 1, 1), "1873-04-17"),
    "first date": (date(1, 1, 1), date(1900, 1, 1), date(1901, 1, 1), "0001-01-01"),
    "date-time": (
        *(datetime(1999, 5, 6, 7, 8, 9, 123456), datetime(2001, 1, 1), datetime(2002, 1, 1)),
        "1999-05-06 07:08:09.123456",
    ),
    "time": (time(7, 8, 9), time(1), time(2), "07:08:09"),
    "float": (0.1, 2.5, 3.5, 0.1),
    "small float": (1e-300, 2.5, 3.5, 1e-300),
    "whole float": (5.0, 2.5, 3.5, 5.0),
    "integer": (-7, 8, 9, -7),
    "long integer": (2**63 - 1, 8, 9, 2**63 - 1),
    "true": (True, False, None, True),
    "null": (None, "a", "b", None),
    "text": ('q"[,;]\n年', "a", "b", 'q"[,;]\n年'),
    "text that looks like null": ("null", "a", "b", "null"),
}


@pytest.mark.parametrize("kind", VALUES)
def test_a_value_of_any_kind_can_be_read_back(kind: str, run: Run) -> None:
    shared, only_original, only_synthetic, expected = VALUES[kind]
    parquet("ori.parquet", v=[shared, only_original])
    parquet("syn.parquet", v=[shared, only_synthetic])
    result = run("mpuccs", "ori.parquet", "syn.parquet", "--out", "o", "--reveal-values")
    assert (result.code, result.err) == (0, "")
    [row] = in_both("details")
    [value] = json_list(row["value_combo"])
    assert value == expected
    assert type(value) is type(expected) or isinstance(value, int | float)


@pytest.mark.parametrize(
    "value", [float("inf"), -float("inf"), Decimal("1.25"), datetime(2020, 1, 1, 5, tzinfo=UTC)]
)
def test_a_value_that_json_does_not_know_is_still_valid_json(value: Any, run: Run) -> None:
    parquet("ori.parquet", v=[value])
    result = run("mpuccs", "ori.parquet", "ori.parquet", "--out", "o", "--reveal-values")
    assert (result.code, result.err) == (0, "")
    [row] = in_both("details")
    assert len(json_list(row["value_combo"])) == 1


def test_values_stay_out_unless_asked_for(run: Run) -> None:
    run(*TABLES, "--out", "o", "--reveal-values")
    assert [json_list(row["value_combo"]) for row in in_both("details")] == [["ann"], [32]]
    run(*TABLES, "--out", "o")
    assert [row["value_combo"] for row in in_both("details")] == [None, None]
    assert pq.read_schema("o/details.parquet").field("value_combo").type == pa.string()
    assert list(in_both("details")[0]) == DETAILS


# What cannot be written.


@pytest.mark.parametrize("target", ["original.csv", "link", "original.csv/o", "pipe"])
def test_a_file_is_no_folder(target: str, run: Run) -> None:
    Path("link").symlink_to("synthetic.csv")
    os.mkfifo("pipe")
    before = files()
    result = run(*TABLES, "--out", target)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("petaudit: error: ")
    assert target in result.err
    assert len(result.err.splitlines()) == 1
    assert "internal" not in result.err
    assert files() == before


@pytest.mark.parametrize("target", ["n" * 300, "o/" + "n" * 300, "/proc/nothing", "/dev/null/o"])
def test_a_folder_that_cannot_be_made_is_an_error(target: str, run: Run) -> None:
    before = files()
    result = run(*TABLES, "--out", target)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("petaudit: error: ")
    assert files() == before


def test_an_empty_name_is_not_the_folder_one_is_in(run: Run) -> None:
    """``--out "$UNSET"`` must not fill the current folder."""
    before = files()
    run(*TABLES, "--out", "")
    assert files() == before


def test_a_folder_that_may_not_be_written_is_told_before_the_search(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Permissions do not stop an administrator, so the refusal is played."""
    Path("o").mkdir()
    monkeypatch.setattr("petaudit.cli.mpuccs.os.access", lambda *_: False)
    monkeypatch.setattr("petaudit.cli.mpuccs.run_audit", pytest.fail)
    result = run(*TABLES, "--out", "o")
    assert (result.code, result.out) == (2, "")
    assert result.err == "petaudit: error: cannot write to 'o'\n"


def test_a_folder_that_turns_out_to_be_read_only_is_an_error(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("petaudit.system.output.tempfile.mkstemp", refuse)
    result = run(*TABLES, "--out", "o")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("petaudit: error: cannot write 'o/")
    assert "Read-only file system" in result.err
    assert files("o") == {}


@pytest.mark.parametrize("name", ["global.csv", "details.parquet", "summary.json"])
@pytest.mark.parametrize("role", ["original", "synthetic", "control"])
def test_an_input_is_never_overwritten(name: str, role: str, run: Run) -> None:
    """One slip of the hand must not cost the only copy of the data."""
    if name.endswith("parquet"):
        parquet(name, name=["ann"], age=[31], city=["Rome"])
    else:
        Path(name).write_text(ORIGINAL)
    given = {"original": "original.csv", "synthetic": "synthetic.csv", "control": "original.csv"}
    given[role] = name
    before = files()
    result = run(
        *("mpuccs", given["original"], given["synthetic"]),
        *("--control", given["control"], "--out", "."),
    )
    assert (result.code, result.out) == (2, "")
    assert f"{name!r} is one of the inputs" in result.err
    assert files() == before


def test_an_input_is_known_by_any_name(run: Run) -> None:
    Path("o").mkdir()
    Path("o/tree.csv").symlink_to(Path("original.csv").resolve())
    os.link("synthetic.csv", "o/global.csv")
    before = files()
    result = run(*TABLES, "--out", "o")
    assert result.code == 2
    assert "is one of the inputs" in result.err
    assert files() == before


@pytest.mark.parametrize("target", ["data", "./data/", "data/deeper"])
def test_a_folder_that_is_read_is_not_written(target: str, run: Run) -> None:
    """A result among the parts of a table would be a part of the table the next time."""
    parquet("data/1.parquet", name=["ann", "bob"])
    parquet("data/deeper/2.parquet", name=["cyd", "dee"])
    before = files()
    read = json.loads(run("mpuccs", "data", "data", "--format", "json").out)
    found = run("mpuccs", "data", "data", "--out", target)
    if found.code == 0:
        again = json.loads(run("mpuccs", "data", "data", "--format", "json").out)
        assert again["inputs"] == read["inputs"]
    else:
        assert found.err.startswith("petaudit: error: ")
        assert files() == before


def test_a_target_that_is_a_folder_leaves_the_others_alone(run: Run) -> None:
    Path("o/tree.csv").mkdir(parents=True)
    before = files()
    result = run(*TABLES, "--out", "o")
    assert (result.code, result.out) == (2, "")
    assert "tree.csv" in result.err
    assert files() == before


@pytest.mark.parametrize("fails_at", [1, 4, 9])
def test_a_full_disk_leaves_whole_files_only(
    fails_at: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(*TABLES, "--out", "o", "--max-cols", "1").code == 0
    assert run(*TABLES, "--out", "good").code == 0
    old, good = files("o"), files("good")
    sync, calls = os.fsync, 0

    def fail(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls >= fails_at:
            raise FULL
        sync(descriptor)

    monkeypatch.setattr("petaudit.system.output.os.fsync", fail)
    result = run(*TABLES, "--out", "o")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("petaudit: error: cannot write 'o/")
    assert "No space left" in result.err
    assert calls == fails_at
    left = files("o")
    assert set(left) == set(old)
    for name, content in left.items():
        assert content in {old[name], good[name]}
    # The summary, which says what the tables are, is written last.
    assert left["summary.json"] == old["summary.json"]


def test_a_second_run_replaces_the_files_under_a_reader(run: Run) -> None:
    """Whoever has a file open goes on reading the old one, to its end."""
    assert run(*TABLES, "--out", "o").code == 0
    old = files("o")
    with contextlib.ExitStack() as opened:
        readers = {name: opened.enter_context(Path("o", name).open("rb")) for name in old}
        assert run(*TABLES, "--out", "o", "--max-cols", "1").code == 0
        for name, reader in readers.items():
            assert reader.read() == old[name]
            assert not os.path.samestat(os.fstat(reader.fileno()), Path("o", name).stat())
    assert set(files("o")) == NAMES
    assert len(in_both("tree")) == 3
    assert json.loads(Path("o/summary.json").read_text())["results"][0]["details"]["sizes"] == [1]


def test_nothing_of_an_earlier_run_is_left_among_the_new(run: Run, write: Write) -> None:
    """Advice about other tables would be taken for advice about these."""
    assert run(*TABLES, "--out", "o").code == 0
    write("o/notes.txt", "mine")
    assert run(*TABLES, "--out", "o", "--no-advice").code == 0
    assert "changes.csv" not in files("o")
    assert "changes.parquet" not in files("o")
    assert files("o")["notes.txt"] == b"mine"


def test_files_of_others_are_left_alone(run: Run) -> None:
    """Without a summary the folder was never ours, whatever its files are called."""
    Path("o").mkdir()
    Path("o/changes.csv").write_text("mine")
    assert run(*TABLES, "--out", "o", "--no-advice").code == 0
    assert Path("o/changes.csv").read_text() == "mine"


def test_files_have_the_usual_permissions(run: Run) -> None:
    before = os.umask(0o027)
    try:
        run(*TABLES, "--out", "o")
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in Path("o").iterdir()} == {0o640}


def test_bytes_of_csv_are_utf8_with_line_feeds(run: Run) -> None:
    run(*TABLES, "--out", "o")
    for name in ("global", "details", "tree", "changes"):
        content = Path(f"o/{name}.csv").read_bytes()
        assert b"\r" not in content
        assert content.endswith(b"\n")
        assert len(list(csv.reader(io.StringIO(content.decode()), delimiter=";"))) > 1
