"""Frames that a search on Spark comes back to: stored, so that nothing is made twice.

The id of a row is a hash of its cells. That no two different rows have the same one is checked, so
it is exact; and unlike a row number it is the same when Spark makes a lost partition anew.
"""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import narwhals.stable.v2 as nw
import pyarrow as pa

from petaudit.errors import EngineError, EngineLostError
from petaudit.tables._private_folder import private_folder
from petaudit.tables.engines.duckdb import fresh_name
from petaudit.tables.engines.spark_jobs import spark_failure, watched
from petaudit.tables.engines.spark_settings import is_local
from petaudit.tables.table_counts import TableCounts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SALTS: Final = 8


class SparkStore:
    """Keeps frames, and fetches small results.

    Where all of Spark is on this machine, a frame becomes files in the private folder: no executor
    that is lost takes them along. On a cluster the executors keep it on their disks, and what is
    lost is made again.
    """

    def __init__(self, counts: TableCounts) -> None:
        self._counts = counts
        self._session = counts.frame.to_native().sparkSession
        self._kept: list[tuple[DataFrame, Path | None]] = []
        context = getattr(self._session, "_sc", None)
        self._folder: Path | None = None
        if context is not None and is_local(str(context.master)):
            self._folder = private_folder() / fresh_name()
            self._folder.mkdir(mode=0o700)
        weakref.finalize(self, _release, self._kept, self._folder).atexit = False

    def keep(self, frame: DataFrame) -> DataFrame:
        """Store a frame."""
        if self._folder is None:
            from pyspark import StorageLevel  # noqa: PLC0415 (large)

            kept = frame.persist(StorageLevel.DISK_ONLY)
            self._kept.append((kept, None))
            # Made now, so that what it is made of can be dropped.
            self.fetch(kept.groupBy().count())
            return kept
        path = self._folder / fresh_name()
        try:
            watched(self._session, lambda: frame.write.parquet(path.as_uri()))
        except (EngineLostError, KeyboardInterrupt):
            raise
        except Exception as problem:
            # The message may quote cells, so only the kind of failure is passed on.
            raise EngineError(
                "spark failed while counting combinations ({reason})",
                reason=spark_failure(problem) or type(problem).__name__,
            ) from None
        stored: DataFrame = self._session.read.schema(frame.schema).parquet(path.as_uri())
        self._kept.append((stored, path))
        return stored

    def drop(self, frame: DataFrame | None) -> None:
        """Let go of a frame."""
        for place, (kept, path) in enumerate(self._kept):
            if kept is frame:
                del self._kept[place]
                _drop(kept, path)
                return

    def load(self, table: pa.Table) -> DataFrame:
        """Put a small table beside the data."""
        frame: DataFrame = self._session.createDataFrame(table)
        return frame

    def sql(self, query: str, **frames: DataFrame) -> DataFrame:
        """The frame of a query, in which other frames are ``{name}``."""
        # PySpark makes views of them for a moment, and Spark drops with a view what it keeps of the
        # same plan: a condition that always holds makes it another plan.
        views = {name: frame.where("true") for name, frame in frames.items()}
        result: DataFrame = self._session.sql(query, **views)
        return result

    def fetch(self, frame: DataFrame) -> pa.Table:
        """A result, which is small."""
        return self._counts.collected(nw.from_native(frame))

    def figures(self, frame: DataFrame) -> list[int]:
        """The whole numbers of a result of one row."""
        return [int(column[0].as_py() or 0) for column in self.fetch(frame).columns]

    def with_ids(self, frame: DataFrame, columns: Sequence[str], where: str) -> DataFrame:
        """Store a frame with a column ``id`` that tells its rows apart by some columns.

        It does so for the rows that fulfil a condition.
        """
        from pyspark.sql import functions as sql  # noqa: PLC0415 (large)

        # A null leaves a hash as it is, so whether there is one goes into it, too.
        cells = [cell for name in columns for cell in (sql.isnull(name), sql.col(name))]
        for salt in range(_SALTS):
            numbered = self.keep(frame.withColumn("id", sql.xxhash64(sql.lit(salt), *cells)))
            different = numbered.where(where).select("id", *columns).distinct()
            rows, ids = self.figures(
                different.agg(sql.count("*").alias("a"), sql.count_distinct("id").alias("b"))
            )
            if rows == ids:
                return numbered
            self.drop(numbered)
        raise EngineError("spark could not number the rows uniquely")

    def finish(self) -> None:
        """Let go of everything."""
        _release(self._kept, self._folder)


def _drop(frame: Any, path: Path | None) -> None:
    if path is not None:
        shutil.rmtree(path, ignore_errors=True)
    else:
        frame.unpersist()


def _release(kept: list[tuple[Any, Path | None]], folder: Path | None) -> None:
    while kept:
        try:
            _drop(*kept.pop())
        except Exception:
            # The session may have ended before.
            kept.clear()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
