"""How much the tests try: a part in ``make test``, the rest in ``make test-long``."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import Final, TypeVar

IS_RANDOM: Final = os.environ.get("PETAUDIT_TESTS") == "random"
"""Other random examples every time; else always the same ones, so that main stays green."""
IS_SIMULATION: Final = os.environ.get("PETAUDIT_TESTS") == "simulations"
"""Statistical claims on hundreds of tables with known truth each (``make simulations``)."""
IS_LONG: Final = IS_RANDOM or IS_SIMULATION or os.environ.get("PETAUDIT_TESTS") == "long"
_WHOLE: Final = 8
"""Grids up to this size are tried as a whole."""
_PART: Final = 6
_PART_LONG: Final = 3

T = TypeVar("T")


def examples(number: int) -> int:
    """How many random examples a property is tried on: all of them only where they are new ones.

    >>> examples(8) in (5, 8)
    True
    """
    if IS_RANDOM or IS_SIMULATION:
        return number
    return max(number // (_PART_LONG if IS_LONG else _PART), min(number, 8 if IS_LONG else 5))


def chosen_cells(name: str, cells: Sequence[T]) -> list[T]:
    """The cells of a grid of parameters that ``make test`` tries: always the same ones.

    >>> len(chosen_cells("test", range(12)))
    8
    """
    if len(cells) <= _WHOLE:
        return list(cells)
    keep = max(len(cells) // _PART, _WHOLE)
    places = sorted(random.Random(name).sample(range(len(cells)), keep))  # noqa: S311
    return [cells[place] for place in places]
