"""The document of a synthetic table, its original and a control: what is tried, with what limits.

It begins as ``petaudit init`` writes it.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any, Final

import yaml

from petaudit.measures import find_measure
from petaudit.measures.linkability import pairs_of
from petaudit.pipelines.models import EVALUATOR, LOADER, REPORTER, SPLITTER, SYNTHESIZER
from petaudit.roles import Role, Roles
from petaudit.starter import Guess
from petaudit.starter.starter import Starter, can_be_named, experiment_name, starter_text
from petaudit.studio import document
from petaudit.studio.document import Content
from petaudit.tables.column_facts import Kind
from petaudit.tables.headers import header_doubt

SINGLED_OUT: Final = "mpuccs"
GUESSED: Final = "attribute-inference"
LINKED: Final = "linkability"
ATTACKS: Final = ("copied-rows", "membership", GUESSED, LINKED)
_CUSTOM: Final = "custom_data"


def new(original: str, synthetic: str, control: str) -> Content:
    """The document of three tables of which nothing is asked yet; a control may be lacking."""
    name = experiment_name(original)
    made = {SYNTHESIZER: {"given": {"method": _CUSTOM, "filepath": synthetic}}}
    if not control:
        return {LOADER: {name: {"filepath": original}}, **made}
    files = {"ori": original, "control": control}
    return {SPLITTER: {name: {"method": _CUSTOM, "filepath": files}}, **made}


def parts(content: Mapping[str, Any]) -> dict[str, str] | None:
    """The addresses of the three tables; None where the document is about one table."""
    made = _only(content, SYNTHESIZER)
    if not isinstance(made.get("filepath"), str):
        return None
    files = _only(content, SPLITTER).get("filepath")
    if not isinstance(files, Mapping):
        files = {"ori": document.loader(content).get("filepath", "")}
    return {
        "original": str(files.get("ori", "")),
        "synthetic": made["filepath"],
        "control": str(files.get("control", "")),
    }


def _only(content: Mapping[str, Any], module: str) -> Mapping[str, Any]:
    entries = content.get(module)
    entry = next(iter(entries.values()), None) if isinstance(entries, Mapping) else None
    return entry if isinstance(entry, Mapping) else {}


def is_open_to(content: Mapping[str, Any]) -> bool:
    """Whether the views can show a document: one table, or three that are all given."""
    counts = {name: len(content.get(name) or ()) for name in (LOADER, SPLITTER, SYNTHESIZER)}
    if not counts[SPLITTER] and not counts[SYNTHESIZER]:
        return counts[LOADER] == 1
    found = parts(content)
    return max(counts.values()) == 1 and found is not None and bool(found["original"])


def proposed(content: Content, facts: Mapping[str, Any]) -> Content:
    """The same tables with mpuccs and the attacks, as ``petaudit init`` proposes them."""
    tables = parts(content)
    assert tables is not None  # noqa: S101 (the caller looked)
    columns = facts["columns"]
    known = facts["side_car"].get("roles") or {
        column["name"]: column["role"]
        for column in columns
        if column["is_sure"] and can_be_named(column["name"])
    }
    starter = Starter(
        tables["original"],
        facts["rows"],
        len(columns),
        guesses=[
            Guess(column["name"], Role(column["role"]), "", is_sure=column["is_sure"])
            for column in columns
        ],
        synthetic=tables["synthetic"],
        control=tables["control"] or None,
        roles=Roles({name: Role(role) for name, role in known.items()}),
        quotes_names=not facts["is_untyped"]
        or header_doubt([column["name"] for column in columns]) is None,
        uncountable=uncountable(facts),
    )
    written: Content = yaml.safe_load(starter_text(starter))
    # The page shows what a Reporter would write.
    written.pop(REPORTER, None)
    document.set_reading(written, document.table(content))
    return written


def uncountable(facts: Mapping[str, Any]) -> list[str]:
    """Columns that no measure can compare."""
    return [each["name"] for each in facts["columns"] if each["kind"] == Kind.OTHER.value]


def asked(content: Mapping[str, Any]) -> dict[str, MutableMapping[str, Any]]:
    """What is measured, by measure."""
    entries = [*(content.get(EVALUATOR) or {}).values()]
    # Of several with one measure the first is changed.
    return {entry["method"]: entry for entry in reversed(entries)}


def secrets(content: Mapping[str, Any]) -> list[str]:
    """The columns that are guessed."""
    given = asked(content).get(GUESSED, {}).get("secret") or []
    return [given] if isinstance(given, str) else list(given)


def links(content: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """What two sources know who link their rows."""
    given = asked(content).get(LINKED, {}).get("aux_cols")
    # Several pairs are written by hand; the first is shown.
    return pairs_of(given)[0] if given else ([], [])


def set_columns(
    content: Content, guessed: Sequence[str], given: tuple[Sequence[str], Sequence[str]]
) -> None:
    """Say what is guessed and what is linked; an attack without columns is left out."""
    pair = [list(each) for each in given] if any(given) else []
    if pair == [*links(content)]:
        pair = asked(content)[LINKED]["aux_cols"]
    for measure, option, columns in ((GUESSED, "secret", [*guessed]), (LINKED, "aux_cols", pair)):
        find_measure(measure).check({option: columns or None})
        limit = document.limits(content).get(measure)
        document.set_limit(content, measure, limit, asked=bool(columns))
        if columns:
            asked(content)[measure][option] = columns


def set_singled_out(content: Content, profile: str | None, most_columns: int) -> None:
    """Say how many columns are combined, and which profile the risk score must keep."""
    document.set_limit(content, SINGLED_OUT, None)
    entry = asked(content)[SINGLED_OUT]
    entry["max_baseline_cols"] = most_columns
    entry.pop("profile", None)
    if profile is not None:
        entry["profile"] = profile
