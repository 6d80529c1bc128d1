"""What is said of suppressed rows: rows with the mark in every quasi-identifier."""

from __future__ import annotations

from petaudit.errors import phrase
from petaudit.i18n.numbers import Unit


def left_out(rows: int, unit: Unit = Unit.ROW) -> tuple[str, ...]:
    """Say that suppressed rows are in no class, where there are any.

    >>> left_out(0)
    ()
    """
    if not rows:
        return ()
    return (
        phrase(
            "left out (suppressed: exclude): {rows} with '*' in every quasi-identifier, though who "
            "fits no other class is known to be among them",
            rows=unit.counted(rows),
        ),
    )
