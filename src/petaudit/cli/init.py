"""``petaudit init``."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from petaudit.cli.asking import ask_roles, can_ask
from petaudit.cli.options import reading_of
from petaudit.cli.progress import without_progress
from petaudit.cli.report import write_text
from petaudit.cli.streams import complain_of_warning, say, takes_unicode
from petaudit.errors import (
    ColumnError,
    InputError,
    OptionError,
    Phrase,
    counted,
    listing,
    phrase,
    shortened,
    term,
)
from petaudit.i18n.text import json_text, printable
from petaudit.labels.hierarchies import Hierarchies
from petaudit.reports.terminal import finished, format_table, section
from petaudit.roles import Role, Roles, SideCar, read_side_car
from petaudit.singling.control import SAME_TABLE
from petaudit.starter import Guess, guesses_from
from petaudit.starter.identifying import Identifying, identifying
from petaudit.starter.starter import (
    NO_PEOPLE,
    ROLE_NAMES,
    K,
    Starter,
    T,
    can_be_named,
    reading_doubts,
    starter_text,
)
from petaudit.starter.subject import about_people
from petaudit.system.output import refuse_inputs
from petaudit.system.progress import stage
from petaudit.system.reading import Reading
from petaudit.system.settings import settings_of
from petaudit.system.side_cars import side_car_path
from petaudit.system.yaml_files import LARGEST_FILE
from petaudit.tables import Source, is_address, located, open_source
from petaudit.tables.column_facts import ColumnFacts, Kind, column_facts
from petaudit.tables.headers import header_doubt
from petaudit.tables.joint import check_same_columns
from petaudit.tables.odd_values import odd_values_note

SCHEMA_FILE = "petaudit.schema.json"
DEFAULT_FILE = "audit.yaml"
_BENCHMARK = "benchmark://"
_MOST_LINES = 20
"""More columns than that are shown by role."""
_MOST_NAMED = 20


def init(chosen: argparse.Namespace) -> int:
    """Look at the table, write the file, and say what was guessed."""
    target = _target(chosen)
    if chosen.synthetic_table is not None:
        if chosen.synthetic is not None:
            raise OptionError("the synthetic table is given twice: leave out --synthetic")
        chosen.synthetic = chosen.synthetic_table
    if chosen.interactive:
        _refuse_questions(chosen)
    if chosen.synthetic is not None and chosen.original is not None:
        raise OptionError(
            "with a synthetic table, TABLE is the original; --original is for other tables"
        )
    table = _opened(chosen, chosen.table)
    other_name = chosen.synthetic if chosen.synthetic is not None else chosen.original
    other = None if other_name is None else _opened(chosen, other_name)
    control = None if chosen.control is None else _opened(chosen, chosen.control)
    sources = [source for source in (table, other, control) if source is not None]
    files = [path for source in sources for path in source.files]
    if chosen.synthetic is not None:
        check_same_columns(sources)
    if control is not None and control.sha256 == table.sha256:
        # A run would refuse the file.
        raise InputError(SAME_TABLE)
    side_car = _side_car(chosen, table, other, target)
    if chosen.interactive and side_car is not None and side_car.roles.by_column:
        raise OptionError(
            "{file} gives the columns their roles already: there is nothing to ask",
            file=side_car.path.name,
        )
    starter = _starter(chosen, sources, side_car, target)
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
    say(_summary(starter, target, chosen))
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
        with stage(phrase("reading {tables}", tables=term("the table"))):
            source = open_source(name, **reading_of(chosen))
    except ColumnError as problem:
        # Names that repeat may be the values of a first row.
        raise ColumnError(
            "{reason}; the first line must hold the names of columns", reason=problem.text
        ) from None
    if not source.rows:
        raise InputError("{name} has a header but no rows", name=source.name)
    return source


def _refuse_questions(chosen: argparse.Namespace) -> None:
    if chosen.synthetic is not None:
        raise OptionError("with a synthetic table no column needs a role; leave out --interactive")
    if chosen.out == "-":
        raise OptionError("--interactive needs a file to write to, not --out -")
    if not can_ask():
        raise OptionError(
            "--interactive needs a terminal: standard input or output is not one; "
            "without it, the guesses are written for you to edit"
        )


def _side_car(
    chosen: argparse.Namespace, table: Source, other: Source | None, target: Path | None
) -> SideCar | None:
    """The side-car that a run would use: the released table's comes first.

    An earlier file of init that is named after the table is about to be replaced.
    """
    for source in (other, table) if chosen.synthetic is not None else (table, other):
        file = source.paths[0] if source is not None and len(source.paths) == 1 else None
        path = None if file is None else side_car_path(file)
        if path is None:
            continue
        side_car = read_side_car(path, file)
        if target is not None and side_car.is_pipeline and _is_same(path, target):
            continue
        side_car.roles.checked_against(table.columns, table.name)
        return side_car
    return None


def _is_same(path: Path, other: Path) -> bool:
    return os.path.realpath(path) == os.path.realpath(other)


def _starter(
    chosen: argparse.Namespace,
    sources: Sequence[Source],
    side_car: SideCar | None,
    target: Path | None,
) -> Starter:
    table, other = sources[0], sources[1] if len(sources) > 1 else None
    folder = Path() if target is None else target.parent
    is_synthetic = chosen.synthetic is not None
    guesses: Sequence[Guess] = ()
    is_about_people = True
    roles = Roles({}) if side_car is None else side_car.roles
    is_counted = is_synthetic or roles.columns(Role.IDENTIFIER) or not roles.by_column
    with stage(term("looking at the columns")):
        facts = column_facts(table) if is_counted else ()
        is_guessed = not roles.by_column
        before = column_facts(other) if is_guessed and other and not is_synthetic else ()
    if is_guessed:
        guesses = guesses_from(facts, {column.name: column for column in before})
        is_about_people = is_synthetic or about_people(facts)
        if chosen.interactive:
            header = [header_doubt(source.columns) for source in (table,) if source.is_untyped]
            if any(header):
                raise OptionError(
                    "the first line of {table} may be data: put the names of the columns above it "
                    "before you answer questions about them",
                    table=table.name,
                )
            with without_progress():
                is_about_people, guesses = ask_roles(guesses, is_about_people)
        proposed = guesses if is_about_people else ()
        roles = Roles(
            {
                guess.column: guess.role
                for guess in proposed
                if guess.is_sure and can_be_named(guess.column)
            }
        )
    # Only text can be read otherwise than it was meant.
    read = [source for source in sources if source.is_untyped]
    by_column = dict(roles.by_column)
    if is_about_people:
        # Columns without a proper name as well.
        by_column |= {guess.column: guess.role for guess in guesses if guess.is_sure}
    starter = Starter(
        table=_address(chosen.table, folder),
        rows=table.rows,
        columns=len(table.columns),
        guesses=guesses,
        is_about_people=is_about_people,
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
        ]
        + _odd_values(table, roles),
        quotes_names=all(header_doubt(source.columns) is None for source in read),
        reading=Reading.checked(**reading_of(chosen)),
        file=None if target is None else target.name,
        person=_person(facts, by_column) if guesses and not is_synthetic else None,
    )
    if is_synthetic:
        unfit = [column.name for column in facts if column.kind is Kind.OTHER]
        return replace(
            starter,
            synthetic=_address(chosen.synthetic, folder),
            control=None if chosen.control is None else _address(chosen.control, folder),
            roles=roles,
            uncountable=unfit,
        )
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


def _odd_values(table: Source, roles: Roles) -> list[str]:
    """What looks like a missing value, said where the option can still be given."""
    columns = [
        name
        for name in (*roles.quasi_identifiers, *roles.sensitive)
        if table.counts.is_countable(name)
    ]
    note = odd_values_note(table, columns, ()) if table.is_untyped else None
    return [] if note is None else [note]


def _person(facts: Sequence[ColumnFacts], by_column: Mapping[str, Role]) -> str | None:
    """The identifier that tells most people apart among those that repeat."""
    repeating = [
        column
        for column in facts
        if by_column.get(column.name) is Role.IDENTIFIER
        and can_be_named(column.name)
        and 1 < column.distinct < column.values
    ]
    most = max(repeating, key=lambda column: column.distinct, default=None)
    return None if most is None else most.name


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


def _summary(starter: Starter, target: Path, chosen: argparse.Namespace) -> str:
    """What was guessed, on one screen unless details are asked for, and what to type next."""
    lines: list[str] = [
        phrase(
            "wrote {file}, and {schema} beside it for your editor", file=target, schema=SCHEMA_FILE
        ),
        "",
    ]
    lines += _told_roles(starter, chosen.details)
    if chosen.details and starter.identifying.text is not None and starter.quotes_names:
        lines += section(
            term("Columns that tell rows apart"), [starter.identifying.text, _DISTINCTION]
        )
    lines += section(term("CAUTION"), starter.cautions)
    table, file = (shlex.quote(str(name)) for name in (chosen.table, target))
    # Commands are to be typed as they are, so they are not wrapped.
    shown = finished(lines)
    if starter.undecided and starter.synthetic is None:
        shown += finished(section(*_open_question(starter, chosen.interactive)))
        if not chosen.interactive:
            shown[-1:] = [printable(f"    {_asking_command(chosen)}"), ""]
    if starter.is_about_people and starter.to_fill_in:
        shown += finished(section(term("Nothing can be measured yet:"), starter.to_fill_in))
    page = shlex.quote(f"{target.stem}.html")
    commands = [f"validate {file}", f"run {file} --report {page}"]
    if starter.synthetic is None and not starter.to_fill_in:
        roles = f" --roles {file}" if starter.guesses else ""
        limits = f" --k {K}" + (f" --t {T}" if starter.sensitive else "")
        commands.append(f"check {table}{roles}{limits}")
    title = term("Next:") if starter.synthetic is not None else term("Check the roles, then:")
    shown += finished([title])
    return "\n".join([*shown, *(printable(f"  petaudit {line}") for line in commands)]) + "\n"


def _open_question(starter: Starter, was_asked: bool) -> tuple[str, list[str]]:
    """What somebody has to decide, and how."""
    if not starter.is_about_people:
        title: str = term("No people")
        open_question = phrase("{said}.", said=NO_PEOPLE)
    else:
        title = term("Not sure")
        open_question = phrase(
            "{number} of {columns} without a role: no measure looks at them until they have one, "
            "and every run says so.",
            number=len(starter.undecided),
            columns=counted(starter.columns, "column"),
        )
    how = term("Edit the file.") if was_asked else term("Edit the file, or answer questions:")
    return title, [open_question, how]


def _asking_command(chosen: argparse.Namespace) -> str:
    """The same command with questions."""
    given = [chosen.table]
    for option in ("original", *settings_of(Reading), "out"):
        values = getattr(chosen, option)
        for value in values if isinstance(values, list) else [values]:
            if value is not None and (option, value) != ("out", DEFAULT_FILE):
                # What begins like an option is joined to its own.
                given.append(f"--{option.replace('_', '-')}={'tab' if value == chr(9) else value}")
    return shlex.join(["petaudit", "init", *given, "--interactive", "--force"])


_DISTINCTION = phrase(
    "distinction: different values per row, 1 if every row has its own; separation: share of pairs "
    "of rows that differ"
)


def _told_roles(starter: Starter, details: bool) -> list[str]:
    is_synthetic = starter.synthetic is not None
    shown = list(starter.guesses)
    if is_synthetic:
        shown = [guess for guess in shown if guess.column in starter.identifiers]
    if not shown and not is_synthetic:
        return [
            phrase("roles come from {file}, the side-car of the table", file=starter.side_car),
            "",
        ]
    if not shown or (not starter.is_about_people and not details):
        return []
    if not starter.quotes_names:
        return [] if is_synthetic else [term("the guessed roles are in the file only"), ""]
    if details:
        return [*_guessed(shown, starter, starter.identifying), ""]
    table = _guessed(shown, starter, Identifying())
    return [*(table if len(table) <= _MOST_LINES else _by_role(shown, starter)), ""]


def _role_name(guess: Guess, starter: Starter) -> str:
    is_proposed = guess.is_sure and starter.is_about_people
    return ROLE_NAMES[guess.role] if is_proposed else term("not sure")


def _shown_name(guess: Guess) -> str:
    return shortened(guess.column.strip(), 40) or term("(no name)")


def _by_role(guesses: Sequence[Guess], starter: Starter) -> list[str]:
    """A line per role; the reasons are in the file."""
    named: dict[str, list[str]] = {}
    for guess in sorted(guesses, key=lambda guess: (not guess.is_sure, [*Role].index(guess.role))):
        named.setdefault(_role_name(guess, starter), []).append(_shown_name(guess))
    rows = [[role, str(len(names)), listing(names, _MOST_NAMED)] for role, names in named.items()]
    return format_table([term("role"), term("columns"), term("names (why: --details)")], rows)


def _guessed(guesses: Sequence[Guess], starter: Starter, told: Identifying) -> list[str]:
    """A line per column; how well it tells rows apart is left out where nobody counted."""
    header: list[str] = [term("column"), term("role")]
    if told.columns:
        header += [term("distinction"), term("separation")]
    rows = []
    for guess in guesses:
        row: list[str] = [_shown_name(guess), _role_name(guess, starter)]
        counts = told.columns.get(guess.column)
        if counts is not None:
            row += [f"{float(counts.distinction):.3g}", f"{float(counts.separation):.3g}"]
        elif told.columns:
            row += ["-", "-"]
        rows.append([*row, guess.reason])
    return format_table([*header, term("why")], rows)
