"""The releases that every engine must measure alike, as columns of Python values.

Each has its original, the population that its people are among, and hierarchies. Rows are joined
by a key, because not every engine has an order of rows.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, time
from typing import Any

import numpy as np

NAN = float("nan")
STAR = "*"
Columns = dict[str, list[Any]]
ODD = 'post."code` 郵遞[0]'
"""Dots, quotes, backticks, blanks, brackets and letters that are not Latin."""


DISEASES = (
    *("胃癌", " 胃癌 ", "胃\u200b癌", "🧬", None, "\u2060"),
    *("flu", "FLU", "\ufb02u", "\uff46lu", "5", "5.0", "05", "\uff15"),
)
"""Values in several spellings, and nothing in several, too."""


@dataclass(frozen=True)
class Released:
    """What is measured."""

    table: Columns
    original: Columns
    population: Columns
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    hierarchies: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict)
    suppressed: str = "exclude"
    reveal_values: bool = False

    @property
    def given(self) -> dict[str, Any]:
        """The arguments beside the tables."""
        return {
            "quasi_identifiers": self.quasi_identifiers,
            "sensitive": self.sensitive,
            "hierarchies": self.hierarchies or None,
            "suppressed": self.suppressed,
            "reveal_values": self.reveal_values,
            "key": "key",
        }


def _generalized(ages: list[Any], levels: list[int]) -> list[Any]:
    paths = {str(age): _path(age) for age in range(100)}
    return [
        None if age is None else [str(age), *paths[str(age)]][level]
        for age, level in zip(ages, levels, strict=True)
    ]


def _path(age: int) -> list[str]:
    return [f"[{age // 10 * 10},{age // 10 * 10 + 10}[", STAR]


def _texts(suppressed: str, *, reveal_values: bool) -> Released:
    """Text as people type it: blanks around it, nulls, many alphabets, one label very common."""
    drawn = random.Random(7)  # noqa: S311 (not for secrets)
    size = 60
    keys = [f"k{row}" for row in range(size)]
    # Two rows of three are of one class: a skewed key.
    cities = [
        "臺北" if row % 3 else drawn.choice(["高雄市", "e\u0301", "\u00e9", None, "a.b", "臺 北"])
        for row in range(size)
    ]
    ages = [25 if row % 3 else drawn.choice([31, 32, 38, 55, 77]) for row in range(size)]
    levels = [1 if row % 3 else drawn.choice([0, 1, 1, 2]) for row in range(size)]
    gone = {row for row in range(size) if row % 11 == 5}
    released_cities = [
        STAR if row in gone else city if row % 4 or city is None else f" {city}\u3000"
        for row, city in enumerate(cities)
    ]
    released_ages = [
        STAR if row in gone else label for row, label in enumerate(_generalized(ages, levels))
    ]
    private: Columns = {
        "pay": [drawn.choice([1.5, 2.0, 2.0, 40.0, None, NAN, -0.0, 0.0]) for _ in range(size)],
        "disease": [drawn.choice(DISEASES) for _ in range(size)],
    }
    city_paths = {city or "": [STAR] for city in dict.fromkeys(cities)}
    return Released(
        table={"key": keys, ODD: released_cities, "age": released_ages, **private},
        original={"key": keys, ODD: cities, "age": [str(age) for age in ages], **private},
        population={
            ODD: [*cities, *cities[::2], "臺中"],
            "age": [*map(str, ages), *map(str, ages[::2]), "99"],
        },
        quasi_identifiers=(ODD, "age"),
        sensitive=("pay", "disease"),
        hierarchies={
            ODD: city_paths | {"臺中": [STAR]},
            "age": {str(age): _path(age) for age in range(100)},
        },
        suppressed=suppressed,
        reveal_values=reveal_values,
    )


def _typed() -> Released:
    """Columns of every kind that can be counted, with gaps, and released as they were."""
    drawn = random.Random(3)  # noqa: S311 (not for secrets)
    size = 40
    table: Columns = {
        "key": list(range(size)),
        "born": [date(1970 + drawn.randrange(3), 1, 1) for _ in range(size)],
        "Zip": [drawn.choice([100, 100, 100, 2**53 + 1, None]) for _ in range(size)],
        "weight": [drawn.choice([60.5, 70.25, NAN, None, 0.1 + 0.2, -0.0]) for _ in range(size)],
        "smokes": [drawn.choice([True, False, None]) for _ in range(size)],
        "salary": [drawn.choice([1, 2, 3, 50, None]) for _ in range(size)],
    }
    hours = [drawn.choice([time(8), time(8), time(23, 59, 59, 500_000), None]) for _ in range(size)]
    # The last column can be in the names of folders.
    table = {"at": hours} | table
    names = ("born", "Zip", "weight", "smokes", "at")
    return Released(
        table=table,
        original=table,
        population={name: table[name] * 2 for name in names},
        quasi_identifiers=names,
        sensitive=("salary",),
    )


def _few() -> Released:
    """Fewer rows than an engine has partitions; doses have 32 bits in the release, 64 before."""
    cells: Columns = {"key": ["1", "2", "3"], "a": ["x", "x", None], "v": ["p", "q", None]}
    doses = [0.1, 0.1, 343126.12]
    return Released(
        table=cells | {name: [*map(np.float32, doses)] for name in ("dose", "pain")},
        original=cells | {"dose": doses, "pain": doses},
        population={"a": ["x", "x", "x", None, "y"], "dose": [0.1, 0.1, 0.1, doses[2], 0.3]},
        quasi_identifiers=("a", "dose"),
        sensitive=("v", "pain"),
        hierarchies={
            "a": {"x": [STAR], "y": [STAR], "": [STAR]},
            "dose": {str(dose): [STAR] for dose in (*doses, 0.3)},
        },
    )


def _suppressed() -> Released:
    """Nothing but suppressed rows, as a class of their own."""
    few = _few()
    return Released(
        table=few.table | {"a": [STAR, " *", STAR]},
        original=few.original,
        population=few.population,
        quasi_identifiers=("a",),
        sensitive=("v",),
        hierarchies=few.hierarchies,
        suppressed="class",
    )


TABLES = {
    "texts": _texts("exclude", reveal_values=False),
    "texts, revealed, suppressed rows a class": _texts("class", reveal_values=True),
    "typed": _typed(),
    "few rows": _few(),
    "all suppressed": _suppressed(),
}
