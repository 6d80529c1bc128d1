"""The counts layer: the only place that talks to an engine."""

from petaudit.counts._databases.addresses import (
    is_address,
    located,
    parse_address,
)
from petaudit.counts._databases.session import one_state
from petaudit.counts._encoding import folded_pairs
from petaudit.counts._files import find_files
from petaudit.counts._pairs import check_aligned, pair_codes, pair_counts
from petaudit.counts._private_folder import remove_orphans
from petaudit.counts._relabel import relabelled_table
from petaudit.counts._spark.files import is_uri
from petaudit.counts.class_blocks import AnyAnswer, BlockQuestion, ClassBlocks
from petaudit.counts.class_table import ClassTable
from petaudit.counts.results import (
    ClassHistogram,
    ClassValueCounts,
    PairCodes,
    PairCounts,
    ValueCounts,
)
from petaudit.counts.source import Source, open_source, shown_table
from petaudit.counts.table_counts import TableCounts

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
