"""An audit as a task of Airflow: what depends on it runs if all limits hold, and else does not.

Exit code 0 is success; 1, a limit is breached, fails at once, because another try would change
nothing; 2, it could not be measured, fails after the retries of the task. Put this file and
audit.yaml into the folder of DAGs, and petaudit into the environment of the workers.
"""

from __future__ import annotations

import logging
import subprocess
from datetime import timedelta
from pathlib import Path

from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowException, AirflowFailException

PIPELINE = Path(__file__).with_name("audit.yaml")
RESULTS = Path("/var/lib/petaudit/results")


def audit(pipeline: Path, results: Path) -> str:
    """Run the audit, and return its verdict."""
    command = ["petaudit", "run", pipeline, "--out", results, "--quiet", "--log-format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # An object a line, without values of the data.
    logging.getLogger(__name__).info("%s", done.stderr)
    verdict = done.stdout.strip()
    if done.returncode == 0:
        return verdict
    if done.returncode == 1:
        raise AirflowFailException(verdict)
    # 2, or 128 and the number of a signal: nothing is known about the table.
    raise AirflowException(f"undecided (exit code {done.returncode}) {verdict}".strip())


@dag(schedule=None, catchup=False, tags=["privacy"])
def release():
    """Audit a table before it is released."""

    @task(retries=2, retry_delay=timedelta(minutes=5))
    def check_privacy() -> str:
        return audit(PIPELINE, RESULTS)

    @task
    def publish(verdict: str) -> None:
        logging.getLogger(__name__).info("released: %s", verdict)

    publish(check_privacy())


release()
