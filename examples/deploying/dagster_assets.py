"""An audit as a check of a Dagster asset: what depends on the asset waits until all limits hold.

Exit code 0 passes the check; 1, a limit is breached, fails it; 2, it could not be measured, is a
failure of the step, which its retry policy tries again.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from dagster import AssetCheckResult, Definitions, Failure, RetryPolicy, asset, asset_check

PIPELINE = Path(__file__).with_name("audit.yaml")
RESULTS = Path("/var/lib/petaudit/results")


def audit(pipeline: Path, results: Path) -> tuple[bool, str]:
    """Run the audit; whether all limits hold, and the verdict."""
    command = ["petaudit", "run", pipeline, "--out", results, "--quiet", "--log-format", "json"]
    # Standard error, an object a line without values of the data, goes to the log of the step.
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    verdict = done.stdout.strip()
    if done.returncode in (0, 1):
        return done.returncode == 0, verdict
    # 2, or the number of a signal: nothing is known about the table.
    raise Failure(f"undecided (exit code {done.returncode}) {verdict}".strip())


@asset
def released_table() -> None:
    """The table that audit.yaml names."""


@asset_check(
    asset=released_table, blocking=True, retry_policy=RetryPolicy(max_retries=2, delay=300)
)
def privacy() -> AssetCheckResult:
    """Whether all limits hold."""
    passed, verdict = audit(PIPELINE, RESULTS)
    return AssetCheckResult(passed=passed, metadata={"verdict": verdict})


@asset(deps=[released_table])
def publication() -> None:
    """What is made of the table once it has passed."""


definitions = Definitions(assets=[released_table, publication], asset_checks=[privacy])
