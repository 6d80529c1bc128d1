"""The options of the commands that measure or change a table."""

from __future__ import annotations

import argparse

from petaudit.cli.engine_options import add_engine
from petaudit.errors import phrase, term
from petaudit.reports.writing import FORMATS
from petaudit.singling.profiles import PROFILES

AUDIT_FORMATS = ("text", "json", *FORMATS)


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "table",
        metavar="TABLE",
        help=term(
            "CSV or Parquet file, a folder of Parquet, benchmark://NAME, or a table in a database: "
            "postgresql://HOST/DATABASE?table=NAME or duckdb://FILE?table=NAME"
        ),
    )
    add_reading(parser)
    columns = parser.add_argument_group(term("columns (else from the side-car TABLE.yaml)"))
    columns.add_argument(
        "--qi", action="append", metavar="A,B", help=term("quasi-identifiers; repeat or use commas")
    )
    columns.add_argument("--identifier", action="append", metavar="A,B", help=term("identifiers"))
    columns.add_argument(
        "--person",
        metavar="COLUMN",
        help=term("tells people apart: classes count people, not rows"),
    )


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How CSV files are read."""
    reading = parser.add_argument_group(term("reading"))
    reading.add_argument("--delimiter", help=term("of CSV files; found by itself if not given"))
    reading.add_argument("--encoding", help=term("of CSV files if not UTF-8, for example big5"))


def add_format(parser: argparse.ArgumentParser) -> None:
    """How an audit is shown."""
    output = parser.add_argument_group(term("output"))
    add_formats(output)
    output.add_argument(
        "--out", metavar="FILE", help=term("write there instead of to the terminal")
    )
    output.add_argument(
        "--details",
        action="store_true",
        help=term("what is behind every figure, not only judged ones"),
    )
    output.add_argument(
        "--reveal-values",
        action="store_true",
        help=term("show values of the worst classes, and small counts in reports"),
    )
    add_reports(output)


def add_formats(output: argparse._ArgumentGroup) -> None:
    """What goes to the terminal; the choices would not fit on a narrow one."""
    output.add_argument(
        "--format",
        choices=AUDIT_FORMATS,
        default="text",
        metavar="FORMAT",
        help=term("text, json, html, markdown, junit or sarif (default: text)"),
    )


def add_reports(output: argparse._ArgumentGroup) -> None:
    """Which reports to make, and what they tell."""
    output.add_argument(
        "--report",
        action="append",
        metavar="FILE",
        help=term("also write a report: .html, .md, .xml (JUnit) or .sarif; repeat for more"),
    )
    add_telling(output)


def add_telling(output: argparse._ArgumentGroup) -> None:
    """What reports compare with, and from which number on they count people."""
    output.add_argument(
        "--baseline", metavar="FILE", help=term("an earlier result, to show before and after")
    )
    output.add_argument(
        "--hide-below",
        metavar="N",
        default="5",
        help=term("reports show numbers of people from 1 to N-1 as <N (default: 5; 0 shows all)"),
    )


def add_policy(group: argparse._ArgumentGroup) -> None:
    """A rule that sets limits."""
    group.add_argument(
        "--policy",
        metavar="NAME",
        help=term("limits of a published rule, or of a YAML file; see petaudit policies"),
    )


def add_check(parser: argparse.ArgumentParser) -> None:
    """The options of ``petaudit check``."""
    _add_table(parser)
    parser.add_argument(
        "--sensitive", action="append", metavar="A,B", help=term("sensitive attributes")
    )
    parser.add_argument("--insensitive", action="append", metavar="A,B", help=term("other columns"))
    parser.add_argument(
        "--person-is-pseudonym",
        action="store_true",
        help=term("the values of the person column are made up, and it is released"),
    )
    parser.add_argument(
        "--hierarchies", metavar="DIR", help=term("folder of hierarchies, or a YAML file")
    )
    parser.add_argument("--original", metavar="FILE", help=term("the table before generalisation"))
    parser.add_argument(
        "--control",
        metavar="FILE",
        help=term("people whom the maker of a synthetic table never saw"),
    )
    parser.add_argument(
        "--population",
        metavar="FILE",
        help=term("everybody whom the people of the table may be among, raw or generalised alike"),
    )
    parser.add_argument("--population-size", metavar="N", help=term("or how many they are"))
    parser.add_argument(
        "--key", metavar="COLUMN", help=term("joins original and table; else row order")
    )
    parser.add_argument(
        "--suppressed",
        choices=("class", "exclude"),
        default="class",
        help=term(
            "rows whose quasi-identifiers are all '*': one class (default), or left out as ARX does"
        ),
    )
    chosen = parser.add_argument_group(term("measures and limits"))
    chosen.add_argument(
        "--measures",
        action="append",
        metavar="A,B",
        help=term("only these (default: all possible)"),
    )
    add_policy(chosen)
    chosen.add_argument("--k", metavar="LIMIT", help=term("every class must have so many rows"))
    chosen.add_argument("--l", metavar="LIMIT", help=term("and so many different sensitive values"))
    chosen.add_argument("--t", metavar="LIMIT", help=term("t-closeness may be at most this"))
    chosen.add_argument(
        "--max-risk",
        metavar="LIMIT",
        help=term("nobody's prosecutor risk may be above this, for example 1/11"),
    )
    chosen.add_argument(
        "--min-precision", metavar="LIMIT", help=term("Precision must be at least this")
    )
    chosen.add_argument(
        "--min-entropy", metavar="LIMIT", help=term("Non-Uniform Entropy must be at least this")
    )
    chosen.add_argument("--distance", action="append", metavar="[COLUMN=]KIND", help=_DISTANCE_HELP)
    chosen.add_argument(
        "--cost", metavar="N", help=term("profitability: an attack costs the adversary N")
    )
    chosen.add_argument(
        "--gain", metavar="N", help=term("profitability: success brings the adversary N")
    )
    chosen.add_argument(
        "--loss", metavar="N", help=term("profitability: success costs the publisher N")
    )
    chosen.add_argument(
        "--benefit", metavar="N", help=term("profitability: a published row brings N")
    )
    chosen.add_argument(
        "--no-attack", action="store_true", help=term("profitability: no attack may pay either")
    )
    chosen.add_argument(
        "--limit",
        action="append",
        metavar="MEASURE=N",
        help=term("limit of any registered measure"),
    )
    chosen.add_argument(
        "--option",
        action="append",
        metavar="MEASURE.NAME=VALUE",
        help=term("option of any measure"),
    )
    add_strict(chosen)
    add_engine(parser)
    add_format(parser)


def add_strict(group: argparse._ActionsContainer) -> None:
    """Whether open questions leave the audit undecided."""
    group.add_argument(
        "--strict",
        action="store_true",
        help=term("open questions, such as a column without a role, leave the audit undecided"),
    )


_DISTANCE_HELP = term("t-closeness: ordered, hierarchical or equal, for all or for one attribute")


def add_generalize(parser: argparse.ArgumentParser) -> None:
    """The options of ``petaudit generalize``."""
    _add_table(parser)
    parser.add_argument(
        "--levels", action="append", required=True, metavar="A=N,B=N", help=term("level per column")
    )
    parser.add_argument(
        "--hierarchies", metavar="DIR", help=term("folder of hierarchies, or a YAML file")
    )
    parser.add_argument(
        "--suppress-below", metavar="K", help=term("suppress the rows of classes smaller than K")
    )
    parser.add_argument(
        "--suppressed-rows",
        choices=("keep", "drop", "blank"),
        default="keep",
        help=term("keep suppressed rows (default), drop them, or empty their sensitive cells"),
    )
    parser.add_argument(
        "--sensitive", action="append", metavar="A,B", help=term("sensitive attributes")
    )
    parser.add_argument(
        "--out", metavar="FILE", help=term(".csv or .parquet; without it CSV goes to the terminal")
    )
    parser.add_argument(
        "--formulas",
        choices=("guard", "keep"),
        default="guard",
        help=term(
            "of cells that a spreadsheet would run: an apostrophe in front in CSV (default), or "
            "as they are"
        ),
    )
    parser.add_argument(
        "--reveal-values",
        action="store_true",
        help=term("show values of the data in error messages"),
    )


def add_mpuccs(parser: argparse.ArgumentParser) -> None:
    """The options of ``petaudit mpuccs``."""
    for name, what in (
        ("original", term("the real people")),
        ("synthetic", term("the table to be released")),
    ):
        parser.add_argument(
            name,
            metavar=name.upper(),
            help=phrase("{what}: a file, a folder of Parquet, or benchmark://NAME", what=what),
        )
    parser.add_argument(
        "--control",
        metavar="FILE",
        help=term("people whom the synthesizer never saw, to compare with"),
    )
    parser.add_argument(
        "--person",
        metavar="COLUMN",
        help=term("the column that names the person of a row: rows of one person do not compete"),
    )
    search = parser.add_argument_group(term("search"))
    search.add_argument(
        "--max-cols",
        metavar="N",
        default="3",
        help=term("combine up to N columns, or all of them (default: 3)"),
    )
    search.add_argument(
        "--time-limit", metavar="SECONDS", help=term("stop then, with a lower bound")
    )
    search.add_argument("--threads", metavar="N", help=term("processor cores (default: all)"))
    search.add_argument(
        "--search",
        choices=("auto", "memory", "engine"),
        default="auto",
        help=term("count in memory, in an engine that may use the disk, or in what fits (auto)"),
    )
    search.add_argument(
        "--seed", metavar="N", help=term("of the samples for the control (default: 0)")
    )
    search.add_argument("--numeric-precision", metavar="N", help=term("decimals; else found out"))
    search.add_argument(
        "--datetime-precision", metavar="UNIT", help=term("D, H, T, s, ms, us or ns")
    )
    search.add_argument(
        "--keep-duplicates", action="store_true", help=term("equal rows are two people")
    )
    search.add_argument(
        "--min-entropy-delta", metavar="D", help=term("prune below this gain of entropy")
    )
    search.add_argument(
        "--renyi-alpha", metavar="A", help=term("order of the entropy (default: 2)")
    )
    search.add_argument(
        "--field-decay-factor", metavar="F", help=term("weight by size (default: 0.5)")
    )
    search.add_argument(
        "--no-baseline", action="store_true", help=term("judge the identification rate")
    )
    search.add_argument(
        "--no-advice", action="store_true", help=term("do not try changes of columns")
    )
    limits = parser.add_argument_group(term("limits"))
    # The names stand in the help: as a list of choices they would be wider than a terminal.
    limits.add_argument("--profile", metavar="NAME", choices=tuple(PROFILES), help=_PROFILE_HELP)
    add_policy(limits)
    limits.add_argument("--limit", metavar="N", help=term("the risk score may be at most this"))
    add_engine(parser)
    output = parser.add_argument_group(term("output"))
    add_formats(output)
    output.add_argument(
        "--out", metavar="DIR", help=term("also write the tables there, as CSV and as Parquet")
    )
    output.add_argument(
        "--reveal-values",
        action="store_true",
        help=term("write the values that identify people, too"),
    )
    output.add_argument("--quiet", action="store_true", help=term("no progress, only the verdict"))
    add_reports(output)
    add_reading(parser)


_PROFILE_HELP = term(
    "risk score below 0.05 (public), 0.10 (research), 0.20 (internal), 0.30 (development), 0.01 "
    "(high-risk), or identification rate below 1 %% (excellent), 5 %% (good), 10 %% (acceptable)"
)
