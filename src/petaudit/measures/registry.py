"""The measures there are: ours and those of any installed package, found by entry point."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

from petaudit.errors import OptionError, listing, suggestion
from petaudit.measures.base import Family, Measure

GROUP = "petaudit.measures"
_FAMILIES = list(Family)


@cache
def all_measures() -> dict[str, Measure]:
    """Every registered measure by name, family by family."""
    measures: dict[str, Measure] = {}
    for entry in entry_points(group=GROUP):
        try:
            measure = _instance(entry.load())
        except (ImportError, AttributeError) as problem:
            raise OptionError(
                "the measure {name!r} ({entry}) cannot be loaded: {problem}",
                name=entry.name,
                entry=entry.value,
                problem=str(problem),
            ) from problem
        if not isinstance(measure, Measure):
            raise OptionError(
                "entry point {entry!r} of {group} is not a Measure", entry=entry.value, group=GROUP
            )
        if measure.name in measures and measures[measure.name] is not measure:
            raise OptionError("two packages register a measure named {name!r}", name=measure.name)
        measures[measure.name] = measure
    return {measure.name: measure for measure in sorted(measures.values(), key=_place)}


def listed_measures() -> dict[str, Measure]:
    """Those that a command line, a file and an audit of everything can ask for."""
    return {name: measure for name, measure in all_measures().items() if not measure.needs_code}


def usual_measures() -> dict[str, Measure]:
    """Those that an audit of everything runs, or names among what it left out."""
    return {name: measure for name, measure in listed_measures().items() if measure.is_mentioned}


@cache
def _instance(loaded: object) -> object:
    if isinstance(loaded, type) and issubclass(loaded, Measure):
        return loaded()
    return loaded


def _place(measure: Measure) -> tuple[int, int, str]:
    return (_FAMILIES.index(measure.family), measure.rank, measure.name)


def find_measure(name: str) -> Measure:
    """The measure of that name; an unknown name lists the known ones.

    >>> find_measure("precision").better.value
    'higher'
    """
    known = all_measures()
    wanted = str(name).strip().lower().replace("_", "-").replace(" ", "-")
    if wanted not in known:
        listed = listed_measures()
        raise OptionError(
            "unknown measure {name!r}{near}; measures are {known}",
            name=name,
            near=suggestion(wanted, listed),
            known=listing(list(listed), most=len(listed)),
        )
    return known[wanted]
