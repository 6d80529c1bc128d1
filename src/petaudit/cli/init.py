"""``petaudit init``."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from petaudit.cli.options import reading_of
from petaudit.cli.report import write_text
from petaudit.cli.streams import complain_of_warning, say, takes_unicode
from petaudit.errors import (
    ColumnError,
    InputError,
    OptionError,
    Phrase,
    counted,
    phrase,
    shortened,
    term,
)
from petaudit.i18n.text import json_text, printable
from petaudit.labels.hierarchies import Hierarchies
from petaudit.reports.terminal import finished, format_table, section
from petaudit.roles import Role, Roles, SideCar, read_side_car
from petaudit.starter import Guess, guesses_from
from petaudit.starter.identifying import Identifying, identifying
from petaudit.starter.starter import Starter, can_be_named, reading_doubts, starter_text
from petaudit.system.output import refuse_inputs
from petaudit.system.reading import Reading
from petaudit.system.side_cars import side_car_path
from petaudit.system.yaml_files import LARGEST_FILE
from petaudit.tables import Source, is_address, located, open_source
from petaudit.tables.column_facts import Kind, column_facts
from petaudit.tables.headers import header_doubt
from petaudit.tables.joint import check_same_columns

SCHEMA_FILE = "petaudit.schema.json"
_BENCHMARK = "benchmark://"
_ROLE_NAMES = {
    Role.IDENTIFIER: term("identifier"),
    Role.QUASI_IDENTIFIER: term("quasi-identifier"),
    Role.SENSITIVE: term("sensitive"),
    Role.INSENSITIVE: term("insensitive"),
}


def init(chosen: argparse.Namespace) -> int:
    """Look at the table, write the file, and say what was guessed."""
    target = _target(chosen)
    if chosen.synthetic is not None and chosen.original is not None:
        raise OptionError("with --synthetic, TABLE is the original; --original is for other tables")
    table = _opened(chosen, chosen.table)
    other_name = chosen.synthetic if chosen.synthetic is not None else chosen.original
    other = None if other_name is None else _opened(chosen, other_name)
    files = [path for source in (table, other) if source is not None for path in source.files]
    if target is not None:
        _refuse_side_cars(target, files)
    if chosen.synthetic is not None and other is not None:
        check_same_columns([table, other])
    side_car = _side_car(chosen, table, other)
    starter = _starter(chosen, table, other, side_car, target)
    text = starter_text(starter)
    if len(text.encode()) > LARGEST_FILE:
        # So many columns that reasons do not fit into a file that is read again.
        text = starter_text(starter, with_reasons=False)
    if len(text.encode()) > LARGEST_FILE:
        raise InputError(
            "{name} has more column names than a pipeline file can hold", name=table.name
        )
    if target is None:
        if not takes_unicode() and not text.isascii():
            raise OptionError("standard output is not UTF-8 and cannot hold the names; use --out")
        # The text may go to a file that nobody looks at.
        for caution in starter.cautions:
            complain_of_warning(caution)
        say(text)
        return 0
    files += [] if side_car is None else [side_car.path]
    _write(target, text, files)
    say(_summary(starter, target))
    return 0


def _target(chosen: argparse.Namespace) -> Path | None:
    """Where to write; said before the table is read, which may take a while."""
    if chosen.out == "-":
        return None
    if not chosen.out:
        raise OptionError("--out is empty; name a file, or - for the terminal")
    target = Path(chosen.out)
    named = shortened(chosen.out, 300)
    # These take any name, unlike the methods of Path.
    if os.path.exists(target) and not os.path.isfile(target):  # noqa: PTH110, PTH113
        raise InputError(
            "{name!r} is not a regular file; name another, or - for the terminal", name=named
        )
    if not os.path.isdir(target.parent):  # noqa: PTH112
        raise InputError("cannot write {name!r}: its folder does not exist", name=named)
    if target.name == SCHEMA_FILE:
        raise OptionError(
            "{name!r} is written beside the file; choose another name", name=SCHEMA_FILE
        )
    if os.path.lexists(target) and not chosen.force:
        raise OptionError(
            "{name!r} exists already; --force replaces it, --out writes elsewhere", name=named
        )
    return target


def _opened(chosen: argparse.Namespace, name: str) -> Source:
    try:
        source = open_source(name, **reading_of(chosen))
    except ColumnError as problem:
        # Names that repeat may be the values of a first row.
        raise ColumnError(
            "{reason}; the first line must hold the names of columns", reason=problem.text
        ) from None
    if not source.rows:
        raise InputError("{name} has a header but no rows", name=source.name)
    return source


def _refuse_side_cars(target: Path, files: Sequence[Path]) -> None:
    """A file that is called like a table would be read as its side-car."""
    stem = target.name.removesuffix(".yaml")
    folder = os.path.realpath(target.parent)
    for path in files:
        is_beside = os.path.realpath(path.parent) == folder and stem != target.name
        if is_beside and (path.name == stem or path.name.startswith(f"{stem}.")):
            raise OptionError(
                "{name!r} would be read as the side-car of {table}; choose another name, such "
                "as {other!r} (--out)",
                name=target.name,
                table=path.name,
                other=f"{stem}-audit.yaml",
            )


def _side_car(chosen: argparse.Namespace, table: Source, other: Source | None) -> SideCar | None:
    """The side-car that a run would use: the released table's comes first."""
    for source in (other, table) if chosen.synthetic is not None else (table, other):
        path = None
        if source is not None and len(source.paths) == 1:
            path = side_car_path(source.paths[0])
        if path is not None:
            side_car = read_side_car(path)
            side_car.roles.checked_against(table.columns, table.name)
            return side_car
    return None


def _starter(
    chosen: argparse.Namespace,
    table: Source,
    other: Source | None,
    side_car: SideCar | None,
    target: Path | None,
) -> Starter:
    folder = Path() if target is None else target.parent
    is_synthetic = chosen.synthetic is not None
    guesses: Sequence[Guess] = ()
    roles = Roles({}) if side_car is None else side_car.roles
    is_counted = is_synthetic or roles.columns(Role.IDENTIFIER) or not roles.by_column
    facts = column_facts(table) if is_counted else ()
    if not roles.by_column:
        before = () if other is None or is_synthetic else column_facts(other)
        guesses = guesses_from(facts, {column.name: column for column in before})
        roles = Roles({guess.column: guess.role for guess in guesses if can_be_named(guess.column)})
    # Only text can be read otherwise than it was meant.
    read = [source for source in (table, other) if source is not None and source.is_untyped]
    by_column = {guess.column: guess.role for guess in guesses} or dict(roles.by_column)
    starter = Starter(
        table=_address(chosen.table, folder),
        rows=table.rows,
        columns=len(table.columns),
        guesses=guesses,
        quasi_identifiers=len(roles.quasi_identifiers),
        sensitive=len(roles.sensitive),
        side_car=None if side_car is None else side_car.path.name,
        has_hierarchies=side_car is not None and side_car.hierarchy_entry is not None,
        identifiers=[
            column.name
            for column in facts
            if by_column.get(column.name) is Role.IDENTIFIER and column.suppressed < column.values
        ],
        doubts=[
            doubt
            for source in read
            for doubt in (*reading_doubts(source.paths[0].name, source.columns), *source.notes)
        ],
        quotes_names=all(header_doubt(source.columns) is None for source in read),
        reading=Reading.checked(**reading_of(chosen)),
        file=None if target is None else target.name,
    )
    if is_synthetic:
        unfit = [column.name for column in facts if column.kind is Kind.OTHER]
        return replace(starter, synthetic=_address(chosen.synthetic, folder), uncountable=unfit)
    named = [name for name, role in by_column.items() if role is Role.IDENTIFIER]
    starter = replace(starter, identifying=identifying(table, named))
    if other is None:
        return starter
    hierarchies = Hierarchies({}) if side_car is None else side_car.hierarchies()
    covered = bool(hierarchies) and all(name in hierarchies for name in roles.quasi_identifiers)
    return replace(
        starter,
        original=_address(chosen.original, folder),
        original_problem=_original_problem(table, other, roles),
        has_hierarchies=covered,
    )


def _original_problem(table: Source, original: Source, roles: Roles) -> Phrase | None:
    """Why a run with this original would fail."""
    missing = [name for name in roles.quasi_identifiers if name not in original.columns]
    if missing:
        number = counted(len(missing), "quasi-identifier")
        return phrase("it lacks {quasi_identifiers} of the table", quasi_identifiers=number)
    if table.rows != original.rows:
        return phrase(
            "it has {original:,} rows and the table {table:,}; a key column that both have can "
            "join them (key: NAME)",
            original=original.rows,
            table=table.rows,
        )
    return None


def _address(name: str, folder: Path) -> str:
    """A path as the file names it: relative to the file's folder where that is near."""
    if name[: len(_BENCHMARK)].casefold() == _BENCHMARK:
        return name
    if is_address(name):
        # The file lies elsewhere than the command was given.
        return located(name, Path.cwd())
    expanded = os.path.expanduser(name)  # noqa: PTH111 (never raises)
    # Links are resolved up to the table itself: the system resolves ".." behind them.
    path = Path(os.path.realpath(Path(expanded).parent)) / Path(expanded).name
    home = os.path.realpath(folder)
    try:
        near = os.path.relpath(path, home)
    except ValueError:
        # Another drive.
        return str(path)
    is_far = Path(expanded).is_absolute() and near.startswith(f"..{os.sep}..")
    shown = str(path) if is_far else near.replace(os.sep, "/")
    return f"./{shown}" if shown.startswith("~") else shown


def _write(target: Path, text: str, inputs: Sequence[Path]) -> None:
    from petaudit.pipelines.json_schema import json_schema  # noqa: PLC0415 (loads every measure)

    schema = target.with_name(SCHEMA_FILE)
    for path in (target, schema):
        refuse_inputs(path, inputs)
    write_text(schema, json_text(json_schema()) + "\n")
    write_text(target, text)


def _summary(starter: Starter, target: Path) -> str:
    written = phrase(
        "wrote {file}, and {schema} beside it for your editor", file=target, schema=SCHEMA_FILE
    )
    lines: list[str] = [written, ""]
    is_synthetic = starter.synthetic is not None
    shown = list(starter.guesses)
    if is_synthetic:
        shown = [guess for guess in shown if guess.column in starter.identifiers]
    if shown and starter.quotes_names:
        lines += [*_guessed(shown, starter.identifying), ""]
    elif shown and not is_synthetic:
        lines += [term("the guessed roles are in the file only"), ""]
    elif not is_synthetic:
        from_file = phrase(
            "roles come from {file}, the side-car of the table", file=starter.side_car
        )
        lines += [from_file, ""]
    if starter.identifying.text is not None and starter.quotes_names:
        lines += section(term("Columns that tell rows apart"), [starter.identifying.text])
    for caution in starter.cautions:
        lines += section(term("CAUTION"), [caution])
    lines += section(term("Nothing can be measured yet:"), starter.to_fill_in)
    file = shlex.quote(str(target))
    lines.append(term("Next:") if is_synthetic else term("Check the roles, then:"))
    # To be typed as they are, so they are not wrapped.
    commands = [printable(f"  petaudit {command} {file}") for command in ("validate", "run")]
    return "\n".join([*finished(lines), *commands]) + "\n"


def _guessed(guesses: Sequence[Guess], told: Identifying) -> list[str]:
    """A line per column; how well it tells rows apart is left out where nobody counted."""
    header: list[str] = [term("column"), term("role")]
    if told.columns:
        header += [term("distinction"), term("separation")]
    rows = []
    for guess in guesses:
        name = shortened(guess.column.strip(), 40) or term("(no name)")
        row: list[str] = [name, _ROLE_NAMES[guess.role]]
        counts = told.columns.get(guess.column)
        if counts is not None:
            row += [f"{float(counts.distinction):.3g}", f"{float(counts.separation):.3g}"]
        elif told.columns:
            row += ["-", "-"]
        rows.append([*row, guess.reason])
    return format_table([*header, term("why")], rows)
