"""The names of PETWorks on top of petaudit: same calls, same keys, no logic of its own."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

import petaudit
from petaudit.errors import OptionError, PetauditWarning, listing, phrase, suggestion

if TYPE_CHECKING:
    import pandas

    from petaudit.measures import Result

__all__ = ["PETAnonymization", "PETValidation", "output", "report"]

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
_SHARED: Final = {"dataHierarchy": "hierarchies", "attributeTypes": "roles"}
"""Arguments of most techniques, and what petaudit calls them."""
_Shown: TypeAlias = tuple[dict[str, Any], "Result"]
"""The dictionary of PETWorks, and the result behind it."""


class Evaluation(dict[str, Any]):
    """The dictionary of PETWorks, which remembers the result behind it for ``report``."""

    def __init__(self, shown: Mapping[str, Any], result: Result) -> None:
        super().__init__(shown)
        self.result = result


class NotInPetauditError(OptionError, ImportError):
    """A function or technique of PETWorks that petaudit lacks, and what to use instead."""


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
    technique = _find(str(given["tech"]))
    technique.check(str(given["tech"]), keywords)
    arguments = {_SHARED.get(name, name): value for name, value in keywords.items()}
    return Evaluation(*technique.evaluate(given["original"], given["anonymized"], **arguments))


def PETAnonymization(
    originalData: object, tech: str, *positional: Any, **keywords: Any
) -> pandas.DataFrame:
    """De-identify a table as ARX would by default, and return it as a pandas frame.

    ``PETAnonymization(originalData, tech, maxSuppressionRate, ...)`` searches for the levels with
    the smallest loss (geometric mean, a level per column) at which at most that share of the rows
    is suppressed. Techniques are ``k-anonymity`` (k), ``l-diversity`` (l), ``t-closeness`` (t) and
    ``d-presence`` (dMin, dMax, subsetData). Roles and hierarchies are those of the side-car of the
    table, else ``attributeTypes`` and ``dataHierarchy``, which may also stand before the rate.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": ["23", "24", "61", "62"]})
    >>> ages = {"age": {"23": "20s", "24": "20s", "61": "60s", "62": "60s"}}
    >>> PETAnonymization(table, "k-anonymity", 0.0, k=2, dataHierarchy=ages,
    ...                  attributeTypes={"age": "quasi_identifier"})["age"].tolist()
    ['20s', '20s', '60s', '60s']
    """
    names: tuple[str, ...] = ("maxSuppressionRate",)
    if len(positional) > 1:
        names = ("dataHierarchy", "attributeTypes", "maxSuppressionRate")
    given = dict(zip(names, positional, strict=False)) | keywords
    wanted = {name.casefold(): (name, own) for name, own in _ANONYMIZATIONS.items()}
    if str(tech).casefold() not in wanted or len(positional) > len(names):
        raise OptionError(
            "unknown technique {name!r}{near}; techniques are {known}",
            name=str(tech),
            near=suggestion(str(tech), _ANONYMIZATIONS),
            known=listing(list(_ANONYMIZATIONS)),
        )
    name, (measure, needed) = wanted[str(tech).casefold()]
    needs = ("maxSuppressionRate", *needed)
    _Technique(_kAnonymity, needs).check(name, given)
    shared = {_SHARED[old]: given[old] for old in _SHARED if given.get(old) is not None}
    # The configuration beside the data wins over arguments, as in PETWorks.
    for said in _configured(originalData):
        shared.pop(said, None)
    table, population = originalData, None
    options: dict[str, Any] = {"limit": given[needed[0]]}
    if measure == "delta-presence":
        table, population = given["subsetData"], originalData
        options = {"limit": given["dMax"], "least": given["dMin"]}
    made = petaudit.anonymize(
        table,
        options={measure: options},
        population=population,
        max_suppression=float(given["maxSuppressionRate"]),
        recoding="global",
        objective="loss-geometric",
        suppressed=_LEFT_OUT,
        **shared,
    )
    frame: pandas.DataFrame = made.released.to_pandas()
    return frame


def output(data: pandas.DataFrame, path: str | Path) -> None:
    """Write a frame as PETWorks does: separated by semicolons, without an index."""
    from petaudit.system.output import write_whole

    write_whole(Path(path), lambda file: data.to_csv(file, index=False, sep=";"))


def _configured(table: object) -> tuple[str, ...]:
    """What the side-car of a table says."""
    from petaudit.roles import read_side_car
    from petaudit.system.side_cars import side_car_path

    path = side_car_path(Path(table)) if isinstance(table, str | Path) else None
    if path is None:
        return ()
    said = read_side_car(path, Path(str(table)))
    is_said = {"roles": bool(said.roles.by_column), "hierarchies": bool(said.hierarchies())}
    return tuple(name for name, is_there in is_said.items() if is_there)


_ANONYMIZATIONS: Final = {
    "k-anonymity": ("k-anonymity", ("k",)),
    "l-diversity": ("l-diversity", ("l",)),
    "t-closeness": ("t-closeness", ("t",)),
    "d-presence": ("delta-presence", ("dMin", "dMax", "subsetData")),
}
"""The measure of each technique, and the arguments that it needs."""


def report(
    result: Mapping[str, Any],
    format: str,  # noqa: A002 (the name users know)
    path: str | Path = "PETWorks-report.html",
) -> None:
    """Print a result as ``json``, or write it as one HTML file (``web``) and print where it is."""
    if format not in ("json", "web"):
        raise OptionError(
            "unknown report format {format!r}; formats are 'json' and 'web'", format=format
        )
    if format == "json":
        print(json.dumps(dict(result), indent=4))
        return
    if not isinstance(result, Evaluation):
        raise OptionError("the format 'web' needs what PETValidation returned, not a copy of it")
    petaudit.report(result.result, path)
    print(path)


def __getattr__(name: str) -> NoReturn:
    # Python replaces the message of an AttributeError in ``from PETWorks import ...`` by its own.
    if name in _NOT_HERE:
        raise _lacking(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _lacking(name: str) -> NotInPetauditError:
    return NotInPetauditError(
        "{name} of PETWorks is not supported: {instead}", name=name, instead=_NOT_HERE[name]
    )


def _find(tech: str) -> _Technique:
    """Find a technique by its name in any case."""
    wanted = tech.casefold()
    for name in _NOT_HERE:
        if name.casefold() == wanted:
            raise _lacking(name)
    for name, technique in _TECHNIQUES.items():
        if name.casefold() == wanted:
            return technique
    raise OptionError(
        "unknown technique {name!r}{near}; techniques are {known}",
        name=tech,
        near=suggestion(tech, _TECHNIQUES),
        known=listing(list(_TECHNIQUES)),
    )


@dataclass(frozen=True)
class _Technique:
    """How a technique is computed, and the arguments that it takes beside the tables."""

    evaluate: Callable[..., _Shown]
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = tuple(_SHARED)

    def check(self, name: str, given: Mapping[str, Any]) -> None:
        accepted = (*self.optional, *self.required)
        for argument in given:
            if argument not in accepted:
                raise OptionError(
                    "{technique} takes no argument {name!r}{near}; it takes {known}",
                    technique=name,
                    name=argument,
                    near=suggestion(argument, accepted),
                    known=listing(accepted),
                )
        missing = [argument for argument in self.required if given.get(argument) is None]
        if missing:
            raise OptionError(
                "{technique} needs the argument(s) {names}", technique=name, names=listing(missing)
            )


def _tCloseness(original: object, anonymized: object, tLimit: float, **shared: Any) -> _Shown:
    result = petaudit.t_closeness(anonymized, limit=tLimit, **shared)
    return {"t": tLimit, "fulfill t-closeness": result.passed}, result


def _kAnonymity(original: object, anonymized: object, k: int, **shared: Any) -> _Shown:
    result = petaudit.k_anonymity(anonymized, limit=k, suppressed=_LEFT_OUT, **shared)
    return {"k": k, "fulfill k-anonymity": result.passed}, result


def _lDiversity(
    original: object,
    anonymized: object,
    l: int,  # noqa: E741 (the name users know)
    **shared: Any,
) -> _Shown:
    result = petaudit.l_diversity(anonymized, limit=l, **shared)
    return {"l": l, "fulfill l-diversity": result.passed}, result


def _byHierarchies(
    measure: str, key: str, original: object, anonymized: object, **shared: Any
) -> _Shown:
    from petaudit.inputs import gather
    from petaudit.measures import find_measure
    from petaudit.measures.base import announce

    # PETWorks measures every column of an explicit hierarchy folder; only when none is given does
    # a side-car speak.
    use_side_car = shared.get("hierarchies") is None
    inputs = gather(anonymized, original=original, use_side_car=use_side_car, **shared)
    result = find_measure(measure).run(inputs, {})
    announce(result)
    return {key: result.value}, result


def _profitability(
    original: object,
    anonymized: object,
    allowAttack: bool,
    adversaryCost: float,
    adversaryGain: float,
    publisherLost: float,
    publisherBenefit: float,
    **shared: Any,
) -> _Shown:
    result = petaudit.profitability(
        anonymized,
        cost=adversaryCost,
        gain=adversaryGain,
        loss=publisherLost,
        benefit=publisherBenefit,
        allow_attack=allowAttack,
        **shared,
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
    return shown, result


def _dPresence(
    original: object, anonymized: object, dMin: float, dMax: float, **shared: Any
) -> _Shown:
    from petaudit.exact.fractions import exact

    least, most = exact(dMin, "dMin"), exact(dMax, "dMax")
    # What PETWorks calls the original is the population that the sample is drawn from.
    result = petaudit.delta_presence(
        anonymized,
        population=original,
        limit=most,
        least=min(least, most),
        suppressed=_LEFT_OUT,
        **shared,
    )
    # No share keeps bounds that cross, which PETWorks takes for an answer and not for a mistake.
    holds = bool(result.passed) and least <= most
    return {"dMin": dMin, "dMax": dMax, "d-presence": holds}, replace(result, passed=holds)


def _AECS(original: object, anonymized: object, **shared: Any) -> _Shown:
    result = petaudit.average_class_size(original, anonymized, **shared)
    return {"AECS": result.value}, result


def _reidentificationRisk(
    original: object, anonymized: object, roles: Mapping[str, str] | None = None
) -> _Shown:
    # PETWorks looks at its first argument only.
    data = anonymized if original is None else original
    if original is not None and anonymized is not None:
        warnings.warn(
            phrase(
                "ReidentificationRisk judges the first table, as in PETWorks; the second one was "
                "ignored"
            ),
            PetauditWarning,
            stacklevel=3,
        )
    if not roles:
        from petaudit.tables import open_source
        from PETWorks.attributetypes import QUASI_IDENTIFIER

        # PETWorks takes every column for known to the attacker here.
        roles = dict.fromkeys(open_source(data).columns, QUASI_IDENTIFIER)
    result = petaudit.prosecutor_risk(data, roles=roles, suppressed=_LEFT_OUT)
    return {"Re-identification Risk": result.value}, result


def _utilityBias(
    original: object, anonymized: object, processingFunc: Callable[[Any], float], maxBias: float
) -> _Shown:
    result = petaudit.utility_bias(original, anonymized, processingFunc, limit=maxBias)
    return {"UtilityBias": result.passed}, result


def _mpUCCs(original: object, synthetic: object, **options: Any) -> _Shown:
    result = petaudit.mpuccs(original, synthetic, **options)
    return {**result.figures, "complete": result.complete}, result


_TECHNIQUES: Final = {
    "t-closeness": _Technique(_tCloseness, ("tLimit",)),
    "Non-Uniform Entropy": _Technique(
        partial(_byHierarchies, "non-uniform-entropy", "Non-Uniform Entropy")
    ),
    "profitability": _Technique(
        _profitability,
        ("allowAttack", "adversaryCost", "adversaryGain", "publisherLost", "publisherBenefit"),
    ),
    "Precision": _Technique(partial(_byHierarchies, "precision", "precision")),
    "k-anonymity": _Technique(_kAnonymity, ("k",)),
    "l-diversity": _Technique(_lDiversity, ("l",)),
    "d-presence": _Technique(_dPresence, ("dMin", "dMax")),
    "Ambiguity": _Technique(partial(_byHierarchies, "ambiguity", "ambiguity")),
    "AECS": _Technique(_AECS),
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
    "loadConfig": phrase(
        "PETValidation reads the side-car TABLE.yaml itself; your arguments take precedence"
    ),
    "SinglingOutRisk": phrase(
        "use the technique 'mpUCCs'; its first table is the original, its second the synthetic one"
    ),
    "LinkabilityRisk": _NO_SUCH_ATTACK,
    "InferenceRisk": _NO_SUCH_ATTACK,
    "MIATest": phrase(
        "petaudit has no membership attack; the technique 'mpUCCs' with control=TABLE compares "
        "people of the original with people not used for training"
    ),
}
