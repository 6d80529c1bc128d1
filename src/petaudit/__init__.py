"""petaudit: how well a table protects people, and how much use it keeps.

>>> import petaudit
>>> petaudit.datasets.names()[0]
'adult'
"""

from __future__ import annotations

import importlib
from importlib.metadata import entry_points
from typing import Any

from petaudit._version import __version__ as __version__

# Engines take a fifth of a second to import: each name is loaded when it is first used.
_HOMES = {
    "Anonymized": "petaudit.anonymizing.making",
    "Audit": "petaudit.auditing",
    "Executor": "petaudit.pipelines.executor",
    "Frontier": "petaudit.anonymizing.risk_utility",
    "Hierarchies": "petaudit.labels.hierarchies",
    "Hierarchy": "petaudit.labels.hierarchy",
    "MpuccsResult": "petaudit.measures.mpuccs",
    "PetauditError": "petaudit.errors",
    "PetauditWarning": "petaudit.errors",
    "Policy": "petaudit.judging.policy",
    "Role": "petaudit.roles",
    "Roles": "petaudit.roles",
    "Transformation": "petaudit.anonymizing.transformation",
    "anonymize": "petaudit.anonymizing.making",
    "apply": "petaudit.anonymizing.applying",
    "audit": "petaudit.auditing",
    "cuts": "petaudit.labels.grouping",
    "dates": "petaudit.labels.rules",
    "frontier": "petaudit.anonymizing.risk_utility",
    "generalize": "petaudit.generalizing",
    "guess_roles": "petaudit.starter",
    "keep": "petaudit.labels.grouping",
    "language": "petaudit.i18n.catalogue",
    "mask_right": "petaudit.labels.rules",
    "ordered": "petaudit.labels.rules",
    "policies": "petaudit.judging.policy",
    "propose_hierarchies": "petaudit.proposing",
    "quantiles": "petaudit.labels.grouping",
    "ranges": "petaudit.labels.rules",
    "rare": "petaudit.labels.grouping",
    "report": "petaudit.reports.writing",
    "set_language": "petaudit.system.languages",
    "set_memory": "petaudit.system.memory",
    "suppress": "petaudit.suppressing",
    "synthesize": "petaudit.synthesizing",
    "synthesize_private": "petaudit.synthesizing",
    "tree": "petaudit.labels.grouping",
}
"""Where names are; a measure is in the module of its name, and types are in ``__init__.pyi``."""


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted(["__version__", "datasets", *_HOMES, *_measures()])
    if name == "datasets":
        return importlib.import_module("petaudit.datasets")
    home = _HOMES.get(name)
    if home is None and not name.startswith("_") and name in _measures():
        home = f"petaudit.measures.{name}"
    if home is None:
        raise AttributeError(f"module 'petaudit' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))


def _measures() -> list[str]:
    """The functions of petaudit's own measures, as they are registered."""
    registered = entry_points(group="petaudit.measures")
    return [
        entry.name.replace("-", "_") for entry in registered if entry.value.startswith("petaudit.")
    ]
