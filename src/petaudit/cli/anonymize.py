"""``petaudit anonymize``."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from petaudit.anonymizing import making
from petaudit.anonymizing.explaining import costs, how_good, levels_text, percent
from petaudit.anonymizing.infeasible import InfeasibleError
from petaudit.anonymizing.making import Anonymized
from petaudit.anonymizing.releasing import refuse_written
from petaudit.anonymizing.transformation import SUFFIX
from petaudit.cli.arguments import inputs_of, split_names, split_pairs
from petaudit.cli.check import measure_options
from petaudit.cli.generalize import formula_warning
from petaudit.cli.options import engine_of
from petaudit.cli.released import write_released
from petaudit.cli.report import Reports, check_folder
from petaudit.cli.streams import (
    complain_of_error,
    complain_of_warning,
    kept_warnings,
    say,
    say_lines,
)
from petaudit.errors import OptionError, counted, joined, phrase, term
from petaudit.exact.fractions import exact
from petaudit.reports.terminal import (
    PASS,
    as_text,
    coloured,
    format_table,
    indented,
    section,
    title_line,
    verdict_line,
)
from petaudit.reports.verdict import figure_and_rule
from petaudit.system.files import fingerprint_of
from petaudit.system.output import refuse_inputs, write_whole
from petaudit.tables import is_address, parse_address, shown_table
from petaudit.tables.engines.spark_writing import new_folder
from petaudit.tables.source import SPARK
from petaudit.tables.writing import table_format, unpacked

_LEVEL: Final = re.compile(r"(?P<column>.+?)\s*(?P<level>(?:<=|>=|=)\s*\d+(?:\s*-\s*\d+)?)")
_INFEASIBLE: Final = 1
_UNDECIDED: Final = 2


def anonymize(chosen: argparse.Namespace) -> int:
    """Find the best release that keeps the limits, and write it."""
    engine = engine_of(chosen)
    target = _target(chosen)
    document = transformation_path(target, chosen.transformation)
    reports = Reports.of(chosen, document)
    for path in (target, document):
        check_folder(path)
        # Before the search; what else was read is known after it.
        refuse_inputs(path, [Path(chosen.table)])
    try:
        # Whoever is told that an option is wrong need not read warnings first.
        with kept_warnings() as warned:
            made = making.anonymize(
                chosen.table,
                options=measure_options(chosen),
                policy=chosen.policy,
                max_suppression="0" if chosen.max_suppression is None else chosen.max_suppression,
                identifier_columns=chosen.identifier_columns,
                keep=split_names(chosen.keep),
                **search_of(chosen),
                **engine,
                **inputs_of(chosen),
            )
    except InfeasibleError as problem:
        _warn(warned)
        complain_of_error(problem.text)
        return _INFEASIBLE
    if chosen.strict and made.audit.open_questions:
        _warn(warned)
        for question in made.audit.open_questions:
            complain_of_error(question)
        return _UNDECIDED
    for path in (target, document):
        refuse_inputs(path, made.files)
    formulas: list[str] = []
    if chosen.engine == SPARK:
        made.make_folder(target)
    elif chosen.out_table is None:
        formulas = _write_file(made, target, is_guarded=chosen.formulas == "guard")
    elif chosen.out_sql is None:
        made.make_table(chosen.out_table)
    else:
        script = made.script(chosen.out_table).encode()
        write_whole(target, lambda file: file.write(script), private=True)
    made.transformation.write(document)
    result = _result(made, chosen.out_table or str(target), target)
    if reports.files:
        reports.write(result, made.files, chosen.table)
    if chosen.format == "json":
        say(reports.shown(result, "json"))
    elif chosen.quiet:
        say_lines([_verdict(made)])
    else:
        say(coloured(as_text(_screen(made, chosen, target, document))))
        reports.say_written()
    _warn([*warned, *made.audit.warnings, *made.audit.problems, *formulas])
    return 0


def _result(made: Anonymized, name: str, target: Path) -> dict[str, Any]:
    """The document, which names what was written and not what it was made of."""
    document = made.to_dict()
    document["inputs"]["table"]["name"] = name
    if name == str(target) and target.is_file():
        document["inputs"]["table"]["sha256"] = fingerprint_of([target])
    return document


def _warn(texts: Iterable[str]) -> None:
    for text in dict.fromkeys(texts):
        complain_of_warning(text)


def _target(chosen: argparse.Namespace) -> Path:
    """The file that is written; where a table is made, what its transformation is named after."""
    if is_address(chosen.table) and parse_address(chosen.table).path is None:
        if chosen.out is not None:
            raise OptionError(
                "--out: rows of a table in PostgreSQL stay there; make the released table "
                "beside it with --out-table SCHEMA.NAME"
            )
        if chosen.out_table is None:
            raise OptionError(
                "no output is given for the released table: name a table with "
                "--out-table SCHEMA.NAME, and add --out-sql FILE for a statement that "
                "makes it"
            )
        if chosen.out_sql is not None:
            return Path(chosen.out_sql)
        return Path(re.sub(r"[^\w-]+", "-", chosen.out_table).strip("-") or "released")
    for option, given in (("--out-table", chosen.out_table), ("--out-sql", chosen.out_sql)):
        if given is not None:
            raise OptionError(
                "{option} needs a table in PostgreSQL, which {table} is not: use --out FILE",
                option=option,
                table=shown_table(chosen.table),
            )
    if chosen.out is None:
        raise OptionError("no output is given for the released table: add --out FILE")
    if chosen.engine == SPARK:
        return new_folder(chosen.out)
    target = Path(chosen.out)
    table_format(target)
    return target


def _write_file(made: Anonymized, target: Path, *, is_guarded: bool) -> list[str]:
    """Write the table if it keeps its limits as it was written; returned are warnings."""
    released = made.released
    formulas = write_released(
        released,
        target,
        lambda written: refuse_written(made.inputs, released, made.transformation.limits, written),
        roles=[*made.transformation.names, *made.transformation.sensitive],
        delimiter=made.inputs.table.delimiter,
        is_guarded=is_guarded,
    )
    return [*formula_warning(released.column_names, formulas, is_guarded)]


def transformation_path(target: Path, given: str | None) -> Path:
    """Where the transformation goes: beside the table, unless another place is named.

    >>> transformation_path(Path("out/released.csv.gz"), None).name
    'released.transformation.json'
    """
    return unpacked(target).with_suffix(SUFFIX) if given is None else Path(given)


def search_of(chosen: argparse.Namespace) -> dict[str, Any]:
    """How a release is searched for, as Python's functions take it."""
    return {
        "recoding": chosen.recoding,
        "objective": chosen.objective,
        "weights": {
            column: float(exact(weight, f"--weight {column}"))
            for column, weight in split_pairs(chosen.weight, "--weight").items()
        },
        "levels": split_levels(chosen.level),
        "time_limit": _seconds(chosen.time_limit),
        "drop_suppressed": chosen.drop_suppressed,
    }


def _seconds(given: str | None) -> float | None:
    """A number of seconds, as an option has it."""
    if given is None:
        return None
    number = float(exact(given, "--time-limit"))
    if number <= 0:
        raise OptionError("--time-limit must be more than 0 seconds, got {value!r}", value=given)
    return number


def split_levels(given: Sequence[str] | None) -> dict[str, str]:
    """Levels of columns, fixed or bounded.

    >>> split_levels(["zip<=2,age=1", "sex>=1"])
    {'zip': '<=2', 'age': '1', 'sex': '>=1'}
    """
    levels: dict[str, str] = {}
    for item in split_names(given):
        match = _LEVEL.fullmatch(item)
        if match is None:
            raise OptionError(
                "--level {item!r}: expected COLUMN=N, COLUMN<=N, COLUMN>=N or COLUMN=N-M", item=item
            )
        if match["column"] in levels:
            raise OptionError(
                "{option} names {name!r} twice", option="--level", name=match["column"]
            )
        levels[match["column"]] = match["level"].removeprefix("=").strip()
    return levels


def _verdict(made: Anonymized) -> str:
    code = 0
    lost, rows = percent(made.loss), counted(made.rows_suppressed, "row")
    if made.audit.open_questions:
        what = phrase(
            "all limits hold, with open questions; {lost} of the detail is lost, {rows} suppressed",
            lost=lost,
            rows=rows,
        )
    else:
        what = phrase(
            "all limits hold; {lost} of the detail is lost, {rows} suppressed", lost=lost, rows=rows
        )
    return verdict_line(what, code)


def _screen(
    made: Anonymized, chosen: argparse.Namespace, target: Path, document: Path
) -> Iterator[str]:
    """What everybody reads, at most a screen."""
    source = made.inputs.table
    sizes = [counted(source.rows, "row"), counted(len(source.columns), "column")]
    yield title_line(joined([source.name, *sizes]))
    yield _verdict(made)
    yield ""
    cards = {card.measure: card for card in made.audit.view.cards}
    limits = [cards[name] for name in made.transformation.limits if name in cards]
    header = [term("measure"), term("value"), term("limit"), term("verdict")]
    yield from format_table(header, [[card.title, *figure_and_rule(card), PASS] for card in limits])
    yield ""
    solution = made.solution
    yield from format_table(
        [term("column"), term("detail lost"), term("generalised to")],
        [
            [column.name, percent(cost), levels_text(solution, place, in_full=False)]
            for place, (column, cost) in enumerate(
                zip(solution.problem.columns, costs(solution), strict=True)
            )
        ],
    )
    yield ""
    yield from map(indented, how_good(made))
    yield ""
    yield from section(term("Open questions"), made.audit.open_questions)
    rows = counted(made.rows_released, "row")
    if chosen.out_sql is not None:
        yield phrase(
            "wrote {target}: the statement that makes {table} ({rows})",
            target=target,
            table=chosen.out_table,
            rows=rows,
        )
        yield indented(
            phrase("it holds labels of the data: only you may read it, and it is not for release")
        )
        yield indented(
            phrase("the table that it makes is that of today's rows: check it when it is made")
        )
    elif chosen.out_table is not None:
        yield phrase("made table {table}: {rows}", table=chosen.out_table, rows=rows)
    else:
        yield phrase("wrote {target}: {rows}", target=target, rows=rows)
    yield phrase("wrote {target}: the transformation, to apply it to other rows", target=document)
    yield indented(
        phrase("it holds labels of the data: only you may read it, and it is not for release")
    )
    yield ""
    yield term("Next")
    command = ["petaudit", "apply", str(document), "NEW.csv", "--out", "NEW-released.csv"]
    yield f"    {shlex.join(command)}"
