"""Hierarchies: what every quasi-identifier may become, and how fine its levels are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import OptionError, phrase, term
from petaudit.labels.hierarchies import Hierarchies
from petaudit.studio import document
from petaudit.system.yaml_files import parse_yaml

if TYPE_CHECKING:
    from petaudit.studio.session import Studio

TITLE: Final = term("Hierarchies")
STEPS: Final = ("day", "month", "quarter", "year", "decade")
_KEPT: Final = ("written", "closed", "other")
FILE: Final = "hierarchies.yaml"


def context(studio: Studio, _: Mapping[str, str]) -> dict[str, Any]:
    """Every quasi-identifier with its levels and what makes them."""
    proposals = studio.proposals
    columns = [] if proposals is None or proposals.done is None else proposals.done["columns"]
    given = document.loader(studio.content).get("hierarchies")
    return {
        "can_run": studio.can_run,
        "proposals": proposals,
        "columns": [
            {**column, "number": number, "editor": _editor(column), "lines": _cut_lines(column)}
            for number, column in enumerate(columns)
        ],
        "given": given,
        "rules": yaml_of(given) if isinstance(given, Mapping) else "",
        "steps": STEPS,
    }


def yaml_of(rules: Mapping[str, Any]) -> str:
    """Rules as a file that ``--hierarchies`` takes."""
    return document.yaml_text(dict(rules))


def _editor(column: Mapping[str, Any]) -> str:
    """Which form suits the rule of a column."""
    rule = column["rule"] or {}
    known = next((name for name in ("cuts", "mask", "dates") if name in rule), None)
    return known or ("cuts" if column["ends"] else "groups")


def _cut_lines(column: Mapping[str, Any]) -> list[float]:
    """Where the cuts of the finest level stand, from 0 to 1."""
    cuts = (column["rule"] or {}).get("cuts")
    if not cuts or not column["ends"]:
        return []
    low, high = column["ends"]
    finest = cuts[0] if isinstance(cuts[0], list) else cuts
    return [
        round((float(cut) - low) / (high - low), 3) for cut in finest if low < float(cut) < high
    ]


def _all_rules(studio: Studio) -> dict[str, Any]:
    """The rules of all columns as they are, given or proposed."""
    proposals = studio.proposals
    if proposals is None or proposals.done is None:
        raise LookupError
    return {
        each["name"]: each["rule"] for each in proposals.done["columns"] if each["rule"] is not None
    }


def keep(studio: Studio, _: Mapping[str, str]) -> None:
    """Write what was proposed into the document."""
    rules = _all_rules(studio)
    studio.edit(
        phrase("hierarchies as proposed"), lambda content: document.set_hierarchies(content, rules)
    )


def change(studio: Studio, form: Mapping[str, str]) -> None:
    """Change the rule of one column."""
    rules = _all_rules(studio)
    proposals = studio.proposals
    assert proposals is not None  # noqa: S101 (the rules come from there)
    column = (proposals.done or {})["columns"][int(form["column"])]
    rule = _rule(form, column)
    Hierarchies.of({column["name"]: rule})
    studio.edit(
        phrase("hierarchy of {column} changed", column=column["name"]),
        lambda content: document.set_hierarchies(content, rules | {column["name"]: rule}),
    )


def _rule(form: Mapping[str, str], column: Mapping[str, Any]) -> dict[str, Any]:
    # How values are written stays as it was recognised.
    kept = {name: own for name, own in (column["rule"] or {}).items() if name in _KEPT}
    match form["kind"]:
        case "cuts":
            lines = [line.replace(",", " ").split() for line in form["cuts"].splitlines()]
            cuts = [[document.number(cut) for cut in line] for line in lines if line]
            return {"cuts": cuts} | kept
        case "mask":
            return {"mask": "right", "levels": int(form["levels"])} | kept
        case "dates":
            return {"dates": [step for step in STEPS if f"step-{step}" in form]} | kept
    groups: dict[str, list[str]] = {}
    for number, (value, _, _) in enumerate(column["values"]):
        group = form.get(f"group-{number}", "").strip()
        if group:
            groups.setdefault(group, []).append(value)
    if not groups:
        raise OptionError("no value has a group")
    return {"tree": groups, "other": True}


def take_rules(studio: Studio, form: Mapping[str, str]) -> None:
    """Take all rules as YAML, from a file of hierarchies for example."""
    rules = parse_yaml(form["rules"], FILE).value
    if rules is not None:
        Hierarchies.of(rules if isinstance(rules, Mapping) else {"": rules})
    studio.edit(
        phrase("hierarchies as YAML"),
        lambda content: document.set_hierarchies(content, rules or {}),
    )


ACTIONS: Final = {"keep": keep, "hierarchy": change, "rules": take_rules}
