"""The one runner, and an audit of all measures that the inputs allow."""

from petaudit.auditing.outcome import Audit, NotMeasured, Outcome
from petaudit.auditing.runner import Request, audit, run_audit, run_measure

__all__ = ["Audit", "NotMeasured", "Outcome", "Request", "audit", "run_audit", "run_measure"]
