"""How time grows with rows and with columns, beside the growth of the bare queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any, Final

from checks import table
from comparison import plain
from complete_audit import AUDIT, SCRIPT, audit_job
from generated import BARE, WARM_UP_ROWS, check_agreement
from growth_fit import exponents
from measuring import Measurement, interleaved, read_through
from mpuccs import SCRIPT as SEARCH_SCRIPT
from mpuccs import check_agreement as check_search
from mpuccs import file_names
from pairs import generated_pair
from shapes import QUASI_IDENTIFIERS, SENSITIVE, WIDE_NAMES, Shape, shape, table_file, wide

COUNTERS: Final = (BARE, "class histogram", "t-closeness")
SEARCH: Final = "mpUCCs, search"
CALL: Final = "mpUCCs, whole call"
QUERIES: Final = "bare DuckDB, a query each"
UP_TO: Final = 2
_SEARCHED_COLUMNS: Final = 8


@dataclass(frozen=True)
class Sizes:
    """The points of each series."""

    rows: Sequence[int]
    columns: Sequence[int]
    rows_of_columns: int
    search_rows: Sequence[int]
    search_columns: Sequence[int]
    rows_of_search_columns: int


COLUMNS: Final = (5, 10, 20, 40)
SHORT: Final = Sizes(
    (10_000, 100_000, 1_000_000), COLUMNS, 200_000, (10_000, 100_000), COLUMNS, 10_000
)
FULL: Final = Sizes(
    (10_000, 100_000, 1_000_000, 10_000_000),
    COLUMNS,
    1_000_000,
    (10_000, 100_000, 1_000_000, 10_000_000),
    COLUMNS,
    100_000,
)


@dataclass(frozen=True)
class Growth:
    """Runs by contender and size; `base` is the bare query whose growth stands beside."""

    key: str
    """What grows: it names the words on the page of the documentation."""
    base: str
    runs: Mapping[str, Mapping[int, Sequence[Measurement]]]
    facts: Mapping[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        """Medians of the seconds by size, and the exponents."""
        sizes = sorted({size for own in self.runs.values() for size in own})
        rows = []
        for name, own in self.runs.items():
            cells = [
                f"{median(run.seconds for run in own[size]):.4g}" if size in own else ""
                for size in sizes
            ]
            fits = exponents({size: [run.seconds for run in runs] for size, runs in own.items()})
            cpu = exponents({size: [run.cpu_seconds for run in runs] for size, runs in own.items()})
            rows.append([name, *cells, *map(str, fits), str(cpu[0])])
        header = ["", *(f"{size:,}" for size in sizes), "exponent", "of the last two", "of CPU"]
        return table(header, rows)

    def to_dict(self) -> dict[str, Any]:
        """Every single measurement as plain data; sizes are text, as JSON has them."""
        return {
            "key": self.key,
            "base": self.base,
            "facts": dict(self.facts),
            "contenders": {
                name: {str(size): plain(runs) for size, runs in own.items()}
                for name, own in self.runs.items()
            },
        }


def measure_growth(sizes: Sizes, repetitions: int, folder: Path) -> Iterable[Growth]:
    """One series after the other."""
    yield by_rows(sizes.rows, repetitions, folder)
    yield by_columns(sizes.columns, sizes.rows_of_columns, repetitions, folder)
    yield search_by_rows(sizes.search_rows, repetitions, folder)
    yield search_by_columns(sizes.search_columns, sizes.rows_of_search_columns, repetitions, folder)


def by_rows(sizes: Sequence[int], repetitions: int, folder: Path) -> Growth:
    """The table `text` with more and more rows: counting, and the complete audit."""
    points = {size: (size, QUASI_IDENTIFIERS) for size in sizes}
    runs = _counted(shape("text"), points, (*COUNTERS, AUDIT), repetitions, folder)
    return Growth("rows", BARE, runs, {"quasi_identifiers": len(QUASI_IDENTIFIERS)})


def by_columns(sizes: Sequence[int], rows: int, repetitions: int, folder: Path) -> Growth:
    """The first so many quasi-identifiers of one table, which has about as many classes each time.

    Without the complete audit: some of its measures look at combinations of columns.
    """
    points = {size: (rows, WIDE_NAMES[:size]) for size in sizes}
    runs = _counted(wide(), points, COUNTERS, repetitions, folder)
    return Growth("columns", BARE, runs, {"rows": rows})


def _counted(
    chosen: Shape,
    points: Mapping[int, tuple[int, Sequence[str]]],
    contenders: Sequence[str],
    repetitions: int,
    folder: Path,
) -> dict[str, dict[int, list[Measurement]]]:
    warm_up = table_file(chosen, WARM_UP_ROWS, folder)
    jobs: dict[tuple[str, int], dict[str, Any]] = {}
    for size, (rows, keys) in points.items():
        path = table_file(chosen, rows, folder)
        read_through(path)
        inputs = {"quasi_identifiers": keys, "sensitive": SENSITIVE, "suppressed": "class"}
        for name in contenders:
            jobs[name, size] = audit_job("bare query", name, inputs, rows) | {
                "path": str(path),
                "warm_up": str(warm_up),
                "quasi_identifiers": keys,
                "sensitive": SENSITIVE,
                "runs": calls(rows),
            }
    found = _by_size(jobs, repetitions, SCRIPT)
    for size, (rows, _) in points.items():
        check_agreement({name: own[size] for name, own in found.items()}, rows)
    return found


def search_by_rows(sizes: Sequence[int], repetitions: int, folder: Path) -> Growth:
    """Pairs of tables of more and more rows each, eight columns, up to two of them."""
    points = {size: (size, _SEARCHED_COLUMNS) for size in sizes}
    facts = {"columns": _SEARCHED_COLUMNS, "up_to": UP_TO}
    return Growth("mpuccs-rows", QUERIES, _searched(points, repetitions, folder), facts)


def search_by_columns(sizes: Sequence[int], rows: int, repetitions: int, folder: Path) -> Growth:
    """Pairs of tables of more and more columns: the combinations of two grow with their square."""
    points = {size: (rows, size) for size in sizes}
    facts = {"rows": rows, "up_to": UP_TO}
    return Growth("mpuccs-columns", QUERIES, _searched(points, repetitions, folder), facts)


def _searched(
    points: Mapping[int, tuple[int, int]], repetitions: int, folder: Path
) -> dict[str, dict[int, list[Measurement]]]:
    jobs: dict[tuple[str, int], dict[str, Any]] = {}
    for size, (rows, columns) in points.items():
        pair = generated_pair(rows, folder, columns)
        for path in pair:
            read_through(path)
        for name, contender in ((QUERIES, "DuckDB"), (SEARCH, "petaudit")):
            jobs[name, size] = {
                "contender": contender,
                "tables": file_names(pair),
                "warm_up": file_names(generated_pair(WARM_UP_ROWS, folder, columns)),
                "up_to": UP_TO,
                "runs": 1 if name == QUERIES else calls(rows),
            }
    found = _by_size(jobs, repetitions, SEARCH_SCRIPT)
    for size in points:
        check_search(found[SEARCH][size], found[QUERIES][size])
    found[CALL] = {size: [_whole(run) for run in own] for size, own in found[SEARCH].items()}
    return found


def _whole(run: Measurement) -> Measurement:
    figures = run.figures
    return replace(run, seconds=figures["whole_seconds"], cpu_seconds=figures["whole_cpu_seconds"])


def _by_size(
    jobs: Mapping[tuple[str, int], Mapping[str, Any]], repetitions: int, script: str
) -> dict[str, dict[int, list[Measurement]]]:
    runs = interleaved({f"{n}/{size}": job for (n, size), job in jobs.items()}, repetitions, script)
    found: dict[str, dict[int, list[Measurement]]] = {name: {} for name, _ in jobs}
    for name, size in jobs:
        found[name][size] = runs[f"{name}/{size}"]
    return found


def calls(rows: int) -> int:
    """How many calls a process takes the median of: one that lasts milliseconds is repeated.

    >>> [calls(10**size) for size in (4, 5, 6, 7)]
    [7, 5, 3, 1]
    """
    return 7 if rows < 100_000 else 5 if rows < 1_000_000 else 3 if rows < 10_000_000 else 1
