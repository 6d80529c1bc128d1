"""The one runner, and an audit of all measures that the inputs allow."""

from petaudit.auditing.runner import JUDGING, Audit, NotMeasured, Outcome, audit, run_measure

__all__ = ["JUDGING", "Audit", "NotMeasured", "Outcome", "audit", "run_measure"]
