"""``petaudit attack``: the verdict first, undecided where an interval says so, and no value."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Write = Callable[[str, "str | bytes"], Path]
TABLES = ("attack", "original.csv", "synthetic.csv", "--control", "control.csv")
Rows = list[tuple[int, str, int, str]]


def people(seed: int, many: int) -> Rows:
    draw = random.Random(seed)  # noqa: S311
    return [
        (draw.randrange(1000), draw.choice("mf"), draw.randrange(10_000), draw.choice("abcd"))
        for _ in range(many)
    ]


def text(rows: Rows) -> str:
    lines = [",".join(map(str, row)) for row in rows]
    return "\n".join(["age,sex,zip,secretword", *lines]) + "\n"


ORIGINAL, CONTROL = people(1, 400), people(2, 400)


@pytest.fixture(autouse=True)
def tables(write: Write) -> None:
    write("original.csv", text(ORIGINAL))
    write("synthetic.csv", text(people(3, 400)))
    write("copies.csv", text([*ORIGINAL[:160], *people(4, 240)]))
    write("control.csv", text(CONTROL))
    write("few.csv", text(CONTROL[:20]))


def test_a_harmless_table_passes_and_copies_do_not(run: Run) -> None:
    given = ("--secret", "secretword", "--link", "age:zip", "--limit", "0.15")
    safe = run(*TABLES, *given)
    assert safe.code == 0, safe.out
    assert "all 4 limits hold" in safe.out
    assert "was not used for training" in safe.out
    found = run("attack", "original.csv", "copies.csv", "--control", "control.csv", *given)
    assert found.code == 1
    assert "generate the synthetic table again" in found.out


def test_an_undecided_limit_says_how_many_people_would_decide_it(run: Run) -> None:
    found = run(
        "attack", "original.csv", "synthetic.csv", "--control", "few.csv", "--limit", "0.005"
    )
    assert found.code == 2
    assert "control people would decide it" in found.err
    assert "the control has fewer than 50 people" in found.out


def test_no_number_is_promised_where_none_would_decide(run: Run, write: Write) -> None:
    write("small.csv", text(ORIGINAL[:60]))
    given = ("small.csv", "synthetic.csv", "--control", "control.csv", "--limit", "0.001")
    found = run("attack", *given, "--measures", "copied-rows")
    assert found.code == 2
    assert "no number of control people would decide it" in " ".join(found.err.split())
    [advice] = " ".join(found.out.split()).split("What to do ")[1:]
    assert advice.startswith(
        "Copied rows: nothing is decided yet; its reason says why, and how many people in the "
        "control would decide it, if any number would."
    )


def test_without_a_control_a_limit_is_undecided(run: Run) -> None:
    found = run("attack", "original.csv", "copies.csv", "--limit", "0.09")
    assert found.code == 2
    assert "there is no control" in found.err


def test_the_document_has_all_figures_and_no_value(run: Run) -> None:
    given = ("--secret", "secretword", "--by", "sex", "--format", "json")
    document = json.loads(run(*TABLES, *given).out)
    assert document["command"] == "attack"
    entry = next(each for each in document["results"] if each["measure"] == "attribute-inference")
    assert {"attack_rate", "control_rate", "base_rate", "interval", "people"} <= {*entry["details"]}
    groups = [each["group"] for each in entry["details"]["exposed"]]
    assert groups == ["the rarest 1 %", "the rarest 5 %", "sex: 1", "sex: 2"]


def test_groups_are_told_worst_first_and_named_where_values_may_be_seen(
    run: Run, write: Write
) -> None:
    men = [row for row in ORIGINAL if row[1] == "m"]
    write("men.csv", text([*men, *people(5, 400 - len(men))]))
    given = ("attack", "original.csv", "men.csv", "--control", "control.csv", "--by", "sex")
    told = " ".join(run(*given, "--reveal-values", "--details").out.split())
    assert told.index("sex: m: >") < told.index("sex: f: <")
    hidden = run(*given, "--details").out
    assert any(f"sex: {number}: >" in hidden for number in (1, 2))
    assert "sex: m" not in hidden
    many = " ".join(run(*given[:-1], "secretword", "--details").out.split())
    assert "more groups" not in many
    many = " ".join(run(*given[:-1], "age", "--details").out.split())
    assert "more groups are in the JSON document (exposed)" in many


def test_numbers_of_exposed_rows_are_for_the_steward(run: Run, tmp_path: Path) -> None:
    given = ("--measures", "copied-rows", "--rows", tmp_path / "rows.csv")
    run("attack", "original.csv", "copies.csv", "--control", "control.csv", *given)
    lines = (tmp_path / "rows.csv").read_text().splitlines()
    assert lines[0] == "measure,attack,row,probability"
    assert lines[1:] == [f"copied-rows,,{row},1" for row in range(1, 161)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--secret", "secretwrd"), "unknown column 'secretwrd' (did you mean 'secretword'?)"),
        (("--link", "age:age,sex"), "both lists have 'age'"),
        (("--link", "age"), "expected two lists of columns"),
        (("--secret", "sex", "--known", "sex,age"), "what is known needs no guess"),
        (("--known", "age"), "name it (--secret)"),
        (("--limit", "2"), "no table exceeds 1"),
        (("--limit", "0.1,0.2"), "given twice"),
        (("--measures", "k-anonymity"), "is not an attack"),
        (("--fpr", "0"), "fpr must be"),
        (("--measures", "attribute-inference"), "needs a column to guess (--secret)"),
        (("--person", "nobody"), "'nobody'"),
    ],
)
def test_wrong_input_is_one_clear_line(given: tuple[str, ...], message: str, run: Run) -> None:
    found = run(*TABLES, *given)
    assert found.code == 2
    assert message in found.err
    assert "Traceback" not in found.err


def test_controls_that_are_the_original(run: Run, write: Write) -> None:
    same = run("attack", "original.csv", "synthetic.csv", "--control", "original.csv")
    assert same.code == 2
    assert "it must be of other people" in same.err
    write("mixed.csv", text([*ORIGINAL[:40], *CONTROL]))
    given = ("--control", "mixed.csv", "--measures", "copied-rows", "--limit")
    found = run("attack", "original.csv", "synthetic.csv", *given, "0.5")
    assert "more than chance explains" in found.out
    # With its own people in the control the excess is too low: what breaks a limit does so, and
    # nothing keeps one.
    assert found.code == 2
    assert "too low to show that the limit holds" in " ".join(found.err.split())
    assert run("attack", "original.csv", "copies.csv", *given, "0.2").code == 1


def test_controls_that_the_generator_saw(run: Run, write: Write) -> None:
    """Whoever trained it on everybody finds no excess: that keeps no limit."""
    same = run("attack", "original.csv", "copies.csv", "--control", "copies.csv")
    assert same.code == 2
    assert "the control is the synthetic table itself" in same.err
    write("both.csv", text([*ORIGINAL[:60], *CONTROL[:60], *people(3, 300)]))
    found = run("attack", "original.csv", "both.csv", "--control", "control.csv", "--limit", "0.3")
    assert found.code == 2
    assert "are rows of the synthetic table, more than chance explains" in found.out
    assert "the generator has seen people of the control" in found.err


def test_a_column_that_numbers_people_hides_no_copies_unsaid(run: Run, write: Write) -> None:
    for name, rows in (("o", ORIGINAL), ("s", ORIGINAL), ("c", CONTROL)):
        head, *lines = text(rows).splitlines()
        numbered = [f"{name}{place},{line}" for place, line in enumerate(lines)]
        write(f"{name}.csv", "\n".join([f"id,{head}", *numbered]) + "\n")
    given = ("attack", "o.csv", "s.csv", "--control", "c.csv", "--measures", "copied-rows")
    assert "no value of the original in 'id'" in run(*given).out
    by = ("--option", "copied-rows.columns=age,sex,zip", "--limit", "0.5")
    found = run(*given, *by)
    assert found.code == 1
    assert "no whole row" not in found.out
    assert "no whole row" not in run(*TABLES).out


def test_a_secret_of_many_numbers_is_guessed_with_a_tolerance(run: Run, write: Write) -> None:
    """Copies with noise pass where only equal numbers count, which is said."""
    near = [(age, sex, zip_ + 1, word) for age, sex, zip_, word in ORIGINAL]
    write("near.csv", text(near))
    given = ("attack", "original.csv", "near.csv", "--control", "control.csv", "--secret", "zip")
    limit = ("--measures", "attribute-inference", "--limit", "0.1")
    found = run(*given, *limit)
    assert found.code == 0
    assert "only equal numbers count as guessed, and 'zip' has many" in " ".join(found.out.split())
    tolerant = run(*given, *limit, "--tolerance", "0.05")
    assert tolerant.code == 1
    assert "only equal numbers" not in tolerant.out
    assert "only equal numbers" not in run(*TABLES, "--secret", "secretword").out


def test_the_original_itself_exposes_everybody(run: Run) -> None:
    found = run(
        "attack", "original.csv", "original.csv", "--control", "control.csv", "--limit", "0.5"
    )
    assert found.code == 1
    assert "the synthetic table has exactly the rows of the original" in found.out
    row = next(line for line in found.out.splitlines() if line.startswith("copied-rows  >"))
    assert row.split()[1:4] == [">97.5%", "<2.5%", "1.00"]


def test_constant_columns_are_left_out_by_name(run: Run, write: Write) -> None:
    for name, rows in (("o.csv", ORIGINAL), ("s.csv", people(3, 400)), ("c.csv", CONTROL)):
        lines = text(rows).splitlines()
        more = ["same", *["1"] * (len(lines) - 1)]
        joined = (f"{line},{last}" for line, last in zip(lines, more, strict=True))
        write(name, "\n".join(joined) + "\n")
    found = run("attack", "o.csv", "s.csv", "--control", "c.csv")
    assert "columns with a single value are left out: 'same'" in found.out
    refused = run("attack", "o.csv", "s.csv", "--control", "c.csv", "--secret", "same")
    assert "there is nothing to guess" in refused.err


def test_every_stranger_exposed_leaves_everything_open(run: Run, write: Write) -> None:
    rows = text([(1, "m", 2, "a"), (3, "f", 4, "b")] * 60)
    write("few-values.csv", rows + "9,m,9,c\n")
    write("same.csv", text([(1, "m", 2, "a")] * 30 + [(3, "f", 4, "b")] * 70))
    found = run(
        *("attack", "few-values.csv", "few-values.csv", "--control", "same.csv"),
        *("--measures", "copied-rows", "--limit", "0.5"),
    )
    assert found.code == 2
    assert "every stranger is exposed" in found.err
    assert any(line.split()[-4:] == ["-", "0.00", "to", "1.00"] for line in found.out.splitlines())


def test_tables_beyond_the_memory_are_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petaudit.attacks.tables.memory_limit", lambda: 340_000_000)
    found = run(*TABLES)
    assert found.code == 2
    assert "attacks keep what they find out about every row in memory" in found.err
    assert "(--memory)" in found.err
