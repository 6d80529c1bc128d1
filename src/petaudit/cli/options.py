"""The options of every command; imports nothing heavy, so that help is instant."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Final

from petaudit.errors import OptionError, phrase, term
from petaudit.reports.writing import FORMATS
from petaudit.singling.options import PROFILES, profiles_help
from petaudit.singling.options import Options as SearchOptions
from petaudit.system.kinds import Choice

AUDIT_FORMATS: Final = ("text", "json", *FORMATS)


class Options:
    """A parser or a group of its options; help is translated when it is shown."""

    def __init__(self, parser: argparse._ActionsContainer) -> None:
        self.parser = parser

    def group(self, title: str) -> Options:
        """Start a group with a title of its own."""
        return Options(self.parser.add_argument_group(term(title)))

    def value(self, name: str, metavar: str | None, help_text: str, **more: Any) -> None:
        """Add an option or a positional argument of one value."""
        self.parser.add_argument(name, metavar=metavar, help=term(help_text), **more)

    def names(self, name: str, help_text: str, metavar: str = "A,B", **more: Any) -> None:
        """Add an option that may be repeated."""
        self.value(name, metavar, help_text, action="append", **more)

    def flag(self, name: str, help_text: str) -> None:
        """Add an option without a value."""
        self.parser.add_argument(name, action="store_true", help=term(help_text))

    def choice(self, name: str, choices: Sequence[str], help_text: str) -> None:
        """Add an option that takes one of a few words, of which the first is the default."""
        self.parser.add_argument(name, choices=choices, default=choices[0], help=term(help_text))


def add_check(command: Options) -> None:
    """``petaudit check``."""
    _add_table(command)
    command.names("--sensitive", "sensitive attributes")
    command.names("--insensitive", "other columns")
    command.flag("--person-is-pseudonym", "the person column holds pseudonyms and is released")
    command.value("--hierarchies", "DIR", "folder of hierarchies, or a YAML file")
    command.value("--original", "FILE", "the table before generalisation")
    command.value("--control", "FILE", "holdout records not used for training")
    command.value(
        "--population",
        "FILE",
        "the population that the people of the table come from, raw or generalised alike",
    )
    command.value("--population-size", "N", "or its size")
    command.value("--key", "COLUMN", "joins original and table; default: row order")
    command.choice(
        "--suppressed",
        ("class", "exclude"),
        "rows whose quasi-identifiers are all '*': one class (default), or left out as ARX does",
    )
    limits = command.group("measures and limits")
    limits.names("--measures", "only these (default: all possible)")
    _add_policy(limits)
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
    _add_strict(limits)
    _add_engine(command)
    add_demo(command)


def add_demo(command: Options) -> None:
    """``petaudit demo``: how an audit is shown."""
    output = command.group("output")
    _add_format(output)
    output.value("--out", "FILE", "write to this file instead of the terminal")
    output.flag("--details", "details of every figure, not only of judged ones")
    output.flag("--reveal-values", "show values of the worst classes, and small counts in reports")
    _add_reports(output)


def add_generalize(command: Options) -> None:
    """``petaudit generalize``."""
    _add_table(command)
    command.names("--levels", "level per column; default: 0 for all", "A=N,B=N")
    command.value("--hierarchies", "DIR", "folder of hierarchies, or a YAML file")
    command.value("--suppress-below", "K", "suppress the rows of classes smaller than K")
    command.choice(
        "--suppressed-rows",
        ("keep", "drop", "blank"),
        "keep suppressed rows (default), drop them, or empty their sensitive cells",
    )
    command.names("--sensitive", "sensitive attributes")
    command.names("--insensitive", "other columns")
    command.choice(
        "--identifier-columns",
        ("drop", "mask"),
        "leave out columns that name people (default), or write '*' into all of their cells",
    )
    command.choice(
        "--other-values",
        ("refuse", "level"),
        "values that fit no rule or hierarchy: an error (default), or a level 'other'",
    )
    command.value(
        "--out",
        "FILE",
        ".csv, .tsv or .parquet, also packed (.csv.gz); default: CSV to the terminal",
    )
    command.choice(
        "--formulas",
        ("guard", "keep"),
        "cells that a spreadsheet would run as formulas: prefixed with an apostrophe in CSV "
        "(default), or kept as they are",
    )
    command.flag("--reveal-values", "show values of the data in error messages")


def add_mpuccs(command: Options) -> None:
    """``petaudit mpuccs``."""
    for name, what in (
        ("original", term("the real people")),
        ("synthetic", term("the table to be released")),
    ):
        help_text = phrase("{what}: a file, a folder of Parquet, or benchmark://NAME", what=what)
        command.parser.add_argument(name, metavar=name.upper(), help=help_text)
    command.value("--control", "FILE", "holdout records not used for training, to compare with")
    _add_search(command, "person")
    search = command.group("search")
    _add_search(search, "max_baseline_cols", "time_limit", "threads", "search", "seed")
    _add_search(search, "numeric_precision", "datetime_precision", "deduplicate")
    _add_search(search, "min_entropy_delta", "renyi_alpha", "field_decay_factor")
    _add_search(search, "calculate_baseline")
    search.flag("--no-advice", "do not try changing columns")
    limits = command.group("limits")
    # The names are in the help: as a list of choices they would be wider than a terminal.
    limits.parser.add_argument(
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
    output.flag("--quiet", "no progress, only the verdict")
    _add_reports(output)
    _add_reading(command)


def _add_search(command: Options, *names: str) -> None:
    """Add options of the search as they are declared."""
    for name in names:
        option = SearchOptions.declared()[name]
        if option.instead is not None and option.instead.metavar is None:
            command.flag(option.instead.flag, option.instead.help)
        elif option.instead is not None:
            flag, help_text, metavar, default = option.instead
            command.value(flag, metavar, help_text, default=default)
        elif option.shown is not None and isinstance(option.kind, Choice):
            command.choice(option.flag, option.kind.words, option.shown.help)
        elif option.shown is not None:
            command.value(option.flag, option.shown.metavar, option.shown.help)


def add_run(command: Options) -> None:
    """``petaudit run``."""
    _add_pipeline(command, term("the file that describes the audit"))
    command.flag("--resume", "continue where an interrupted run stopped")
    _add_strict(command)
    _add_engine(command)
    output = command.group("output")
    output.value("--out", "DIR", "folder of the results (default: AUDIT-results)")
    _add_format(output)
    output.flag("--reveal-values", "write the values that identify people, too")
    output.flag("--quiet", "no progress, only breaches and the verdict")
    _add_reports(output)


def add_report(command: Options) -> None:
    """``petaudit report``."""
    command.value("result", "RESULT.JSON", "JSON result of check, run or mpuccs")
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
    command.value("table", "TABLE", "the table to be released; with --synthetic, the original")
    command.value("--synthetic", "FILE", "a synthetic table made from TABLE")
    command.value("--original", "FILE", "TABLE before it was generalised")
    command.value("--out", "FILE", "default: audit.yaml; - prints it", default="audit.yaml")
    command.flag("--force", "replace an existing file")
    _add_reading(command)


def add_validate(command: Options) -> None:
    """``petaudit validate``."""
    _add_pipeline(command, term("the file that describes the audit, or several"), nargs="+")
    _add_short_format(command)


def add_schema(command: Options) -> None:
    """``petaudit schema``."""
    command.value("--out", "FILE", "write to this file instead of the terminal")


def add_measures(command: Options) -> None:
    """``petaudit measures``."""
    command.value("names", "NAME", "show all details of these", nargs="*")
    _add_short_format(command)


def add_policies(command: Options) -> None:
    """``petaudit policies``."""
    command.value("names", "NAME", "explain these, or a YAML file", nargs="*")
    _add_short_format(command)


def add_datasets(command: Options) -> None:
    """``petaudit datasets``."""
    command.value("name", None, "print the path of this table", nargs="?")
    command.flag("--hierarchies", "print the folder of its hierarchies instead")
    command.flag("--original", "print the path of its original instead")


def engine_of(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the engine as ``open_source`` takes it, once the memory is settled."""
    # Help must be instant, and the limit is of no use to it.
    from petaudit.system.memory import set_memory  # noqa: PLC0415

    if chosen.spark_master is not None and chosen.engine != "spark":
        raise OptionError("--spark-master is given without --engine spark")
    set_memory(chosen.memory)
    return {"engine": chosen.engine, "spark_master": chosen.spark_master}


def _add_table(command: Options) -> None:
    command.value(
        "table",
        "TABLE",
        "CSV or Parquet file, a folder of Parquet, benchmark://NAME, or a table in a database: "
        "postgresql://HOST/DATABASE?table=NAME or duckdb://FILE?table=NAME",
    )
    _add_reading(command)
    columns = command.group("columns (else from the side-car TABLE.yaml)")
    columns.names("--qi", "quasi-identifiers; repeat or use commas")
    columns.names("--identifier", "identifiers")
    columns.value("--person", "COLUMN", "tells people apart: classes count people, not rows")


def _add_pipeline(command: Options, help_text: str, **more: Any) -> None:
    command.parser.add_argument("pipeline", metavar="AUDIT.YAML", help=help_text, **more)
    command.names(
        "--set",
        "change the file for this run, as in Evaluator.risk.limit=0.1; repeat for more",
        "MODULE.NAME.OPTION=VALUE",
        default=[],
    )
    command.names(
        "--only",
        "only the runs with the experiment NAME, or the run of that name; repeat for more",
        "NAME",
    )


def _add_reading(command: Options) -> None:
    reading = command.group("reading")
    reading.value(
        "--delimiter",
        None,
        "delimiter of CSV files; default: auto-detected",
        # A tab is hard to type.
        type=lambda mark: "\t" if mark in ("tab", "\\t") else mark,
    )
    reading.value("--encoding", None, "encoding of CSV files if not UTF-8, for example big5")


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
    engine.value(
        "--memory",
        "SIZE",
        "use at most this much memory, such as 2GB (default: 60 %% of what is available)",
    )


def _add_format(output: Options) -> None:
    # The choices would not fit on a narrow terminal.
    output.value(
        "--format",
        "FORMAT",
        "text, json, html, markdown, junit or sarif (default: text)",
        choices=AUDIT_FORMATS,
        default="text",
    )


def _add_short_format(command: Options) -> None:
    command.parser.add_argument("--format", choices=("text", "json"), default="text")


def _add_reports(output: Options) -> None:
    output.names(
        "--report",
        "also write a report: .html, .pdf, .md, .xml (JUnit) or .sarif; repeat for more",
        "FILE",
    )
    _add_comparison(output)


def _add_comparison(output: Options) -> None:
    output.value("--reviewer", "NAME", "who answers for the audit; reports name them")
    output.value("--baseline", "FILE", "an earlier result, to show before and after")
    output.value(
        "--hide-below",
        "N",
        "reports show numbers of people from 1 to N-1 as <N (default: 5; 0 shows all)",
        default="5",
    )


def _add_policy(group: Options) -> None:
    group.value(
        "--policy", "NAME", "limits of a published rule, or of a YAML file; see petaudit policies"
    )


def _add_strict(group: Options) -> None:
    group.flag(
        "--strict", "open questions, such as a column without a role, leave the audit undecided"
    )
