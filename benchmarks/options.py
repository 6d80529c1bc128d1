"""What a run of the benchmarks is asked for."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import growth
from checks import FULL_ROWS, GROWTH
from measuring import HERE
from shapes import SHAPES

PARTS: Final[Mapping[str, str]] = {
    "generated": "generated tables against the bare query",
    "audit": "complete audit",
    "mpuccs": "search for mpUCCs",
    "growth": "growth with rows and columns",
    "pycanon": "pyCANON",
    "anonymeter": "Anonymeter",
    "sdmetrics": "SDMetrics",
    "petsard": "PETsARD",
    "large": "100 million rows, and mpUCCs beyond memory",
}


@dataclass(frozen=True)
class Kind:
    """A run of a certain length."""

    name: str
    rows: int
    repetitions: int
    few: int
    """Rounds of what takes many processes."""
    shapes: Sequence[str]
    sizes: growth.Sizes
    left_out: Mapping[str, str]
    """What this kind leaves out, so that it is said: a name, and what it would be."""


SHORT: Final = Kind(
    "short",
    1_000_000,
    3,
    2,
    ("text",),
    growth.SHORT,
    {
        "shapes": "the tables unique, integer, skewed and numeric",
        "pycanon-raw": "pyCANON on the raw Adult, and its report",
        "anonymeter-attacks": "most of Anonymeter's attacks with three columns",
        "petsard-now": "PETsARD anew: its recorded run is shown",
        "first-call": "what the first call and the pipeline of the seed cost",
        "growth-10-million": "growth to 10 million rows",
        "large": PARTS["large"],
    },
)
FULL: Final = Kind("full", FULL_ROWS, 3, 3, tuple(SHAPES), growth.FULL, {})
QUICK: Final = Kind(
    "quick", 100_000, 1, 1, ("text",), growth.SHORT, {**SHORT.left_out, "growth": PARTS["growth"]}
)
KINDS: Final = {own.name: own for own in (SHORT, FULL, QUICK)}


@dataclass(frozen=True)
class Options:
    """A run: its kind, with what was given on the command line."""

    kind: Kind
    rows: int
    repetitions: int
    shapes: Sequence[str]
    parts: frozenset[str]
    data: Path
    json: Path | None
    profile: bool
    petsard: bool
    gate: bool

    @property
    def few(self) -> int:
        """Rounds of what takes many processes."""
        return min(self.kind.few, self.repetitions)

    @property
    def is_full(self) -> bool:
        """Whether nothing is left out."""
        return self.kind is FULL


def parse(arguments: Sequence[str] | None) -> Options:
    """Read the command line; a mistake is exit code 2."""
    parser = argparse.ArgumentParser(description="Show petaudit's speed as ratios in one run.")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--full", action="store_true", help="everything, about half an hour")
    kinds.add_argument("--quick", action="store_true", help="a look: one round, few rows")
    parser.add_argument("--rows", type=_positive, help="rows of each generated table")
    parser.add_argument("--repetitions", type=_positive, help="rounds")
    parser.add_argument("--shapes", type=_shape_names, help="some tables, or none")
    parser.add_argument("--only", type=_part_names, default=[*PARTS], metavar="PARTS")
    parser.add_argument("--without", type=_part_names, default=[], metavar="PARTS")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every measurement")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="folder of the tables")
    parser.add_argument("--profile", action="store_true", help="what each measure takes alone")
    parser.add_argument("--petsard", action="store_true", help="record PETsARD anew: minutes")
    parser.add_argument("--no-gate", action="store_true", help="only report: exit code 0")
    parser.epilog = f"parts: {', '.join(PARTS)}"
    given = parser.parse_args(arguments)
    kind = FULL if given.full else QUICK if given.quick else SHORT
    parts = frozenset(given.only) - frozenset(given.without)
    if kind is not FULL:
        parts -= {"large"}
    rows = given.rows or kind.rows
    if rows < GROWTH:
        parser.error(f"--rows: at least {GROWTH} rows")
    if given.petsard and "petsard" not in parts:
        parser.error("--petsard: PETsARD is left out")
    if given.profile and "audit" not in parts:
        parser.error("--profile: the complete audit is left out")
    shapes = kind.shapes if given.shapes is None else given.shapes
    return Options(
        kind,
        rows,
        given.repetitions or kind.repetitions,
        shapes,
        parts,
        given.data,
        given.json,
        given.profile,
        given.petsard,
        not given.no_gate,
    )


def _positive(text: str) -> int:
    number = int(text.replace("_", "").replace(",", ""))
    if number < 1:
        raise ValueError(text)
    return number


def _shape_names(text: str) -> list[str]:
    return _names(text, SHAPES, "shape") if text != "none" else []


def _part_names(text: str) -> list[str]:
    return _names(text, PARTS, "part")


def _names(text: str, known: Mapping[str, object], what: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"unknown {what} {unknown[0]!r}; {what}s are {', '.join(known)}"
        )
    return names
