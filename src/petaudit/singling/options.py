"""The options of the search: each is declared once, and checked before any work is done.

A field of :class:`Options` says the name, the default, the kind and the help of an option, and how
the command line shows it. The measure, its function and the command line are made from that.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, get_type_hints

from petaudit.errors import OptionError, Phrase, joined, phrase, term
from petaudit.system.kinds import (
    Boolean,
    Choice,
    Either,
    Integer,
    Kind,
    ListOf,
    Number,
    Problems,
    Text,
)

SEARCHES: Final = ("auto", "memory", "engine")
Figure: TypeAlias = Literal["privacy_risk_score", "identification_rate"]
"""What a limit can judge."""


@dataclass(frozen=True)
class Progress:
    """How far a search has come."""

    size: int
    """The number of columns that is being combined."""
    sizes: tuple[int, ...]
    done: int
    """Combinations of this size that were looked at."""
    total: int
    all_done: int
    """Combinations of all sizes that were looked at."""
    all_total: int


class Shown(NamedTuple):
    """How the command line shows an option: what its value is called, and a short help."""

    metavar: str
    help: str


class Instead(NamedTuple):
    """What the command line has in the place of an option: its opposite, or a shorter name."""

    flag: str
    help: str
    metavar: str | None = None
    """None for a flag, which takes no value."""
    default: str | None = None


class Declaration(NamedTuple):
    """An option of the search."""

    name: str
    default: Any
    type: Any
    kind: Kind
    help: str
    shown: Shown | None = None
    """None where the command line has no option of this name."""
    instead: Instead | None = None

    @property
    def flag(self) -> str:
        """The option as it is typed."""
        return f"--{self.name.replace('_', '-')}"


@dataclass(frozen=True)
class Options:
    """Checked options; see :func:`petaudit.mpuccs`."""

    max_baseline_cols: Annotated[
        int | None,
        Integer(1),
        "maximum number of columns to combine; default: all",
        None,
        Instead("--max-cols", "combine up to N columns, or all of them (default: 3)", "N", "3"),
    ] = None
    n_cols: Annotated[
        int | Sequence[int] | None,
        Either((Integer(1), ListOf(Integer(1)))),
        "the same, or a list of sizes",
    ] = None
    min_entropy_delta: Annotated[
        float,
        Number(),
        "prune combinations that gain less entropy",
        Shown("D", "prune below this entropy gain"),
    ] = 0.0
    field_decay_factor: Annotated[
        float,
        Number(),
        "weight of a combination per additional column",
        Shown("F", "weight by size (default: 0.5)"),
    ] = 0.5
    renyi_alpha: Annotated[
        float,
        Number(may_be_infinite=True),
        "order of the entropy",
        Shown("A", "order of the entropy (default: 2)"),
    ] = 2.0
    numeric_precision: Annotated[
        int | None,
        Integer(0, 400),
        "decimals of numbers; default: auto-detected",
        Shown("N", "decimals; default: auto-detected"),
    ] = None
    datetime_precision: Annotated[
        str | None,
        Text("a unit of time"),
        "unit of times: D, H, T, s, ms, us or ns",
        Shown("UNIT", "D, H, T, s, ms, us or ns"),
    ] = None
    calculate_baseline: Annotated[
        bool,
        Boolean(),
        "whether the risk is measured against the baseline",
        None,
        Instead("--no-baseline", "judge the identification rate"),
    ] = True
    deduplicate: Annotated[
        bool,
        Boolean(),
        "whether full duplicates are removed first",
        None,
        Instead("--keep-duplicates", "treat equal rows as different people"),
    ] = True
    time_limit: Annotated[
        float | None,
        Number(excludes_bounds=True, may_be_infinite=True),
        "seconds after which the search stops",
        Shown("SECONDS", "stop after this time, with a lower bound"),
    ] = None
    threads: Annotated[
        int | None,
        Integer(1, 4_096),
        "number of processor cores to use",
        Shown("N", "processor cores (default: all)"),
    ] = None
    seed: Annotated[
        int,
        Integer(0),
        "seed of the samples that are compared with the control",
        Shown("N", "seed of the samples for the control (default: 0)"),
    ] = 0
    person: Annotated[
        str | None,
        Text(term("a column")),
        "the column that names the person of a row: rows of one person do not compete",
        Shown(
            "COLUMN", "the column that names the person of a row: rows of one person do not compete"
        ),
    ] = None
    search: Annotated[
        str,
        Choice(SEARCHES),
        "where combinations are counted: in memory, by an engine that may use the disk, or chosen "
        "by size (auto)",
        Shown("", "count in memory, in an engine that may use the disk, or choose by size (auto)"),
    ] = "auto"
    progress: Callable[[Progress], object] | None = None

    @classmethod
    @cache
    def declared(cls) -> Mapping[str, Declaration]:
        """Return the options that a file can set, by name."""
        hints = get_type_hints(cls, include_extras=True)
        return {
            item.name: Declaration(
                item.name, item.default, hints[item.name].__origin__, *hints[item.name].__metadata__
            )
            for item in fields(cls)
            if hasattr(hints[item.name], "__metadata__")
        }

    @classmethod
    def checked(cls, **given: Any) -> Options:
        """Raise an error for a value that makes no sense."""
        declared = cls.declared()
        if given.get("n_cols") is not None and given.get("max_baseline_cols") is not None:
            raise OptionError("max_baseline_cols and n_cols say the same thing; give one of them")
        if given.get("time_limit") == 0:
            raise OptionError("time_limit must be a number of seconds > 0, got 0")
        problems = Problems()
        for name, value in given.items():
            if name in declared and not (value is None and declared[name].default is None):
                kind = declared[name].kind
                given[name] = _plain_number(value, kind)
                kind.check(given[name], (name,), problems)
                for _, message in problems:
                    raise OptionError(message)
                if isinstance(kind, Number):
                    given[name] = float(given[name])
        if given.get("progress") is not None and not callable(given["progress"]):
            raise OptionError("progress must be a function of one argument, the Progress")
        if isinstance(given.get("n_cols"), list):
            given["n_cols"] = tuple(sorted(set(given["n_cols"])))
        if given.get("time_limit") == math.inf:
            given["time_limit"] = None
        if given.get("datetime_precision") is not None:
            from petaudit.tables.joint import unit_named  # noqa: PLC0415 (brings an engine)

            given["datetime_precision"] = unit_named(given["datetime_precision"])
        return cls(**given)

    def sizes(self, columns: int) -> tuple[int, ...]:
        """Return the sizes that are asked for and that the table has."""
        if isinstance(self.n_cols, Sequence):
            return tuple(size for size in self.n_cols if size <= columns)
        most = self.max_baseline_cols or self.n_cols or columns
        return tuple(range(1, min(most, columns) + 1))

    def has_gaps(self, columns: int) -> bool:
        """Whether a size below the largest one is left out."""
        if not isinstance(self.n_cols, Sequence):
            return False
        return has_gaps_below(min(max(self.n_cols), columns) + 1, self.n_cols)

    @property
    def has_technical_columns(self) -> bool:
        """Whether the tree shows weights and whole entropies: only with settings of one's own."""
        names = ("min_entropy_delta", "field_decay_factor", "renyi_alpha")
        return any(getattr(self, name) != getattr(Options, name) for name in names)


def has_gaps_below(size: int, sizes: Iterable[int]) -> bool:
    """Whether a smaller size is left out.

    >>> has_gaps_below(3, (1, 2, 3)), has_gaps_below(3, (1, 3))
    (False, True)
    """
    return not set(range(1, size)) <= set(sizes)


def _plain_number(value: Any, kind: Kind) -> Any:
    """Turn numbers of other libraries into those of Python, and other sequences into lists."""
    if isinstance(value, bool):
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if (
        isinstance(kind, Either)
        and isinstance(value, Sequence)
        and not isinstance(value, str | bytes)
    ):
        return [_plain_number(item, Integer()) for item in value]
    if hasattr(value, "__index__"):
        return operator.index(value)
    if isinstance(kind, Number) and hasattr(value, "__float__"):
        with suppress(TypeError, ValueError, OverflowError):
            return float(value)
    return value


@dataclass(frozen=True)
class Profile:
    """A bound on the risk score or on the identification rate."""

    figure: Figure | None
    """None for a bound of one's own on whichever of the two is the result's value."""
    bound: Fraction
    is_strict: bool = True

    def holds(self, figure: Fraction) -> bool:
        """Whether a figure keeps the bound.

        >>> PROFILES["public"].holds(Fraction(1, 20))
        False
        """
        return figure < self.bound if self.is_strict else figure <= self.bound


PROFILES: Final[Mapping[str, Profile]] = {
    "public": Profile("privacy_risk_score", Fraction(5, 100)),
    "research": Profile("privacy_risk_score", Fraction(10, 100)),
    "internal": Profile("privacy_risk_score", Fraction(20, 100)),
    "development": Profile("privacy_risk_score", Fraction(30, 100)),
    "high-risk": Profile("privacy_risk_score", Fraction(1, 100)),
    "excellent": Profile("identification_rate", Fraction(1, 100)),
    "good": Profile("identification_rate", Fraction(5, 100)),
    "acceptable": Profile("identification_rate", Fraction(10, 100)),
}
"""Risk scores by use, and grades of the identification rate; all are strict bounds."""


def profiles_help() -> Phrase:
    """Say for argparse which figure each profile judges, and below which bound.

    >>> profiles_help().partition(",")[0]
    'risk score below 0.05 (public)'
    """
    bounds: dict[str | None, list[str]] = {"privacy_risk_score": [], "identification_rate": []}
    for name, profile in PROFILES.items():
        is_score = profile.figure == "privacy_risk_score"
        bound = f"{float(profile.bound):.2f}" if is_score else f"{float(100 * profile.bound):g} %%"
        bounds[profile.figure].append(phrase("{bound} ({profile})", bound=bound, profile=name))
    scores, rates = map(joined, bounds.values())
    return phrase(
        "risk score below {scores}, or identification rate below {rates}",
        scores=scores,
        rates=rates,
    )
