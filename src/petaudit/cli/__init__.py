"""The command line: parse, hand over, and turn errors into messages and exit codes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from petaudit.cli.language import choose_language, translated_argparse
from petaudit.cli.logs import logged
from petaudit.cli.parser import build_parser
from petaudit.cli.progress import shown_progress
from petaudit.cli.streams import complain, complain_of_error, finish, prepare, printed_warnings
from petaudit.cli.termination import graceful_shutdown, interrupted_code
from petaudit.errors import (
    ManyProblemsError,
    OptionError,
    PetauditError,
    naming_options,
    phrase,
    revealed,
    term,
)
from petaudit.i18n.catalogue import language, use_language
from petaudit.system.debugging import show_trace
from petaudit.system.files import file_problem
from petaudit.system.memory import memory_limit, memory_text

COULD_NOT_MEASURE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    prepare()
    before = language()
    with logged(arguments) as log:
        try:
            with graceful_shutdown(is_program=arguments is None), naming_options():
                code = _exit_code(arguments)
        except KeyboardInterrupt:
            # The second one, or one that came when everything was said.
            code = interrupted_code()
        finally:
            use_language(before)
        if log is not None:
            log.finish(code)
    return code


def _exit_code(arguments: Sequence[str] | None) -> int:
    chosen = argparse.Namespace(reveal_values=False)
    try:
        choose_language(arguments)
        code = _run(arguments, chosen)
        finish()
        return code
    except PetauditError as problem:
        messages = problem.messages if isinstance(problem, ManyProblemsError) else [problem.text]
        for message in messages:
            complain_of_error(revealed(message) if chosen.reveal_values else message)
    except KeyboardInterrupt:
        complain(term("interrupted"))
        return interrupted_code()
    except MemoryError:
        complain_of_error(
            phrase(
                "not enough memory: the limit is {limit}; close other programs, or set a limit "
                "that the machine has room for with --memory",
                limit=memory_text(memory_limit()),
            )
        )
    except BrokenPipeError:
        # The reader has left; closing quietly is what it expects.
        pass
    except OSError as problem:
        # A problem of the system with a file is not a defect of petaudit.
        show_trace(problem, with_texts=chosen.reveal_values)
        complain_of_error(file_problem(problem))
    except Exception as problem:
        show_trace(problem, with_texts=chosen.reveal_values)
        # The text of an unforeseen error may quote data, so only its kind is shown.
        complain(
            phrase(
                "internal error ({kind}); set PETAUDIT_DEBUG=1 to see where, and please report it",
                kind=type(problem).__name__,
            ),
            "error",
        )
    return COULD_NOT_MEASURE


def _run(arguments: Sequence[str] | None, chosen: argparse.Namespace) -> int:
    if any("\0" in argument for argument in arguments or ()):
        # No shell can pass one on.
        raise OptionError("a name cannot contain a NUL character")
    try:
        with translated_argparse():
            build_parser().parse_args(arguments, chosen)
        with printed_warnings(), shown_progress(quiet=getattr(chosen, "quiet", False)):
            code: int = chosen.command(chosen)
    except SystemExit as left:
        # Help, or a wrong option.
        return left.code if isinstance(left.code, int) else COULD_NOT_MEASURE
    return code
