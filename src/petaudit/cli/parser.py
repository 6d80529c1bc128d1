"""The commands and their options; imports nothing heavy, so that help is instant."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Sequence
from typing import NoReturn

from petaudit._version import __version__
from petaudit.cli.streams import printable
from petaudit.errors import shortened, suggestion
from petaudit.singling.profiles import PROFILES

_EXIT_CODES = "exit codes: 0 all limits hold, 1 a limit is breached, 2 it could not be measured"


class _Parser(argparse.ArgumentParser):
    """Names the nearest option or command when one is mistyped."""

    def parse_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            own = _options_of(getattr(found, "parser", self))
            hints = [
                f"{shortened(name)}{suggestion(name.partition('=')[0], own)}" for name in unknown
            ]
            getattr(found, "parser", self).error(f"unknown argument: {', '.join(hints)}")
        return found

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            raise argparse.ArgumentError(
                action,
                f"invalid choice {shortened(str(value))!r}{suggestion(str(value), known)}; choose "
                f"from {', '.join(known)}",
            )

    def error(self, message: str) -> NoReturn:
        said = printable(f"{self.prog}: error: {message}")
        self.exit(2, f"{said}\nTry '{self.prog} --help'.\n")


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = _Parser(
        prog="petaudit",
        description="Tells, before a table is released, how well it protects people and how much "
        "use it keeps.",
        epilog=_EXIT_CODES,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"petaudit {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(name: str, module: str, summary: str, epilog: str = "") -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = commands.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            epilog=epilog,
            allow_abbrev=False,
        )
        added.set_defaults(command=_lazily(module), parser=added)
        return added

    _add_check(command("check", "check", "measure a de-identified table", _EXIT_CODES))
    _add_generalize(
        command("generalize", "generalize", "generalise a table and suppress small classes")
    )
    _add_mpuccs(command("mpuccs", "mpuccs", "find who a synthetic table singles out", _EXIT_CODES))
    _add_run(command("run", "run", "run the audit that a YAML file describes", _EXIT_CODES))
    _add_init(command("init", "init", "look at a table and write a YAML file to start from"))
    _add_validate(
        command("validate", "validate", "check a YAML file and its tables, computing nothing")
    )
    _add_schema(command("schema", "schema", "print the JSON Schema of YAML files, for editors"))
    _add_measures(command("measures", "measures", "list the measures and what each needs"))
    _add_datasets(command("datasets", "datasets", "list the bundled tables, or print a path"))
    _add_format(command("demo", "demo", "audit the bundled de-identified Adult table"))
    return parser


def _lazily(module: str) -> Callable[[argparse.Namespace], int]:
    def run(chosen: argparse.Namespace) -> int:
        code: int = importlib.import_module(f"petaudit.cli.{module}").run(chosen)
        return code

    return run


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "table",
        metavar="TABLE",
        help="CSV or Parquet file, a folder of Parquet, or benchmark://NAME",
    )
    _add_reading(parser)
    columns = parser.add_argument_group("columns (else from the side-car TABLE.yaml)")
    columns.add_argument(
        "--qi", action="append", metavar="A,B", help="quasi-identifiers; repeat or use commas"
    )
    columns.add_argument("--identifier", action="append", metavar="A,B", help="identifiers")


def _add_reading(parser: argparse.ArgumentParser) -> None:
    reading = parser.add_argument_group("reading")
    reading.add_argument("--delimiter", help="of CSV files; found by itself if not given")
    reading.add_argument("--encoding", help="of CSV files if not UTF-8, for example big5")


def _add_format(parser: argparse.ArgumentParser) -> None:
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=("text", "json"), default="text")
    output.add_argument("--out", metavar="FILE", help="write there instead of to the terminal")
    output.add_argument(
        "--details", action="store_true", help="what is behind every figure, not only judged ones"
    )
    output.add_argument(
        "--reveal-values",
        action="store_true",
        help="show the quasi-identifier values of the worst classes",
    )


def _add_check(parser: argparse.ArgumentParser) -> None:
    _add_table(parser)
    parser.add_argument("--sensitive", action="append", metavar="A,B", help="sensitive attributes")
    parser.add_argument("--insensitive", action="append", metavar="A,B", help="other columns")
    parser.add_argument(
        "--hierarchies", metavar="DIR", help="folder of hierarchies, or a YAML file"
    )
    parser.add_argument("--original", metavar="FILE", help="the table before generalisation")
    parser.add_argument(
        "--control", metavar="FILE", help="people whom the maker of a synthetic table never saw"
    )
    parser.add_argument(
        "--population",
        metavar="FILE",
        help="everybody whom the people of the table may be among, raw or generalised alike",
    )
    parser.add_argument("--population-size", metavar="N", help="or how many they are")
    parser.add_argument("--key", metavar="COLUMN", help="joins original and table; else row order")
    parser.add_argument(
        "--suppressed",
        choices=("exclude", "class"),
        default="exclude",
        help="rows whose quasi-identifiers are all '*': left out of the classes, or one class",
    )
    chosen = parser.add_argument_group("measures and limits")
    chosen.add_argument(
        "--measures", action="append", metavar="A,B", help="only these (default: all possible)"
    )
    chosen.add_argument("--k", metavar="LIMIT", help="every class must have so many rows")
    chosen.add_argument("--l", metavar="LIMIT", help="and so many different sensitive values")
    chosen.add_argument("--t", metavar="LIMIT", help="t-closeness may be at most this")
    chosen.add_argument("--min-precision", metavar="LIMIT", help="Precision must be at least this")
    chosen.add_argument(
        "--min-entropy", metavar="LIMIT", help="Non-Uniform Entropy must be at least this"
    )
    chosen.add_argument("--distance", action="append", metavar="[COLUMN=]KIND", help=_DISTANCE_HELP)
    chosen.add_argument(
        "--cost", metavar="N", help="profitability: an attack costs the adversary N"
    )
    chosen.add_argument("--gain", metavar="N", help="profitability: success brings the adversary N")
    chosen.add_argument("--loss", metavar="N", help="profitability: success costs the publisher N")
    chosen.add_argument("--benefit", metavar="N", help="profitability: a published row brings N")
    chosen.add_argument(
        "--no-attack", action="store_true", help="profitability: no attack may pay either"
    )
    chosen.add_argument(
        "--limit", action="append", metavar="MEASURE=N", help="limit of any registered measure"
    )
    chosen.add_argument(
        "--option", action="append", metavar="MEASURE.NAME=VALUE", help="option of any measure"
    )
    _add_format(parser)


_DISTANCE_HELP = "t-closeness: ordered, hierarchical or equal, for all or for one attribute"


def _add_generalize(parser: argparse.ArgumentParser) -> None:
    _add_table(parser)
    parser.add_argument(
        "--levels", action="append", required=True, metavar="A=N,B=N", help="level per column"
    )
    parser.add_argument(
        "--hierarchies", metavar="DIR", help="folder of hierarchies, or a YAML file"
    )
    parser.add_argument(
        "--suppress-below", metavar="K", help="suppress the rows of classes smaller than K"
    )
    parser.add_argument(
        "--out", metavar="FILE", help=".csv or .parquet; without it CSV goes to the terminal"
    )


def _add_mpuccs(parser: argparse.ArgumentParser) -> None:
    for name, what in (("original", "the real people"), ("synthetic", "the table to be released")):
        parser.add_argument(
            name,
            metavar=name.upper(),
            help=f"{what}: a file, a folder of Parquet, or benchmark://NAME",
        )
    parser.add_argument(
        "--control", metavar="FILE", help="people whom the synthesizer never saw, to compare with"
    )
    search = parser.add_argument_group("search")
    search.add_argument(
        "--max-cols",
        metavar="N",
        default="3",
        help="combine up to N columns, or all of them (default: 3)",
    )
    search.add_argument("--time-limit", metavar="SECONDS", help="stop then, with a lower bound")
    search.add_argument("--threads", metavar="N", help="processor cores (default: all)")
    search.add_argument("--seed", metavar="N", help="of the samples for the control (default: 0)")
    search.add_argument("--numeric-precision", metavar="N", help="decimals; else found out")
    search.add_argument("--datetime-precision", metavar="UNIT", help="D, H, T, s, ms, us or ns")
    search.add_argument("--keep-duplicates", action="store_true", help="equal rows are two people")
    search.add_argument("--min-entropy-delta", metavar="D", help="prune below this gain of entropy")
    search.add_argument("--renyi-alpha", metavar="A", help="order of the entropy (default: 2)")
    search.add_argument("--field-decay-factor", metavar="F", help="weight by size (default: 0.5)")
    search.add_argument("--no-baseline", action="store_true", help="judge the identification rate")
    search.add_argument("--no-advice", action="store_true", help="do not try changes of columns")
    limits = parser.add_argument_group("limits")
    limits.add_argument("--profile", choices=tuple(PROFILES), help=_PROFILE_HELP)
    limits.add_argument("--limit", metavar="N", help="the risk score may be at most this")
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=("text", "json"), default="text")
    output.add_argument(
        "--out", metavar="DIR", help="also write the tables there, as CSV and as Parquet"
    )
    output.add_argument(
        "--reveal-values", action="store_true", help="write the values that identify people, too"
    )
    output.add_argument("--quiet", action="store_true", help="no progress, only the verdict")
    _add_reading(parser)


_PROFILE_HELP = (
    "risk score below 0.05 (public), 0.10 (research), 0.20 (internal), 0.30 (development), 0.01 "
    "(high-risk), or identification rate below 1 %% (excellent), 5 %% (good), 10 %% (acceptable)"
)


def _add_pipeline(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    parser.add_argument(
        "pipeline",
        metavar="AUDIT.YAML",
        nargs="+" if several else None,
        help="the file that describes the audit" + (", or several" if several else ""),
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="MODULE.NAME.OPTION=VALUE",
        help="change the file for this run, as in Evaluator.risk.limit=0.1; repeat for more",
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="NAME",
        help="only the runs with the experiment NAME, or the run of that name; repeat for more",
    )


def _add_run(parser: argparse.ArgumentParser) -> None:
    _add_pipeline(parser)
    parser.add_argument(
        "--resume", action="store_true", help="go on where an interrupted run stopped"
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--out", metavar="DIR", help="folder of the results (default: AUDIT-results)"
    )
    output.add_argument("--format", choices=("text", "json"), default="text")
    output.add_argument(
        "--reveal-values", action="store_true", help="write the values that identify people, too"
    )
    output.add_argument(
        "--quiet", action="store_true", help="no progress, only breaches and the verdict"
    )


def _add_validate(parser: argparse.ArgumentParser) -> None:
    _add_pipeline(parser, several=True)
    parser.add_argument("--format", choices=("text", "json"), default="text")


def _add_schema(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="FILE", help="write there instead of to the terminal")


def _add_init(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "table", metavar="TABLE", help="the table to be released; with --synthetic, the original"
    )
    parser.add_argument("--synthetic", metavar="FILE", help="a synthetic table made from TABLE")
    parser.add_argument("--original", metavar="FILE", help="TABLE before it was generalised")
    parser.add_argument(
        "--out", metavar="FILE", default="audit.yaml", help="default: audit.yaml; - prints it"
    )
    parser.add_argument("--force", action="store_true", help="replace an existing file")
    _add_reading(parser)


def _add_measures(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="tell all about these")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def _add_datasets(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="print the path of this table")
    parser.add_argument(
        "--hierarchies", action="store_true", help="print the folder of its hierarchies instead"
    )
    parser.add_argument(
        "--original", action="store_true", help="print the path of its original instead"
    )


def _options_of(parser: argparse.ArgumentParser) -> Sequence[str]:
    return [name for action in parser._actions for name in action.option_strings]
