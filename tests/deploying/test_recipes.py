"""The recipes of examples/deploying: exit codes become what each tool calls success and failure."""

from __future__ import annotations

import importlib.util
import os
import random
import re
import subprocess
import sys
import tarfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import duckdb
import jinja2
import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

import petaudit
from petaudit.cli.parser import build_parser

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "examples/deploying"
CODES = ("0", "1", "2", "143")


def loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, RECIPES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Programs that note what they were called with, and end with the code that they are told."""
    for name in ("petaudit", "dbt"):
        path = tmp_path / name
        path.write_text(
            f"#!/bin/sh\nprintf '%s\\n' \"$@\" > {tmp_path}/{name}.called\n"
            f"echo verdict; exit ${name.upper()}_CODE\n"
        )
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def called(programs: Path, name: str = "petaudit") -> list[str]:
    return (programs / f"{name}.called").read_text().splitlines()


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, **names: object) -> None:
    """A module of a program that is too large to be installed for a test."""
    monkeypatch.setitem(sys.modules, name, SimpleNamespace(**names))  # type: ignore[misc]


class Failed(Exception):  # noqa: N818
    """What is raised to fail a task for good."""


class Undecided(Exception):  # noqa: N818
    """What is raised to have a task tried again."""


def test_airflow(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks: dict[str, tuple[Callable[..., Any], tuple[object, ...], dict[str, Any]]] = {}

    def task(function: Callable[..., Any] | None = None, **options: Any) -> Any:
        if function is None:
            return partial(task, **options)

        def add(*given: object) -> str:
            tasks[function.__name__] = (function, given, options)
            return function.__name__

        return add

    stand_in(monkeypatch, "airflow.sdk", dag=lambda **_: lambda function: function, task=task)
    stand_in(
        monkeypatch,
        "airflow.sdk.exceptions",
        AirflowException=Undecided,
        AirflowFailException=Failed,
    )
    stand_in(monkeypatch, "airflow")
    loaded("airflow_dag")
    check, none, options = tasks["check_privacy"]
    assert (none, tasks["publish"][1]) == ((), ("check_privacy",))
    assert options["retries"] > 0
    ends: list[object] = []
    for code in CODES:
        monkeypatch.setenv("PETAUDIT_CODE", code)
        try:
            ends.append(check())
        except (Failed, Undecided) as problem:
            ends.append(type(problem))
    assert ends == ["verdict", Failed, Undecided, Undecided]
    assert build_parser().parse_args(called(programs)).log_format == "json"


def test_dagster(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def marked(function: Any = None, **_: Any) -> Any:
        return marked if function is None else function

    plain = ("AssetCheckResult", "Definitions", "RetryPolicy")
    stand_in(
        monkeypatch,
        "dagster",
        asset=marked,
        asset_check=marked,
        Failure=Undecided,
        **dict.fromkeys(plain, SimpleNamespace),
    )
    check = loaded("dagster_assets").privacy
    ends: list[object] = []
    for code in CODES:
        monkeypatch.setenv("PETAUDIT_CODE", code)
        try:
            ends.append(check().passed)
        except Undecided:
            ends.append(Undecided)
    assert ends == [True, False, Undecided, Undecided]
    assert build_parser().parse_args(called(programs)).log_format == "json"


@pytest.mark.parametrize(
    ("built", "audited", "code"), [(0, 0, 0), (0, 1, 1), (0, 2, 2), (1, 0, 1), (2, 0, 2)]
)
def test_an_audit_behind_dbt(
    built: int, audited: int, code: int, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBT_CODE", str(built))
    monkeypatch.setenv("PETAUDIT_CODE", str(audited))
    script = RECIPES / "dbt/build_and_audit.sh"
    done = subprocess.run([script, "a b.csv", "--qi", "zip"], capture_output=True, check=False)
    assert done.returncode == code
    assert called(programs, "dbt") == ["build"]
    if built:
        assert not (programs / "petaudit.called").exists()
    else:
        assert called(programs)[:4] == ["check", "a b.csv", "--qi", "zip"]
        assert build_parser().parse_args(called(programs)).log_format == "json"


def k_anonymity_of_dbt(table: pa.Table, names: list[str], k: int) -> list[int]:
    """What the generic test returns: it passes if that is nothing."""
    text = (RECIPES / "dbt/macros/test_k_anonymity.sql").read_text()
    # dbt's own tag is a macro of another name.
    text = re.sub(r"{% (end)?test", r"{% \1macro", text)
    environment = jinja2.Environment(autoescape=False)  # noqa: S701 (SQL, as dbt renders it)
    environment.globals["adapter"] = {"quote": lambda name: f'"{name}"'}
    query = environment.from_string(text).module.k_anonymity("the_table", names, k)  # type: ignore[attr-defined]
    with duckdb.connect() as connection:
        connection.register("the_table", table)
        return [size for (size,) in connection.execute(query).fetchall()]


def test_the_test_of_dbt_agrees_with_petaudit_or_is_stricter() -> None:
    chance = random.Random(22)  # noqa: S311 (no secret is made)
    ends: set[tuple[bool, bool]] = set()
    for cells in (["a", "b", None, "*"], ["a", " a", "", None]):
        for _ in range(15):
            rows = chance.randrange(1, 12)
            table = pa.table(
                {"zip code": chance.choices(cells, k=rows), "n": chance.choices([1, 2], k=rows)}
            )
            names = ["zip code", "n"]
            value = petaudit.k_anonymity(table, quasi_identifiers=names).value
            for k in (1, 2, 3):
                holds = value >= k
                passes = not k_anonymity_of_dbt(table, names, k)
                assert holds or not passes
                if " a" not in cells:
                    assert passes == holds
                ends.add((holds, passes))
    assert ends >= {(True, True), (False, False)}
    blank = pa.table({"zip": ["a", " a", "", None]})
    assert petaudit.k_anonymity(blank, quasi_identifiers="zip").value == 2
    assert k_anonymity_of_dbt(blank, ["zip"], 2) == [1] * 4
    assert k_anonymity_of_dbt(table.slice(0, 0), ["n"], 1) == [0]


def test_kubernetes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings, job = yaml.safe_load_all((RECIPES / "kubernetes-job.yaml").read_text())
    pod = job["spec"]["template"]["spec"]
    [container] = pod["containers"]
    given = build_parser().parse_args(container["args"])
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    assert mounts.keys() >= {"/tmp", str(Path(given.pipeline).parent), str(Path(given.out).parent)}  # noqa: S108
    assert {*mounts.values()} == {volume["name"] for volume in pod["volumes"]}
    assert [*settings["data"]] == [Path(given.pipeline).name]
    user = pod["securityContext"]["runAsUser"]
    assert f"USER {user}:{user}\n" in (ROOT / "Dockerfile").read_text()
    [fail, _] = job["spec"]["podFailurePolicy"]["rules"]
    assert fail["onExitCodes"]["containerName"] == container["name"]
    assert fail["onExitCodes"]["values"] == [1, 2]
    # The pipeline is one.
    cells = {"zip": ["1"] * 5, "age": ["2"] * 5, "disease": ["a", "b", "a", "b", "a"]}
    parquet.write_table(pa.table(cells), tmp_path / "t.parquet")
    monkeypatch.chdir(tmp_path)
    [text] = settings["data"].values()
    assert petaudit.Executor(text.replace("/data/released", "t")).run() == "passed"


USES_ONLY_THE_ARCHIVE = """
import sys, petaudit, pyarrow as pa
from pathlib import Path
folder = sys.argv[1]
table = pa.table({"zip": ["1"] * 3, "ill": ["a", "b", "c"]})
assert petaudit.k_anonymity(table, quasi_identifiers="zip").value == 3
assert Path(petaudit.__file__).is_relative_to(folder)
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("packed") / "environment.tar.gz"
    # Packing it tightly takes half a minute.
    loaded("pack_workers").pack(path, 0)
    return path


@pytest.mark.long
def test_the_environment_of_workers_is_complete(archive: Path, tmp_path: Path) -> None:
    folder = tmp_path / "unpacked"
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    done = subprocess.run(
        # Without the packages of that Python.
        [folder / "bin/python", "-S", "-c", USES_ONLY_THE_ARCHIVE, folder],
        # Not the Python of this environment, but the one that it was made of.
        env={"PATH": f"{sys.base_prefix}/bin:/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.long
@pytest.mark.spark
def test_spark_submit_with_the_environment_of_workers(archive: Path, tmp_path: Path) -> None:
    """Workers have no petaudit but the archive's, and are needed: there are 600 values."""
    home = importlib.util.find_spec("pyspark")
    if home is None or home.origin is None:
        pytest.skip("there is no PySpark")
    from spark.processes import own_environment  # noqa: PLC0415

    cells = {"zip": ["1", "2"] * 600, "pay": [row // 2 for row in range(1200)]}
    parquet.write_table(pa.table(cells), tmp_path / "t.parquet")
    settings = {
        "spark.pyspark.driver.python": sys.executable,
        "spark.pyspark.python": "./environment/bin/python",
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.log.level": "OFF",
    }
    done = subprocess.run(
        [
            Path(home.origin).parent / "bin/spark-submit",
            *("--master", "local-cluster[1,1,1024]", "--archives", f"{archive}#environment"),
            *(part for name in settings.items() for part in ("--conf", "=".join(name))),
            RECIPES / "spark_job.py",
            *("check", tmp_path / "t.parquet", "--qi", "zip", "--sensitive", "pay"),
            *("--measures", "k-anonymity,l-diversity", "--k", "600", "--l", "601", "--quiet"),
        ],
        env=own_environment(
            tmp_path,
            PATH=f"{sys.base_prefix}/bin:/usr/bin:/bin",
            SPARK_HOME=str(Path(home.origin).parent),
            SPARK_LOCAL_IP="127.0.0.1",
        ),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 1, done.stderr
    assert "1 of 2 limits breached: l-diversity is 600, must be at least 601" in done.stdout
