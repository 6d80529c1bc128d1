"""Files that Spark reads: the same tables as DuckDB reads, or a clear refusal."""

from __future__ import annotations

import gzip
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from petaudit import k_anonymity, l_diversity
from petaudit.cli import main
from petaudit.errors import ColumnError, EngineError, InputError, OptionError, PetauditError
from petaudit.tables import open_source
from petaudit.tables.engines import spark_session as _spark_session
from petaudit.tables.engines.spark_csv import _BLOCK, scan_csv
from petaudit.tables.engines.spark_settings import chosen_master, is_master, session_settings
from spark.processes import PATIENCE, petaudit


def written(path: Path, columns: dict[str, list[Any]]) -> Path:
    parquet.write_table(pa.table(columns), path)
    return path


def told(table: object, **given: Any) -> Any:
    """All that counting says of a table."""
    source = open_source(table, **given)
    values = {name: source.counts.value_counts(name) for name in source.columns}
    result = {name: (value.labels, value.counts.tolist()) for name, value in values.items()}
    classes = source.counts.class_histogram(source.columns)
    return source.columns, source.rows, result, classes.sizes.tolist(), classes.classes.tolist()


def rows_of(path: Path, **given: Any) -> Any:
    """The cells of a CSV file, each as text or nothing; Spark has no order of rows."""
    source = open_source(path, **given)
    cells = source.counts.frame.collect().to_arrow().to_pylist()
    return source.columns, sorted([*map(str, row.values())] for row in cells)


def outcome(path: Path, engine: str) -> Any:
    try:
        return rows_of(path, engine=engine)
    except PetauditError as problem:
        return f"{type(problem).__name__}: {problem}"


# --- Parquet -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["a b.parquet", "[x]*?{y}.parquet", "_hidden.parquet", "臺北%20#.parquet", "no suffix", "a\\b"],
)
def test_a_file_of_any_name_is_read(spark: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / "year=2020").mkdir()
    path = written(tmp_path / "year=2020" / name, {"a": ["x", "y", "x", None]})
    assert told(str(path), engine="spark")[:3] == (("a",), 4, {"a": (("x", "y", None), [2, 1, 1])})


def test_columns_of_any_name_and_kind_are_those_of_duckdb(spark: Any, tmp_path: Path) -> None:
    names = ["a.b", "`tick`", '"', "it's", "Zip", "zip", "ZIP", "值 段", "c1", " blank ", "a[0]"]
    moments = [datetime(2020, 1, 31, 23, 30), None, datetime(2020, 1, 31)]
    columns: dict[str, Any] = {
        name: [str(row * place // 3) for row in range(3)] for place, name in enumerate(names)
    }
    columns |= {
        "moment": pa.array(moments, pa.timestamp("us")),
        "instant": pa.array([entry and entry.replace(tzinfo=UTC) for entry in moments]),
        "number": [1.5, float("nan"), None],
        "small": pa.array([1, 2, None], pa.int8()),
        "unsigned": pa.array([1, 2**63, None], pa.uint64()),
        "code": pa.array(["x", None, "x"]).dictionary_encode(),
    }
    path = written(tmp_path / "table.parquet", columns)
    assert told(path, engine="spark") == told(path)


def test_a_folder_says_what_it_leaves_out(spark: Any, tmp_path: Path) -> None:
    for part in ("1", "2"):
        written(tmp_path / f"{part}.parquet", {"a": [part, "x"]})
    (tmp_path / "stray.csv").write_text("a\n9\n", encoding="utf-8")
    written(tmp_path / ".hidden.parquet", {"a": ["9"]})
    result = open_source(tmp_path, engine="spark")
    assert result.rows == 4
    assert result.notes == open_source(tmp_path).notes
    assert result.notes[0].endswith(": .hidden.parquet, stray.csv")
    (tmp_path / "more.csv").write_text("a\n9\n", encoding="utf-8")
    with pytest.raises(InputError, match="name the files that are the table"):
        open_source(tmp_path, engine="spark")


def test_a_folder_a_list_a_pattern_and_an_address_are_one_table(spark: Any, tmp_path: Path) -> None:
    paths = [written(tmp_path / f"{part}.parquet", {"a": [part, "z"]}) for part in "pq"]
    expected = {"a": (("p", "q", "z"), [1, 1, 2])}
    for table in (tmp_path, paths, str(tmp_path / "*.parquet"), f"file://{tmp_path}/"):
        assert told(table, engine="spark")[2] == expected
    fingerprint = open_source(tmp_path, engine="spark").fingerprint()
    assert fingerprint["sha256"] == open_source(tmp_path).fingerprint()["sha256"]
    assert fingerprint["engine"] == "pyspark"
    assert "sha256" not in open_source(f"file://{tmp_path}/", engine="spark").fingerprint()


def test_a_packed_file_is_read(spark: Any, tmp_path: Path) -> None:
    plain = written(tmp_path / "table.parquet", {"a": ["x", "y"]})
    packed = tmp_path / "packed.parquet.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert told(packed, engine="spark") == told(plain)


def test_bad_parquet_is_refused(spark: Any, tmp_path: Path) -> None:
    good = written(tmp_path / "good.parquet", {"a": ["x"] * 100})
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(good.read_bytes()[:60])
    other = written(tmp_path / "other.parquet", {"b": ["x"]})
    twice = tmp_path / "twice.parquet"
    parquet.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]), twice)
    with pytest.raises(InputError, match=r"bad\.parquet: cannot be read as Parquet"):
        open_source(bad, engine="spark")
    with pytest.raises(InputError, match=r"other\.parquet: its columns are not those of"):
        open_source([good, other], engine="spark")
    with pytest.raises(ColumnError, match="more than once"):
        open_source(twice, engine="spark")
    with pytest.raises(InputError, match=r"Spark cannot read it as Parquet \(PATH_NOT_FOUND\)"):
        open_source(f"file://{tmp_path}/nothing", engine="spark")
    with pytest.raises(InputError, match="Spark could not reach or read it") as refused:
        open_source("nofs://key:secret@host/table", engine="spark")
    assert "secret" not in str(refused.value)
    with pytest.raises(InputError, match=r"host\.invalid/table: Spark could not reach or read it"):
        open_source("hdfs://host.invalid/table", engine="spark")
    with pytest.raises(InputError, match="CSV is read from files of this machine only"):
        open_source("s3a://bucket/table.csv", engine="spark")
    with pytest.raises(InputError, match="does not exist"):
        open_source(tmp_path / "nothing.parquet", engine="spark")


# --- CSV -----------------------------------------------------------------------------------------

ALIKE = {
    "plain": b"a;b\n1;2\n",
    "no end": b"a;b\r\n1;2\r\n3;4",
    "carriage returns": b"a,b\r1,2\r3,4\r",
    "empty lines": b"a;b\n\n1;2\n\n3;4\n\n",
    "quotes": b'a;b\n"1;x";"say ""x"""\n"x" ;\\\n',
    "quotes within": b'a;b\nx"y;say "z"\n',
    "blanks before quotes": b'a;b\n "x;y";\t2\n',
    "empty cells": b'a;b\n;\n"";x\n NA ;null\n',
    "mark and blanks": "\ufeffa;b\n\u3000x\u00a0;😀\n#1;\u2028\n".encode(),
    "one column": b'a\n1\n""\n2\n',
    "only a header": b"a;b\n",
}
REFUSED_ALIKE = {
    "short line": b"a;b;c\n1;2;3\n1;2\n",
    "long line": b"a;b\n1;2\n1;2;3\n",
    "blank line": b"a;b\n1;2\n   \n3;4\n",
    "line break": b'a;b\n"x\ny";2\n3;4\n',
    "open quote": b'a;b\n"x;2\n3;4\n',
    "closed too early": b'a;b\n"x"y;2\n',
    "mixed line ends": b"a;b\n1;2\r\n3;4\n",
    "not UTF-8": b"a;b\n" + b"x;y\n" * 30_000 + b"\xff;2\n",
    "one name twice": b"a;a\n1;2\n",
}
REFUSED = {
    "an empty line in one column": b"a\n1\n\n2\n",
    "one more delimiter at the end": b"a;b\n1;2;\n",
    "control characters and blanks before quotes": b'a;b\n\x1c;2\n "x";2\n',
}


@pytest.mark.parametrize("name", ALIKE)
def test_csv_is_read_as_duckdb_reads_it(spark: Any, tmp_path: Path, name: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(ALIKE[name])
    assert rows_of(path, engine="spark") == rows_of(path)


@pytest.mark.parametrize("name", REFUSED_ALIKE)
def test_what_duckdb_refuses_is_refused_in_the_same_words(
    spark: Any, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(REFUSED_ALIKE[name])
    refusal = outcome(path, "spark")
    assert refusal == outcome(path, "duckdb")
    assert refusal.startswith(("InputError", "ColumnError"))


@pytest.mark.parametrize("name", REFUSED)
def test_what_spark_would_read_otherwise_is_refused(spark: Any, tmp_path: Path, name: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(REFUSED[name])
    assert outcome(path, "spark") == (
        f"InputError: {path}: Spark cannot read it as CSV; save it as Parquet first"
    )


def test_csv_in_another_encoding(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes("市;b\n臺北;1\n".encode("big5"))
    given = {"encoding": "big5", "delimiter": ";"}
    assert rows_of(path, engine="spark", **given) == rows_of(path, **given)
    assert open_source(path, engine="spark", **given).is_untyped


def test_a_file_is_looked_at_across_blocks(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    lines = b"aaaa;b\r\n" * (_BLOCK // 8 - 1)
    # The line end is cut in two by the end of the first block.
    path.write_bytes(lines + b"aaaa;bb\r\n" + b"aaaa;b\r\n" * 9)
    assert scan_csv(path, ";") == {"\r\n"}
    path.write_bytes(lines + b'aaaa;bb\r\n  \r\n; "x"\r\n')
    result = {"\r\n", "quotes", "blank lines", "blanks before quotes"}
    assert scan_csv(path, ";") == result
    path.write_bytes(b"x\r" * _BLOCK)
    assert scan_csv(path, ";") == {"\r"}


# --- sessions ------------------------------------------------------------------------------------


def test_a_session_of_the_caller_is_used_and_not_changed(spark: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "table.parquet", {"a": ["x", "y"], "A": ["x", "x"]})
    before = dict(spark.conf.getAll)
    assert k_anonymity(path, quasi_identifiers=["a", "A"], engine="spark").value == 1
    assert dict(spark.conf.getAll) == before
    assert spark.conf.get("spark.sql.session.timeZone") == "Asia/Taipei"
    assert _spark_session._started == []
    with pytest.raises(OptionError, match=r"'local\[3\]', and a session on 'local-cluster"):
        open_source(path, engine="spark", spark_master="local[3]")
    with pytest.raises(OptionError, match="the Spark master is empty"):
        open_source(path, engine="spark", spark_master=" ")


def test_a_frame_stays_on_its_own_engine(spark: Any) -> None:
    frame = spark.createDataFrame([("x",), ("y",)], ["a.b"])
    assert open_source(frame, engine="spark").counts.engine == "pyspark"
    with pytest.raises(OptionError, match="the engine is 'duckdb', but the frame is counted by"):
        open_source(frame, engine="duckdb")
    with pytest.raises(OptionError, match="the engine is 'spark', but the frame is counted by"):
        open_source(pa.table({"a": [1]}), engine="spark")


def test_a_column_of_nothing_but_nulls_is_text(spark: Any) -> None:
    frame = spark.sql("SELECT '1' AS zip, NULL AS age FROM range(3)")
    assert k_anonymity(frame, quasi_identifiers=["zip", "age"]).value == 3


def test_an_engine_that_there_is_not(tmp_path: Path) -> None:
    path = written(tmp_path / "table.parquet", {"a": ["x"]})
    with pytest.raises(
        OptionError, match=r"'duckdb' or 'spark', got 'sparc' \(did you mean 'spark'\?\)"
    ):
        open_source(path, engine="sparc")
    with pytest.raises(OptionError, match="a Spark master is given, but the engine is not Spark"):
        open_source(path, spark_master="yarn")


def test_a_master_without_spark(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "table.parquet", {"a": ["x"]})
    for command in (["check", path, "--qi", "a"], ["mpuccs", path, path], ["run", "x.yaml"]):
        assert main([*map(str, command), "--spark-master", "yarn"]) == 2
        assert "--spark-master is given without --engine spark" in capsys.readouterr().err


def test_without_pyspark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "table.parquet", {"a": ["x"]})
    for name in ("pyspark", "pyspark.sql"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(EngineError, match=r"not installed: pip install 'petaudit\[spark\]'"):
        open_source(path, engine="spark")


@pytest.mark.spark
def test_with_spark_connect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    path = written(tmp_path / "table.parquet", {"a": ["x"]})
    with pytest.raises(EngineError, match="uses Spark Connect, with which petaudit reads no files"):
        open_source(path, engine="spark")


@pytest.mark.spark
def test_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_spark_session, "_running_master", lambda: None)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    path = written(tmp_path / "table.parquet", {"a": ["x"]})
    with pytest.raises(EngineError, match="Spark needs Java 17 or newer, and java was not found"):
        open_source(path, engine="spark")
    with pytest.raises(OptionError, match="an address of Spark Connect"):
        open_source(path, engine="spark", spark_master="sc://host:15002")


MASTERS = (
    *("local", "local[4]", "local[*]", "local[2,3]", "local[*, 3]", "local-cluster[2, 1,1024]"),
    *("spark://host:7077", "spark://a.b-c.org:7077,10.0.0.1:7078", "spark://[::1]:7077", "yarn"),
    *("spark://a:7077,", "k8s://host", "k8s://host:6443", "k8s://http://10.0.0.1:8001"),
    *("k8s://https://rancher.org/k8s/clusters/c-1", "k8s://HTTPS://[fe80::1]:6443"),
)
NO_MASTERS = (
    *("locl", "local[x", "local[x]", "local[]", "local[0]", "local[2,]", "local[2", "local(2)"),
    *("local-cluster", "local-cluster[2,1]", "local[99999999999]", "Local", " yarn", "yarn-client"),
    *("spark:/127.0.0.1:7077", "spark://nohost", "spark://host:0x", "spark://host:", "spark://"),
    *("spark://:7077", "spark://a:7077,b", "spark://a:7077/", "spark://a_b:7077", "spark://a:0"),
    *("spark://a:70777", "spark://a:7077, b:7077", "k8s://", "k8s://http://", "k8s://ftp://host"),
    *("k8s:host", "mesos://host:5050", "http://host:7077", "hdfs://host"),
)


def test_what_a_master_looks_like() -> None:
    assert [entry for entry in MASTERS if not is_master(entry)] == []
    assert [entry for entry in NO_MASTERS if is_master(entry)] == []


@pytest.mark.parametrize("given", ["local[x", "spark:/127.0.0.1:7077", "spark://nohost", "k8s://"])
def test_what_is_no_master_is_refused_at_once(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "table.parquet", {"a": ["x"]})
    # Not even whether there is PySpark matters.
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(
        OptionError, match=f"{re.escape(repr(given))} is not a Spark master; expected"
    ):
        open_source(path, engine="spark", spark_master=given)


@pytest.mark.spark
def test_a_master_of_the_environment_is_looked_at_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PYSPARK_SUBMIT_ARGS", "SPARK_HOME", "SPARK_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(_spark_session, "_running_master", lambda: None)
    monkeypatch.setattr(_spark_session, "end_own_session", lambda: None)
    monkeypatch.setenv("MASTER", "spark://nohost")
    path = written(tmp_path / "table.parquet", {"a": ["x"]})
    with pytest.raises(OptionError, match="'spark://nohost' is not a Spark master"):
        open_source(path, engine="spark")


@pytest.mark.parametrize("given", ["spark://eve:hunter2@host:7077", "k8s://https://eve@host:1"])
def test_users_and_passwords_of_a_master_are_not_quoted(
    given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "table.parquet", {"a": ["x"]})
    asked = ("--engine", "spark", "--spark-master", given)
    assert main(["check", str(path), "--qi", "a", *asked]) == 2
    said = capsys.readouterr()
    assert "the Spark master contains an @" in said.err
    assert not re.search("eve|hunter2", said.out + said.err.replace("leave", ""))


@pytest.mark.spark
def test_yarn_needs_to_know_its_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.setattr(_spark_session, "_running_master", lambda: None)
    monkeypatch.setattr(_spark_session, "end_own_session", lambda: None)
    # Were anything started, it would be missed first.
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    path = written(tmp_path / "table.parquet", {"a": ["x"]})
    with pytest.raises(EngineError, match="yarn needs the variable HADOOP_CONF_DIR or YARN_CONF"):
        open_source(path, engine="spark", spark_master="yarn")
    (tmp_path / "spark-env.sh").write_text("export YARN_CONF_DIR=/etc/hadoop\n", encoding="utf-8")
    with pytest.raises(EngineError, match="java was not found"):
        open_source(path, engine="spark", spark_master="yarn")
    (tmp_path / "spark-env.sh").unlink()
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    with pytest.raises(EngineError, match="java was not found"):
        open_source(path, engine="spark", spark_master="yarn")


@pytest.mark.spark
def test_a_java_that_does_not_start_spark(tmp_path: Path) -> None:
    path = written(tmp_path / "table.parquet", {"a": ["x"]})
    (tmp_path / "bin").mkdir()
    java = tmp_path / "bin" / "java"
    java.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    java.chmod(0o755)
    running = petaudit(
        *(tmp_path, "check", path, "--qi", "a", "--engine", "spark", "--spark-master", "local[1]"),
        JAVA_HOME=str(tmp_path),
    )
    said, complained = running.communicate(timeout=PATIENCE)
    assert (running.returncode, said) == (2, "")
    assert complained == (
        "petaudit: error: Spark did not start: Java may be too old (PySpark 4 needs Java 17 or "
        "newer), or a Spark setting is wrong; PETAUDIT_DEBUG=1 shows Java's output\n"
    )


@pytest.mark.spark
def test_what_java_says_of_its_start_is_shown_on_request(tmp_path: Path) -> None:
    path = written(tmp_path / "table.parquet", {"a": ["x"]})
    (tmp_path / "bin").mkdir()
    java = tmp_path / "bin" / "java"
    java.write_text("#!/bin/sh\necho no such option >&2\nexit 1\n", encoding="utf-8")
    java.chmod(0o755)
    running = petaudit(
        *(tmp_path, "check", path, "--qi", "a", "--engine", "spark", "--spark-master", "local[1]"),
        JAVA_HOME=str(tmp_path),
        PETAUDIT_DEBUG="1",
    )
    _, complained = running.communicate(timeout=PATIENCE)
    assert running.returncode == 2
    assert "no such option\n" in complained
    assert "petaudit: error: Spark did not start: Java may be too old" in complained


def test_the_master_is_the_given_one_or_that_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MASTER", "PYSPARK_SUBMIT_ARGS", "SPARK_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert chosen_master(None) == "local[*]"
    monkeypatch.setenv("MASTER", "local[7]")
    assert chosen_master(None) == "local[7]"
    (tmp_path / "spark-defaults.conf").write_text(
        "# where\nspark.master   yarn\nspark.driver.memory=7g\n", encoding="utf-8"
    )
    assert chosen_master(None) == "yarn"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--master local[5] pyspark-shell")
    assert chosen_master(None) == "local[5]"
    assert chosen_master("local[2]") == "local[2]"
    ours = session_settings("local[2]", tmp_path)
    assert ours["spark.driver.bindAddress"] == "127.0.0.1"
    assert ours["spark.local.dir"] == str(tmp_path)
    assert "spark.driver.memory" not in ours
    elsewhere = session_settings("yarn", tmp_path)
    assert elsewhere["spark.log.level"] == "OFF"
    assert elsewhere.keys() - ours.keys() == set()
    assert ours.keys() - elsewhere.keys() == {
        *("spark.driver.host", "spark.driver.bindAddress", "spark.local.dir")
    }


def test_a_cluster_elsewhere_finds_only_files_as_they_are(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("petaudit.tables.engines.spark_csv.is_local", lambda master: False)
    path = tmp_path / "table.csv"
    path.write_bytes(b"a;b\n1;2\n")
    assert rows_of(path, engine="spark") == (("a", "b"), [["1", "2"]])
    packed = tmp_path / "table.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(InputError, match="every machine must be able to read the file"):
        open_source(packed, engine="spark")


def test_what_spark_says_of_a_line_is_not_passed_on(spark: Any, tmp_path: Path) -> None:
    """The file changes after it was opened, as files do."""
    path = tmp_path / "table.csv"
    path.write_bytes(b"a;b\n1;2\n")
    source = open_source(path, engine="spark")
    path.write_bytes(b"a;b\nsecret;2;3\n")
    with pytest.raises(EngineError, match=r"failed while counting \([A-Z][A-Za-z_.]+\)") as failed:
        source.counts.value_counts("a")
    assert "secret" not in str(failed.value)


def test_texts_that_a_collation_takes_for_equal_are_told_apart(spark: Any, tmp_path: Path) -> None:
    """In a frame, and in a file that Spark wrote from one."""
    frame = spark.sql(
        "SELECT zip COLLATE UTF8_LCASE AS zip, sick COLLATE UNICODE_CI AS sick, n FROM VALUES "
        "('ab', 'x', 1), ('AB', 'X', 1), (' aB ', 'y', 1), ('Ab', 'Y', 2) AS t(zip, sick, n)"
    )
    frame.write.parquet(str(tmp_path / "collated"))
    for table in (frame, spark.read.parquet(str(tmp_path / "collated"))):
        assert k_anonymity(table, quasi_identifiers="zip").value == 1
        assert l_diversity(table, quasi_identifiers="n", sensitive="sick").value == 1
        assert len(open_source(table).counts.value_counts("sick").labels) == 4


def test_a_pipeline_reads_an_address(spark: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "people.parquet", {"zip": ["1", "1", "2", "2"], "sick": [*"xyxy"]})
    pipeline = tmp_path / "audit.yaml"
    pipeline.write_text(
        f"""
Loader:
  people:
    filepath: file://{path}
    roles: {{quasi_identifier: [zip], sensitive_attribute: [sick]}}
Evaluator:
  k: {{method: k-anonymity, limit: 2}}
"""
    )
    out = tmp_path / "out"
    assert main(["run", str(pipeline), "--engine", "spark", "--out", str(out)]) == 0
    document = (out / "result.json").read_text()
    assert f'"file://{path}"' in document
    assert '"pyspark"' in document
    assert '"opened"' in document
