"""When counting has to stop."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class OutOfTimeError(Exception):
    """A query was stopped because its time was over."""


class Deadline:
    """A time of the monotonic clock, if there is one.

    >>> deadline = Deadline()
    >>> deadline.left() is None
    True
    >>> with deadline.at(0.0):
    ...     deadline.left()
    Traceback (most recent call last):
    petaudit.tables._joint.deadline.OutOfTimeError
    """

    def __init__(self) -> None:
        self._stop_at: float | None = None

    @contextmanager
    def at(self, deadline: float | None) -> Iterator[None]:
        """Stop at a time, while this lasts."""
        self._stop_at = deadline
        try:
            yield
        finally:
            self._stop_at = None

    def left(self) -> float | None:
        """The seconds that are left, None without a deadline; raises OutOfTimeError if none are."""
        if self._stop_at is None:
            return None
        left = self._stop_at - time.monotonic()
        if left <= 0:
            raise OutOfTimeError
        return left
