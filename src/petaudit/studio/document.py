"""The one pipeline document: what each action changes, and the text that ``petaudit run`` takes."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import yaml

from petaudit.errors import OptionError
from petaudit.judging.policy import policies
from petaudit.pipelines.models import (
    ANONYMIZER,
    EVALUATOR,
    EXECUTOR,
    LOADER,
    ORDER,
    REPORTER,
    SPLITTER,
    SYNTHESIZER,
)
from petaudit.roles import Role
from petaudit.starter.starter import experiment_name
from petaudit.system.reading import Reading
from petaudit.system.settings import settings_of

Content = dict[str, Any]
RELEASE: Final = "best"
RELEASED: Final = "released"
"""The name of the Anonymizer, and what the file of the released table begins with."""
READING: Final = (*settings_of(Reading),)
_ORDER: Final = (EXECUTOR, *ORDER)


@dataclass(frozen=True)
class Version:
    """The document after a decision, with what was decided and when."""

    content: Content
    note: str
    when: str


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        """A pipeline file has no aliases."""
        return True


def text_of(content: Mapping[str, Any]) -> str:
    """The document as YAML, the modules in their order.

    >>> print(text_of({"Evaluator": {"k": {"method": "k-anonymity", "limit": 5}}}), end="")
    Evaluator:
      k: {method: k-anonymity, limit: 5}
    """
    return yaml_text({module: content[module] for module in _ORDER if content.get(module)})


def yaml_text(content: Mapping[str, Any]) -> str:
    """Plain data as YAML."""
    return yaml.dump(
        content,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=50,
    )


def new(address: str) -> Content:
    """The document of a table about which nothing is known yet."""
    return {LOADER: {experiment_name(address): {"filepath": address}}}


def loader(content: Mapping[str, Any]) -> MutableMapping[str, Any]:
    """What the document says of the table; empty before there is one."""
    return next(iter(content.get(LOADER, {}).values()), {})


def tables(content: Mapping[str, Any]) -> list[MutableMapping[str, Any]]:
    """What the document says of each table; the one that is looked at comes first."""
    modules = (LOADER, SPLITTER, SYNTHESIZER)
    return [entry for module in modules for entry in (content.get(module) or {}).values()]


def table(content: Mapping[str, Any]) -> dict[str, Any]:
    """The table that is looked at, the original of a synthetic one; and how it is read."""
    entry = dict(next(iter(tables(content)), {}))
    address = entry.get("filepath")
    return entry | {"filepath": address["ori"]} if isinstance(address, Mapping) else entry


def roles(content: Mapping[str, Any]) -> dict[str, str]:
    """The role of each column that has one."""
    return {
        column: role for role, columns in _by_role(content).items() for column in _listed(columns)
    }


def _by_role(content: Mapping[str, Any]) -> Mapping[str, Any]:
    return loader(content).get("roles") or {}


def set_roles(content: Content, by_column: Mapping[str, str]) -> None:
    """Give columns their roles; all others have none."""
    by_role = {
        role.value: [column for column, own in by_column.items() if own == role.value]
        for role in Role
    }
    _put(loader(content), "roles", {role: names for role, names in by_role.items() if names})


def set_person(content: Content, column: str | None) -> None:
    """Say which column tells people apart."""
    _put(loader(content), "person", column)


def set_hierarchies(content: Content, rules: Mapping[str, Any]) -> None:
    """Say how the values of columns become coarser; other columns get levels as proposed."""
    _put(loader(content), "hierarchies", dict(rules))


def set_reading(content: Content, reading: Mapping[str, Any]) -> None:
    """Say how the file is read; what is empty is found out."""
    for entry in tables(content):
        for name in READING:
            _put(entry, name, reading.get(name))


def limits(content: Mapping[str, Any]) -> dict[str, Any]:
    """The limits by hand, by measure; None where a measure is asked for its figure only."""
    return {
        each["method"]: each.get("limit")
        for each in content.get(EVALUATOR, {}).values()
        if isinstance(each, Mapping) and "method" in each
    }


def set_limit(content: Content, measure: str, limit: Any, *, asked: bool = True) -> None:
    """Ask for a measure, with a limit or without; a release keeps the same limits."""
    evaluators = content.setdefault(EVALUATOR, {})
    name = next((name for name, own in evaluators.items() if own["method"] == measure), measure)
    if asked:
        entry = evaluators.setdefault(name, {"method": measure})
        _put(entry, "limit", limit)
    else:
        evaluators.pop(name, None)
    _agree(content)


def policy(content: Mapping[str, Any]) -> str | None:
    """The policy that sets limits."""
    named: str | None = content.get(EXECUTOR, {}).get("policy")
    return named


def set_policy(content: Content, name: str | None) -> None:
    """Take limits from a policy; each of its measures is asked for."""
    _put(content.setdefault(EXECUTOR, {}), "policy", name)
    for measure in () if name is None else policies()[name].demands:
        # A limit by hand may be looser than the policy, which no run accepts.
        set_limit(content, measure, None)
    _agree(content)


def all_limits(content: Mapping[str, Any]) -> dict[str, Any]:
    """Every limit, those of the policy included."""
    own = {measure: limit for measure, limit in limits(content).items() if limit is not None}
    named = policy(content)
    if named is None or named not in policies():
        return own
    return {name: each.limit for name, each in policies()[named].demands.items()} | own


def release(content: Mapping[str, Any]) -> MutableMapping[str, Any] | None:
    """How the table is de-identified, if it is."""
    return next(iter(content.get(ANONYMIZER, {}).values()), None)


def set_release(content: Content, settings: Mapping[str, Any] | None) -> None:
    """De-identify the table with these settings, or leave it as it is."""
    content.pop(ANONYMIZER, None)
    content.pop(REPORTER, None)
    if settings is None:
        return
    known = {name: value for name, value in settings.items() if value not in (None, "", {}, [])}
    content[ANONYMIZER] = {RELEASE: known}
    content[REPORTER] = {
        RELEASED: {"method": "save_data", "source": ANONYMIZER, "output": RELEASED}
    }
    _agree(content)


def _agree(content: Content) -> None:
    """A release keeps the limits that it is judged by."""
    made = release(content)
    if made is not None:
        made["limits"] = all_limits(content)
        demands = policies()[policy(content) or ""].demands if policy(content) else {}
        options = {name: dict(each.options) for name, each in demands.items() if each.options}
        _put(made, "options", options)


def without_values(content: Mapping[str, Any]) -> Content:
    """The document for a screen that others see: hierarchies and marks hold values."""
    shown = copy.deepcopy(dict(content))
    for entry in tables(shown):
        for key in ("hierarchies", "null"):
            if key in entry and not isinstance(entry[key], str):
                entry[key] = "…"
    return shown


def is_runnable(content: Mapping[str, Any]) -> bool:
    """Whether there is a table and something to measure."""
    return bool(table(content).get("filepath") and content.get(EVALUATOR))


def number(text: str) -> int | float | str | None:
    """A number as somebody types it; a quotient stays text.

    >>> number("5"), number("0.2"), number("3/8"), number("")
    (5, 0.2, '3/8', None)
    """
    text = text.strip()
    try:
        value = float(text)
    except ValueError:
        return text or None
    if not math.isfinite(value):
        raise ValueError(text)
    try:
        return int(text)
    except ValueError:
        return value


def only(value: str, known: Sequence[str]) -> str:
    """One of some words, which a form cannot leave."""
    if value not in known:
        raise OptionError("{value!r} is none of the choices", value=value)
    return value


def _put(entry: MutableMapping[str, Any], key: str, value: Any) -> None:
    """Set a key; what is empty is left out."""
    if value in (None, "", [], {}):
        entry.pop(key, None)
    else:
        entry[key] = value


def _listed(columns: Any) -> Iterator[str]:
    yield from [columns] if isinstance(columns, str) else map(str, columns)
