"""Names and numbers as a picture keeps them: short and finite."""

from __future__ import annotations

import math
from typing import Final

from petaudit.errors import shortened

LONGEST: Final = 60


def kept_name(name: object) -> str:
    """A name, cut where it would make the picture large.

    >>> kept_name("zip"), len(kept_name("x" * 10_000))
    ('zip', 61)
    """
    return shortened(str(name), LONGEST)


def finite(number: float | None) -> float | None:
    """A number that JSON has a word for, or None.

    >>> finite(0.5), finite(float("nan")), finite(None)
    (0.5, None, None)
    """
    return None if number is None or not math.isfinite(number) else float(number)


def check(holds: bool, problem: str) -> None:
    """Complain about a picture whose parts do not fit together."""
    if not holds:
        raise ValueError(problem)
