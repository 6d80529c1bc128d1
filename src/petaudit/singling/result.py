"""What a search for singled-out people says: figures, tables, verdict."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from petaudit.errors import (
    OptionError,
    PetauditWarning,
    Phrase,
    counted,
    listing,
    phrase,
    share,
    suggestion,
    tally,
)
from petaudit.exact.excess import Excess, Finding
from petaudit.exact.fractions import exact_nonnegative, quotient_text
from petaudit.measures.base import Better, Result
from petaudit.measures.limits import refuse_unbreakable
from petaudit.singling.finding_tables import details_columns, global_columns, tree_columns
from petaudit.singling.profiles import PROFILES, Profile
from petaudit.tables.result_frames import Kind, ResultColumn, result_frame

if TYPE_CHECKING:
    from petaudit.singling.findings import Findings

NAME: Final = "mpuccs"
TABLES: Final = ("global", "details", "tree", "changes")
_CHANGES: Final[Mapping[str, Kind]] = {
    "column": "text",
    "rows_helped": "integer",
    "change": "text",
    "rows_before": "integer",
    "rows_after": "integer",
    "up_to_columns": "integer",
}


@dataclass(frozen=True)
class MpuccsResult(Result):
    """The risk of being singled out, with the tables behind it."""

    measure: ClassVar[str] = NAME
    better: ClassVar[Better] = Better.LOWER

    complete: bool
    """Whether every combination of the sizes was looked at; else figures are lower bounds."""
    figures: Mapping[str, float | int | None]
    columns: tuple[str, ...]
    sizes: tuple[int, ...]
    combinations: int
    removed_original: int
    removed_synthetic: int
    removed_control: int
    precision: Mapping[str, int | str | None]
    timings: Mapping[str, float]
    search: Mapping[str, str]
    """Whether combinations were counted in memory or by an engine, which one, and why."""
    profile: str | None = None
    undecided: bool = False
    """Whether a lower bound keeps the limit, so that nothing can be said about it."""
    findings: Findings = field(kw_only=True, repr=False, compare=False)
    frame: str = field(kw_only=True, repr=False)
    control_files: tuple[Path, ...] = field(kw_only=True, repr=False, default=())

    @cached_property
    def global_(self) -> Any:
        """The figures in one row."""
        return result_frame(self.frame, global_columns(self.findings))

    @cached_property
    def details(self) -> Any:
        """The identified rows, with the combination and the values that identify each."""
        return result_frame(self.frame, details_columns(self.findings))

    @cached_property
    def tree(self) -> Any:
        """The combinations in the order in which they were looked at."""
        return result_frame(self.frame, tree_columns(self.findings))

    @cached_property
    def exposure(self) -> Any:
        """What changing one column would do, the most useful change first; see :attr:`changes`."""
        return result_frame(self.frame, self.changes_columns)

    @cached_property
    def changes(self) -> list[dict[str, Any]]:
        """What changing one column would do, as plain rows; none if the time limit came first.

        There are none either where an engine counted (see :attr:`search`), and a warning says so.

        Counted with combinations of up to three columns, fewer on large tables, on the tables as
        they were searched. Rows that become equal are not removed as duplicates, because they are
        two people; and a row may match somebody only after rounding, so a change can also do harm.
        """
        from petaudit.singling._prepare import Prepared  # noqa: PLC0415 (see above)
        from petaudit.singling.running import changes_of  # noqa: PLC0415 (see above)

        prepared = self.findings.prepared
        left_out = self.findings.why_no_changes
        if left_out is not None:
            warnings.warn(left_out, PetauditWarning, stacklevel=2)
        if self.findings.is_empty or not isinstance(prepared, Prepared):
            return []
        spent = self.timings["total"]
        found = changes_of(prepared, self.findings.options, spent)
        if found is None:
            return []
        helped, exposure = self.findings.rows_helped(), found.exposure
        after: list[tuple[int, str, int]] = [
            (place, phrase("left out"), remaining)
            for place, remaining in enumerate(exposure.without_column)
        ]
        after += [
            (place, step.change, remaining)
            for (place, step), remaining in zip(found.steps, exposure.after_step, strict=True)
        ]
        return [
            {
                "column": self.columns[place],
                "rows_helped": helped[place],
                "change": change,
                "rows_before": exposure.identified,
                "rows_after": remaining,
                "up_to_columns": found.up_to,
            }
            for place, change, remaining in sorted(after, key=lambda entry: (entry[2], entry[0]))
        ]

    def table(self, granularity: str, *, with_values: bool = False) -> dict[str, ResultColumn]:
        """One of the tables, column by column; values of the data only where they are wanted."""
        match granularity:
            case "global":
                return global_columns(self.findings)
            case "details":
                return details_columns(self.findings, with_values=with_values)
            case "tree":
                return tree_columns(self.findings)
            case "changes":
                return self.changes_columns
        raise OptionError(
            "{measure} has no table {table!r}{near}; it has {known}",
            measure=NAME,
            table=granularity,
            near=suggestion(granularity, TABLES),
            known=listing(TABLES),
        )

    @property
    def figure(self) -> str:
        """The risk score, or the share of identified rows where that is judged."""
        by_rate = self.profile is not None and PROFILES[self.profile].figure
        has_baseline = self.findings.options.calculate_baseline
        is_rate = by_rate == "identification_rate" or not has_baseline
        return "identification_rate" if is_rate else "privacy_risk_score"

    @property
    def changes_columns(self) -> dict[str, ResultColumn]:
        """The same column by column."""
        return {
            name: ResultColumn(kind, [row[name] for row in self.changes])
            for name, kind in _CHANGES.items()
        }

    @property
    def explanation(self) -> tuple[str, ...]:
        """What a person asks next."""
        found = self.findings
        if found.is_empty:
            return (phrase("a table without rows singles out nobody, and nothing was measured"),)
        many = found.identified
        number: str = tally(many, of=found.rows)
        if not self.complete:
            number = phrase("at least {number}", number=number)
        identified = phrase(
            "{number} of {rows} ({rate}) single out exactly one original row, {scope}",
            number=number,
            rows=counted(found.rows, "synthetic row", of=found.rows),
            rate=share(many, found.rows, 2),
            scope=self.scope,
        )
        more = () if found.excess is None else (excess_text(found.excess),)
        if found.options.person is not None:
            people = phrase(
                "the original's rows are of {people}, by the column {column!r}; rows of one person "
                "do not compete",
                people=counted(found.original_people, "person", "people", of=found.original_people),
                column=found.options.person,
            )
            more = (people, *more)
        return (identified, *more, *(() if found.way.is_usual else (found.way.text,)))

    @property
    def scope(self) -> Phrase:
        """Which combinations were looked at, in words."""
        sizes, columns = _sizes(self.sizes), counted(len(self.columns), "column")
        total = sum(math.comb(len(self.columns), size) for size in self.sizes)
        combinations = counted(total, "combination")
        if self.combinations < total:
            return phrase(
                "in the first {number:,} of {combinations} of {sizes} of {columns}",
                number=self.combinations,
                combinations=combinations,
                sizes=sizes,
                columns=columns,
            )
        return phrase(
            "with {sizes} of {columns} ({combinations})",
            sizes=sizes,
            columns=columns,
            combinations=combinations,
        )

    @property
    def other_files(self) -> tuple[Path, ...]:
        """The control is no input of an audit."""
        return self.control_files

    @property
    def status(self) -> str:
        """``passed``, ``failed``, ``undecided``, or ``measured`` without a limit."""
        return "undecided" if self.undecided else super().status

    @property
    def is_strict(self) -> bool:
        """Profiles are kept by figures below them."""
        return self.profile is not None

    @property
    def is_lower_bound(self) -> bool:
        """Whether rows may have been missed that combinations of the largest size or less find."""
        has_gaps = self.findings.options.has_gaps(len(self.columns))
        return not self.complete or has_gaps or bool(self.findings.doubts)

    def judged(self, *, limit: object = None, profile: str | None = None) -> MpuccsResult:
        """The same result against a limit (at most) or a named profile (below).

        A lower bound that keeps the limit decides nothing, so it does not pass.
        """
        if limit is None and profile is None:
            return self
        chosen = checked_limit(
            limit, profile, has_baseline=self.findings.options.calculate_baseline
        )
        figure = self._figure(chosen)
        holds = figure is not None and chosen.holds(figure)
        # Whatever was missed, no share is above 1.
        is_certain = not self.is_lower_bound or chosen.holds(Fraction(1))
        return replace(
            self,
            value=self.value if figure is None else float(figure),
            limit=float(chosen.bound),
            limit_exact=quotient_text(chosen.bound),
            passed=holds and is_certain,
            profile=profile,
            undecided=figure is None or (holds and not is_certain),
        )

    def _figure(self, profile: Profile) -> Fraction | None:
        if self.findings.is_empty:
            return None
        if profile.figure == "identification_rate" or (
            profile.figure is None and not self.findings.options.calculate_baseline
        ):
            return self.findings.identification_rate
        return self.findings.risk


_VERDICTS: Final[Mapping[Finding, Phrase]] = {
    Finding.EXCESS: phrase("more than coincidence"),
    Finding.COINCIDENCE: phrase("coincidence could explain it"),
    Finding.NOT_COMPARABLE: phrase(
        "the control is exposed more than the original, so the two are not comparable and nothing "
        "is decided"
    ),
    Finding.UNKNOWN: phrase("too few people to tell"),
}


def excess_text(excess: Excess) -> Phrase:
    """How the original compares with the control, in words."""
    shares = phrase(
        "of {people:,} people of the original {rate:.2%} are singled out among {others:,} others, "
        "of {strangers:,} of the control {control:.2%}",
        people=excess.original.people,
        rate=excess.original.share,
        others=min(excess.original.people, excess.control.people),
        strangers=excess.control.people,
        control=excess.control.share,
    )
    verdict = _VERDICTS[excess.finding]
    if not math.isfinite(excess.lower):
        if not excess.has_few_people:
            verdict = phrase("everybody in the control is, so nothing can be told")
        return phrase("{shares}: {verdict}", shares=shares, verdict=verdict)
    return phrase(
        "{shares}; excess risk {excess:.4f} (95 % interval {lower:.4f} to {upper:.4f}): {verdict}",
        shares=shares,
        excess=excess.value,
        lower=excess.lower,
        upper=excess.upper,
        verdict=verdict,
    )


def _sizes(sizes: Sequence[int]) -> str:
    if list(sizes) == list(range(1, len(sizes) + 1)):
        return phrase("up to {most}", most=max(sizes, default=0))
    return listing([str(size) for size in sizes])


def checked_limit(limit: object, name: str | None, *, has_baseline: bool) -> Profile:
    """A limit of one's own, or the profile of a name; what is wrong about them is an error."""
    if name is None:
        called = phrase("the limit of {measure}", measure=NAME)
        bound = exact_nonnegative(limit, called)
        refuse_unbreakable(bound, NAME, "lower", (0, 1))
        return Profile(None, bound, is_strict=False)
    if limit is not None:
        raise OptionError("give either a limit or a profile, not both")
    if not isinstance(name, str) or name not in PROFILES:
        raise OptionError(
            "unknown profile {name!r}{near}; profiles are {known}",
            name=name,
            near=suggestion(str(name), PROFILES),
            known=listing(list(PROFILES)),
        )
    if PROFILES[name].figure == "privacy_risk_score" and not has_baseline:
        raise OptionError(
            "the profile {name!r} judges the risk score, which needs the baseline", name=name
        )
    return PROFILES[name]
