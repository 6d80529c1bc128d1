"""Named rules with a source, such as cms-11: the limits they set, and what nobody measures here.

A policy is one YAML file: data, no code. Those that come with petaudit are in ``policies/``.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from importlib.resources import as_file, files
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeAlias

from petaudit.errors import (
    InputError,
    OptionError,
    Phrase,
    error_context,
    joined,
    listing,
    phrase,
    refuse_unknown_keys,
    suggestion,
)
from petaudit.exact.fractions import exact, quotient_text
from petaudit.i18n.catalogue import LANGUAGES
from petaudit.i18n.phrases import translated
from petaudit.measures import Better, Measure, find_measure
from petaudit.measures.limits import limit_rule
from petaudit.system.files import Watch, fingerprint_of, unchanged, watching
from petaudit.system.yaml_files import read_yaml

Options: TypeAlias = Mapping[str, Mapping[str, Any]]
PolicySpec: TypeAlias = "Policy | str | PathLike[str]"

_REQUIRED: Final = ("name", "title", "limits")
_KEYS: Final = (
    *("name", "title", "publisher", "date", "source", "scope"),
    *("limits", "not_measured", "explanation"),
)
_SOURCE_KEYS: Final = ("title", "url", "read")
_ENDS: Final = (".yaml", ".yml")


@dataclass(frozen=True)
class Demand:
    """What a policy demands of one measure."""

    measure: Measure
    limit: Any
    """As the file has it: a number, or a fraction as text."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What the measure must be asked, too."""
    given: Any = None
    """A tighter limit that was given by hand."""

    @property
    def bound(self) -> Fraction:
        """The limit of the policy itself."""
        return exact(self.limit, "limit")

    @property
    def rule(self) -> Phrase:
        """What is demanded, in words.

        >>> policies()["cms-11"].demands["k-anonymity"].rule
        'k-anonymity at least 11'
        """
        demanded = self._rule(self.limit)
        if self.given is None:
            return phrase("{measure} {rule}", measure=self.measure.name, rule=demanded)
        return phrase(
            "{measure} {rule}; tighter by hand: {given}",
            measure=self.measure.name,
            rule=demanded,
            given=self._rule(self.given),
        )

    def _rule(self, limit: object) -> Phrase:
        return limit_rule(self.measure.better.value, strict=False, limit=_shown(limit))

    def is_looser(self, limit: object) -> bool:
        """Whether a limit allows what the policy does not."""
        other = exact(limit, phrase("the limit of {measure}", measure=self.measure.name))
        return other < self.bound if self.measure.better is Better.HIGHER else other > self.bound

    def to_dict(self) -> dict[str, Any]:
        """The demand as plain data."""
        quotient = quotient_text(self.bound)
        return {
            "limit": float(self.bound),
            **({} if quotient is None else {"limit_exact": quotient}),
            "options": dict(self.options),
            "tighter_by_hand": None if self.given is None else _shown(self.given),
            "demand": self.rule,
        }


@dataclass(frozen=True)
class Policy:
    """A rule that somebody published, or one of the user's own.

    >>> import petaudit
    >>> rule = petaudit.policies()["cell-11"]
    >>> {name: demand.limit for name, demand in rule.demands.items()}
    {'k-anonymity': 11}
    """

    name: str
    title: str
    demands: Mapping[str, Demand]
    publisher: str | None = None
    date: str | None = None
    source: Mapping[str, str] = field(default_factory=dict)
    """Title, address, and how much of it was read for this file."""
    scope: str | None = None
    not_measured: tuple[str, ...] = ()
    """What the rule demands beside the limits, and petaudit does not check."""
    explanation: str | None = None
    path: Path | None = None
    """The file of a policy of the user's own."""
    sha256: str | None = None

    @property
    def lines(self) -> list[str]:
        """What a report says about the policy, in sentences."""
        return [*self.head, *self.open_demands]

    @property
    def head(self) -> Iterator[str]:
        """Who published it when, what it demands of which tables, and where that stands."""
        by = [str(part) for part in (self.publisher, self.date) if part]
        name = phrase("{name}: {title}", name=self.name, title=self.title)
        yield phrase("{name} ({by})", name=name, by=joined(by)) if by else name
        rules = joined([demand.rule for demand in self.demands.values()], "; ")
        yield phrase("demands: {rules}", rules=rules)
        if self.scope:
            yield phrase("made for: {scope}", scope=self.scope)
        if self.source:
            parts = [self.source[key] for key in _SOURCE_KEYS if key in self.source]
            yield phrase("source: {source}", source=joined(parts))

    @property
    def open_demands(self) -> list[str]:
        """What keeping the limits does not show."""
        return [phrase("not measured: {demand}", demand=text) for text in self.not_measured]

    @property
    def open_question(self) -> str | None:
        """The same as one sentence; None where the limits are all that the rule demands."""
        if not self.not_measured:
            return None
        return phrase(
            "meeting the limits of the policy {name} does not show that its other demands are met: "
            "{demands}",
            name=self.name,
            demands=joined(self.not_measured, "; "),
        )

    def applied_to(self, options: Options) -> tuple[Policy, dict[str, dict[str, Any]]]:
        """The policy and all options together: what was given may be tighter and never looser."""
        merged = {name: dict(given) for name, given in options.items()}
        demands: dict[str, Demand] = {}
        for name, demand in self.demands.items():
            merged[name], demands[name] = self._together(demand, merged.get(name, {}))
        return replace(self, demands=demands), merged

    def _together(self, demand: Demand, given: Mapping[str, Any]) -> tuple[dict[str, Any], Demand]:
        measure, limit = demand.measure.name, given.get("limit")
        if given.get("profile") is not None:
            raise OptionError(
                "{measure} has the profile {profile!r} and a limit of the policy {policy}; give "
                "only one",
                measure=measure,
                profile=given["profile"],
                policy=self.name,
            )
        for option, value in demand.options.items():
            if option in given and given[option] != value:
                raise OptionError(
                    "{option} of {measure} is {given!r}, and the policy {policy} demands {value!r}",
                    option=option,
                    measure=measure,
                    given=given[option],
                    policy=self.name,
                    value=value,
                )
        if limit is None or exact(limit, measure) == demand.bound:
            return {**given, **demand.options, "limit": demand.limit}, demand
        if demand.is_looser(limit):
            raise OptionError(
                "the limit of {measure} is {limit}, and the policy {policy} demands {rule}; a "
                "limit may be tighter than that of a policy, but not looser",
                measure=measure,
                limit=_shown(limit),
                policy=self.name,
                rule=demand._rule(demand.limit),
            )
        return {**given, **demand.options}, replace(demand, given=limit)

    def to_dict(self) -> dict[str, Any]:
        """The policy as documents have it."""
        return {
            "name": self.name,
            "title": self.title,
            "publisher": self.publisher,
            "date": self.date,
            "source": dict(self.source),
            "scope": self.scope,
            "explanation": self.explanation,
            "limits": {name: demand.to_dict() for name, demand in self.demands.items()},
            "not_measured": list(self.not_measured),
            "sha256": self.sha256,
            "lines": list(self.head),
        }


@cache
def policies() -> dict[str, Policy]:
    """The policies that come with petaudit, by name.

    >>> sorted(policies())[0], policies()["cms-11"].date
    ('abs-datalab', '2024-01-26')
    """
    folder = files("petaudit") / "policies"
    read = []
    for entry in folder.iterdir():
        # Of a packed program the file is there for a moment only, so nobody else watches it.
        with as_file(entry) as path, watching(Watch()):
            read.append(replace(read_policy(path), path=None))
    return {policy.name: policy for policy in sorted(read, key=_order)}


def _order(policy: Policy) -> list[tuple[str, int]]:
    """By name, and numbers in it by their size."""
    return [(word, int(part or 0)) for word, part in re.findall(r"(\D*)(\d*)", policy.name)]


def find_policy(given: PolicySpec) -> Policy:
    """A policy by its name, or from a file of the user's own.

    >>> find_policy("cms-12")
    Traceback (most recent call last):
    petaudit.errors.OptionError: unknown policy 'cms-12' (did you mean 'cms-11'?); policies are ...
    """
    if isinstance(given, Policy):
        return given
    if not isinstance(given, str | PathLike):
        raise OptionError("policy must be a name or a YAML file, got {value!r}", value=given)
    if is_policy_file(given):
        policy = read_policy(Path(given))
        if policy.name in policies():
            raise InputError(
                "{path}: {name} is the name of a policy of petaudit; choose another",
                path=str(given),
                name=policy.name,
            )
        return policy
    if given not in policies():
        raise OptionError(
            "unknown policy {name!r}{near}; policies are {known}, or a file (.yaml)",
            name=str(given),
            near=suggestion(str(given), policies()),
            known=listing([*policies()]),
        )
    return policies()[str(given)]


def is_policy_file(given: str | PathLike[str]) -> bool:
    """Whether a policy is named by its file.

    >>> is_policy_file("cms-11"), is_policy_file("rules/own.yaml")
    (False, True)
    """
    return not isinstance(given, str) or given.lower().endswith(_ENDS)


def read_policy(path: Path) -> Policy:
    """Read the file of a policy; errors name the file."""
    with unchanged(), error_context(path):
        content = read_yaml(path)
        if not isinstance(content, Mapping):
            raise InputError("a policy has the keys {keys}", keys=listing(_KEYS))
        _check_keys(content, _KEYS, _REQUIRED)
        return Policy(
            name=_text(content["name"], "name"),
            **_texts(content, ("title", "publisher", "scope", "explanation")),
            demands=_demands(content["limits"]),
            date=_date(content.get("date")),
            source=_source(content.get("source")),
            not_measured=_statements(content.get("not_measured") or []),
            path=path,
            sha256=fingerprint_of([path]),
        )


def _check_keys(given: Mapping[Any, Any], known: Sequence[str], required: Sequence[str]) -> None:
    refuse_unknown_keys(given, known, InputError)
    for key in required:
        if given.get(key) is None:
            raise InputError("the key {key} is missing", key=key)


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputError("{key} must be text, got {value!r}", key=key, value=value)
    return value.strip()


def _translated(value: Any, key: str) -> str:
    """A text, or the same text in several languages."""
    if not isinstance(value, Mapping):
        return _text(value, key)
    _check_keys(value, LANGUAGES, ())
    return translated({language: _text(value[language], language) for language in value})


def _texts(given: Mapping[Any, Any], keys: Sequence[str]) -> dict[str, Any]:
    """The texts that are given under some keys."""
    return {key: _translated(given[key], key) for key in keys if given.get(key) is not None}


def _statements(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list):
        raise InputError("{key} must be a list, got {value!r}", key="not_measured", value=given)
    return tuple(_translated(text, "not_measured") for text in given)


def _date(given: Any) -> str | None:
    """A day as YAML knows it, or a year or month as text."""
    if given is None:
        return None
    if isinstance(given, datetime.date) and not isinstance(given, datetime.datetime):
        return given.isoformat()
    return str(given) if isinstance(given, int) else _text(given, "date")


def _source(given: Any) -> dict[str, str]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        return {"title": _translated(given, "source")}
    _check_keys(given, _SOURCE_KEYS, ("title",))
    return _texts(given, _SOURCE_KEYS)


def _demands(given: Any) -> dict[str, Demand]:
    if not isinstance(given, Mapping) or not given:
        raise InputError("limits must be a mapping MEASURE: LIMIT, got {value!r}", value=given)
    demands: dict[str, Demand] = {}
    for name, entry in given.items():
        measure = find_measure(str(name))
        options = dict(entry) if isinstance(entry, Mapping) else {"limit": entry}
        if measure.limit_help is None:
            raise OptionError("{measure} takes no limit", measure=measure.name)
        measure.check_options(options)
        limit = options.pop("limit", None)
        if not measure.limit_kind.takes(limit):
            raise OptionError(
                "the limit of {measure} must be {expected}, got {value!r}",
                measure=measure.name,
                value=limit,
                expected=measure.limit_kind.expected,
            )
        for option in measure.options:
            if option.name in options and not option.kind.takes(options[option.name]):
                raise OptionError(
                    "{key} of {measure} must be {expected}, got {value!r}",
                    key=option.name,
                    measure=measure.name,
                    value=options[option.name],
                    expected=option.kind.expected,
                )
        if measure.name in demands:
            raise OptionError("the limit of {measure} is given twice", measure=measure.name)
        demands[measure.name] = Demand(measure, limit, options)
    return demands


def _shown(limit: object) -> str:
    number = exact(limit, "limit")
    return quotient_text(number) or f"{float(number):.15g}"
