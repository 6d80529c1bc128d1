"""The names of PETWorks on top of petaudit: same calls, same keys, no logic of its own."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from petaudit.errors import OptionError, PetauditWarning, listing, phrase, suggestion

if TYPE_CHECKING:
    from petaudit.measures import Result

__all__ = ["PETValidation", "report"]

# For k-anonymity, d-presence and the risk PETWorks leaves suppressed rows out; a warning says how
# many. Elsewhere they are a class, there and here.
_LEFT_OUT: Final = "exclude"
# What versions of PETWorks called the parameters: until 2023, and from December 2023.
_OTHER_NAMES: Final = {
    "recover": "original",
    "arg0": "original",
    "origin": "anonymized",
    "arg1": "anonymized",
    "metric": "tech",
}


def PETValidation(
    original: object = None, anonymized: object = None, tech: str | None = None, **keywords: Any
) -> dict[str, Any]:
    """Evaluate a de-identified table with one technique and return its PETWorks dictionary.

    The parameters have their names of all versions: ``metric`` is ``tech``, ``arg0`` and
    ``recover`` are the first table, ``arg1`` and ``origin`` the second.

    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["130**", "130**", "148**"]})
    >>> types = {"zip": "quasi_identifier"}
    >>> PETValidation(None, table, metric="k-anonymity", attributeTypes=types, k=2)
    {'k': 2, 'fulfill k-anonymity': False}
    """
    given = {"original": original, "anonymized": anonymized, "tech": tech}
    for other in [name for name in keywords if name in _OTHER_NAMES]:
        name = _OTHER_NAMES[other]
        if given[name] is not None:
            raise OptionError(
                "{other!r} is another name of {name!r}, which is already given",
                other=other,
                name=name,
            )
        given[name] = keywords.pop(other)
    return _evaluate(given["original"], given["anonymized"], str(given["tech"]), keywords)


def _evaluate(
    original: object, anonymized: object, tech: str, keywords: dict[str, Any]
) -> dict[str, Any]:
    wanted = tech.casefold()
    for name in _NOT_HERE:
        if name.casefold() == wanted:
            raise _lacking(name)
    known = {name.casefold(): name for name in _TECHNIQUES}
    if wanted not in known:
        raise OptionError(
            "unknown technique {name!r}{near}; techniques are {known}",
            name=tech,
            near=suggestion(tech, _TECHNIQUES),
            known=listing(list(_TECHNIQUES)),
        )
    technique = _TECHNIQUES[known[wanted]]
    required = technique.required
    accepted = (*technique.optional, *required)
    for name in keywords:
        if name not in accepted:
            raise OptionError(
                "{technique} takes no argument {name!r}{near}; it takes {known}",
                technique=tech,
                name=name,
                near=suggestion(name, accepted),
                known=listing(accepted),
            )
    missing = [name for name in required if keywords.get(name) is None]
    if missing:
        raise OptionError(
            "{technique} needs the argument(s) {names}", technique=tech, names=listing(missing)
        )
    return technique.evaluate(original, anonymized, **keywords)


@dataclass(frozen=True)
class _Technique:
    evaluate: Callable[..., dict[str, Any]]
    required: tuple[str, ...]
    optional: tuple[str, ...]


class NotInPetauditError(OptionError, ImportError):
    """A function or technique of PETWorks that petaudit lacks, and what to use instead."""


def _lacking(name: str) -> NotInPetauditError:
    return NotInPetauditError(
        "{name} of PETWorks is not here: {instead}", name=name, instead=_NOT_HERE[name]
    )


def __getattr__(name: str) -> NoReturn:
    # Python replaces the message of an AttributeError in ``from PETWorks import ...`` by its own.
    if name in _NOT_HERE:
        raise _lacking(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Evaluation(dict[str, Any]):
    """The dictionary of PETWorks, which remembers the result behind it for ``report``."""

    def __init__(self, shown: Mapping[str, Any], found: Result) -> None:
        super().__init__(shown)
        self.found = found


def report(
    result: Mapping[str, Any],
    format: str,  # noqa: A002 (the name users know)
    path: str | Path = "PETWorks-report.html",
) -> None:
    """Print a result as ``json``, or write it as one HTML file (``web``) and print where it is."""
    if format == "web":
        _writePage(result, path)
    elif format == "json":
        print(json.dumps(dict(result), indent=4))
    else:
        raise OptionError(
            "unknown report format {format!r}; formats are 'json' and 'web'", format=format
        )


def _writePage(result: Mapping[str, Any], path: str | Path) -> None:
    import petaudit

    if not isinstance(result, Evaluation):
        raise OptionError("the format 'web' needs what PETValidation returned, not a copy of it")
    petaudit.report(result.found, path)
    print(path)


def _tCloseness(
    original: object,
    anonymized: object,
    tLimit: float,
    dataHierarchy: Any = None,
    attributeTypes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    from petaudit import t_closeness

    result = t_closeness(anonymized, limit=tLimit, hierarchies=dataHierarchy, roles=attributeTypes)
    return Evaluation({"t": tLimit, "fulfill t-closeness": result.passed}, result)


def _nonUniformEntropy(
    original: object,
    anonymized: object,
    dataHierarchy: Any = None,
    attributeTypes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    result = _byHierarchies(
        "non-uniform-entropy", original, anonymized, dataHierarchy, attributeTypes
    )
    return Evaluation({"Non-Uniform Entropy": result.value}, result)


def _precision(
    original: object,
    anonymized: object,
    dataHierarchy: Any = None,
    attributeTypes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    result = _byHierarchies("precision", original, anonymized, dataHierarchy, attributeTypes)
    return Evaluation({"precision": result.value}, result)


def _byHierarchies(
    measure: str,
    original: object,
    anonymized: object,
    dataHierarchy: Any,
    attributeTypes: Mapping[str, str] | None,
) -> Result:
    from petaudit.inputs import gather
    from petaudit.measures import find_measure
    from petaudit.measures.base import announce

    inputs = gather(
        anonymized,
        original=original,
        hierarchies=dataHierarchy,
        roles=attributeTypes,
        # PETWorks measures every column of an explicit hierarchy folder; only when none is given
        # does a side-car speak.
        use_side_car=dataHierarchy is None,
    )
    result = find_measure(measure).run(inputs, {})
    announce(result)
    return result


def _profitability(
    original: object,
    anonymized: object,
    allowAttack: bool,
    adversaryCost: float,
    adversaryGain: float,
    publisherLost: float,
    publisherBenefit: float,
    dataHierarchy: Any = None,
    attributeTypes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    from petaudit import profitability

    result = profitability(
        anonymized,
        cost=adversaryCost,
        gain=adversaryGain,
        loss=publisherLost,
        benefit=publisherBenefit,
        allow_attack=allowAttack,
        hierarchies=dataHierarchy,
        roles=attributeTypes,
    )
    shown = {
        "allow attack": allowAttack,
        "adversary's cost": adversaryCost,
        "adversary's gain": adversaryGain,
        "publisher's loss": publisherLost,
        "publisher's benefit": publisherBenefit,
        "profitability": result.passed,  # the key of its Chinese document
        "isProfitable": result.passed,  # the key of its code
    }
    return Evaluation(shown, result)


def _kAnonymity(
    original: object,
    anonymized: object,
    k: int,
    dataHierarchy: Any = None,
    attributeTypes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    from petaudit import k_anonymity

    result = k_anonymity(
        anonymized, limit=k, hierarchies=dataHierarchy, roles=attributeTypes, suppressed=_LEFT_OUT
    )
    return Evaluation({"k": k, "fulfill k-anonymity": result.passed}, result)


def _lDiversity(
    original: object,
    anonymized: object,
    l: int,  # noqa: E741 (the name users know)
    dataHierarchy: Any = None,
    attributeTypes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    from petaudit import l_diversity

    result = l_diversity(anonymized, limit=l, hierarchies=dataHierarchy, roles=attributeTypes)
    return Evaluation({"l": l, "fulfill l-diversity": result.passed}, result)


def _dPresence(
    original: object,
    anonymized: object,
    dMin: float,
    dMax: float,
    dataHierarchy: Any = None,
    attributeTypes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    from petaudit import delta_presence
    from petaudit.exact.fractions import exact

    least, most = exact(dMin, "dMin"), exact(dMax, "dMax")
    # What PETWorks calls the original is the population that the sample is drawn from.
    result = delta_presence(
        anonymized,
        population=original,
        limit=most,
        least=min(least, most),
        hierarchies=dataHierarchy,
        roles=attributeTypes,
        suppressed=_LEFT_OUT,
    )
    # No share keeps bounds that cross, which PETWorks takes for an answer and not for a mistake.
    holds = bool(result.passed) and least <= most
    shown = {"dMin": dMin, "dMax": dMax, "d-presence": holds}
    return Evaluation(shown, replace(result, passed=holds))


def _ambiguity(
    original: object,
    anonymized: object,
    dataHierarchy: Any = None,
    attributeTypes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    result = _byHierarchies("ambiguity", original, anonymized, dataHierarchy, attributeTypes)
    return Evaluation({"ambiguity": result.value}, result)


def _AECS(
    original: object,
    anonymized: object,
    dataHierarchy: Any = None,
    attributeTypes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    from petaudit import average_class_size

    result = average_class_size(
        original, anonymized, hierarchies=dataHierarchy, roles=attributeTypes
    )
    return Evaluation({"AECS": result.value}, result)


def _reidentificationRisk(
    original: object, anonymized: object, attributeTypes: Mapping[str, str] | None = None
) -> dict[str, Any]:
    from petaudit import prosecutor_risk

    # PETWorks looks at its first argument only.
    data = anonymized if original is None else original
    if original is not None and anonymized is not None:
        warnings.warn(
            phrase(
                "ReidentificationRisk judges the first table, as in PETWorks; the second one was "
                "not looked at"
            ),
            PetauditWarning,
            stacklevel=4,
        )
    roles = attributeTypes or _allColumns(data)
    result = prosecutor_risk(data, roles=roles, suppressed=_LEFT_OUT)
    return Evaluation({"Re-identification Risk": result.value}, result)


def _allColumns(data: object) -> dict[str, str]:
    """PETWorks takes every column for known to the attacker here."""
    from petaudit.tables import open_source
    from PETWorks.attributetypes import QUASI_IDENTIFIER

    return dict.fromkeys(open_source(data).columns, QUASI_IDENTIFIER)


def _utilityBias(
    original: object, anonymized: object, processingFunc: Callable[[Any], float], maxBias: float
) -> dict[str, Any]:
    from petaudit import utility_bias

    result = utility_bias(original, anonymized, processingFunc, limit=maxBias)
    return Evaluation({"UtilityBias": result.passed}, result)


def _mpUCCs(original: object, synthetic: object, **options: Any) -> dict[str, Any]:
    from petaudit import mpuccs

    result = mpuccs(original, synthetic, **options)
    return Evaluation({**result.figures, "complete": result.complete}, result)


_HIERARCHICAL = ("dataHierarchy", "attributeTypes")
_TECHNIQUES: dict[str, _Technique] = {
    "t-closeness": _Technique(_tCloseness, ("tLimit",), _HIERARCHICAL),
    "Non-Uniform Entropy": _Technique(_nonUniformEntropy, (), _HIERARCHICAL),
    "profitability": _Technique(
        _profitability,
        ("allowAttack", "adversaryCost", "adversaryGain", "publisherLost", "publisherBenefit"),
        _HIERARCHICAL,
    ),
    "Precision": _Technique(_precision, (), _HIERARCHICAL),
    "k-anonymity": _Technique(_kAnonymity, ("k",), _HIERARCHICAL),
    "l-diversity": _Technique(_lDiversity, ("l",), _HIERARCHICAL),
    "d-presence": _Technique(_dPresence, ("dMin", "dMax"), _HIERARCHICAL),
    "Ambiguity": _Technique(_ambiguity, (), _HIERARCHICAL),
    "AECS": _Technique(_AECS, (), _HIERARCHICAL),
    "ReidentificationRisk": _Technique(_reidentificationRisk, (), ("attributeTypes",)),
    "UtilityBias": _Technique(_utilityBias, ("processingFunc", "maxBias"), ()),
    "mpUCCs": _Technique(
        _mpUCCs,
        (),
        (
            *("control", "max_baseline_cols", "n_cols", "min_entropy_delta", "field_decay_factor"),
            *("renyi_alpha", "numeric_precision", "datetime_precision", "calculate_baseline"),
            *("deduplicate", "time_limit", "threads", "seed", "progress"),
        ),
    ),
}

# What of PETWorks, functions and techniques, is not here, and what to use instead.
_OUT_OF_SCOPE: Final = phrase(
    "petaudit audits tables; federated learning, encryption and network traffic are out of scope"
)
_NO_SUCH_ATTACK: Final = phrase(
    "petaudit has no such attack on synthetic tables; PETWorks runs Anonymeter for it, and the "
    "technique 'mpUCCs' finds who is singled out"
)
_NOT_HERE: Final = {
    **dict.fromkeys(
        ("dataProcess", "FL", "HomomorphicEncryption", "TLSv1.2OrLater"), _OUT_OF_SCOPE
    ),
    "PETAnonymization": phrase(
        "petaudit.generalize applies the levels that you choose and suppresses small classes, but "
        "does not search for the best levels"
    ),
    "output": phrase("write a pandas frame with frame.to_csv(path, index=False, sep=';')"),
    "loadConfig": phrase(
        "PETValidation reads the side-car TABLE.yaml itself; what you give it comes first"
    ),
    "SinglingOutRisk": phrase(
        "use the technique 'mpUCCs'; its first table is the original, its second the synthetic one"
    ),
    "LinkabilityRisk": _NO_SUCH_ATTACK,
    "InferenceRisk": _NO_SUCH_ATTACK,
    "MIATest": phrase(
        "petaudit has no membership attack; the technique 'mpUCCs' with control=TABLE compares "
        "people of the original with people who were not used"
    ),
}
