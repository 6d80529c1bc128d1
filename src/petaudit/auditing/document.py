"""Plain data: figures and settings on their way into JSON and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def figure_of(value: Any) -> Any:
    """A figure as it was before it went into JSON, which has no word for infinity.

    >>> figure_of("inf"), figure_of(0.5), figure_of(True), figure_of("x")
    (inf, 0.5, True, 'x')
    """
    return float(value) if value in ("inf", "-inf") else value


def plain(value: Any) -> Any:
    """Settings as JSON can hold them: it knows no infinity, and names are text."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, bool | int | float | str | None) else str(value)
