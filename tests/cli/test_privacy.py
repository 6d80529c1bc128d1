"""No value of the data leaves through a report unless the person asks for it."""

from __future__ import annotations

import contextlib
import io
import os
import random
import string
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import examples
from petaudit.cli import main

COLUMNS = ("zip", "age", "disease", "pay", "note")
FORMATS = ("text", "json")


@dataclass(frozen=True)
class Seen:
    """Everything that a run gives out."""

    code: int
    report: str
    err: str


def tokens(chance: random.Random, number: int) -> list[str]:
    """Words that occur nowhere by accident."""
    return ["Q" + "".join(chance.choices(string.ascii_lowercase, k=11)) for _ in range(number)]


def numbers(chance: random.Random, number: int) -> list[str]:
    return [str(chance.randrange(10**13, 10**14)) for _ in range(number)]


def write_csv(path: str, rows: list[list[str]]) -> None:
    lines = [";".join(row) for row in [list(COLUMNS), *rows]]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_hierarchy(column: str, leaves: list[str], chance: random.Random) -> list[str]:
    above = tokens(chance, 2)
    lines = [f"{leaf};{chance.choice(above)};*\n" for leaf in dict.fromkeys(leaves)]
    Path("h").mkdir(exist_ok=True)
    Path(f"h/hierarchy_{column}.csv").write_text("".join(lines), encoding="utf-8")
    return above


def check(format_name: str, *more: str, complete: bool = False) -> Seen:
    """Run a check to standard output and once more to a file."""
    out, err = io.StringIO(), io.StringIO()
    arguments = ["check", "t.csv", "--qi", "zip,age", "--sensitive", "disease,pay", *more]
    arguments += ["--hierarchies", "h", "--format", format_name]
    # Named, so that a failure of any of them is an error with a message.
    measures = "precision,profitability,t-closeness"
    measures += ",non-uniform-entropy" if "--original" in more else ""
    if complete:
        arguments += ["--details", "--population", "o.csv"]
    else:
        arguments += ["--measures", measures]
    arguments += ["--cost", "4", "--gain", "300", "--loss", "300", "--benefit", "1200"]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
        main([*arguments, "--out", "report"])
    written = Path("report").read_text(encoding="utf-8") if Path("report").exists() else ""
    return Seen(code, out.getvalue() + written, err.getvalue())


FLAWS = {
    "": [],
    "leaf missing": [],
    "label unknown": [],
    "lengths differ": ["--original", "o.csv"],
    "with original": ["--original", "o.csv"],
    "key of no use": ["--original", "o.csv", "--key", "note"],
    "no order": ["--distance", "ordered"],
    "limit breached": ["--t", "0"],
}


@settings(max_examples=examples(15))
@given(
    seed=st.integers(0, 2**32),
    classes=st.integers(1, 4),
    rows=st.integers(1, 12),
    flaw=st.sampled_from(sorted(FLAWS)),
    complete=st.booleans(),
)
def test_no_cell_is_in_a_report(
    seed: int, classes: int, rows: int, flaw: str, complete: bool
) -> None:
    chance = random.Random(seed)  # noqa: S311 (no secret is made)
    keys = list(zip(tokens(chance, classes), numbers(chance, classes), strict=True))
    table = [
        [*chance.choice(keys), *tokens(chance, 1), *numbers(chance, 1), *tokens(chance, 1)]
        for _ in range(rows)
    ]
    cells = {cell for row in table for cell in row}
    before = os.getcwd()  # noqa: PTH109
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            write_csv("t.csv", table)
            write_csv("o.csv", table[:-1] + [table[-1]] * (2 if flaw == "lengths differ" else 1))
            leaves = {name: [row[place] for row in table] for place, name in enumerate(COLUMNS)}
            for name in ("zip", "age", "disease"):
                own = leaves[name][:-1] if flaw == "leaf missing" else leaves[name]
                cells |= set(write_hierarchy(name, [*own, "other"], chance))
            if flaw == "label unknown":
                write_hierarchy("zip", tokens(chance, 3), chance)
            for format_name in FORMATS:
                seen = check(format_name, *FLAWS[flaw], complete=complete)
                leaked = [cell for cell in cells if cell in seen.report]
                assert not leaked
                quoted = [cell for cell in cells if cell in seen.err]
                assert seen.code == 2 or not quoted
                # A message may quote three labels, and there is one message per measure.
                assert len(quoted) <= 3 * max(len(seen.err.splitlines()), 1)
        finally:
            os.chdir(before)


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("format_name", FORMATS)
def test_revealing_shows_the_classes_and_what_pictures_are_about_and_nothing_else(
    format_name: str, complete: bool
) -> None:
    """In a document, the worst classes of t-closeness come with the sensitive values of theirs."""
    sensitive = () if format_name == "text" else (2, 3)
    chance = random.Random(7)  # noqa: S311
    keys = list(zip(tokens(chance, 3), numbers(chance, 3), strict=True))
    table = [[*key, *tokens(chance, 1), *numbers(chance, 1), *tokens(chance, 1)] for key in keys]
    write_csv("t.csv", table)
    write_csv("o.csv", table)
    for place in (0, 1):
        write_hierarchy(COLUMNS[place], [row[place] for row in table], chance)
    hidden, shown = (
        check(format_name, *more, complete=complete) for more in ((), ("--reveal-values",))
    )
    for row in table:
        assert not any(cell in hidden.report for cell in row)
        assert all(cell in shown.report for cell in row[:2])
        others = [cell for place, cell in enumerate(row) if place not in (0, 1, *sensitive)]
        assert others
        assert not any(cell in shown.report for cell in others)


def test_revealing_is_noted_in_the_document() -> None:
    write_csv("t.csv", [["1", "2", "3", "4", "5"]])
    write_hierarchy("zip", ["1"], random.Random(7))  # noqa: S311
    write_hierarchy("age", ["2"], random.Random(7))  # noqa: S311
    assert '"reveal_values": true' in check("json", "--reveal-values").report


def test_a_message_quotes_no_label_and_at_most_three_on_request() -> None:
    chance = random.Random(7)  # noqa: S311
    table = [[token, "2", "3", "4", "5"] for token in tokens(chance, 9)]
    write_csv("t.csv", table)
    write_hierarchy("zip", ["other"], chance)
    write_hierarchy("age", ["2"], chance)
    [line] = set(check("text").err.splitlines())
    assert sum(row[0] in line for row in table) == 0
    assert "9 labels" in line
    assert "in 9 rows of t.csv (data rows 1, 2, 3 and 6 more)" in line
    [line] = set(check("text", "--reveal-values").err.splitlines())
    assert sum(row[0] in line for row in table) == 3
    assert "and 6 more" in line


ADDRESS = "postgresql://eve:s3cret@127.0.0.1:1/db?table=t"


@pytest.mark.parametrize(
    "given",
    [
        ["run", ADDRESS],
        ["validate", ADDRESS],
        ["report", ADDRESS],
        ["check", "t.csv", "--qi", "zip", ADDRESS],
        ["check", "t.csv", "--qi", "zip", "--hierarchies", ADDRESS],
        ["check", "t.csv", "--qi", "zip", "--report", ADDRESS],
        ["check", "t.csv", "--qi", "zip", "--engine", ADDRESS],
        ["check", "t.csv", "--qi", "zip", "--engine", f"{ADDRESS[:25]}{'x' * 500}"],
        ["check", "t.csv", "--qi", "zip", "--engine", "spark", "--spark-master", ADDRESS],
        ["check", ADDRESS.partition(":")[2], "--qi", "zip"],
        ["check", ADDRESS.partition("//")[2], "--qi", "zip"],
        ["mpuccs", "t.csv", ADDRESS.replace("postgresql", "mysql")],
        ["generalize", "t.csv", "--out", ADDRESS, "--zip", "1"],
    ],
    ids=" ".join,
)
def test_an_address_in_the_wrong_place_is_not_quoted_with_its_password(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    write_csv("t.csv", [["1", "2", "3", "4", "5"]])
    assert main(given) == 2
    said = capsys.readouterr()
    assert "s3cret" not in said.out + said.err
    assert "Traceback" not in said.err
