"""What a measure returns: one generic result for all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast, get_args, get_type_hints

from petaudit.errors import OptionError, Phrase, listing, suggestion, tally, term
from petaudit.i18n.numbers import Unit
from petaudit.measures.limits import figure_rule, figure_texts, refuse_unbreakable
from petaudit.measures.remedy import Remedy

if TYPE_CHECKING:
    from petaudit.inputs import Inputs
    from petaudit.measures.base import Better, Measure
    from petaudit.pictures.notebook import FigureRow
    from petaudit.tables.result_frames import Kind, ResultColumn

GLOBAL: Final = "global"
"""The table of one row that every result has."""
COLUMNWISE: Final = "columnwise"
"""A row per attribute, in the order of the roles."""
DETAILS: Final = "details"
"""A row per thing that the figure comes from."""

ENTRY_KEYS: Final = (
    *("measure", "status", "figure", "value", "limit", "limit_exact", "strict", "conditions"),
    *("profile", "better", "lower_bound", "reason", "explanation", "warnings", "details"),
    *("pictures", "breaches"),
)
"""What every entry of a document has; whatever else a result says is in its details."""

Columns: TypeAlias = "dict[str, ResultColumn]"


class ScreenTable(NamedTuple):
    """A table that a terminal shows below the figures: the most telling rows first."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Result:
    """A figure with its limit and verdict; ``passed`` is None when no limit was given.

    What else a measure says is in ``breakdown``, and each entry is an attribute as well.

    >>> import petaudit, pyarrow as pa
    >>> table = pa.table({"zip": ["130**", "148**", "148**"]})
    >>> result = petaudit.k_anonymity(table, quasi_identifiers="zip")
    >>> result.value, result.classes, result.breakdown["classes"]
    (1.0, 2, 2)
    """

    value: float | bool
    limit: float | None
    passed: bool | None
    warnings: tuple[str, ...]
    _: KW_ONLY
    by: Measure = field(repr=False, compare=False)
    """The measure that made it."""
    breakdown: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Further figures, as they are written to JSON."""
    internal: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """Further attributes that are not written: exact figures, what pictures are drawn from."""
    unit: Unit = field(default=Unit.ROW, repr=False)
    """What the figures called rows are numbers of: people, where a column tells them apart."""
    limit_exact: str | None = field(default=None, repr=False)
    """The limit as a quotient, such as 1/11, where no float shows it as it is."""

    def __post_init__(self) -> None:
        """Refuse a limit that no table could break, whoever gave it."""
        if self.limit is not None:
            refuse_unbreakable(self.limit, self.measure, self.better.value, self.by.range)

    def __getattr__(self, name: str) -> Any:
        """Return an entry of the breakdown."""
        for entries in (self.__dict__.get("breakdown", {}), self.__dict__.get("internal", {})):
            if name in entries:
                return entries[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        """Name the entries of the breakdown, too, for completion."""
        return sorted({*super().__dir__(), *self.breakdown})

    def __repr__(self) -> str:
        """Show the figure and its verdict; :meth:`to_dict` has the rest."""
        against = "" if self.limit is None else f" against {self.limit:g}"
        figure = self.published.value
        value = figure if isinstance(figure, bool) else f"{figure:g}"
        return f"<{self.measure}: {value}{against}, {self.status}>"

    @property
    def measure(self) -> str:
        """The name of the measure."""
        return self.by.name

    @property
    def better(self) -> Better:
        """Which way is better."""
        return self.by.better

    @property
    def other_files(self) -> tuple[Path, ...]:
        """Files that the measure read beside the inputs of the audit."""
        return ()

    @property
    def is_strict(self) -> bool:
        """Whether a figure that equals the limit breaks it."""
        return self.by.strict

    @property
    def figure(self) -> str:
        """What the value is a figure of; only like is compared with like."""
        return str(self.internal.get("figure", self.measure))

    @property
    def conditions(self) -> tuple[str, ...]:
        """What must hold beside the limit for the verdict, for example ``k at least 5``."""
        return tuple(self.internal.get("conditions", ()))

    @cached_property
    def remedy(self) -> Remedy | None:
        """Which rows break the limit, and how many to suppress; None without a limit."""
        return cast("Remedy | None", self.breakdown.get("remedy"))

    @property
    def remedy_lines(self) -> tuple[str, ...]:
        """What a limit on a risk takes, as a sentence; nothing without a limit."""
        return () if self.remedy is None else (self.remedy.text_of_risk,)

    def counted(self, number: int) -> Phrase:
        """Write a number of rows, or of people, out of all."""
        return self.unit.counted(number, of=self.rows + self.suppressed_rows)

    def tally(self, number: int) -> Phrase:
        """Write the same without a noun, as in "3 of 12 rows"."""
        return tally(number, of=self.rows + self.suppressed_rows)

    @property
    def is_lower_bound(self) -> bool:
        """Whether the figure may be too low because something was not looked at."""
        return False

    @property
    def status(self) -> str:
        """``passed``, ``failed``, or ``measured`` without a limit."""
        return {True: "passed", False: "failed", None: "measured"}[self.passed]

    @property
    def published(self) -> Result:
        """The result as it is shown and laid out; attributes of a result itself are exact."""
        return self.by.published(self)

    @property
    def explanation(self) -> tuple[str, ...]:
        """What a person asks next, in sentences without any value of the data."""
        return tuple(self.by.explain(self.published))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON."""
        head = {"measure": self.measure, "status": self.status, "better": self.better.value}
        if self.unit is not Unit.ROW:
            head["counts"] = self.unit.value
        result = self.published
        shown = {item.name: getattr(result, item.name) for item in fields(self) if item.repr}
        limit = {} if self.limit_exact is None else {"limit_exact": self.limit_exact}
        return (
            head
            | {name: plain_data(item) for name, item in {**shown, **result.breakdown}.items()}
            | limit
        )

    def table(self, granularity: str, *, with_values: bool = False) -> Columns:
        """Return the result as a table of one of the measure's granularities.

        Values of the data are in it only where they are asked for, and known only where they were
        revealed (``reveal_values``).
        """
        known = self.by.granularities
        if granularity not in known:
            raise OptionError(
                "{measure} has no table {table!r}{near}; it has {known}",
                measure=self.measure,
                table=granularity,
                near=suggestion(str(granularity), known),
                known=listing(known),
            )
        shown = self.published
        if granularity == COLUMNWISE:
            return self.by.columnwise(shown)
        if granularity == DETAILS:
            return self.by.details(shown, with_values=with_values)
        kind: Kind = "boolean" if isinstance(self.value, bool) else "number"
        usual = columns_of(
            [shown], measure="text", value=kind, limit="number", status="text", better="text"
        )
        return usual | self.by.more_columns(shown)

    def _entry_details(self) -> dict[str, Any]:
        """Return what the measure adds to the figure, as an entry of a document has it."""
        head = {*ENTRY_KEYS, "passed", "timings", "undecided"}
        return {name: value for name, value in self.to_dict().items() if name not in head}

    def to_entry(
        self, inputs: Inputs | None = None, *, with_pictures: bool = True
    ) -> dict[str, Any]:
        """Return the result as an entry of a document, with everything that a report shows.

        Most pictures are drawn from the counts that the result was made of, so they need the
        inputs.
        """
        from petaudit.pictures import pictures_of  # noqa: PLC0415 (it knows counts)

        shown = self.published
        pictures, notes = pictures_of(self.by.pictures if with_pictures else None, inputs, shown)
        return {
            **self.by.empty_entry(),
            "status": self.status,
            "figure": self.figure,
            "value": plain_data(shown.value),
            "limit": plain_data(self.limit),
            "limit_exact": self.limit_exact,
            "strict": self.is_strict,
            "conditions": list(self.conditions),
            "profile": self.breakdown.get("profile"),
            "lower_bound": self.is_lower_bound,
            "explanation": list(self.explanation),
            "warnings": [*self.warnings, *notes],
            "details": self._entry_details(),
            "pictures": pictures,
        }

    @property
    def screen_tables(self) -> tuple[ScreenTable, ...]:
        """Tables that a terminal shows; most results say everything in their explanation."""
        return ()

    @property
    def figure_row(self) -> FigureRow:
        """The figure, its limit and the verdict as a row of a table."""
        from petaudit.pictures.notebook import FigureRow  # noqa: PLC0415 (only to look at)

        figure = self.published.value
        value = None if math.isnan(figure) else figure
        exact = None if self.passed is not False else self.to_dict().get("exact_value")
        value_text, limit_text = figure_texts(value, self.limit, exact)
        rule = figure_rule(
            self.better.value,
            None if self.limit is None else self.limit_exact or limit_text,
            strict=self.is_strict,
            conditions=self.conditions,
        )
        return FigureRow(term(self.by.title), value, value_text, rule, self.status)

    def _repr_html_(self) -> str:
        from petaudit.pictures.notebook import notebook_table  # noqa: PLC0415 (only to look at)

        return notebook_table([self.figure_row], lines=[*self.explanation, *self.warnings])


def columns_of(rows: Sequence[object], /, **columns: Kind) -> Columns:
    """Lay out attributes of objects as columns of a kind each.

    >>> columns_of([Fraction(1, 2)], numerator="integer")
    {'numerator': ResultColumn(kind='integer', values=[1])}
    """
    from petaudit.tables.result_frames import ResultColumn  # noqa: PLC0415 (brings an engine)

    return {
        name: ResultColumn(kind, [getattr(row, name) for row in rows])
        for name, kind in columns.items()
    }


def rows_of(row: type, *entries: str, **renamed: str) -> Callable[..., Columns]:
    """Return a method that lays out entries of a breakdown that are rows, one or several.

    There is a column for each field of the dataclass ``row`` that is text or a number; it has the
    name of the field unless it is renamed.
    """
    kinds: dict[object, Kind] = {str: "text", int: "integer", float: "number"}

    def lay_out(self: Measure, result: Result, **_: bool) -> Columns:
        values = [getattr(result, entry) for entry in entries]
        rows = [
            row for value in values for row in (value if isinstance(value, tuple) else (value,))
        ]
        types = {
            name: get_args(hint)[0] if isinstance(hint, UnionType) else hint
            for name, hint in get_type_hints(row).items()
        }
        shown = {name: kinds[hint] for name, hint in types.items() if hint in kinds}
        columns = columns_of(rows, **shown)
        return {renamed.get(name, name): column for name, column in columns.items()}

    return lay_out


def plain_data(value: Any) -> Any:
    """Return fractions, enumerations and dataclasses as JSON can hold them."""
    match value:
        case Fraction():
            return f"{value.numerator}/{value.denominator}"
        case tuple() | list():
            return [plain_data(item) for item in value]
        case Mapping():
            return {str(key): plain_data(item) for key, item in value.items()}
        case StrEnum():
            return value.value
        case float() if math.isnan(value):
            return None
        case float() if math.isinf(value):
            # JSON has no word for it; this one is a number again in most languages.
            return "inf" if value > 0 else "-inf"
    if hasattr(value, "__dataclass_fields__"):
        return {item.name: plain_data(getattr(value, item.name)) for item in fields(value)}
    return value
