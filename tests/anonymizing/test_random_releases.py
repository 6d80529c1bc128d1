"""Random tables, limits and settings: a release holds, can be done again, and tells no more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import petaudit
from budget import examples
from petaudit.anonymizing.infeasible import InfeasibleError
from petaudit.anonymizing.making import Anonymized
from petaudit.errors import NotMeasurableError

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

AGES = {str(age): [f"{age // 5 * 5}-", f"{age // 20 * 20}-", "*"] for age in range(20, 60)}
CITIES = {"": ["", "*"], "Rome": ["South", "*"], "Bari": ["South", "*"], "Oslo": ["North", "*"]}


def drawn(seed: int) -> tuple[pa.Table, dict[str, Any]]:
    """A table with nulls, people in several rows and suppressed cells; and what is asked."""
    random = np.random.default_rng(seed)
    rows = int(random.integers(6, 90))
    ages = random.integers(20, 60, rows).astype(str).tolist()
    if random.random() < 0.3:
        ages[int(random.integers(rows))] = "*"
    table = pa.table(
        {
            "who": random.integers(0, max(rows // 2, 2), rows),
            "age": ages,
            "city": pa.array(random.choice(["Rome", "Bari", "Oslo", None], rows).tolist()),
            "sex": random.choice(["f", "m"], rows).tolist(),
            "illness": random.choice(["flu", "cold", "ache"], rows).tolist(),
        }
    )
    limits: dict[str, Any] = {"k-anonymity": int(random.integers(2, 6))}
    if random.random() < 0.4:
        limits["l-diversity"] = 2
    if random.random() < 0.4:
        limits["t-closeness"] = 0.4
    asked = {
        "limits": limits,
        "hierarchies": {"age": AGES, "city": CITIES} if random.random() < 0.8 else None,
        "recoding": str(random.choice(["local", "global"])),
        "objective": str(random.choice(["loss", "entropy", "discernibility", "precision"])),
        "max_suppression": str(random.choice(["0", "10%", "60%"])),
        "drop_suppressed": bool(random.random() < 0.3),
        "person": "who" if random.random() < 0.3 else None,
    }
    return table, asked


def made_of(table: pa.Table, asked: dict[str, Any]) -> Anonymized | None:
    try:
        return petaudit.anonymize(
            table, quasi_identifiers=["age", "city", "sex"], sensitive="illness", **asked
        )
    except InfeasibleError:
        return None


@pytest.mark.parametrize("seed", range(examples(120)))
def test_what_is_released_holds_and_can_be_done_again(seed: int) -> None:
    table, asked = drawn(seed)
    made = made_of(table, asked)
    if made is None:
        return
    released, names = made.released, list(made.transformation.names)
    assert made.audit.exit_code == 0
    for measure, limit in asked["limits"].items():
        again = petaudit.audit(
            made.with_people,
            quasi_identifiers=names,
            sensitive="illness",
            person=asked["person"],
            person_is_pseudonym=asked["person"] and True,
            limits={measure: limit},
            measures=measure,
        )
        assert again[measure].passed
    try:
        assert petaudit.apply(made.transformation, table).released.equals(released)
    except NotMeasurableError:
        assert not released.num_rows
    rows = table.filter(pa.array(made.kept)).select(names).to_pylist()
    labels = released.select(names).to_pylist()
    seen: dict[tuple[Any, ...], Any] = {}
    paths = {column.name: column.paths for column in made.transformation.columns}
    for row, label in zip(rows, labels, strict=True):
        assert seen.setdefault(tuple(row.values()), label) == label
        assert all(
            label[name] == "*" or label[name] in paths[name][row[name] or ""] for name in names
        )
    allowed = len(table) * float(asked["max_suppression"].rstrip("%")) / 100
    assert len(table) - len(rows) <= allowed
