"""A Spark of the tests' own: separate executor processes, all of it on this machine."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

MASTER = "local-cluster[2,1,1024]"
# Tables of tests are small and sessions short: what takes longer to prepare than to do is left out.
FOR_LITTLE_TABLES = {
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}
SETTINGS = FOR_LITTLE_TABLES | {
    "spark.master": MASTER,
    "spark.app.name": "tests of petaudit",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    # Not ours: what counts must not depend on it.
    "spark.sql.session.timeZone": "Asia/Taipei",
    # So that frames can have columns of this type.
    "spark.sql.timeType.enabled": "true",
    # Any port that is free, for frames of Spark Connect.
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",
}


def start(folder: Path) -> Any:
    """A session with two executors, whose files and logs are in the folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark import SparkConf, SparkContext  # noqa: PLC0415 (not everywhere)
        from pyspark.java_gateway import launch_gateway  # noqa: PLC0415
        from pyspark.sql import SparkSession  # noqa: PLC0415

        settings = SparkConf(loadDefaults=False)
        entry = SETTINGS | {"spark.local.dir": str(folder / "local")}
        for name, value in entry.items():
            settings.set(name, value)
        os.environ.update(environment(folder))
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        gateway = launch_gateway(settings, popen_kwargs=quiet)
        return SparkSession(SparkContext(conf=settings, gateway=gateway))


def environment(folder: Path) -> dict[str, str]:
    """What Spark finds in its environment: executors log into their home, so it is moved."""
    home = folder / "home"
    if not home.exists():
        home.mkdir(parents=True)
        package = importlib.util.find_spec("pyspark")
        assert package is not None
        assert package.origin is not None
        for entry in Path(package.origin).parent.iterdir():
            if entry.name != "work":
                (home / entry.name).symlink_to(entry)
    return {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }


def stop(session: Any) -> None:
    """Stop the session and wait until its Java is gone."""
    gateway = session.sparkContext._gateway
    session.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()
    try:
        gateway.proc.wait(20)
    except subprocess.TimeoutExpired:
        gateway.proc.kill()
