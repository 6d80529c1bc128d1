"""What the models know of a sample: how many classes have which size, and of how many people."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from petaudit.errors import NotMeasurableError
from petaudit.exact.class_figures import Floats, Integers


@dataclass(frozen=True)
class Sample:
    """The classes of a sample by their size, and the size of the population it was drawn from."""

    sizes: Integers
    """From the smallest, each once."""
    classes: Integers
    population: int

    @cached_property
    def rows(self) -> int:
        """How many people are in the sample."""
        return int((self.sizes * self.classes).sum())

    @cached_property
    def groups(self) -> int:
        """How many classes there are."""
        return int(self.classes.sum())

    @property
    def fraction(self) -> float:
        """The share of the population that is in the sample."""
        return self.rows / self.population

    @property
    def is_everybody(self) -> bool:
        """Whether the sample is the whole population, which leaves nothing to estimate."""
        return self.rows == self.population

    @property
    def uniques(self) -> int:
        """Classes of one row."""
        return self.of_size(1)

    @property
    def pairs(self) -> int:
        """Classes of two rows."""
        return self.of_size(2)

    def of_size(self, size: int) -> int:
        """How many classes have a size."""
        return int(self.classes[self.sizes == size].sum())

    @cached_property
    def float_sizes(self) -> Floats:
        """The sizes for arithmetic that is not exact."""
        return self.sizes.astype(np.float64)

    def failed(self, model: str, why: str, advice: str) -> NotMeasurableError:
        """The error of a model that has no answer for this sample."""
        return NotMeasurableError(
            "{model} has no estimate: {why}; {advice}", model=model, why=why, advice=advice
        )
