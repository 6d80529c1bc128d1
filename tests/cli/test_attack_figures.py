"""What is shown of attacks: coarse enough that one person more or less is rarely seen in it."""

from __future__ import annotations

import json
import random
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import petaudit
from petaudit.errors import PetauditWarning

Row = tuple[int, str, int, str]
FIGURES = ("value", "attack_rate", "control_rate")


def people(seed: int, many: int) -> list[Row]:
    draw = random.Random(seed)  # noqa: S311
    return [
        (draw.randrange(90), draw.choice("mf"), draw.randrange(40), draw.choice("abcd"))
        for _ in range(many)
    ]


def table(rows: list[Row]) -> pa.Table:
    return pa.table(dict(zip(("age", "sex", "zip", "ill"), zip(*rows, strict=True), strict=True)))


ORIGINAL, CONTROL = people(1, 600), people(2, 600)
SYNTHETIC = [*ORIGINAL[:150], *people(3, 450)]


def audits(rows: list[Row]) -> list[petaudit.Result]:
    tables = (table(rows), table(SYNTHETIC), table(CONTROL))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PetauditWarning)
        return [
            petaudit.copied_rows(*tables),
            petaudit.attribute_inference(*tables, secret="ill", known=["age", "zip"]),  # noqa: S106
            petaudit.replicated_uniques(*tables, keys=["age", "sex", "zip"]),
        ]


def test_one_person_less_is_rarely_seen() -> None:
    """Everybody's absence shows in exact figures; in rounded ones that of few, never exactly."""
    whole = audits(ORIGINAL)
    seen, seen_exactly, compared = 0, 0, 0
    for absent in range(0, 600, 40):
        others = audits([*ORIGINAL[:absent], *ORIGINAL[absent + 1 :]])
        for one, other in zip(whole, others, strict=True):
            compared += 1
            seen_exactly += one.value != other.value
            before, after = one.to_dict(), other.to_dict()
            moved = [name for name in (*FIGURES, "interval") if before[name] != after[name]]
            seen += bool(moved)
            step = before["rounded_to"]
            assert all(abs(before[name] - after[name]) <= step + 1e-9 for name in FIGURES)
    assert seen_exactly == compared
    assert seen <= compared / 10


def test_attributes_are_exact_and_everything_shown_is_rounded() -> None:
    result = audits(ORIGINAL)[0]
    exact = f"{result.value:.6g}"
    assert result.published.value != result.value
    assert result.published.value >= result.value
    low, high = result.published.interval
    assert low <= result.interval[0] <= result.interval[1] <= high
    shown = [
        repr(result),
        result._repr_html_(),
        json.dumps(result.to_dict()),
        json.dumps(result.to_entry()),
        " ".join(result.explanation),
        str(result.table("global")),
        str(result.table("details")),
    ]
    for text in shown:
        numbers = re.findall(r"-?\d\.\d+", text)
        # Errors of rates are worked out from rounded rates, and are of no step themselves.
        assert not any(number.startswith(exact[:6]) for number in numbers), text


def test_exact_figures_are_shown_where_they_are_asked_for() -> None:
    tables = (table(ORIGINAL), table(SYNTHETIC), table(CONTROL))
    result = petaudit.copied_rows(*tables, exact_figures=True)
    assert result.to_dict()["value"] == result.value == result.published.value
    assert result.to_dict()["rounded_to"] is None
    assert not any("rounded" in line for line in result.explanation)
    assert f"{result.value:.4f}" in " ".join(result.explanation)


def test_of_few_people_no_excess_is_told() -> None:
    """The rarest 5 % are 30 people: a step is half of them, and no excess is a half or nothing."""
    result = audits(ORIGINAL)[0]
    _, exact = result.exposed
    few, some = result.published.exposed
    assert exact.people == 30
    assert exact.excess < 0.5
    assert (few.attack_rate, few.excess) == (None, None)
    assert (some.rounded_to, some.excess, some.lower, some.upper) == (0.5, None, None, None)
    [told] = [line for line in result.explanation if line.startswith("the rarest 5 %")]
    assert told == ("the rarest 5 %: 50% exposed, <25% in the control: too few people to compare")


@pytest.mark.parametrize("limit", [0.05, 0.2, 0.249, 0.5])
def test_every_format_agrees_with_the_verdict(
    limit: float, run: Callable[..., Any], write: Callable[[str, str], Path], tmp_path: Path
) -> None:
    for name, rows in (("o", ORIGINAL), ("s", SYNTHETIC), ("c", CONTROL)):
        lines = [",".join(map(str, row)) for row in rows]
        write(f"{name}.csv", "\n".join(["age,sex,zip,ill", *lines]) + "\n")
    given = ("attack", "o.csv", "s.csv", "--control", "c.csv", "--measures", "copied-rows")
    command = (*given, "--limit", str(limit))
    found = {shown: run(*command, *more) for shown, more in VERSIONS.items()}
    assert len({each.code for each in found.values()}) == 1
    documents = [json.loads(found[name].out)["results"][0] for name in ("json", "exact json")]
    rounded, exact = documents
    assert rounded["status"] == exact["status"]
    for name, value in (("value", rounded["value"]), ("upper", rounded["details"]["interval"][1])):
        true = exact["value"] if name == "value" else exact["details"]["interval"][1]
        assert (value > limit) == (true > limit)
        assert value >= min(true, limit)
    low, true_low = rounded["details"]["interval"][0], exact["details"]["interval"][0]
    assert (low > limit) == (true_low > limit)
    for name, each in found.items():
        assert not re.search(r"(?<![\w.])-0(\.0+)?(?![\d.])", each.out), name


VERSIONS = {
    "text": (),
    "details": ("--details",),
    "json": ("--format", "json"),
    "exact": ("--exact-figures",),
    "exact json": ("--exact-figures", "--format", "json"),
    "html": ("--format", "html"),
    "markdown": ("--format", "markdown"),
    "junit": ("--format", "junit"),
    "sarif": ("--format", "sarif"),
}
