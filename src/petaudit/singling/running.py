"""One run from opened tables to findings: encode, prepare, search, compare with the control."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from petaudit.errors import NotMeasurableError, PetauditWarning, counted, phrase
from petaudit.singling.control import CONTROL, ORIGINAL, SYNTHETIC, checked_control, compare
from petaudit.singling.engine import StoredTables
from petaudit.singling.entropy import EntropyRule
from petaudit.singling.findings import Findings
from petaudit.singling.options import Options
from petaudit.singling.prepared import Prepared, prepare
from petaudit.singling.search import Settings, SizeFindings
from petaudit.singling.strategy import SearchStrategy, choose_strategy
from petaudit.system.threads import available_threads
from petaudit.tables import Source
from petaudit.tables.joint import check_same_columns, joint_tables
from petaudit.tables.joint.store import fetched_tables, store_tables

_SECONDS_PER_CELL = 5e-9
"""What a row costs in a combination, roughly, on one core."""
_SECONDS_PER_CELL_IN_ENGINE = 2e-7
_SECONDS_PER_COMBINATION = 2e-6
_LONG = 120.0
_HOUR = 3_600.0
_DAY = 24 * _HOUR
_YEAR = 365.25 * _DAY


@dataclass
class Run:
    """A run, its settings and what it took."""

    options: Options
    started: float = field(default_factory=time.monotonic)
    """When the caller began: reading the tables takes from the time limit, too."""
    timings: dict[str, float] = field(default_factory=dict)

    def find(self, synthetic: Source, original: Source, control: Source | None) -> Findings:
        """Search the original, and the control if there is one."""
        sources = [synthetic, original, *([] if control is None else [control])]
        check_same_columns(sources, self.options.person)
        options = self.options
        strategy = choose_strategy(
            sources, options.search, options.threads, with_people=options.person is not None
        )
        tables = self._encoded(sources, strategy)
        settings = Settings(
            options.sizes(len(tables.columns)),
            EntropyRule(options.renyi_alpha, options.min_entropy_delta),
            options.threads or strategy.threads,
            None if options.time_limit is None else self.started + options.time_limit,
            options.progress,
        )
        has_control = control is not None
        odd = checked_control(tables.overlap) if has_control and tables.lists_rows else ()
        sizes: tuple[SizeFindings, ...] = ()
        with self._timed("search"):
            if tables.people[SYNTHETIC] and tables.people[ORIGINAL]:
                _warn_if_long(tables, settings, options)
                sizes = tuple(tables.search(settings))
        excess = None
        if has_control and tables.can_be_sampled and all(size.is_complete for size in sizes):
            with self._timed("control"):
                exposed = partial(tables.exposed, sizes=sizes, settings=settings)
                excess = compare(tables.entries, exposed, options.seed)
        if isinstance(tables, StoredTables):
            tables.pair.finish()
        self.timings["total"] = time.monotonic() - self.started
        left_out = synthetic.left_out, original.left_out
        return Findings(tables, options, sizes, has_control, excess, strategy, odd, left_out)

    def _encoded(
        self, sources: Sequence[Source], strategy: SearchStrategy
    ) -> Prepared | StoredTables:
        options = self.options
        decimals, unit = options.numeric_precision, options.datetime_precision
        if strategy.place == "memory":
            is_remote = any(source.counts.is_remote for source in sources)
            with self._timed("encode"):
                if is_remote:
                    joint = fetched_tables(sources, decimals=decimals, unit=unit)
                else:
                    joint = joint_tables(
                        sources, decimals=decimals, unit=unit, person=options.person
                    )
            with self._timed("prepare"):
                return prepare(joint, deduplicate=options.deduplicate, lists_rows=not is_remote)
        if options.person is not None:
            raise NotMeasurableError(
                "rows of one person can be grouped in memory only, and this search is counted by "
                "{engine} ({reason}); leave out person, or use fewer rows",
                engine=strategy.engine,
                reason=strategy.reason,
            )
        with self._timed("encode"):
            merges = options.deduplicate
            pair = store_tables(sources, decimals=decimals, unit=unit, deduplicate=merges)
            return StoredTables.of(pair, deduplicate=merges)

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        start = time.monotonic()
        yield
        self.timings[stage] = time.monotonic() - start


def _warn_if_long(tables: Prepared | StoredTables, settings: Settings, options: Options) -> None:
    columns, rows = len(tables.columns), sum(tables.rows[:CONTROL]) - sum(tables.removed[:CONTROL])
    many = sum(math.comb(columns, size) for size in settings.sizes)
    threads = options.threads or available_threads()
    is_stored = isinstance(tables, StoredTables)
    per_cell = _SECONDS_PER_CELL_IN_ENGINE if is_stored else _SECONDS_PER_CELL
    seconds = many * (rows * per_cell + _SECONDS_PER_COMBINATION) / threads
    if seconds < _LONG or ((options.time_limit or math.inf) < _LONG and many < 1 << 20):
        return
    small = min(3, columns)
    fewer = sum(math.comb(columns, size) for size in range(1, small + 1))
    limit: str = ""
    if options.time_limit is not None:
        limit = phrase(" (stopped after {seconds:g} s)", seconds=options.time_limit)
    warning = phrase(
        "{columns} have {combinations} of the requested sizes; checking all of them takes roughly "
        "{duration}{limit}. Limit the size (max_baseline_cols={small}: {fewer}) or the time "
        "(time_limit)",
        columns=counted(columns, "column"),
        combinations=counted(many, "combination"),
        duration=duration(seconds),
        limit=limit,
        small=small,
        fewer=counted(fewer, "combination"),
    )
    warnings.warn(warning, PetauditWarning, stacklevel=2)


def duration(seconds: float) -> str:
    """A duration in words.

    >>> duration(5), duration(90), duration(7200), duration(1e9), duration(1e16)
    ('5 seconds', '2 minutes', '2 hours', '32 years', 'millions of years')
    """
    if seconds < 60:
        return counted(round(seconds), "second")
    if seconds < 2 * _HOUR:
        return counted(max(1, round(seconds / 60)), "minute")
    if seconds < 2 * _DAY:
        return counted(round(seconds / _HOUR), "hour")
    if seconds < 2 * _YEAR:
        return counted(round(seconds / _DAY), "day")
    years = seconds / _YEAR
    return phrase("millions of years") if years > 1e6 else counted(round(years), "year")
