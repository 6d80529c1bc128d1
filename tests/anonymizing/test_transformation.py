"""A transformation gives every row the labels that the search gave it, and trusts no document."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from budget import examples
from petaudit.anonymizing.columns import Column
from petaudit.anonymizing.transformation import Recoded, Step, Transformation, steps_of
from petaudit.errors import InputError
from petaudit.labels.hierarchy import Hierarchy


class Recoding:
    """A random local recoding: a tree of splits whose leftovers stay behind together."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.columns, self.values = [], []
        for place in range(int(self.random.integers(2, 5))):
            values = [f"v{number}" for number in range(int(self.random.integers(2, 9)))]
            rows = [[value, f"a{n // 2}", f"b{n // 4}", "*"] for n, value in enumerate(values)]
            if self.random.random() < 0.2:
                rows = [[value, "*"] for value in values]
            self.columns.append(Recoded.of(Column.of(Hierarchy(f"c{place}", rows), values)))
            self.values.append(values)
        rows = int(self.random.integers(1, 80))
        drawn = [self.random.integers(0, len(values), rows) for values in self.values]
        self.codes = [*np.unique(np.stack(drawn), axis=1)]
        number = len(self.codes[0])
        self.levels = np.full((number, len(self.columns)), -1, dtype=np.int8)
        top = np.array([column.levels - 1 for column in self.columns], dtype=np.int8)
        self.split(np.arange(number), top)

    def split(self, places: Any, levels: Any) -> None:
        finer = [column for column in range(len(levels)) if levels[column] > 0]
        chance = self.random.random()
        if not len(places) or chance < 0.1:
            return
        if not finer or chance < 0.25:
            self.levels[places] = levels
            return
        column = finer[self.random.integers(len(finer))]
        below = levels.copy()
        below[column] -= 1
        left: list[int] = []
        by_label: dict[str, list[int]] = {}
        for place in places.tolist():
            label = self.label(place, column, below[column])
            by_label.setdefault(label, []).append(place)
        for members in by_label.values():
            if self.random.random() < 0.6:
                self.split(np.array(members), below)
            else:
                left += members
        if left and self.random.random() < 0.5:
            self.split(np.array(left), levels)
        elif left:
            self.levels[left] = levels

    def label(self, place: int, column: int, level: int) -> Any:
        value = self.values[column][self.codes[column][place]]
        return self.columns[column].paths[value][level]

    def released(self, levels: Any) -> list[list[Any]]:
        return [
            [
                "*" if own[0] < 0 else self.label(place, column, level)
                for column, level in enumerate(own)
            ]
            for place, own in enumerate(levels.tolist())
        ]

    @property
    def transformation(self) -> Transformation:
        steps = steps_of(self.columns, self.values, self.codes, self.levels)
        return Transformation(
            tuple(self.columns), steps, "local", {"k-anonymity": {"limit": 2}}, "loss", 1, 0
        )


@pytest.mark.parametrize("seed", range(examples(300)))
def test_every_combination_gets_its_labels(seed: int, tmp_path: Path) -> None:
    recoding = Recoding(seed)
    path = tmp_path / "x.transformation.json"
    recoding.transformation.write(path)
    levels = Transformation.read(path).levels_of(recoding.values, recoding.codes)
    assert recoding.released(levels) == recoding.released(recoding.levels)


def small() -> Transformation:
    """Two ages are one class, the third stands alone; men of that age are unknown."""
    age = Hierarchy("age", [["23", "20s"], ["24", "20s"], ["61", "60s"]])
    sex = Hierarchy("sex", [["f", "*"], ["m", "*"]])
    columns = tuple(
        Recoded.of(Column.of(own, values))
        for own, values in ((age, ["23", "24", "61"]), (sex, ["f", "m"]))
    )
    steps = (Step((0, 0), (("61", "f"),)), Step((1, 1), (("20s", "*"),)))
    return Transformation(columns, steps, "local", {"k-anonymity": {"limit": 2}}, "loss", 4, 0)


def test_unseen_values_and_combinations_are_suppressed() -> None:
    values = [["23", "61", "99", None], ["f", "m"]]
    codes = [np.array([0, 0, 1, 1, 2, 3]), np.array([0, 1, 0, 1, 0, 0])]
    levels = small().levels_of(values, codes)
    assert levels.tolist() == [[1, 1], [1, 1], [0, 0], [-1, -1], [-1, -1], [-1, -1]]


def test_only_the_user_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "x.transformation.json"
    small().write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Transformation.read(path) == small()


def damaged(change: Any) -> str:
    plain = small().to_dict()
    change(plain)
    return json.dumps(plain)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not valid JSON"),
        ("[]", "is not a transformation of petaudit"),
        ('{"document": "petaudit.result/2"}', "is not a transformation of petaudit"),
        (damaged(lambda plain: plain.pop("steps")), "is damaged"),
        (damaged(lambda plain: plain.update(more=1)), "is damaged"),
        (damaged(lambda plain: plain.update(rows="many")), "is damaged"),
        (damaged(lambda plain: plain["steps"][0]["levels"].append(1)), "is damaged"),
        (damaged(lambda plain: plain["steps"][0].update(levels=[7, 0])), "is damaged"),
        (damaged(lambda plain: plain["steps"][0].update(classes=[["x", "f"]])), "is damaged"),
        (damaged(lambda plain: plain["steps"][0].update(classes=[["61"]])), "is damaged"),
        (damaged(lambda plain: plain["columns"][0]["paths"].update({"9": ["8", "*"]})), "damaged"),
        (damaged(lambda plain: plain["columns"].append(plain["columns"][0])), "is damaged"),
        (damaged(lambda plain: plain["columns"][1]["paths"]["f"].append("*")), "is damaged"),
        (damaged(lambda plain: plain.update(left_out=["age"])), "is damaged"),
        (damaged(lambda plain: plain.update(limits={})), "is damaged"),
    ],
)
def test_a_document_that_does_not_fit_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.transformation.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as problem:
        Transformation.read(path)
    assert str(path) in str(problem.value)
    assert "61" not in str(problem.value).replace(str(path), "")


def test_a_missing_document_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        Transformation.read(tmp_path / "none.json")
