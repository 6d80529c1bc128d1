"""Where a run of a pipeline stands: on a terminal only, and never in CI."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from petaudit.cli.streams import printable
from petaudit.errors import phrase, term
from petaudit.i18n.phrases import translate
from petaudit.pipelines.events import Event, Listener


@contextmanager
def run_progress(*, quiet: bool) -> Iterator[Listener | None]:
    """A line on standard error that says which run is on; None where nobody looks."""
    if quiet or os.environ.get("CI") or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 (loaded only where it is seen)
    from rich.markup import escape  # noqa: PLC0415

    with Console(file=sys.stderr).status(translate(term("reading"))) as status:

        def show(event: Event) -> None:
            if event.kind == "step":
                where = phrase(
                    "{number} of {total}: {step}",
                    number=event.done + 1,
                    total=event.total,
                    step=f"{event.module}[{event.experiment}]",
                )
                status.update(escape(printable(translate(where))))

        yield show
