"""Which language to speak: the option, the environment, or the locale."""

from __future__ import annotations

import os
from collections.abc import Mapping

from petaudit.errors import OptionError, listing, phrase, suggestion
from petaudit.i18n.catalogue import CHINESE, ENGLISH, LANGUAGES, use_language

VARIABLE = "PETAUDIT_LANG"


def set_language(name: str) -> None:
    """Choose the language of errors, notebook views and reports: ``en`` or ``zh-TW``.

    >>> set_language("en")
    """
    use_language(checked_language(name, phrase("the language")))


def checked_language(name: str, where: str) -> str:
    """The name of a language as petaudit writes it, or an error.

    >>> checked_language("zh_tw", "--lang"), checked_language("EN", "--lang")
    ('zh-TW', 'en')
    """
    language = _known(str(name))
    if language is None:
        raise OptionError(
            "{where} must be one of {known}, got {name!r}{near}",
            where=where,
            name=str(name),
            near=suggestion(str(name), LANGUAGES),
            known=listing(LANGUAGES),
        )
    return language


def chosen_language(option: str | None, environment: Mapping[str, str] | None = None) -> str:
    """The option if given, else ``PETAUDIT_LANG``, else the locale of the person, else English.

    >>> chosen_language(None, {"LANG": "zh_TW.UTF-8"}), chosen_language("en", {"LANG": "zh_TW"})
    ('zh-TW', 'en')
    """
    given = os.environ if environment is None else environment
    if option is not None:
        return checked_language(option, "--lang")
    if given.get(VARIABLE):
        return checked_language(given[VARIABLE], VARIABLE)
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if given.get(variable):
            # The first that is set decides, as in other programs.
            return _known(given[variable]) or ENGLISH
    return ENGLISH


def _known(name: str) -> str | None:
    """Names of locales are taken, too; Traditional Chinese of any region is read by all of them."""
    parts = name.partition(".")[0].partition("@")[0].replace("_", "-").casefold().split("-")
    if parts[0] == ENGLISH and len(parts) <= 2:
        return ENGLISH
    if parts[0] == "zh" and not {"tw", "hk", "mo", "hant"}.isdisjoint(parts[1:]):
        return CHINESE
    return None
