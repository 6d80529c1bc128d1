"""Folders that Spark reads: partitions as DuckDB has them, tables with a log, and catalogues."""

from __future__ import annotations

from datetime import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from petaudit.errors import ColumnError, InputError
from petaudit.tables import open_source
from petaudit.tables.engines.spark_session import spark_session
from spark.test_files import told, written
from tables.test_folders import KEY, NULL, folder_of, odd_folder


def test_partitions_are_those_of_duckdb(spark: Any, tmp_path: Path) -> None:
    people = odd_folder(tmp_path / "t (1) [x]")
    (people / f"{KEY}=臺" / "notes.txt").write_text("stray")
    expected = told(people)
    assert told(people, engine="spark") == expected
    here, there = open_source(people), open_source(people, engine="spark")
    assert (here.sha256, here.notes) == (there.sha256, there.notes)


def test_partitions_at_an_address_are_the_same(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cities = ("01", "T %E8%87%BA", "A%3AB", NULL, "%zz", "[a]*'")
    people = folder_of(tmp_path / "t", *(f"_x %3D={city}/n=-3/d=2020-01-31" for city in cities))
    expected = told(people)
    assert told(f"file://{people}", engine="spark") == expected
    with monkeypatch.context() as elsewhere:
        # On a cluster, whose machines do not see links of ours.
        for module in ("spark_files", "spark_csv"):
            elsewhere.setattr(f"petaudit.tables.engines.{module}.is_local", lambda master: False)
        assert told(people, engine="spark") == expected
    folder_of(people, "other=1")
    with pytest.raises(InputError, match="its Parquet files are in folders of different names"):
        open_source(f"file://{people}", engine="spark")


def test_a_column_that_spark_cannot_read_hinders_nobody_else(spark: Any, tmp_path: Path) -> None:
    columns: dict[str, Any] = {
        "short": pa.array([1, 2, None], pa.time32("ms")),
        "zip": ["1", "1", "2"],
        "time": [time(1, 2, 3, 400_000), time(0), None],
        "small": pa.array([1, 2, 255], pa.uint8()),
        "fine": pa.array([1, 2, None], pa.timestamp("ns")),
        "kind": pa.array(["a", "b", None]).dictionary_encode(),
    }
    people = folder_of(tmp_path / "t", "m=1", "m=2", rows=pa.table(columns))
    here, there = open_source(people), open_source(people, engine="spark")
    assert here.columns == there.columns
    for name in ("zip", "time", "small", "kind", "m"):
        expected, found = here.counts.value_counts(name), there.counts.value_counts(name)
        assert (found.labels, [*found.counts]) == (expected.labels, [*expected.counts]), name
    for name, kind in (("short", r"time32\[ms\]"), ("fine", r"timestamp\[ns\]")):
        with pytest.raises(ColumnError, match=f"column '{name}' is of kind {kind}"):
            there.counts.value_counts(name)


def test_a_table_with_a_log_is_read_by_its_package_or_not_at_all(
    spark: Any, tmp_path: Path
) -> None:
    lake = folder_of(tmp_path / "lake", "m=1")
    (lake / "_delta_log").mkdir()
    for table in (str(lake), f"file://{lake}"):
        with pytest.raises(InputError, match=r"is a Delta table, which this Spark cannot read"):
            open_source(table, engine="spark")
    for table in (f"file://{lake}/*", f"file://{lake}/m=1", str(lake / "m=1")):
        with pytest.raises(InputError, match="is a Delta table, whose Parquet files also hold"):
            open_source(table, engine="spark")
    iceberg = folder_of(tmp_path / "iceberg", "data")
    (iceberg / "metadata").mkdir()
    (iceberg / "metadata" / "v1.metadata.json").touch()
    with pytest.raises(InputError, match="is an Iceberg table, which this Spark cannot read"):
        open_source(str(iceberg), engine="spark")
    with pytest.raises(InputError, match="is an Iceberg table, whose Parquet files also hold"):
        open_source(f"file://{iceberg}/data", engine="spark")


def test_a_package_for_tables_with_a_log_is_asked(spark: Any, tmp_path: Path) -> None:
    """A stand-in for Delta's own package, which says what rows are left."""
    from pyspark.sql.datasource import DataSource, DataSourceReader  # noqa: PLC0415 (an extra)

    class Left(DataSourceReader):
        def read(self, partition: object) -> Any:
            yield ("7",)

    class Delta(DataSource):
        @classmethod
        def name(cls) -> str:
            return "delta"

        def schema(self) -> str:
            return "zip string"

        def reader(self, schema: Any) -> Left:
            return Left()

    lake = folder_of(tmp_path / "lake", "")
    (lake / "_delta_log").mkdir()
    written(lake / "more.parquet", {"zip": ["8"]})
    spark_session(None).dataSource.register(Delta)
    for table in (str(lake), f"file://{lake}"):
        source = open_source(table, engine="spark")
        assert source.counts.value_counts("zip").labels == ("7",)
        assert "sha256" not in source.fingerprint()


def test_a_table_of_a_catalogue(spark: Any, tmp_path: Path) -> None:
    parquet.write_table(pa.table({"zip": ["1", "2", "2"]}), tmp_path / "a.parquet")
    spark.read.parquet(str(tmp_path)).createOrReplaceGlobalTempView("`odd``table.name`")
    for name in ('table://global_temp."odd`table.name"', 'TABLE://global_temp."odd`table.name"'):
        source = open_source(name, engine="spark")
        assert source.counts.value_counts("zip").labels == ("1", "2")
        assert source.fingerprint()["name"] == name
    for name in ("table://nowhere", "table://no.such.place"):
        with pytest.raises(InputError, match="Spark finds no such table"):
            open_source(name, engine="spark")
    for name in ("table://", "table://a..b", 'table://"a'):
        with pytest.raises(InputError, match=r"is named table://CATALOG\.SCHEMA\.NAME"):
            open_source(name, engine="spark")
    with pytest.raises(InputError, match="begins an address that Spark reads"):
        open_source("table://health.people")
