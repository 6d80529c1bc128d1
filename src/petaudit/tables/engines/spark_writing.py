"""Tables that Spark writes, as folders of Parquet files: whole or not at all."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import InputError, OptionError
from petaudit.system.files import os_reason, refuse_impossible
from petaudit.tables._private_folder import remove_folder
from petaudit.tables.engines.spark_csv import spark_address
from petaudit.tables.engines.spark_files import is_uri, or_error, shown_uri

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SUFFIX: Final = ".parquet"
_SECONDS_TO_END: Final = 10.0
_PAUSE: Final = 0.05
_NAME: Final = "released.parquet"


def new_folder(given: str | Path) -> Path:
    """The folder that Spark is to write; an error if it cannot be that, before a long wait.

    >>> new_folder("s3a://key:secret@bucket/released.parquet")
    Traceback (most recent call last):
    petaudit.errors.OptionError: s3a://bucket/released.parquet: petaudit has Spark write folders \
of this machine only, which it checks as they were written; in Python \
petaudit.anonymize(...).table is a Spark frame, to be written anywhere with .write.parquet(...)
    """
    name = fspath(given)
    if is_uri(name):
        raise OptionError(
            "{path}: petaudit has Spark write folders of this machine only, which it checks as "
            "they were written; in Python petaudit.anonymize(...).table is a Spark frame, to be "
            "written anywhere with .write.parquet(...)",
            path=shown_uri(name),
        )
    folder = Path(name)
    if folder.suffix.lower() != _SUFFIX:
        raise OptionError(
            "{path!r}: Spark writes a folder of Parquet files, whose name ends in .parquet",
            path=name,
        )
    if os.path.lexists(folder):
        raise InputError(
            "{path!r} exists, and a folder that Spark writes replaces nothing: remove it, or "
            "choose another name",
            path=name,
        )
    return folder


def write_with_spark(frame: DataFrame, target: Path, check: Callable[[Path], object]) -> None:
    """Have Spark write a folder, which gets its name if ``check`` raises no error for it.

    Until then it is in a folder beside that name which only the user may look into.
    """
    session = frame.sparkSession
    try:
        refuse_impossible(target)
        # A cluster is told no hidden name.
        room = Path(tempfile.mkdtemp(prefix="petaudit-", dir=target.absolute().parent))
        try:
            address = spark_address(session, room, room)
            or_error(
                session,
                lambda: frame.write.parquet(f"{address}/{_NAME}"),
                lambda reason: InputError(
                    "cannot write {path!r} ({reason})", path=str(target), reason=reason
                ),
            )
            check(room / _NAME)
            (room / _NAME).rename(target)
        except BaseException:
            _until_idle(session)
            raise
        finally:
            remove_folder(room)
    except OSError as problem:
        raise InputError(
            "cannot write {path!r} ({reason})", path=str(target), reason=os_reason(problem)
        ) from None


def _until_idle(session: Any) -> None:
    """Wait for tasks that were told to end: one that opens its file late makes folders for it."""
    until = time.monotonic() + _SECONDS_TO_END
    with suppress(Exception):
        tracker = session.sparkContext._jsc.sc().statusTracker()
        while any(each.numRunningTasks() for each in tracker.getExecutorInfos()):
            if time.monotonic() > until:
                return
            time.sleep(_PAUSE)
