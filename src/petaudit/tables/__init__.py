"""Tables wherever they are, and counts of them: the only package that talks to an engine.

From a table to figures, in the order in which to read:

- ``source`` opens a file, a frame, or a table of a database or cluster, each by the module of its
  engine (``engines``: DuckDB, frames, Spark, PostgreSQL, and what the remote ones share);
- ``files`` and ``csv_files`` find and read what is on disk, ``typed`` checks declared types;
- ``table_counts`` is the one door to its engine, which every query passes, and keeps all counts;
- ``column_values`` has the labels of a column, how often each occurs, and a code per row;
- ``classes`` groups rows by quasi-identifiers: what they are grouped by (``keys``), classes with
  their sizes and values (``table``), in blocks that fit into memory (``blocks``);
- ``pairs`` and ``sums`` look at rows of two tables or columns, ``population`` at the classes of two
  tables, ``set_counts`` and ``minimal_uniques`` at many sets of columns;
- ``joint`` gives several tables common codes, for searches that compare their rows.
"""

from petaudit.tables._encoding import class_indices, folded_pairs, numbered
from petaudit.tables._private_folder import (
    array_on_disk,
    private_folder,
    remove_folder,
    remove_orphans,
    temporary_room,
)
from petaudit.tables._relabel import Relabelled, in_kind_of, relabelled_table
from petaudit.tables.addresses import is_address, located, parse_address
from petaudit.tables.classes.blocks import Answer_co, BlockQuestion, ClassBlocks
from petaudit.tables.classes.table import ClassTable
from petaudit.tables.engines.postgres_session import snapshot
from petaudit.tables.engines.spark_files import is_uri
from petaudit.tables.pairs import check_aligned, pair_codes, pair_counts
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
    "Answer_co",
    "BlockQuestion",
    "ClassBlocks",
    "ClassHistogram",
    "ClassTable",
    "ClassValueCounts",
    "PairCodes",
    "PairCounts",
    "Relabelled",
    "Source",
    "TableCounts",
    "ValueCounts",
    "array_on_disk",
    "check_aligned",
    "class_indices",
    "folded_pairs",
    "in_kind_of",
    "is_address",
    "is_uri",
    "located",
    "numbered",
    "open_source",
    "pair_codes",
    "pair_counts",
    "parse_address",
    "private_folder",
    "relabelled_table",
    "remove_folder",
    "remove_orphans",
    "shown_table",
    "snapshot",
    "temporary_room",
]
