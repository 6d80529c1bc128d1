"""The Spark session that counts files: on the caller's cluster, or one that ends with us."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import subprocess
import sys
import threading
import traceback
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import EngineError, OptionError
from petaudit.system.debugging import VARIABLE
from petaudit.tables._private_folder import private_folder
from petaudit.tables.engines.duckdb import fresh_name
from petaudit.tables.engines.spark_settings import (
    OF_QUERIES,
    addresses_of,
    answers,
    check_master,
    chosen_master,
    lacks_hadoop,
    launching,
    session_settings,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SECONDS_TO_END: Final = 20
_started: list[str] = []
"""The master of our own session, once there is one."""
_launched_by_us: list[Any] = []
"""The way to the Java that we started, or that spark-submit did."""
_SUBMITTED: Final = "PYSPARK_GATEWAY_PORT"
"""Set by spark-submit for the Python that it starts."""


def spark_session(master: str | None) -> SparkSession:
    """The session that reads our files; a cluster that the caller has open is used as it is."""
    _require_pyspark()
    if master is not None:
        check_master(master)
    running = _running_master()
    if running is None:
        end_own_session()
        return _own_session(chosen_master(master or _submitted_master()))
    if master is not None and master not in (running, *_started):
        raise OptionError(
            "the Spark master is {asked!r}, and a session on {running!r} is open; stop it "
            "first, or leave the master out",
            asked=master,
            running=running,
        )
    if _started:
        return _own_session(_started[0])
    return _session_on_open_cluster(_open_context().applicationId)


def _require_pyspark() -> None:
    try:
        with warnings.catch_warnings():
            # PySpark has something to say about pandas, which is not used.
            warnings.simplefilter("ignore")
            import pyspark.sql.utils  # noqa: PLC0415 (large, and only where it is asked for)
    except ImportError:
        raise EngineError(
            "Spark needs PySpark, which is not installed: pip install 'petaudit[spark]'"
        ) from None
    if pyspark.sql.utils.is_remote():
        raise EngineError(
            "this program uses Spark Connect, with which petaudit reads no files: audit a frame of "
            "its session"
        )


def _open_context() -> Any:
    from pyspark import SparkContext  # noqa: PLC0415

    return SparkContext._active_spark_context


def _running_master() -> str | None:
    """The master of the session that this process has open."""
    context = _open_context()
    # A context whose cluster is lost stops by itself.
    with suppress(Exception):
        if context is not None and not context._jsc.sc().isStopped():
            return str(context.master)
    return None


def _submitted_master() -> str | None:
    """What spark-submit was told, if it started us: its Java runs already, and knows."""
    if _SUBMITTED not in os.environ:
        return None
    from pyspark import SparkConf  # noqa: PLC0415

    told = _launched(SparkConf(loadDefaults=False)).jvm.System.getProperty("spark.master")
    return None if told is None else str(told)


@cache
def _session_on_open_cluster(application: str) -> SparkSession:
    """A session with settings of its own on the caller's cluster, which is not changed."""
    from pyspark.sql import SparkSession  # noqa: PLC0415

    callers = SparkSession.getActiveSession() or SparkSession(_open_context())
    session = callers.newSession()
    for name, value in OF_QUERIES.items():
        session.conf.set(name, value)
    return session


@cache
def _own_session(master: str) -> SparkSession:
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415
    from pyspark.sql import SparkSession  # noqa: PLC0415

    # It may come from the environment.
    check_master(master)
    if lacks_hadoop(master):
        raise EngineError(
            "the Spark master yarn needs the variable HADOOP_CONF_DIR or YARN_CONF_DIR: the folder "
            "of the cluster's configuration"
        )
    _require_java()
    if addresses_of(master) and not answers(master):
        raise EngineError("no answer from the Spark master {master}", master=master)
    folder = private_folder() / fresh_name()
    folder.mkdir(mode=0o700)
    settings = SparkConf(loadDefaults=False)
    for name, value in session_settings(master, folder).items():
        settings.set(name, value)
    with launching(master, folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gateway = _launched(settings)
        try:
            session = SparkSession(SparkContext(conf=settings, gateway=gateway))
        except BaseException as problem:
            end_own_session()
            if not isinstance(problem, Exception):
                raise
            # What Java says may be long, and may name more than the user's own settings.
            raise EngineError(
                "Spark did not start on {master} ({reason})",
                master=master,
                reason=type(problem).__name__,
            ) from None
    _started[:] = [master]
    return session


def _launched(settings: Any) -> Any:
    """Start Java, whose chatter stays away from the terminal: it may quote cells.

    Before it runs, it has read none; so what it says of its own start can be shown.
    """
    from pyspark import SparkContext  # noqa: PLC0415
    from pyspark.java_gateway import launch_gateway  # noqa: PLC0415

    if SparkContext._gateway is not None:
        return SparkContext._gateway
    if _launched_by_us:
        return _launched_by_us[0]
    is_shown = bool(os.environ.get(VARIABLE))
    chatter = private_folder() / fresh_name() if is_shown else Path(os.devnull)
    try:
        launch: Any = launch_gateway
        with chatter.open("wb") as quiet:
            gateway = launch(settings, popen_kwargs={"stdout": quiet, "stderr": quiet})
    except BaseException as problem:
        _end_half_started(problem)
        if not isinstance(problem, Exception):
            raise
        if is_shown and sys.stderr is not None:
            sys.stderr.write(chatter.read_text(errors="replace"))
        raise EngineError(
            "Spark did not start: Java may be too old (PySpark 4 needs Java 17 or newer), or a "
            "Spark setting is wrong; PETAUDIT_DEBUG=1 shows Java's output"
        ) from None
    _keep_py4j_quiet()
    _launched_by_us[:] = [gateway]
    atexit.register(_end_if_owner, os.getpid())
    return gateway


def _end_half_started(problem: BaseException) -> None:
    """End the Java that nobody speaks to yet, and that would run for ever.

    Nothing but the frames of the interrupted call knows it.
    """
    for frame, _ in traceback.walk_tb(problem.__traceback__):
        for name in ("proc", "self"):
            process = frame.f_locals.get(name)
            if isinstance(process, subprocess.Popen) and getattr(process, "pid", None):
                process.kill()
                process.wait()


def _keep_py4j_quiet() -> None:
    """The way to Java tells of every interrupted call, which the user has just interrupted."""
    logger = logging.getLogger("py4j")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    logging.getLogger().addFilter(_is_not_of_py4j)


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != "py4j"


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    has_java = Path(home, "bin", "java").is_file() if home else shutil.which("java") is not None
    if not has_java:
        raise EngineError(
            "Spark needs Java 17 or newer, and java was not found; install it, or set JAVA_HOME"
        )


def _end_if_owner(owner: int) -> None:
    # A forked child runs the exit functions of its parent, whose session is still in use.
    if os.getpid() == owner:
        end_own_session()


def _end_threads(gateway: Any) -> None:
    """End what py4j leaves running where Java is gone: at exit, threads keep modules alive."""
    from py4j.clientserver import SHUTDOWN_FINALIZER_WORKER  # noqa: PLC0415

    gateway.shutdown_callback_server()
    gateway._gateway_client.finalizer_deque.appendleft(SHUTDOWN_FINALIZER_WORKER)
    for thread in threading.enumerate():
        if type(thread).__module__.startswith("py4j."):
            thread.join(_SECONDS_TO_END)


def end_own_session() -> None:
    """Stop our session and wait until Java is gone, so that nothing is left in our folder."""
    _started.clear()
    if not _launched_by_us:
        return
    from pyspark import SparkContext  # noqa: PLC0415

    gateway = _launched_by_us.pop()
    _own_session.cache_clear()
    java = gateway.proc  # None where it is that of spark-submit, which ends after us
    with suppress(Exception):
        if (java is None or java.poll() is None) and SparkContext._active_spark_context is not None:
            SparkContext._active_spark_context.stop()
    with suppress(Exception):
        gateway.shutdown()
    with suppress(Exception):
        _end_threads(gateway)
    SparkContext._gateway = SparkContext._jvm = None
    SparkContext._active_spark_context = None
    if java is None:
        return
    with suppress(Exception):
        # Java ends when nobody speaks to it any more.
        java.stdin.close()
    try:
        java.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        java.kill()
        java.wait()
