"""Names in a pipeline file: what one may be, and what is said of one that nobody knows."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

from petaudit.errors import listing, phrase, suggestion
from petaudit.pipelines.models import MODULES
from petaudit.pipelines.petsard_names import (
    method_alternative,
    module_alternative,
    option_alternative,
    value_alternative,
)
from petaudit.pipelines.plain_names import is_plain, nearest_plain
from petaudit.system.yaml_files import KeyPath, Problems, key_text, shown

LONGEST_NAME: Final = 60


def experiment_name(given: Any, at: KeyPath, problems: Problems) -> str | None:
    """A name that can be part of a file's name on every system."""
    if isinstance(given, int) and not isinstance(given, bool) and abs(given) < 10**LONGEST_NAME:
        given = str(given)
    name = shown(given)
    if not isinstance(given, str):
        problems.add(at, phrase("the name {name} is no text; put it in quotes", name=name))
    elif len(given) > LONGEST_NAME:
        said = phrase(
            "the name {name} has more than {most} characters", name=name, most=LONGEST_NAME
        )
        problems.add(at, said)
    elif not is_plain(given):
        problems.add(at, not_plain(given))
    else:
        return given
    return None


def not_plain(given: str) -> str:
    """What is said of a name that would be part of a file's name and is not plain."""
    near = nearest_plain(given)
    return phrase(
        "{name} is not a plain name (letters, digits, -, _ and single dots inside){near}",
        name=shown(given),
        near="" if near is None else phrase(" (did you mean {name!r}?)", name=near),
    )


def unknown_module(module: Hashable) -> str:
    """What is said of a module that there is not."""
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
    """What is said of a method that a module has not."""
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
    """What is said of an option that there is not."""
    if not isinstance(key, str):
        return phrase(
            "the option {option} is no text; options of {whose} are {known}",
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
