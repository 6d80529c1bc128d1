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
    from petaudit.auditing.policy import Policy, policies
    from petaudit.auditing.runner import Audit, audit
    from petaudit.errors import PetauditError, PetauditWarning
    from petaudit.generalizing import generalize
    from petaudit.i18n.catalogue import language
    from petaudit.labels.hierarchies import (
        Hierarchies,
        Hierarchy,
        dates,
        mask_right,
        ordered,
        ranges,
    )
    from petaudit.measures.alpha_k_anonymity import alpha_k_anonymity
    from petaudit.measures.ambiguity import ambiguity
    from petaudit.measures.association_change import association_change
    from petaudit.measures.attribute_squared_error import attribute_squared_error
    from petaudit.measures.average_class_size import average_class_size
    from petaudit.measures.beta_likeness import beta_likeness
    from petaudit.measures.delta_disclosure import delta_disclosure
    from petaudit.measures.delta_presence import delta_presence
    from petaudit.measures.discernibility import discernibility
    from petaudit.measures.distinction import distinction
    from petaudit.measures.distribution_distance import distribution_distance
    from petaudit.measures.enhanced_beta_likeness import enhanced_beta_likeness
    from petaudit.measures.entropy_l_diversity import entropy_l_diversity
    from petaudit.measures.granularity import granularity
    from petaudit.measures.journalist_risk import journalist_risk
    from petaudit.measures.k_anonymity import k_anonymity
    from petaudit.measures.k_map import k_map
    from petaudit.measures.l_diversity import l_diversity
    from petaudit.measures.marketer_risk import marketer_risk
    from petaudit.measures.model_utility import model_utility
    from petaudit.measures.mpuccs import mpuccs
    from petaudit.measures.non_uniform_entropy import non_uniform_entropy
    from petaudit.measures.population_uniqueness import population_uniqueness
    from petaudit.measures.precision import precision
    from petaudit.measures.profitability import profitability
    from petaudit.measures.prosecutor_risk import prosecutor_risk
    from petaudit.measures.record_squared_error import record_squared_error
    from petaudit.measures.recursive_l_diversity import recursive_l_diversity
    from petaudit.measures.sample_uniques import sample_uniques
    from petaudit.measures.special_uniques import special_uniques
    from petaudit.measures.strict_average_risk import strict_average_risk
    from petaudit.measures.suppression import suppression
    from petaudit.measures.t_closeness import t_closeness
    from petaudit.measures.utility_bias import utility_bias
    from petaudit.pipelines.executor import Executor
    from petaudit.reports.writing import report
    from petaudit.roles import Role, Roles
    from petaudit.singling.result import MpuccsResult
    from petaudit.starter import guess_roles
    from petaudit.synthesizing import synthesize
    from petaudit.system.languages import set_language
    from petaudit.system.memory import set_memory

# Engines take a fifth of a second to import: each name is loaded when it is first used.
_HOMES = {
    "Audit": "petaudit.auditing.runner",
    "Executor": "petaudit.pipelines.executor",
    "Hierarchies": "petaudit.labels.hierarchies",
    "Hierarchy": "petaudit.labels.hierarchies",
    "MpuccsResult": "petaudit.singling.result",
    "PetauditError": "petaudit.errors",
    "PetauditWarning": "petaudit.errors",
    "Policy": "petaudit.auditing.policy",
    "Role": "petaudit.roles",
    "Roles": "petaudit.roles",
    "alpha_k_anonymity": "petaudit.measures.alpha_k_anonymity",
    "ambiguity": "petaudit.measures.ambiguity",
    "association_change": "petaudit.measures.association_change",
    "attribute_squared_error": "petaudit.measures.attribute_squared_error",
    "audit": "petaudit.auditing.runner",
    "average_class_size": "petaudit.measures.average_class_size",
    "beta_likeness": "petaudit.measures.beta_likeness",
    "dates": "petaudit.labels.hierarchies",
    "delta_disclosure": "petaudit.measures.delta_disclosure",
    "delta_presence": "petaudit.measures.delta_presence",
    "discernibility": "petaudit.measures.discernibility",
    "distinction": "petaudit.measures.distinction",
    "distribution_distance": "petaudit.measures.distribution_distance",
    "enhanced_beta_likeness": "petaudit.measures.enhanced_beta_likeness",
    "entropy_l_diversity": "petaudit.measures.entropy_l_diversity",
    "generalize": "petaudit.generalizing",
    "granularity": "petaudit.measures.granularity",
    "guess_roles": "petaudit.starter",
    "journalist_risk": "petaudit.measures.journalist_risk",
    "k_anonymity": "petaudit.measures.k_anonymity",
    "k_map": "petaudit.measures.k_map",
    "l_diversity": "petaudit.measures.l_diversity",
    "language": "petaudit.i18n.catalogue",
    "marketer_risk": "petaudit.measures.marketer_risk",
    "mask_right": "petaudit.labels.hierarchies",
    "model_utility": "petaudit.measures.model_utility",
    "mpuccs": "petaudit.measures.mpuccs",
    "non_uniform_entropy": "petaudit.measures.non_uniform_entropy",
    "ordered": "petaudit.labels.hierarchies",
    "policies": "petaudit.auditing.policy",
    "population_uniqueness": "petaudit.measures.population_uniqueness",
    "precision": "petaudit.measures.precision",
    "profitability": "petaudit.measures.profitability",
    "prosecutor_risk": "petaudit.measures.prosecutor_risk",
    "ranges": "petaudit.labels.hierarchies",
    "record_squared_error": "petaudit.measures.record_squared_error",
    "recursive_l_diversity": "petaudit.measures.recursive_l_diversity",
    "report": "petaudit.reports.writing",
    "sample_uniques": "petaudit.measures.sample_uniques",
    "set_language": "petaudit.system.languages",
    "set_memory": "petaudit.system.memory",
    "special_uniques": "petaudit.measures.special_uniques",
    "strict_average_risk": "petaudit.measures.strict_average_risk",
    "suppression": "petaudit.measures.suppression",
    "synthesize": "petaudit.synthesizing",
    "t_closeness": "petaudit.measures.t_closeness",
    "utility_bias": "petaudit.measures.utility_bias",
}

__all__ = [
    "Audit",
    "Executor",
    "Hierarchies",
    "Hierarchy",
    "MpuccsResult",
    "PetauditError",
    "PetauditWarning",
    "Policy",
    "Role",
    "Roles",
    "__version__",
    "alpha_k_anonymity",
    "ambiguity",
    "association_change",
    "attribute_squared_error",
    "audit",
    "average_class_size",
    "beta_likeness",
    "datasets",
    "dates",
    "delta_disclosure",
    "delta_presence",
    "discernibility",
    "distinction",
    "distribution_distance",
    "enhanced_beta_likeness",
    "entropy_l_diversity",
    "generalize",
    "granularity",
    "guess_roles",
    "journalist_risk",
    "k_anonymity",
    "k_map",
    "l_diversity",
    "language",
    "marketer_risk",
    "mask_right",
    "model_utility",
    "mpuccs",
    "non_uniform_entropy",
    "ordered",
    "policies",
    "population_uniqueness",
    "precision",
    "profitability",
    "prosecutor_risk",
    "ranges",
    "record_squared_error",
    "recursive_l_diversity",
    "report",
    "sample_uniques",
    "set_language",
    "set_memory",
    "special_uniques",
    "strict_average_risk",
    "suppression",
    "synthesize",
    "t_closeness",
    "utility_bias",
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
