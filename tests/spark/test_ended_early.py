"""Told to end while Java starts: nobody speaks to it yet, and it must not run for ever."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from spark.processes import descendants, petaudit, until

pytestmark = pytest.mark.spark


def test_java_does_not_outlive_the_program(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("zip;sick\n1;a\n2;b\n")
    process = petaudit(tmp_path, "check", table, "--qi", "zip", "--engine", "spark")
    # The private folder is made for Spark's own files, right before Java is started.
    until(lambda: list(tmp_path.glob("temporary/petaudit-*/petaudit_*")))
    until(lambda: list(descendants(process.pid)))
    java = list(descendants(process.pid))
    process.send_signal(signal.SIGTERM)
    out, said = process.communicate(timeout=60)
    assert (process.returncode, out, said) == (143, "", "petaudit: interrupted\n")
    until(lambda: not any(Path(f"/proc/{own}").exists() for own in java))
    assert list(tmp_path.glob("temporary/*")) == []
