"""The commands and their options; imports nothing heavy, so that help is instant."""

from __future__ import annotations

import argparse
import importlib
from functools import partial
from typing import Any, NoReturn

from petaudit._version import __version__
from petaudit.cli import options
from petaudit.cli.language import OPTION, HelpFormatter, add_general
from petaudit.cli.logs import json_log
from petaudit.cli.streams import complain_of_error
from petaudit.errors import joined, phrase, shortened, suggestion, term
from petaudit.i18n.phrases import translate
from petaudit.i18n.text import printable, without_passwords
from petaudit.reports.terminal import wrapped

_EXIT_CODES = term(
    "exit codes: 0 all limits hold, 1 a limit is breached, 2 it could not be measured"
)
_EXAMPLES = {
    "petaudit demo": term("audits a table that comes with petaudit"),
    "petaudit init TABLE.csv": term("looks at your table and writes audit.yaml"),
    "petaudit check TABLE.csv --qi zip,age --sensitive disease --k 5": term(
        "audits it at once: k-anonymity must be at least 5"
    ),
}
_COMMANDS = {
    "check": term("measure a de-identified table"),
    "anonymize": term("find the best release of a table that keeps its limits"),
    "frontier": term("compare what is lost at several limits: risk against utility"),
    "apply": term("give new rows the labels of an earlier release"),
    "hierarchies": term("propose hierarchies for the columns of a table, to edit and use"),
    "generalize": term("generalise a table and suppress small classes"),
    "suppress": term("drop the rows that keep a table from its limits"),
    "mpuccs": term("find who a synthetic table singles out"),
    "attack": term("attack a synthetic table, against people it was not made from"),
    "run": term("run the audit that a YAML file describes"),
    "studio": term("do all of this in a browser, on this machine"),
    "report": term("make a report of a result, for people or for CI"),
    "init": term("look at a table and write a YAML file to start from"),
    "validate": term("check a YAML file and its tables, computing nothing"),
    "schema": term("print the JSON Schema of YAML files, for editors"),
    "measures": term("list the measures and what each needs"),
    "policies": term("list the policies, or explain one"),
    "datasets": term("list the bundled tables, or print a path"),
    "demo": term("audit the bundled de-identified Adult table"),
    "doctor": term("show what is installed, what is missing, and what that would give"),
}
"""What each command does; its options are added by ``options.add_<command>``."""
_MODULES = {"demo": "check"} | dict.fromkeys(
    ("measures", "policies", "datasets", "schema"), "listing"
)
"""Where commands are that have no module of their own; the function has the command's name."""
_JUDGING = ("check", "anonymize", "apply", "mpuccs", "attack", "run")


class _Once(argparse._StoreAction):
    """An option of one value: given twice, one of the two would count for nothing."""

    def __call__(self, parser, namespace, values, option_string=None):  # type: ignore[no-untyped-def]
        # Of the language, which judges nothing, the later one counts.
        if option_string not in (None, OPTION):
            given = vars(namespace).setdefault("given_once", set())
            if self.dest in given:
                raise argparse.ArgumentError(
                    self, translate(phrase("given twice; it takes one value"))
                )
            given.add(self.dest)
        super().__call__(parser, namespace, values, option_string)


class _Parser(argparse.ArgumentParser):
    """Names the nearest option or command when one is mistyped."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # Help is an option of the general group.
        super().__init__(*args, **{**kwargs, "add_help": False})
        for name in (None, "store"):
            self.register("action", name, _Once)

    def parse_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        parsed, unknown = self.parse_known_args(args, namespace)
        if unknown:
            parser = getattr(parsed, "parser", self)
            known = [name for action in parser._actions for name in action.option_strings]
            hints = [
                f"{shortened(name)}{translate(suggestion(name.partition('=')[0], known))}"
                for name in unknown
            ]
            message = phrase("unknown argument: {names}", names=joined(hints))
            parser.error(translate(message))
        return parsed

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            message = phrase(
                "invalid choice {value!r}{near}; choose from {known}",
                value=shortened(str(value)),
                near=suggestion(str(value), known),
                known=joined(known),
            )
            raise argparse.ArgumentError(action, translate(message))

    def format_help(self) -> str:
        """The help, with examples where there are commands to choose from."""
        text = super().format_help()
        if self._subparsers is None:
            return text
        lines = [translate(term("examples:"))]
        for example, what in _EXAMPLES.items():
            # To be typed as they are, so they are not wrapped.
            lines += [f"  {example}", *wrapped(translate(what), "      ")]
        return "\n".join([text, *lines]) + "\n"

    def error(self, message: str) -> NoReturn:
        if json_log() is not None:
            complain_of_error(message)
            self.exit(2)
        wrong = translate(phrase("error: {message}", message=message))
        hint = translate(phrase("Try '{program} --help'.", program=self.prog))
        self.exit(2, f"{without_passwords(printable(f'{self.prog}: {wrong}'))}\n{hint}\n")


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = _Parser(
        prog="petaudit",
        description=term(
            "Shows, before a table is released, how well it protects people and how useful it "
            "remains."
        ),
        epilog=_EXIT_CODES,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(command=partial(_show_help, parser))
    commands = parser.add_subparsers(title=term("commands"), metavar="COMMAND")
    general = parser.add_argument_group(term("general"))
    add_general(general)
    general.add_argument(
        "--version",
        action="version",
        version=f"petaudit {__version__}",
        help=term("show program's version number and exit"),
    )
    for name, summary in _COMMANDS.items():
        described = translate(summary)
        command = commands.add_parser(
            name,
            help=summary,
            description=described[0].upper() + described[1:] + translate(term(".")),
            epilog=_EXIT_CODES if name in _JUDGING else "",
            formatter_class=HelpFormatter,
            allow_abbrev=False,
        )
        command.set_defaults(command=partial(_run, name), parser=command)
        of_command = options.Options(command)
        add_general(of_command.group("general").group)
        getattr(options, f"add_{name}")(of_command)
    return parser


def _show_help(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> int:
    """Who gives no command is new here."""
    parser.print_help()
    return 0


def _run(name: str, chosen: argparse.Namespace) -> int:
    """Load the module of a command only now: help needs none."""
    module = importlib.import_module(f"petaudit.cli.{_MODULES.get(name, name)}")
    code: int = getattr(module, name)(chosen)
    return code
