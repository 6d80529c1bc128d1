"""Measures on opened inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from petaudit.inputs import Inputs
from petaudit.measures import Result, find_measure


def computing(name: str) -> Callable[..., Result]:
    """A function of inputs and options."""

    def compute(inputs: Inputs, **options: Any) -> Result:
        return find_measure(name).run(inputs, options)

    return compute
