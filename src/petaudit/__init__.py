"""petaudit: how well a table protects people, and how much use it keeps.

>>> import petaudit
>>> petaudit.datasets.names()[0]
'adult'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from petaudit._version import __version__

if TYPE_CHECKING:
    from petaudit import datasets
    from petaudit.auditing import Audit, audit
    from petaudit.errors import PetauditError, PetauditWarning
    from petaudit.generalizing import generalize
    from petaudit.hierarchies import Hierarchies, Hierarchy, dates, mask_right, ordered, ranges
    from petaudit.measures.mpuccs import mpuccs
    from petaudit.measures.non_uniform_entropy import non_uniform_entropy
    from petaudit.measures.precision import precision
    from petaudit.measures.profitability import profitability
    from petaudit.measures.t_closeness import t_closeness
    from petaudit.pipelines.executor import Executor
    from petaudit.roles import Role, Roles
    from petaudit.singling.result import MpuccsResult
    from petaudit.synthesizing import synthesize

# Engines take a fifth of a second to import: each name is loaded when it is first used.
_HOMES = {
    "Audit": "petaudit.auditing",
    "Executor": "petaudit.pipelines.executor",
    "Hierarchies": "petaudit.hierarchies",
    "Hierarchy": "petaudit.hierarchies",
    "MpuccsResult": "petaudit.singling.result",
    "PetauditError": "petaudit.errors",
    "PetauditWarning": "petaudit.errors",
    "Role": "petaudit.roles",
    "Roles": "petaudit.roles",
    "audit": "petaudit.auditing",
    "dates": "petaudit.hierarchies",
    "generalize": "petaudit.generalizing",
    "mask_right": "petaudit.hierarchies",
    "mpuccs": "petaudit.measures.mpuccs",
    "non_uniform_entropy": "petaudit.measures.non_uniform_entropy",
    "ordered": "petaudit.hierarchies",
    "precision": "petaudit.measures.precision",
    "profitability": "petaudit.measures.profitability",
    "ranges": "petaudit.hierarchies",
    "synthesize": "petaudit.synthesizing",
    "t_closeness": "petaudit.measures.t_closeness",
}

__all__ = [
    "Audit",
    "Executor",
    "Hierarchies",
    "Hierarchy",
    "MpuccsResult",
    "PetauditError",
    "PetauditWarning",
    "Role",
    "Roles",
    "__version__",
    "audit",
    "datasets",
    "dates",
    "generalize",
    "mask_right",
    "mpuccs",
    "non_uniform_entropy",
    "ordered",
    "precision",
    "profitability",
    "ranges",
    "synthesize",
    "t_closeness",
]


def __getattr__(name: str) -> Any:
    if name == "datasets":
        return importlib.import_module("petaudit.datasets")
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'petaudit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
