"""Progress of searches and pipelines: on a terminal only, and never in CI."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from petaudit.errors import phrase, term
from petaudit.i18n.phrases import translate
from petaudit.i18n.text import printable

if TYPE_CHECKING:
    from petaudit.pipelines.events import Event, Listener
    from petaudit.singling.options import Progress


def _is_watched(*, quiet: bool) -> bool:
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    return is_terminal and not quiet and not os.environ.get("CI")


@contextmanager
def search_progress(*, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Two bars on standard error, for columns and for combinations; None where nobody looks."""
    if not _is_watched(quiet=quiet):
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 (loaded only where it is seen)
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn  # noqa: PLC0415
    from rich.progress import Progress as Bars  # noqa: PLC0415

    from petaudit.singling.running import duration  # noqa: PLC0415

    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}"),
        console=Console(file=sys.stderr),
        transient=True,
    )
    columns = bars.add_task(translate(term("columns")), total=None, pace="")
    combinations = bars.add_task(translate(term("combinations")), total=None, pace="")

    def show(now: Progress) -> None:
        bars.update(columns, completed=now.size, total=max(now.sizes))
        bars.update(combinations, completed=now.all_done, total=now.all_total)
        task = bars.tasks[combinations]
        if task.speed:
            pace = phrase(
                "{speed:,.0f}/s, {time} left",
                speed=task.speed,
                time=duration((now.all_total - now.all_done) / task.speed),
            )
            bars.update(combinations, pace=translate(pace))

    with bars:
        yield show


@contextmanager
def run_progress(*, quiet: bool) -> Iterator[Listener | None]:
    """A line on standard error that says which run is on; None where nobody looks."""
    if not _is_watched(quiet=quiet):
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
