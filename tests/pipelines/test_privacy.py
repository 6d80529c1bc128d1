"""No cell of any table leaves through a pipeline unless its owner asks for exactly that."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import petaudit
from petaudit.cli import main
from petaudit.measures import usual_measures
from petaudit.pipelines import evaluating
from petaudit.pipelines.events import Event
from petaudit.pipelines.folder import STATE

ROWS = 24
# Nothing like these occurs by accident.
NAME = [f"Qzx{chr(97 + row) * 3}vwk" for row in range(ROWS)]
CITY = [f"Wpq{'abc'[row % 3] * 4}label" for row in range(ROWS)]
ILL = [f"Jkv{'de'[row % 2] * 4}illness" for row in range(ROWS)]
BORN = [f"{1673 + row}-04-17" for row in range(ROWS)]
PAY = [f"{83_741_553 + 17_000_013 * row}" for row in range(ROWS)]
ABOVE = "Xyzabovetheleaves"
COLUMNS = {"name": NAME, "city": CITY, "ill": ILL, "born": BORN, "pay": PAY}
CELLS = {cell for column in COLUMNS.values() for cell in column} | {ABOVE}
ROLES = "roles: {quasi_identifier: [city, born], sensitive_attribute: ill, identifier: name}"

AUDIT = f"""\
Executor: {{log_output_type: both, log_level: DEBUG, log_dir: logs}}
Loader:
  real: {{filepath: real.csv, {ROLES}, hierarchies: hierarchies, key: name}}
Splitter:
  half: {{num_samples: 2, train_split_ratio: 0.5}}
Synthesizer:
  given: {{method: custom_data, filepath: synthetic.csv}}
  drawn: {{method: gaussian-copula}}
Evaluator:
  risk: {{method: mpuccs, limit: 0}}
  few: {{method: mpuccs, max_baseline_cols: 1, numeric_precision: 0, profile: public}}
  close: {{method: t-closeness, limit: 0, worst: 5, hierarchies: {{ill: hierarchies/ill.csv}}}}
  pays: {{method: profitability, cost: 4, gain: 300, loss: 300, benefit: 1}}
Reporter:
  csv:
    method: save_report
    granularity: [summary, global, columnwise, details, tree, changes]
  json: {{method: save_report, granularity: [global, details, tree, changes], format: json}}
  parquet: {{method: save_report, granularity: [global, details, tree], format: parquet}}
  timing: {{method: save_timing}}
"""
RELEASED = f"""\
Executor: {{log_filename: a.log, log_level: DEBUG}}
Loader:
  real: {{filepath: released.csv, original: real.csv, {ROLES}, hierarchies: hierarchies}}
Evaluator:
  use: {{method: precision, limit: 1}}
  entropy: {{method: non-uniform-entropy, limit: 1}}
Reporter:
  csv: {{method: save_report, granularity: [summary, global, columnwise]}}
"""


@pytest.fixture(autouse=True)
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PETAUDIT_DEBUG", raising=False)
    rows = list(zip(*COLUMNS.values(), strict=True))
    # Every second person is in the synthetic table with all cells, the others with some.
    synthetic = [
        row if place % 2 else (NAME[0], *row[1:4], PAY[place - 1]) for place, row in enumerate(rows)
    ]
    released = [(row[0], ABOVE, *row[2:]) if row[2] == ILL[0] else row for row in rows]
    for name, entry in (("real", rows), ("synthetic", synthetic), ("released", released)):
        lines = [";".join(cells) for cells in ([*COLUMNS], *entry)]
        Path(f"{name}.csv").write_text("\n".join(lines) + "\n")
    Path("hierarchies").mkdir()
    for column in ("city", "born"):
        lines = [f"{leaf};{ABOVE};*" for leaf in dict.fromkeys(COLUMNS[column])]
        Path(f"hierarchies/hierarchy_{column}.csv").write_text("\n".join(lines))
    Path("hierarchies/ill.csv").write_text("\n".join(f"{entry};{ABOVE};*" for entry in set(ILL)))


def everything_in(folder: str) -> str:
    """All that the files below a folder hold, packed or not."""
    parts = []
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file():
            parts.append(f"{path}\n{path.read_bytes().decode('latin-1')}")
            if path.suffix == ".parquet":
                parts.append(repr(pq.read_table(path).to_pylist()))
    return "\n".join(parts)


def leaked(text: str) -> set[str]:
    return {cell for cell in CELLS if cell in text}


def ran(text: str, *more: str) -> int:
    Path("audit.yaml").write_text(text)
    return main(["run", "audit.yaml", "--out", "out", *more])


@pytest.mark.parametrize("format_name", ["text", "json"])
@pytest.mark.parametrize("text", [AUDIT, RELEASED], ids=["synthetic", "released"])
def test_no_cell_is_told(text: str, format_name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = ran(text, "--format", format_name)
    said = capsys.readouterr()
    assert code == 1, said.err
    assert len(list(Path("out").iterdir())) > 3
    logs = everything_in("out/logs") if text == AUDIT else Path("out/a.log").read_text()
    assert "DEBUG Evaluator[" in logs
    assert leaked(said.out + said.err + logs + everything_in("out")) == set()
    # Somebody is singled out by what stays out.
    if text == AUDIT:
        assert re.search(r"_details\.csv\nrun;risk_level", everything_in("out"))
        assert len(Path("out/petaudit_risk_details.csv").read_text().splitlines()) > 20


OPTIONS = {
    "profitability": ", cost: 4, gain: 300, loss: 300, benefit: 1",
    "recursive-l-diversity": ", limit: 0, l: 2",
    "population-uniqueness": ", limit: 0, model: zayatz",
    "attribute-squared-error": ", limit: 1, unknown: maximal",
    "record-squared-error": ", limit: 1, unknown: maximal",
    "model-utility": ", limit: 0, target: ill, features: [city, pay], folds: 2",
}


def test_no_measure_tells_a_cell(capsys: pytest.CaptureFixture[str]) -> None:
    """All that can be named in a file, with limits that are broken where that is possible."""
    lines = [
        f"  {name}: {{method: {name}{OPTIONS.get(name, broken if entry.limit_help else '')}}}"
        for name, entry in usual_measures().items()
        # A limit that no table could break is refused.
        for broken in [f", limit: {max(int(entry.range[0]), 0) if entry.range[0] > -9 else 0}"]
        if name != "mpuccs"  # the tests above
    ]
    numbers = ROLES.replace("[city, born]", "[city, born, pay]")
    loader = (
        "  real: {filepath: released.csv, original: real.csv, population: released.csv,\n"
        f"    {numbers},\n"
        "    hierarchies: {city: hierarchies/hierarchy_city.csv, "
        "born: hierarchies/hierarchy_born.csv, pay: {mask: right}}}"
    )
    granularities = "[summary, global, columnwise, details]"
    text = "\n".join([
        "Executor: {log_filename: a.log, log_level: DEBUG}", "Loader:", loader, "Evaluator:",
        *lines, "Reporter:",
        f"  csv: {{method: save_report, granularity: {granularities}}}",
        f"  parquet: {{method: save_report, granularity: {granularities}, format: parquet}}",
    ])  # fmt: skip
    ran(text, "--format", "json")
    said = capsys.readouterr()
    document = json.loads(said.out)
    by_status = Counter(entry["status"] for entry in document["results"])
    assert len(document["results"]) == len(lines)
    assert document["errors"] == [], by_status
    assert by_status["failed"] > 10
    told = said.out + Path("out/a.log").read_text() + everything_in("out")
    assert leaked(told) == set()
    assert leaked(said.err) == set()


def test_no_cell_is_kept_while_it_runs() -> None:
    """What lies in the hidden folder at any moment is what a killed run leaves behind."""
    seen: list[str] = []

    def look(event: Event) -> None:
        seen.append(f"{event}")
        if event.kind in {"step", "result", "written"}:
            seen.append(everything_in("out"))

    petaudit.Executor(AUDIT, out="out", listener=look).run()
    text = "\n".join(seen)
    assert text.count(f"out/{STATE}/") > 20
    assert '"value_combo"' in text
    assert leaked(text) == set()


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_values_are_written_if_they_are_asked_for_and_where(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ran(AUDIT, "--reveal-values")
    printed = capsys.readouterr()
    [_, details] = everything_in("out").split(f"out/petaudit_risk_details.{kind}\n")
    assert leaked(details.partition("\nout/")[0]) & set(BORN)
    logs = everything_in("out/logs")
    assert leaked(printed.err + logs) == set()
    for name in ("risk_global", "risk_tree", "risk_changes", "summary", "timing"):
        assert leaked(Path(f"out/petaudit_{name}.csv").read_text()) == set()
    # The next run without it takes them back.
    ran(AUDIT)
    assert leaked(everything_in("out")) == set()


def test_saving_a_table_writes_that_table_and_nothing_else() -> None:
    text = AUDIT + "  data: {method: save_data, source: [Loader, Splitter, Synthesizer]}\n"
    ran(text)
    saved = {path.name for path in Path("out").glob("*.*") if leaked(path.read_text("latin-1"))}
    assert saved == {
        path.name for path in Path("out").iterdir() if path.name.startswith("petaudit_Loader[real]")
    }
    assert len(saved) == 1 + 2 * 2 + 2 * 2
    # Whoever is alone with a value is not in a table that was drawn.
    drawn = Path("out/petaudit_Loader[real]_Splitter[half_[2-1]]_Synthesizer[drawn].csv")
    assert leaked(drawn.read_text()) & set(NAME) == set()


def test_a_label_that_no_hierarchy_has_is_quoted_on_the_terminal_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = [f"{leaf};{ABOVE};*" for leaf in dict.fromkeys(CITY)]
    Path("hierarchies/hierarchy_city.csv").write_text("\n".join(lines[1:]))
    assert ran(RELEASED) == 2
    said = capsys.readouterr()
    assert leaked(said.out + everything_in("out") + Path("out/a.log").read_text()) == set()
    assert "1 label not found in its hierarchy" in " ".join(said.out.split())
    assert len(leaked(said.err)) <= 3


@pytest.mark.parametrize(
    "table", ["real.csv", "synthetic.csv"], ids=["the original", "the synthetic table"]
)
def test_a_cell_of_another_kind_is_not_quoted(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("schema.yaml").write_text(
        "attributes:\n" + "\n".join(f"  {name}: {{type: str}}" for name in [*COLUMNS][:4])
        + "\n  pay: {type: int, nullable: false}\n"
    )  # fmt: skip
    Path(table).write_text(Path(table).read_text().replace(PAY[5], "Qzxnonumber"))
    text = AUDIT.replace("filepath: real.csv", "filepath: real.csv, schema: schema.yaml")
    text = text.replace("filepath: synthetic.csv", "filepath: synthetic.csv, schema: schema.yaml")
    assert ran(text) == 2
    said = capsys.readouterr()
    assert "column 'pay' has" in said.err
    told = said.out + said.err + everything_in("out/logs")
    assert leaked(told) == set()
    assert "Qzxnonumber" not in told


def test_an_unforeseen_error_quotes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ValueError(f"cannot convert {NAME[0]!r}")

    monkeypatch.setattr(evaluating, "missing_of", fail)
    Path("audit.yaml").write_text(RELEASED)
    assert main(["run", "audit.yaml", "--out", "out"]) == 2
    said = capsys.readouterr()
    assert "internal error (ValueError)" in said.err
    told = said.out + said.err + everything_in("out") + Path("out/a.log").read_text()
    assert leaked(told) == set()


def test_validating_says_no_cell(capsys: pytest.CaptureFixture[str]) -> None:
    for text in (AUDIT, RELEASED):
        Path("audit.yaml").write_text(text)
        for format_name in ("text", "json"):
            assert main(["validate", "audit.yaml", "--format", format_name]) == 0
            said = capsys.readouterr()
            assert leaked(said.out + said.err) == set()
