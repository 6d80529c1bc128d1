"""Which engine counts, where, and with how much memory."""

from __future__ import annotations

import argparse
from typing import Any

from petaudit.errors import OptionError, term

_ENGINES = ("duckdb", "spark")


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Where the counting is done."""
    engine = parser.add_argument_group(term("engine"))
    engine.add_argument(
        "--engine", choices=_ENGINES, help=term("what counts the rows of files (default: duckdb)")
    )
    engine.add_argument(
        "--spark-master",
        metavar="URL",
        help=term("of Spark: local[4], spark://HOST:PORT, yarn (default: as Spark is set up here)"),
    )
    engine.add_argument(
        "--memory",
        metavar="SIZE",
        help=term("use at most so much memory, as in 2GB (default: 60 %% of what there is)"),
    )


def engine_of(chosen: argparse.Namespace) -> dict[str, Any]:
    """The engine as ``open_source`` takes it, once the memory is settled."""
    # Help must be instant, and the limit is of no use to it.
    from petaudit.system.memory import set_memory  # noqa: PLC0415

    if chosen.spark_master is not None and chosen.engine != "spark":
        raise OptionError("--spark-master is given without --engine spark")
    set_memory(chosen.memory)
    return {"engine": chosen.engine, "spark_master": chosen.spark_master}
