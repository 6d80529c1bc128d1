"""Names that petaudit does not know: what PETsARD calls otherwise, and what to do instead.

Whoever finds a name that petaudit does not know asks here what to say of it; ``petsard.yaml`` has
the names.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from petaudit.errors import listing, phrase, shortened, suggestion, term
from petaudit.pipelines.models import MODULES
from petaudit.system.kinds import key_text, shown


@cache
def petsard_words() -> Mapping[str, Any]:
    """The names of PETsARD with what to do instead."""
    text = (files("petaudit.pipelines") / "petsard.yaml").read_text(encoding="utf-8")
    words: Mapping[str, Any] = yaml.safe_load(text)
    return words


def module_alternative(module: str) -> str | None:
    """Say what to do instead of a module of PETsARD; None if it is none, or built here.

    >>> module_alternative("Describer")
    "PETsARD's Describer is not supported; there is no counterpart here"
    >>> module_alternative("Describe"), module_alternative("Loader")
    (None, None)
    """
    return _sentence(module, petsard_words()["modules"].get(module))


def method_alternative(module: str, method: str) -> str | None:
    """Say what to do instead of a method of PETsARD; None if it is none, or built here.

    Like PETsARD, it takes any case, and looks at what stands before the first dash.

    >>> method_alternative("Synthesizer", "SDV-single_table-CTGAN").partition("; ")[2]
    'make the table with it and give it as custom_data'
    >>> method_alternative("Evaluator", "mlutility-regression").partition("; ")[2]
    'use model-utility, whose models differ'
    >>> method_alternative("Evaluator", "mpuccs") is None
    True
    """
    known = petsard_words()["methods"].get(module, {})
    alternative = next((known[name] for name in _names(method) if name in known), None)
    what = phrase("{module} method {name!r}", module=module, name=shortened(method))
    return _sentence(what, alternative)


def option_alternative(module: str, method: str | None, option: str) -> str | None:
    """Say what to do instead of an option of PETsARD; None if it is none, or built here.

    Without a method, the options of all methods are searched.

    >>> option_alternative("Loader", None, "na_values")
    "PETsARD's Loader option 'na_values' is not supported; write null with a list of the marks"
    >>> option_alternative("Loader", None, "nrows") is None
    True
    """
    by_method = petsard_words()["options"].get(module, {})
    methods = [*by_method] if method is None else [*_names(method), ""]
    tables = [by_method.get(name, {}) for name in methods]
    alternative = next((known[option] for known in tables if option in known), None)
    what = phrase("{module} option {name!r}", module=module, name=shortened(option))
    return _sentence(what, alternative)


def value_alternative(module: str, option: Hashable, value: object) -> str | None:
    """Say what to do instead of a value of PETsARD; None if it is none, or built here.

    >>> value_alternative("Reporter", "source", ["Loader", "Postprocessor"]).partition("; ")[2]
    'use Synthesizer, whose table needs no undoing'
    >>> value_alternative("Reporter", "source", "Loader") is None
    True
    """
    known = petsard_words()["values"].get(module, {}).get(option, {})
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str) and (alternative := known.get(item) or known.get(item.casefold())):
            what = phrase("value {value!r} of {option}", option=option, value=item)
            return _sentence(what, alternative)
    return None


def schema_key_alternative(key: Hashable) -> str | None:
    """Say what to do instead of a key of PETsARD's schemas; None if it is none, or built here."""
    return _sentence(str(key), petsard_words()["schema"].get(key))


def schema_type(name: str) -> str | None:
    """The type of our schemas for a type of another tool; None if there is none.

    >>> schema_type("int64"), schema_type("int")
    ('int', None)
    """
    types = petsard_words()["types"].items()
    return next((type_ for type_, others in types if name in others.split()), None)


def understood(method: str, options: Mapping[Any, Any]) -> tuple[dict[Any, Any], list[str]] | None:
    """The Evaluator that one of PETsARD means, and its options that are needless; None if neither.

    >>> given = {"method": "anonymeter-inference", "secret": "pay", "n_attacks": 9}
    >>> understood("anonymeter-inference", given)
    ({'method': 'attribute-inference', 'secret': 'pay'}, ['n_attacks'])
    """
    words = petsard_words()
    known = words["understood"].get(method.casefold())
    if known is None:
        return None
    meant: dict[Any, Any] = {"method": known["method"]}
    needless = [str(name) for name in options if name in words["needless"]]
    for name, value in options.items():
        values = known.get("values", {}).get(name, {})
        if isinstance(value, str | bool) and value in values:
            meant |= values[value]
        elif name != "method" and name not in needless:
            meant[known["names"].get(name, name)] = value
    return meant, needless


def _names(method: str) -> tuple[str, str]:
    """The names under which a method may be listed, the more exact one first."""
    folded = method.casefold().replace("-single_table-", "-", 1)
    return folded, folded.partition("-")[0]


def _sentence(what: str, alternative: str | None) -> str | None:
    if alternative is None:
        return None
    return phrase(
        "PETsARD's {what} is not supported; {alternative}", what=what, alternative=term(alternative)
    )


def unknown_module(module: Hashable) -> str:
    """The message for an unknown module."""
    name = key_text(module)
    alternative = module_alternative(name)
    if alternative:
        return phrase(
            "{alternative}; modules are {known}", alternative=alternative, known=listing(MODULES)
        )
    return phrase(
        "unknown module {module}{near}; modules are {known}",
        module=shown(module),
        near=suggestion(name, MODULES),
        known=listing(MODULES),
    )


def unknown_method(module: str, wanted: Any, known: list[str]) -> str:
    """The message for an unknown method of a module."""
    alternative = method_alternative(module, wanted) if isinstance(wanted, str) else None
    near = suggestion(wanted, known) if isinstance(wanted, str) else ""
    return phrase(
        "{problem}; methods of {module} are {known}",
        problem=alternative
        or phrase("unknown method {method}{near}", method=shown(wanted), near=near),
        module=module,
        known=listing(known),
    )


def unknown_option(
    module: str, method: str | None, key: Any, value: Any, known: list[str], whose: str
) -> str:
    """The message for an unknown option."""
    if not isinstance(key, str):
        return phrase(
            "the option {option} is not text; options of {whose} are {known}",
            option=shown(key),
            whose=whose,
            known=listing(known),
        )
    alternative = value_alternative(module, key, value) or option_alternative(module, method, key)
    if alternative:
        return alternative
    return phrase(
        "unknown option {option}{near}; options of {whose} are {known}",
        option=shown(key),
        near=suggestion(key, known),
        whose=whose,
        known=listing(known),
    )
