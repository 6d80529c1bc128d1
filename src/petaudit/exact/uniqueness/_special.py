"""Differences of the gamma function's relatives, as exact for large arguments as for small ones.

Subtracting two large values of log-gamma or digamma would leave few digits: here the large parts
are never formed. The series are those of Abramowitz and Stegun, 6.1.41 and 6.3.18.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Numbers = TypeVar("Numbers", float, npt.NDArray[np.float64])

_SHIFT = 12
"""The series start here, where their first term that is left out is below 1e-15."""
_LOG_GAMMA = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
_DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760)


def log_gamma_difference(start: Numbers, step: Numbers) -> Numbers:
    """log Gamma(start + step) - log Gamma(start), for positive arguments of Gamma.

    >>> round(float(log_gamma_difference(3.0, 2.0)), 12) == round(float(np.log(3 * 4)), 12)
    True
    """
    end, far = start + step, start + _SHIFT
    found: Numbers = (far - 0.5) * np.log1p(step / far) + step * np.log(far + step) - step
    found = found + _series(_LOG_GAMMA, far + step, 1) - _series(_LOG_GAMMA, far, 1)
    for k in range(_SHIFT):
        found = found - np.log((end + k) / (start + k))
    return found


def digamma_difference(start: Numbers, step: Numbers) -> Numbers:
    """psi(start + step) - psi(start): the sum of 1 / (start + i) for i from 0 to step - 1.

    >>> round(float(digamma_difference(3.0, 2.0)), 12) == round(1 / 3 + 1 / 4, 12)
    True
    """
    end, far = start + step, start + _SHIFT
    found: Numbers = np.log1p(step / far) + step / (2 * far * (far + step))
    found = found - _series(_DIGAMMA, far + step, 2) + _series(_DIGAMMA, far, 2)
    for k in range(_SHIFT):
        found = found + step / ((start + k) * (end + k))
    return found


def _series(coefficients: tuple[float, ...], at: Numbers, first_power: int) -> Numbers:
    """The sum of c / at^p for p from the first power in steps of two."""
    inverse = 1 / (at * at)
    found = 0.0 * at
    for coefficient in reversed(coefficients):
        found = found * inverse + coefficient
    return found / at**first_power
