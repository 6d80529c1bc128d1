"""The counts layer: the only place that talks to an engine."""

from petaudit.tables._encoding import folded_pairs
from petaudit.tables._pairs import check_aligned, pair_codes, pair_counts
from petaudit.tables._private_folder import remove_orphans
from petaudit.tables._relabel import relabelled_table
from petaudit.tables.addresses import is_address, located, parse_address
from petaudit.tables.class_blocks import AnyAnswer, BlockQuestion, ClassBlocks
from petaudit.tables.class_table import ClassTable
from petaudit.tables.engines.postgres_session import one_state
from petaudit.tables.engines.spark_files import is_uri
from petaudit.tables.files import find_files
from petaudit.tables.results import (
    ClassHistogram,
    ClassValueCounts,
    PairCodes,
    PairCounts,
    ValueCounts,
)
from petaudit.tables.source import Source, open_source, shown_table
from petaudit.tables.table_counts import TableCounts

__all__ = [
    "AnyAnswer",
    "BlockQuestion",
    "ClassBlocks",
    "ClassHistogram",
    "ClassTable",
    "ClassValueCounts",
    "PairCodes",
    "PairCounts",
    "Source",
    "TableCounts",
    "ValueCounts",
    "check_aligned",
    "find_files",
    "folded_pairs",
    "is_address",
    "is_uri",
    "located",
    "one_state",
    "open_source",
    "pair_codes",
    "pair_counts",
    "parse_address",
    "relabelled_table",
    "remove_orphans",
    "shown_table",
]
