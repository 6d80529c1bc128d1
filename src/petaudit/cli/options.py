"""The options of every command; imports nothing heavy, so that help is instant."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Final

from petaudit.anonymizing.choices import OBJECTIVES, RECODINGS
from petaudit.errors import OptionError, phrase, term
from petaudit.reports.writing import FORMATS
from petaudit.singling.options import PROFILES, profiles_help
from petaudit.singling.options import Options as SearchOptions
from petaudit.system.kinds import Choice
from petaudit.system.reading import Reading
from petaudit.system.settings import settings_of

_READING_VALUES: Final = {"delimiter": None, "encoding": None, "sheet": "NAME|N", "header_row": "N"}
"""What the value of an option is called, where its own name would not do."""
AUDIT_FORMATS: Final = ("text", "json", *FORMATS)


GROUPS: Final = (
    term("input"),
    term("reading"),
    term("columns (else from the side-car TABLE.yaml)"),
    term("generalisation"),
    term("search"),
    term("measures and limits"),
    term("engine"),
    term("output"),
    term("general"),
)
"""The groups of options, in the order in which every command shows those that it has."""


class Options:
    """A parser and its groups of options; help is translated when it is shown."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self.parser = parser
        # Help shows no group that stays empty.
        self._groups = {
            title.partition(" (")[0]: Group(parser.add_argument_group(title)) for title in GROUPS
        }

    def group(self, title: str) -> Group:
        """One of the groups that all commands have alike."""
        return self._groups[title]


class Group:
    """A group of options of a command."""

    def __init__(self, group: argparse._ActionsContainer) -> None:
        self.group = group

    def value(self, name: str, metavar: str | None, help_text: str, **more: Any) -> None:
        """Add an option or a positional argument of one value."""
        self.group.add_argument(name, metavar=metavar, help=term(help_text), **more)

    def names(self, name: str, help_text: str, metavar: str = "A,B", **more: Any) -> None:
        """Add an option that may be repeated."""
        self.value(name, metavar, help_text, action="append", **more)

    def flag(self, name: str, help_text: str, *short: str) -> None:
        """Add an option without a value."""
        self.group.add_argument(*short, name, action="store_true", help=term(help_text))

    def choice(self, name: str, choices: Sequence[str], help_text: str) -> None:
        """Add an option that takes one of a few words, of which the first is the default."""
        self.group.add_argument(name, choices=choices, default=choices[0], help=term(help_text))


def add_check(command: Options) -> None:
    """``petaudit check``."""
    tables = _add_table(command)
    tables.value("--hierarchies", "DIR", "folder of hierarchies, or a YAML file")
    tables.value("--original", "FILE", "the table before generalisation")
    tables.value("--control", "FILE", "holdout records not used for training")
    _add_population(tables)
    tables.value("--key", "COLUMN", "joins original and table; default: row order")
    columns = _add_columns(command)
    columns.names("--insensitive", "other columns")
    columns.flag("--person-is-pseudonym", "the person column holds pseudonyms and is released")
    limits = command.group("measures and limits")
    limits.names("--measures", "only these (default: all possible)")
    _add_policy(limits)
    _add_limits(limits)
    _add_strict(limits)
    limits.flag("--no-advice", "do not try dropping rows and changing columns")
    _add_engine(command)
    add_demo(command)
    output = command.group("output")
    output.value("--rows", "FILE", "write the numbers of the rows that break limits to this CSV")


def _add_population(tables: Group) -> None:
    tables.value(
        "--population",
        "FILE",
        "the population that the people of the table come from, raw or generalised alike",
    )
    tables.value("--population-size", "N", "or its size")


def _add_limits(limits: Group) -> None:
    """Limits and options of measures."""
    limits.value("--k", "LIMIT", "every class must have at least this many rows")
    limits.value("--l", "LIMIT", "and this many different sensitive values")
    limits.value("--t", "LIMIT", "t-closeness may be at most this")
    limits.value("--max-risk", "LIMIT", "maximum prosecutor risk, for example 1/11")
    limits.value("--min-precision", "LIMIT", "Precision must be at least this")
    limits.value("--min-entropy", "LIMIT", "Non-Uniform Entropy must be at least this")
    limits.names(
        "--distance",
        "t-closeness: ordered, hierarchical or equal, for all or for one attribute",
        "[COLUMN=]KIND",
    )
    limits.value("--cost", "N", "profitability: an attack costs the adversary N")
    limits.value("--gain", "N", "profitability: success brings the adversary N")
    limits.value("--loss", "N", "profitability: success costs the publisher N")
    limits.value("--benefit", "N", "profitability: a published row brings N")
    limits.flag("--no-attack", "profitability: no attack may pay either")
    limits.names("--limit", "limit of any registered measure", "MEASURE=N")
    limits.names("--option", "option of any measure", "MEASURE.NAME=VALUE")
    limits.choice(
        "--suppressed",
        ("class", "exclude"),
        "rows whose quasi-identifiers are all '*': one class (default), or left out as ARX does",
    )


def add_demo(command: Options) -> None:
    """``petaudit demo``: how an audit is shown."""
    output = command.group("output")
    _add_format(output)
    output.value("--out", "FILE", "write to this file instead of the terminal")
    _add_length(output)
    output.flag("--reveal-values", "show values of the worst classes, and small counts in reports")
    _add_reports(output)


def add_generalize(command: Options) -> None:
    """``petaudit generalize``."""
    _add_table(command).value("--hierarchies", "DIR", "folder of hierarchies, or a YAML file")
    _add_columns(command).names("--insensitive", "other columns")
    levels = command.group("generalisation")
    levels.names("--levels", "level per column; default: 0 for all", "A=N,B=N")
    levels.value("--suppress-below", "K", "suppress the rows of classes smaller than K")
    levels.choice(
        "--suppressed-rows",
        ("keep", "drop", "blank"),
        "keep suppressed rows (default), drop them, or empty their sensitive cells",
    )
    levels.choice(
        "--identifier-columns",
        ("drop", "mask"),
        "leave out columns that name people (default), or write '*' into all of their cells",
    )
    levels.choice(
        "--other-values",
        ("refuse", "level"),
        "values that fit no rule or hierarchy: an error (default), or a level 'other'",
    )
    output = command.group("output")
    output.value(
        "--out",
        "FILE",
        ".csv, .tsv or .parquet, also packed (.csv.gz); default: CSV to the terminal",
    )
    _add_formulas(output)


def add_hierarchies(command: Options) -> None:
    """``petaudit hierarchies``."""
    _add_table(command).value(
        "--hierarchies", "DIR", "hierarchies of some columns, which stay as they are"
    )
    _add_columns(command)
    output = command.group("output")
    output.value("--out", "FILE|DIR", "write rules to FILE.yaml, or a CSV file per column to DIR")
    output.flag("--force", "replace existing files")
    _add_short_format(command)
    output.flag("--reveal-values", "show labels, and values of the data in error messages")


def add_suppress(command: Options) -> None:
    """``petaudit suppress``."""
    tables = _add_table(command)
    tables.value("--hierarchies", "DIR", "folder of hierarchies, or a YAML file")
    tables.value("--original", "FILE", "the table before generalisation")
    _add_population(tables)
    _add_columns(command)
    limits = command.group("measures and limits")
    _add_policy(limits)
    _add_limits(limits)
    limits.value(
        "--max-suppression", "SHARE", "drop at most this share of the rows, for example 5%%"
    )
    output = command.group("output")
    output.value("--out", "FILE", ".csv, .tsv or .parquet, also packed (.csv.gz)", required=True)
    _add_formulas(output)


def add_anonymize(command: Options) -> None:
    """``petaudit anonymize``."""
    _add_original(command)
    columns = command.group("columns")
    columns.names("--insensitive", "other columns")
    columns.names("--keep", "release these columns although they tell rows apart, such as a key")
    columns.choice(
        "--identifier-columns",
        ("drop", "mask"),
        "leave out columns that name people (default), or write '*' into all of their cells",
    )
    limits = command.group("measures and limits")
    _add_policy(limits)
    _add_limits(limits)
    _add_strict(limits)
    search = command.group("search")
    _add_recoding(search)
    search.value(
        "--max-suppression",
        "SHARE",
        "suppress at most this many rows, for example 5%% or 20 (default: 0)",
    )
    search.value("--time-limit", "SECONDS", "stop after this long with the best result so far")
    search.flag("--drop-suppressed", "leave suppressed rows out of the table")
    output = command.group("output")
    output.value(
        "--out",
        "FILE",
        ".csv, .tsv or .parquet, also packed (.csv.gz); with --engine spark a folder .parquet",
    )
    output.value(
        "--out-table", "SCHEMA.NAME", "make this table in PostgreSQL, where the original is"
    )
    output.value(
        "--out-sql",
        "FILE",
        "write the statement that makes --out-table instead, for somebody who may run it",
    )
    output.value(
        "--transformation",
        "FILE",
        "file of the transformation, to apply it to other rows (default: OUT.transformation.json)",
    )
    _add_formulas(output)
    output.choice("--format", ("text", "json"), "text (default) or json")
    _add_quiet(output)
    _add_reports(output)


def add_frontier(command: Options) -> None:
    """``petaudit frontier``."""
    _add_original(command)
    _add_limits(command.group("measures and limits"))
    search = command.group("search")
    _add_recoding(search)
    search.names(
        "--max-suppression", "shares or numbers of rows, for example 0,1%%,5%%", "SHARE,SHARE"
    )
    search.value("--time-limit", "SECONDS", "stop each search after this long")
    search.flag("--drop-suppressed", "leave suppressed rows out of the table")
    output = command.group("output")
    _add_short_format(command)
    output.value("--report", "FILE", "also write a page with a picture: .html")
    output.value(
        "--hide-below",
        "N",
        "reports show numbers of people from 1 to N-1 as <N (default: 5; 0 shows all)",
        default="5",
    )
    output.flag("--reveal-values", "show values of the data in error messages")


def _add_original(command: Options) -> None:
    """Add the table that is to be generalised, with what is known about it."""
    tables = _add_table(command)
    tables.value("--hierarchies", "DIR", "folder of hierarchies, or a YAML file")
    _add_population(tables)
    _add_columns(command)
    _add_engine(command)


def _add_recoding(search: Group) -> None:
    search.choice(
        "--recoding",
        RECODINGS,
        "local: every class has levels of its own (default); global: every column has one level",
    )
    # The choices would not fit on a narrow terminal.
    search.value(
        "--objective",
        "NAME",
        "what is lost least: loss (default), loss-geometric, granularity, entropy, "
        "discernibility, class-size or precision",
        choices=OBJECTIVES,
        default=OBJECTIVES[0],
    )
    search.names("--weight", "how much columns count; default: 1 each", "A=N,B=N")
    search.names(
        "--level",
        "fix or bound the level of a column: zip=2, 'zip<=2', 'zip>=1' or zip=1-2",
        "A=N,B=N",
    )


def add_apply(command: Options) -> None:
    """``petaudit apply``."""
    tables = command.group("input")
    tables.value("transformation", "TRANSFORMATION.JSON", "what petaudit anonymize wrote")
    _add_table(command)
    tables.value("--release", "FILE", "the table that was released before, to audit both together")
    tables.value("--population", "FILE", "the population, where a limit is about it")
    search = command.group("search")
    search.flag("--drop-suppressed", "leave suppressed rows out of the table")
    output = command.group("output")
    output.value("--out", "FILE", ".csv, .tsv or .parquet, also packed (.csv.gz)", required=True)
    _add_formulas(output)


def _add_formulas(output: Group) -> None:
    output.choice(
        "--formulas",
        ("guard", "keep"),
        "cells that a spreadsheet would run as formulas: prefixed with an apostrophe in CSV "
        "(default), or kept as they are",
    )
    output.flag("--reveal-values", "show values of the data in error messages")


def add_attack(command: Options) -> None:
    """``petaudit attack``."""
    _add_synthetic(command)
    columns = command.group("columns")
    columns.names("--secret", "columns to guess from the others")
    columns.names("--known", "what an attacker knows of them (default: all other columns)")
    columns.names("--link", "what two sources know, to be linked; repeat for more", "A,B:C,D")
    columns.names("--keys", "columns to look people up by: replicated uniques, DiSCO")
    columns.value("--by", "COLUMN", "tell how exposed each group of one value is")
    columns.value("--person", "COLUMN", "tells people apart; the synthetic table may lack it")
    limits = command.group("measures and limits")
    limits.names("--measures", "only these (default: all that the columns allow)")
    limits.names(
        "--limit", "the excess may be at most this, of all attacks or of one", "[MEASURE=]N"
    )
    _add_policy(limits)
    limits.value(
        "--fpr", "SHARE", "membership: false-positive rate among strangers (default: 0.01)"
    )
    limits.value("--tolerance", "SHARE", "numbers so far off count as guessed (default: 0)")
    limits.names("--option", "option of any measure", "MEASURE.NAME=VALUE")
    _add_strict(limits)
    _add_engine(command)
    add_demo(command)
    output = command.group("output")
    output.value("--rows", "FILE", "write the numbers of the exposed rows of ORIGINAL to this CSV")
    output.flag("--exact-figures", "do not round figures to steps of at least ten people")


def _add_synthetic(command: Options) -> None:
    """The tables of what is about synthetic ones."""
    tables = command.group("input")
    for name, what in (
        ("original", term("the real people")),
        ("synthetic", term("the table to be released")),
    ):
        help_text = phrase("{what}: a file, a folder of Parquet, or benchmark://NAME", what=what)
        tables.group.add_argument(name, metavar=name.upper(), help=help_text)
    tables.value("--control", "FILE", "holdout records not used for training, to compare with")
    _add_reading(command)


def add_mpuccs(command: Options) -> None:
    """``petaudit mpuccs``."""
    _add_synthetic(command)
    columns = command.group("columns")
    _add_roles(columns)
    _add_search(columns, "person")
    search = command.group("search")
    _add_search(search, "max_baseline_cols", "time_limit", "threads", "search", "seed")
    _add_search(search, "numeric_precision", "datetime_precision", "deduplicate")
    _add_search(search, "min_entropy_delta", "renyi_alpha", "field_decay_factor")
    _add_search(search, "calculate_baseline")
    search.flag("--no-advice", "do not try changing columns")
    limits = command.group("measures and limits")
    # The names are in the help: as a list of choices they would be wider than a terminal.
    limits.group.add_argument(
        "--profile", metavar="NAME", help=profiles_help(), choices=tuple(PROFILES)
    )
    _add_policy(limits)
    limits.value("--limit", "N", "the risk score may be at most this")
    _add_strict(limits)
    _add_engine(command)
    output = command.group("output")
    _add_format(output)
    output.value("--out", "DIR", "also write the tables to this folder, as CSV and as Parquet")
    output.flag("--reveal-values", "write the values that identify people, too")
    _add_length(output)
    _add_reports(output)


def _add_search(group: Group, *names: str) -> None:
    """Add options of the search as they are declared."""
    for name in names:
        option = SearchOptions.declared()[name]
        if option.instead is not None and option.instead.metavar is None:
            group.flag(option.instead.flag, option.instead.help)
        elif option.instead is not None:
            flag, help_text, metavar, default = option.instead
            group.value(flag, metavar, help_text, default=default)
        elif option.shown is not None and isinstance(option.kind, Choice):
            group.choice(option.flag, option.kind.words, option.shown.help)
        elif option.shown is not None:
            group.value(option.flag, option.shown.metavar, option.shown.help)


def add_run(command: Options) -> None:
    """``petaudit run``."""
    _add_pipeline(command, term("the file that describes the audit"))
    command.group("input").flag("--resume", "continue where an interrupted run stopped")
    _add_strict(command.group("measures and limits"))
    _add_engine(command)
    output = command.group("output")
    output.value("--out", "DIR", "folder of the results (default: AUDIT-results)")
    _add_format(output)
    _add_length(output)
    output.flag("--reveal-values", "write the values that identify people, too")
    _add_reports(output)


def add_studio(command: Options) -> None:
    """``petaudit studio``."""
    tables = command.group("input")
    tables.value("table", "FILE", "a table to open, or the YAML file of an audit", nargs="?")
    server = command.group("engine")
    server.value("--port", "N", "port of this machine (default: 0, any that is free)", default="0")
    server.flag("--no-browser", "print the address only")
    _add_memory(server)


def add_report(command: Options) -> None:
    """``petaudit report``."""
    command.group("input").value("result", "RESULT.JSON", "JSON result of check, run or mpuccs")
    output = command.group("output")
    output.value(
        "--format",
        "FORMAT",
        "html, markdown, junit or sarif (default: what --out ends with, else html)",
        choices=FORMATS,
    )
    output.value("--out", "FILE", "output file; - is the terminal (default for HTML: RESULT.html)")
    output.flag(
        "--reveal-values", "show values of the data that the result holds, and small counts"
    )
    output.value("--location", "FILE", "file to which SARIF assigns breaches, such as the pipeline")
    _add_comparison(output)


def add_init(command: Options) -> None:
    """``petaudit init``."""
    tables = command.group("input")
    tables.value("table", "TABLE", "the table to be released; with SYNTHETIC, the original")
    tables.value("synthetic_table", "SYNTHETIC", "a synthetic table made from TABLE", nargs="?")
    tables.value("control", "CONTROL", "people not used for training, to attack both", nargs="?")
    tables.value("--synthetic", "FILE", "the same as SYNTHETIC")
    tables.value("--original", "FILE", "TABLE before it was generalised")
    _add_reading(command)
    output = command.group("output")
    output.value("--out", "FILE", "default: audit.yaml; - prints it", default="audit.yaml")
    output.flag("--force", "replace an existing file")
    output.flag("--interactive", "ask for the role of every column; Enter takes the guess")
    output.flag("--details", "every column with its reason, and how well it tells rows apart")


def add_validate(command: Options) -> None:
    """``petaudit validate``."""
    _add_pipeline(command, term("the file that describes the audit, or several"), nargs="+")
    _add_short_format(command)


def add_schema(command: Options) -> None:
    """``petaudit schema``."""
    command.group("output").value("--out", "FILE", "write to this file instead of the terminal")


def add_measures(command: Options) -> None:
    """``petaudit measures``."""
    command.group("input").value("names", "NAME", "show all details of these", nargs="*")
    _add_short_format(command)


def add_policies(command: Options) -> None:
    """``petaudit policies``."""
    command.group("input").value("names", "NAME", "explain these, or a YAML file", nargs="*")
    _add_short_format(command)


def add_datasets(command: Options) -> None:
    """``petaudit datasets``."""
    command.group("input").value("name", None, "print the path of this table", nargs="?")
    output = command.group("output")
    output.flag("--hierarchies", "print the folder of its hierarchies instead")
    output.flag("--original", "print the path of its original instead")


def add_doctor(command: Options) -> None:
    """``petaudit doctor``."""
    engine = command.group("engine")
    engine.value("--spark-master", "URL", "start a session there, and look at its workers, too")
    _add_memory(engine)
    _add_short_format(command)


def engine_of(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the engine as ``open_source`` takes it, once the memory is settled."""
    # Help must be instant, and the limit is of no use to it.
    from petaudit.system.memory import set_memory  # noqa: PLC0415

    if chosen.spark_master is not None and chosen.engine != "spark":
        raise OptionError("--spark-master is given without --engine spark")
    set_memory(chosen.memory)
    return {"engine": chosen.engine, "spark_master": chosen.spark_master}


def reading_of(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return how files are read, as ``open_source`` takes it."""
    from petaudit.cli.arguments import split_names, whole_number  # noqa: PLC0415 (help is instant)

    options = {name: getattr(chosen, name) for name in settings_of(Reading)}
    if options["delimiter"] == "\\t":
        # A tab is hard to type.
        options["delimiter"] = "tab"
    if options["header_row"] is not None:
        options["header_row"] = whole_number(options["header_row"], "--header-row")
    if options["null"] is not None:
        options["null"] = split_names(options["null"])
    return options


def _add_table(command: Options) -> Group:
    tables = command.group("input")
    tables.value(
        "table",
        "TABLE",
        "CSV, Parquet or Excel file, a folder of Parquet, benchmark://NAME, or a table in a "
        "database: "
        "postgresql://HOST/DATABASE?table=NAME or duckdb://FILE?table=NAME",
    )
    _add_reading(command)
    return tables


def _add_columns(command: Options) -> Group:
    columns = command.group("columns")
    _add_roles(columns)
    columns.names("--qi", "quasi-identifiers; repeat or use commas")
    columns.names("--sensitive", "sensitive attributes")
    columns.names("--identifier", "identifiers")
    columns.value("--person", "COLUMN", "tells people apart: classes count people, not rows")
    return columns


def _add_roles(columns: Group) -> None:
    columns.value("--roles", "FILE", "file that gives the columns their roles: audit.yaml of init")


def _add_pipeline(command: Options, help_text: str, **more: Any) -> None:
    audit = command.group("input")
    audit.group.add_argument("pipeline", metavar="AUDIT.YAML", help=help_text, **more)
    audit.names(
        "--set",
        "change the file for this run, as in Evaluator.risk.limit=0.1; repeat for more",
        "MODULE.NAME.OPTION=VALUE",
        default=[],
    )
    audit.names(
        "--only",
        "only the runs with the experiment NAME, or the run of that name; repeat for more",
        "NAME",
    )


def _add_reading(command: Options) -> None:
    reading = command.group("reading")
    for name, declared in settings_of(Reading).items():
        option = f"--{name.replace('_', '-')}"
        match declared.kind:
            case Choice(words):
                reading.value(option, None, declared.help, choices=words)
            case _ if name == "null":
                reading.names(option, declared.help)
            case _:
                reading.value(option, _READING_VALUES[name], declared.help)


def _add_engine(command: Options) -> None:
    engine = command.group("engine")
    engine.value(
        "--engine",
        None,
        "engine that counts the rows of files (default: duckdb)",
        choices=("duckdb", "spark"),
    )
    engine.value(
        "--spark-master",
        "URL",
        "Spark master: local[4], spark://HOST:PORT, yarn (default: Spark's own setting)",
    )
    _add_memory(engine)


def _add_memory(engine: Group) -> None:
    engine.value(
        "--memory",
        "SIZE",
        "use at most this much memory, such as 2GB (default: 60 %% of what is available)",
    )


def _add_format(output: Group) -> None:
    # The choices would not fit on a narrow terminal.
    output.value(
        "--format",
        "FORMAT",
        "text, json, html, markdown, junit or sarif (default: text)",
        choices=AUDIT_FORMATS,
        default="text",
    )


def _add_short_format(command: Options) -> None:
    command.group("output").choice("--format", ("text", "json"), "text (default) or json")


def _add_length(output: Group) -> None:
    output.flag("--details", "everything: all digits, what is behind each figure, what is left out")
    _add_quiet(output)


def _add_quiet(output: Group) -> None:
    output.flag("--quiet", "no progress, and only the verdict, in one line")


def _add_reports(output: Group) -> None:
    output.names(
        "--report",
        "also write a report: .html, .pdf, .md, .xml (JUnit) or .sarif; repeat for more",
        "FILE",
    )
    _add_comparison(output)


def _add_comparison(output: Group) -> None:
    output.value("--reviewer", "NAME", "who answers for the audit; reports name them")
    output.value("--baseline", "FILE", "an earlier result, to show before and after")
    output.value(
        "--hide-below",
        "N",
        "reports show numbers of people from 1 to N-1 as <N (default: 5; 0 shows all)",
        default="5",
    )


def _add_policy(group: Group) -> None:
    group.value(
        "--policy", "NAME", "limits of a published rule, or of a YAML file; see petaudit policies"
    )


def _add_strict(group: Group) -> None:
    group.flag(
        "--strict", "open questions, such as a column without a role, leave the audit undecided"
    )
