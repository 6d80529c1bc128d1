"""One run from opened tables to findings: encode, prepare, search, compare with the control."""

from __future__ import annotations

import itertools
import math
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from petaudit.errors import NotMeasurableError, PetauditWarning, counted, phrase
from petaudit.exact.excess import Excess
from petaudit.singling._arrays import Indices
from petaudit.singling._exposure import Exposure, expose
from petaudit.singling._partition import Pair
from petaudit.singling._people import exposed_people
from petaudit.singling._prepare import CONTROL, ORIGINAL, SYNTHETIC, Prepared, prepare
from petaudit.singling._stored import StoredTables
from petaudit.singling.control import compare
from petaudit.singling.control_overlap import checked_control
from petaudit.singling.engine_search import EngineSearch
from petaudit.singling.findings import Findings
from petaudit.singling.options import Options
from petaudit.singling.search import Search, available_threads
from petaudit.singling.size_findings import SizeFindings
from petaudit.singling.way import Way, choose_way
from petaudit.tables import Source
from petaudit.tables.joint import check_same_columns, joint_tables
from petaudit.tables.joint.coarser import CoarserStep, coarser_steps
from petaudit.tables.joint.exposed import count_exposed
from petaudit.tables.joint.store import Exposed, OutOfTimeError, store_tables

_SECONDS_PER_CELL = 5e-9
"""What a row costs in a combination, roughly, on one core."""
_SECONDS_PER_CELL_IN_ENGINE = 2e-7
_SECONDS_PER_COMBINATION = 2e-6
_LONG = 120.0
_HOUR = 3_600.0
_DAY = 24 * _HOUR
_YEAR = 365.25 * _DAY
EXPOSURE_SIZE = 3
"""Changes of single columns are judged with combinations of up to so many columns at most."""
_MOST_CELLS_FOR_CHANGES = 4e9


@dataclass
class Run:
    """A run, its settings and what it took."""

    options: Options
    started: float = field(default_factory=time.monotonic)
    """When the caller began: reading the tables takes from the time limit, too."""
    timings: dict[str, float] = field(default_factory=dict)
    _threads: int | None = None

    @property
    def deadline(self) -> float | None:
        """When the time limit is reached, by the monotonic clock."""
        limit = self.options.time_limit
        return None if limit is None else self.started + limit

    def find(self, synthetic: Source, original: Source, control: Source | None) -> Findings:
        """Search the original, and the control if there is one."""
        tables = [synthetic, original, *([] if control is None else [control])]
        check_same_columns(tables, self.options.person)
        way = choose_way(tables, self.options.search, self.options.threads)
        if way.way == "engine" and self.options.person is not None:
            raise NotMeasurableError(
                "rows of one person are told apart in memory only, and this search is counted "
                "by {engine} ({reason}); leave out person, or take fewer rows",
                engine=way.engine,
                reason=way.reason,
            )
        self._threads = self.options.threads or way.threads
        if way.way == "engine":
            return self._find_in_engine(tables, way)
        with self._timed("encode"):
            joint = joint_tables(
                tables,
                decimals=self.options.numeric_precision,
                unit=self.options.datetime_precision,
                person=self.options.person,
            )
        with self._timed("prepare"):
            prepared = prepare(joint, deduplicate=self.options.deduplicate)
            said = () if control is None else checked_control(prepared.overlap)
        with self._timed("search"):
            sizes = tuple(self._search(prepared.pair))
        excess: Excess | None = None
        if control is not None and all(own.is_complete for own in sizes):
            with self._timed("control"):
                excess = compare(
                    prepared.entries, partial(self._exposed, prepared), self.options.seed
                )
        self.timings["total"] = time.monotonic() - self.started
        return Findings(prepared, self.options, sizes, control is not None, excess, way, said)

    def _find_in_engine(self, tables: Sequence[Source], way: Way) -> Findings:
        with self._timed("encode"):
            pair = store_tables(
                tables,
                decimals=self.options.numeric_precision,
                unit=self.options.datetime_precision,
                deduplicate=self.options.deduplicate,
            )
            stored = StoredTables(pair)
        has_control = len(tables) > CONTROL
        said = checked_control(stored.overlap) if has_control and stored.lists_rows else ()
        with self._timed("search"):
            sizes = tuple(self._search_in_engine(stored))
        excess: Excess | None = None
        if has_control and stored.can_be_sampled and all(own.is_complete for own in sizes):
            with self._timed("control"):
                search = partial(self._exposed_in_engine, stored, sizes)
                excess = compare(stored.pair.facts.rows, search, self.options.seed)
        stored.pair.finish()
        self.timings["total"] = time.monotonic() - self.started
        return Findings(stored, self.options, sizes, has_control, excess, way, said)

    def _exposed_in_engine(
        self, stored: StoredTables, sizes: Sequence[SizeFindings], sample: Indices
    ) -> Exposed | None:
        """The same in an engine; what was pruned there depends on the synthetic rows alone."""
        looked_at = (
            combination
            for own in sizes
            for combination, repeated in zip(
                itertools.combinations(range(len(stored.columns)), own.size),
                own.repeated.tolist(),
                strict=True,
            )
            if repeated >= 0
        )
        try:
            with stored.pair.deadline.at(self.deadline):
                return count_exposed(
                    stored.listing,
                    sample,
                    looked_at,
                    keep_matches=self.options.has_gaps(len(stored.columns)),
                    merges_equal=self.options.deduplicate,
                )
        except OutOfTimeError:
            return None

    def _search_in_engine(self, stored: StoredTables) -> Iterator[SizeFindings]:
        people = stored.people
        wanted = self.options.sizes(len(stored.columns))
        if not people[SYNTHETIC] or not people[ORIGINAL]:
            return
        _warn_if_long(
            len(stored.columns), sum(people[:2]), wanted, self.options, _SECONDS_PER_CELL_IN_ENGINE
        )
        yield from EngineSearch(
            stored.pair,
            wanted,
            entropy=self.options.entropy,
            deadline=self.deadline,
            progress=self.options.progress,
        )

    def _search(self, pair: Pair) -> Iterator[SizeFindings]:
        wanted = self.options.sizes(pair.columns)
        if not pair.synthetic or pair.synthetic == pair.rows:
            return
        _warn_if_long(pair.columns, pair.rows, wanted, self.options, _SECONDS_PER_CELL)
        yield from Search(
            pair,
            wanted,
            entropy=self.options.entropy,
            threads=self._threads,
            deadline=self.deadline,
            progress=self.options.progress,
        )

    def _exposed(self, prepared: Prepared, sample: Indices) -> Exposed | None:
        """Who of a sample of the original and of the control is singled out; None out of time."""
        compared = prepared.compared(sample)
        rule = self.options.entropy
        exposed = exposed_people(
            compared.pair,
            compared.first_stranger,
            self.options.sizes(compared.pair.columns),
            rule if rule.smallest_gain > 0 else None,
            self._threads,
            self.deadline,
        )
        return None if exposed is None else compared.count(exposed)

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        start = time.monotonic()
        yield
        self.timings[stage] = time.monotonic() - start


@dataclass(frozen=True)
class Changes:
    """What changing single columns would do, with combinations of up to ``up_to`` columns."""

    exposure: Exposure
    steps: tuple[tuple[int, CoarserStep], ...]
    """The column of each step, by its place in the search, and the step."""
    up_to: int


def changes_of(prepared: Prepared, options: Options, spent: float) -> Changes | None:
    """Try every column without it and one step coarser; None if the time limit comes first.

    ``spent`` are the seconds of the limit that the search took.
    """
    deadline = None
    if options.time_limit is not None:
        if spent >= options.time_limit:
            return None
        deadline = time.monotonic() + options.time_limit - spent
    pair = prepared.pair
    steps = [
        (place, step)
        for place, name in enumerate(prepared.columns)
        for step in coarser_steps(
            prepared.joined[name],
            pair.codes[place, pair.synthetic :],
            pair.codes[place, : pair.synthetic],
        )
    ]
    coarser = [(place, step.recode) for place, step in steps]
    up_to = _size_for_changes(pair, max(options.sizes(pair.columns), default=1), len(steps))
    found = expose(pair, coarser, up_to, options.threads, deadline)
    return None if found is None else Changes(found, tuple(steps), up_to)


def _size_for_changes(pair: Pair, largest: int, steps: int) -> int:
    """The largest size up to three that keeps the work within seconds; one at least."""
    for size in range(min(largest, EXPOSURE_SIZE), 1, -1):
        combinations = sum(math.comb(pair.columns, own) for own in range(1, size + 1))
        tries = sum(math.comb(pair.columns - 1, own) for own in range(size)) * steps
        if (combinations + tries) * pair.rows <= _MOST_CELLS_FOR_CHANGES:
            return size
    return 1


def _warn_if_long(
    columns: int, rows: int, sizes: tuple[int, ...], options: Options, per_cell: float
) -> None:
    many = sum(math.comb(columns, size) for size in sizes)
    threads = options.threads or available_threads()
    seconds = many * (rows * per_cell + _SECONDS_PER_COMBINATION) / threads
    if seconds < _LONG or ((options.time_limit or math.inf) < _LONG and many < 1 << 20):
        return
    small = min(3, columns)
    fewer = sum(math.comb(columns, size) for size in range(1, small + 1))
    limit: str = ""
    if options.time_limit is not None:
        limit = phrase(" (stopped after {seconds:g} s)", seconds=options.time_limit)
    said = phrase(
        "{columns} have {combinations} of the sizes asked for; looking at all of them takes "
        "roughly {duration}{limit}. Limit the size (max_baseline_cols={small}: {fewer}) or the "
        "time (time_limit)",
        columns=counted(columns, "column"),
        combinations=counted(many, "combination"),
        duration=duration(seconds),
        limit=limit,
        small=small,
        fewer=counted(fewer, "combination"),
    )
    warnings.warn(said, PetauditWarning, stacklevel=2)


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
