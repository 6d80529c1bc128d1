"""petaudit init: a file to start from that runs as it is."""

from __future__ import annotations

import gzip
import json
import random
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

Run = Callable[..., Any]
Write = Callable[[str, "str | bytes"], Path]


def content(name: str = "audit.yaml") -> Any:
    return yaml.safe_load(Path(name).read_text(encoding="utf-8"))


def works(run: Run, name: str = "audit.yaml") -> None:
    """A limit may be breached, but nothing may be in the way of measuring."""
    validated = run("validate", name)
    assert validated.code == 0, validated.err
    done = run("run", name, "--quiet")
    assert done.code in {0, 1}, done.err


def test_a_table_gets_a_file_that_runs(run: Run, table: Path) -> None:
    done = run("init", table)
    assert done.code == 0
    assert done.err == ""
    own = content()
    assert own["Loader"]["table"]["filepath"] == "table.csv"
    assert own["Loader"]["table"]["roles"] == {
        "quasi_identifier": ["zip", "age"],
        "sensitive_attribute": ["disease"],
    }
    assert own["Evaluator"]["closeness"] == {"method": "t-closeness", "limit": 0.2}
    for said in ("wrote audit.yaml", "the name says postcode", "petaudit run audit.yaml"):
        assert said in done.out
    assert json.loads(Path("petaudit.schema.json").read_text(encoding="utf-8"))["properties"]
    works(run)


def test_how_well_columns_tell_rows_apart(run: Run, write: Write) -> None:
    """Patients are all different, but an identifier is none of the sets; zip and age suffice."""
    rows = "".join(f"A{n},{n // 5},{n % 5},f\n" for n in range(25))
    write("t.csv", f"patient_id,zip,age,sex\n{rows}")
    assert "tell rows apart" not in run("init", "t.csv").out
    done = run("init", "t.csv", "--force", "--details")
    told = "Nearly an identifier (distinction 0.9 or more), alone or together: zip, age (1)."
    assert done.out.split("\n\n")[2].startswith(f"Columns that tell rows apart\n  {told}")
    lines = [line.split() for line in done.out.splitlines()]
    figures = {line[0]: line[2:4] for line in lines if line and line[0] in ("zip", "age", "sex")}
    # Five values in 25 rows; each agrees in 10 of 300 pairs.
    assert figures == {"zip": ["0.2", "0.833"], "age": ["0.2", "0.833"], "sex": ["0.04", "0"]}
    assert f"# {told}\n" in Path("audit.yaml").read_text(encoding="utf-8")


def test_names_that_may_be_values_are_not_told_as_sets(run: Run, write: Write) -> None:
    write("t.csv", "13053,29,flu\n13068,30,cold\n14850,31,flu\n")
    done = run("init", "t.csv")
    assert done.code == 0
    assert "tell rows apart" not in done.out
    assert "13053" not in done.out


def test_chinese_names(run: Run, write: Write) -> None:
    rows = "".join(f"A{number},{number % 3},男,流感\n" for number in range(30))
    write("病患.csv", f"病歷號,年齡,性別,診斷\n{rows}".encode("big5"))
    assert run("init", "病患.csv", "--encoding", "big5", "--delimiter", ",").code == 0
    loader = content()["Loader"]["病患"]
    assert loader["encoding"] == "big5"
    assert loader["delimiter"] == ","
    assert loader["roles"] == {
        "identifier": ["病歷號"],
        "quasi_identifier": ["年齡"],
        "insensitive_attribute": ["性別", "診斷"],
    }
    assert content()["Evaluator"] == {"classes": {"method": "k-anonymity", "limit": 5}}
    works(run)


def test_a_synthetic_table(run: Run, write: Write, table: Path) -> None:
    write("made/synthetic.csv", "zip\tage\tdisease\n47677\t29\tcold\n47602\t23\tflu\n")
    write("made/original.csv", table.read_text(encoding="utf-8").replace(";", "\t"))
    given = ("made/original.csv", "--synthetic", "made/synthetic.csv", "--delimiter", "tab")
    assert run("init", *given, "--out", "made/audit.yaml").code == 0
    own = content("made/audit.yaml")
    assert own["Loader"]["original"]["filepath"] == "original.csv"
    assert own["Synthesizer"]["given"]["filepath"] == "synthetic.csv"
    assert own["Evaluator"]["singled_out"]["method"] == "mpuccs"
    works(run, "made/audit.yaml")
    assert "roles" not in own["Loader"]["original"]


def three_tables(write: Write, header: str) -> None:
    """An original, a synthetic table and a control of people who are all different."""
    for name, first in (("ori", 0), ("syn", 1000), ("ctl", 2000)):
        rows = [f"{n};{n % 2};{n * n % 7}" for n in range(first, first + 300)]
        write(f"{name}.csv", "\n".join([header, *rows, ""]))


def test_a_synthetic_table_and_a_control(run: Run, write: Write) -> None:
    three_tables(write, "income;sex;disease")
    roles = "QUASI_IDENTIFIER: [income, sex], SENSITIVE_ATTRIBUTE: [disease]"
    write("ori.yaml", f"DATASET: {{ATTRIBUTE_TYPE: {{{roles}}}}}\n")
    assert run("init", "ori.csv", "syn.csv", "ctl.csv").code == 0
    own = content()
    assert own["Splitter"]["ori"]["filepath"] == {"ori": "ori.csv", "control": "ctl.csv"}
    assert "Loader" not in own
    assert own["Evaluator"]["guess"]["secret"] == ["disease"]
    assert own["Evaluator"]["link"]["aux_cols"] == [["income"], ["sex"]]
    assert run("validate", "audit.yaml").code == 0
    assert run("run", "audit.yaml", "--only", "copied").code == 0
    done = run("init", "ori.csv", "syn.csv", "ori.csv", "--out", "other.yaml")
    assert (done.code, Path("other.yaml").exists()) == (2, False)
    assert "the control is the training table itself" in done.err


@pytest.mark.parametrize(
    ("header", "named"), [("x;y;z", []), ("x;y;disease", ["guess"]), ("age;sex;z", ["link"])]
)
def test_no_column_is_named_of_which_nobody_is_sure(
    run: Run, write: Write, header: str, named: list[str]
) -> None:
    three_tables(write, header)
    assert run("init", "ori.csv", "syn.csv", "ctl.csv").code == 0
    assert [*content()["Evaluator"]] == ["singled_out", "copied", "member", *named]
    assert run("validate", "audit.yaml").code == 0


def test_identifiers_in_a_synthetic_table(run: Run, write: Write) -> None:
    rows = "".join(f"A{number};{number % 3};{number % 4}\n" for number in range(30))
    for name in ("ori", "syn"):
        write(f"{name}.csv", f"姓名;zip;disease\n{rows}")
    done = run("init", "ori.csv", "--synthetic", "syn.csv")
    assert done.code == 0
    text = Path("audit.yaml").read_text(encoding="utf-8")
    for said in (done.out, text.replace("#", "")):
        assert "1 column looks like an identifier: 姓名" in " ".join(said.split())
        assert "should not be in a synthetic table" in " ".join(said.split())
    assert "zip" not in done.out + text
    works(run)


def test_identifiers_in_a_table_to_be_released(run: Run, write: Write) -> None:
    rows = "".join(f"A{number};{number % 3};{number % 4};*\n" for number in range(30))
    write("t.csv", f"patient_id;zip;disease;姓名\n{rows}")
    done = run("init", "t.csv")
    text = Path("audit.yaml").read_text(encoding="utf-8")
    for said in (done.out, text):
        assert "CAUTION" in said
        assert "1 column looks like an identifier: patient_id. Remove it" in said
    works(run)
    printed = run("init", "t.csv", "--out", "-")
    assert "warning: 1 column looks like an identifier: patient_id" in printed.err
    write("t.yaml", "DATASET:\n  ATTRIBUTE_TYPE:\n    IDENTIFIER: [zip, 姓名]\n")
    assert "1 column is an identifier: zip." in run("init", "t.csv", "--force").out


def test_a_file_without_a_header(run: Run, write: Write) -> None:
    write("t.csv", "Smith;33;2024-01-02;cold\nJones;34;2024-01-03;flu\nKlein;35;2024-01-04;flu\n")
    done = run("init", "t.csv")
    assert done.code == 0
    assert "2 of 4 names look like numbers, dates or other values" in " ".join(done.out.split())
    assert "CAUTION: the first line of t.csv" in Path("audit.yaml").read_text(encoding="utf-8")
    assert not [cell for cell in ("Smith", "33", "2024", "cold") if cell in done.out]
    works(run)
    write("t.csv", "Smith;33;33\nJones;34;35\n")
    assert "the first line must hold the names of columns" in run("init", "t.csv", "--force").err


def test_full_width_commas(run: Run, write: Write) -> None:
    write("t.csv", "zip，disease\n1，a\n2，b\n")
    assert "run again with --delimiter '，'" in " ".join(run("init", "t.csv").out.split())
    done = run("init", "t.csv", "--delimiter", "，", "--force")
    assert "CAUTION" not in done.out
    assert content()["Loader"]["t"]["delimiter"] == "，"
    works(run)


def test_text_that_is_called_a_spreadsheet(run: Run, write: Write) -> None:
    write("t.xlsx", "zip;disease\n1;a\n2;b\n")
    assert "t.xlsx is named like an Excel workbook, but it is text" in " ".join(
        run("init", "t.xlsx").out.split()
    )


def test_a_synthetic_table_with_other_columns(run: Run, write: Write, table: Path) -> None:
    write("made.csv", "zip;age;illness\n1;2;3\n")
    done = run("init", table, "--synthetic", "made.csv")
    assert done.code == 2
    assert "only in table.csv: 'disease'; only in made.csv: 'illness'" in done.err
    assert not Path("audit.yaml").exists()


def test_lists_cannot_be_compared(run: Run) -> None:
    for name in ("ori", "syn"):
        pq.write_table(pa.table({"a": [[1], [2]], "b": [1, 2]}), f"{name}.parquet")
    done = run("init", "ori.parquet", "--synthetic", "syn.parquet")
    assert done.code == 0
    assert "Nothing can be measured yet" in done.out
    assert "Evaluator" not in content()
    works(run)


def test_the_side_car_is_left_to_speak(
    run: Run, write: Write, table: Path, hierarchies: Path
) -> None:
    write(
        "table.yaml",
        "DATASET:\n  ATTRIBUTE_TYPE:\n    QUASI_IDENTIFIER: [zip, age]\n"
        "    SENSITIVE_ATTRIBUTE: [disease]\n"
        f"  HIERARCHY: {hierarchies}\n",
    )
    write("before.csv", table.read_text(encoding="utf-8"))
    done = run("init", table, "--original", "before.csv")
    assert done.code == 0
    assert "roles come from table.yaml" in done.out
    assert "Roles and hierarchies come from table.yaml" in Path("audit.yaml").read_text()
    own = content()
    assert set(own["Loader"]["table"]) == {"filepath", "original"}
    assert set(own["Evaluator"]) == {"classes", "closeness", "precision", "entropy"}
    works(run)


def test_lists_are_nothing_that_init_calls_safe(run: Run) -> None:
    rows = {"age": [1, 2] * 20, "disease": ["a", "b"] * 20, "notes": [["a"], ["b"]] * 20}
    pq.write_table(pa.table(rows), "t.parquet")
    assert run("init", "t.parquet").code == 0
    assert commented_names() == ["notes"]
    told = "columns without a role, which no measure looked at: notes"
    assert told in " ".join(run("check", "t.parquet", "--roles", "audit.yaml").out.split())


def test_a_benchmark_keeps_its_address(run: Run) -> None:
    done = run("init", "benchmark://Adult-Deidentified", "--original", "benchmark://adult")
    assert done.code == 0
    loader = content()["Loader"]["Adult-Deidentified"]
    assert loader["filepath"] == "benchmark://Adult-Deidentified"
    assert loader["original"] == "benchmark://adult"
    works(run)


@pytest.mark.parametrize("rest", ["zip;age\n1;2\n1;2\n1;2\n1;2\n", "zip\n1\n"])
def test_an_original_that_does_not_fit_is_commented_out(
    run: Run, write: Write, table: Path, rest: str
) -> None:
    write("before.csv", rest)
    assert run("init", table, "--original", "before.csv").code == 0
    loader = content()["Loader"]["table"]
    assert ("original" in loader) == ("age" in rest)
    works(run)


def test_nothing_is_replaced_without_force(run: Run, table: Path, write: Write) -> None:
    write("audit.yaml", "mine")
    done = run("init", table)
    assert done.code == 2
    assert "exists already; --force replaces it" in done.err
    assert Path("audit.yaml").read_text(encoding="utf-8") == "mine"
    assert run("init", table, "--force").code == 0
    assert "Loader" in content()


def test_an_input_is_never_replaced(run: Run, table: Path) -> None:
    before = table.read_bytes()
    Path("link.yaml").symlink_to(table)
    for name in (table, "link.yaml", "./table.csv"):
        done = run("init", table, "--out", name, "--force")
        assert done.code == 2
        assert "is one of the inputs" in done.err
    assert table.read_bytes() == before
    assert not Path("petaudit.schema.json").exists()


@pytest.mark.parametrize("name", ["audit.csv", "audit.v2.csv.gz", "audit"])
def test_a_file_named_after_the_table_is_its_side_car(run: Run, table: Path, name: str) -> None:
    data = table.read_bytes()
    Path(name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    assert run("init", name).code == 0
    works(run)
    by_hand = run("check", name, "--roles", "audit.yaml", "--format", "json").out
    assert run("check", name, "--format", "json").out == by_hand
    # Again: the file is replaced, and its own roles are not read as those of a side-car.
    assert "the name says postcode" in run("init", name, "--force").out
    assert "roles come from audit.yaml" in run("init", name, "--out", "other.yaml").out


def test_what_to_type_next_works_as_printed(run: Run, write: Write, table: Path) -> None:
    write("my people.csv", table.read_text(encoding="utf-8"))
    done = run("init", "my people.csv", "--out", "my audit.yaml")
    commands = [line.split(maxsplit=1)[1] for line in done.out.splitlines() if "  petaudit" in line]
    assert commands[-1] == "check 'my people.csv' --roles 'my audit.yaml' --k 5 --t 0.2"
    for command in commands:
        assert run(*shlex.split(command)).code in {0, 1}, command


def commented_names(name: str = "audit.yaml") -> list[str]:
    """The columns in the list of those of which nobody is sure."""
    text = Path(name).read_text(encoding="utf-8").split("not_sure:\n")[1].split("\n\n")[0]
    block = [line.strip() for line in text.splitlines()]
    items = [line.lstrip("# ") for line in block if line.lstrip("# ").startswith("- ")]
    return [str(item) for item in yaml.safe_load("\n".join(items))]


def test_what_nobody_is_sure_about_stays_an_open_question(run: Run, write: Write) -> None:
    rows = "".join(f"{n % 3};{n % 2};{n % 5};x{n % 7}\n" for n in range(40))
    write("t.csv", f"age;disease;qx1;qx2\n{rows}")
    done = run("init", "t.csv")
    assert "2 of 4 columns without a role" in " ".join(done.out.split())
    assert "petaudit init t.csv --interactive --force" in done.out
    assert content()["Loader"]["t"]["roles"] == {
        "quasi_identifier": ["age"],
        "sensitive_attribute": ["disease"],
    }
    assert commented_names() == ["qx1", "qx2"]
    told = "columns without a role, which no measure looked at: qx1, qx2 (quasi-identifier?)"
    for command in (("run", "audit.yaml"), ("check", "t.csv", "--roles", "audit.yaml", "--k", "5")):
        assert told in " ".join(run(*command).out.split())
        assert run(*command, "--strict").code == 2


def test_an_identifier_that_repeats_may_be_a_person(run: Run, write: Write) -> None:
    rows = "".join(f"P{n % 15};N{n};{n % 3};{n % 2}\n" for n in range(60))
    write("t.csv", f"patient;name;age;disease\n{rows}")
    run("init", "t.csv")
    text = Path("audit.yaml").read_text(encoding="utf-8")
    assert "    # person: patient" in text
    write("audit.yaml", text.replace("# person: patient", "person: patient"))
    works(run)
    done = run("run", "audit.yaml", "--format", "json")
    # Three ages of five people each, and of twenty rows each.
    assert {entry["value"] for entry in json.loads(done.out)["results"]} >= {5}


def test_a_table_without_people(run: Run, write: Write) -> None:
    rows = "".join(f"Adelie;{n / 7:.1f};{n % 9};m\n" for n in range(40))
    write("t.csv", f"species;flipper_length;egg;sex\n{rows}")
    done = run("init", "t.csv")
    assert done.code == 0
    assert "no column says that the rows are people" in " ".join(done.out.split())
    assert set(content()) == {"Loader"}
    assert "roles" not in content()["Loader"]["t"]
    assert commented_names() == ["species", "flipper_length", "egg", "sex"]


def test_one_screen(run: Run, write: Write) -> None:
    """However many columns there are; reasons are in the file, and shown if asked for."""
    names = [f"{word}_{n}" for n in range(12) for word in ("age", "income", "qx")]
    write("t.csv", ";".join(names) + "\n" + ";".join("1" * 36) + "\n" + ";".join("2" * 36))
    assert len(run("init", "t.csv").out.splitlines()) <= 40
    assert len(run("init", "t.csv", "--force", "--details").out.splitlines()) > 40


def test_to_the_terminal(run: Run, table: Path) -> None:
    done = run("init", table, "--out", "-")
    assert done.code == 0
    assert set(yaml.safe_load(done.out)) == {"Loader", "Evaluator", "Reporter"}
    assert {path.name for path in Path().iterdir()} == {"table.csv"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv"], "does not exist"),
        (["empty.csv"], "empty.csv"),
        (["header.csv"], "has a header but no rows"),
        (["table.csv", "--synthetic", "x.csv", "--original", "x.csv"], "TABLE is the original"),
        (["table.csv", "x.csv", "--synthetic", "x.csv"], "is given twice"),
        (["table.csv", "--original", "nowhere.csv"], "does not exist"),
        (["table.csv", "--out", "folder"], "not a regular file"),
        (["table.csv", "--out", "nowhere/audit.yaml"], "folder does not exist"),
        (["table.csv", "--out", "petaudit.schema.json"], "choose another name"),
        (["table.csv", "--out", ""], "--out is empty"),
        (["benchmark://nothing"], "unknown benchmark"),
        (["table.csv", "--encoding", "klingon"], "unknown encoding"),
    ],
)  # fmt: skip
def test_wrong_input_is_an_error(
    run: Run, write: Write, table: Path, arguments: list[str], message: str
) -> None:
    write("empty.csv", "")
    write("header.csv", "a;b\n")
    Path("folder").mkdir()
    before = {path.name for path in Path().iterdir()}
    done = run("init", *arguments)
    assert done.code == 2
    assert message in done.err
    assert {path.name for path in Path().iterdir()} == before


def test_no_cell_is_shown(run: Run, write: Write) -> None:
    chance = random.Random(7)  # noqa: S311
    names = ["zip", "disease", "x", "姓名", "amount", "born", "flag"]
    rows = [[f"Q{chance.randrange(10**11)}" for _ in names] for _ in range(40)]
    rows += [[f"[7{number},8{number}[" for number in range(len(names))]] * 3
    write("t.csv", "\n".join(";".join(row) for row in [names, *rows]) + "\n")
    done = run("init", "t.csv")
    assert done.code == 0
    told = Path("audit.yaml").read_text(encoding="utf-8") + done.out + done.err
    assert not [cell for row in rows for cell in row if cell in told]


def test_hostile_names(run: Run) -> None:
    names = [
        "a: b", "# no", "'\"", "line\nbreak", "yes", "null", "- x", "1", "\u202eabc", "👩‍⚕️",
        "\x1b[31m", "x" * 5_000, "{a}", "*", "&a",
    ]  # fmt: skip
    columns = {name: [str(place % 3) for place in range(9)] for name in names}
    pq.write_table(pa.table({**columns, "disease": ["a", "b", "c"] * 3}), "t.parquet")
    done = run("init", "t.parquet")
    assert done.code == 0
    assert "\x1b" not in done.out
    assert "\u202e" not in done.out + Path("audit.yaml").read_text(encoding="utf-8")
    roles = content()["Loader"]["t"]["roles"]
    assert sorted([*roles["quasi_identifier"], *commented_names()]) == sorted(names)
    works(run)


def test_a_column_without_a_name_can_have_no_role(run: Run, write: Write) -> None:
    write("t.csv", ";zip;disease\n1;1;a\n2;2;b\n")
    done = run("init", "t.csv")
    assert done.code == 0
    assert "(no name)" in done.out
    assert "A column without a proper name" in Path("audit.yaml").read_text(encoding="utf-8")
    assert content()["Loader"]["t"]["roles"]["quasi_identifier"] == ["zip"]
    works(run)


def test_more_columns_than_reasons_fit_in(run: Run) -> None:
    pq.write_table(
        pa.table({f"{number}{'n' * 9_000}": [1, 2] for number in range(110)}), "t.parquet"
    )
    assert run("init", "t.parquet").code == 0
    assert len(commented_names()) == 110
    pq.write_table(
        pa.table({f"{number}{'n' * 9_900}": [1, 2] for number in range(110)}), "t.parquet"
    )
    done = run("init", "t.parquet", "--force")
    assert done.code == 2
    assert "more column names than a pipeline file can hold" in done.err


def test_a_path_starts_at_the_folder_of_the_file(run: Run, write: Write) -> None:
    write("data/~odd name.csv", "zip;disease\n1;a\n2;b\n")
    write("audits/x", "")
    assert run("init", "data/~odd name.csv", "--out", "audits/a.yaml").code == 0
    assert content("audits/a.yaml")["Loader"]["odd_name"]["filepath"] == "../data/~odd name.csv"
    works(run, "audits/a.yaml")
    assert run("init", "data/~odd name.csv", "--out", "data/a.yaml").code == 0
    assert content("data/a.yaml")["Loader"]["odd_name"]["filepath"] == "./~odd name.csv"
    works(run, "data/a.yaml")
