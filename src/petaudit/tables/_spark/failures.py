"""What went wrong in Spark, by Spark's own name of it: its messages may quote cells."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, Final

from petaudit.errors import phrase

_DEEPEST: Final = 20
_NAME = re.compile(r"[A-Z][A-Z0-9_.]{2,99}", re.ASCII)
_CLASS = re.compile(r"[A-Za-z]\w{0,99}", re.ASCII)
_OF_PYTHON = re.compile(r"PythonException|PYTHON_[A-Z0-9_.]+", re.ASCII)
_STARTS_PYTHON: Final = "org.apache.spark.api.python.PythonWorkerFactory"
_PYTHON_FAILED: Final = phrase(
    "the workers' Python failed: every worker needs this version of petaudit with its libraries, "
    "in the Python that PYSPARK_PYTHON or spark.pyspark.python names (see 'What the cluster "
    "needs' in the documentation)"
)


def spark_failure(problem: Exception) -> str | None:
    """The name of a failure, such as DIVIDE_BY_ZERO or FileNotFoundException; None for others.

    What the workers' Python says is put into words, and never passed on.
    """
    named = _name(problem)
    is_of_python = _OF_PYTHON.fullmatch(named or type(problem).__name__)
    return _PYTHON_FAILED if is_of_python else named


def _name(problem: Exception) -> str | None:
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


def _is_of_starting_python(thrown: Any) -> bool:
    """Whether a worker found no Python, or one that ended at once: Spark has no name for it."""
    with suppress(Exception):
        return any(str(own.getClassName()) == _STARTS_PYTHON for own in thrown.getStackTrace())
    return False


def _innermost(thrown: Any) -> str | None:
    """The first name of Spark's on the way to the cause, or else the class of the cause."""
    for _ in range(_DEEPEST):
        named = _condition(thrown)
        if named is not None:
            return named
        if _is_of_starting_python(thrown):
            return "PythonException"
        cause = thrown.getCause()
        if cause is None:
            break
        thrown = cause
    name = str(thrown.getClass().getSimpleName())
    return name if _CLASS.fullmatch(name) else None
