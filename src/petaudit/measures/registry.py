"""The measures there are: ours and those of any installed package, found by entry point."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

from petaudit.errors import OptionError, listing, suggestion
from petaudit.measures.base import Family, Measure

GROUP = "petaudit.measures"
# What people ask first comes first; measures of other packages follow by name.
_ORDER = (
    *("k-anonymity", "k-map", "alpha-k-anonymity", "l-diversity", "entropy-l-diversity"),
    *("recursive-l-diversity", "t-closeness", "beta-likeness", "enhanced-beta-likeness"),
    *("delta-disclosure", "delta-presence", "strict-average-risk", "profitability"),
    *("prosecutor-risk", "journalist-risk", "marketer-risk", "sample-uniques"),
    *("special-uniques", "population-uniqueness", "mpuccs", "suppression", "precision"),
    *("granularity", "non-uniform-entropy", "ambiguity", "average-class-size", "discernibility"),
    *("attribute-squared-error", "record-squared-error", "distribution-distance"),
    *("association-change", "model-utility", "utility-bias"),
)
_FAMILIES = list(Family)


@cache
def all_measures() -> dict[str, Measure]:
    """Every registered measure by name, family by family."""
    found: dict[str, Measure] = {}
    for entry in entry_points(group=GROUP):
        try:
            measure = entry.load()
        except (ImportError, AttributeError) as problem:
            raise OptionError(
                f"the measure {entry.name!r} ({entry.value}) cannot be loaded: {problem}"
            ) from problem
        if not isinstance(measure, Measure):
            raise OptionError(f"entry point {entry.value!r} of {GROUP} is not a Measure")
        if measure.name in found and found[measure.name] is not measure:
            raise OptionError(f"two packages register a measure named {measure.name!r}")
        found[measure.name] = measure
    return {measure.name: measure for measure in sorted(found.values(), key=_place)}


def _place(measure: Measure) -> tuple[int, int, str]:
    known = _ORDER.index(measure.name) if measure.name in _ORDER else len(_ORDER)
    return (_FAMILIES.index(measure.family), known, measure.name)


def find_measure(name: str) -> Measure:
    """The measure of that name; an unknown name lists the known ones.

    >>> find_measure("precision").better.value
    'higher'
    """
    known = all_measures()
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    if wanted not in known:
        raise OptionError(
            f"unknown measure {name!r}{suggestion(wanted, known)}; measures are "
            f"{listing(list(known), most=len(known))}"
        )
    return known[wanted]
