# Written by scripts/make_stub.py; do not edit.
from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict, Unpack

from petaudit import datasets as datasets
from petaudit._version import __version__ as __version__
from petaudit.exact.fractions import Number
from petaudit.inputs import RolesSpec, Suppressed
from petaudit.labels.hierarchies import HierarchySpec
from petaudit.measures import Result
from petaudit.auditing.runner import Audit as Audit
from petaudit.pipelines.executor import Executor as Executor
from petaudit.labels.hierarchies import Hierarchies as Hierarchies
from petaudit.labels.hierarchies import Hierarchy as Hierarchy
from petaudit.singling.result import MpuccsResult as MpuccsResult
from petaudit.errors import PetauditError as PetauditError
from petaudit.errors import PetauditWarning as PetauditWarning
from petaudit.auditing.policy import Policy as Policy
from petaudit.roles import Role as Role
from petaudit.roles import Roles as Roles
from petaudit.auditing.runner import audit as audit
from petaudit.labels.hierarchies import dates as dates
from petaudit.generalizing import generalize as generalize
from petaudit.i18n.catalogue import language as language
from petaudit.labels.hierarchies import mask_right as mask_right
from petaudit.labels.hierarchies import ordered as ordered
from petaudit.auditing.policy import policies as policies
from petaudit.labels.hierarchies import ranges as ranges
from petaudit.reports.writing import report as report
from petaudit.starter import guess_roles as guess_roles
from petaudit.system.languages import set_language as set_language
from petaudit.system.memory import set_memory as set_memory
from petaudit.synthesizing import synthesize as synthesize
from petaudit.measures.k_map import k_map as k_map
from petaudit.measures.delta_presence import delta_presence as delta_presence
from petaudit.measures.strict_average_risk import strict_average_risk as strict_average_risk
from petaudit.measures.profitability import profitability as profitability
from petaudit.measures.marketer_risk import marketer_risk as marketer_risk
from petaudit.measures.sample_uniques import sample_uniques as sample_uniques
from petaudit.measures.special_uniques import special_uniques as special_uniques
from petaudit.measures.distinction import distinction as distinction
from petaudit.measures.population_uniqueness import population_uniqueness as population_uniqueness
from petaudit.measures.mpuccs import mpuccs as mpuccs
from petaudit.measures.suppression import suppression as suppression
from petaudit.measures.precision import precision as precision
from petaudit.measures.granularity import granularity as granularity
from petaudit.measures.non_uniform_entropy import non_uniform_entropy as non_uniform_entropy
from petaudit.measures.ambiguity import ambiguity as ambiguity
from petaudit.measures.average_class_size import average_class_size as average_class_size
from petaudit.measures.attribute_squared_error import attribute_squared_error as attribute_squared_error
from petaudit.measures.record_squared_error import record_squared_error as record_squared_error
from petaudit.measures.distribution_distance import distribution_distance as distribution_distance
from petaudit.measures.association_change import association_change as association_change
from petaudit.measures.model_utility import model_utility as model_utility
from petaudit.measures.utility_bias import utility_bias as utility_bias

class _Arguments(TypedDict, total=False):
    control: object
    population: object
    roles: RolesSpec
    quasi_identifiers: Sequence[str] | str | None
    sensitive: Sequence[str] | str | None
    hierarchies: HierarchySpec
    key: str | None
    suppressed: Suppressed
    reveal_values: bool
    delimiter: str | None
    encoding: str | None
    engine: str | None
    spark_master: str | None
    person: str | None
    person_is_pseudonym: bool | None

class _WithOriginal(_Arguments, total=False):
    original: object

def k_anonymity(table: object, *, limit: Number | None = None, **inputs: Unpack[_WithOriginal]) -> Result: ...
def alpha_k_anonymity(table: object, *, limit: Number | None = None, k: int | None = None, worst: int = 5, **inputs: Unpack[_WithOriginal]) -> Result: ...
def l_diversity(table: object, *, limit: Number | None = None, worst: int = 5, **inputs: Unpack[_WithOriginal]) -> Result: ...
def entropy_l_diversity(table: object, *, limit: Number | None = None, worst: int = 5, **inputs: Unpack[_WithOriginal]) -> Result: ...
def recursive_l_diversity(table: object, *, limit: Number | None = None, l: int | None = None, worst: int = 5, **inputs: Unpack[_WithOriginal]) -> Result: ...
def t_closeness(table: object, *, limit: Number | None = None, distance: Literal['ordered', 'hierarchical', 'equal'] | Mapping[str, Literal['ordered', 'hierarchical', 'equal']] | None = None, worst: int = 5, **inputs: Unpack[_WithOriginal]) -> Result: ...
def beta_likeness(table: object, *, limit: Number | None = None, worst: int = 5, **inputs: Unpack[_WithOriginal]) -> Result: ...
def enhanced_beta_likeness(table: object, *, limit: Number | None = None, worst: int = 5, **inputs: Unpack[_WithOriginal]) -> Result: ...
def delta_disclosure(table: object, *, limit: Number | None = None, base: Literal['e', '2', 2] = 'e', absent: Literal['ignore', 'infinite'] = 'ignore', worst: int = 5, **inputs: Unpack[_WithOriginal]) -> Result: ...
def prosecutor_risk(table: object, *, limit: Number | None = None, figure: Literal['highest', 'average', 'at-risk'] = 'highest', threshold: Number = 0.2, **inputs: Unpack[_WithOriginal]) -> Result: ...
def journalist_risk(table: object, *, limit: Number | None = None, figure: Literal['highest', 'average', 'at-risk'] = 'highest', threshold: Number = 0.2, **inputs: Unpack[_WithOriginal]) -> Result: ...
def discernibility(original: object, table: object, *, limit: Number | None = None, **inputs: Unpack[_Arguments]) -> Result: ...
