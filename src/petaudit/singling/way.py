"""Where combinations are counted: in this process's memory, or by an engine that may spill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from petaudit.errors import NotMeasurableError, OptionError, Phrase, phrase
from petaudit.singling.memory_need import MemoryNeed
from petaudit.system.memory import memory_limit, memory_text
from petaudit.tables import Source

AUTO: Final = "auto"
MEMORY: Final = "memory"
ENGINE: Final = "engine"
ASKED: Final = (AUTO, MEMORY, ENGINE)
OWN: Final = "petaudit"
_DUCKDB: Final = "DuckDB"
_SPARK: Final = "Spark"


@dataclass(frozen=True)
class Way:
    """How a search goes, and why so."""

    way: Literal["memory", "engine"]
    engine: str
    """Who counts: petaudit's own loops, DuckDB or Spark."""
    reason: str
    threads: int | None = None
    """How many threads there is room for, where they are fewer than there are cores."""
    is_usual: bool = False
    """Whether nobody needs to be told."""

    @classmethod
    def by_default(cls) -> Way:
        """In memory."""
        return cls("memory", OWN, phrase("there is room for it"), is_usual=True)

    @property
    def text(self) -> Phrase:
        """The same in words."""
        if self.way == MEMORY:
            return phrase("searched in memory: {reason}", reason=self.reason)
        return phrase("counted by {engine}: {reason}", engine=self.engine, reason=self.reason)

    def to_dict(self) -> dict[str, str]:
        """As an entry of a document."""
        return {"way": self.way, "engine": self.engine, "reason": self.reason}


def choose_way(tables: Sequence[Source], asked: str, threads: int | None) -> Way:
    """In memory where there is room, unless something else is asked for."""
    if any(table.counts.is_remote for table in tables):
        return _remote(tables, asked)
    if asked == ENGINE:
        return Way("engine", _DUCKDB, phrase("it was asked for"))
    if asked == MEMORY:
        return Way("memory", OWN, phrase("it was asked for"))
    limit = memory_limit()
    need = MemoryNeed.of(tables)
    wanted = need.threads(threads)
    for many in dict.fromkeys([wanted, wanted if threads is not None else 1]):
        if need.bytes(many) <= limit:
            default = Way.by_default()
            return default if many == wanted else Way("memory", OWN, default.reason, many)
    return Way(
        "engine",
        _DUCKDB,
        phrase(
            "in memory it would take some {need}, and the limit is {limit}",
            need=memory_text(need.bytes(1 if threads is None else wanted)),
            limit=memory_text(limit),
        ),
    )


def _remote(tables: Sequence[Source], asked: str) -> Way:
    for table in tables:
        counts = table.counts
        if counts.is_remote and not counts.is_on_spark:
            raise NotMeasurableError(
                "{table} is counted by {engine}, from where only counts come, and mpuccs "
                "compares rows; it can do so in files, in frames and on Spark",
                table=table.name,
                engine=counts.engine,
            )
        if counts.is_remote and asked == MEMORY:
            raise OptionError(
                "the search is to go on in memory, and the rows of {table} are on {engine}, "
                "from where only counts come",
                table=table.name,
                engine=counts.engine,
            )
    return Way("engine", _SPARK, phrase("the rows are there"))
