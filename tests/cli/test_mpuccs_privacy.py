"""What ``petaudit mpuccs`` says and writes holds no cell of any table, unless asked for."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from petaudit.singling import running

Run = Callable[..., Any]

ROWS = 12
# Nothing like these occurs by accident, nor after rounding to a coarser step.
TEXT = [f"Qzx{chr(97 + row) * 3}vwk" for row in range(ROWS)]
WHOLE = [73_914_628_351_907 + 1_000_003 * row for row in range(ROWS)]
DECIMAL = [83_741.553917 + 17.000_013 * row for row in range(ROWS)]
DAY = [date(1673, 4, 17) + timedelta(days=41 * row) for row in range(ROWS)]
MOMENT = [
    datetime(1687, 3, 5, 14, 27, 38) + timedelta(days=row, seconds=row) for row in range(ROWS)
]
RARE = ["Wpqcommonlabel"] * (ROWS - 1) + ["Wpqrarelabel"]
COLUMNS = {"t": TEXT, "w": WHOLE, "d": DECIMAL, "day": DAY, "moment": MOMENT, "rare": RARE}


def written(value: object) -> set[str]:
    """How a cell might be written, whole or in part."""
    found = {str(value)}
    if isinstance(value, float):
        found |= {repr(value), f"{value:.6f}", f"{value:.3f}", f"{value:,.6f}"}
    elif isinstance(value, int):
        found |= {f"{value:,}", f"{float(value):g}", repr(float(value))}
    elif isinstance(value, date):
        found |= {f"{value:%Y-%m}", f"{value:%d.%m.%Y}", value.isoformat()}
    return found


CELLS = {form for column in COLUMNS.values() for value in column for form in written(value)}


def tables(kind: str) -> tuple[str, str, str]:
    """An original, a synthetic table that shares one cell of each row with it, and a control."""
    original = {name: values[:8] for name, values in COLUMNS.items()}
    synthetic = {
        name: [values[row] if row % 6 == place else values[8 + row % 4] for row in range(8)]
        for place, (name, values) in enumerate(COLUMNS.items())
    }
    control = {name: values[4:] for name, values in COLUMNS.items()}
    for name, columns in (("original", original), ("synthetic", synthetic), ("control", control)):
        table = pa.table(columns)
        if kind == "parquet":
            pq.write_table(table, f"{name}.parquet")
        else:
            pc.write_csv(table, f"{name}.csv")
    return f"original.{kind}", f"synthetic.{kind}", f"control.{kind}"


def everything_in(folder: str) -> str:
    """All that the files hold, packed or not."""
    parts = []
    for path in Path(folder).iterdir():
        parts.append(path.read_bytes().decode("latin-1"))
        if path.suffix == ".parquet":
            parts.append(repr(pq.read_table(path).to_pylist()))
            parts.append(repr(pq.read_metadata(path).to_dict()))
    return "\n".join(parts)


def leaked(text: str) -> set[str]:
    return {cell for cell in CELLS if cell in text}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(
    "more",
    [
        ("--limit", "0.1"),
        ("--format", "json", "--profile", "public"),
        ("--renyi-alpha", "1", "--no-baseline", "--keep-duplicates"),
        ("--numeric-precision", "2", "--datetime-precision", "D"),
    ],
    ids=lambda more: more[0],
)
def test_no_cell_is_told(kind: str, more: tuple[str, ...], run: Run) -> None:
    original, synthetic, control = tables(kind)
    result = run("mpuccs", original, synthetic, "--control", control, "--out", "o", *more)
    assert result.code in {0, 1}
    told = result.out + result.err + everything_in("o")
    # People are found by the cells that must stay out.
    assert json.loads(Path("o/summary.json").read_text())["results"][0]["details"]["figures"][
        "total_identified"
    ]
    assert leaked(told) == set()


def test_what_is_asked_for_is_written_and_never_printed(run: Run) -> None:
    original, synthetic, _ = tables("parquet")
    given = ("mpuccs", original, synthetic, "--out", "o", "--reveal-values")
    result = run(*given)
    assert leaked(result.out + result.err) == set()
    printed = run(*given, "--format", "json")
    assert leaked(printed.out + printed.err) == set()
    for name in ("global.csv", "tree.csv", "changes.csv", "summary.json"):
        assert leaked(Path("o", name).read_text()) == set()
    source = pq.read_table(synthetic).to_pylist()
    rows = pq.read_table("o/details.parquet").to_pylist()
    assert rows
    for row in rows:
        fields, values = json.loads(row["field_combo"]), json.loads(row["value_combo"])
        own = [source[row["syn_row"]][name] for name in fields]
        assert [str(value) for value in values] == [str(value) for value in own]


def test_values_revealed_once_are_gone_after_a_run_without(run: Run) -> None:
    original, synthetic, _ = tables("parquet")
    run("mpuccs", original, synthetic, "--out", "o", "--reveal-values")
    assert leaked(everything_in("o"))
    run("mpuccs", original, synthetic, "--out", "o")
    assert leaked(everything_in("o")) == set()


@pytest.mark.parametrize("place", range(len(COLUMNS)))
@pytest.mark.parametrize("role", ["original", "synthetic", "control"])
def test_an_error_about_kinds_quotes_no_cell(place: int, role: str, run: Run) -> None:
    """Each column in turn holds what it does not hold in the other tables."""
    files = dict(zip(("original", "synthetic", "control"), tables("csv"), strict=True))
    name = list(COLUMNS)[place]
    table = pc.read_csv(files[role])
    wrong = pa.array((WHOLE if isinstance(COLUMNS[name][0], str) else TEXT)[: table.num_rows])
    changed = table.set_column(table.column_names.index(name), name, wrong)
    pc.write_csv(changed, files[role])
    result = run(
        *("mpuccs", files["original"], files["synthetic"], "--control", files["control"]),
        *("--out", "o"),
    )
    if isinstance(COLUMNS[name][0], str):
        # A file without types says nothing about text that looks like numbers.
        assert result.code in {0, 2}
    else:
        assert result.code == 2
        assert f"column {name!r} holds" in result.err
        assert files[role] in result.err
    assert leaked(result.out + result.err) == set()


def test_debugging_aside_an_unforeseen_error_quotes_no_cell(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, synthetic, _ = tables("parquet")

    def fail(*_: object, **__: object) -> None:
        raise ValueError(f"cannot convert {TEXT[0]!r}")

    monkeypatch.setattr("petaudit.singling.walk.Walk.run", fail)
    result = run("mpuccs", original, synthetic, "--out", "o")
    assert result.code == 2
    assert "internal error (ValueError)" in result.err
    assert leaked(result.out + result.err) == set()


def test_a_library_s_warning_about_a_cell_stays_inside(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only our own warnings are known to hold no values."""
    original, synthetic, _ = tables("parquet")
    prepare = running.prepare

    def warn(*given: Any, **named: Any) -> Any:
        warnings.warn(f"odd cell {TEXT[0]!r}", RuntimeWarning, stacklevel=1)
        return prepare(*given, **named)

    monkeypatch.setattr(running, "prepare", warn)
    result = run("mpuccs", original, synthetic)
    assert result.code == 0
    assert leaked(result.out + result.err) == set()
