"""What is said of cells that do not fit a declared type."""

from __future__ import annotations

from dataclasses import dataclass

from petaudit.errors import counted, phrase, term
from petaudit.tables._conversions import Kind

_INSTEAD_OF_FLOAT = {
    Kind.TEXT: phrase("use int or str"),
    Kind.INTEGER: phrase("use int or str"),
    Kind.HUGE: phrase("use str"),
    Kind.DECIMAL: phrase("leave its type away"),
}


@dataclass(frozen=True)
class Break:
    """What is wrong with the cells of a column."""

    column: str
    cells: int
    problem: str
    """``3 cells that are no int``"""


def misfits(kind: Kind, wrong: int, expected: str | None) -> str:
    """Cells of a column that are no such thing as was expected.

    >>> misfits(Kind.TEXT, 2, "int"), misfits(Kind.FLOAT, 1, "bool")
    ('2 cells that are no int', '1 cell that is no bool (the column holds floats)')
    """
    cells, holds = counted(wrong, "cell"), ""
    if kind is not Kind.TEXT:
        holds = phrase(" (the column holds {kind})", kind=term(kind.value))
    if wrong == 1:
        return phrase("{cells} that is no {type}{holds}", cells=cells, type=expected, holds=holds)
    return phrase("{cells} that are no {type}{holds}", cells=cells, type=expected, holds=holds)


def digits_lost(kind: Kind, lost: int) -> str:
    """Cells that have more digits than a float can hold.

    >>> digits_lost(Kind.HUGE, 1)
    '1 cell that loses digits as float (use str)'
    """
    cells, advice = counted(lost, "cell"), _INSTEAD_OF_FLOAT[kind]
    if lost == 1:
        return phrase("{cells} that loses digits as float ({advice})", cells=cells, advice=advice)
    return phrase("{cells} that lose digits as float ({advice})", cells=cells, advice=advice)


def not_nullable(nulls: int) -> str:
    """Nulls in a column that may have none."""
    if nulls == 1:
        return phrase("1 null and is not nullable")
    return phrase("{number:,} nulls and is not nullable", number=nulls)


def with_more_decimals(cells: int, most: int) -> str:
    """Cells that have more decimals than they may have."""
    return phrase(
        "{cells} with more than {decimals}",
        cells=counted(cells, "cell"),
        decimals=counted(most, "decimal"),
    )
