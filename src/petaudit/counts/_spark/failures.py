"""What went wrong in Spark, by Spark's own name of it: its messages may quote cells."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, Final

_DEEPEST: Final = 20
_NAME = re.compile(r"[A-Z][A-Z0-9_.]{2,99}", re.ASCII)
_CLASS = re.compile(r"[A-Za-z]\w{0,99}", re.ASCII)


def spark_failure(problem: Exception) -> str | None:
    """The name of a failure, such as DIVIDE_BY_ZERO or FileNotFoundException; None for others."""
    named = _condition(problem)
    if named is not None or type(problem).__name__ != "Py4JJavaError":
        return named
    with suppress(Exception):
        return _innermost(problem.java_exception)  # type: ignore[attr-defined]
    return None


def _condition(problem: Any) -> str | None:
    # Java's errors have it, too, if Spark threw them.
    with suppress(Exception):
        name = problem.getCondition()
        if isinstance(name, str) and _NAME.fullmatch(name):
            return name
    return None


def _innermost(thrown: Any) -> str | None:
    """The first name of Spark's on the way to the cause, or else the class of the cause."""
    for _ in range(_DEEPEST):
        named = _condition(thrown)
        if named is not None:
            return named
        cause = thrown.getCause()
        if cause is None:
            break
        thrown = cause
    name = str(thrown.getClass().getSimpleName())
    return name if _CLASS.fullmatch(name) else None
