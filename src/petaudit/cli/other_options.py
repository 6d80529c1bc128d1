"""The options of the commands around pipeline files, and of the listings."""

from __future__ import annotations

import argparse

from petaudit.cli.engine_options import add_engine
from petaudit.cli.table_options import (
    add_formats,
    add_reading,
    add_reports,
    add_strict,
    add_telling,
)
from petaudit.errors import term
from petaudit.reports.writing import FORMATS


def _add_pipeline(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    parser.add_argument(
        "pipeline",
        metavar="AUDIT.YAML",
        nargs="+" if several else None,
        help=term("the file that describes the audit, or several")
        if several
        else term("the file that describes the audit"),
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="MODULE.NAME.OPTION=VALUE",
        help=term("change the file for this run, as in Evaluator.risk.limit=0.1; repeat for more"),
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="NAME",
        help=term(
            "only the runs with the experiment NAME, or the run of that name; repeat for more"
        ),
    )


def add_run(parser: argparse.ArgumentParser) -> None:
    """The options of ``petaudit run``."""
    _add_pipeline(parser)
    parser.add_argument(
        "--resume", action="store_true", help=term("go on where an interrupted run stopped")
    )
    add_strict(parser)
    add_engine(parser)
    output = parser.add_argument_group(term("output"))
    output.add_argument(
        "--out", metavar="DIR", help=term("folder of the results (default: AUDIT-results)")
    )
    add_formats(output)
    output.add_argument(
        "--reveal-values",
        action="store_true",
        help=term("write the values that identify people, too"),
    )
    output.add_argument(
        "--quiet", action="store_true", help=term("no progress, only breaches and the verdict")
    )
    add_reports(output)


def add_report(parser: argparse.ArgumentParser) -> None:
    """The options of ``petaudit report``."""
    parser.add_argument(
        "result",
        metavar="RESULT.JSON",
        help=term("what check, run or mpuccs wrote or printed as JSON"),
    )
    output = parser.add_argument_group(term("output"))
    output.add_argument(
        "--format",
        choices=FORMATS,
        metavar="FORMAT",
        help=term("html, markdown, junit or sarif (default: what --out ends with, else html)"),
    )
    output.add_argument(
        "--out",
        metavar="FILE",
        help=term("write there; - is the terminal (default for HTML: RESULT.html)"),
    )
    output.add_argument(
        "--reveal-values",
        action="store_true",
        help=term("show values of the data that the result holds, and small counts"),
    )
    output.add_argument(
        "--location",
        metavar="FILE",
        help=term("the file at which SARIF shows breaches, such as the pipeline"),
    )
    add_telling(output)


def add_validate(parser: argparse.ArgumentParser) -> None:
    """The options of ``petaudit validate``."""
    _add_pipeline(parser, several=True)
    parser.add_argument("--format", choices=("text", "json"), default="text")


def add_schema(parser: argparse.ArgumentParser) -> None:
    """The options of ``petaudit schema``."""
    parser.add_argument(
        "--out", metavar="FILE", help=term("write there instead of to the terminal")
    )


def add_init(parser: argparse.ArgumentParser) -> None:
    """The options of ``petaudit init``."""
    parser.add_argument(
        "table",
        metavar="TABLE",
        help=term("the table to be released; with --synthetic, the original"),
    )
    parser.add_argument(
        "--synthetic", metavar="FILE", help=term("a synthetic table made from TABLE")
    )
    parser.add_argument("--original", metavar="FILE", help=term("TABLE before it was generalised"))
    parser.add_argument(
        "--out", metavar="FILE", default="audit.yaml", help=term("default: audit.yaml; - prints it")
    )
    parser.add_argument("--force", action="store_true", help=term("replace an existing file"))
    add_reading(parser)


def add_measures(parser: argparse.ArgumentParser) -> None:
    """The options of ``petaudit measures``."""
    parser.add_argument("names", nargs="*", metavar="NAME", help=term("tell all about these"))
    parser.add_argument("--format", choices=("text", "json"), default="text")


def add_policies(parser: argparse.ArgumentParser) -> None:
    """The options of ``petaudit policies``."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=term("explain these, or a YAML file")
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")


def add_datasets(parser: argparse.ArgumentParser) -> None:
    """The options of ``petaudit datasets``."""
    parser.add_argument("name", nargs="?", help=term("print the path of this table"))
    parser.add_argument(
        "--hierarchies",
        action="store_true",
        help=term("print the folder of its hierarchies instead"),
    )
    parser.add_argument(
        "--original", action="store_true", help=term("print the path of its original instead")
    )
