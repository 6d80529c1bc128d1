"""The same tables measured by pyCANON: agreement, and every known difference as a difference.

pyCANON runs once, in the benchmark's environment; without that the tests are skipped. It reads
nulls, suppressed rows and row labels in ways of its own, so the random tables have none of these:
no null, no `*`, and rows labelled 0, 1, 2, ...
"""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import petaudit
from petaudit.inputs import gather
from petaudit.measures import find_measure

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = ROOT / ".venv-pycanon"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
VERSION = "1.3.6"
TOLERANCE = 1e-9

# Reads tables from stdin and writes what every function of pyCANON returns, or the error's name.
WORKER = """
import contextlib, io, json, sys
import numpy as np, pandas as pd
from importlib.metadata import version
from pycanon import anonymity, metrics

CALLS = {
    "k": lambda f, q, s: anonymity.k_anonymity(f, q),
    "alpha": lambda f, q, s: anonymity.alpha_k_anonymity(f, q, s)[0],
    "l": anonymity.l_diversity,
    "entropy": anonymity.entropy_l_diversity,
    "recursive": lambda f, q, s: list(anonymity.recursive_c_l_diversity(f, q, s)),
    "beta": anonymity.basic_beta_likeness,
    "enhanced": anonymity.enhanced_beta_likeness,
    "delta": anonymity.delta_disclosure,
    "t": anonymity.t_closeness,
    "l of columns": lambda f, q, s: anonymity.l_diversity(f, q, s, gen=False),
    "sizes": lambda f, q, s: list(metrics.sizes_ec(f, q).values()),
    "highest risk": lambda f, q, s: metrics.max_rir(f, q),
    "average risk": lambda f, q, s: metrics.average_rir(f, q),
    "entropy of all": lambda f, q, s: metrics.sa_entropy(f, s[0]),
    "penalty": lambda f, q, s: metrics.discernability_metric(f, f, q),
    "not the majority": lambda f, q, s: metrics.classification_metric(f, f, q, s[:1]),
}

def measured(job):
    frame = pd.DataFrame(job["columns"], index=job.get("index"))
    found = {}
    for name, call in CALLS.items():
        try:
            value = call(frame, job["qi"], job["sa"])
            found[name] = np.asarray(value, dtype=float).tolist()
        except Exception as problem:
            found[name] = type(problem).__name__
    return found

jobs = json.load(sys.stdin)
with contextlib.redirect_stdout(io.StringIO()):
    answers = [measured(job) for job in jobs]
json.dump({"version": version("pycanon"), "answers": answers}, sys.stdout)
"""

Job = dict[str, Any]


def job(q: str, s: list[Any] | str, **more: Any) -> Job:
    return {"columns": {"q": list(q), "s": list(s)}, "qi": ["q"], "sa": ["s"], **more}


def random_job(seed: int) -> Job:
    source = random.Random(seed)  # noqa: S311 (no secret)
    rows = source.choice([2, 5, 10, 30, 100, 200])
    names = ["q", "r"][: source.randint(1, 2)]
    columns: dict[str, list[Any]] = {
        name: [source.choice("abcd"[: source.randint(1, 4)]) for _ in range(rows)] for name in names
    }
    values = source.randint(2, 6)
    words = source.choices([f"value {i}" for i in range(values)], range(1, values + 1), k=rows)
    # Two numbers at least: for one alone pyCANON divides by zero.
    numbers = [source.choice([1, 2, 3, 5, 8, 100][:values]) for _ in range(rows - 2)] + [1, 2]
    columns |= {"text": words, "number": numbers}
    return {"columns": columns, "qi": names, "sa": source.choice([["text"], ["number", "text"]])}


DIFFERENCES: Mapping[str, Job] = {
    "two equal values": job("aa", "xy"),
    "three equal values": job("aaa", "xyz"),
    "nearly two values": job("aaaaaaa", "xxxxyyy"),
    "two of three": job("aaa", "xxy"),
    "five of six": job("aaaaaa", "xxxxxy"),
    "two classes of one": job("ab", "xy"),
    "a common value": job("aabb", "xyxx"),
    "no violation": job("aabbb", "xyyyz"),
    "one number": job("a", [1]),
    "a null in a quasi-identifier": job(["a", "a", None], "xyx"),  # type: ignore[arg-type]
    "rows in another order": job("abab", "xyxy", index=[0, 2, 1, 3]),
    "suppressed rows": job("aa**", "xyxx"),
    "numbers as text": job("aabb", ["1", "2", "1", "3"]),
    "two sensitive columns": {
        "columns": {"q": list("aaaa"), "s": list("wxyz"), "r": list("pqrs")},
        "qi": ["q"],
        "sa": ["s", "r"],
    },
    "three and one": job("aaab", "xyxx"),
    "two spellings": job("aa", ["flu", "Flu"]),
}
RANDOM = [random_job(seed) for seed in range(60)]


@pytest.fixture(scope="module")
def answers() -> list[dict[str, Any]]:
    """What pyCANON says: first of the random tables, then of the differences."""
    if not PYTHON.exists():
        pytest.skip("the environment with pyCANON (.venv-pycanon) is not here: run the benchmark")
    jobs = [*RANDOM, *DIFFERENCES.values()]
    done = subprocess.run(
        [str(PYTHON), "-W", "ignore", "-c", WORKER],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    if result["version"] != VERSION:
        pytest.skip(f"pyCANON {result['version']} is there, and {VERSION} was looked into")
    return list(result["answers"])


@pytest.fixture(scope="module")
def said(answers: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return dict(zip(DIFFERENCES, answers[len(RANDOM) :], strict=True))


def ours(asked: Job, measure: str, **options: Any) -> Any:
    suppressed = options.pop("suppressed", "class")
    inputs = gather(
        pa.table(asked["columns"]),
        quasi_identifiers=asked["qi"],
        sensitive=asked["sa"],
        suppressed=suppressed,
    )
    return find_measure(measure).run(inputs, options)


# --- agreement ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("theirs", "measure"),
    [
        ("k", "k-anonymity"),
        ("alpha", "alpha-k-anonymity"),
        ("l", "l-diversity"),
        ("beta", "beta-likeness"),
        ("delta", "delta-disclosure"),
        ("t", "t-closeness"),
    ],
)
def test_figures_agree(answers: list[dict[str, Any]], theirs: str, measure: str) -> None:
    result = [ours(asked, measure).value for asked in RANDOM]
    expected = [answer[theirs] for answer in answers[: len(RANDOM)]]
    assert result == pytest.approx(expected, abs=TOLERANCE)
    assert len(set(result)) >= 3


def test_entropy_l_agrees_up_to_the_rounding_down(answers: list[dict[str, Any]]) -> None:
    """Where it is a whole number, pyCANON may be one too low."""
    for asked, answer in zip(RANDOM, answers, strict=False):
        value = ours(asked, "entropy-l-diversity").value
        assert answer["entropy"] in {math.floor(value), math.floor(value - TOLERANCE)}


def test_enhanced_beta_agrees_where_some_beta_holds(answers: list[dict[str, Any]]) -> None:
    agreed = 0
    for asked, answer in zip(RANDOM, answers, strict=False):
        value = ours(asked, "enhanced-beta-likeness").value
        if value < math.inf:
            agreed += 1
            assert value == pytest.approx(answer["enhanced"], abs=TOLERANCE)
    assert agreed >= 3


def test_l_of_recursive_diversity_agrees(answers: list[dict[str, Any]]) -> None:
    for asked, answer in zip(RANDOM, answers, strict=False):
        result = ours(asked, "recursive-l-diversity")
        # With l = 1 every table would look well, so ours is at least 2.
        assert result.l == max(answer["recursive"][1], 2)


# --- differences ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "theirs", "right"),
    [
        # e^(ln 2) is 1.99... in floats, and pyCANON cuts off what is behind the point.
        ("two equal values", 1, 2.0),
        ("three equal values", 2, 3.0),
        # A real l of 1.98 is 1 there.
        ("nearly two values", 1, 7 / (4**4 * 3**3) ** (1 / 7)),
    ],
)
def test_entropy_l_is_cut_off(said: dict[str, Any], name: str, theirs: int, right: float) -> None:
    assert said[name]["entropy"] == theirs
    assert ours(DIFFERENCES[name], "entropy-l-diversity").value == pytest.approx(right, rel=1e-15)


@pytest.mark.parametrize(
    ("name", "theirs", "right"), [("two of three", 1, 2), ("five of six", 1, 5)]
)
def test_c_is_that_of_the_rarest_value(
    said: dict[str, Any], name: str, theirs: int, right: int
) -> None:
    """Sorted the wrong way round: c = 1 would mean 2 < 1 * 1, and 5 < 1 * 1."""
    assert said[name]["recursive"] == [theirs, 2]
    asked = DIFFERENCES[name]
    assert ours(asked, "recursive-l-diversity", l=2).value == right
    assert ours(asked, "recursive-l-diversity", l=2, limit=theirs).passed is False
    assert ours(asked, "recursive-l-diversity", l=2, limit=right + 1).passed is True


def test_c_agrees_where_all_values_are_equally_common(said: dict[str, Any]) -> None:
    """The least whole number above 1 is 2."""
    assert said["two equal values"]["recursive"] == [2, 2]
    assert ours(DIFFERENCES["two equal values"], "recursive-l-diversity").value == 1


@pytest.mark.parametrize(
    ("name", "theirs"), [("two classes of one", math.log(2)), ("a common value", 1.0)]
)
def test_enhanced_beta_is_finite_where_no_beta_holds(
    said: dict[str, Any], name: str, theirs: float
) -> None:
    """Gain 1 > ln 2 = 0.693; and gain 1/3 of x in class b > -ln 0.75 = 0.288."""
    assert said[name]["enhanced"] == pytest.approx(theirs, abs=TOLERANCE)
    assert ours(DIFFERENCES[name], "enhanced-beta-likeness").value == math.inf


def test_enhanced_beta_agrees_without_a_violation(said: dict[str, Any]) -> None:
    assert said["no violation"]["enhanced"] == pytest.approx(1.5, abs=TOLERANCE)
    assert ours(DIFFERENCES["no violation"], "enhanced-beta-likeness").value == 1.5


def test_delta_leaves_out_absent_values_unless_asked(said: dict[str, Any]) -> None:
    asked = DIFFERENCES["two classes of one"]
    assert said["two classes of one"]["delta"] == pytest.approx(math.log(2), abs=TOLERANCE)
    assert ours(asked, "delta-disclosure").value == math.log(2)
    assert ours(asked, "delta-disclosure", absent="infinite").value == math.inf


def test_one_number_is_no_error(said: dict[str, Any]) -> None:
    assert said["one number"]["t"] == "ZeroDivisionError"
    assert ours(DIFFERENCES["one number"], "t-closeness").value == 0


def test_nulls_are_not_dropped(said: dict[str, Any]) -> None:
    name = "a null in a quasi-identifier"
    assert said[name]["k"] == 2
    assert ours(DIFFERENCES[name], "k-anonymity").value == 1


def test_the_labels_of_rows_are_no_positions(said: dict[str, Any]) -> None:
    """After a sort or a filter the labels are not 0, 1, 2, ..., and pyCANON mixes up the rows."""
    theirs = said["rows in another order"]
    asked = DIFFERENCES["rows in another order"]
    right = {"alpha": 1.0, "l": 1, "beta": 1, "t": 0.5}
    assert {name: theirs[name] for name in right} == {"alpha": 0.5, "l": 2, "beta": 0, "t": 0}
    measures = ["alpha-k-anonymity", "l-diversity", "beta-likeness", "t-closeness"]
    assert [ours(asked, measure).value for measure in measures] == list(right.values())


def test_suppressed_rows_are_a_class_there(said: dict[str, Any]) -> None:
    """Class a has x and y; both suppressed rows have x, and can be anybody's."""
    asked = DIFFERENCES["suppressed rows"]
    assert said["suppressed rows"]["l"] == 1
    assert ours(asked, "l-diversity", suppressed="exclude").value == 2
    assert ours(asked, "l-diversity", suppressed="class").value == 1


def test_numbers_as_text_have_an_order_with_us(said: dict[str, Any]) -> None:
    """pyCANON goes by the type of the column: text has no order, so 1/4 instead of 1/8."""
    asked = DIFFERENCES["numbers as text"]
    assert said["numbers as text"]["t"] == 0.25
    assert ours(asked, "t-closeness").value == 0.125
    assert ours(asked, "t-closeness", distance="equal").value == 0.25


def test_other_sensitive_columns_are_no_quasi_identifiers(said: dict[str, Any]) -> None:
    assert said["two sensitive columns"]["l of columns"] == 1
    assert ours(DIFFERENCES["two sensitive columns"], "l-diversity").value == 4


def test_the_average_risk_is_one_of_rows(said: dict[str, Any]) -> None:
    """(1/3 + 1) / 2 over classes, 2 / 4 over rows."""
    assert said["three and one"]["average risk"] == pytest.approx(2 / 3, abs=TOLERANCE)
    assert ours(DIFFERENCES["three and one"], "prosecutor-risk", figure="average").value == 0.5


@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
def test_two_spellings_are_one_value(said: dict[str, Any]) -> None:
    assert said["two spellings"]["l"] == 2
    assert ours(DIFFERENCES["two spellings"], "l-diversity").value == 1


# --- the module metrics ---------------------------------------------------------------------


def test_sizes_risk_entropy_and_penalty_agree(answers: list[dict[str, Any]]) -> None:
    """What the page for those who come from pyCANON names for ``pycanon.metrics``."""
    for asked, answer in zip(RANDOM, answers, strict=False):
        classes = ours(asked, "k-anonymity")
        assert [classes.classes, classes.value] == answer["sizes"][:2]
        assert classes.rows / classes.classes == pytest.approx(answer["sizes"][3], abs=TOLERANCE)
        risk = ours(asked, "prosecutor-risk")
        assert risk.value == pytest.approx(answer["highest risk"], abs=TOLERANCE)
        assert 1 / risk.lowest == pytest.approx(answer["sizes"][2], abs=TOLERANCE)
        table = pa.table(asked["columns"])
        penalty = petaudit.discernibility(table, table, quasi_identifiers=asked["qi"]).penalty
        assert penalty == answer["penalty"]
        everybody = table.append_column("everybody", pa.array(["x"] * table.num_rows))
        whole = petaudit.entropy_l_diversity(
            everybody, quasi_identifiers="everybody", sensitive=asked["sa"][0]
        )
        assert math.log(whole.value) == pytest.approx(answer["entropy of all"], abs=TOLERANCE)


def test_a_tie_costs_nothing_in_the_classification_metric(said: dict[str, Any]) -> None:
    """By Iyengar (2002) all rows but those of one majority value count: 1 of 2."""
    assert said["two equal values"]["not the majority"] == 0
    assert said["two of three"]["not the majority"] == pytest.approx(1 / 3, abs=TOLERANCE)
