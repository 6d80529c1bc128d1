"""Pictures are extra: whatever becomes of one, figures, verdicts and exit codes stay the same."""

from __future__ import annotations

import contextlib
import copy
import html
import io
import json
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import petaudit
from petaudit.cli import main
from petaudit.i18n.catalogue import translation
from petaudit.i18n.voice import Voice
from petaudit.measures import Measure, all_measures
from petaudit.pictures import KINDS, picture_from, pictures_of
from petaudit.reports import html as html_report
from pictures.examples import EXAMPLES

FORMATS = ("html", "markdown", "junit", "sarif")
SENTENCE = "A chart could not be drawn ({kind}); no figure or verdict depends on it."
PIPELINE = """\
Loader:
  table:
    filepath: released.csv
    original: original.csv
    roles: {quasi_identifier: [zip, age], sensitive_attribute: [disease]}
Evaluator:
  classes: {method: k-anonymity, limit: 2}
  risk: {method: prosecutor-risk, limit: 0.1}
  closeness: {method: t-closeness, limit: 0.9}
  moved: {method: distribution-distance, limit: 0.5}
"""
SEARCH = """\
Splitter:
  people: {method: custom_data, filepath: {ori: original.csv, control: control.csv}}
Synthesizer:
  made: {method: custom_data, filepath: synthetic.csv}
Evaluator:
  search: {method: mpuccs, limit: 0.9}
"""
COMMANDS: dict[str, list[str]] = {
    "check": [
        *("check", "released.csv", "--original", "original.csv", "--qi", "zip,age"),
        *("--sensitive", "disease", "--k", "2", "--t", "0.9", "--max-risk", "0.1"),
        *("--measures", "k-anonymity,t-closeness,prosecutor-risk,distribution-distance"),
        *("--limit", "distribution-distance=0.5", "--format", "json"),
    ],
    "mpuccs": [
        *("mpuccs", "original.csv", "synthetic.csv", "--control", "control.csv"),
        *("--limit", "0.9", "--quiet", "--format", "json"),
    ],
    "attack": [
        # Curves of so few people are drawn of exact figures only.
        *("attack", "original.csv", "synthetic.csv", "--control", "control.csv"),
        *("--limit", "0.9", "--exact-figures", "--quiet", "--format", "json"),
    ],
    "run": ["run", "pipeline.yaml", "--quiet", "--format", "json"],
    "run of mpuccs": ["run", "search.yaml", "--quiet", "--format", "json"],
}
DRAWN: dict[str, set[str]] = {
    "check": {"class-sizes", "rows-at-risk", "distributions", "column-shares"},
    "mpuccs": {"identified-by-size", "column-exposure", "search-tree", "control-comparison"},
    "attack": {"attack-intervals", "attack-rates", "membership-curves"},
}
DRAWN |= {"run": DRAWN["check"], "run of mpuccs": DRAWN["mpuccs"]}


def rows_of(seed: int) -> str:
    """Fifty people, some of whom have their quasi-identifiers alone."""
    chance = np.random.default_rng(seed)
    columns = zip(
        chance.integers(1, 5, 50),
        chance.integers(20, 60, 50),
        chance.choice(["flu", "gout", "none"], 50),
        strict=True,
    )
    return "\n".join(["zip,age,disease", *(f"{z},{age},{ill}" for z, age, ill in columns)]) + "\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small tables that every picture can be made of."""
    for seed, name in enumerate(["original", "released", "synthetic", "control"]):
        (tmp_path / f"{name}.csv").write_text(rows_of(seed))
    (tmp_path / "pipeline.yaml").write_text(PIPELINE)
    (tmp_path / "search.yaml").write_text(SEARCH)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ran(command: str) -> tuple[int, dict[str, Any]]:
    """The exit code of a command, and the document that it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = main(COMMANDS[command])
    Path("result.json").write_text(out.getvalue())
    return code, json.loads(out.getvalue())


def entries(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    return list(document["results"])


def decided(document: Mapping[str, Any]) -> Any:
    """A document without its pictures, what is said of them, and how long things took."""
    left = copy.deepcopy(dict(document))
    for own in (left, *entries(left)):
        own["warnings"] = [text for text in own.get("warnings", []) if "A chart" not in text]
        for name in ("pictures", "texts", "timings", "seconds", "started", "finished", "details"):
            own.pop(name, None)
    return left


def boom(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError("quoted from the data: SECRET")


def kinds_of(document: Mapping[str, Any]) -> set[str]:
    return {picture["kind"] for own in entries(document) for picture in own["pictures"]}


def check_said(
    document: Mapping[str, Any], format_name: str, kind: str = "ZeroDivisionError"
) -> str:
    """The report says in one sentence of each language that a picture is missing."""
    for language in ("en", "zh-TW"):
        text = html.unescape(petaudit.report(document, format=format_name, lang=language))
        sentence = translation(SENTENCE, language).replace("{kind}", kind)
        assert sentence in text, (format_name, language)
        assert "SECRET" not in text
    return text


# --- making ---------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_a_picture_that_cannot_be_made(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, document = ran(command)
    assert kinds_of(document) == DRAWN[command]
    for kind in sorted(DRAWN[command]):
        with monkeypatch.context() as patch:
            patch.setattr(KINDS[kind], "__init__", boom)
            other_code, other = ran(command)
        assert other_code == code
        assert decided(other) == decided(document)
        assert kind not in kinds_of(other)
        for format_name in FORMATS:
            check_said(other, format_name)
    with monkeypatch.context() as patch:
        patch.setattr("petaudit.measures._class_question.far_classes", boom)
        other_code, other = ran(command)
    assert (other_code, decided(other)) == (code, decided(document))
    assert kinds_of(document) - kinds_of(other) == DRAWN[command] & {"distributions"}


def test_every_measure_with_pictures_is_tried() -> None:
    """One of each kind is; two measures with the same kind have the same function."""
    tried = {"k-anonymity", "prosecutor-risk", "t-closeness", "distribution-distance", "mpuccs"}
    tried |= {"copied-rows", "membership"}
    makers = {all_measures()[name].pictures for name in tried}
    shares = all_measures()["precision"].pictures
    declared = {
        measure.pictures
        for measure in all_measures().values()
        if type(measure).pictures is not Measure.pictures
    }
    assert declared == makers | {shares}


def test_a_picture_that_no_document_can_hold_is_left_out() -> None:
    """Numbers of an engine, for example, are none of JSON's."""
    odd = replace(EXAMPLES[0], suppressed_rows=np.int64(3))  # type: ignore[call-arg]
    pictures, [said] = pictures_of(lambda *_: (odd,), None, None)
    assert pictures == []
    assert said == SENTENCE.replace("{kind}", "ValueError")


# --- drawing --------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["check", "mpuccs"])
def test_a_picture_that_cannot_be_drawn(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, document = ran(command)
    page = petaudit.report(document)
    for kind in sorted(DRAWN[command]):
        with monkeypatch.context() as patch:
            patch.setattr(KINDS[kind], "draw", boom)
            assert check_said(document, "html").count("<figure") < page.count("<figure")
            assert main(["report", "result.json", "--out", "again.html"]) == 0
            assert main([*COMMANDS[command], "--report", "at-once.html"]) == code
            assert "(ZeroDivisionError)" in Path("at-once.html").read_text()


@pytest.mark.parametrize("name", ["draw_comparison", "gauge_of"])
def test_what_stands_beside_the_figures_cannot_be_drawn(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, document = ran("check")
    monkeypatch.setattr(html_report, name, boom)
    for language in ("en", "zh-TW"):
        page = petaudit.report(document, baseline=document, lang=language)
        assert translation(SENTENCE, language).replace("{kind}", "ZeroDivisionError") in page
        assert page.count("<figure") > 3


# --- reading --------------------------------------------------------------------------------


def nested(levels: int) -> Any:
    made: Any = 1
    for _ in range(levels):
        made = [made]
    return made


ODD: dict[str, Any] = {
    "of no kind": [{}],
    "of another kind": [{"kind": "pie"}],
    "not a mapping": [7],
    "a text": ["class-sizes"],
    "null": [None],
    "a list": [[EXAMPLES[0].to_dict()]],
    "no list": EXAMPLES[0].to_dict(),
    "a number": 3.5,
    "true": True,
    "another text": "pictures",
    "too many": [EXAMPLES[0].to_dict()] * 21,
    "deeply nested": [nested(400)],
    "a kind that is nested": [{"kind": nested(400)}],
    "a kind that is unhashable": [{"kind": {}}],
    "a huge number": [EXAMPLES[0].to_dict() | {"suppressed_rows": 10**400}],
    "bins that end before they begin": [
        EXAMPLES[0].to_dict() | {"bins": [{"lowest": 9, "highest": 5, "classes": 1, "rows": 9}]}
    ],
    **{f"only the kind of {kind}": [{"kind": kind}] for kind in KINDS},
    **{
        f"{entry.kind} with a field of its own": [entry.to_dict() | {"more_of_it": 1}]
        for entry in EXAMPLES
    },
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("command", ["check", "mpuccs", "run"])
def test_an_odd_picture_in_a_document(
    command: str, name: str, shown: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = shown(command)
    monkeypatch.chdir(tmp_path)
    odd = copy.deepcopy(document)
    good = EXAMPLES[3].to_dict()
    given = ODD[name]
    # Those beside it are drawn as ever.
    is_list = isinstance(given, list) and len(given) < 20
    entries(odd)[0]["pictures"] = [good, *given] if is_list else given
    Path("odd.json").write_text(json.dumps(odd))
    for format_name in FORMATS:
        text = check_said(odd, format_name, "ValueError")
        assert main(["report", "odd.json", "--format", format_name, "--out", "odd.out"]) == 0
        if format_name == "html" and is_list:
            title = translation("What each column keeps", "zh-TW")
            assert title in text
    # As an earlier result it is no hindrance, either.
    assert petaudit.report(document, baseline=odd)


Shown = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """The documents of commands, each made once."""
    place = tmp_path_factory.mktemp("documents")
    made: dict[str, dict[str, Any]] = {}

    def document(command: str) -> dict[str, Any]:
        if command not in made:
            with pytest.MonkeyPatch.context() as patch:
                folder.__wrapped__(place, patch)  # type: ignore[attr-defined]
                made[command] = ran(command)[1]
        return made[command]

    return document


@pytest.mark.parametrize("field", ["value", "limit", "status", "verdict", "exit_code"])
def test_a_forged_figure_or_verdict_beside_an_odd_picture_is_still_refused(
    field: str, shown: Shown
) -> None:
    document = copy.deepcopy(shown("check"))
    entry = next(item for item in entries(document) if item["status"] == "failed")
    entry["pictures"] = [{}]
    assert document["verdict"] == "failed"
    forged: dict[str, Any] = {"value": [], "limit": {}, "status": "passed"}
    entry |= {field: forged[field]} if field in forged else {}
    document |= {"verdict": "passed"} if field == "verdict" else {}
    document |= {"exit_code": 0} if field == "exit_code" else {}
    with pytest.raises(petaudit.PetauditError):
        petaudit.report(document)


# --- large classes --------------------------------------------------------------------------


@pytest.mark.parametrize("size", [49_999, 50_000, 1_000_000])
def test_a_large_class_everywhere(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    zips = pa.array(["1"]).take(pa.array([0] * size, pa.int32()))
    pq.write_table(pa.table({"zip": zips}), "large.parquet")
    Path("pipeline.yaml").write_text(
        "Loader:\n  t: {filepath: large.parquet, roles: {quasi_identifier: [zip]}}\n"
        "Evaluator:\n  k: {method: k-anonymity, limit: 5}\n"
    )
    check = ["check", "large.parquet", "--qi", "zip", "--measures", "k-anonymity", "--k", "5"]
    assert main(check) == 0
    assert main([*check, "--format", "json", "--out", "check.json"]) == 0
    assert main(["run", "pipeline.yaml", "--out", "."]) == 0
    assert "internal error" not in capsys.readouterr().err
    for name in ("check.json", "result.json"):
        document = json.loads(Path(name).read_text())
        [entry] = document["results"]
        assert (entry["value"], entry["status"]) == (size, "passed")
        [picture] = entry["pictures"]
        assert picture["bins"][-1]["rows"] == size
        for format_name in FORMATS:
            assert main(["report", name, "--format", format_name, "--out", "report.out"]) == 0
            text = Path("report.out").read_text()
            assert "could not be drawn" not in text
            assert format_name != "html" or f"{size:,} (100 %)" in text
    for ending in ("html", "md"):
        assert main([*check, "--report", f"at-once.{ending}"]) == 0


def test_the_last_bin_of_an_older_document_is_read() -> None:
    """It ended where the largest class did."""
    older = EXAMPLES[0].to_dict()
    older["bins"] = [{"lowest": 10_000, "highest": 43_210, "classes": 1, "rows": 43_210}]
    chart = picture_from(older).draw(Voice(hide_below=0))
    assert chart is not None
    assert "10,000–43,210" in chart.svg


# --- memory ---------------------------------------------------------------------------------


def test_a_report_needs_no_more_memory_than_the_audit(tmp_path: Path) -> None:
    """Address space is bounded on clusters and CI machines; 2 GB is enough for the engine."""
    table, page = tmp_path / "table.csv", tmp_path / "audit.html"
    table.write_text("zip,age\n1,20\n1,20\n2,30\n2,30\n")
    asked = ["check", str(table), "--qi", "zip,age", "--k", "2", "--report", str(page)]
    done = subprocess.run(
        [sys.executable, "-m", "petaudit", *asked],
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)),
    )
    assert done.returncode == 0, done.stderr[-300:]
    assert "<svg" in page.read_text()
