"""The names of PETWorks on top of petaudit: same calls, same keys, no logic of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import OptionError, listing, phrase, suggestion

if TYPE_CHECKING:
    from petaudit.measures import Result

__all__ = ["PETValidation", "report"]

# PETWorks leaves suppressed rows out as ARX does, and so are its published figures; petaudit itself
# takes them for a class. Where there are any, a warning says that they were left out.
_SUPPRESSED: Final = "exclude"


def PETValidation(
    original: object, anonymized: object, tech: str, **keywords: Any
) -> dict[str, Any]:
    """Evaluate a de-identified table with one technique and return its PETWorks dictionary."""
    known = {name.casefold(): name for name in _TECHNIQUES}
    if str(tech).casefold() not in known:
        raise OptionError(
            phrase(
                "unknown technique {name!r}{near}; techniques are {known}",
                name=str(tech),
                near=suggestion(str(tech), _TECHNIQUES),
                known=listing(list(_TECHNIQUES)),
            )
        )
    technique = _TECHNIQUES[known[str(tech).casefold()]]
    required = technique.required
    accepted = (*technique.optional, *required)
    for name in keywords:
        if name not in accepted:
            raise OptionError(
                phrase(
                    "{technique} takes no argument {name!r}{near}; it takes {known}",
                    technique=tech,
                    name=name,
                    near=suggestion(name, accepted),
                    known=listing(accepted),
                )
            )
    missing = [name for name in required if keywords.get(name) is None]
    if missing:
        raise OptionError(
            phrase(
                "{technique} needs the argument(s) {names}",
                technique=tech,
                names=listing(missing),
            )
        )
    return technique.evaluate(original, anonymized, **keywords)


@dataclass(frozen=True)
class _Technique:
    evaluate: Callable[..., dict[str, Any]]
    required: tuple[str, ...]
    optional: tuple[str, ...]


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
            phrase(
                "unknown report format {format!r}; formats are 'json' and 'web'",
                format=format,
            )
        )


def _writePage(result: Mapping[str, Any], path: str | Path) -> None:
    import petaudit

    if not isinstance(result, Evaluation):
        raise OptionError(
            phrase("the format 'web' needs what PETValidation returned, not a copy of it")
        )
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

    result = t_closeness(
        anonymized,
        limit=tLimit,
        hierarchies=dataHierarchy,
        roles=attributeTypes,
        suppressed=_SUPPRESSED,
    )
    return Evaluation({"t": tLimit, "fulfill t-closeness": result.passed}, result)


def _nonUniformEntropy(
    original: object,
    anonymized: object,
    dataHierarchy: Any = None,
    attributeTypes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    from petaudit import non_uniform_entropy

    result = non_uniform_entropy(
        original, anonymized, **_hierarchicalInputs(dataHierarchy, attributeTypes)
    )
    return Evaluation({"Non-Uniform Entropy": result.value}, result)


def _precision(
    original: object,
    anonymized: object,
    dataHierarchy: Any = None,
    attributeTypes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    from petaudit import precision

    result = precision(
        anonymized, original=original, **_hierarchicalInputs(dataHierarchy, attributeTypes)
    )
    return Evaluation({"precision": result.value}, result)


def _hierarchicalInputs(
    dataHierarchy: Any, attributeTypes: Mapping[str, str] | None
) -> dict[str, Any]:
    # PETWorks measures every column of an explicit hierarchy folder; only when none is given does a
    # side-car speak.
    return {
        "hierarchies": dataHierarchy,
        "roles": attributeTypes,
        "use_side_car": dataHierarchy is None,
    }


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
        suppressed=_SUPPRESSED,
    )
    shown = {
        "allow attack": allowAttack,
        "adversary's cost": adversaryCost,
        "adversary's gain": adversaryGain,
        "publisher's loss": publisherLost,
        "publisher's benefit": publisherBenefit,
        "profitability": result.passed,
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
        anonymized,
        limit=k,
        hierarchies=dataHierarchy,
        roles=attributeTypes,
        suppressed=_SUPPRESSED,
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

    result = l_diversity(
        anonymized,
        limit=l,
        hierarchies=dataHierarchy,
        roles=attributeTypes,
        suppressed=_SUPPRESSED,
    )
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
    from petaudit.exact import exact

    least, most = exact(dMin, "dMin"), exact(dMax, "dMax")
    # What PETWorks calls the original is the population that the sample is drawn from.
    result = delta_presence(
        anonymized,
        population=original,
        limit=most,
        least=min(least, most),
        hierarchies=dataHierarchy,
        roles=attributeTypes,
        suppressed=_SUPPRESSED,
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
    from petaudit import ambiguity

    result = ambiguity(
        anonymized, original=original, **_hierarchicalInputs(dataHierarchy, attributeTypes)
    )
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
    original: object,
    anonymized: object,
    attributeTypes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    from petaudit import prosecutor_risk

    data = original if anonymized is None else anonymized
    roles = attributeTypes or _allColumns(data)
    result = prosecutor_risk(data, roles=roles, suppressed=_SUPPRESSED)
    return Evaluation({"Re-identification Risk": result.value}, result)


def _allColumns(data: object) -> dict[str, str]:
    """PETWorks takes every column for known to the attacker here."""
    from petaudit.counts import open_source
    from PETWorks.attributetypes import QUASI_IDENTIFIER

    return dict.fromkeys(open_source(data).columns, QUASI_IDENTIFIER)


def _utilityBias(
    original: object,
    anonymized: object,
    processingFunc: Callable[[Any], float],
    maxBias: float,
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
