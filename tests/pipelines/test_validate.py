"""``petaudit validate``: what can be known without computing, at once and with its line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import petaudit
from petaudit.cli import main
from petaudit.errors import ManyProblemsError
from petaudit.measures import Measure
from petaudit.pipelines import tables

TABLE = "zip;age;ill\n47677;29;flu\n47677;29;cold\n47602;22;flu\n47602;22;flu\n"
MANY = """\
Loader:
  roles:
    filepath: t.csv
    roles:
      quasi_identifier: [zipp, age]
      sensitive_attribute: illl
    key: agee
    hierarchies: broken
  gone: {filepath: gone.csv}
  odd_schema: {filepath: t.csv, schema: odd.yaml}
  no_schema: {filepath: t.csv, schema: gone.yaml}
  breaks: {filepath: t.csv, schema: int.yaml}
  encoding: {filepath: t.csv, encoding: nonsense}
  before: {filepath: t.csv, original: before.csv}
  empty: {filepath: empty.csv}
  bench: {filepath: "benchmark://adlut"}
Evaluator:
  close: {method: t-closeness, limit: 0.2}
  use:
    method: precision
    roles: {quasi_identifier: [zip, age]}
    hierarchies: nowhere
  pair:
    method: precision
    hierarchies: {zip: nowhere.csv}
  risk:
    method: mpuccs
    control: control.csv
"""
# Words of each message, by its line.
SAID = {
    5: ["unknown column 'zipp'", "did you mean 'zip'"],
    6: ["unknown column 'illl'", "did you mean 'ill'"],
    7: ["unknown column 'agee'"],
    8: ["hierarchy_zip.csv, line 2"],
    9: ["gone.csv", "does not exist"],
    10: ["odd.yaml, line 2", "unknown type 'whole'", "line 3"],
    11: ["gone.yaml", "does not exist"],
    12: ["breaks", "int.yaml", "column 'ill' has 4 cells"],
    13: ["unknown encoding 'nonsense'"],
    14: ["before.csv", "does not exist"],
    15: ["empty.csv has a header but no rows"],
    16: ["adlut", "did you mean 'adult'"],
    22: ["nowhere", "does not exist"],
    25: ["nowhere.csv", "No such file"],
    28: ["control.csv", "does not exist"],
}


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TABLE)
    Path("empty.csv").write_text("zip;age\n")
    Path("odd.yaml").write_text("attributes:\n  zip: {type: whole}\n  age: {typ: int}\n  ill: {}\n")
    Path("int.yaml").write_text("attributes: {zip: {}, age: {}, ill: {type: int}}\n")
    Path("broken").mkdir()
    Path("broken/hierarchy_zip.csv").write_text("47677;4767*;*\n47602;*\n")


def by_line(messages: list[str], name: str = "a.yaml") -> Iterator[tuple[int, str]]:
    for message in messages:
        start, _, rest = message.partition(": ")
        assert start.startswith(f"{name}, line "), message
        yield int(start.removeprefix(f"{name}, line ")), rest


def validated(text: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The document for one file, which must say what the plain text says."""
    Path("a.yaml").write_text(text)
    code = main(["validate", "a.yaml", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert (document["document"], document["petaudit"]) == (
        "petaudit.validate/1",
        petaudit.__version__,
    )
    [result] = document["files"]
    assert set(result) == {"name", "valid", "problems", "runs"}
    assert result["valid"] is document["valid"] is (code == 0) is (not result["problems"])
    assert code in {0, 2}
    assert main(["validate", "a.yaml"]) == code
    printed = capsys.readouterr()
    if code:
        assert printed.out == ""
        lines = printed.err.splitlines()
        assert lines == [f"petaudit: error: {entry}" for entry in result["problems"]]
    else:
        assert printed.err == ""
        assert [line.strip() for line in printed.out.splitlines()[1:]] == result["runs"]
    entry: dict[str, Any] = result
    return entry


def test_all_problems_are_said_at_once_each_with_its_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = list(by_line(validated(MANY, capsys)["problems"]))
    said = {line: "\n".join(text for at, text in result if at == line) for line, _ in result}
    missing = {line: words for line, words in SAID.items() if line not in said}
    assert missing == {}
    for line, words in SAID.items():
        for word in words:
            assert word in said[line]
    assert [line for line, _ in result] == sorted(line for line, _ in result)
    assert len(set(result)) == len(result)


def test_every_problem_of_the_text_is_said_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        "Loder: {t: {filepath: t.csv}}\n"
        "Loader: {t: {file: t.csv, delimiter: ';;'}}\n"
        "Evaluator:\n"
        "  a: {method: t-closenes}\n"
        "  b: {method: mpuccs, max_baseline_cols: 0, profile: publik}\n"
        "  c: {method: profitability, cost: 4}\n"
        "Reporter: {r: {method: save_reports}}\n"
    )
    result = dict(by_line(validated(text, capsys)["problems"]))
    assert set(result) == {1, 2, 4, 5, 6, 7}
    assert len(list(by_line(validated(text, capsys)["problems"]))) >= 9


@pytest.mark.parametrize(
    ("evaluator", "words"),
    [
        ("method: t-closeness", "needs quasi-identifiers"),
        ("method: t-closeness, roles: {quasi_identifier: zip}", "needs a sensitive attribute"),
        ("method: precision", "needs hierarchies"),
        ("method: non-uniform-entropy", "needs hierarchies"),
        ("method: mpuccs", "needs the original table"),
        ("method: profitability, roles: {quasi_identifier: zip}", "cost"),
        (
            "method: t-closeness, roles: {quasi_identifier: zip, sensitive_attribute: [ill, zip]}",
            "twice",
        ),
    ],
)
def test_what_a_measure_needs_is_checked(
    evaluator: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"Loader:\n  t: {{filepath: t.csv}}\nEvaluator:\n  e: {{{evaluator}}}\n"
    result = list(by_line(validated(text, capsys)["problems"]))
    assert {line for line, _ in result} == {4}
    assert words in "\n".join(text for _, text in result)


def test_what_does_not_fit_together_is_a_problem(capsys: pytest.CaptureFixture[str]) -> None:
    Path("u.csv").write_text("zip;age;illness\n47677;29;flu\n")
    text = """\
Loader: {t: {filepath: t.csv}}
Synthesizer: {s: {method: custom_data, filepath: u.csv}}
Evaluator:
  risk: {method: mpuccs}
  use:
    {method: precision, roles: {quasi_identifier: [zip, age]},
     hierarchies: {zip: {'47677': ['*']}}}
  none: {method: precision, hierarchies: {zap: {'47677': ['*']}}}
"""
    result = dict(by_line(validated(text, capsys)["problems"]))
    assert list(result) == [4, 5, 8]
    assert "no column of u.csv has a hierarchy" in result[8]
    assert "must have the same columns; only in" in result[4]
    assert "'ill'" in result[4]
    assert "'illness'" in result[4]
    assert "no hierarchy for column 'age'" in result[5]


def test_a_rule_without_the_values_that_it_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        "Loader: {t: {filepath: t.csv, roles: {quasi_identifier: zip}, %s}}\n"
        "Evaluator: {e: {method: precision}}\n"
    )
    rule = "hierarchies: {zip: {mask: right}}"
    [problem] = validated(text.replace("%s", rule), capsys)["problems"]
    assert "it needs the original table" in problem
    assert validated(text.replace("%s", f"{rule}, original: t.csv"), capsys)["valid"]


@pytest.mark.parametrize("compare_to", ["gone.json", "t.csv", "a.yaml"])
def test_an_earlier_result_that_cannot_be_read_is_a_problem(
    compare_to: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        f"Executor: {{compare_to: {compare_to}}}\nLoader: {{t: {{filepath: t.csv}}}}\n"
        "Evaluator: {e: {method: t-closeness, roles: {quasi_identifier: zip, "
        "sensitive_attribute: ill}}}\n"
    )
    [problem] = validated(text, capsys)["problems"]
    assert compare_to in problem


def test_a_delimiter_that_is_not_the_table_s_shows(capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        'Loader: {t: {filepath: t.csv, delimiter: "|", roles: {quasi_identifier: zip}}}\n'
        "Evaluator: {e: {method: profitability, cost: 1, gain: 1, loss: 1, benefit: 1}}\n"
    )
    [problem] = validated(text, capsys)["problems"]
    assert "unknown column 'zip'" in problem
    assert "zip;age;ill" in problem


def test_nothing_is_computed_and_nothing_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise AssertionError("computed")

    monkeypatch.setattr(tables, "synthesize", fail)
    monkeypatch.setattr(tables, "split", fail)
    monkeypatch.setattr(tables, "RowPicker", fail)
    monkeypatch.setattr("petaudit.pipelines.executor.evaluate_run", fail)
    monkeypatch.setattr("petaudit.pipelines.executor.evaluate_run", fail)
    monkeypatch.setattr(Measure, "run", fail)
    before = sorted(path.name for path in Path().rglob("*"))
    text = (
        "Executor: {log_filename: a.log}\n"
        "Loader: {t: {filepath: t.csv}}\n"
        "Splitter: {s: {num_samples: 2}}\n"
        "Synthesizer: {g: {method: gaussian-copula}}\n"
        "Evaluator: {m: {method: mpuccs}, n: {method: mpuccs, n_cols: [1, 2]}}\n"
        "Reporter: {r: {method: save_data, source: Splitter}}\n"
    )
    result = validated(text, capsys)
    assert result["problems"] == []
    assert result["runs"] == [
        f"Loader[t]_Splitter[s_[2-{sample}]]_Synthesizer[g]_Evaluator[{name}]"
        for sample in (1, 2)
        for name in "mn"
    ]
    after = sorted(path.name for path in Path().rglob("*"))
    assert after == sorted([*before, "a.yaml"])


def test_what_was_valid_runs_and_what_was_not_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text(MANY)
    assert main(["run", "a.yaml"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert not Path("a-results").exists()
    assert said == [f"petaudit: error: {entry}" for entry in validated(MANY, capsys)["problems"]]


def test_several_files_are_checked_in_one_call(capsys: pytest.CaptureFixture[str]) -> None:
    Path("good.yaml").write_text("Loader: {t: {filepath: t.csv}}\n")
    Path("bad.yaml").write_text("Loader: {t: {filepath: gone.csv}}\n")
    assert main(["validate", "good.yaml", "bad.yaml", "none.yaml", "--format", "json"]) == 2
    files = json.loads(capsys.readouterr().out)["files"]
    assert [path["valid"] for path in files] == [True, False, False]
    assert main(["validate", "good.yaml"]) == 0


def test_in_python_it_raises_all_problems() -> None:
    with pytest.raises(ManyProblemsError) as caught:
        petaudit.Executor(MANY).validate()
    assert len(caught.value.messages) >= len(SAID)
    assert all(message.startswith("the configuration, line ") for message in caught.value.messages)


def test_a_search_asks_the_original_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    """A synthetic table has no column of persons; any other measure counts them in the table."""
    Path("people.csv").write_text("who;" + TABLE.replace("\n4", "\np;4"))
    loader = (
        "Loader: {t: {filepath: t.csv, original: people.csv, roles: {quasi_identifier: zip}}}\n"
    )
    search = validated(loader + "Evaluator: {e: {method: mpuccs, person: who}}\n", capsys)
    assert search["problems"] == []
    others = validated(loader + "Evaluator: {e: {method: k-anonymity, person: who}}\n", capsys)
    assert [(at, "'who'" in text) for at, text in by_line(others["problems"])] == [(2, True)]
