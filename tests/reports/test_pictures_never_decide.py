"""Pictures are extra: whatever becomes of one, figures, verdicts and exit codes stay the same."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path


def test_a_report_needs_no_more_memory_than_the_audit(tmp_path: Path) -> None:
    """Address space is bounded on clusters and CI machines; 2 GB is enough for the engine."""
    table, page = tmp_path / "table.csv", tmp_path / "audit.html"
    table.write_text("zip,age\n1,20\n1,20\n2,30\n2,30\n")
    asked = ["check", str(table), "--qi", "zip,age", "--k", "2", "--report", str(page)]
    done = subprocess.run(
        [sys.executable, "-m", "petaudit", *asked],
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)),
    )
    assert done.returncode == 0, done.stderr[-300:]
    assert "<svg" in page.read_text()
