"""What is reported is what was measured: a file that changes meanwhile is an error, everywhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import petaudit
import petaudit.generalizing
from cli.conftest import Run
from petaudit.measures.base import Measure
from petaudit.pipelines.events import Event
from petaudit.singling.running import Run as Search
from petaudit.system import files

SAFE = "zip;age;disease\n1;20;flu\n1;20;cold\n1;20;flu\n1;20;cold\n"
UNSAFE = "zip;age;disease\n1;20;flu\n2;21;cold\n3;22;flu\n4;23;cold\n"
assert len(SAFE) == len(UNSAFE)
SAID = "petaudit: error: {} changed while it was being read; run again\n"
ROLES = ("--qi", "zip,age", "--sensitive", "disease")
CHECK = ("check", "t.csv", *ROLES, "--k", "2", "--measures", "k-anonymity")


def overwritten(path: Path) -> None:
    path.write_text(UNSAFE)


def replaced_with_the_same_size_and_time(path: Path) -> None:
    before = path.stat()
    other = path.with_name("other")
    other.write_text(UNSAFE)
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


def overwritten_with_the_time_put_back(path: Path) -> None:
    before = path.stat()
    path.write_text(UNSAFE)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def overwritten_and_put_back(path: Path) -> None:
    text = path.read_text()
    before = path.stat()
    overwritten_with_the_time_put_back(path)
    path.write_text(text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def removed(path: Path) -> None:
    path.unlink()


def pointed_elsewhere(path: Path) -> None:
    Path("elsewhere.csv").write_text(UNSAFE)
    path.unlink()
    path.symlink_to("elsewhere.csv")


CHANGES = (
    overwritten,
    replaced_with_the_same_size_and_time,
    overwritten_with_the_time_put_back,
    overwritten_and_put_back,
    removed,
    pointed_elsewhere,
)


@pytest.fixture
def after_measuring(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have something happen once something has been measured or made."""

    def arrange(happen: Callable[[], object]) -> None:
        def then(owner: Any, name: str) -> None:
            real = getattr(owner, name)

            def wrapped(*given: Any, **more: Any) -> Any:
                made = real(*given, **more)
                happen()
                return made

            monkeypatch.setattr(owner, name, wrapped)

        then(Measure, "run")
        then(Search, "find")
        then(petaudit.generalizing, "relabelled_table")

    return arrange


@pytest.fixture(autouse=True)
def tables() -> None:
    for name in ("t.csv", "original.csv", "control.csv", "population.csv"):
        Path(name).write_text(SAFE)
    Path("t.yaml").write_text("DATASET: {ATTRIBUTE_TYPE: {INSENSITIVE: [disease]}}\n")
    Path("levels").mkdir()
    Path("levels/hierarchy_zip.csv").write_text("1;*\n2;*\n3;*\n4;*\n")


@pytest.mark.parametrize("change", CHANGES)
def test_check(
    change: Callable[[Path], None], run: Run, after_measuring: Callable[..., None]
) -> None:
    after_measuring(lambda: change(Path("t.csv")))
    result = run(*CHECK, "--out", "out.json", "--format", "json", "--report", "out.html")
    assert (result.code, result.out, result.err) == (2, "", SAID.format("t.csv"))
    assert not Path("out.json").exists()
    assert not Path("out.html").exists()


def test_nothing_is_said_of_a_file_that_stays(run: Run) -> None:
    assert run(*CHECK).code == 0
    Path("link.csv").symlink_to("t.csv")
    assert run("check", "link.csv", *CHECK[2:]).code == 0


@pytest.mark.parametrize(
    ("option", "path"),
    [
        (("--original", "original.csv"), "original.csv"),
        (("--control", "control.csv"), "control.csv"),
        (("--population", "population.csv"), "population.csv"),
        (("--hierarchies", "levels"), "levels/hierarchy_zip.csv"),
        (("--hierarchies", "levels.yaml"), "levels.yaml"),
        ((), "t.yaml"),
    ],
)
def test_everything_that_check_reads(
    option: tuple[str, ...], path: str, run: Run, after_measuring: Callable[..., None]
) -> None:
    Path("levels.yaml").write_text("zip: {'1': '*'}\n")
    after_measuring(lambda: Path(path).write_text(UNSAFE))
    result = run(*CHECK, *option)
    assert (result.code, result.out, result.err) == (2, "", SAID.format(Path(path).name))


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", ["original.csv", "t.csv", "control.csv"])
def test_mpuccs(
    name: str, change: Callable[[Path], None], run: Run, after_measuring: Callable[..., None]
) -> None:
    Path("control.csv").write_text(UNSAFE.replace("flu", "mumps"))
    after_measuring(lambda: change(Path(name)))
    given = ("original.csv", "t.csv", "--control", "control.csv", "--quiet")
    result = run("mpuccs", *given, "--out", "out", "--report", "out.html")
    assert (result.code, result.out, result.err) == (2, "", SAID.format(name))
    assert not Path("out").exists()
    assert not Path("out.html").exists()


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", ["t.csv", "levels/hierarchy_zip.csv"])
def test_generalize(
    name: str, change: Callable[[Path], None], run: Run, after_measuring: Callable[..., None]
) -> None:
    after_measuring(lambda: change(Path(name)))
    result = run("generalize", "t.csv", "--levels", "zip=1", "--hierarchies", "levels")
    assert (result.code, result.out, result.err) == (2, "", SAID.format(Path(name).name))


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", ["t.csv", "t.yaml", "levels/hierarchy_zip.csv"])
@pytest.mark.parametrize("moment", ["started", "result"])
def test_run(moment: str, name: str, change: Callable[[Path], None]) -> None:
    Path("t.yaml").write_text(
        "DATASET: {ATTRIBUTE_TYPE: {QUASI_IDENTIFIER: [zip]}, HIERARCHY: levels}\n"
    )
    Path("p.yaml").write_text(
        "Loader: {t: {filepath: t.csv}}\nEvaluator: {k: {method: k-anonymity, limit: 2}}\n"
    )

    def listener(event: Event) -> None:
        if event.kind == moment:
            change(Path(name))

    executor = petaudit.Executor("p.yaml", out="out", listener=listener)
    with pytest.raises(petaudit.PetauditError, match="changed while it was being read"):
        executor.run()
    assert not Path("out/result.json").exists()
    assert not executor.is_execution_completed()


def test_python(after_measuring: Callable[..., None]) -> None:
    after_measuring(lambda: overwritten(Path("t.csv")))
    given = {"quasi_identifiers": ["zip"], "measures": "k-anonymity"}
    with pytest.raises(petaudit.PetauditError, match="changed while it was being read"):
        petaudit.audit("t.csv", **given)  # type: ignore[arg-type]
    with pytest.raises(petaudit.PetauditError, match="changed while it was being read"):
        petaudit.mpuccs("original.csv", "t.csv")


def test_an_audit_of_a_loaded_table_keeps_its_fingerprint() -> None:
    found = petaudit.audit("t.csv", quasi_identifiers=["zip"], measures="k-anonymity")
    before = files.sha256_of([Path("t.csv")])
    overwritten(Path("t.csv"))
    assert found.to_dict()["inputs"]["table"]["sha256"] == before


def as_parquet(text: str, path: str) -> None:
    Path("text.csv").write_text(text)
    table = csv.read_csv("text.csv", parse_options=csv.ParseOptions(delimiter=";"))
    parquet.write_table(table, path)


def test_a_table_that_is_read_again_for_pictures_must_stay() -> None:
    as_parquet(SAFE, "t.parquet")
    found = petaudit.audit("t.parquet", quasi_identifiers=["zip"], measures="k-anonymity")
    as_parquet(UNSAFE, "t.parquet")
    with pytest.raises(petaudit.PetauditError, match=r"t\.parquet changed while it was being read"):
        found.to_dict()


@pytest.mark.parametrize("name", ["folder", "folder/*.parquet"])
def test_a_file_that_joins_a_folder(
    name: str, run: Run, after_measuring: Callable[..., None]
) -> None:
    Path("folder").mkdir()
    as_parquet(SAFE, "folder/a.parquet")
    assert run("check", name, *CHECK[2:]).code == 0
    after_measuring(lambda: as_parquet(UNSAFE, "folder/b.parquet"))
    result = run("check", name, *CHECK[2:])
    assert (result.code, result.out, result.err) == (2, "", SAID.format("folder"))


def test_a_duckdb_file(run: Run, after_measuring: Callable[..., None]) -> None:
    for name, zips in (("a.duckdb", [1, 1, 1]), ("b.duckdb", [1, 2, 3])):
        table = pa.table({"zip": zips, "age": [2, 2, 2], "disease": ["a", "b", "a"]})
        with duckdb.connect(name) as connection:
            connection.register("given", table)
            connection.execute("CREATE TABLE t AS FROM given")
    after_measuring(lambda: Path("b.duckdb").replace("a.duckdb"))
    result = run("check", f"duckdb://{Path.cwd()}/a.duckdb?table=t", *CHECK[2:])
    assert (result.code, result.out, result.err) == (2, "", SAID.format("a.duckdb"))


def test_rows_in_the_log_of_a_duckdb_file_have_their_part_in_the_fingerprint() -> None:
    with duckdb.connect("a.duckdb") as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS zip")
        connection.execute("CHECKPOINT")
        connection.execute("INSERT INTO t VALUES (2)")
        # As it is after a crash: at the end the rows would be moved.
        for end in ("", ".wal"):
            Path(f"b.duckdb{end}").write_bytes(Path(f"a.duckdb{end}").read_bytes())
    Path("c.duckdb").write_bytes(Path("b.duckdb").read_bytes())
    with_log, without = (
        petaudit.audit(
            f"duckdb://{Path.cwd()}/{name}.duckdb?table=t",
            quasi_identifiers=["zip"],
            measures="k-anonymity",
        ).to_dict()["inputs"]["table"]
        for name in "bc"
    )
    assert (with_log["rows"], without["rows"]) == (2, 1)
    assert with_log["sha256"] != without["sha256"]


def test_a_change_that_no_clock_tells_is_seen_by_the_contents(
    monkeypatch: pytest.MonkeyPatch, run: Run, after_measuring: Callable[..., None]
) -> None:
    """As on a file system whose times have whole seconds, with the first write just before."""
    real = files._state
    seen: dict[Path, Any] = {}
    monkeypatch.setattr(files, "_state", lambda path: seen.setdefault(path, real(path)))
    assert run(*CHECK).code == 0
    after_measuring(lambda: overwritten(Path("t.csv")))
    result = run(*CHECK)
    assert (result.code, result.err) == (2, SAID.format("t.csv"))


def test_contents_are_read_once_more_only_while_the_clock_may_not_tell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = Path("t.csv")
    hashed: list[Path] = []
    real = files._sha256
    monkeypatch.setattr(files, "_sha256", lambda path: hashed.append(path) or real(path))
    hour = 3_600_000_000_000
    for now, most in ((path.stat().st_ctime_ns + 1, 2), (path.stat().st_ctime_ns + hour, 1)):
        monkeypatch.setattr(files.time, "time_ns", lambda now=now: now)
        hashed.clear()
        with files.unchanged() as watch:
            files.before_reading(path)
            assert files.fingerprint_of([path]) == real(path)
        assert len(hashed) == most
    # Once time has passed, one more look at the contents settles it.
    monkeypatch.setattr(files.time, "time_ns", lambda: path.stat().st_ctime_ns + 1)
    watch = files.Watch()
    watch.note(path)
    monkeypatch.setattr(files.time, "time_ns", lambda: path.stat().st_ctime_ns + hour)
    hashed.clear()
    watch.check()
    watch.check()
    assert len(hashed) == 1
