"""Rules as text: what YAML files and side-cars say of a column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from petaudit.errors import HierarchyError, OptionError, joined, suggestion
from petaudit.labels.grouping import cuts, keep, quantiles, rare, tree
from petaudit.labels.rules import PathRule, Rule, dates, mask_right, ordered, ranges

_RULE_OPTIONS: dict[str, frozenset[str]] = {
    "ranges": frozenset({"origin", "bottom", "top", "closed", "written", "other"}),
    "mask": frozenset({"mark", "levels", "other"}),
    "dates": frozenset({"written", "other"}),
    "ordered": frozenset({"groups", "other"}),
    "cuts": frozenset({"closed", "written", "other"}),
    "quantiles": frozenset({"closed", "written", "other"}),
    "rare": frozenset({"other"}),
    "keep": frozenset({"other"}),
    "tree": frozenset({"other"}),
}
_OF_LISTS: dict[str, Callable[..., PathRule]] = {
    "ranges": ranges,
    "dates": dates,
    "cuts": cuts,
    "quantiles": quantiles,
    "rare": rare,
    "keep": keep,
}
"""Rules that are called with the items of a list."""
RULE_EXAMPLES = {
    "ranges": "{ranges: [5, 10]}",
    "mask": "{mask: right}",
    "dates": "{dates: [month, year]}",
    "ordered": "{ordered: [low, mid, high], groups: [2]}",
    "cuts": "{cuts: [[18, 40, 65], [40]]}",
    "quantiles": "{quantiles: [8, 4, 2]}",
    "rare": "{rare: [10, 5%]}",
    "keep": "{keep: [[A, B, C], [A]]}",
    "tree": "{tree: {Europe: [Paris, Rome], America: [Lima]}}",
}


def parse_rule(attribute: str, entry: Mapping[Any, Any], base: Path = Path()) -> Rule | None:
    """Read a rule in its text form; None where the entry maps leaves to labels.

    Names of files are relative to a folder.
    """
    name = next((key for key in _RULE_OPTIONS if key in entry), None)
    if name is None:
        _refuse_mistyped(attribute, entry)
        return None
    options = {key: value for key, value in entry.items() if key != name}
    unknown = [str(key) for key in options if key not in _RULE_OPTIONS[name]]
    try:
        if unknown and not _is_rule(name, entry[name]):
            # A leaf that happens to have the name of a rule, among other leaves.
            return None
        if unknown:
            raise OptionError(
                "unknown option {name!r}{near}",
                name=unknown[0],
                near=suggestion(unknown[0], _RULE_OPTIONS[name]),
            )
        rule = _make_rule(name, entry[name], options, base)
        return rule if rule.form or rule.fixed else replace(rule, form=dict(entry))
    except OptionError as problem:
        raise HierarchyError(
            "rule {name} for {column!r}: {problem}",
            name=name,
            column=attribute,
            problem=problem.text,
        ) from None


def _refuse_mistyped(attribute: str, entry: Mapping[Any, Any]) -> None:
    """Refuse what is nearly the name of a rule, with nothing beside it but options of that rule."""
    for key in entry:
        near = [
            name
            for name in _RULE_OPTIONS
            if str(key).casefold().startswith(name.removesuffix("s"))
            or get_close_matches(str(key).casefold(), [name])
        ]
        if near and all(other == key or other in _RULE_OPTIONS[near[0]] for other in entry):
            raise HierarchyError(
                "unknown rule {name!r} for {column!r} (did you mean {near!r}?); rules are {rules}",
                name=str(key),
                column=attribute,
                near=near[0],
                rules=joined(list(_RULE_OPTIONS)),
            )


def _is_rule(name: str, argument: object) -> bool:
    try:
        _make_rule(name, argument, {})
    except OptionError:
        return False
    return True


def _make_rule(
    name: str, argument: object, options: Mapping[str, Any], base: Path = Path()
) -> PathRule:
    if name in _OF_LISTS:
        return _OF_LISTS[name](*_as_list(argument), **options)
    if name == "tree" and isinstance(argument, str):
        return tree(base / argument, **options)
    if name == "tree" and isinstance(argument, Mapping | list | tuple):
        return tree(argument, **options)
    if name == "tree":
        raise OptionError(
            "tree must be a mapping, a list or a YAML file, got {tree!r}", tree=argument
        )
    if name == "ordered":
        others = {key: value for key, value in options.items() if key != "groups"}
        return ordered(_as_list(argument), *_as_list(options.get("groups", [])), **others)
    if argument != "right":
        raise OptionError("mask must be 'right', got {mask!r}", mask=argument)
    return mask_right(**options)


def _as_list(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]
