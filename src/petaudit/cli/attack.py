"""``petaudit attack``: every attack on a synthetic table that the given columns allow."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from petaudit.auditing import Audit, Request, run_audit
from petaudit.cli.arguments import option_value, split_names, split_options
from petaudit.cli.breaking_rows import require_row_numbers
from petaudit.cli.check import show
from petaudit.cli.options import engine_of, reading_of
from petaudit.cli.report import Reports
from petaudit.cli.streams import printed_warnings, say
from petaudit.errors import InputError, OptionError, listing, phrase, term
from petaudit.inputs import gather
from petaudit.judging.document import ATTACK
from petaudit.measures import Result, find_measure, listed_measures
from petaudit.measures.attack import ASSUMPTIONS, AttackMeasure
from petaudit.measures.attack_figure import percent, rounding_text
from petaudit.reports.terminal import as_text, coloured, format_table, section
from petaudit.system.files import unchanged
from petaudit.system.output import refuse_inputs, write_whole
from petaudit.tables.writing import write_csv

_PROXY: Final = "closest-record"
_EXPOSED: Final = 0.5
"""Whoever an attack succeeds on at least as probably is exposed."""
_ROUNDED: Final = term("Rounding")
_ASSUMED: Final = term("Assumptions")


def attack(chosen: argparse.Namespace) -> int:
    """Attack a synthetic table, and print the verdict and the figures."""
    reports = Reports.of(chosen)
    options = _options(chosen)
    request = Request.checked([*options], {}, options, chosen.policy)
    with unchanged() as watch:
        with printed_warnings():
            inputs = gather(
                chosen.synthetic,
                original=chosen.original,
                control=chosen.control,
                reveal_values=chosen.reveal_values,
                use_side_car=False,
                announce_notes=False,
                **engine_of(chosen),
                **reading_of(chosen),
            )
            release = run_audit(request, inputs, watch, strict=chosen.strict)
        release = replace(release, command=ATTACK, with_advice=False)
        if chosen.rows is not None:
            _write_rows(release, Path(chosen.rows))
        chosen.table = chosen.synthetic
        code = show(release, chosen, reports)
    if chosen.format == "text" and not chosen.quiet and chosen.out is None:
        rates = _rates(release)
        if rates:
            say(coloured(as_text(["", *rates])))
    return code


def _rates(release: Audit) -> list[str]:
    """A table of how often each attack succeeds, on whom, and what the interval is."""
    header = [
        term("attack"),
        term("original"),
        term("control"),
        term("excess"),
        term("95 % interval"),
    ]
    rows, steps = [], []
    for result in _results(release):
        for figure in result.published.breakdown.get("attacks", ()):
            name = f"{result.measure} {figure.attack}".rstrip()
            shares = (figure.attack_rate, figure.control_rate)
            step = figure.rounded_to
            steps.append(step)
            rates = ["-" if share is None else percent(share, step) for share in shares]
            digits = 4 if step is None else 2
            excess = "-" if figure.value is None else f"{figure.value:.{digits}f}"
            ends = "-"
            if figure.lower is not None:
                low, high = f"{figure.lower:.{digits}f}", f"{figure.upper:.{digits}f}"
                ends = phrase("{low} to {high}", low=low, high=high)
            rows.append([name, *rates, excess, ends])
    if not rows:
        return []
    notes = rounding_text(steps)
    return [
        *format_table(header, rows),
        "",
        *(section(_ROUNDED, notes) if notes else ()),
        *section(_ASSUMED, ASSUMPTIONS)[:-1],
    ]


def _results(release: Audit) -> list[Result]:
    """All results, also those that decide nothing."""
    undecided = [entry.result for entry in release.not_measured if entry.result is not None]
    return [*release.results, *undecided]


def _options(chosen: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """The attacks that the command line asks for, each with its options."""
    given = _column_options(chosen)
    known = [
        name for name, measure in listed_measures().items() if isinstance(measure, AttackMeasure)
    ]
    if chosen.measures is None:
        # What needs columns waits for them; the proxy waits to be named.
        names = [name for name in known if name in given]
    else:
        names = [find_measure(name).name for name in split_names(chosen.measures)]
        others = [name for name in names if name not in known]
        if others:
            raise OptionError(
                "{measures} is not an attack; attacks are {known}, and petaudit check measures the "
                "rest",
                measures=listing(others),
                known=listing(known, len(known)),
            )
    options = {name: dict(given.get(name, {})) for name in names}
    for path, value in split_options(chosen.option, "--option").items():
        measure, _, name = path.partition(".")
        options.setdefault(find_measure(measure).name, {})[name] = option_value(value)
    if chosen.exact_figures:
        for settings in options.values():
            settings["exact_figures"] = True
    for text in split_names(chosen.limit):
        measure, equals, limit = text.rpartition("=")
        judged = [find_measure(measure).name] if equals else [n for n in options if n != _PROXY]
        for name in judged:
            if "limit" in options.setdefault(name, dict(given.get(name, {}))):
                raise OptionError("the limit of {measure} is given twice", measure=name)
            options[name]["limit"] = limit
    return options


def _column_options(chosen: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """What the columns that were named allow, by attack."""
    everybody = {name: getattr(chosen, name) for name in ("person", "by")}
    given: dict[str, dict[str, Any]] = {"copied-rows": {}}
    if chosen.control is not None:
        given["membership"] = {} if chosen.fpr is None else {"fpr": chosen.fpr}
    elif chosen.fpr is not None:
        raise OptionError("--fpr is for membership, which needs a control (--control)")
    keys, secret = split_names(chosen.keys), split_names(chosen.secret)
    if secret:
        inference = {"secret": secret, "known": split_names(chosen.known) or None}
        given["attribute-inference"] = inference | {"tolerance": chosen.tolerance}
    elif chosen.known or chosen.tolerance is not None:
        raise OptionError("--known and --tolerance are for guessing a column; name it (--secret)")
    if chosen.link:
        given["linkability"] = {"aux_cols": [_link(text) for text in chosen.link]}
    if keys:
        given["replicated-uniques"] = {"keys": keys}
    if keys and secret:
        given["disco"] = {"keys": keys, "target": secret}
    if chosen.measures is not None:
        given[_PROXY] = {}
    return {
        name: {
            option: value
            for option, value in (everybody | options).items()
            if value is not None and (name, option) != (_PROXY, "by")
        }
        for name, options in given.items()
    }


def _link(text: str) -> list[list[str]]:
    """Two lists of columns.

    >>> _link("age,sex:job")
    [['age', 'sex'], ['job']]
    """
    lists = [split_names([part]) for part in text.split(":")]
    if len(lists) != 2 or not all(lists):
        raise OptionError(
            "--link {text!r}: expected two lists of columns, as in age,sex:job,zip", text=text
        )
    shared = [name for name in lists[0] if name in lists[1]]
    if shared:
        raise OptionError(
            "--link {text!r}: both lists have {columns}; sources that share a column are linked "
            "without any synthetic table",
            text=text,
            columns=listing([repr(name) for name in shared]),
        )
    return lists


def _write_rows(release: Audit, target: Path) -> None:
    """Write which rows of the original are exposed by which attack, for the steward alone."""
    refuse_inputs(target, release.files)
    source = release.inputs.needed_original
    require_row_numbers(source)
    columns: list[list[Any]] = [[], [], [], []]
    for result in _results(release):
        attacked: Mapping[str, Any] = result.internal.get("attacked", {})
        for name, successes in attacked.items():
            if successes is None:
                raise InputError(
                    "{measure} was counted in an engine, which returns no row numbers; "
                    "write the tables to files and use these (--rows)",
                    measure=result.measure,
                )
            places = np.flatnonzero(successes >= _EXPOSED)
            columns[0] += [result.measure] * len(places)
            columns[1] += [name] * len(places)
            columns[2] += source.row_numbers(places).tolist()
            columns[3] += [round(float(each), 6) for each in successes[places]]
    names = ["measure", "attack", "row", "probability"]
    write = partial(write_csv, names, [columns], formula_safe=True, delimiter=",")
    write_whole(target, write, private=True)
