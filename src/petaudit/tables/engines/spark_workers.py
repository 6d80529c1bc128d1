"""What the Python of Spark's workers is like: asked by a job of its own, which reads no table."""

from __future__ import annotations

import json
from typing import Any, Final

from petaudit.errors import EngineError
from petaudit.tables.engines.spark_jobs import spark_failure, watched
from petaudit.tables.engines.spark_session import spark_session

PACKAGES: Final = ("petaudit", "numpy", "pyarrow", "numba")
"""What classes are looked at with."""
_MOST_TASKS: Final = 64
# Sent to the workers as it is, since a function of ours would be looked for in their petaudit.
_LOOK: Final = """
def look(_):
    import importlib, json, platform, socket, sys
    found = {}
    for name in PACKAGES:
        try:
            module = importlib.import_module(name)
            found[name] = str(getattr(module, "__version__", "?"))
        except Exception as problem:
            found[name] = None
    yield json.dumps([socket.gethostname(), sys.executable, platform.python_version(), found])
"""


def look_at_workers(master: str | None) -> list[dict[str, Any]]:
    """Every Python that answered: its machine, its path, its version, and those of its packages."""
    session = spark_session(master)
    context = session.sparkContext
    scope: dict[str, Any] = {"__name__": "__main__", "PACKAGES": PACKAGES}
    exec(_LOOK, scope)  # noqa: S102 (a constant of ours)
    tasks = max(1, min(int(context.defaultParallelism), _MOST_TASKS))
    try:
        answers = watched(
            session,
            lambda: context.parallelize(range(tasks), tasks).mapPartitions(scope["look"]).collect(),
        )
    except Exception as problem:
        if isinstance(problem, EngineError):
            raise
        raise EngineError(
            "Spark's workers cannot be asked ({reason})",
            reason=spark_failure(problem) or type(problem).__name__,
        ) from None
    names = ("host", "executable", "python", "packages")
    return [dict(zip(names, json.loads(each), strict=True)) for each in sorted(set(answers))]
