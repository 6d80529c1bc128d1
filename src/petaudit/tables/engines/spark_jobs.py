"""Running one query on Spark: it ends with an answer, or with an error within a bounded time.

Spark itself waits forever for executors that do not come back, so somebody has to look.
"""

from __future__ import annotations

import os
import re
import sys
import time
import uuid
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

import pyarrow as pa

from petaudit.errors import EngineLostError, OptionError, Phrase, phrase, shortened, term
from petaudit.tables.engines.spark_settings import answers, is_local

Done = TypeVar("Done")

WAIT_VARIABLE: Final = "PETAUDIT_SPARK_WAIT"
_SECONDS_WITHOUT_EXECUTOR: Final = 60.0
_SECONDS_WITHOUT_MASTER: Final = 5.0
_SECONDS_BETWEEN_LOOKS: Final = 1.0
_SECONDS_TO_CANCEL: Final = 10.0

_lost: dict[str, str] = {}
"""Why nothing more can be counted, by the id of the application."""


def spark_result(frame: Any) -> pa.Table:
    """Run the query of a PySpark frame and return its result."""
    if not hasattr(frame, "_jdf"):
        # Spark Connect: the server looks after its executors itself.
        return frame.toArrow()
    return watched(frame.sparkSession, frame.toArrow)


def watched(session: Any, work: Callable[[], Done]) -> Done:
    """Do some work on Spark, and give it up if there is nobody left to do it."""
    context = session.sparkContext
    application = str(context.applicationId)
    if application in _lost:
        raise EngineLostError(_lost[application])
    try:
        return _watched(context, work)
    except EngineLostError as problem:
        _lost[application] = problem.text
        raise


def _watched(context: Any, work: Callable[[], Done]) -> Done:
    from pyspark import InheritableThread  # noqa: PLC0415 (only where there is Spark)

    group = f"petaudit-{uuid.uuid4()}"
    results: list[Done] = []
    failed: list[Exception] = []

    def run() -> None:
        try:
            context.setJobGroup(group, "petaudit")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.append(work())
        except Exception as problem:
            failed.append(problem)

    worker = InheritableThread(target=run, name=group, daemon=True)
    watch = _Watch(context)
    worker.start()
    try:
        # Long queries are looked after from time to time, short ones are not held up.
        pause = 0.01
        while worker.is_alive():
            worker.join(pause)
            pause = min(2 * pause, _SECONDS_BETWEEN_LOOKS)
            if worker.is_alive() and pause == _SECONDS_BETWEEN_LOOKS:
                watch.look()
        watch.require_master()
    except BaseException:
        with suppress(Exception):
            context.cancelJobGroup(group)
        worker.join(_SECONDS_TO_CANCEL)
        raise
    if failed:
        raise _explained(context, failed[0])
    return results[0]


def _explained(context: Any, problem: Exception) -> Exception:
    """A loss where there is one; else the problem itself, of which only the kind is passed on."""
    with suppress(Exception):
        if not context._jsc.sc().isStopped():
            return problem
    return EngineLostError("Spark stopped while counting; run again")


def _patience() -> float:
    given = os.environ.get(WAIT_VARIABLE, "").strip()
    if not re.fullmatch("[0-9]{0,6}", given, re.ASCII):
        raise OptionError(
            "{name} must be an integer number of seconds, got {value!r}",
            name=WAIT_VARIABLE,
            value=shortened(given),
        )
    return float(given or _SECONDS_WITHOUT_EXECUTOR)


class _Watch:
    """Looks whether there is somebody left to do the work."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._master = str(context.master)
        self._patience = _patience()
        self._executors_seen = self._master_seen = time.monotonic()

    def look(self) -> None:
        """Raise an error if there has been no executor, or no master, for too long."""
        now = time.monotonic()
        if is_local(self._master) and not self._master.startswith("local-cluster"):
            return
        if self._has_executors():
            self._executors_seen = now
        if now - self._executors_seen > self._patience:
            raise EngineLostError(
                "the Spark cluster {master} has had no executor for {seconds:.0f} seconds; the run "
                "was aborted",
                master=self._master,
                seconds=self._patience,
            )
        if answers(self._master):
            self._master_seen = time.monotonic()
        elif now - self._master_seen > _SECONDS_WITHOUT_MASTER:
            raise self._master_lost()

    def require_master(self) -> None:
        """Raise an error if the master is gone: what comes from a cluster in ruins is not used."""
        until = time.monotonic() + _SECONDS_WITHOUT_MASTER
        while not answers(self._master):
            if time.monotonic() > until:
                raise self._master_lost()
            time.sleep(min(_SECONDS_BETWEEN_LOOKS, _SECONDS_WITHOUT_MASTER))

    def _has_executors(self) -> bool:
        with suppress(Exception):
            # The driver is among them.
            return int(self._context._jsc.sc().getExecutorMemoryStatus().size()) > 1
        return False

    def _master_lost(self) -> EngineLostError:
        return EngineLostError(
            "the Spark master {master} no longer answers; the run was aborted", master=self._master
        )


_DEEPEST: Final = 20
_NAME = re.compile(r"[A-Z][A-Z0-9_.]{2,99}", re.ASCII)
_CLASS = re.compile(r"[A-Za-z]\w{0,99}", re.ASCII)
_OF_PYTHON = re.compile(r"PythonException|PYTHON_[A-Z0-9_.]+", re.ASCII)
_STARTS_PYTHON: Final = "org.apache.spark.api.python.PythonWorkerFactory"
_NEEDS: Final = term(
    "every worker needs this version of petaudit with its libraries, in the Python that "
    "PYSPARK_PYTHON or spark.pyspark.python names (see 'What the cluster needs' in the "
    "documentation)"
)
_LACKS: Final = re.compile(
    "No module named '(petaudit|numpy|pyarrow|numba|llvmlite|narwhals|duckdb|pyspark|pandas)[.']"
    "|(PyArrow|NumPy|Pandas) >= [0-9.]+ must be installed"
)
_NO_PYTHON: Final = re.compile(r"Cannot run program [^\n]*error=(2|13),")
_OTHER_PYTHON: Final = "PYTHON_VERSION_MISMATCH"


def spark_failure(problem: Exception) -> str | None:
    """The name of a failure, such as DIVIDE_BY_ZERO or FileNotFoundException; None for others.

    What the workers' Python says is put into words, and never passed on.
    """
    named = _condition(problem)
    if named is None and type(problem).__name__ == "Py4JJavaError":
        with suppress(Exception):
            named = _innermost(problem.java_exception)  # type: ignore[attr-defined]
    is_of_python = _OF_PYTHON.fullmatch(named or type(problem).__name__)
    return _python_failed(str(problem)) if is_of_python else named


def _python_failed(text: str) -> Phrase:
    """Why the workers' Python failed, as far as Spark's words, which may quote cells, show it."""
    lacking = _LACKS.search(text)
    if lacking is not None:
        said = phrase(
            "the workers' Python lacks {package}", package=(lacking[1] or lacking[2]).lower()
        )
    elif _OTHER_PYTHON in text:
        version = ".".join(map(str, sys.version_info[:2]))
        said = phrase(
            "the workers' Python has another version than this one, {version}", version=version
        )
    elif _NO_PYTHON.search(text):
        said = phrase("the workers have no such Python, or may not run it")
    else:
        said = phrase("the workers' Python failed")
    return phrase("{said}: {needs}", said=said, needs=_NEEDS)


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
        return any(str(call.getClassName()) == _STARTS_PYTHON for call in thrown.getStackTrace())
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
